"""How results speak in plain text: numbers people can read, and small aligned tables."""

import re
from collections.abc import Sequence

__all__ = ["count", "number", "percent", "printable", "table"]

NUMBER = re.compile(r"[-–+<>]?[0-9.,]*( %)?")


def number(value: float | None, digits: int = 3) -> str:
    """Write a number with as many significant digits as carry meaning; None as a dash.

    Examples
    --------
    >>> number(0.12345), number(12345.6), number(None)
    ('0.123', '12,346', '–')
    """
    if value is None:
        return "–"
    if abs(value) >= 1000 or digits == 0:
        return f"{value:,.0f}"
    return f"{value:.{digits}f}" if abs(value) < 10 else f"{value:.1f}"


def percent(share: float) -> str:
    """Write a share as a percentage, never rounding something to nothing or to all.

    Examples
    --------
    >>> percent(0.257), percent(0.0004), percent(1.0)
    ('26 %', '<1 %', '100 %')
    """
    if 0 < share < 0.005:
        return "<1 %"
    return ">99 %" if 0.995 <= share < 1 else f"{100 * share:.0f} %"


def count(n: int, noun: str, plural: str | None = None) -> str:
    """Write a number with its noun.

    Examples
    --------
    >>> count(1, "item"), count(2400, "item")
    ('1 item', '2,400 items')
    """
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def printable(text: str, most: int | None = None) -> str:
    r"""Make text from a file safe for a terminal: one line, no control characters, at most so many characters.

    Examples
    --------
    >>> printable("two\nlines \x1b[31mred"), printable("a very long name", most=8)
    ('two lines �[31mred', 'a very …')
    """
    line = " ".join(text.split())
    safe = line if line.isprintable() else "".join(c if c.isprintable() else "�" for c in line)
    return safe if most is None or len(safe) <= most else safe[: most - 1] + "…"


def table(rows: Sequence[Sequence[str]], header: Sequence[str]) -> str:
    """Align columns of text: words to the left, numbers to the right.

    Examples
    --------
    >>> print(table([["a", "1"], ["bc", "10"]], ["name", "n"]))
      name   n
      a      1
      bc    10
    """
    lines = [list(header), *(list(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    right = [all(NUMBER.fullmatch(row[column]) for row in rows) for column in range(len(header))]
    return "\n".join(
        "  "
        + "  ".join(
            cell.rjust(w) if r else cell.ljust(w) for cell, w, r in zip(line, widths, right, strict=True)
        ).rstrip()
        for line in lines
    )
