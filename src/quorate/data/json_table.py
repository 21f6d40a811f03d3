"""Tables as JSON: a list of objects, an object per line, or columns; numbers stay as they are written.

A number is read as its digits, so that none is too large, and two that differ never become one.
"""

import hashlib
import io
import json
from typing import Any

import polars as pl

from quorate._errors import InputError
from quorate.data.content import MOST_JSON, memory
from quorate.data.lewidi import from_lewidi, is_lewidi
from quorate.data.text_table import check_columns

MOST_DIGITS = 15
"""A decimal number of so many digits comes back from its binary form as it was."""
LONG_TEXT, LONG_LIST = 4096, 1000
"""Letters of a text, and members of a list, above which they are cut in what is too much to hold at once."""


OBJECT, LIST, VALUE = 232, 64, 60
"""Bytes an object, a list and a value take in memory, about."""
MOST_LINES = 5_000_000
"""Lines of JSON that are read one by one; so many take half a minute."""
MOST_OBJECTS = 3 << 29
"""Bytes that JSON in one piece may take once it is parsed; more is read line by line, up to a share of the memory."""


class RepeatedKeyError(ValueError):
    """An object that says two things under one name."""


def parse_json(name: str, data: bytes, most: int = MOST_JSON, most_memory: int | None = None) -> Any:
    """Return what JSON says; an object per line is a list of them. Numbers are text."""
    if len(data) > most or memory_of(data) > MOST_OBJECTS:
        return _parse_many_lines(name, data, most, most_memory)
    return _parse(name, data.decode("utf-8-sig"))


def memory_of(data: bytes) -> int:
    """Return about how much memory parsed JSON takes, before it is parsed; brackets inside texts count too."""
    return data.count(b"{") * OBJECT + data.count(b"[") * LIST + data.count(b",") * VALUE


