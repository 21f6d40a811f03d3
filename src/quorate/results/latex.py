"""A table as LaTeX sets it: no wider than a line of text, and every name as it is written."""

import re
from collections.abc import Sequence

from quorate._text import printable

MATHS = {"α": "alpha", "ε": "varepsilon", "ρ": "rho", "ω": "omega", "×": "times", "±": "pm", "≥": "geq", "≤": "leq"}
"""Signs that LaTeX has only between dollars."""
SIGNS = str.maketrans(
    {
        **{character: f"\\{character}" for character in "&%$#_{}"},
        **{character: f"{{{character}}}" for character in "[]*"},  # which after a row's end would say more
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "`": r"\textasciigrave{}",
        "|": r"\textbar{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "–": "--",
        **{sign: f"$\\{name}$" for sign, name in MATHS.items()},
        "−": "$-$",
        "█": "",
    }
)
MINUS = re.compile(r"(?<![^\s(])-(?=[\d.])")
FIGURES = re.compile(r"[-\d.,<>\s%()]*\d(\s?%)?(\sto\s-?[\d.,]+)?")
FOREIGN = re.compile("[^\x00-ſ–−█€α-ω×±≥≤‘’“”…]")
"""Letters for which pdflatex has no font of its own."""
ENGINES = "% pdflatex has not all letters of these names: run lualatex or xelatex, with \\setmainfont."
WIDE, NARROW, LEAST, LINE = 60, 20, 8, 345.0
"""Letters at which a long cell is broken, at the fewest before smaller type, at the fewest of all; points of a line."""
SIZES = (("", 5.0, 6.0), (r"\small", 4.63, 4.0), (r"\footnotesize", 4.25, 3.0), (r"\scriptsize", 3.99, 2.0))
"""Sizes of type: their name, the points of a figure in Computer Modern, and of the space beside a column."""
WIDTHS = {
    **dict.fromkeys("ijl|!.,:;'I", 0.56),
    **dict.fromkeys("frst()[]-/ ", 0.78),
    **dict.fromkeys("bdhknpquvxy", 1.08),
    **dict.fromkeys("ABCDEFGHJKLNOPQRSTUVXYZ", 1.5),
    **dict.fromkeys("%mwMW+=<>×±≤≥−", 1.67),
}
"""How wide a letter is beside a figure, at the most of its kind."""


def latex_text(text: str) -> str:
    """Write text so that LaTeX sets it as it is."""
    line = printable(text)
    signed = MINUS.sub("−", line) if FIGURES.fullmatch(line) else line.replace("--", "-\0-")
    return signed.translate(SIGNS).replace("\0", "{}")


def latex_table(
    caption: str, header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool], note: str
) -> str:
    """Return a float for the package booktabs: type, headings and long cells such that it fits a line of text."""
    columns = [[row[place] for row in rows] for place in range(len(header))]
    heads = [_heading(name, max(map(len, cells))) for name, cells in zip(header, columns, strict=True)]
    size, letter, space, most = _fit(columns, heads)
    cells = [[_broken(cell, most, letter) if len(cell) > most else latex_text(cell) for cell in row] for row in rows]
    head = [_stacked(parts, "r" if right[place] else "l") for place, parts in enumerate(heads)]
    top = [" & ".join(head) + r" \\", r"\midrule"] if any(header) else []
    lines = [r"\toprule", *top, *(" & ".join(row) + r" \\" for row in cells), r"\bottomrule"]
    sides = "".join("r" if each else "l" for each in right)
    said = latex_text(". ".join(part for part in (caption, note) if part))
    style = [f"{size}\\setlength{{\\tabcolsep}}{{{space:g}pt}}"] if size else []
    inside = [*([rf"\caption{{{said}}}"] if said else []), *style, rf"\begin{{tabular}}{{{sides}}}", *lines]
    return "\n".join([r"\begin{table}", r"\centering", *inside, r"\end{tabular}", r"\end{table}"])


def _fit(columns: Sequence[Sequence[str]], heads: Sequence[Sequence[str]]) -> tuple[str, float, float, int]:
    """Return the largest type in which the columns fit, broken where that is needed, and where cells break."""
    least = [max(_width(part) for part in parts) for parts in heads]
    for size, letter, space in SIZES:
        fewest = LEAST if (size, letter, space) == SIZES[-1] else NARROW
        for most in range(WIDE, fewest - 1, -2):
            widths = [max(_width(cell, most) for cell in cells) for cells in columns]
            needed = sum(map(max, widths, least))
            if letter * needed + 2 * space * len(columns) <= LINE:
                return size, letter, space, most
    return *SIZES[-1], LEAST


def _width(cell: str, most: int = WIDE) -> float:
    """Return how many figures a cell is as wide as, broken after so many letters."""
    return float(most) if len(cell) > most else sum(WIDTHS.get(letter, 1.0) for letter in cell)


def _heading(name: str, width: int) -> list[str]:
    """Break a heading wider than its column at the space nearest to its middle."""
    spaces = [place for place, letter in enumerate(name) if letter == " "]
    if len(name) <= width or not spaces:
        return [name]
    middle = min(spaces, key=lambda place: abs(2 * place - len(name)))
    return [name[:middle], name[middle + 1 :]]


def _stacked(parts: Sequence[str], side: str) -> str:
    lines = r"\\".join(map(latex_text, parts))
    return lines if len(parts) == 1 else rf"\shortstack[{side}]{{{lines}}}"


def _broken(cell: str, most: int, letter: float) -> str:
    """Set a cell on several lines; a word that a line may not hold may break after its marks, or anywhere."""
    short = 3 * most // 4  # letters that are wider than figures fit too
    words = re.sub(r"(?<=\w[-/_@:])(?=\w)", "\1", cell)
    parts = re.sub(rf"[^\s\1]{{{short}}}(?=[^\s\1])", "\\g<0>\1", words).split("\1")
    said = r"\allowbreak{}".join(map(latex_text, parts))
    return rf"\parbox[t]{{{letter * most:.0f}pt}}{{\raggedright {said}\strut}}"
