"""Where data come from: a path, standard input, an example, columns or a data frame.

`examples/make_bundled.py` makes the examples.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl

from quorate._errors import InputError
from quorate._paths import named_files, parquet_files
from quorate._question import split_name
from quorate._text import count
from quorate.data.archives import ZIP, open_archive
from quorate.data.content import MOST_JSON, read_content
from quorate.data.dates import with_plain_dates
from quorate.data.formats.registry import read_archive_log
from quorate.data.reading import FileReading, LogChoice
from quorate.data.sqlite_query import SqliteQuery
from quorate.data.steady import steady
from quorate.data.tables import InputTable, as_input, emptied, of_log, parse_large_json, parse_table
from quorate.data.workbooks import is_workbook, read_workbook

Source: TypeAlias = Any
"""A path, a folder or pattern of Parquet files, ``duckdb:FILE?TABLE``, ``sqlite:FILE?TABLE``, ``-`` for standard input,
``example:NAME``, a mapping of columns, or any data frame narwhals knows."""

Keys: TypeAlias = Callable[[Sequence[str]], Sequence[str]]
"""Which of a table's columns tell its rows apart; none if rows must come as they are."""

STANDARD_INPUT = ("-", "/dev/stdin")
MOST_ROWS = 5_000_000
"""Of a query, where its engine cannot group them: it may have no end."""

EXAMPLES = {
    "support": "replies of a support bot, no / unsure / yes: 120 items, 5 of 14 raters each (nominal, sparse)",
    "support-answers": "what two systems answered on `support`, a label per item; atlas is truly better",
    "support-probabilities": "the same two systems' probabilities of no, unsure and yes",
    "summaries": "summaries rated 1 to 5: 80 items, all by 4 raters (ordinal, crossed)",
    "summaries-answers": "what two systems answered on `summaries`, three runs each; atlas is truly better",
    "moderation": "votes on posts that may break the rules, 0 / 1: 600 items, 3 to 5 of 40 voters each",
    "moderation-experts": "expert labels of 60 of these posts, a random sample",
    "moderation-scores": "a classifier's score for each of these posts",
    "preferences": "votes between the replies of three chat systems: 60 prompts, 4 of 12 raters for each of two pairs",
    "replies": "replies of two chat systems marked 1 to 5: 40 prompts, 3 of 10 raters mark both; atlas is truly better",
    "replies-judge": "the marks of one LLM judge for the same replies",
    "claims": "does the source support a claim, no / partly / yes: 80 claims, 4 of 9 raters each",
    "claims-judges": "what two LLM judges found on `claims`; larch may stand in for a rater, maple not",
}
"""Name and content of each; ``example:NAME`` stands for the file wherever a path is taken."""


def open_input(
    source: Source,
    name: str | None = None,
    reading: FileReading | None = None,
    keys: Keys | None = None,
    duplicates: str = "keep",
) -> InputTable:
    """Open a source as a table; `name` is what to call data that are no file, `reading` how to read one that is.

    A log of another tool becomes its long table. A table that is open passes. Rows of an engine's table that are equal
    in the columns `keys` are counted there and travel once; by default all come as they are. They come in the order of
    the table if the first or last of `duplicates` counts.
    """
    if isinstance(source, InputTable):
        return source
    with steady(source):
        table = _open(source, name, reading, keys, duplicates)
    table = _without_missing(replace(table, frame=table.frame.with_columns(map(emptied, table.frame))), reading)
    for column in table.frame.columns:
        if column.startswith("^") and column.endswith("$"):  # polars takes it for a pattern
            raise InputError(f"{table.name} has a column called '{column}', which cannot be read; rename it.")
    return table


def _without_missing(table: InputTable, reading: FileReading | None) -> InputTable:
    """Empty the cells that hold what the user says means missing, whatever their case."""
    if reading is None or not reading.missing_values:
        return table
    frame = table.frame.with_columns(_emptied(column, reading.missing_values) for column in table.frame)
    lost = int(sum(frame.null_count().row(0)) - sum(table.frame.null_count().row(0))) if frame.width else 0
    note = f"{count(lost, 'cell')} with {' or '.join(reading.missing_values)} read as missing (--missing-values)"
    return replace(table, frame=frame, notes=(*table.notes, note))


def _emptied(column: pl.Series, words: Sequence[str]) -> pl.Series:
    """Return a column without the cells that hold some words, whatever their case; of numbers, those they name."""
    kind = column.dtype
    if kind.is_numeric():
        named = pl.Series(words, dtype=pl.String).str.strip_chars().cast(pl.Float64, strict=False).drop_nulls()
        meant = column.cast(pl.Float64).is_in(named.implode())
    elif kind in (pl.String, pl.Categorical, pl.Enum):
        missing = [word.strip().lower() for word in words]
        meant = column.cast(pl.String).str.strip_chars().str.to_lowercase().is_in(missing)
    else:
        return column
    return pl.select(pl.when(~meant).then(column).alias(column.name)).to_series()


def _open(
    source: Source, name: str | None, reading: FileReading | None, keys: Keys | None, duplicates: str
) -> InputTable:
    if isinstance(source, str | Path):
        scan = _scan(source)
        if scan is None:
            return _open_file(source, reading)
        return InputTable(_fetched(scan, str(source), keys, duplicates, most=MOST_ROWS), str(source), first_row=None)
    if isinstance(source, Mapping):
        return InputTable(_of_mapping(source), name or "the data")
    if isinstance(source, pl.DataFrame):
        return InputTable(with_plain_dates(source), name or "the data frame")
    called = name or "the data frame"
    return InputTable(_fetched(source, called, keys, duplicates), called)


