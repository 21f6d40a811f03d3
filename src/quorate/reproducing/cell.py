"""One published figure beside ours, and what the difference means.

Figures as the papers print them stand in the folder `figures`, one CSV file per table, in the
paper's order. There 0 stands for a printed "0" or "< 10⁻⁵", an empty field for a figure that is not
printed, or cannot be read with certainty in the copy at hand.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from math import hypot, sqrt
from types import NoneType
from typing import Any, Literal, TypeAlias, TypedDict

import polars as pl

Verdict: TypeAlias = Literal["match", "differs", "not reproducible"]
CellKind: TypeAlias = Literal["figure", "p", "claim"]
"""What is printed: a figure, a p-value to be drawn beside ours, or a statement of the text, 1 where it holds."""

ERRORS = 5.0
"""Combined Monte-Carlo errors within which two figures are the same."""


class FigurePoint(TypedDict):
    """Where a point of a figure stands: what its panel fixes, its line, what varies and where."""

    panel: str
    line: str
    axis: Literal["N", "K"]
    place: int


@dataclass(frozen=True)
class Cell:
    """One published figure beside ours, where it stands, and what it says.

    ``ours`` is None where it cannot be computed, ``published`` where a figure prints no value; then
    ``point`` is where it stands in the figure. Errors are Monte-Carlo standard errors, 0 where
    exact or unknown; ``tolerance`` is a difference that is expected beside them, such as that of
    rounding. The two are ``expected`` to match or not; ``reason`` says why they differ, why no
    figure can be had, or what the tolerance stands for.
    """

    paper: str
    table: str
    row: str
    column: str
    published: float | None
    ours: float | None = None
    error: float = 0.0
    published_error: float = 0.0
    tolerance: float = 0.0
    expected: bool = True
    reason: str = ""
    kind: CellKind = "figure"
    point: FigurePoint | None = None

    @property
    def difference(self) -> float | None:
        """Ours minus theirs."""
        return None if self.ours is None or self.published is None else self.ours - self.published

    @property
    def verdict(self) -> Verdict:
        """Match within 5 combined errors or the tolerance, whichever is larger."""
        if self.difference is None:
            return "not reproducible"
        allowed = max(self.tolerance, ERRORS * hypot(self.error, self.published_error))
        return "match" if abs(self.difference) <= allowed + 1e-12 else "differs"

    @property
    def fails(self) -> bool:
        """Whether it was expected to match and does not."""
        return self.expected and self.verdict != "match"

    def to_dict(self) -> dict[str, Any]:
        """Return the cell with its difference and verdict."""
        return {**asdict(self), "difference": self.difference, "verdict": self.verdict}


KINDS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("paper", "table", "row", "column", "reason", "kind"), (str,)),
    **dict.fromkeys(("published", "ours"), (float, int, NoneType)),
    **dict.fromkeys(("error", "published_error", "tolerance"), (float, int)),
    "expected": (bool,),
    "point": (dict, NoneType),
}
"""What the fields of a cell hold."""
POINT = {"panel": str, "line": str, "axis": str, "place": int}


def is_cell(found: object) -> bool:
    """Tell whether something read from a journal has the fields of a cell."""
    return (
        isinstance(found, dict)
        and found.keys() == KINDS.keys()
        and all(type(found[name]) in kinds for name, kinds in KINDS.items())
        and _is_point(found["point"])
    )


def _is_point(found: Mapping[str, object] | None) -> bool:
    return found is None or (
        found.keys() == POINT.keys() and all(isinstance(found[name], kind) for name, kind in POINT.items())
    )


def claim(paper: str, table: str, row: str, column: str, *, holds: bool, reason: str, expected: bool = True) -> Cell:
    """Return a statement of the text as a cell: 1 where it holds."""
    return Cell(
        paper, table, row, column, published=1.0, ours=float(holds), expected=expected, reason=reason, kind="claim"
    )


def absent(paper: str, table: str, row: str, column: str, published: float | None, reason: str) -> Cell:
    """Return a cell that cannot be computed, and is not expected to be."""
    return Cell(paper, table, row, column, published=published, expected=False, reason=reason)


def point(
    paper: str,
    table: str,
    at: FigurePoint,
    column: str,
    ours: float,
    error: float,
    reason: str,
    kind: CellKind = "figure",
) -> Cell:
    """Return a point of a figure that prints no value: to be drawn."""
    row = f"{at['panel']}, {at['line']}, {at['axis']} = {at['place']}"
    return Cell(paper, table, row, column, None, ours, error, expected=False, reason=reason, kind=kind, point=at)


@cache
def read_figures(name: str) -> list[dict[str, Any]]:
    """Return the rows of one file of printed figures, each by column; None where a field is empty."""
    with (files("quorate.reproducing") / "figures" / f"{name}.csv").open("rb") as file:
        return pl.read_csv(file).to_dicts()


def rate_error(rate: float, n: int) -> float:
    """Return the Monte-Carlo error of a rate over n studies; of 0 or 1, as if one had differed."""
    return sqrt(max(rate * (1 - rate), 1 / n) / n)
