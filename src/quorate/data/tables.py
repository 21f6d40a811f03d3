"""Parse the bytes of a file as a table: CSV, TSV, JSON lines, JSON or Parquet, gzipped or not.

Text files are read as text, cell by cell; only an empty cell is missing. A file that cannot be read
is refused with one sentence that names the row and what to do about it.
"""

import csv
import gzip
import io
import json
import zlib
from dataclasses import dataclass
from typing import Any

import polars as pl

from quorate._errors import InputError

BELOW_HEADER = 2  # the row a text file's data start in
HEAD = 1 << 20  # bytes in which the header must end
SEPARATORS = (",", "\t", ";", "|")
BINARY = {b"PK\x03\x04": "an Excel workbook or zip archive", b"%PDF": "a PDF", b"\x89PNG": "a picture"}


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
        return self.frame.height - _blank_rows(self.frame)

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
    data = _unzip(name, data)
    if not data[:HEAD].strip() and not data.strip():  # a large file is not copied for this
        raise InputError(f"{name} is empty; it needs a header row and one row per response.")
    if data[:4] == b"PAR1" or suffix == ".parquet":
        return InputTable(_read_parquet(name, data), name)
    _refuse_binary(name, data)
    _refuse_bad_text(name, data)
    if suffix in (".jsonl", ".ndjson", ".json") or data[:HEAD].lstrip()[:1] in (b"{", b"["):
        return InputTable(_read_json(name, data), name)
    return InputTable(_read_text(name, data, suffix), name, BELOW_HEADER)


def as_text(column: pl.Series, name: str = "the data") -> pl.Series:
    """Write a column as text; whole numbers stored as floats lose their ``.0``, NaN is missing."""
    if column.dtype.is_float():
        column = column.fill_nan(None)
        whole = column.drop_nulls()
        if (whole == whole.round()).all() and (whole.abs() < 2**53).all():
            column = column.cast(pl.Int64)
    elif column.dtype.is_nested():
        raise InputError(f"{name}, column '{column.name}' holds lists or objects; write one value per row.")
    return column.cast(pl.String)


def _unzip(name: str, data: bytes) -> bytes:
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error):
        raise InputError(f"{name} is a damaged gzip file; write or download it again.") from None


def _refuse_binary(name: str, data: bytes) -> None:
    kind = next((kind for magic, kind in BINARY.items() if data.startswith(magic)), None)
    if kind is None and b"\0" in data[:1_000_000]:
        kind = "UTF-16 text" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "a binary file"
    if kind:
        raise InputError(f"{name} is {kind}, not a table quorate can read; save it as CSV (UTF-8) or Parquet.")


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
        return pl.read_parquet(io.BytesIO(data))
    except pl.exceptions.PolarsError:
        raise InputError(f"{name} is not a readable Parquet file; write it again.") from None


def _read_json(name: str, data: bytes) -> pl.DataFrame:
    from quorate.data.lewidi import from_lewidi, is_lewidi

    try:
        content = json.loads(data)
    except json.JSONDecodeError:
        content = _read_json_lines(name, data)
    if is_lewidi(content):
        return from_lewidi(name, content)
    if not content:
        raise InputError(f"{name} is empty; it needs one object per response.")
    if isinstance(content, dict) and all(isinstance(column, list | dict) for column in content.values()):
        return _from_columns(name, content)
    rows = [content] if isinstance(content, dict) else content
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InputError(f"{name} is JSON, but not a list of objects; write one object per response.")
    return pl.DataFrame(rows, infer_schema_length=None, strict=False)


def _from_columns(name: str, content: dict[str, Any]) -> pl.DataFrame:
    """Read JSON by column: each a list, or an object with the same keys, as pandas writes it."""
    columns = {key: list(cells.values() if isinstance(cells, dict) else cells) for key, cells in content.items()}
    keys = [list(cells) for cells in content.values() if isinstance(cells, dict)]
    if len({len(cells) for cells in columns.values()}) > 1 or any(key != keys[0] for key in keys):
        raise InputError(f"{name} is JSON by column, but its columns do not match; write one object per response.")
    return pl.DataFrame(columns, strict=False)


def _read_json_lines(name: str, data: bytes) -> list[object]:
    rows = []
    for number, line in enumerate(data.decode().splitlines(), start=1):
        if line.strip():
            try:
                rows.append(json.loads(line))
            except json.JSONDecodeError as error:
                raise InputError(f"{name}, row {number:,} is not valid JSON ({error.msg}); fix or remove it.") from None
    return rows


def _read_text(name: str, data: bytes, suffix: str) -> pl.DataFrame:
    if b"\n" not in data:
        data = data.replace(b"\r", b"\n")  # line ends of the old Macintosh
    header, separator = _header(data, suffix)
    repeated = next((cell for cell in header if header.count(cell) > 1), None)
    if repeated is not None:
        what = f"two columns called '{repeated}'" if repeated else "two columns without a name"
        raise InputError(f"{name}, row 1 has {what}; rename or remove one.")
    try:
        frame = pl.read_csv(data, separator=separator, infer_schema=False, new_columns=header)
    except pl.exceptions.PolarsError:
        _refuse_ragged(name, data, separator)
        raise InputError(f"{name} is not a readable table; check its quotes and separators.") from None
    if _looks_ragged(data, separator, frame):
        _refuse_ragged(name, data, separator)
    return frame.with_columns(pl.col(pl.String).replace("", None))


def _header(data: bytes, suffix: str) -> tuple[list[str], str]:
    """Return the column names and the separator, which is the one the first line has most of."""
    head = data[:HEAD].decode("utf-8-sig", errors="ignore")
    line = head.split("\n", 1)[0]
    separator = "\t" if suffix == ".tsv" and "\t" in line else max(SEPARATORS, key=line.count)
    return [cell.strip() for cell in next(csv.reader(io.StringIO(head), delimiter=separator))], separator


def _looks_ragged(data: bytes, separator: str, frame: pl.DataFrame) -> bool:
    """Tell whether a row may be short or a quote open, which the fast reader passes over."""
    if not frame.width or not frame.height:
        return False
    if b'"' in data and (data.count(b'"') % 2 or frame.select(pl.any_horizontal(_broken_lines())).to_series().any()):
        return True
    if not frame[:, -1].null_count():
        return False
    rows = frame.height - _blank_rows(frame) + 1
    return b'"' in data or data.count(separator.encode()) != rows * (frame.width - 1)


def _blank_rows(frame: pl.DataFrame) -> int:
    blank: int = frame.select(pl.all_horizontal(pl.all().is_null()).sum()).item() if frame.width else 0
    return blank


def _broken_lines() -> pl.Expr:
    """A quote that is never closed takes the next line into its cell."""
    return pl.all().str.contains("\n", literal=True).any()


def _refuse_ragged(name: str, data: bytes, separator: str) -> None:
    reader = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), delimiter=separator, strict=True)
    start, width = 1, 0
    try:
        for row in reader:
            width = width or len(row)
            if row and len(row) != width:
                raise InputError(
                    f"{name}, row {start:,} has {len(row)} fields where the header has {width}; "
                    "fix the row, or quote fields that contain the separator."
                )
            start = reader.line_num + 1
    except csv.Error:
        raise InputError(f"{name}, row {start:,}: a quote is not closed; close it or remove it.") from None
