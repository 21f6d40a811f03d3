"""Plots of a sweep: power by raters per item, a line for each number of responses."""

from math import log10
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from quorate.report.plots.style import PALETTE, SYMBOLS, figure, label, ticks

if TYPE_CHECKING:
    from quorate.planning.sweep import Sweep

__all__ = ["sweep"]

LINES = 5
"""Lines in one plot: of more numbers of responses, some from the smallest to the largest."""


def sweep(
    result: "Sweep", population: str | None = None, metric: str | None = None, effect: float | None = None
) -> Any:
    """Draw power against raters per item at each number of responses; for the first setting unless one is named.

    Examples
    --------
    >>> from quorate.planning.grids import Grid
    >>> from quorate.planning.sweep import sweep as verb
    >>> grid = Grid({"dices": (5.22, 0.86, 2.75)}, ("agreement",), (0.3,), ((600, 600, 1), (600, 300, 2)), answers=1)
    >>> sweep(verb(grid)).data[0].name
    '600 responses'
    """
    first = result.rows[0]
    chosen = (population or first.population, metric or first.metric, first.effect if effect is None else effect)
    rows = [row for row in result.rows if (row.population, row.metric, row.effect) == chosen]
    budgets = sorted({row.responses for row in rows})
    by = "responses" if len(budgets) <= 12 else "n_items"
    sizes = sorted({getattr(row, by) for row in rows})
    shown = [sizes[round(i * (len(sizes) - 1) / (LINES - 1))] for i in range(LINES)] if len(sizes) > LINES else sizes
    traces = []
    for i, size in enumerate(dict.fromkeys(shown)):
        part = sorted((row for row in rows if getattr(row, by) == size), key=lambda row: row.n_raters)
        traces.append(
            go.Scatter(
                x=[log10(row.n_raters) for row in part],
                y=[100 * row.power for row in part],
                mode="lines+markers",
                name=f"{size:,} {'responses' if by == 'responses' else 'items'}",
                line={"color": PALETTE[i], "width": 2},
                marker={"symbol": SYMBOLS[i], "size": 7},
                text=[f"{row.n_items:,} × {row.n_raters}: expected p {row.expected_p:.3g}" for row in part],
                hovertemplate="%{text}, power %{y:.0f} %",
            )
        )
    raters = [row.n_raters for row in rows]
    name, measure, strength = chosen
    return figure(
        traces,
        f"Power by raters per item: {label(name)}, {label(measure)}, effect {strength:g}",
        x={"title": "raters per item", "zeroline": False, **ticks(min(raters), max(raters))},
        y={"title": "power (%)", "range": [0, 104]},
        showlegend=True,
        height=380,
    )
