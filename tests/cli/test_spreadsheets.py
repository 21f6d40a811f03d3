"""The spreadsheet of a German labelling lead, and others as people have them, through the command line."""

import json
from pathlib import Path

import pytest

from quorate.cli import main
from tests.spreadsheets import german_spreadsheet, plain_table


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "bewertung.csv").write_bytes(german_spreadsheet())
    (tmp_path / "plain.csv").write_text(plain_table())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        main(list(words))
    captured = capsys.readouterr()
    return (stop.value.code if isinstance(stop.value.code, int) else 0), captured.out, captured.err


def test_without_a_word_the_spreadsheet_is_refused_with_the_way_out(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = run(capsys, "describe", "bewertung.csv")
    assert code == 2
    assert "--layout wide" in err


def test_the_spreadsheet_has_the_numbers_of_the_plain_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, messy, err = run(capsys, "describe", "bewertung.csv", "--layout", "wide", "--json")
    _, plain, _ = run(capsys, "describe", "plain.csv", "--json")
    assert code == 0
    for said in (
        "cp1252",
        "above the header: Qualität",
        "left out, unlike the columns of raters: Nr, Antwort, Bemerkung",
    ):
        assert said in err
    assert "decimal comma" in err
    assert "cells without a response dropped" in err
    for field in ("responses", "items", "raters", "agreement", "scale", "variance"):
        assert json.loads(messy)[field] == json.loads(plain)[field]


def test_two_commands_lead_to_a_plan_with_prices_and_a_page(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first command was refused and named --layout wide; the second plans, here for two raters: quicker."""
    words = "plan --from bewertung.csv --layout wide --difference 0.2 --item-price 2 --rating-price 0.4 -o plan.html"
    code, out, _ = run(capsys, *words.split(), "--raters", "1,2", "--currency", "€")
    assert code == 0
    assert out.startswith("Buy ")
    assert ", for " in out
    page = (folder / "plan.html").read_text()
    assert "bewertung.csv" in page
    assert "Buy " in page
    assert "cost (€)" in page
    assert "difference 0.200 in CRPS" in page  # the one asked for, where 0.201 was worked out


def test_every_column_that_is_no_rater_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A text and a source, which names like these say, as well as what only its cells tell from raters."""
    rows = [f"{k};Satz {k};web;{k % 5},5;{(k + 1) % 5},0;{(k * 3) % 5},5;{'zu lang' * (k % 2)}" for k in range(20)]
    (folder / "wide.csv").write_text("\n".join(["Nr;Text;source;Anna;Bernd;Zoë;Bemerkung", *rows]) + "\n")
    code, _, err = run(capsys, "describe", "wide.csv", "--layout", "wide")
    assert (code, "a column per rater: Anna, Bernd, Zoë (" in err) == (0, True)
    assert "left out, unlike the columns of raters: Nr, Text, source, Bemerkung (" in err


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["q1,ann,1", "q1,bob,2", "q2,ann,2", "q2,bob,1"], ""),
        (["q1,ann,1", "q1,bob ,2", "q2,ann,2", "q2,bob,1"], "raters 'bob' and 'bob ' differ only in case or spaces"),
        (["q1,ann,1", "q1,bob,2", "q1 ,ann,2", "q2,bob,1"], "items 'q1' and 'q1 ' differ only in spaces"),
        (["q1,ann,No", "q1,bob,Yes", "q2,ann,yes", "q2,bob,No"], "responses 'Yes' and 'yes' differ only in case"),
        (["q1,ann,1", "q1,bob,0", "q2,ann,true", "q2,bob,false"], "'0' and 'false' may mean the same"),
        (["q1,ann,1", "q1,bob,2", "q2,ann,-1", "q2,bob,3"], "-1 counts as a response (--missing-values -1 to leave"),
        (["q1,ann,1", "q1,bob,2", "q2,ann,2", "q2,bob,1", "Total,,6"], "left out below the items: Total"),
    ],
)
def test_names_a_person_takes_for_the_same_and_sums_are_said(
    rows: list[str], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "r.csv").write_text("\n".join(["item,rater,response", *rows]) + "\n")
    code, out, err = run(capsys, "describe", "r.csv", "--json")
    assert (code, json.loads(out)["responses"], said in err) == (0, 4, True)
    assert any(word in err for word in ("differ only", "same", "left out", "counts as")) == bool(said)


