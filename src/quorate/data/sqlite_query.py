"""A table or query of a SQLite database, which counts its own rows and is only read."""

import os
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import polars as pl

from quorate._errors import InputError

ROWS, MOST_FETCHED, MOST_CELL = 100_000, 5_000_000, 1_000_000
"""Rows fetched from a database at a time and in all, and letters of one cell."""
STEPS, MOST_STEPS, STEPS_PER_BYTE = 1_000_000, 500_000_000, 50
"""Steps of a query between two looks at the clock, and in all: some seconds, or so many for each byte of the file."""
LOG_MARK, LOGGED = slice(18, 20), b"\2\2"
"""Where a SQLite database says how it is written, and what stands there if changes go to a log beside it first."""


@dataclass(frozen=True)
class SqliteQuery:
    """What a query of a database gives; rows that are fetched, and steps it may take, have an end."""

    file: Path
    query: str
    most_rows: int = MOST_FETCHED
    most_steps: int = MOST_STEPS

    @property
    def names(self) -> list[str]:
        """Its columns."""
        names = self._ask(f"SELECT * FROM ({self._asked}) LIMIT 0").columns
        self._refuse_same([name.partition(":")[0] for name in names if name.partition(":")[2].isdecimal()] + names)
        return names

    def rows(self) -> pl.DataFrame:
        """Fetch all rows, in the order of the query."""
        return self._ask(self._asked)

    def counted(
        self, keys: Sequence[str], extras: Sequence[str], times: str, place: str, end: str | None = None
    ) -> tuple[pl.DataFrame, list[str]]:
        """Let the database count rows that are equal in `keys`; kinds of cells and case of letters are told apart.

        Each comes with how often it occurs, as `times`, its first or last place among all rows if `end` is min or max,
        and further columns as ``<name``. Returned beside it: which of those are the same in all equal rows.
        """
        cells, rows = [_quoted(key) for key in keys], self._asked
        chosen = [*cells, f"count(*) AS {_quoted(times)}"]
        if end is not None:
            rows = f"SELECT *, row_number() OVER () AS {_quoted(place)} FROM ({rows})"
            chosen.append(f"{end}({_quoted(place)}) AS {_quoted(place)}")
        for name in extras:
            cell = f"{_quoted(name)} COLLATE BINARY"
            chosen += [f"min({cell}) AS {_quoted(f'<{name}')}", f"max({cell}) AS {_quoted(f'>{name}')}"]
            chosen.append(f"count({_quoted(name)}) AS {_quoted(f'#{name}')}")
        found = self._ask(f"SELECT {', '.join(chosen)} FROM ({rows}) GROUP BY {', '.join(map(_group, keys))}")
        counts = [times, *([place] if end is not None else []), *(f"#{name}" for name in extras)]
        found = found.with_columns(pl.col(counts).cast(pl.Int64))  # no rows have no kind
        return found, [name for name in extras if _is_steady(found, name, times)]

    def with_cells(self, *names: str) -> "SqliteQuery":
        """Return the rows in which these columns are not empty."""
        filled = " AND ".join(f"{_quoted(name)} IS NOT NULL" for name in names)
        return replace(self, query=f"SELECT * FROM ({self._asked}) WHERE {filled}")

    def n_distinct(self, names: Sequence[str]) -> tuple[int, ...]:
        """Return how many rows there are, and how many different cells each column has, empty ones included."""
        cells = [_quoted(name) for name in names]
        each = [f"count(DISTINCT {cell} COLLATE BINARY) + (count({cell}) < count(*))" for cell in cells]
        return self._ask(f"SELECT {', '.join(['count(*)', *each])} FROM ({self._asked})").row(0)

    def most_alike(self, keys: Sequence[str]) -> int:
        """Return the most rows that are equal in some columns."""
        counts = f"SELECT count(*) AS n FROM ({self._asked}) GROUP BY {', '.join(map(_group, keys))}"
        return int(self._ask(f"SELECT coalesce(max(n), 0) FROM ({counts})").item())

    @property
    def _asked(self) -> str:
        return self.query.rstrip().rstrip(";") + "\n"  # or a remark at its end goes on

    def _ask(self, query: str) -> pl.DataFrame:
        import sqlite3

        try:
            with closing(sqlite3.connect(_only_read(self.file), uri=True)) as base:
                steps = max(self.most_steps, STEPS_PER_BYTE * self.file.stat().st_size)
                base.set_progress_handler(_clock(steps // STEPS), STEPS)
                base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_CELL)
                cursor = base.execute(query)
                names = [each[0] for each in cursor.description]
                parts = self._parts(names, cursor)
        except UnicodeDecodeError:
            raise InputError(f"sqlite:{self.file} holds text that is not UTF-8; check the table or query.") from None
        except (sqlite3.Error, sqlite3.Warning, TypeError, OSError) as error:
            raise InputError(f"sqlite:{self.file} does not answer ({error}); check the table or query.") from None
        return pl.DataFrame([_series(name, [part[place] for part in parts]) for place, name in enumerate(names)])

    def _parts(self, names: list[str], cursor: Any) -> list[list[pl.Series]]:
        """Fetch rows a part at a time, each as its columns, or refuse what has no end in sight."""
        self._refuse_same(names)
        parts, n_rows = [[pl.Series([], dtype=pl.Null) for _ in names]], 0
        while rows := cursor.fetchmany(ROWS):
            n_rows += len(rows)
            if n_rows > self.most_rows:
                most = f"{self.most_rows:,}"
                raise InputError(f"sqlite:{self.file} gives more than {most} rows; read a part, or write Parquet.")
            parts.append([_cells(column) for column in zip(*rows, strict=True)])
        return parts

    def _refuse_same(self, names: list[str]) -> None:
        if len(set(names)) < len(names):
            raise InputError(f"sqlite:{self.file} gives two columns of one name; name each once in a query.")


def _is_steady(counted: pl.DataFrame, name: str, times: str) -> bool:
    """Tell whether a column is the same in all equal rows, empty cells included."""
    low, high, filled = (counted[f"{mark}{name}"] for mark in "<>#")
    same = low.dtype == high.dtype and low.eq_missing(high).all()
    return bool(same and ((filled == 0) | (filled == counted[times])).all())


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _group(name: str) -> str:
    return f"{_quoted(name)} COLLATE BINARY, typeof({_quoted(name)})"


def _only_read(file: Path) -> str:
    """Return how SQLite is to open a file: where it would leave a log beside one that nobody has open, as it stands."""
    with file.open("rb") as opened:
        logged = opened.read(LOG_MARK.stop)[LOG_MARK] == LOGGED
    alone = logged and not os.path.exists(f"{file.resolve()}-wal")
    return f"{file.resolve().as_uri()}?mode=ro{'&immutable=1' if alone else ''}"


def _cells(cells: Sequence[Any]) -> pl.Series:
    """Return cells of one kind as they are, and others, which such a database does not mind, as text."""
    kinds = {type(cell) for cell in cells} - {type(None)}
    if len(kinds) > 1:
        cells = [cell if cell is None or isinstance(cell, str) else str(cell) for cell in cells]
    return pl.Series(cells)


def _series(name: str, parts: list[pl.Series]) -> pl.Series:
    known = [part for part in parts if part.dtype != pl.Null]
    if len({part.dtype for part in known}) > 1:
        parts = [part.cast(pl.String, strict=False) for part in parts]
    whole: pl.Series = pl.concat(
        [part if part.dtype != pl.Null else part.cast((known or [pl.Series([""])])[0].dtype) for part in parts]
    )
    return whole.alias(name)


def _clock(most: int) -> Callable[[], int]:
    """Return what ends a query that goes on and on without giving a row."""
    ticks = count()
    return lambda: int(next(ticks) > most)
