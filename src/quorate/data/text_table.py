"""Tables as text: CSV and its sisters, a line per row, read as Python's `csv` reads them.

What the fast reader would read otherwise, such as a quote inside a cell or a lone carriage return, goes the slow way,
which refuses a row that is too short or too long, or a quote that is never closed, with its place.
"""

import csv
import io
import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import polars as pl

from quorate._errors import InputError

HEAD = 1 << 20
"""Bytes in which the header must end."""
MOST_COLUMNS = 10_000
SEPARATORS = (",", "\t", ";", "|")
BLANK = re.compile(rb"(?:[ \t]*(?:\r\n|\n|\r))*")


def read_text_table(name: str, data: bytes, suffix: str) -> tuple[pl.DataFrame, int]:
    """Return the cells as text, empty ones missing, and the row of the file in which the data start."""
    skipped = BLANK.match(data)
    start = 0 if skipped is None else skipped.end()
    blank = len(data[:start].splitlines())
    data = data[start:] if start else data
    header, separator, lines = _header(name, data, suffix, blank + 1)
    _check_columns(name, header, blank + 1)
    frame = _read_fast(data, header, separator) if lines == 1 else None
    if frame is None:
        frame = _read_slowly(name, data, header, separator, blank)
    return frame.with_columns(pl.col(pl.String).replace("", None)), blank + 2


def blank_rows(frame: pl.DataFrame) -> int:
    """Count the rows in which nothing stands."""
    blank: int = frame.select(pl.all_horizontal(pl.all().is_null()).sum()).item() if frame.width else 0
    return blank


def check_columns(name: str, n_columns: int) -> None:
    """Refuse more columns than a table of ratings has."""
    if n_columns > MOST_COLUMNS:
        raise InputError(f"{name} has {n_columns:,} columns, more than {MOST_COLUMNS:,}; keep those with the ratings.")


def _check_columns(name: str, header: list[str], row: int) -> None:
    check_columns(name, len(header))
    repeated = next((cell for cell, times in Counter(header).items() if times > 1), None)
    if repeated is not None:
        what = f"two columns called '{repeated}'" if repeated else "two columns without a name"
        raise InputError(f"{name}, row {row} has {what}; rename or remove one.")


def _header(name: str, data: bytes, suffix: str, row: int) -> tuple[list[str], str, int]:
    """Return the column names, the separator, which splits the first row into most, and the lines it takes."""
    head = data[:HEAD].decode(errors="ignore")
    if len(data) > HEAD and "\n" not in head and "\r" not in head:
        raise InputError(f"{name}, row {row} is longer than a million letters; check that it is a table.")
    first = {separator: _first_row(name, head, separator, row) for separator in SEPARATORS}
    tabs = suffix == ".tsv" and len(first["\t"][0]) > 1
    separator = "\t" if tabs else max(SEPARATORS, key=lambda each: len(first[each][0]))
    cells, lines = first[separator]
    return [cell.strip() for cell in cells], separator, lines


def _first_row(name: str, head: str, separator: str, row: int) -> tuple[list[str], int]:
    with _long_cells():
        reader = csv.reader(io.StringIO(head, newline=""), delimiter=separator)
        try:
            return next(reader), reader.line_num
        except csv.Error as error:
            raise InputError(f"{name}, row {row} is no header ({error}); check its quotes.") from None


def _read_fast(data: bytes, header: list[str], separator: str) -> pl.DataFrame | None:
    """Read with polars a table it reads like anybody else; None for others."""
    quoted = b'"' in data
    if b"\r" in data and data.count(b"\r") != data.count(b"\r\n"):
        return None
    if quoted and not _regular(separator, len(header)).fullmatch(data):
        return None
    try:
        frame = pl.read_csv(
            data, separator=separator, infer_schema=False, new_columns=header, quote_char='"' if quoted else None
        )
    except pl.exceptions.PolarsError:
        return None
    return frame if frame.width == len(header) and (quoted or _even(data, separator, frame)) else None


def _regular(separator: str, width: int) -> re.Pattern[bytes]:
    """Match a table in which quotes stand around whole cells, and every row has as many cells or none."""
    mark = re.escape(separator.encode())
    cell = rb'(?:"[^"]*+(?:""[^"]*+)*+"|[^"\r\n' + mark + rb"]*+)"
    row = cell + rb"(?:" + mark + cell + rb"){%d}" % (width - 1)
    return re.compile(rb"(?:(?:" + row + rb")?+\r?\n)*+(?:" + row + rb")?+")


def _even(data: bytes, separator: str, frame: pl.DataFrame) -> bool:
    """Tell whether no row is too short; one that is too long the fast reader refuses."""
    if frame.width == 1 or not frame.height or not frame[:, -1].null_count():
        return True
    return data.count(separator.encode()) == (frame.height - blank_rows(frame) + 1) * (frame.width - 1)


def _read_slowly(name: str, data: bytes, header: list[str], separator: str, blank: int) -> pl.DataFrame:
    rows = list(_rows(name, data.decode(), separator, len(header), blank))[1:]
    columns = zip(*rows, strict=True) if rows else [()] * len(header)
    return pl.DataFrame(
        {cell: pl.Series(cell, list(column), dtype=pl.String) for cell, column in zip(header, columns, strict=True)}
    )


def _rows(name: str, text: str, separator: str, width: int, blank: int) -> Iterator[list[str]]:
    """Read row by row; refuse one that does not have as many cells as the header."""
    with _long_cells():
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
        start = blank + 1
        try:
            for row in reader:
                if any(row) and len(row) != width:
                    raise InputError(
                        f"{name}, row {start:,} has {len(row)} fields where the header has {width}; "
                        "fix the row, or quote fields that contain the separator."
                    )
                yield row if any(row) else [""] * width
                start = blank + reader.line_num + 1
        except csv.Error as error:
            raise InputError(f"{name}, row {start:,}: {_quote_trouble(error)}.") from None


def _quote_trouble(error: csv.Error) -> str:
    if "end of data" in str(error):
        return "a quote is not closed; close it or remove it"
    return "text follows a quote that closes a cell; double the quotes inside a cell, or close one that is left open"


@contextmanager
def _long_cells() -> Iterator[None]:
    """Let cells be as long as they are; usually Python stops at 131 072 letters."""
    before = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(before)
