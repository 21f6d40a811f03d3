"""Excel workbooks: the first sheet, read as text, with the extra `excel`."""

import io

import polars as pl

from quorate._errors import InputError
from quorate.data.archives import Archive
from quorate.data.text_table import check_columns

BOOK = "xl/workbook.xml"
MOST_UNPACKED = 1 << 28
"""Bytes all parts of a workbook may have."""


def is_workbook(names: list[str]) -> bool:
    """Tell whether the members of an archive are those of a workbook."""
    return BOOK in names


def read_workbook(archive: Archive) -> pl.DataFrame:
    """Return the first sheet as text; its first row is the header."""
    _check_size(archive)
    archive.file.seek(0)
    try:
        frame = pl.read_excel(
            io.BytesIO(archive.file.read()), engine="calamine", infer_schema_length=0, drop_empty_rows=True
        )
    except (ModuleNotFoundError, ImportError):
        raise InputError(
            f"{archive.name} is an Excel workbook: pip install 'quorate[excel]' to read it, or save it as CSV (UTF-8)."
        ) from None
    except Exception:  # the reader has no error of its own
        raise InputError(f"{archive.name} is an Excel workbook that cannot be read; save it as CSV (UTF-8).") from None
    check_columns(archive.name, frame.width)
    return frame.with_columns(pl.col(pl.String).replace("", None))


def _check_size(archive: Archive) -> None:
    """Unpack every part once, for what a part says of its size may be a lie."""
    total = 0
    for member in archive.names:
        total += len(archive.read(member, MOST_UNPACKED - total))
