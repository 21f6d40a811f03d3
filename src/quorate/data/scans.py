"""Tables left where they are, for an engine to read: folders and patterns of Parquet files, large files, databases."""

import os
import re
from pathlib import Path
from typing import Any

import polars as pl

from quorate._errors import InputError
from quorate._paths import parquet_files, split_database
from quorate._text import printable
from quorate.data.content import PARQUET, unheard
from quorate.data.sqlite_query import SqliteQuery
from quorate.data.tables import refuse_rows

QUERY = re.compile(r"(?:\s|\(|--[^\n]*\n|/\*.*?\*/)*(?:select|with|from|values)[\s(*]", re.IGNORECASE | re.DOTALL)
"""How a query begins, after remarks; all else is the name of a table."""
LARGE = 1 << 26
"""Bytes of a Parquet file that is not read whole: its rows are not named in messages."""


def open_scan(source: str | Path) -> Any | None:
    """Return the lazy table of a folder, a pattern or a database; None for what is a file."""
    database = split_database(source)
    if database is not None:
        kind, file, query = database
        asked = _select(kind, file, query)
        return _duckdb(file, asked) if kind == "duckdb" else SqliteQuery(file, asked)
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
        raise InputError(f"{name} cannot be read as one table ({why}); check it, or write it again.") from None


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
    if QUERY.match(query):
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
