"""Plots of a fit: shares of the categories, and the spread of items, observed and expected."""

from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from quorate.report.plots.dots import dots, names_axis, tall
from quorate.report.plots.style import BLUE, ORANGE, figure, label

if TYPE_CHECKING:
    from quorate.fitting.result import Fit

__all__ = ["fit", "fit_spread"]

MOST = 20
"""Categories that are drawn."""


def fit(result: "Fit") -> Any:
    """Draw the observed and the expected share of each category; the spread of items for continuous answers.

    Examples
    --------
    >>> from quorate import fit as verb
    >>> [trace.name for trace in fit(verb("example:support")).data]
    ['observed', 'expected']
    """
    if result.expected is None:
        return fit_spread(result)
    names = [str(name) for name in result.ratings.scale.categories[:MOST]]
    parts = (("observed", result.ratings.response_share, BLUE), ("expected", result.expected, ORANGE))
    bars = [
        go.Bar(
            x=list(range(len(names))),
            y=[100 * float(share) for share in values[: len(names)]],
            name=name,
            marker={"color": colour, "pattern": {"shape": "/" if name == "expected" else "", "fillmode": "replace"}},
            hovertemplate="%{y:.1f} %",
        )
        for name, values, colour in parts
    ]
    return figure(
        bars,
        "Shares of the categories",
        x={"title": "category", "tickvals": list(range(len(names))), "ticktext": [label(n, 14) for n in names]},
        y={"title": f"share of {result.ratings.n_responses:,} responses (%)", "rangemode": "tozero"},
        barmode="group",
        showlegend=True,
    )


def fit_spread(result: "Fit") -> Any:
    """Draw how items spread: the middle 80 % of the observed and of the expected items, with the mean.

    Examples
    --------
    >>> from quorate import fit as verb
    >>> fit_spread(verb("example:support")).layout.annotations[0].text
    'plurality share of an item, 120 items'
    """
    spread = result.spread
    traces = []
    for row, (name, figures, colour, symbol) in enumerate(
        (("observed", spread.observed, BLUE, "circle"), ("expected", spread.expected, ORANGE, "square"))
    ):
        span = (figures["mean"], figures["q10"], figures["q90"])
        words = [f"{name}: mean {figures['mean']:.3g}, 10 to 90 %: {figures['q10']:.3g} to {figures['q90']:.3g}"]
        traces.append(dots([span], [row], words, name, colour, symbol))
    return figure(
        traces,
        "How items differ: mean, and the middle 80 %",
        x={"title": f"{spread.figure} of an item, {spread.n_items:,} items", "zeroline": False},
        y=names_axis(["observed", "expected"]),
        height=max(tall(2), 240),
        showlegend=False,
    )
