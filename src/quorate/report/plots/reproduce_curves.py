"""Figures of the papers drawn again from the points a reproduction computed for them."""

import re
from collections.abc import Sequence
from math import log10
from typing import TYPE_CHECKING, Any, NamedTuple

import plotly.graph_objects as go

from quorate.report.plots.style import PALETTE, SYMBOLS, figure, label, ticks

if TYPE_CHECKING:
    from quorate.reproducing.cell import Cell
    from quorate.reproducing.verb import Reproduction

__all__ = ["Curves", "reproduce_curves", "reproduced_figures"]

POINT = re.compile(r"(?P<group>.+), (?P<line>[^,]+), (?P<axis>[NK]) = (?P<x>\d+)")
"""A point of a figure: ``what is fixed, the line, what varies = where``."""
AXES = {"N": "items", "K": "raters per item"}
LEAST = 1e-4


class Curves(NamedTuple):
    """The lines of one panel of a figure; `cells` maps each to its points in order."""

    paper: str
    table: str
    group: str
    axis: str
    column: str
    cells: dict[str, list[tuple[int, "Cell"]]]


def reproduced_figures(result: "Reproduction", paper: str, table: str) -> list[Curves]:
    """Return the panels of one figure of a paper: points without a printed value, at two places or more.

    Examples
    --------
    >>> from quorate.reproducing.cell import Cell
    >>> from quorate.reproducing.verb import Reproduction
    >>> cells = [Cell("ratings", "Figure 2", f"dices, NK = 100, K = {k}", "p", None, 0.5 / k) for k in (1, 5)]
    >>> [panel.group for panel in reproduced_figures(Reproduction(cells=tuple(cells)), "ratings", "Figure 2")]
    ['dices']
    """
    panels: dict[tuple[str, str, str], dict[str, list[tuple[int, Cell]]]] = {}
    for cell in result.cells:
        point = POINT.fullmatch(cell.row)
        if (cell.paper, cell.table, cell.published) != (paper, table, None) or cell.ours is None or point is None:
            continue
        lines = panels.setdefault((point["group"], point["axis"], cell.column), {})
        lines.setdefault(point["line"], []).append((int(point["x"]), cell))
    return [
        Curves(paper, table, group, axis, column, {line: sorted(lines[line], key=_place) for line in lines})
        for (group, axis, column), lines in panels.items()
        if any(len(points) > 1 for points in lines.values())
    ]


def reproduce_curves(panel: Curves) -> Any:
    """Draw one panel: p on a logarithmic scale, rates on a plain one, against items or raters.

    Examples
    --------
    >>> from quorate.reproducing.cell import Cell
    >>> points = [(k, Cell("ratings", "Figure 2", "", "p", None, 0.5 / k)) for k in (1, 5)]
    >>> reproduce_curves(Curves("ratings", "Figure 2", "dices", "K", "p", {"NK = 100": points})).data[0].name
    'NK = 100'
    """
    a_p = panel.column.split(",")[0] == "p"
    traces = [_line(name, points, place, a_p) for place, (name, points) in enumerate(panel.cells.items())]
    places = [x for points in panel.cells.values() for x, _ in points]
    y: dict[str, Any] = {"title": "expected p" if a_p else panel.column}
    if a_p:
        shown = (0.0001, 0.001, 0.01, 0.05, 0.2, 0.5)
        y |= {"tickvals": [log10(p) for p in shown], "ticktext": [f"{p:g}" for p in shown], "range": [-4.1, 0.0]}
    elif max(cell.ours or 0.0 for points in panel.cells.values() for _, cell in points) <= 1:
        y |= {"range": [-0.02, 1.02]}
    return figure(
        traces,
        label(f"{panel.table}: {panel.group}, {panel.column.split(',')[0]}", 90),
        x={"title": AXES[panel.axis], **ticks(min(places), max(places))},
        y=y,
        height=360,
    )


def _place(point: tuple[int, "Cell"]) -> int:
    return point[0]


def _line(name: str, points: Sequence[tuple[int, "Cell"]], place: int, a_p: bool) -> Any:
    values = [cell.ours or 0.0 for _, cell in points]
    return go.Scatter(
        x=[log10(x) for x, _ in points],
        y=[log10(max(value, LEAST)) if a_p else value for value in values],
        mode="lines+markers",
        name=label(name, 40),
        line={"color": PALETTE[place % len(PALETTE)], "dash": "solid" if place < len(PALETTE) else "dash"},
        marker={"symbol": SYMBOLS[place % len(SYMBOLS)], "size": 8},
        text=[f"{label(name, 40)} at {x}: {value:.3g}" for (x, _), value in zip(points, values, strict=True)],
        hovertemplate="%{text}<extra></extra>",
    )
