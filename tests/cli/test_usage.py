"""Every refusal names the file or the option it is about."""

import json

import pytest

from quorate.cli import main
from quorate.cli.usage import whole_sentence


@pytest.mark.parametrize(
    ("message", "words", "said"),
    [
        ("There is no test 'x'; use default", "compare a.csv --test x", "--test: There is no test 'x'; use default."),
        ("There is no test 'x'; use default", "compare a.csv --test=x", "--test: There is no test 'x'; use default."),
        ("unknown metric 'b': use f1.", "compare a.csv --json --metric a,b", "--metric: unknown metric 'b': use f1."),
        ("every item has one answer", "fit t.tsv --columns item", "t.tsv: every item has one answer."),
        ("the effect is below 0, not -1", "plan p.json --effect -1", "--effect: the effect is below 0, not -1."),
        ("The goal p=0.05 is out of reach", "plan v.csv --goal p=.05", "--goal: The goal p=0.05 is out of reach."),
        ("There is no example x.", "describe example:x -- b.csv", "There is no example x."),
        ("There is no file 0; check the path.", "describe 0 --top 3", "There is no file 0; check the path."),
        ("t.csv has no rows.", "plan t.csv --from t.csv", "t.csv has no rows."),
        ("--seed is odd.", "describe t.csv --seed 1", "--seed is odd."),
    ],
)
def test_what_a_refusal_is_about_stands_before_it_unless_it_says_so(message: str, words: str, said: str) -> None:
    assert whole_sentence(message, words.split()) == said


@pytest.mark.parametrize("value", ["2.5", ".5", "1e1", "1,5"])
@pytest.mark.parametrize("words", ["describe example:support --top", "compare x.csv --resamples", "app --port"])
def test_whole_numbers_are_not_rounded(words: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main([*words.split(), value])
    assert stop.value.code == 2
    assert capsys.readouterr().err == f"quorate: {words.split()[-1]} must be a whole number, not '{value}'.\n"


def test_a_whole_number_may_be_written_with_a_point(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["describe", "example:support", "--json", "-q", "--top", "2.0"])
    assert stop.value.code == 0
    assert json.loads(capsys.readouterr().out)["settings"]["top"] == 2
