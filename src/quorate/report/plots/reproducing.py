"""Plots of a reproduction: published p-values beside ours."""

from math import log10
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from quorate.report.plots.style import GREY, PALETTE, SYMBOLS, figure, label

if TYPE_CHECKING:
    from quorate.reproducing.cell import Cell
    from quorate.reproducing.verb import Reproduction

__all__ = ["p_cells", "reproduce"]

LEAST = 1e-4
"""P-values are drawn from here up: below, both say never."""
TICKS = (0.0001, 0.001, 0.01, 0.05, 0.2, 1.0)


def p_cells(result: "Reproduction") -> list["Cell"]:
    """Return the cells that hold a p-value we have too.

    Examples
    --------
    >>> from quorate.reproducing.cell import Cell
    >>> from quorate.reproducing.verb import Reproduction
    >>> len(p_cells(Reproduction(cells=(Cell("forest", "Table 2", "dices", "p of wins", 0.03, 0.031),))))
    1
    """
    printed = [cell for cell in result.cells if cell.ours is not None and cell.published is not None]
    return [cell for cell in printed if cell.column.split(" of ")[0].endswith("p") and not _is_claim(cell)]


def reproduce(result: "Reproduction") -> Any:
    """Draw our p-values against the published ones, a colour and a shape for each paper, with the line of equality.

    Examples
    --------
    >>> from quorate.reproducing.cell import Cell
    >>> from quorate.reproducing.verb import Reproduction
    >>> cell = Cell("forest", "Table 2", "dices", "p of wins", 0.03, 0.031)
    >>> reproduce(Reproduction(cells=(cell,))).data[1].name
    'forest'
    """
    cells = p_cells(result)
    ends = [log10(LEAST), 0.0]
    equal = go.Scatter(
        x=ends, y=ends, mode="lines", line={"color": GREY, "dash": "dash"}, hoverinfo="skip", showlegend=False
    )
    traces = [equal]
    for place, paper in enumerate(dict.fromkeys(cell.paper for cell in cells)):
        own = [cell for cell in cells if cell.paper == paper]
        traces.append(
            go.Scatter(
                x=[_place(cell.published) for cell in own],
                y=[_place(cell.ours) for cell in own],
                mode="markers",
                name=paper,
                marker={"color": PALETTE[place], "symbol": SYMBOLS[place], "size": 8, "opacity": 0.8},
                text=[label(f"{cell.table}, {cell.row}: {cell.column}", 90) for cell in own],
                hovertemplate="%{text}<extra></extra>",
            )
        )
    axis = {"tickvals": [log10(p) for p in TICKS], "ticktext": [f"{p:g}" for p in TICKS], "range": [-4.15, 0.15]}
    return figure(
        traces,
        "Published and reproduced p-values",
        x={"title": "published p", "zeroline": False, **axis},
        y={"title": "our p", "zeroline": False, **axis},
        showlegend=True,
        height=440,
    )


def _is_claim(cell: "Cell") -> bool:
    """Whether it is a statement of a text, 1 where it holds."""
    return cell.published == 1.0 and cell.ours in (0.0, 1.0)


def _place(p: float | None) -> float:
    return log10(max(p or 0.0, LEAST))
