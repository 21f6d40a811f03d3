"""Open any file as a table: CSV, TSV, JSON lines, JSON, Parquet, gzipped or not, or standard input.

Text files are read as text, cell by cell; only an empty cell is missing. A file that cannot be read is refused with
one sentence that names the row and what to do about it.
"""

import csv
import gzip
import io
import json
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from quorate._errors import InputError

__all__ = ["Table", "open_table"]

SEPARATORS = (",", "\t", ";", "|")
BINARY = {b"PK\x03\x04": "an Excel workbook or zip archive", b"%PDF": "a PDF", b"\x89PNG": "a picture"}


@dataclass(frozen=True)
class Table:
    """A table and what to call it in messages; `first_row` is the file row of the frame's first row."""

    frame: pl.DataFrame
    name: str
    first_row: int = 1

    def at(self, index: int, column: str | None = None) -> str:
        """Name a place: ``ratings.csv, row 7, column 'response'``."""
        place = f"{self.name}, row {index + self.first_row}"
        return place if column is None else f"{place}, column '{column}'"


def open_table(source: str | Path) -> Table:
    """Read a file, or standard input for ``-``, into a table.

    Examples
    --------
    >>> open_table("example:support").frame.columns
    ['item', 'rater', 'response', 'channel']
    """
    name, data, suffix = _read_bytes(source)
    data = _unzip(name, data)
    if not data.strip():
        raise InputError(f"{name} is empty; it needs a header row and one row per response.")
    if data[:4] == b"PAR1" or suffix == ".parquet":
        return Table(_read_parquet(name, data), name)
    _refuse_binary(name, data)
    _refuse_bad_text(name, data)
    if suffix in (".jsonl", ".ndjson", ".json") or data.lstrip()[:1] in (b"{", b"["):
        return Table(_read_json(name, data), name)
    return Table(_read_text(name, data, suffix), name, first_row=2)


def _read_bytes(source: str | Path) -> tuple[str, bytes, str]:
    if str(source) == "-":
        return "standard input", sys.stdin.buffer.read(), ""
    if str(source).startswith("example:"):
        from quorate.data.examples import example_path

        source = example_path(str(source).removeprefix("example:"))
    path = Path(source)
    suffixes = [s.lower() for s in path.suffixes if s.lower() != ".gz"]
    try:
        if path.is_dir():
            raise InputError(f"{path} is a directory; name the file in it.")
        return path.name, path.read_bytes(), suffixes[-1] if suffixes else ""
    except FileNotFoundError:
        raise InputError(f"There is no file {path}; check the path.") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror or error}); check its permissions.") from None


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
    try:
        data.decode()
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{name}, row {row}: not UTF-8 text; save the file as UTF-8.") from None


def _read_parquet(name: str, data: bytes) -> pl.DataFrame:
    try:
        return pl.read_parquet(io.BytesIO(data))
    except pl.exceptions.PolarsError:
        raise InputError(f"{name} is not a readable Parquet file; write it again.") from None


def _read_json(name: str, data: bytes) -> pl.DataFrame:
    from quorate.data.formats.lewidi import from_lewidi, is_lewidi

    try:
        content = json.loads(data)
    except json.JSONDecodeError:
        content = _read_json_lines(name, data)
    if is_lewidi(content):
        return from_lewidi(name, content)
    rows = [content] if isinstance(content, dict) else content
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise InputError(f"{name} is JSON, but not a list of objects; write one object per response.")
    return pl.DataFrame(rows, infer_schema_length=None, strict=False)


def _read_json_lines(name: str, data: bytes) -> list[object]:
    rows = []
    for number, line in enumerate(data.decode().splitlines(), start=1):
        if line.strip():
            try:
                rows.append(json.loads(line))
            except json.JSONDecodeError as error:
                raise InputError(f"{name}, row {number}: not valid JSON ({error.msg}); fix or remove it.") from None
    return rows


def _read_text(name: str, data: bytes, suffix: str) -> pl.DataFrame:
    header_line = data.lstrip(b"\xef\xbb\xbf").split(b"\n", 1)[0].decode().rstrip("\r")
    separator = "\t" if suffix == ".tsv" else max(SEPARATORS, key=header_line.count)
    header = [cell.strip() for cell in next(csv.reader([header_line], delimiter=separator))]
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


def _looks_ragged(data: bytes, separator: str, frame: pl.DataFrame) -> bool:
    """Tell whether some row may be short, which the fast reader fills up silently."""
    if not frame.width or not frame[:, -1].null_count():
        return False
    blank = frame.select(pl.all_horizontal(pl.all().is_null()).sum()).item()
    rows = frame.height - blank + 1
    return b'"' in data or data.count(separator.encode()) != rows * (frame.width - 1)


def _refuse_ragged(name: str, data: bytes, separator: str) -> None:
    reader = csv.reader(io.StringIO(data.decode("utf-8-sig")), delimiter=separator)
    width = len(next(reader))
    try:
        for row in reader:
            if row and len(row) != width:
                raise InputError(
                    f"{name}, row {reader.line_num} has {len(row)} fields where the header has {width}; "
                    "fix the row, or quote fields that contain the separator."
                )
    except csv.Error:
        raise InputError(f"{name}, row {reader.line_num}: a quote is not closed; fix the row.") from None
