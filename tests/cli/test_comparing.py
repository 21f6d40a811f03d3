"""`quorate compare` on real files: exit codes, JSON, written tables, and one sentence for everything that is wrong.

Processes are real where the process matters; the many ways to be wrong go through the same `main` in this process.
"""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from quorate.cli import main

ITEMS = [f"q{k:02}" for k in range(40)]
RATINGS = "item,rater,response,topic\n" + "".join(
    f"{item},{rater}{k},{'yes' if (3 * k + r) % 4 else 'no'},{'ab'[k % 2]}\n"
    for k, item in enumerate(ITEMS)
    for r, rater in enumerate(("ann", "bob", "cem"))
)

Quorate = Callable[..., subprocess.CompletedProcess[str]]


def answers(**systems: str) -> str:
    """Answers in which each system says yes where its pattern, repeated, has a y."""
    rows = [
        f"{item},{name},{'yes' if pattern[k % len(pattern)] == 'y' else 'no'}\n"
        for name, pattern in systems.items()
        for k, item in enumerate(ITEMS)
    ]
    return "item,system,response\n" + "".join(rows)


GOOD = answers(new="yyyy", old="yn")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "r.csv").write_text(RATINGS)
    (tmp_path / "a.csv").write_text(GOOD)
    (tmp_path / "three.csv").write_text(answers(new="yyyy", old="yn", odd="yyn"))
    (tmp_path / "same.csv").write_text(answers(new="yyn", old="yyn"))
    rated = "".join(f"{i},{s},{'good' if k % 3 else 'bad'}\n" for k, i in enumerate(ITEMS) for s in "xy")
    (tmp_path / "rated.csv").write_text("item,engine,rating\n" + rated)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Call the command in this process; pytest turns any warning into an error."""
    with pytest.raises(SystemExit) as stop:
        main(["compare", *words])
    captured = capsys.readouterr()
    code = stop.value.code
    return (code if isinstance(code, int) else 0), captured.out, captured.err


# A process of its own


def test_json_is_one_object_on_stdout_and_talk_is_on_stderr(quorate: Quorate, files: Path) -> None:
    done = quorate("compare", "r.csv", "a.csv", "--json", cwd=files)
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert found["schema"] == "quorate.compare/1"
    assert {"version", "seed", "settings", "warnings", "pairs", "ranking", "groups"} <= set(found)
    assert found["pairs"][0]["a"] == "new"
    assert "r.csv: 120 rows" in done.stderr
    assert "a.csv: 2 systems on 40 items: new, old" in done.stderr
    quiet = quorate("compare", "r.csv", "a.csv", "--json", "--quiet", cwd=files)
    assert (quiet.stdout, quiet.stderr) == (done.stdout, "")


def test_row_order_changes_not_one_byte(quorate: Quorate, files: Path) -> None:
    first = quorate("compare", "r.csv", "three.csv", "--json", "-q", "--by", "topic", cwd=files).stdout
    for name in ("r.csv", "three.csv"):
        header, *rows = (files / name).read_text().splitlines()
        (files / name).write_text("\n".join([header, *reversed(rows)]) + "\n")
    assert quorate("compare", "r.csv", "three.csv", "--json", "-q", "--by", "topic", cwd=files).stdout == first
    assert json.loads(first)["pairs"]


def test_text_says_the_number_first_and_then_the_verdict(quorate: Quorate, files: Path) -> None:
    done = quorate("compare", "r.csv", "a.csv", "-q", cwd=files)
    headline = r"new scores 0\.\d+ higher than old \(95 % interval 0\S+ to \S+\), so new is better:\n"
    assert re.match(headline, done.stdout)
    assert "Design effects" in done.stdout


def test_a_file_with_broken_answers_is_refused_by_the_process_too(quorate: Quorate, files: Path) -> None:
    (files / "a.csv").write_text(GOOD.replace("q03,old,no", "q03,old,perhaps"))
    done = quorate("compare", "r.csv", "a.csv", "-q", "-o", "out.csv", cwd=files)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("quorate: a.csv, row 45, column 'response': 'perhaps' is not a category")
    assert "Traceback" not in done.stderr
    assert not (files / "out.csv").exists()


# Exit codes


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("r.csv a.csv --gate", 0),  # new is better
        ("r.csv a.csv --gate --systems old,new", 1),  # old is worse
        ("r.csv a.csv --systems old,new", 0),  # without a gate a verdict is no failure
        ("r.csv three.csv --gate --systems new,odd --confidence 0.999", 3),
        ("r.csv three.csv --gate --systems odd,new --margin 0.9", 0),  # equivalent
        ("r.csv three.csv --gate --baseline old --systems new", 0),
        ("r.csv same.csv --gate", 3),  # identical, and nobody said what matters
        ("r.csv same.csv --gate --margin 0.02", 3),  # a difference on 8.8 % of items might not have shown in 40
        ("r.csv same.csv --gate --margin 0.1", 0),
        ("r.csv same.csv", 0),
    ],
)
def test_exit_codes(words: str, code: int, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found, out, _ = run(capsys, *words.split())
    assert found == code
    assert out


@pytest.mark.parametrize("suffix", ["csv", "parquet", "json"])
def test_tables_are_written(suffix: str, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "r.csv", "three.csv", "--by", "topic", "-o", f"out.{suffix}")
    assert code == 0
    assert f"written: out.{suffix}" in err
    if suffix == "json":
        rows = json.loads((files / "out.json").read_text())["pairs"]
        assert len(rows) == 3
        return
    frame = pl.read_csv("out.csv") if suffix == "csv" else pl.read_parquet("out.parquet")
    assert frame.height == 3 + 2 * 3
    assert {"group", "metric", "a", "b", "difference", "low", "high", "p_value", "p_adjusted", "verdict"} <= set(
        frame.columns
    )
    assert frame["group"].null_count() == 3


def test_options_reach_the_verb(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = (
        "--metric agreement,f1 --metric accuracy --positive yes --systems odd,new --confidence 0.9 --test permutation"
    )
    code, out, _ = run(capsys, "r.csv", "three.csv", *words.split(), "--resamples", "199", "--seed", "5", "--json")
    found = json.loads(out)
    assert code == 0
    assert [pair["metric"] for pair in found["pairs"]] == ["agreement", "f1", "accuracy"]
    assert {pair["confidence"] for pair in found["pairs"]} == {0.9}
    assert {pair["test"] for pair in found["pairs"]} == {"permutation"}
    assert found["seed"] == 5
    assert found["settings"]["resamples"] == 199


def test_rated_systems(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        f"{i},{r},{s},{(k + j + 3 * (s == 'y')) % 7}\n"
        for k, i in enumerate(ITEMS)
        for j, r in enumerate("ab")
        for s in "xy"
    ]
    (files / "rated.csv").write_text("item,rater,engine,score\n" + "".join(rows))
    code, out, err = run(capsys, "rated.csv", "--rated-system", "engine", "--better", "low", "--json")
    assert code == 0
    assert json.loads(out)["pairs"][0]["metric"] == "mean_rating"
    assert "40 items rated for each of 2 systems: x, y" in err


# Everything that is wrong

PROBABLE = "item,system,no,yes\n" + "".join(f"{i},{s},0.4,0.6\n" for s in ("p", "q") for i in ITEMS)
RUNS = "item,system,run,response\n" + "".join(f"{i},{s},1,yes\n" for s in ("p", "q") for i in ITEMS)
MIXED = "item,system,response,no,yes\n" + "".join(f"{i},l,yes,,\n{i},p,,0.4,0.6\n" for i in ITEMS)
NUMBERS = "item,rater,response\n" + "".join(f"{i},ann,{k / 7:.3f}\n" for k, i in enumerate(ITEMS))

WRONG = {
    "different items": (
        GOOD.replace("q07,old,no\n", ""),
        "",
        ["a.csv", "'old' did not answer 1 of 40", "q07", "--missing drop"],
    ),
    "no common item": (
        "item,system,response\nx1,new,yes\nx1,old,yes\n",
        "",
        ["none of the rated items", "'x1'", "'q00'", "--item-column"],
    ),
    "label outside the scale": (GOOD + "q00,third,maybe\n", "", ["row 82", "column 'response'", "'maybe'", "no, yes"]),
    "a system with no answers": (GOOD + "q00,mute,\nq01,mute,\n", "", ["'mute' gave no answer", "--systems"]),
    "a system that answers only unrated items": (
        GOOD + "zz,stray,yes\n",
        "",
        ["'stray' gave no answer to any rated item"],
    ),
    "header only": ("item,system,response\n", "", ["a.csv", "no answers"]),
    "empty answers": ("", "", ["a.csv is empty"]),
    "no system column": ("item,response\nq00,yes\n", "", ["no system column", "--system-column"]),
    "no response column": (
        "item,system,thing,other\nq00,new,yes,no\n",
        "",
        ["neither a response column nor one probability column", "no, yes", "call the column of responses response"],
    ),
    "empty item cell": (GOOD + ",new,yes\n", "", ["row 82", "column 'item'", "empty"]),
    "probabilities that do not sum to 1": (
        PROBABLE.replace("q05,q,0.4,0.6", "q05,q,0.4,0.4"),
        "",
        ["row 47", "0.4, 0.4", "sum to 1"],
    ),
    "negative probability": (PROBABLE.replace("q05,q,0.4,0.6", "q05,q,-0.4,1.4"), "", ["row 47", "-0.4"]),
    "word for a probability": (PROBABLE.replace("q05,q,0.4,0.6", "q05,q,much,0.6"), "", ["row 47"]),
    "probabilities twice": (PROBABLE + "q05,q,0.5,0.5\n", "", ["row 82", "twice"]),
    "an answer twice in a run": (RUNS + "q05,q,1,no\n", "", ["row 82", "twice in run '1'"]),
    "total variation of probabilities and labels": (
        MIXED,
        "--metric total_variation",
        ["probabilities with single answers", "brier"],
    ),
    "unknown system": (GOOD, "--systems new,newer", ["no system 'newer'", "new, old"]),
    "unknown baseline": (GOOD, "--baseline nobody", ["no system 'nobody'"]),
    "baseline without a name": (GOOD, "--baseline=", ["no system ''"]),
    "a system twice": (GOOD, "--systems new,new", ["twice"]),
    "unknown metric": (GOOD, "--metric aggreement", ["'aggreement'", "agreement"]),
    "unknown test": (GOOD, "--test ttest", ["'ttest'", "default, permutation"]),
    "unknown published test": (GOOD, "--test published:all:some", ["published:ITEMS:ANSWERS"]),
    "unknown unit": (GOOD, "--unit pages", ["--unit pages", "cluster:COLUMN"]),
    "unknown cluster column": (GOOD, "--unit cluster:page", ["'page'", "topic"]),
    "unknown group column": (GOOD, "--by page", ["--by", "'page'", "topic"]),
    "unknown item column": (GOOD, "--item-column thing", ["'thing'", "--item-column"]),
    "unknown system column": (GOOD, "--system-column model", ["'model'", "--system-column"]),
    "unknown run column": (GOOD, "--run-column try", ["'try'", "--run-column"]),
    "unknown positive": (GOOD, "--metric f1 --positive maybe", ["--positive maybe", "no, yes"]),
    "f1 without positive": (GOOD, "--metric f1", ["f1", "--positive"]),
    "a metric for another scale": (GOOD, "--metric mae", ["mae makes no sense on a nominal scale", "agreement"]),
    "wins by a metric for another scale": (GOOD, "--metric wins:mae", ["nominal"]),
    "wins by a set score": (GOOD, "--metric wins:f1", ["wins needs a metric that scores single items"]),
    "mean rating of answers": (GOOD, "--metric mean_rating", ["--rated-system"]),
    "mcnemar on fractions": (GOOD, "--test mcnemar", ["mcnemar needs an item score of 0 or 1"]),
    "clusters with another test": (GOOD, "--unit cluster:topic --test wilcoxon", ["knows no clusters"]),
    "published test on ragged answers": (
        RUNS + "q05,q,2,no\n",
        "--test published:bootstrap:bootstrap",
        ["equally many"],
    ),
    "margin 0": (GOOD, "--margin 0", ["--margin 0", "above 0"]),
    "negative margin": (GOOD, "--margin -0.1", ["-0.1"]),
    "margin without a number": (GOOD, "--margin small", ["--margin", "'small'"]),
    "confidence 2": (GOOD, "--confidence 2", ["--confidence", "2"]),
    "confidence 0": (GOOD, "--confidence 0", ["--confidence", "0"]),
    "no resamples": (GOOD, "--test bootstrap --resamples 0", ["--resamples", "0"]),
    "gate with two metrics": (GOOD, "--gate --metric agreement,accuracy", ["--gate", "one metric and two systems"]),
    "answers and rated systems": (GOOD, "--rated-system topic", ["not both"]),
    "better low for agreement": (GOOD, "--better low", ["high is always better for agreement"]),
}


def refused(found: tuple[int, str, str], said: list[str]) -> None:
    code, out, err = found
    lines = [line for line in err.splitlines() if line.startswith("quorate: ")]
    assert (code, out) == (2, "")
    assert len(lines) == 1
    assert err.endswith((".\n", "?\n")) or ": " in lines[0]
    missing = [words for words in said if words not in lines[0]]
    assert not missing, f"{missing} not in {lines[0]!r}"


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said_in_one_sentence(case: str, files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content, words, said = WRONG[case]
    (files / "a.csv").write_text(content)
    before = sorted(path.name for path in files.iterdir())
    refused(run(capsys, "r.csv", "a.csv", "-q", *words.split()), said)
    assert sorted(path.name for path in files.iterdir()) == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("r.csv", ["answers", "--rated-system"]),
        ("r.csv missing.csv", ["no file", "missing.csv"]),
        ("r.csv three.csv --gate", ["--gate", "two systems"]),
        ("r.csv --rated-system engine", ["'engine'", "--rated-system"]),
        ("r.csv --rated-system topic", ["mean_rating makes no sense on a nominal scale"]),  # each item one topic
        ("r.csv --rated-system rater", ["read as item, rater or response"]),
        ("rated.csv --rated-system engine", ["mean_rating makes no sense on a nominal scale", "--scale"]),
        ("rated.csv --rated-system engine --metric agreement", ["mean_rating"]),
        ("rated.csv --rated-system engine --systems x,z", ["no system 'z'", "x, y"]),
        ("r.csv a.csv --missing ignore", ["--missing"]),
        ("r.csv a.csv -o out.docx", ["out.docx", ".csv, .parquet or .json"]),
        ("r.csv a.csv --bye topic", ["--bye", "--by"]),
    ],
)
def test_bad_usage_is_said_in_one_sentence(
    words: str, said: list[str], files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refused(run(capsys, *words.split(), "-q"), said)


def test_one_item_is_too_few(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "r.csv").write_text("item,response\nq00,yes\nq00,no\n")
    refused(run(capsys, "r.csv", "a.csv", "-q"), ["one item", "at least two"])


def test_numbers_are_refused_where_categories_are_needed(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (files / "r.csv").write_text(NUMBERS)
    (files / "a.csv").write_text(GOOD.replace("yes", "1").replace("no\n", "0\n"))
    refused(
        run(capsys, "r.csv", "a.csv", "-q", "--metric", "agreement"),
        ["agreement makes no sense on an interval scale", "crps"],
    )
    (files / "a.csv").write_text(GOOD)
    refused(run(capsys, "r.csv", "a.csv", "-q"), ["'yes' is not a number"])


def test_control_the_files_all_cases_start_from_are_fine(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for content in (GOOD, PROBABLE, RUNS):
        (files / "a.csv").write_text(content)
        assert run(capsys, "r.csv", "a.csv", "-q")[0] == 0


# Raters who come back


@pytest.fixture
def shared_raters(files: Path) -> Path:
    """The same ratings, by three people."""
    text = RATINGS.splitlines()
    rows = [",".join((row.split(",")[0], row.split(",")[1][:3], *row.split(",")[2:])) for row in text[1:]]
    (files / "shared.csv").write_text("\n".join([text[0], *rows]) + "\n")
    return files


def test_shared_raters_are_counted_and_named(shared_raters: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "shared.csv", "a.csv", "--json", "-q")
    found = json.loads(out)
    assert code == 0
    assert found["unit_reason"] == "3 raters are shared across items, so raters count as random."
    assert found["settings"]["unit"] == found["pairs"][0]["unit"] == "items+raters"
    assert found["pairs"][0]["n_raters"] == 3
    assert found["pairs"][0]["scope"] == "other items, other raters"


@pytest.mark.parametrize(
    ("words", "unit"),
    [
        ("--raters-are fixed", "items"),
        ("--items-are fixed", "raters"),
        ("--unit S1", "items+raters"),
        ("--unit raters-within-items", "raters-within-items"),
        ("--test permutation --resamples 99", "items"),
    ],
)
def test_what_is_drawn_can_be_chosen(
    words: str, unit: str, shared_raters: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(capsys, "shared.csv", "a.csv", "--json", "-q", *words.split())
    assert (code, json.loads(out)["pairs"][0]["unit"]) == (0, unit)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--unit batches", "one batch; use auto"),
        ("--unit items+raters --test welch", "the welch test counts items only"),
        ("--raters-are fixed --items-are fixed", "leave nothing to chance"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    words: str, sentence: str, shared_raters: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "shared.csv", "a.csv", "-q", *words.split())
    assert (code, out) == (2, "")
    assert sentence in err


@pytest.mark.parametrize(("bar", "code"), [("0.3", 0), ("0.99", 1), ("0.66", 3)])
def test_a_gate_passes_one_system_by_its_bar(bar: str, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    data = ["example:support", "example:support-answers", "--systems", "atlas"]
    found, out, _ = run(capsys, *data, "--target-score", bar, "--gate")
    assert found == code
    assert out.startswith("atlas")
