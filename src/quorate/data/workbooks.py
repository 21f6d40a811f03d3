"""Excel workbooks: the first sheet that holds a table, read as a text file would be, with the extra `excel`."""

import io
import re
from dataclasses import replace

import polars as pl

from quorate._errors import InputError
from quorate.data.archives import Archive
from quorate.data.columns import listed
from quorate.data.text_table import TextTable, check_columns, read_text_table

BOOK = "xl/workbook.xml"
MOST_UNPACKED = 1 << 28
"""Bytes all parts of a workbook may have."""
MOST_CELLS = 20_000_000
"""Cells between the first and the last of a sheet: more than so many bytes of parts hold, unless most are empty."""
ROW, COLUMN = (re.compile(rb"\sr\s*=\s*[\"']" + place) for place in (rb"[A-Za-z]*(\d{1,9})", rb"([A-Za-z]{1,6})\d"))


def is_workbook(names: list[str]) -> bool:
    """Tell whether the members of an archive are those of a workbook."""
    return BOOK in names


def read_workbook(archive: Archive, skip: int = 0) -> TextTable:
    """Return the first sheet that holds a table; a title above its header is looked for, as in a text file."""
    sheets = _sheets(archive)
    tables = [name for name, frame in sheets.items() if frame.height > 1 and frame.width > 1] or list(sheets)[:1]
    frame = sheets[tables[0]]
    check_columns(archive.name, frame.width)
    cells = frame.write_csv(include_header=False).encode()
    if not cells.strip():
        raise InputError(f"{archive.name} is empty; it needs a header row and one row per response.")
    table = read_text_table(archive.name, cells, ".csv", skip=skip)
    others = [name for name in sheets if name != tables[0]]
    note = f"the sheet '{tables[0]}' is read, not {listed(others)}; save another as CSV to read it"
    return replace(table, notes=(*table.notes, note)) if others else table


def _sheets(archive: Archive) -> dict[str, pl.DataFrame]:
    """Return every sheet as text, without rows and columns in which nothing stands."""
    _check_size(archive)
    archive.file.seek(0)
    try:
        sheets = pl.read_excel(
            io.BytesIO(archive.file.read()),
            sheet_id=0,
            engine="calamine",
            has_header=False,
            infer_schema_length=0,
            drop_empty_rows=True,
            raise_if_empty=False,
        )
    except (ModuleNotFoundError, ImportError):
        raise InputError(
            f"{archive.name} is an Excel workbook: pip install 'quorate[excel]' to read it, or save it as CSV (UTF-8)."
        ) from None
    except Exception:  # the reader has no error of its own
        raise InputError(f"{archive.name} is an Excel workbook that cannot be read; save it as CSV (UTF-8).") from None
    filled = {name: frame.with_columns(pl.col(pl.String).replace("", None)) for name, frame in sheets.items()}
    return {
        name: frame[[each.name for each in frame if each.null_count() < len(each)]] for name, frame in filled.items()
    }


def _check_size(archive: Archive) -> None:
    """Unpack every part once, for what a part says of its size may be a lie; a sheet is read up to its last cell."""
    total = 0
    for member in archive.names:
        content = archive.read(member, MOST_UNPACKED - total)
        total += len(content)
        rows = max(map(int, ROW.findall(content)), default=0)
        columns = max(map(_place, set(COLUMN.findall(content))), default=0)
        if rows * columns > MOST_CELLS:
            raise InputError(
                f"{archive.name}: a sheet has {rows:,} rows and {columns:,} columns, for a cell stands far from the "
                "others; delete it, or save the table as CSV (UTF-8)."
            )


def _place(letters: bytes) -> int:
    """Return the number of a column: A is 1, Z is 26, AA is 27."""
    place = 0
    for letter in letters.upper():
        place = 26 * place + letter - ord("A") + 1
    return place
