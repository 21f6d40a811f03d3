"""How results speak in plain text: numbers people can read, and small aligned tables."""

import re
import unicodedata
from collections.abc import Sequence

SMALLEST_P = 0.001
"""Smaller p-values are not told apart."""
HEADLINE = 25
"""Words a reader takes in at once."""
_RIGHT = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]+"
RIGHT_TO_LEFT = re.compile(f"{_RIGHT}(?:[ '\u2019-]+{_RIGHT})*")
"""Words of scripts that are read from the right."""
NUMBER = re.compile(r"(?:[-–+]|[<>] ?)?[0-9.,]*( %)?")


class Sentence(str):
    """An answer in words that knows which part a headline says: its head, a mark, and the rest."""

    head: str
    rest: str
    mark: str

    def __new__(cls, head: str, rest: str = "", mark: str = ":") -> "Sentence":
        """Join the parts; of one part alone, the headline leaves out the full stop."""
        said = super().__new__(cls, f"{head}{mark} {rest}" if rest else head)
        said.head, said.rest, said.mark = head.removesuffix("."), rest, mark
        return said

    def lines(self) -> tuple[str, ...]:
        """Return the headline and its reasons; what is short enough for a headline stays whole."""
        if not self.rest or len(self.split()) <= HEADLINE:
            return (str(self),)
        return f"{self.head}{self.mark}", self.rest

    def __getnewargs__(self) -> tuple[str]:
        """Let a copy be made of the whole text; its parts follow with its attributes."""
        return (str(self),)


def number(value: float | None, digits: int = 3) -> str:
    """Write a number with as many significant digits as carry meaning; None as a dash."""
    if value is None:
        return "–"
    places = 0 if abs(value) >= 1000 or digits == 0 else digits if abs(value) < 10 else 1
    text = f"{value:,.{places}f}"
    return text.removeprefix("-") if float(text.replace(",", "")) == 0 else text


def percent(share: float) -> str:
    """Write a share as a percentage, never rounding something to nothing or to all."""
    if 0 < share < 0.005:
        return "<1 %"
    return ">99 %" if 0.995 <= share < 1 else f"{100 * share:.0f} %"


def count(n: int, noun: str, plural: str | None = None) -> str:
    """Write a number with its noun."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def joined(names: Sequence[str], word: str = "and", most: int = 12) -> str:
    """List names, of many only the first and how many more."""
    shown = [*names] if len(names) <= most else [*names[: most - 1], f"{len(names) - most + 1} others"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} {word} {shown[-1]}"


def printable(text: str, most: int | None = None) -> str:
    """Make text from a file safe for a terminal: one line, not too long, what nobody would see shown as its code."""
    line = " ".join(text.split())
    safe = line if line.isprintable() else "".join(c if c.isprintable() else _code(c) for c in line)
    return safe if most is None or len(safe) <= most else safe[: most - 1] + "…"


def isolated(text: str) -> str:
    """Keep words that are read from the right from turning round the numbers and names beside them."""
    return RIGHT_TO_LEFT.sub("\u2068\\g<0>\u2069", text)


def printable_lines(text: str) -> str:
    """Make a text of several lines safe for a terminal; its lines and spaces stay."""
    return text if text.isprintable() else "".join(c if c.isprintable() or c in "\n\xa0" else _code(c) for c in text)


def _code(character: str) -> str:
    return (
        character.encode("ascii", errors="backslashreplace").decode()
        if character > "\x7f"
        else f"\\x{ord(character):02x}"
    )


def table(rows: Sequence[Sequence[str]], header: Sequence[str]) -> str:
    """Align columns of text: words to the left, numbers to the right."""
    lines = [[printable(cell) for cell in line] for line in (header, *rows)]
    widths = [max(_width(line[column]) for line in lines) for column in range(len(header))]
    right = [all(NUMBER.fullmatch(line[column]) for line in lines[1:]) for column in range(len(header))]
    return "\n".join("  " + "  ".join(map(_padded, line, widths, right)).rstrip() for line in lines)


def _padded(cell: str, width: int, right: bool) -> str:
    space = " " * (width - _width(cell))
    return space + cell if right else cell + space


def _width(text: str) -> int:
    """Columns a text takes: two for a wide character, none for an accent on the one before."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF") for c in text)


def p_words(p: float) -> str:
    """Write a p-value with its letter: p = 0.012."""
    return f"p {'' if p < SMALLEST_P else '= '}{p_number(p)}"


def p_number(p: float) -> str:
    """Write a p-value as it stands in a table: 0.012, < 0.001."""
    return f"< {SMALLEST_P}" if p < SMALLEST_P else f"{p:.3f}"