def test_other_encodings_marks_and_missing_words_are_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "Projekt;Bot\n\nitem;rater;score\nq1;a;1.000,5\nq1;b;weiß nicht\nq2;a;2,5\nq2;b;3,5\n"
    (folder / "odd.csv").write_bytes(text.encode("utf-16"))
    options = ("--skip-rows", "1", "--decimal", ",", "--missing-values", "weiß nicht,x")
    code, out, err = run(capsys, "describe", "odd.csv", "--json", *options)
    assert code == 0
    assert json.loads(out)["responses"] == 3
    assert "UTF-16" in err
    assert "1 cell with weiß nicht or x read as missing" in err
    assert "interval, 2.5 to 1000.5" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("plan --from rated.csv --difference 0.2", ["column 'model'", "--item-column item,model"]),
        (
            "plan won.csv --difference 0.02",
            ["column 'winner'", "add system_a and system_b", "--response-column w"],
        ),
        ("fit rated.csv -o pilot.json", ["column 'model'", "quorate plan takes --rated-system model"]),
        ("plan --preset dices --difference 0.05 --workers 2", ["--workers", "--grid"]),
        ("plan --preset dices --difference 0.05 --resume", ["--resume", "--grid"]),
        ("plan example:support example:support-answers --difference 5", ["agreement, 1", "0.05, not 5"]),
        ("plan example:support example:support-answers --difference 0.05 --margin 5", ["--margin 5", "0.05, not 5"]),
        ("compare example:support example:support-answers --margin 2 --gate", ["allows anything", "0.02, not 2"]),
        ("compare rated.csv --rated-system model --margin 2 --gate", ["lies between 0 and 2"]),
        ("compare example:support example:support-answers --target-score 90", ["--target-score 90", "0.9, not 90"]),
        ("compare example:support-answers example:support", ["ratings come first, then answers"]),
        ("comapre a.csv", ["'comapre' is not a command", "did you mean compare?"]),
        ("describe example:support?", ["There is no example 'support?'", "there are support,"]),
        ("compare rated.csv", ["rated.csv is alone", "--rated-system model if outputs were rated"]),
        ("compare plain.csv", ["plain.csv is alone", "give the systems' answers, or --rated-system COLUMN"]),
        ("describe plain.csv --decimal point", ["--decimal cannot be 'point'; use ',' or '.'."]),
        ("estimate", ["needs VOTES", "or example:moderation."]),
        ("plan", ["name a file of ratings, or one population"]),
        ("describe example:preferences --scale interval", ["holds votes between systems", "--scale would do nothing"]),
        ("plan example:preferences --win-rate 0.6 --layout wide", ["votes", "--layout would do nothing"]),
        ("compare example:preferences --better low", ["Votes say who won", "--better would do nothing"]),
        ("compare example:preferences --positive atlas", ["--positive would do nothing"]),
        ("compare example:support example:support-answers --epsilon crowd", ["--epsilon", "--baseline raters"]),
        ("compare example:support example:support-answers --score x", ["support-answers is no log", "--score"]),
        ("compare example:support a=plain.csv b=plain.csv --filter x", ["plain.csv is no log", "--filter"]),
        ("compare a=marks.csv b=marks.csv --score x", ["marks.csv is no log", "--score"]),
        ("compare example:support example:support-answers --preferences", ["--preferences", "leave it out"]),
        ("compare rated.csv --rated-system model --score x", ["rated.csv is no log", "--score"]),
        ("compare rated.csv --rated-system model --system-column model", ["leave --system-column out"]),
        ("describe rated.csv --rated-system model --preferences", ["no votes, so --preferences would do nothing"]),
        ("plan --preset dices --difference 0.05 --scale nominal", ["--scale says how a file of ratings is read"]),
        ("plan --variance item=1,rater=1,rest=1 --difference 0.5 --order a,b", ["--order says how a file"]),
        ("plan --preset dices --difference 0.05 --unit items+raters", ["needs a pilot that shows who answered what"]),
        ("plan example:support --difference 0.05 --unit cluster:channel", ["cluster:channel needs a pilot"]),
        ("plan example:preferences --systems atlas,birch --win-rate 0.6 --metric f1", ["--metric has no meaning with"]),
        ("plan --preset preference --win-rate 0.6 --unit items", ["--unit items is for a pilot", "--rater-share 0"]),
        ("plan --variance item=1,rater=1,rest=1 --difference 0.5 --systems a,b", ["--systems has no meaning"]),
        ("plan --preset dices --difference 0.05 --run-column run", ["--run-column is about a pilot's answers"]),
        ("simulate --preset dices --items 5 --raters 3 -o out --encoding cp1252", ["--encoding says how a file"]),
        ("plan example:support --difference 0.1 --resample-unit items", ["--resample-unit goes with --resample"]),
        ("convert example:support --order no,yes", ["convert writes rows as they stand", "--order would do nothing"]),
        ("convert example:support --score x", ["example:support is no log", "--score"]),
        ("estimate example:moderation-experts example:moderation", ["experts label 600 items", "name the votes first"]),
        ("estimate example:moderation example:moderation-experts --threshold 0.3", ["--threshold", "none are given"]),
        ("estimate example:moderation example:moderation-experts --choose-by random", ["say how many with --choose"]),
        ("estimate example:moderation --expert-column gold --method mv --mode paper", ["how MAVEN is run"]),
        ("fit example:support --evaluate 1,2,3 --method ml", ["--method and --family would do nothing"]),
        ("fit example:summaries --family normal --method ml", ["--method says how a Dirichlet is fitted"]),
    ],
)
def test_another_question_and_options_without_effect_are_refused(
    words: str, said: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    won = [f"q{k},r{r},{('A', 'B', 'tie')[(k + r) % 3]}" for k in range(12) for r in range(2)]
    (folder / "marks.csv").write_text("item,score\nq1,1\nq2,0\nq3,1\n")
    (folder / "won.csv").write_text("\n".join(["item,rater,winner", *won]) + "\n")
    rows = [f"q{k},r{r},{m},{(k + r) % 3}" for k in range(12) for r in range(2) for m in "ab"]
    (folder / "rated.csv").write_text("\n".join(["item,rater,model,response", *rows]) + "\n")
    code, _, err = run(capsys, *words.split())
    assert code == 2
    assert [word for word in said if word not in err] == []


def test_a_positive_category_that_no_metric_takes_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["compare", "example:support", "example:support-answers"]
    code, out, _ = run(capsys, *words, "--positive", "yes")
    assert code == 0
    assert "--positive yes changes nothing: agreement takes no positive category" in out
    assert "changes nothing" not in run(capsys, *words, "--positive", "yes", "--metric", "agreement,f1")[1]


@pytest.mark.parametrize("source", ["--preset preference", "example:preferences --systems atlas,birch"])
def test_votes_are_planned_by_their_own_metric_whether_it_is_named_or_not(
    source: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["plan", *source.split(), "--win-rate", "0.6"]
    assert run(capsys, *words, "--metric", "win_rate")[:2] == run(capsys, *words)[:2]


def test_a_price_that_does_nothing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, *["plan", "--preset", "dices", "--difference", "0.05", "--expert-price", "3"])
    assert "--expert-price does nothing here" in out
    assert "one rater each:\na difference" in out


def test_marks_of_0_and_1_need_no_option_but_the_system(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        f"{k},{m},{int((k * 7 + shift) % 10 < cut)}" for k in range(60) for m, shift, cut in (("a", 0, 9), ("b", 3, 5))
    ]
    for header in ("id,model,correct", "item,model,score"):
        (folder / "scores.csv").write_text("\n".join([header, *rows]) + "\n")
        code, out, _ = run(capsys, "compare", "scores.csv", "--rated-system", "model")
        assert (code, out.startswith("a scores 0."), ", so a is better" in out) == (0, True, True)


@pytest.mark.parametrize("options", [(), ("--response-column", "correct")])
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_one_file_of_marks_per_system(
    kind: str, options: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, cut in (("new", 9), ("old", 5)):
        marks = [(k, (k * 7) % 10 < cut) for k in range(60)]
        rows = [f"{k},{int(mark)}" for k, mark in marks]
        objects = [json.dumps({"id": k, "correct": mark}) for k, mark in marks]
        lines = ["id,correct", *rows] if kind == "csv" else objects
        (folder / f"{name}.{kind}").write_text("\n".join(lines) + "\n")
    code, out, err = run(capsys, "compare", f"new=new.{kind}", f"old=old.{kind}", *options)
    assert (code, out.startswith("new scores 0.4"), "system = the name before the file" in err) == (0, True, True)
    assert ("true is read as 1" in err) == (kind == "jsonl")
    code, _, err = run(capsys, "compare", f"new.{kind}", f"old.{kind}")
    assert (code, f"NAME=new.{kind}" in err) == (2, True)


@pytest.mark.parametrize("scores", [(0, 1), (0.25, 0.5)])
def test_two_files_of_scores_without_names_are_told_the_ways_that_work(
    scores: tuple[float, float], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, cut in (("a", 9), ("b", 5)):
        rows = [f"{k},{scores[(k * 7) % 10 < cut]}" for k in range(60)]
        (folder / f"{name}.csv").write_text("\n".join(["item,score", *rows]) + "\n")
    code, _, err = run(capsys, "compare", "a.csv", "b.csv")
    assert (code, "NAME=b.csv" in err, "write new=a.csv old=b.csv." in err) == (2, True, True)
    code, out, _ = run(capsys, "compare", "new=a.csv", "old=b.csv")
    assert (code, out.startswith("new scores 0."), ", so new is better" in out) == (0, True, True)
    code, out, _ = run(capsys, "compare", "a.csv", "NAME=b.csv")  # one system, held against a as what people said
    assert (code, "NAME" in out.splitlines()[0]) == (0, True)


def test_answers_without_a_system_are_no_scores_where_raters_are_known(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "r.csv").write_text("item,rater,score\n1,ann,1\n1,bob,0\n2,ann,1\n2,bob,1\n")
    (folder / "b.csv").write_text("item,score\n1,1\n2,0\n")
    code, _, err = run(capsys, "compare", "r.csv", "b.csv")
    assert (code, "NAME=b.csv" in err, "new=" in err) == (2, True, False)


def test_two_lines_of_a_title_lead_to_a_plan_too(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The second line has a date and a name, and decimal commas stand below: the header is still the header."""
    title, _, *table = german_spreadsheet().decode("cp1252").split("\r\n")
    lines = [title, "Stand: 12.03.2026; Leitung: B. Groß", "", *table]
    (folder / "zwei.csv").write_bytes("\r\n".join(lines).encode("cp1252"))
    code, out, err = run(capsys, "describe", "zwei.csv", "--layout", "wide", "--json")
    _, plain, _ = run(capsys, "describe", "plain.csv", "--json")
    assert code == 0
    assert "Stand: 12.03.2026" in err
    assert json.loads(out)["responses"] == json.loads(plain)["responses"]
