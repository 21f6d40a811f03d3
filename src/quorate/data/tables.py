"""Parse the bytes of a file as a table: CSV, TSV, JSON lines, JSON or Parquet, gzipped or not.

Text files are read as text, cell by cell; only an empty cell is missing. A file that cannot be read
is refused with one sentence that names the row and what to do about it.
"""

import io
from codecs import BOM_UTF8
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from quorate._errors import InputError
from quorate.data.content import MOST_JSON, PARQUET, refuse_binary, unheard
from quorate.data.dates import with_plain_dates
from quorate.data.numerals import guess_decimal, with_points
from quorate.data.reading import FileReading, LogChoice
from quorate.data.text_encoding import to_utf8
from quorate.data.text_table import HEAD, blank_rows, check_columns, read_text_table

if TYPE_CHECKING:
    from quorate.data.formats.log_table import LogTable

BELOW_HEADER = 2  # the row a text file's data usually start in
FEW_ROWS, ROWS_PER_BYTE = 10_000_000, 100
"""A Parquet file of more rows than both is a trap: a rating takes a byte or so."""


@dataclass(frozen=True)
class InputTable:
    """A table and what to call it and its places in messages.

    Parameters
    ----------
    name
        The file as the user named it.
    first_row
        Row of the file the first row of the frame stands in; None if rows of the frame are not rows
        of a file.
    stacked
        Columns of the file that were put one below the other to make this frame.
    log
        What is known of a log of another tool, whose table this is.
    paths
        The files it was read from, where they are not the one of its name.
    names
        Of columns that hold codes: the sorted text each code stands for, null first.
    notes
        What was recognised while reading.
    below
        Files whose rows stand below those of the first: the row of the frame each begins in, its name, its first row.
    """

    frame: pl.DataFrame
    name: str
    first_row: int | None = 1
    stacked: tuple[str, ...] = ()
    log: "LogTable | None" = None
    paths: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    names: Mapping[str, pl.Series] = field(default_factory=dict)
    below: tuple[tuple[int, str, int], ...] = ()

    @property
    def n_rows(self) -> int:
        """Rows in which anything stands; a blank line of a text file is none."""
        return self.frame.height - blank_rows(self.frame)

    def cells(self, column: str) -> pl.Series:
        """Return a column as it stands, or the text its codes stand for."""
        stored = self.frame[column]
        return stored if column not in self.names else self.names[column].gather(stored)

    def decoded(self) -> pl.DataFrame:
        """Return the table with text in place of codes."""
        return self.frame.with_columns(self.cells(column).alias(column) for column in self.names)

    def cell(self, index: int, column: str) -> str:
        """Return one of its cells as text."""
        cell = self.frame[column][index]
        return str(self.names[column][cell] if column in self.names else cell)

    def missing(self, column: str) -> pl.Series:
        """Tell which cells of a column are empty."""
        if column not in self.names:
            return self.frame[column].is_null()
        return self.frame[column] < self.names[column].null_count()

    def at(self, index: int, column: str | None = None) -> str:
        """Name a place: ``ratings.csv, row 7, column 'response'``."""
        if self.first_row is None:
            return self.name if column is None else f"{self.name}, column '{column}'"
        if self.stacked:
            which, index = divmod(index, self.frame.height // len(self.stacked))
            column = self.stacked[which]
        files = ((0, self.name, self.first_row), *self.below)
        start, name, first_row = next(each for each in reversed(files) if index >= each[0])
        place = f"{name}, row {index - start + first_row:,}"
        return place if column is None else f"{place}, column '{column}'"


def parse_table(name: str, data: bytes, suffix: str, reading: FileReading | None = None) -> InputTable:
    """Read the bytes of a file into a table; `suffix` hints at the format.

    A log of another tool is recognised by what it holds.
    """
    from quorate.data.formats.promptfoo import refuse_promptfoo_csv

    reading = FileReading() if reading is None else reading
    if not data[:HEAD].strip() and not data.strip():  # a large file is not copied for this
        raise InputError(f"{name} is empty; it needs a header row and one row per response.")
    if data.startswith(PARQUET) or suffix == ".parquet":
        return as_input(_read_parquet(name, data), name, reading)
    refuse_binary(name, data)
    is_json = suffix in (".jsonl", ".ndjson", ".json") or data[:HEAD].lstrip()[:1] in (b"{", b"[")
    if is_json and len(data) > MOST_JSON:  # checked line by line
        return _of_json(name, data, reading, ())
    data, notes = to_utf8(name, data, reading.encoding)
    if is_json or data[:HEAD].lstrip()[:1] in (b"{", b"["):
        return _of_json(name, data, reading, notes)
    refuse_promptfoo_csv(name, data)
    text = read_text_table(name, data, suffix, skip=reading.skip_rows)
    return as_input(text.frame, name, reading, text.first_row, (*notes, *text.notes))


def parse_large_json(
    name: str, path: Path, reading: FileReading | None = None, most: int = MOST_JSON
) -> InputTable | None:
    """Read a file of JSON record after record, if it is too large to be read at once; None for all others."""
    from quorate.data.json_records import records_in
    from quorate.data.json_table import too_much

    with path.open("rb") as file:
        start = file.read(HEAD).removeprefix(BOM_UTF8).lstrip()
    if start[:1] not in (b"{", b"[") or path.stat().st_size <= most:
        return None
    records = records_in(name, lambda: path.open("rb"), large=True)
    if records is None:
        raise too_much(name, start, path.stat().st_size, most)
    return _of_content(name, records, FileReading() if reading is None else reading, ())


def of_log(name: str, log: "LogTable") -> InputTable:
    """Return the table of a log; its rows are no rows of a file."""
    return InputTable(log.frame, name, first_row=None, log=log, notes=log.words)


def as_input(
    frame: pl.DataFrame,
    name: str,
    reading: FileReading | None = None,
    first_row: int = 1,
    notes: tuple[str, ...] = (),
) -> InputTable:
    """Return a flat table as it is, or made long if its columns are those another tool writes."""
    from quorate.data.formats.registry import read_table_log

    frame = with_plain_dates(frame)
    log = read_table_log(name, frame, LogChoice() if reading is None else reading.choice)
    return InputTable(frame, name, first_row, notes=notes) if log is None else of_log(name, log)


def _of_json(name: str, data: bytes, reading: FileReading, notes: tuple[str, ...]) -> InputTable:
    from quorate.data.json_table import parse_json

    return _of_content(name, parse_json(name, data), reading, notes)


def _of_content(name: str, content: object, reading: FileReading, notes: tuple[str, ...]) -> InputTable:
    from quorate.data.formats.registry import read_json_log
    from quorate.data.json_table import json_frame

    log = read_json_log(name, content, reading.choice)
    return as_input(json_frame(name, content), name, reading, notes=notes) if log is None else of_log(name, log)


def as_text(column: pl.Series, name: str = "the data") -> pl.Series:
    """Write a column as text; whole numbers stored as floats lose their ``.0``, NaN is missing."""
    if column.dtype == pl.String:
        return column
    if column.dtype.is_float():
        column = column.fill_nan(None)
        whole = column.drop_nulls()
        if (whole == whole.round()).all() and (whole.abs() < 2**53).all():
            column = column.cast(pl.Int64)
    elif column.dtype.is_nested():
        raise InputError(f"{name}, column '{column.name}' holds lists or objects; write one value per row.")
    try:
        return column.cast(pl.String)
    except pl.exceptions.PolarsError:
        kind = str(column.dtype).partition("(")[0].lower()
        raise InputError(f"{name}, column '{column.name}' holds {kind} data; write it as text or numbers.") from None


def emptied(cells: pl.Series) -> pl.Series:
    """Return text with nothing in it as missing, for what no cell of a CSV file can tell apart; others as they are."""
    text = cells.cast(pl.String) if cells.dtype in (pl.Categorical, pl.Enum) else cells
    return text.replace("", None) if text.dtype == pl.String and (text == "").any() else cells


def as_floats(column: pl.Series, name: str = "the data") -> pl.Series:
    """Return a column as numbers, missing where it holds something else; commas may be decimal."""
    cells = as_text(column, name)
    if guess_decimal(cells.drop_nulls().unique()) is not None:
        cells = with_points(cells, ",")
    return cells.str.strip_chars().cast(pl.Float64, strict=False)


def refuse_rows(name: str, n_rows: int, n_bytes: int) -> None:
    """Refuse more rows than so many bytes of honest ratings would hold."""
    if n_rows > max(FEW_ROWS, n_bytes * ROWS_PER_BYTE):
        raise InputError(f"{name} would unpack to {n_rows:,} rows from {n_bytes:,} bytes; check where it is from.")


def _read_parquet(name: str, data: bytes) -> pl.DataFrame:
    try:
        with unheard():
            lazy = pl.scan_parquet(io.BytesIO(data))
            n_rows: int = lazy.select(pl.len()).collect().item()
            check_columns(name, len(lazy.collect_schema()))
            refuse_rows(name, n_rows, len(data))
            return pl.read_parquet(io.BytesIO(data))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        raise InputError(f"{name} is not a readable Parquet file; write it again.") from None
