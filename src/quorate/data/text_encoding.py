"""Text in any encoding people have, brought to UTF-8, with a word about what was recognised."""

import codecs
import re

from quorate._errors import InputError

MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""What a file begins with, by its encoding; the longer marks first."""
SAMPLE = 1000
"""Bytes that show whether every second one is zero."""
WINDOWS = "cp1252"
OTHER_LETTERS = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
"""A letter beyond ASCII as UTF-8 writes it."""
CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")


def wide_encoding(start: bytes) -> str | None:
    """Return the encoding of text with two or four bytes a letter, by its mark or its zeros; None for other text."""
    marked = next((encoding for mark, encoding in MARKS.items() if start.startswith(mark)), None)
    if marked is not None:
        return None if marked == "utf-8-sig" else marked
    sample = start[: min(len(start), SAMPLE) // 2 * 2]
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    if len(sample) < 4 or max(even, odd) < 0.4 * len(sample) / 2 or min(even, odd):
        return None
    return "utf-16-le" if odd else "utf-16-be"


def to_utf8(name: str, data: bytes, encoding: str | None = None) -> tuple[bytes, tuple[str, ...]]:
    """Return text as UTF-8 without a mark, and what was recognised; refuse what is in no encoding we know."""
    if encoding is not None:
        return _recode(name, data, encoding), ()
    wide = wide_encoding(data[:SAMPLE])
    if wide is not None:
        return _recode(name, data, wide), (f"the text is {wide.upper()} (--encoding)",)
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        if not data.isascii():
            data.decode()
    except UnicodeDecodeError as error:
        if OTHER_LETTERS.search(data) or CONTROLS.search(data):
            raise _bad_text(name, data, error) from None
        note = f"the text is not UTF-8; read as {WINDOWS}, as Windows writes it (--encoding)"
        return _recode(name, data, WINDOWS), (note,)
    return data, ()


def _recode(name: str, data: bytes, encoding: str) -> bytes:
    try:
        return data.decode(encoding).removeprefix("\ufeff").encode()
    except UnicodeDecodeError as error:
        raise _bad_text(name, data, error) from None
    except UnicodeError:  # half of a character, or an encoding that does not say where
        raise InputError(f"{name} is damaged {encoding} text; save it as UTF-8.") from None


def _bad_text(name: str, data: bytes, error: UnicodeDecodeError) -> InputError:
    row, encoding = data.count(b"\n", 0, error.start) + 1, error.encoding.upper()
    return InputError(f"{name}, row {row:,} is not {encoding} text; save the file as UTF-8, or name its --encoding.")
