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
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import islice, takewhile

import polars as pl

from quorate._errors import InputError
from quorate._text import count, printable

HEAD = 1 << 20
"""Bytes in which the header must end."""
MOST_COLUMNS = 10_000
LONGEST = 1 << 24
"""Letters of a line, and of a cell, in what is read slowly."""
MOST_EMPTY, AT_ONCE = 30_000_000, 100_000
"""Cells of a table that may nearly all be empty, and rows that are read slowly before they are packed."""
SEPARATORS = (",", "\t", ";", "|")
NAMELESS = "\0"
"""What the columns without a name are called while it is not known which of them hold anything, with their places."""
BLANK = re.compile(rb"(?:[ \t]*(?:\r\n|\n|\r))*")
MOST_TITLES, FEWEST_COLUMNS, LONGEST_TITLE = 20, 3, 60
"""Lines above a header that are looked at, columns a header below them must have, and letters shown of them."""


@dataclass(frozen=True)
class TextTable:
    """The cells as text, empty ones missing; the row of the file in which the data start, and what was recognised."""

    frame: pl.DataFrame
    first_row: int
    notes: tuple[str, ...] = ()


def read_text_table(name: str, data: bytes, suffix: str, *, skip: int = 0) -> TextTable:
    """Read the table below the lines to skip; above a header that does not fit, a title is looked for."""
    try:
        read = _read_below(name, data, suffix, skip)
        title = _title(data) if read.frame.width == 1 and not skip else None
    except InputError:
        title = None if skip else _title(data)
        if title is None:
            raise
    return read if title is None else _read_titled(name, data, suffix, title)


def _read_titled(name: str, data: bytes, suffix: str, title: "Title") -> TextTable:
    read = _read_below(name, data, suffix, title.lines)
    return replace(read, notes=(f"above the header: {printable(title.text, LONGEST_TITLE)} (--skip-rows)",))


def _read_below(name: str, data: bytes, suffix: str, skip: int) -> TextTable:
    """Read a table that begins below some lines of the file."""
    start, above = _skipped(name, data, skip)
    data = data[start:] if start else data
    header, separator, lines = _header(name, data, suffix, above + 1)
    nameless = [place for place, cell in enumerate(header) if not cell] if any(header) else []
    names = [cell or f"{NAMELESS}{place}" for place, cell in enumerate(header)] if len(nameless) > 1 else header
    _check_columns(name, names, above + 1)
    _refuse_empty(name, data, len(names))
    frame = _read_fast(data, names, separator) if lines == 1 else None
    if frame is None:
        frame = _read_slowly(name, data, names, separator, above)
    frame = frame.with_columns(pl.col(pl.String).replace("", None))
    return TextTable(_without_empty(name, frame, nameless, above + 1) if nameless else frame, above + 2)


def _without_empty(name: str, frame: pl.DataFrame, nameless: list[int], row: int) -> pl.DataFrame:
    """Leave out columns with neither a name nor a cell, as programs write them between or beside the others."""
    columns = [frame.columns[place] for place in nameless]
    filled = [each for each in columns if frame[each].null_count() < frame.height]
    _check_columns(name, [""] * len(filled), row)
    called = {each: "" for each in filled if each.startswith(NAMELESS)}
    return frame.drop(each for each in columns if each not in filled).rename(called)


def _skipped(name: str, data: bytes, skip: int) -> tuple[int, int]:
    """Return where the table begins, below the lines to skip and blank ones, and how many lines are above it."""
    after = re.match(rb"(?:[^\r\n]*+(?:\r\n|\n|\r)){%d}" % skip, data)
    if after is None:
        raise InputError(f"{name} has fewer than {skip:,} lines above a table; use a smaller --skip-rows.")
    blank = BLANK.match(data, after.end())
    start = after.end() if blank is None else blank.end()
    if start == len(data):
        raise InputError(f"{name} has nothing below {count(skip, 'line')}; use a smaller --skip-rows.")
    return start, len(re.findall(rb"\r\n|\n|\r", data[:start]))


@dataclass(frozen=True)
class Title:
    """What stands above a header, and the lines it takes."""

    text: str
    lines: int


def _title(data: bytes) -> Title | None:
    """Return the title of a table by the separator that splits the rows below it into most cells; None without one."""
    head = data[:HEAD].decode(errors="ignore")
    titles = {separator: _title_by(head, separator) for separator in SEPARATORS}
    width = {separator: found[1] for separator, found in titles.items() if found is not None}
    found = titles[max(width, key=lambda separator: width[separator])] if width else None
    return None if found is None else found[0]


