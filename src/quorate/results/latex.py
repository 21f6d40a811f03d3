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
WIDE, NARROW, LEAST, LINE = 60, 20, 14, 345.0
"""Letters at which a long cell is broken, at the fewest before smaller type, at the fewest of all; points of a line."""
SIZES = (("", 5.0, 6.0), (r"\small", 4.6, 4.0), (r"\footnotesize", 4.2, 3.0), (r"\scriptsize", 3.7, 2.0))
"""Sizes of type: their name, the points of a letter, and of the space beside a column."""


def latex_text(text: str) -> str:
    """Write text so that LaTeX sets it as it is."""
    line = printable(text)
    signed = MINUS.sub("−", line) if FIGURES.fullmatch(line) else line.replace("--", "-\0-")
    return signed.translate(SIGNS).replace("\0", "{}")


def latex_table(
    caption: str, header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool], note: str
) -> str:
    """Return a float for the package booktabs: type, headings and long cells such that it fits a line of text."""
    longest = [max(len(row[place]) for row in rows) for place in range(len(header))]
    heads = [_heading(name, longest[place]) for place, name in enumerate(header)]
    needed = [max(longest[place], *map(len, parts)) for place, parts in enumerate(heads)]
    size, letter, space, most = _fit(needed)
    cells = [[_broken(cell, most, letter) if len(cell) > most else latex_text(cell) for cell in row] for row in rows]
    head = [_stacked(parts, "r" if right[place] else "l") for place, parts in enumerate(heads)]
    top = [" & ".join(head) + r" \\", r"\midrule"] if any(header) else []
    lines = [r"\toprule", *top, *(" & ".join(row) + r" \\" for row in cells), r"\bottomrule"]
    columns = "".join("r" if each else "l" for each in right)
    said = latex_text(". ".join(part for part in (caption, note) if part))
    style = [f"{size}\\setlength{{\\tabcolsep}}{{{space:g}pt}}"] if size else []
    inside = [*([rf"\caption{{{said}}}"] if said else []), *style, rf"\begin{{tabular}}{{{columns}}}", *lines]
    return "\n".join([r"\begin{table}", r"\centering", *inside, r"\end{tabular}", r"\end{table}"])


def _fit(needed: Sequence[int]) -> tuple[str, float, float, int]:
    """Return the largest type in which the columns fit, broken where that is needed, and where cells break."""
    for size, letter, space in SIZES:
        for most in range(WIDE, NARROW - 1, -2):
            if letter * sum(min(each, most) for each in needed) + 2 * space * len(needed) <= LINE:
                return size, letter, space, most
    return *SIZES[-1], LEAST


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
    """Set a cell on several lines; a word longer than a line may break after its marks, or anywhere."""
    words = re.sub(r"(?<=[-/_@:])(?=\w)", "\1", cell)
    parts = re.sub(rf"[^\s\1]{{{most}}}(?=[^\s\1])", "\\g<0>\1", words).split("\1")
    said = r"\allowbreak{}".join(map(latex_text, parts))
    return rf"\parbox[t]{{{letter * most:.0f}pt}}{{\raggedright {said}\strut}}"
