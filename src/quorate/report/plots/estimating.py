"""Plots of an estimate: values by method with intervals, and ROC and precision–recall curves with their bands."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from quorate._text import number, percent, printable
from quorate.report.plots.dots import dots, names_axis, tall
from quorate.report.plots.style import GREY, PALETTE, SYMBOLS, band, figure, label

if TYPE_CHECKING:
    from quorate.estimating.methods.method import Estimate
    from quorate.estimating.result import CurveKind, Estimation

__all__ = ["estimate", "estimate_curve", "estimate_groups"]

MOST = 24
"""Rows of estimates that are drawn."""
AXES = {
    "roc": ("false positive rate (%)", "true positive rate (%)", "ROC"),
    "precision-recall": ("recall (%)", "precision (%)", "Precision and recall"),
}


def estimate(result: "Estimation") -> Any:
    """Draw every estimate with its interval, methods side by side.

    Examples
    --------
    >>> from quorate import estimate as verb
    >>> files = ("example:moderation", "example:moderation-experts", "example:moderation-scores")
    >>> [trace.name for trace in estimate(verb(*files, metric=["auc", "f1"], draws=50)).data]
    ['maven', 'gt']
    """
    several = len({row.system for row in result.estimates if row.system}) > 1
    rows = [(_name(row, several), row) for row in result.estimates]
    size = f"{result.n_items:,} items, {sum(result.n_experts):,} expert labels"
    return _by_method(rows, f"Estimates by method, {_level(result)} intervals", f"value; {size}")


def estimate_groups(result: "Estimation") -> Any:
    """Draw the estimates within every group of items, methods side by side.

    Examples
    --------
    >>> from quorate import simulate, estimate as verb
    >>> crowd = simulate("irt", items=1000, raters=3, expert_share=0.4)
    >>> site = crowd.votes["item"].str.slice(-1).is_in(["0", "1", "2"]).cast(str)
    >>> result = verb(crowd.votes.with_columns(site=site), crowd.experts, metric="prevalence", by="site", draws=50)
    >>> list(estimate_groups(result).layout.yaxis.ticktext)
    ['false: prevalence', 'true: prevalence']
    """
    several = len({row.system for part in result.groups for row in part.estimates if row.system}) > 1
    rows = [
        (f"{printable(part.group, 16)}: {_name(row, several)}", row)
        for part in result.groups
        for row in part.estimates
        if row.value is not None
    ]
    return _by_method(rows, f"Estimates by group, {_level(result)} intervals", "value")


def _by_method(rows: Sequence[tuple[str, "Estimate"]], title: str, across: str) -> Any:
    """Draw named estimates, one row for each name and a colour for each method."""
    place = {name: i for i, name in enumerate(list(dict.fromkeys(name for name, _ in rows))[:MOST])}
    methods = list(dict.fromkeys(row.method for _, row in rows))
    traces = []
    for m, method in enumerate(methods):
        part = [(name, row) for name, row in rows if row.method == method and name in place]
        shift = 0.56 * ((m + 0.5) / len(methods) - 0.5)
        words = [
            f"{label(name, 60)}, {method}: {number(row.value)} ({number(row.low)} to {number(row.high)})"
            for name, row in part
        ]
        spans = [(row.value, row.low, row.high) for _, row in part]
        look = m % len(PALETTE)
        at = [place[name] + shift for name, _ in part]
        traces.append(dots(spans, at, words, method, PALETTE[look], SYMBOLS[look]))
    return figure(
        traces,
        title,
        x={"title": across, "zeroline": False},
        y=names_axis(list(place)),
        height=max(tall(len(place)), 90 + len(place) * (14 + 14 * len(methods))),
        showlegend=True,
    )


def estimate_curve(result: "Estimation", kind: "CurveKind") -> Any:
    """Draw ROC or precision–recall curves, the band of the first one shaded.

    Examples
    --------
    >>> from quorate import estimate as verb
    >>> files = ("example:moderation", "example:moderation-experts", "example:moderation-scores")
    >>> estimate_curve(verb(*files, metric=["auc"], draws=50), "roc").layout.yaxis.title.text
    'true positive rate (%)'
    """
    across, up, title = AXES[kind]
    traces = []
    for i, (method, system) in enumerate(result.curve_keys):
        curve = result.curve(kind, system=system, method=method).fill_nan(None).drop_nulls()
        x, value, low, high = ((100 * curve[name]).to_list() for name in ("x", "value", "low", "high"))
        colour, dash = PALETTE[i % len(PALETTE)], ("solid", "dash", "dot")[i]
        if i == 0:
            traces.append(band(x, low, high, colour))
        line = {"color": colour, "width": 2.5, "dash": dash}
        name = label(f"{method}, {system}" if len({s for _, s in result.curve_keys}) > 1 else method)
        traces.append(
            go.Scatter(x=x, y=value, mode="lines", line=line, name=name, hovertemplate="%{x:.0f}: %{y:.0f} %")
        )
    chance = {"type": "line", "x0": 0, "x1": 100, "y0": 0, "y1": 100, "line": {"color": GREY, "dash": "dash"}}
    return figure(
        traces,
        f"{title}, {_level(result)} band of {label(result.curve_keys[0][0])}",
        x={"title": across, "range": [0, 100], "constrain": "domain"},
        y={"title": up, "range": [0, 102]},
        height=360,
        shapes=[chance] if kind == "roc" else [],
        showlegend=True,
    )


def _name(row: "Estimate", several: bool) -> str:
    return f"{printable(row.system, 16)}: {row.metric}" if several and row.system else row.metric


def _level(result: "Estimation") -> str:
    return percent(result.confidence)
