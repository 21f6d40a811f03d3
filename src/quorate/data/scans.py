"""Tables left where they are, for an engine to read: folders and patterns of Parquet files, large files, databases."""

import os
from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import polars as pl

from quorate._errors import InputError
from quorate._paths import parquet_files, split_database
from quorate._text import printable
from quorate.data.content import PARQUET, unheard
from quorate.data.tables import refuse_rows

LARGE = 1 << 26
"""Bytes of a Parquet file that is not read whole: its rows are not named in messages."""

ROWS, MOST_FETCHED, MOST_CELL = 100_000, 5_000_000, 1_000_000
"""Rows fetched from a database at a time and in all, and letters of one cell."""
STEPS, MOST_STEPS = 1_000_000, 500_000_000
"""Steps of a query between two looks at the clock, and in all: some seconds."""
LOG_MARK, LOGGED = slice(18, 20), b"\2\2"
"""Where a SQLite database says how it is written, and what stands there if changes go to a log beside it first."""


def open_scan(source: str | Path) -> Any | None:
    """Return the lazy table of a folder, a pattern or a database; None for what is a file."""
    database = split_database(source)
    if database is not None:
        kind, file, query = database
        return (_duckdb if kind == "duckdb" else sqlite_rows)(file, _select(kind, file, query))
    files = parquet_files(source)
    if files is None:
        return None
    if not files:
        what = "is a directory without Parquet files; name a file in it" if os.path.isdir(source) else "names no file"
        raise InputError(f"{source} {what}.")
    if any(path.suffix.lower() != ".parquet" for path in files):
        raise InputError(f"{source} names files that are not Parquet; give them one by one.")
    return _scan(str(source), files)


def scan_large(source: str | Path, *, large: int = LARGE) -> pl.LazyFrame | None:
    """Return the lazy table of a large Parquet file; None for other files, which are read whole."""
    path = Path(source)
    try:
        if not path.is_file() or path.stat().st_size < large:
            return None
        with path.open("rb") as file:
            return _scan(str(source), [path]) if file.read(len(PARQUET)) == PARQUET else None
    except (OSError, ValueError):  # said where it is read
        return None


def collect_lazy(lazy: pl.LazyFrame, name: str) -> pl.DataFrame:
    """Return a lazy table, read a part at a time; refuse files that cannot be read, or not together."""
    try:
        with unheard():
            return lazy.collect(engine="streaming")
    except pl.exceptions.PanicException:
        raise InputError(f"{name} is damaged, or changed while it was read; write it again.") from None
    except (pl.exceptions.PolarsError, OSError) as error:
        why = str(error).partition("\n")[0][:200]
        raise InputError(f"{name} cannot be read as one Parquet table ({why}); write it again.") from None


def _scan(name: str, files: list[Path]) -> pl.LazyFrame:
    parts = any("=" in folder for path in files for folder in path.parts[:-1])
    try:
        lazy = pl.scan_parquet(files, hive_partitioning=parts, glob=False)
    except TypeError:
        raise InputError(f"{printable(name)}: a Parquet file has a name that is not UTF-8; rename it.") from None
    n_rows: int = collect_lazy(lazy.select(pl.len()), name).item()
    refuse_rows(name, n_rows, sum(path.stat().st_size for path in files))
    return lazy


def _select(kind: str, file: Path, query: str) -> str:
    """Return what to ask of a database: a query as it is, a table whole."""
    if not query:
        raise InputError(f"{kind}:{file} does not say what to read; write {kind}:{file}?TABLE, or ?SELECT ….")
    if not os.path.isfile(file):
        raise InputError(f"There is no file {file}; check the path.")
    if query.lower().startswith(("select ", "with ", "from ")):
        return query
    table = query.replace('"', '""')
    return f'SELECT * FROM "{table}"'


def _duckdb(file: Path, query: str) -> Any:
    """Return a query of a DuckDB database, which is only read."""
    try:
        import duckdb
    except ImportError:
        raise InputError(f"duckdb:{file} needs DuckDB; pip install 'quorate[scale]'.") from None
    try:
        base = duckdb.connect(str(file), read_only=True, config={"enable_external_access": "false"})
        return base.sql(query)
    except duckdb.Error as error:
        raise InputError(f"duckdb:{file} does not answer ({str(error).partition(chr(10))[0]}); check it.") from None


def sqlite_rows(file: Path, query: str, *, rows: int = MOST_FETCHED, steps: int = MOST_STEPS) -> pl.LazyFrame:
    """Return the rows of a query of a SQLite database, which is only read; all of them are fetched, if not too many."""
    import sqlite3

    try:
        with closing(sqlite3.connect(_only_read(file), uri=True)) as base:
            base.set_progress_handler(_clock(steps // STEPS), STEPS)
            base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_CELL)
            cursor = base.execute(query)
            names = [each[0] for each in cursor.description]
            parts = _parts(file, names, cursor, rows)
    except UnicodeDecodeError:
        raise InputError(f"sqlite:{file} holds text that is not UTF-8; check the table or query.") from None
    except (sqlite3.Error, sqlite3.Warning, TypeError, OSError) as error:
        raise InputError(f"sqlite:{file} does not answer ({error}); check the table or query.") from None
    return pl.LazyFrame([_series(name, [part[place] for part in parts]) for place, name in enumerate(names)])


def _only_read(file: Path) -> str:
    """Return how SQLite is to open a file: where it would leave a log beside one that nobody has open, as it stands."""
    with file.open("rb") as opened:
        logged = opened.read(LOG_MARK.stop)[LOG_MARK] == LOGGED
    alone = logged and not os.path.exists(f"{file.resolve()}-wal")
    return f"{file.resolve().as_uri()}?mode=ro{'&immutable=1' if alone else ''}"


def _parts(file: Path, names: list[str], cursor: Any, most: int) -> list[list[pl.Series]]:
    """Fetch rows a part at a time, each as its columns, or refuse what has no end in sight."""
    if len(set(names)) < len(names):
        raise InputError(f"sqlite:{file} gives two columns of one name; name each once in a query.")
    parts, n_rows = [[pl.Series([], dtype=pl.Null) for _ in names]], 0
    while rows := cursor.fetchmany(ROWS):
        n_rows += len(rows)
        if n_rows > most:
            raise InputError(f"sqlite:{file} gives more than {most:,} rows; read a part, or write Parquet.")
        parts.append([_cells(column) for column in zip(*rows, strict=True)])
    return parts


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
