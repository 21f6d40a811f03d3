"""Files that change while they are read are refused, whatever holds the table and whatever befalls it.

The change is made at a known moment: when a function of the reader returns for the n-th time.
"""

import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import polars as pl
import pytest

from quorate import InputError, compare, convert, describe, estimate, fit, read_ratings
from quorate.data.scans import LARGE

duckdb = pytest.importorskip("duckdb")

ROWS = 45
OLD = pl.DataFrame(
    {
        "item": [f"q{n % 9}" for n in range(ROWS)],
        "rater": [f"r{n // 9}" for n in range(ROWS)],
        "response": [n * 7 % 5 for n in range(ROWS)],
    }
)
NEW = OLD.with_columns(pl.col("item").str.replace("q", "Q"), response=4 - pl.col("response"))
LOGS = Path(__file__).parents[2] / "formats" / "data"
Maker = Callable[[Path, pl.DataFrame], str]
Change = Callable[[Path, Path], object]
Moment = tuple[str, int]


@contextmanager
def upon_return(moment: Moment, change: Callable[[], object]) -> Iterator[list[int]]:
    """Do something when a function of quorate returns for the n-th time; tell how often it did."""
    (function, nth), times = moment, [0]

    def watch(frame: FrameType, event: str, given: Any) -> None:
        if event == "return" and frame.f_code.co_name == function and "quorate" in frame.f_code.co_filename:
            times[0] += 1
            if times[0] == nth:
                change()

    sys.setprofile(watch)
    try:
        yield times
    finally:
        sys.setprofile(None)


@contextmanager
def refused(name: str, moment: Moment, change: Callable[[], object]) -> Iterator[None]:
    """Expect that what changes then is refused in one sentence, which begins with its name."""
    sentence = rf"^\S*{name} changed while it was read; run this again when it is complete\.$"
    with upon_return(moment, change) as times, pytest.raises(InputError, match=sentence):
        yield
    assert times[0] >= moment[1]


def csv(path: Path, table: pl.DataFrame) -> str:
    table.write_csv(path / "x.csv")
    return str(path / "x.csv")


def lines(path: Path, table: pl.DataFrame) -> str:
    table.write_ndjson(path / "x.jsonl")
    return str(path / "x.jsonl")


def parquet(path: Path, table: pl.DataFrame) -> str:
    table.write_parquet(path / "x.parquet")
    return str(path / "x.parquet")


def large(path: Path, table: pl.DataFrame) -> str:
    """A file that is left where it is: a hole before its footer, whose place is counted from the end."""
    whole = Path(parquet(path, table))
    data = whole.read_bytes()
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    with whole.open("r+b") as file:
        file.truncate(LARGE)
        file.seek(footer)
        file.write(bytes(len(data) - footer))
        file.seek(LARGE)
        file.write(data[footer:])
    return str(whole)


def folder(path: Path, table: pl.DataFrame) -> str:
    (path / "deep").mkdir(exist_ok=True)
    table[:20].write_parquet(path / "deep" / "a.parquet")
    table[20:].write_parquet(path / "x.parquet")
    return str(path)


def pattern(path: Path, table: pl.DataFrame) -> str:
    return f"{folder(path, table)}/**/*.parquet"


def lite(path: Path, table: pl.DataFrame) -> str:
    base = sqlite3.connect(path / "x.db")
    base.execute("CREATE TABLE votes (item, rater, response)")
    base.executemany("INSERT INTO votes VALUES (?, ?, ?)", table.rows())
    base.commit()
    base.close()
    return f"sqlite:{path / 'x.db'}?votes"


def duck(path: Path, table: pl.DataFrame) -> str:
    base = duckdb.connect(str(path / "x.db"))
    base.register("rows", table)
    base.execute("CREATE TABLE votes AS SELECT * FROM rows")
    base.close()
    return f"duckdb:{path / 'x.db'}?votes"