def _fetched(frame: Any, name: str, keys: Keys | None, duplicates: str, *, most: int | None = None) -> pl.DataFrame:
    """Bring the rows of a frame into this process; equal ones travel once, if the engine can group them."""
    from quorate.data.frames import collect, column_names, fetch_distinct, open_frame

    opened = open_frame(frame)
    rows = None if keys is None else fetch_distinct(opened, keys(column_names(opened)), name, duplicates=duplicates)
    if rows is not None:
        return rows
    if most is None or isinstance(frame, pl.LazyFrame | SqliteQuery):  # of files, whose rows were counted; it counts
        return collect(opened, name)
    whole = collect(opened.head(most + 1), name)
    if whole.height > most:
        raise InputError(f"{name} has more than {most:,} rows; select fewer, or name its columns with --item-column …")
    return whole


def _scan(source: str | Path) -> Any | None:
    """Return a table that is left where it is: a folder, a pattern, a database; None for a file or a folder of logs."""
    system, named = split_name(source)
    if system is not None or named in STANDARD_INPUT or named.startswith("example:"):
        return None
    if _is_folder(named) and not parquet_files(named):
        return None
    from quorate.data.scans import open_scan

    return open_scan(source)


def _open_file(source: str | Path, reading: FileReading | None) -> InputTable:
    system, named = split_name(source)
    if system is not None or _is_folder(named):
        from quorate.data.several_inputs import open_together

        return open_together([source], FileReading() if reading is None else reading)
    path = _find_path(named)
    if named not in STANDARD_INPUT and _starts_with(path, ZIP):
        return _open_zip(str(source), path, reading)
    large = parse_large_json(str(source), path, reading) if _is_large(named, path) else None
    return parse_table(*_read_bytes(named), reading) if large is None else large


def _open_zip(name: str, path: Path, reading: FileReading | None) -> InputTable:
    """Open an archive by its members: a log, or a workbook with the extra `excel`."""
    with path.open("rb") as file, open_archive(name, file) as archive:
        if is_workbook(archive.names):
            text = read_workbook(archive, 0 if reading is None else reading.skip_rows)
            return as_input(text.frame, name, reading, text.first_row, text.notes)
        log = read_archive_log(name, archive, LogChoice() if reading is None else reading.choice)
    if log is None:
        raise InputError(f"{name} is a zip archive, but no log quorate can read; unpack it and name the file you want.")
    return of_log(name, log)


def _is_large(named: str, path: Path) -> bool:
    """Tell whether a source is a file with more than is parsed at once, if it is JSON."""
    try:
        known = named not in STANDARD_INPUT and path.is_file() and os.access(path, os.R_OK)
        return known and path.stat().st_size > MOST_JSON
    except (OSError, ValueError):
        return False


def _is_folder(name: str) -> bool:
    try:
        return name not in STANDARD_INPUT and Path(name).is_dir()
    except (OSError, ValueError):
        return False


def _starts_with(path: Path, magic: bytes) -> bool:
    """Tell how a file begins; a pipe, which would lose its beginning, is not asked."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(len(magic)) == magic
    except (OSError, ValueError):
        return False


def engine_frame(source: Source) -> Any | None:
    """Return the frame of another engine, or of files left where they are, which may count its own rows; else None."""
    if isinstance(source, Mapping | pl.DataFrame | InputTable):
        return None
    from quorate.data.frames import open_frame
    from quorate.data.scans import scan_large

    if not isinstance(source, str | Path):
        return open_frame(source)
    scan = _scan(source)
    scan = scan_large(source) if scan is None else scan
    return None if scan is None else open_frame(scan)


def input_paths(*sources: Source) -> tuple[str, ...]:
    """Return the files of sources, resolved; standard input is ``-``, data in memory are none."""
    opened = [path for source in sources if isinstance(source, InputTable) for path in source.paths or (source.name,)]
    typed = [split_name(source)[1] for source in sources if isinstance(source, str | Path)]
    named = [file for each in typed for file in named_files(each)]
    return tuple("-" if each in STANDARD_INPUT else os.path.realpath(_find_path(each)) for each in (*opened, *named))


def example_path(name: str) -> Path:
    """Return the file of a bundled example."""
    if name not in EXAMPLES:
        raise InputError(f"There is no example '{name}'; there are {', '.join(EXAMPLES)}.")
    return Path(str(files("quorate.data") / "bundled" / f"{name}.csv"))


def _find_path(source: str | Path) -> Path:
    """Return the file a source names; ``example:NAME`` is a bundled one."""
    if str(source).startswith("example:"):
        return example_path(str(source).removeprefix("example:"))
    return Path(source)


def _read_bytes(source: str | Path) -> tuple[str, bytes, str]:
    name = str(source)
    if name in STANDARD_INPUT:
        return "standard input", read_content("standard input", None), ""
    path = _find_path(source)
    suffixes = [s.lower() for s in path.suffixes if s.lower() != ".gz"]
    return name, read_content(name, path), suffixes[-1] if suffixes else ""


def _of_mapping(source: Mapping[str, Any]) -> pl.DataFrame:
    from quorate.data.frames import handed_over, refuse_names

    refuse_names("The data", list(source))
    with handed_over("The data"):
        try:
            return with_plain_dates(pl.DataFrame(dict(source), strict=False))
        except pl.exceptions.ShapeError:
            raise InputError("The columns of the data do not have the same length; give each as many cells.") from None
