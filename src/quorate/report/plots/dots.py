"""Dots with whiskers, one row below the other: how values with intervals are drawn everywhere."""

from collections.abc import Sequence
from math import isfinite
from typing import Any

import plotly.graph_objects as go

from quorate.report.plots.style import label

__all__ = ["Span", "dots", "names_axis", "tall"]

Span = tuple[float | None, float | None, float | None]
"""A value with the ends of its interval; None or infinite where there is none."""


def dots(spans: Sequence[Span], at: Sequence[float], words: Sequence[str], name: str, colour: str, symbol: str) -> Any:
    """Return a trace of values with intervals.

    Parameters
    ----------
    spans
        Value, low and high of each.
    at
        Row of each, from the top.
    words
        What to say of each when it is pointed at; may hold plotly's HTML, so names must be escaped.
    name, colour, symbol
        How the legend calls them, and how they look.

    Examples
    --------
    >>> dots([(0.5, 0.4, 0.7)], [0], ["x"], "a", "#2a7fba", "circle").error_x.array
    (0.19999999999999996,)
    """
    reach = [_reach(*span) for span in spans]
    return go.Scatter(
        x=[value if value is not None and isfinite(value) else None for value, _, _ in spans],
        y=list(at),
        mode="markers",
        name=name,
        marker={"color": colour, "size": 11, "symbol": symbol, "line": {"width": 2, "color": colour}},
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [up for up, _ in reach],
            "arrayminus": [down for _, down in reach],
            "color": colour,
            "thickness": 2.5,
            "width": 5,
        },
        text=list(words),
        hovertemplate="%{text}<extra></extra>",
    )


def names_axis(names: Sequence[str]) -> dict[str, Any]:
    """Return an axis with a name at each place, the first on top; names are never taken for numbers or dates.

    Examples
    --------
    >>> names_axis(["2024-01-01", "<i>x</i>"])["ticktext"]
    ['2024-01-01', '&lt;i&gt;x&lt;/i&gt;']
    """
    return {
        "title": "",
        "tickvals": list(range(len(names))),
        "ticktext": [label(name, 48) for name in names],
        "range": [len(names) - 0.4, -0.6],
        "zeroline": False,
    }


def tall(rows: int) -> int:
    """Return the height in pixels for so many rows.

    Examples
    --------
    >>> tall(2), tall(10)
    (198, 470)
    """
    return 130 + 34 * max(rows, 2)


def _reach(value: float | None, low: float | None, high: float | None) -> tuple[float, float]:
    if value is None or low is None or high is None or not isfinite(high - low):
        return 0.0, 0.0
    return high - value, value - low
