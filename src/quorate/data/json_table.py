"""Tables as JSON: a list of objects, an object per line, or columns; numbers stay as they are written."""

import hashlib
import io
import json
from collections.abc import Sequence
from itertools import islice
from typing import Any

import polars as pl

from quorate._errors import InputError
from quorate.data.content import MOST_JSON
from quorate.data.json_records import JsonRecords, records_in
from quorate.data.json_values import (
    MOST_OBJECTS,
    JsonError,
    RepeatedKeyError,
    loads_json,
    memory_of,
    refuse_crowd,
    trouble_with,
)
from quorate.data.lewidi import from_lewidi, is_lewidi
from quorate.data.text_table import check_columns

SMALL = 1 << 24
"""Bytes of JSON that are parsed at once; records of more are gone through one after another."""
LONG_TEXT = 4096
"""Letters of a cell above which it is cut in a table that is too much to hold as it is."""
CELL, MOST_TABLE = 4, 1 << 31
"""Bytes that a cell takes even where nothing stands, and those that all cells may take."""
AT_ONCE = 50_000
"""Records that are laid out in columns at once."""


def parse_json(name: str, data: bytes, most: int = MOST_JSON, small: int = SMALL) -> Any:
    """Return what JSON says; an object per line is a list of them, many are `JsonRecords`. Numbers are text."""
    records = records_in(name, lambda: io.BytesIO(data), large=len(data) > most) if len(data) > small else None
    if records is not None:
        return records
    if len(data) > most:
        raise too_much(name, data[:LONG_TEXT], len(data), most)
    refuse_crowd(name, memory_of(data), MOST_OBJECTS)
    return _parse(name, data.decode("utf-8-sig"))


def too_much(name: str, start: bytes, size: int, most: int = MOST_JSON) -> InputError:
    """Say that JSON in one piece is more than is read, and the way out."""
    inspect = b'"eval"' in start and b'"version"' in start
    promptfoo = b'"evalId"' in start
    advice = (
        "write it with inspect log convert --to eval"
        if inspect
        else "write JSON lines: promptfoo eval -o results.jsonl"
        if promptfoo
        else "write an object per line, CSV or Parquet"
    )
    return InputError(
        f"{name} has {size / 2**20:,.0f} MB of JSON, more than {most / 2**20:,.0f} MB in one piece; {advice}."
    )


def json_frame(name: str, content: Any) -> pl.DataFrame:
    """Return the cells of parsed JSON as text, in the order of their first appearance."""
    if isinstance(content, JsonRecords):
        return _records_frame(name, content)
    if is_lewidi(content):
        return _frame(name, from_lewidi(name, content))
    if not content and isinstance(content, list | dict):
        raise InputError(f"{name} is empty; it needs one object per response.")
    if isinstance(content, dict) and all(isinstance(column, list | dict) for column in content.values()):
        return _frame(name, _columns(name, content))
    rows = [content] if isinstance(content, dict) else content
    _check_rows(name, rows if isinstance(rows, list) else [rows])
    keys = dict.fromkeys(key for row in rows for key in row)
    check_columns(name, len(keys))
    return _frame(name, {key: [row.get(key) for row in rows] for key in keys})


def _parse(name: str, text: str) -> Any:
    try:
        return loads_json(text)
    except json.JSONDecodeError:
        return _parse_lines(name, text)
    except (RepeatedKeyError, RecursionError) as error:
        raise JsonError(f"{name} {trouble_with(error)}; fix it.") from None


def _parse_lines(name: str, text: str) -> list[object]:
    rows = []
    ends = "\n" if "\n" in text else "\r"  # other line ends may stand inside a string
    for number, line in enumerate(text.split(ends), start=1):
        if line.strip():
            try:
                rows.append(loads_json(line))
            except (ValueError, RecursionError) as error:
                raise JsonError(f"{name}, row {number:,} {trouble_with(error)}; fix or remove it.") from None
    return rows


def _records_frame(name: str, records: JsonRecords) -> pl.DataFrame:
    """Lay out some records after the other; what would fill the memory is refused on the way."""
    parts: list[pl.DataFrame] = []
    nested: set[str] = set()
    found, number = iter(records), 0
    while rows := list(islice(found, AT_ONCE)):
        _check_rows(name, rows)
        keys = dict.fromkeys(key for row in rows for key in row)
        check_columns(name, len(keys))
        nested |= {key for key in keys if any(isinstance(row.get(key), list | dict) for row in rows)}
        flat = {key: [_shortened(row.get(key), records.large) for row in rows] for key in keys if key not in nested}
        parts.append(pl.DataFrame([_series(name, key, cells, number) for key, cells in flat.items()]))
        number += len(rows)
        width = len({*nested, *(column for part in parts for column in part.columns)})
        check_columns(name, width)
        refuse_crowd(name, number * width * CELL + sum(int(part.estimated_size()) for part in parts), MOST_TABLE)
    empty = [pl.lit([], dtype=pl.List(pl.Null)).alias(key) for key in nested]
    return pl.concat(parts, how="diagonal").with_columns(empty)


def _shortened(cell: str | bool | None, large: bool) -> str | bool | None:
    """Keep of a long text in a large file the beginning, so that equal ones stay equal."""
    if not large or not isinstance(cell, str) or len(cell) <= LONG_TEXT:
        return cell
    return cell[:100] + hashlib.sha256(cell.encode(errors="surrogatepass")).hexdigest()


def _check_rows(name: str, rows: Sequence[object]) -> None:
    if not all(isinstance(row, dict) for row in rows):
        raise InputError(f"{name} is JSON, but not a list of objects; write one object per response.")


def _columns(name: str, content: dict[str, Any]) -> dict[str, list[Any]]:
    """Read JSON by column: each a list, or an object with the same keys, as pandas writes it."""
    check_columns(name, len(content))
    columns = {key: list(cells.values() if isinstance(cells, dict) else cells) for key, cells in content.items()}
    keys = [list(cells) for cells in content.values() if isinstance(cells, dict)]
    if len({len(cells) for cells in columns.values()}) > 1 or any(key != keys[0] for key in keys):
        raise InputError(f"{name} is JSON by column, but its columns do not match; write one object per response.")
    return columns


def _frame(name: str, columns: dict[str, list[Any]]) -> pl.DataFrame:
    return pl.DataFrame([_series(name, key, cells) for key, cells in columns.items()])


def _series(name: str, key: str, cells: list[Any], above: int = 0) -> pl.Series:
    """Return a column of text, or of empty lists where lists or objects stand, which no verb reads."""
    if any(isinstance(cell, list | dict) for cell in cells):
        return pl.Series(key, [[]] * len(cells), dtype=pl.List(pl.Null))
    try:
        return pl.Series(key, [_text(cell) for cell in cells], dtype=pl.String)
    except UnicodeEncodeError:
        broken = (
            row for row, cell in enumerate(cells, above + 1) if cell is not None and not _whole(_text(cell) or "")
        )
        place = f"row {next(broken):,}, column '{key}'" if _whole(key) else f"column '{key}'"
        raise InputError(f"{name}, {place} holds half a character; write the file again as UTF-8.") from None


def _text(cell: str | bool | None) -> str | None:
    return cell if cell is None or isinstance(cell, str) else str(cell).lower()


def _whole(text: str) -> bool:
    """Tell whether no half of a character that takes two codes stands alone."""
    return not any("\ud800" <= character <= "\udfff" for character in text)
