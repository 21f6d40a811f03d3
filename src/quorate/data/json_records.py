"""JSON that is one record after another, on lines or in a list: parsed as it is gone through, never held whole."""

import codecs
import json
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, BinaryIO, TypeAlias

from quorate._errors import InputError
from quorate.data.content import CHUNK, MOST_JSON
from quorate.data.json_values import (
    DECODER,
    MOST_OBJECTS,
    JsonError,
    RepeatedKeyError,
    loads_json,
    memory_of,
    refuse_crowd,
    trouble_with,
)

MOST_RECORDS = 10_000_000
"""Records that are gone through; so many take some minutes."""
SIGNS = (re.compile(r"\s*,\s*"), re.compile(r"\s*\[\s*"))
"""What stands before a member of a list, and before the first one."""
ENDS = (re.compile(r"\s*\]\s*"), re.compile(r"\s*\[\s*\]\s*"))
"""What ends a list, and one without a member."""
Open: TypeAlias = Callable[[], AbstractContextManager[BinaryIO]]
Sized: TypeAlias = tuple[Any, int]
"""A record, and about how much memory it takes."""


@dataclass(frozen=True)
class JsonRecords:
    """Records that are parsed anew each time they are gone through.

    Parameters
    ----------
    name
        The file as the user named it.
    open
        Opens the text at its beginning.
    listed
        Whether they are the members of one list, not a line each.
    large
        Whether there are so many bytes of them that long texts are cut where they are kept.
    """

    name: str
    open: Open
    listed: bool
    large: bool

    def __iter__(self) -> Iterator[Any]:
        return (record for record, _ in self._sized())

    @cached_property
    def first(self) -> Any:
        """The first record, None if there is none."""
        return next(iter(self), None)

    def kept(self, most: int = MOST_OBJECTS) -> list[Any]:
        """Return all records at once, or refuse what would fill the memory."""
        records, needed = [], 0
        for record, size in self._sized():
            needed += size
            refuse_crowd(self.name, needed, most)
            records.append(record)
        return records

    def _sized(self) -> Iterator[Sized]:
        with self.open() as file:
            found = _members(self.name, file) if self.listed else _lines(self.name, file)
            for number, record in enumerate(found, start=1):
                if number > MOST_RECORDS:
                    raise InputError(
                        f"{self.name} has more than {MOST_RECORDS:,} records of JSON; write CSV or Parquet, or a part "
                        "of it."
                    )
                yield record


def records_in(name: str, opened: Open, *, large: bool) -> JsonRecords | None:
    """Return the records of a text that is a list, or has an object on its first line and goes on; None for others."""
    with opened() as file:
        line = file.readline(MOST_JSON).removeprefix(codecs.BOM_UTF8)
        while line.isspace():
            line = file.readline(MOST_JSON)
        if line.lstrip()[:1] == b"[":
            return JsonRecords(name, opened, True, large)
        more = line.endswith(b"\n") and bool(file.read(CHUNK).strip())
    return JsonRecords(name, opened, False, large) if more and _is_object(line) else None


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(loads_json(line.decode()), dict)
    except (ValueError, RecursionError):
        return False


def _lines(name: str, file: BinaryIO) -> Iterator[Sized]:
    number = 0
    while line := file.readline(MOST_JSON + 1):
        number += 1
        if len(line) > MOST_JSON:
            raise InputError(f"{name}, row {number:,} has more than {MOST_JSON >> 20} MB; write a record on each line.")
        if line.strip():
            needed = memory_of(line) + len(line)
            refuse_crowd(name, needed, MOST_OBJECTS)
            try:
                yield loads_json(line.decode("utf-8-sig")), needed
            except (ValueError, RecursionError) as error:
                raise JsonError(f"{name}, row {number:,} {trouble_with(error)}; fix or remove it.") from None


def _members(name: str, file: BinaryIO) -> Iterator[Sized]:
    """Return the members of one list, from a window of text that grows until a whole one stands in it."""
    decode = codecs.getincrementaldecoder("utf-8-sig")().decode
    text, place, number = "", 0, 0
    while len(text) <= MOST_JSON and (chunk := file.read(max(CHUNK, len(text)))):
        try:
            text, place = text + decode(chunk), 0
            refuse_crowd(name, memory_of(text.encode()), MOST_OBJECTS)
            while (found := _member(text, place, SIGNS[number == 0])) is not None:
                member, end = found
                number += 1
                yield member, memory_of(text[place:end].encode()) + end - place
                place = end
        except (UnicodeDecodeError, RepeatedKeyError, RecursionError) as error:
            raise JsonError(f"{name}, record {number + 1:,} {trouble_with(error)}; fix or remove it.") from None
        text = text[place:]
    if not ENDS[number == 0].fullmatch(text):
        raise JsonError(f"{name}, record {number + 1:,} is not valid JSON, or not whole; fix or remove it.")


def _member(text: str, place: int, sign: re.Pattern[str]) -> tuple[Any, int] | None:
    """Return the member after a sign, and where it ends; None if it may go on beyond the text."""
    before = sign.match(text, place)
    if before is None:
        return None
    try:
        member, end = DECODER.raw_decode(text, before.end())
    except json.JSONDecodeError:
        return None
    return (member, end) if end < len(text) else None
