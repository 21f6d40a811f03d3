"""Every refusal names the file or the option it is about."""

import pytest

from quorate.cli.usage import whole_sentence


@pytest.mark.parametrize(
    ("message", "words", "said"),
    [
        ("There is no test 'x'; use default", "compare a.csv --test x", "--test: There is no test 'x'; use default."),
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
