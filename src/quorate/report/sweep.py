"""A sweep's page and plots: power by raters per item, and the cheapest study of each setting."""

from math import log10
from typing import Any

import plotly.graph_objects as go

from quorate._text import percent
from quorate.planning.sweep import Sweep
from quorate.report.page import Page, Plot, Section, assemble, draw
from quorate.report.style import PALETTE, SYMBOLS, figure, label, ticks
from quorate.results.table import integer

PLOTS = 4
"""Settings that are drawn; the table has them all."""
METHOD = (
    "Every cell is worked out from the law of one item's difference at its number of raters, so "
    "all numbers of items come from the same draws. Expected p is the mean one-sided p over "
    "studies [forest]; power is the chance that the two-sided test of one study sees the "
    "difference, which is what a plan should promise.",
)
LINES = 5
"""Lines in one plot: of more numbers of responses, some from the smallest to the largest."""


def sweep_page(result: Sweep, command: str = "") -> Page:
    """Return the page of a sweep."""
    swept, cheapest = result.settings_swept, result.tables()["cheapest"]
    return assemble(
        result,
        facts=[
            ("cells", integer(len(result.rows))),
            ("populations", integer(len({row.population for row in result.rows}))),
            ("metrics", integer(len({row.metric for row in result.rows}))),
        ],
        sections=[
            Section("At a glance", plots=[_plot(result, key) for key in swept[:PLOTS]]),
            Section("The cheapest study of each setting", tables=[cheapest]),
        ],
        method=METHOD,
        command=command,
    )


def _plot(result: Sweep, key: tuple[str, str, float]) -> Plot:
    rows = result.rows_of(key)
    best = max(rows, key=lambda row: row.power)
    alt = (
        f"Lines of power by raters per item for {key[0]}, {key[1]}, effect {key[2]:g}; the highest is "
        f"{percent(best.power)} with {best.n_items:,} items and {best.n_raters:,} raters each."
    )
    return draw(sweep(result, *key), alt, result.cell_table(key))


def sweep(result: Sweep, population: str | None = None, metric: str | None = None, effect: float | None = None) -> Any:
    """Draw power against raters per item, for the first setting unless one is named."""
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
