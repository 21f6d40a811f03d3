"""A baseline is stored once, never written over, and compared with under its own name or as the baseline."""

from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from quorate import InputError, assert_not_worse, compare
from quorate.comparing.baseline import store_baseline
from quorate.comparing.question import CompareQuestion

RATINGS = "item,rater,response\n" + "".join(f"q{k},r{r},{'yes' if k % 4 else 'no'}\n" for k in range(30) for r in "ab")


def answers(**systems: str) -> str:
    said = {"y": "yes", "n": "no"}
    rows = [f"q{k},{name},{said[text[k % len(text)]]}\n" for name, text in systems.items() for k in range(30)]
    return "item,system,response\n" + "".join(rows)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "r.csv").write_text(RATINGS)
    (tmp_path / "old.csv").write_text(answers(bot="yn"))
    (tmp_path / "new.csv").write_text(answers(bot="nyyy"))
    (tmp_path / "both.csv").write_text(answers(new="nyyy", old="yn"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_only_system_is_stored_and_the_next_version_is_compared_with_it(folder: Path) -> None:
    assert assert_not_worse("r.csv", "old.csv", baseline_file="base.csv") is None
    stored = (folder / "base.csv").read_bytes()
    [pair] = compare("r.csv", "new.csv", baseline_file="base.csv").pairs
    assert (pair.a, pair.b, pair.verdict) == ("bot", "bot (baseline)", "a_better")
    by_hand = answers(bot="nyyy") + answers(base="yn").split("\n", 1)[1]
    (folder / "by-hand.csv").write_text(by_hand)
    [same] = compare("r.csv", "by-hand.csv", baseline="base").pairs
    assert (pair.difference, pair.low, pair.high) == (same.difference, same.low, same.high)
    assert (folder / "base.csv").read_bytes() == stored


def test_the_stored_one_stands_for_the_system_named_as_baseline(folder: Path) -> None:
    asked = CompareQuestion("r.csv", "both.csv", baseline="old", baseline_file="base.csv")
    stored = store_baseline(asked)
    assert stored is not None
    assert (stored.system, stored.n_rows, stored.alone) == ("old", 30, False)
    assert store_baseline(asked) is None
    (folder / "both.csv").write_text(answers(new="nyyy", old="nyyy"))
    [pair] = compare("r.csv", "both.csv", baseline="old", baseline_file="base.csv").pairs
    assert (pair.a, pair.b, pair.verdict) == ("new", "old", "a_better")


def test_rated_outputs_have_a_baseline_too(folder: Path) -> None:
    for name, shift in (("v1", 0), ("v2", 1)):
        rows = "".join(f"q{k},r{r},bot,{1 + (k + r) % 3 + shift * (k % 5 > 0)}\n" for k in range(30) for r in range(3))
        (folder / f"{name}.csv").write_text("item,rater,model,score\n" + rows)
    assert assert_not_worse("v1.csv", rated_system="model", baseline_file="base.csv") is None
    result = assert_not_worse("v2.csv", rated_system="model", baseline_file="base.csv")
    assert result is not None
    assert (result.pairs[0].a, result.pairs[0].b) == ("bot", "bot (baseline)")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"baseline_file": "base.csv"}, r"several systems \(new, old\).*--baseline"),
        ({"baseline_file": "base.txt", "baseline": "old"}, r"end its name in \.csv"),
        ({"baseline_file": "nowhere/base.csv", "baseline": "old"}, "folder that is there"),
        ({"baseline_file": "base.csv", "baseline": "older"}, "no system 'older'"),
    ],
)
def test_what_cannot_be_stored_is_refused(folder: Path, options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        store_baseline(CompareQuestion("r.csv", "both.csv", **options))
    assert not (folder / "base.csv").exists()


def test_python_does_not_compare_with_what_is_not_there(folder: Path) -> None:
    with pytest.raises(InputError, match=r"There is no file base\.csv"):
        compare("r.csv", "both.csv", baseline_file="base.csv")
    (folder / "base.csv").write_text(answers(a="y", b="n"))
    with pytest.raises(InputError, match="must hold one system"):
        compare("r.csv", "both.csv", baseline_file="base.csv")


def test_what_is_wrong_is_named_with_the_file_it_stands_in(folder: Path) -> None:
    """It was named as a row of the new answers, below their last."""
    (folder / "base.csv").write_text((folder / "old.csv").read_text().replace("q2,bot,yes", "q2,bot,maybe"))
    with pytest.raises(InputError, match=r"^base\.csv, row 4, column 'response': 'maybe' is not a category"):
        compare("r.csv", "new.csv", baseline_file="base.csv")
    (folder / "base.csv").write_text(answers(bot="yn"))
    (folder / "odd.csv").write_text(answers(bot="nyyy").replace("q2,bot,yes", "q2,bot,maybe"))
    with pytest.raises(InputError, match=r"^odd\.csv, row 4, column 'response': 'maybe' is not a category"):
        compare("r.csv", "odd.csv", baseline_file="base.csv")
    for name, last in (("v1", "much"), ("v2", "2.5")):
        rows = "".join(f"q{k},r{r},bot,{1 + (k + r) % 3}.5\n" for k in range(30) for r in range(3))
        (folder / f"{name}.csv").write_text("item,rater,model,score\n" + rows + f"q30,r1,bot,{last}\n")
    with pytest.raises(InputError, match=r"^v1\.csv, row 92, column 'score': 'much' is not a number"):
        compare("v2.csv", rated_system="model", scale="interval", baseline_file="v1.csv")


def test_a_log_is_stored_and_compared_with_like_two_logs(logs: Path, folder: Path) -> None:
    old, new = logs / "old.json", logs / "new.json"
    assert assert_not_worse(old, score="match", missing="drop", baseline_file="base.csv") is None
    result = compare(new, score="match", missing="drop", baseline_file="base.csv")
    [pair], [both] = result.pairs, compare(new, old, score="match", missing="drop").pairs
    assert (pair.a, pair.b) == (both.a, both.b)
    assert (pair.difference, pair.low, pair.high, pair.verdict) == (both.difference, both.low, both.high, both.verdict)
    assert {Path(each).name for each in result.inputs} == {"new.json", "base.csv"}
    with pytest.raises(InputError, match=r"stored of scores\.match\.value, and .* read for scores\.judge\.tone\.value"):
        compare(new, score="judge.tone", missing="drop", baseline_file="base.csv")
    (folder / "base.csv").write_text("".join((folder / "base.csv").read_text().splitlines(keepends=True)[:6]))
    with pytest.raises(InputError, match="items were not rated for system"):  # items that were added since
        compare(new, score="match", baseline_file="base.csv")


def test_a_baseline_whose_systems_are_dates_or_numbers_is_read_as_text(folder: Path) -> None:
    """As a Parquet file may hold them; two of them are refused by their names."""
    stored = pl.read_csv(folder / "old.csv").with_columns(system=date(2026, 1, 2))
    stored.write_parquet(folder / "base.parquet")
    [pair] = compare("r.csv", "new.csv", baseline_file="base.parquet").pairs
    assert (pair.a, pair.b, pair.verdict) == ("bot", "2026-01-02", "a_better")
    pl.concat([stored, stored.with_columns(system=date(2027, 1, 2))]).write_parquet(folder / "two.parquet")
    with pytest.raises(InputError, match=r"^two\.parquet holds 2026-01-02, 2027-01-02; it must hold one system"):
        compare("r.csv", "new.csv", baseline_file="two.parquet")