def truncated(path: Path, new: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def appended(path: Path, new: Path) -> None:
    with path.open("ab") as file:
        file.write(b"\n")


def rewritten(path: Path, new: Path) -> None:
    """As many other bytes."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.write(new.read_bytes()[:size])


def replaced(path: Path, new: Path) -> None:
    new.replace(path)


def removed(path: Path, new: Path) -> None:
    path.unlink()


def looked_at(path: Path) -> None:
    path.read_bytes()
    path.chmod(0o600)


CHANGES = (truncated, appended, rewritten, replaced, removed)
EAGER = (("_file_size", 1), ("_read_all", 1))
MOMENTS: dict[Maker, tuple[Moment, ...]] = {
    csv: EAGER,
    lines: EAGER,
    parquet: EAGER,
    large: (("scan_large", 1), ("scan_large", 3), *(("collect_lazy", nth) for nth in range(1, 7))),
    folder: (("open_scan", 1), *(("collect_lazy", nth) for nth in range(1, 7))),
    pattern: (("parquet_files", 3), ("collect_lazy", 2)),
    lite: (("_only_read", 1), ("_only_read", 3), *(("_ask", nth) for nth in range(1, 4))),
    duck: (("_duckdb", 1), ("_duckdb", 2), ("collect", 1)),
}
CASES = [(made, moment, change) for made, moments in MOMENTS.items() for moment in moments for change in CHANGES]


@pytest.mark.parametrize(("made", "moment", "change"), CASES)
def test_a_file_that_changes_while_it_is_read_is_refused(
    made: Maker, moment: Moment, change: Change, tmp_path: Path
) -> None:
    """Whatever the moment, one sentence that names the file; never an answer of two versions, nor another error."""
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    made(there, NEW)
    source = made(here, OLD)
    [old], [new] = here.glob("x.*"), there.glob("x.*")
    with refused(r"x\.\w+", moment, lambda: change(old, new)):
        describe(source)


@pytest.mark.parametrize("made", MOMENTS)
def test_a_file_that_others_read_meanwhile_is_not_refused(made: Maker, tmp_path: Path) -> None:
    """Negative control: the same moments, at which the file is read and its permissions change."""
    source = made(tmp_path, OLD)
    [path] = tmp_path.glob("x.*")
    undisturbed = describe(source).to_dict()
    for moment in MOMENTS[made]:
        with upon_return(moment, lambda: looked_at(path)) as times:
            assert describe(source).to_dict() == undisturbed
        assert times[0] >= moment[1]


WAYS: dict[str, tuple[Moment, Callable[[str, str], object]]] = {
    "read_ratings": (("collect_lazy", 2), lambda path, other: read_ratings(path)),
    "fit": (("tally", 1), lambda path, other: fit(path)),
    "answers": (("load_ratings", 1), lambda path, other: compare(other, path)),
    "convert": (("collect_lazy", 1), lambda path, other: convert(path)),
    "votes": (("_fetched", 1), lambda path, other: estimate(path, other)),
    "experts": (("_fetched", 1), lambda path, other: estimate(other, path)),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_read_a_file_looks(way: str, tmp_path: Path) -> None:
    """Of a folder, which is read in several passes, beside a file that stays as it is."""
    moment, verb = WAYS[way]
    source, other = folder(tmp_path, OLD), tmp_path.with_name("other.csv")
    OLD.write_csv(other)
    with refused(r"x\.parquet", moment, lambda: appended(tmp_path / "x.parquet", other)):
        verb(source, str(other))


def test_a_file_that_comes_to_a_folder_meanwhile_is_noticed(tmp_path: Path) -> None:
    source = folder(tmp_path, OLD)
    with refused(r"y\.parquet", ("collect_lazy", 2), lambda: NEW.write_parquet(tmp_path / "y.parquet")):
        describe(source)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("moment", [("_check_directory", 1), ("read_archive_log", 1)])
def test_an_archive_that_changes_while_it_is_read_is_refused(moment: Moment, change: Change, tmp_path: Path) -> None:
    log, new = tmp_path / "x.eval", tmp_path / "new"
    log.write_bytes((LOGS / "old.eval").read_bytes())
    new.write_bytes((LOGS / "new.eval").read_bytes())
    with refused(r"x\.eval", moment, lambda: change(log, new)):
        convert(log)


@pytest.mark.parametrize("ending", ["-wal", "-journal"])
def test_what_is_written_beside_a_database_counts(ending: str, tmp_path: Path) -> None:
    """Changes go there first, and readers take them from there."""
    source = lite(tmp_path, OLD)
    with refused(rf"x\.db{ending}", ("_ask", 2), lambda: Path(f"{tmp_path}/x.db{ending}").touch()):
        describe(source)


def test_a_file_that_changes_after_it_was_read_is_nobodys_concern(tmp_path: Path) -> None:
    """Negative control: work goes on with what was read."""
    source = folder(tmp_path, OLD)
    undisturbed = describe(source).to_dict()
    with upon_return(("read_evaluation", 1), lambda: (tmp_path / "x.parquet").unlink()):
        assert describe(source).to_dict() == undisturbed


def test_a_file_on_standard_input_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path(csv(tmp_path, OLD))
    with path.open() as file, monkeypatch.context() as patch:
        patch.setattr(sys, "stdin", file)
        with refused("standard input", ("_file_size", 1), lambda: appended(path, path)):
            describe("-")