def _title_by(head: str, separator: str) -> tuple[Title, int] | None:
    """Return a title and the width of the table below it, if rows of one cell stand above a header and its rows.

    Below the first, and where the rows of the table are even, a row of a title may have a few cells: a date and a name.
    """
    rows = []
    with _long_cells(), suppress(csv.Error):
        reader = csv.reader(io.StringIO(head, newline=""), delimiter=separator)
        rows = [(row, reader.line_num) for row in islice(reader, MOST_TITLES + 2)]
    above = list(takewhile(lambda each: _filled(each[0]) <= 1, rows))
    few = list(takewhile(lambda each: 2 * _filled(each[0]) <= len(rows[-1][0]), rows[len(above) :])) if above else []
    if few and len({len(row) for row, _ in rows[len(above) + len(few) :]}) == 1:
        above += few
    words = [" ".join(cell.strip() for cell in row if cell.strip()) for row, _ in above if any(row)]
    below = [row for row, _ in rows[len(above) :]]
    if not words or len(below) < 2 or not all(_is_title(row, separator) for row, _ in above if any(row)):
        return None
    header = [cell.strip() for cell in below[0] if cell.strip()]
    names = len(set(header)) == len(header) >= FEWEST_COLUMNS and not _splits_alike(above[-1][0], below[0], separator)
    return (Title("; ".join(words), above[-1][1]), len(header)) if names and len(below[1]) == len(below[0]) else None


def _filled(row: list[str]) -> int:
    return len([cell for cell in row if cell.strip()])


def _splits_alike(above: list[str], below: list[str], separator: str) -> bool:
    """Tell whether another separator takes a title and what is below it for two rows of one table."""
    others = [each for each in SEPARATORS if each != separator]
    cells = [[separator.join(row).count(each) for each in others] for row in (above, below)]
    return any(one == other >= FEWEST_COLUMNS - 1 for one, other in zip(*cells, strict=True))


def _is_title(row: list[str], separator: str) -> bool:
    """Tell whether a row of one cell reads like a title; a lone word may be half of a broken row with commas."""
    return len(row) > 1 or " " in row[0].strip() or separator != ","


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


def _refuse_empty(name: str, data: bytes, width: int) -> None:
    """Refuse lines in which hardly anything stands, and which take far more memory than bytes."""
    lines = data.count(b"\n") or data.count(b"\r")
    if lines * width > MOST_EMPTY and len(data) < 2 * lines * width:
        raise InputError(
            f"{name} has {lines:,} lines for {count(width, 'column')}, but hardly anything stands in them; write one "
            "row per response."
        )


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
    rows = islice(_rows(name, data, separator, len(header), blank), 1, None)
    schema = dict.fromkeys(header, pl.String)
    parts = [pl.DataFrame(schema=schema)]
    while some := list(islice(rows, AT_ONCE)):
        parts.append(pl.DataFrame(some, schema=schema, orient="row"))
    return pl.concat(parts)


def _rows(name: str, data: bytes, separator: str, width: int, blank: int) -> Iterator[list[str]]:
    """Read row by row; refuse one that does not have as many cells as the header."""
    start = blank + 1

    def lines() -> Iterator[str]:
        for line in io.TextIOWrapper(io.BytesIO(data), "utf-8", newline=""):
            if len(line) > LONGEST:
                raise InputError(f"{name}, row {start:,} is longer than {LONGEST:,} letters; check that it is a table.")
            yield line

    with _long_cells(LONGEST):
        reader = csv.reader(lines(), delimiter=separator, strict=True)
        try:
            for row in reader:
                if any(row) and len(row) != width:
                    first = ", or leave out lines above the header with --skip-rows" if width == 1 else ""
                    raise InputError(
                        f"{name}, row {start:,} has {len(row)} fields where the header has {width}; "
                        f"fix the row, or quote fields that contain the separator{first}."
                    )
                yield row if any(row) else [""] * width
                start = blank + reader.line_num + 1
        except csv.Error as error:
            raise InputError(f"{name}, row {start:,}: {_quote_trouble(error)}.") from None


def _quote_trouble(error: csv.Error) -> str:
    if "end of data" in str(error):
        return "a quote is not closed; close it or remove it"
    if "limit" in str(error):
        return f"a cell has more than {LONGEST:,} letters; close its quote, or shorten it"
    return "text follows a quote that closes a cell; double the quotes inside a cell, or close one that is left open"


@contextmanager
def _long_cells(most: int = sys.maxsize) -> Iterator[None]:
    """Let cells be as long as they are, or so long; usually Python stops at 131 072 letters."""
    before = csv.field_size_limit(most)
    try:
        yield
    finally:
        csv.field_size_limit(before)
