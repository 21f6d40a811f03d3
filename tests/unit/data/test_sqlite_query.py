"""A query of SQLite counts its own rows as Python would, whatever kinds of cells it holds."""

import sqlite3
from pathlib import Path

import pytest

from quorate.data.sqlite_query import SqliteQuery

ROWS = [("q", 1, "a", None), ("Q", 1, "b", 2.5), ("q", 1.0, "b", 2.5), ("q", 1, "a", None), ("q", "1", "c", 1)]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    with sqlite3.connect(tmp_path / "v.db") as opened:
        opened.execute('CREATE TABLE votes (item COLLATE NOCASE, "a ""mark""", who, extra)')
        opened.executemany("INSERT INTO votes VALUES (?, ?, ?, ?)", ROWS)
    opened.close()
    return tmp_path / "v.db"


def test_kinds_of_cells_and_case_are_told_apart(base: Path) -> None:
    found, steady = SqliteQuery(base, "SELECT * FROM votes;").counted(['a "mark"', "item"], [], "n", "row")
    assert sorted(found.rows()) == [("1", "Q", 1), ("1", "q", 1), ("1", "q", 2), ("1.0", "q", 1)]
    assert steady == []


def test_places_are_those_of_the_query(base: Path) -> None:
    query = SqliteQuery(base, "SELECT item, who FROM votes ORDER BY who DESC")
    assert query.names == ["item", "who"]
    first, _ = query.counted(["who"], ["item"], "n", "row", "min")
    last, _ = query.counted(["who"], ["item"], "n", "row", "max")
    assert first.sort("who").select("who", "n", "row").rows() == [("a", 2, 4), ("b", 2, 2), ("c", 1, 1)]
    assert last.sort("who")["row"].to_list() == [5, 3, 1]


def test_further_columns_stay_where_all_equal_rows_have_the_same(base: Path) -> None:
    query = SqliteQuery(base, "SELECT * FROM votes")
    assert query.counted(["who"], ["item", "extra"], "n", "row")[1] == ["extra"]
    assert query.counted(["extra"], ["who"], "n", "row")[1] == ["who"]
    assert query.counted(["item"], ["extra"], "n", "row")[1] == []  # of the three q some cells are empty


def test_no_rows_are_counted_as_none(base: Path) -> None:
    counted, steady = SqliteQuery(base, "SELECT * FROM votes LIMIT 0").counted(["item"], ["who"], "n", "at", "min")
    assert (counted["n"].sum(), counted.height, steady) == (0, 0, ["who"])