def refuse_crowd(name: str, needed: int, most: int | None = None) -> None:
    """Refuse JSON that would fill the memory – by default a quarter of it –, however few bytes it has."""
    if needed > (memory() // 4 if most is None else most):
        raise InputError(
            f"{name} holds so many values that they would take about {needed / 2**30:,.1f} GB of memory; write CSV or "
            "Parquet, or a part of it."
        )


def json_frame(name: str, content: Any) -> pl.DataFrame:
    """Return the cells of parsed JSON as text, in the order of their first appearance."""
    if is_lewidi(content):
        return _frame(name, from_lewidi(name, content))
    if not content and isinstance(content, list | dict):
        raise InputError(f"{name} is empty; it needs one object per response.")
    if isinstance(content, dict) and all(isinstance(column, list | dict) for column in content.values()):
        return _frame(name, _columns(name, content))
    rows = [content] if isinstance(content, dict) else content
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InputError(f"{name} is JSON, but not a list of objects; write one object per response.")
    keys = dict.fromkeys(key for row in rows for key in row)
    check_columns(name, len(keys))
    return _frame(name, {key: [row.get(key) for row in rows] for key in keys})


def _parse(name: str, text: str) -> Any:
    try:
        return loads_json(text)
    except json.JSONDecodeError:
        return _parse_lines(name, text)
    except (RepeatedKeyError, RecursionError) as error:
        raise InputError(f"{name} {_trouble(error)}; fix it.") from None


def _parse_lines(name: str, text: str) -> list[object]:
    rows = []
    ends = "\n" if "\n" in text else "\r"  # other line ends may stand inside a string
    for number, line in enumerate(text.split(ends), start=1):
        if line.strip():
            try:
                rows.append(loads_json(line))
            except (ValueError, RecursionError) as error:
                raise InputError(f"{name}, row {number:,} {_trouble(error)}; fix or remove it.") from None
    return rows


def _parse_many_lines(name: str, data: bytes, most: int, most_memory: int | None) -> list[object]:
    """Read line by line what is too much to hold at once, and keep only the beginning of what is long."""
    rows: list[object] = []
    kept = 0
    if data.count(b"\n") > MOST_LINES:
        raise InputError(f"{name} has more than {MOST_LINES:,} lines of JSON; write CSV or Parquet, or a part of it.")
    for number, line in enumerate(io.BytesIO(data), start=1):
        if line.strip():
            if len(line) > most:
                raise _too_much(name, data, most)
            refuse_crowd(name, memory_of(line), MOST_OBJECTS if most_memory is None else most_memory)
            try:
                rows.append(_slim(loads_json(line.decode("utf-8-sig"))))
            except (ValueError, RecursionError) as error:
                if number == 1:
                    raise _too_much(name, data, most) from None
                raise InputError(f"{name}, row {number:,} {_trouble(error)}; fix or remove it.") from None
            kept += memory_of(line if len(line) < LONG_TEXT else repr(rows[-1]).encode(errors="replace"))
            refuse_crowd(name, kept, most_memory)
    return rows


def _too_much(name: str, data: bytes, most: int) -> InputError:
    inspect = b'"eval"' in data[:LONG_TEXT] and b'"version"' in data[:LONG_TEXT]
    advice = "write it with inspect log convert --to eval" if inspect else "write an object per line, CSV or Parquet"
    return InputError(
        f"{name} has {len(data) / 2**20:,.0f} MB of JSON, more than {most / 2**20:,.0f} MB in one piece; {advice}."
    )


def _slim(value: Any) -> Any:
    """Cut long texts and lists, so that equal ones stay equal and others do not become so."""
    match value:
        case str() if len(value) > LONG_TEXT:
            return value[:100] + hashlib.sha256(value.encode(errors="surrogatepass")).hexdigest()
        case list() if len(value) > LONG_LIST:
            return hashlib.sha256(repr(value).encode(errors="surrogatepass")).hexdigest()
        case list():
            return [_slim(each) for each in value]
        case dict():
            return {key: _slim(each) for key, each in value.items()}
    return value


def loads_json(text: str) -> Any:
    """Parse one piece of JSON; numbers become text, NaN is missing, a key may stand once."""
    return json.loads(
        text, parse_int=str, parse_float=_number, parse_constant=_constant, object_pairs_hook=_without_repeats
    )


def _trouble(error: Exception) -> str:
    match error:
        case json.JSONDecodeError():
            return f"is not valid JSON ({error.msg})"
        case RepeatedKeyError():
            return f"has an object that names '{error}' twice"
        case UnicodeDecodeError():
            return "is not UTF-8 text"
    return "is nested too deeply"


def _number(digits: str) -> str:
    """Write a number the short way, 3 for 3.0, unless that would change it."""
    value = float(digits)
    if len(digits) > MOST_DIGITS or value in (float("inf"), float("-inf")):
        return digits
    return str(int(value)) if value.is_integer() else repr(value)


def _constant(word: str) -> str | None:
    return None if word == "NaN" else word


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        raise RepeatedKeyError(next(key for key in keys if keys.count(key) > 1))
    return made


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


def _series(name: str, key: str, cells: list[Any]) -> pl.Series:
    """Return a column of text, or of empty lists where lists or objects stand, which no verb reads."""
    if any(isinstance(cell, list | dict) for cell in cells):
        return pl.Series(key, [[]] * len(cells), dtype=pl.List(pl.Null))
    try:
        return pl.Series(key, [_text(cell) for cell in cells], dtype=pl.String)
    except UnicodeEncodeError:
        broken = (row for row, cell in enumerate(cells, 1) if cell is not None and not _whole(_text(cell) or ""))
        place = f"row {next(broken):,}, column '{key}'" if _whole(key) else f"column '{key}'"
        raise InputError(f"{name}, {place} holds half a character; write the file again as UTF-8.") from None


def _text(cell: str | bool | None) -> str | None:
    return cell if cell is None or isinstance(cell, str) else str(cell).lower()


def _whole(text: str) -> bool:
    """Tell whether no half of a character that takes two codes stands alone."""
    return not any("\ud800" <= character <= "\udfff" for character in text)
