"""One piece of JSON: its numbers stay as they are written, and it is refused before it would fill the memory.

A number is read as its digits, so that none is too large, and two that differ never become one.
"""

import json
from typing import Any

from quorate._errors import InputError
from quorate.data.content import memory

MOST_DIGITS = 15
"""A decimal number of so many digits comes back from its binary form as it was."""
OBJECT, LIST, VALUE = 232, 64, 60
"""Bytes an object, a list and a value take in memory, about."""
KEY, USUAL_KEYS = 250, 100
"""Bytes a further key takes in objects that have more than so many on average, whose keys are no longer shared."""
MOST_OBJECTS = 3 << 29
"""Bytes that JSON in one piece may take once it is parsed."""


class JsonError(InputError):
    """A file that is no JSON, or not whole."""


class RepeatedKeyError(ValueError):
    """An object that says two things under one name."""


def memory_of(data: bytes) -> int:
    """Return about how much memory parsed JSON takes, before it is parsed; brackets inside texts count too."""
    n_objects = data.count(b"{")
    keys = max(data.count(b'":') - USUAL_KEYS * n_objects, 0) * KEY
    return n_objects * OBJECT + keys + data.count(b"[") * LIST + data.count(b",") * VALUE


def refuse_crowd(name: str, needed: int, most: int | None = None) -> None:
    """Refuse JSON that would fill the memory – by default a quarter of it –, however few bytes it has."""
    if needed > (memory() // 4 if most is None else most):
        raise InputError(
            f"{name} holds so many values that they would take about {needed / 2**30:,.1f} GB of memory; write CSV or "
            "Parquet, or a part of it."
        )


def trouble_with(error: Exception) -> str:
    """Say what is wrong with a piece of JSON."""
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


DECODER = json.JSONDecoder(
    parse_int=str, parse_float=_number, parse_constant=_constant, object_pairs_hook=_without_repeats
)


def loads_json(text: str) -> Any:
    """Parse one piece of JSON; numbers become text, NaN is missing, a key may stand once."""
    return DECODER.decode(text)
