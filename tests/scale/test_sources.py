"""Every question gives the same JSON, byte for byte, wherever its tables lie; engines count equal rows themselves."""

import itertools
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import narwhals as nw
import polars as pl
import pytest

from quorate.cli.output import to_json
from quorate.data.sqlite_query import SqliteQuery
from tests.sources import KINDS, QUESTIONS, TWICE, Place, Rule, answered_again

duckdb: Any = pytest.importorskip("duckdb")
ibis: Any = pytest.importorskip("ibis")
PARTED = ("topic", "system", "rater")
"""Columns a folder may be parted by."""
LONG, FEW = ("plan",), ("folder", "duckdb table", "duckdb", "pandas")
"""Questions that take a second, and the places they are asked of."""


def parquet(table: pl.DataFrame, path: Path) -> str:
    table.write_parquet(path / "t.parquet")
    return str(path / "t.parquet")


def folder(table: pl.DataFrame, path: Path) -> str:
    (path / "deep").mkdir()
    table[: table.height // 3].write_parquet(path / "a.parquet")
    table[table.height // 3 :].write_parquet(path / "deep" / "b.parquet")
    return str(path)


def pattern(table: pl.DataFrame, path: Path) -> str:
    return f"{folder(table, path)}/**/*.parquet"


def partitions(table: pl.DataFrame, path: Path) -> str:
    column = next((name for name in PARTED if name in table.columns), None)
    if column is None:
        return folder(table, path)
    for (value,), part in table.group_by(column):
        (path / f"{column}={value}").mkdir()
        part.drop(column).write_parquet(path / f"{column}={value}" / "0.parquet")
    return str(path)


def duck_table(table: pl.DataFrame, path: Path) -> str:
    with duckdb.connect(str(path / "d.db")) as base:
        base.register("rows", table.to_arrow())
        base.execute("CREATE TABLE votes AS SELECT * FROM rows")
    return f"duckdb:{path}/d.db?votes"


def duck_query(table: pl.DataFrame, path: Path) -> str:
    return duck_table(table, path).replace("?votes", "?SELECT * FROM votes ORDER BY 2 DESC")


def lite(table: pl.DataFrame, path: Path) -> str:
    base = sqlite3.connect(path / "l.db")
    names = ", ".join(f'"{name}"' for name in table.columns)
    base.execute(f"CREATE TABLE votes ({names})")
    base.executemany(f"INSERT INTO votes VALUES ({', '.join('?' * table.width)})", table.rows())
    base.commit()
    base.close()
    return f"sqlite:{path}/l.db?votes"


def relation(table: pl.DataFrame, path: Path) -> Any:
    return duckdb.sql(f"SELECT * FROM '{parquet(table, path)}'")


PLACES: dict[str, Callable[[pl.DataFrame, Path], Any]] = {
    "parquet": parquet,
    "folder": folder,
    "pattern": pattern,
    "partitions": partitions,
    "duckdb table": duck_table,
    "duckdb query": duck_query,
    "sqlite table": lite,
    "polars, lazy": lambda table, path: pl.scan_parquet(parquet(table, path)),
    "pandas": lambda table, _: table.to_pandas(),
    "arrow": lambda table, _: table.to_arrow(),
    "duckdb": relation,
    "ibis": lambda table, _: ibis.memtable(table.to_arrow()),
}


@pytest.fixture(scope="module")
def expected() -> dict[str, str]:
    return {name: to_json(ask(lambda table: table)) for name, ask in QUESTIONS.items()}


@pytest.mark.parametrize("place", PLACES)
def test_every_question_gives_the_same_bytes(place: str, expected: dict[str, str], tmp_path: Path) -> None:
    number, used = itertools.count(), []

    def at(table: pl.DataFrame) -> Any:
        own = tmp_path / str(next(number))
        own.mkdir()
        used.append(PLACES[place](table, own))
        return used[-1]

    for name, ask in QUESTIONS.items():
        if name in LONG and place not in FEW:
            continue
        used.clear()
        said = to_json(ask(at))
        for source in used:
            said = said.replace(str(source), "the data frame") if isinstance(source, str) else said
        assert said == expected[name], name


@pytest.mark.parametrize("place", ["duckdb table", "duckdb", "ibis", "polars, lazy", "folder", "sqlite table"])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "ratings"])
def test_equal_rows_travel_once(kind: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask, table, keys = KINDS[kind]
    brought = watch(monkeypatch)
    ask(thrice(lambda rows: PLACES[place](rows, tmp_path), table()))
    assert [height for height, _ in brought] == [table().select(keys).n_unique()]


@pytest.mark.parametrize("kind", ["ratings", "rated outputs", "votes"])
@pytest.mark.parametrize("place", ["duckdb table", "ibis", "sqlite table"])
def test_equal_rows_travel_once_where_the_first_counts(
    kind: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (ask, table, _), (_, _, keys) = TWICE[kind], KINDS[kind]
    brought = watch(monkeypatch)
    ask(thrice(lambda rows: PLACES[place](rows, tmp_path), table()), "first")
    assert [height for height, _ in brought] == [table().select(keys).n_unique()]


def only(table: pl.DataFrame, place: Callable[[pl.DataFrame, Path], Any], path: Path, rows: pl.DataFrame) -> Any:
    """Put a table there; others stay as they are."""
    return place(rows, path) if rows.equals(table) else rows


def thrice(place: Place, table: pl.DataFrame) -> Place:
    """Put a table there with every row three times; others as they are."""
    return lambda rows: place(pl.concat([rows] * 3)) if rows.equals(table) else rows


def watch(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, Any]]:
    """Note how many rows each frame has that comes into this process, and the frame in its engine."""
    brought: list[tuple[int, Any]] = []

    def note(kind: Any, native: Callable[[Any], Any], wanted: Callable[[Any], bool], method: str = "collect") -> None:
        collect = getattr(kind, method)

        def noted(frame: Any, *arguments: Any, **options: Any) -> Any:
            rows = collect(frame, *arguments, **options)
            if wanted(frame) and len(rows) > 1:  # one row says how many there are
                brought.append((len(rows), native(frame)))
            return rows

        monkeypatch.setattr(kind, method, noted)

    note(nw.LazyFrame, lambda frame: frame.to_native(), lambda frame: True)
    note(pl.LazyFrame, lambda frame: frame, lambda frame: "Parquet SCAN" in frame.explain())
    note(SqliteQuery, lambda query: query, lambda query: True, "_ask")
    return brought


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "ratings"])
def test_plans_of_duckdb_and_polars_group(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask, table, _ = KINDS[kind]
    brought = watch(monkeypatch)
    for place in ("duckdb", "polars, lazy"):
        ask(partial(only, table(), PLACES[place], tmp_path))
    plans = [frame.explain().lower() for _, frame in brought]
    assert "hash group by" in plans[0].replace("_", " ")
    assert "aggregate" in plans[1]


def _always(source: Any, _: pl.DataFrame) -> Any:
    return source


@pytest.mark.parametrize("rule", ["first", "last"])
@pytest.mark.parametrize("place", ["folder", "duckdb table", "sqlite table", "polars, lazy", "ibis", "pandas"])
def test_the_first_and_the_last_of_repeated_rows_count_wherever_they_lie(
    place: str, rule: Rule, tmp_path: Path
) -> None:
    for kind, (ask, table, column) in TWICE.items():
        rows, own = answered_again(table(), column), tmp_path / kind
        own.mkdir()
        source = PLACES[place](rows, own)
        expected, said = (to_json(ask(partial(_always, where), rule)) for where in (rows, source))
        assert said.replace(str(source), "the data frame") == expected, kind
