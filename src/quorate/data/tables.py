"""Parse the bytes of a file as a table: CSV, TSV, JSON lines, JSON or Parquet, gzipped or not.

Text files are read as text, cell by cell; only an empty cell is missing. A file that cannot be read
is refused with one sentence that names the row and what to do about it.
"""

import io
from dataclasses import dataclass

import polars as pl

from quorate._errors import InputError
from quorate.data.content import PARQUET, refuse_binary
from quorate.data.text_table import HEAD, blank_rows, check_columns, read_text_table

BELOW_HEADER = 2  # the row a text file's data usually start in
BOM = b"\xef\xbb\xbf"
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
    """

    frame: pl.DataFrame
    name: str
    first_row: int | None = 1
    stacked: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        """Rows in which anything stands; a blank line of a text file is none."""
        return self.frame.height - blank_rows(self.frame)

    def at(self, index: int, column: str | None = None) -> str:
        """Name a place: ``ratings.csv, row 7, column 'response'``."""
        if self.first_row is None:
            return self.name if column is None else f"{self.name}, column '{column}'"
        if self.stacked:
            which, index = divmod(index, self.frame.height // len(self.stacked))
            column = self.stacked[which]
        place = f"{self.name}, row {index + self.first_row:,}"
        return place if column is None else f"{place}, column '{column}'"


def parse_table(name: str, data: bytes, suffix: str) -> InputTable:
    """Read the bytes of a file into a table; `suffix` hints at the format."""
    data = data.removeprefix(BOM)
    if not data[:HEAD].strip() and not data.strip():  # a large file is not copied for this
        raise InputError(f"{name} is empty; it needs a header row and one row per response.")
    if data.startswith(PARQUET) or suffix == ".parquet":
        return InputTable(_read_parquet(name, data), name)
    refuse_binary(name, data)
    _refuse_bad_text(name, data)
    if suffix in (".jsonl", ".ndjson", ".json") or data[:HEAD].lstrip()[:1] in (b"{", b"["):
        from quorate.data.json_table import read_json_table

        return InputTable(read_json_table(name, data), name)
    frame, first_row = read_text_table(name, data, suffix)
    return InputTable(frame, name, first_row)


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


def as_floats(column: pl.Series, name: str = "the data") -> pl.Series:
    """Return a column as numbers, missing where it holds something else."""
    return as_text(column, name).str.strip_chars().cast(pl.Float64, strict=False)


def _refuse_bad_text(name: str, data: bytes) -> None:
    if data.isascii():
        return
    try:
        data.decode()
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{name}, row {row:,} is not UTF-8 text; save the file as UTF-8.") from None


def _read_parquet(name: str, data: bytes) -> pl.DataFrame:
    try:
        lazy = pl.scan_parquet(io.BytesIO(data))
        n_rows: int = lazy.select(pl.len()).collect().item()
        check_columns(name, len(lazy.collect_schema()))
        if n_rows > max(FEW_ROWS, len(data) * ROWS_PER_BYTE):
            raise InputError(
                f"{name} would unpack to {n_rows:,} rows from {len(data):,} bytes; check where it is from."
            )
        return pl.read_parquet(io.BytesIO(data))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        raise InputError(f"{name} is not a readable Parquet file; write it again.") from None
