"""Plots of a comparison: intervals with the margin, the ranking with its tied sets, and the groups."""

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

import plotly.graph_objects as go

from quorate._text import number, percent, printable
from quorate.comparing.words import in_reading_order
from quorate.report.plots.dots import dots, names_axis, tall
from quorate.report.plots.style import BLUE, GREEN, GREY, ORANGE, figure, label

if TYPE_CHECKING:
    from quorate.comparing.result import Comparison, Pair

__all__ = ["compare", "compare_groups", "compare_items", "compare_ranks"]

MOST = 30
"""Rows of an interval plot; more of them nobody reads."""
LOOKS = {
    "a_better": ("the first is better", BLUE, "circle"),
    "b_better": ("the first is worse", ORANGE, "square"),
    "equivalent": ("equivalent", GREEN, "diamond"),
    "not_worse": ("not worse", GREEN, "triangle-right"),
    "identical": ("identical", GREY, "x"),
    "inconclusive": ("not told apart", GREY, "circle-open"),
}


def compare(result: "Comparison") -> Any:
    """Draw the difference of every pair with its interval, the margin shaded.

    Examples
    --------
    >>> from quorate import compare as verb
    >>> compare(verb("example:support", "example:support-answers")).layout.annotations[0].text
    'difference in agreement, 120 items'
    """
    many = len({pair.metric for pair in result.pairs}) > 1
    pairs = in_reading_order(result)[:MOST]
    rows = [(f"{_who(pair)}{f', {pair.metric}' if many else ''}", pair) for pair in pairs]
    return _intervals(rows, result, "Difference between systems")


def compare_items(result: "Comparison", pair: int = 0) -> Any:
    """Draw how a pair's difference spreads over single items, the mean with its interval on top.

    Examples
    --------
    >>> from quorate import compare as verb
    >>> compare_items(verb("example:support", "example:support-answers")).layout.yaxis.title.text
    'items (of 120)'
    """
    shown, bins = result.pairs[pair], result.item_bins(pair)
    sides = ((f"{shown.b} better", ORANGE, -1), ("the same", GREY, 0), (f"{shown.a} better", BLUE, 1))
    traces = []
    for name, colour, side in sides:
        part = [each for each in bins if _side(each) == side]
        traces.append(
            go.Bar(
                x=[(low + high) / 2 for low, high, _ in part],
                y=[n for _, _, n in part],
                width=[0.92 * (high - low) for low, high, _ in part],
                marker={"color": colour},
                name=label(name),
                hovertemplate="about %{x:.3g}: %{y} items<extra></extra>",
            )
        )
    line = {"color": GREY, "dash": "dash"}
    mean = {"type": "line", "x0": shown.difference, "x1": shown.difference, "y0": 0, "y1": 1, "yref": "paper"}
    return figure(
        traces,
        f"Difference item by item, mean {number(shown.difference)} dashed",
        x={"title": f"difference in {label(shown.metric, 40)} on an item", "showgrid": False, "zeroline": False},
        y={"title": f"items (of {shown.n_items:,})", "rangemode": "tozero"},
        shapes=[{**mean, "line": line}],
    )


def _side(each: tuple[float, float, int]) -> int:
    low, high, _ = each
    return 0 if low < 0 < high else 1 if low > 0 else -1


def compare_groups(result: "Comparison") -> Any:
    """Draw the difference within every group of items.

    Examples
    --------
    >>> from quorate import compare as verb
    >>> drawn = compare_groups(verb("example:support", "example:support-answers", by="channel"))
    >>> list(drawn.layout.yaxis.ticktext)
    ['app (32)', 'phone (28)', 'web (60)']
    """
    many = len(result.pairs) > 1
    rows = [
        (f"{printable(group.group, 16)} ({group.n_items:,})" + (f": {_who(pair)}, {pair.metric}" if many else ""), pair)
        for group in result.groups
        for pair in group.pairs
    ]
    return _intervals(rows[:MOST], result, f"Difference by {label(str(result.by))} (items)")


def compare_ranks(result: "Comparison") -> Any:
    """Draw every system's score with its interval, best first; a bar joins systems that are not told apart.

    Examples
    --------
    >>> from quorate import compare as verb
    >>> compare_ranks(verb("example:support", "example:support-answers")).layout.annotations[0].text
    'agreement (high is good), 120 items'
    """
    ranking = result.ranking[:MOST]
    place = {standing.system: i for i, standing in enumerate(ranking)}
    traces = []
    for best, name, colour, symbol in ((True, "could be best", BLUE, "circle"), (False, "beaten", GREY, "circle-open")):
        part = [s for s in ranking if s.could_be_best == best]
        words = [f"{label(s.system)}: {number(s.score)}<br>rank {s.rank_low} to {s.rank_high}" for s in part]
        spans = [(s.score, s.low, s.high) for s in part]
        traces.append(dots(spans, [place[s.system] for s in part], words, name, colour, symbol))
    for i, group in enumerate(result.tied):
        at = [place[name] for name in group if name in place]
        traces.append(_tie(i, at))
    first = result.pairs[0]
    side = "low" if first.better == "low" else "high"
    drawn = figure(
        [trace for trace in traces if len(trace.x)],
        "Ranking" if not result.tied else "Ranking; bars to the right join systems that are not told apart",
        x={"title": f"{label(first.metric)} ({side} is good), {first.n_items:,} items", "zeroline": False},
        y=names_axis([f"{printable(s.system, 18)} {_rank(s.rank_low, s.rank_high)}" for s in ranking]),
        height=tall(len(ranking)),
        showlegend=True,
    )
    if result.tied:
        drawn.update_layout(xaxis_domain=[0, 0.88])
        drawn.update_layout(xaxis2={"domain": [0.9, 1], "visible": False, "fixedrange": True, "range": [-1, 6]})
    return drawn


def _rank(low: int, high: int) -> str:
    return f"({low})" if low == high else f"({low}–{high})"


def _tie(i: int, at: list[int]) -> Any:
    return go.Scatter(
        x=[i % 6] * len(at),
        y=sorted(at),
        xaxis="x2",
        mode="lines+markers",
        line={"color": GREY, "width": 3},
        marker={"size": 6},
        hoverinfo="skip",
        showlegend=False,
    )


def _intervals(rows: Sequence[tuple[str, "Pair"]], result: "Comparison", title: str) -> Any:
    traces = []
    for verdict, (name, colour, symbol) in LOOKS.items():
        part = [(i, pair) for i, (_, pair) in enumerate(rows) if pair.verdict == verdict]
        spans = [(pair.difference, *pair.deciding[:2]) for _, pair in part]
        words = [_words(pair) for _, pair in part]
        traces.append(dots(spans, [i for i, _ in part], words, name, colour, symbol))
    first, margin = result.pairs[0], result.margin
    metrics = {pair.metric for _, pair in rows}
    measure = f"difference in {label(first.metric, 60)}" if len(metrics) == 1 else "difference"
    line = {"type": "line", "x0": 0, "x1": 0, "y0": 0, "y1": 1, "yref": "paper", "line": {"color": GREY, "width": 1.5}}
    shade = {"type": "rect", "x0": -(margin or 0), "x1": margin or 0, "y0": 0, "y1": 1, "yref": "paper"}
    look = {"fillcolor": GREEN, "opacity": 0.15, "line": {"width": 0}, "layer": "below"}
    adjusted = "" if first.p_adjusted is None else ", all comparisons counted"
    unit = "" if title.startswith("Difference by") else f", {first.n_items:,} items"
    return figure(
        [trace for trace in traces if len(trace.x)],
        f"{title}, {percent(first.confidence)} intervals{adjusted}"
        + (f"; margin ±{margin:g} shaded" if margin else ""),
        x={"title": f"{measure}{unit}", "zeroline": False},
        y=names_axis([name for name, _ in rows]),
        height=tall(len(rows)),
        shapes=[line, *([shade | look] if margin else [])],
    )


def _words(pair: "Pair") -> str:
    low, high, p = pair.deciding
    ends = f"{number(low)} to {number(high)}" if isfinite(high - low) else "no interval"
    return f"{label(_who(pair, 40), 90)}<br>{number(pair.difference)} ({ends}), p = {p:.3g}<br>{pair.n_items:,} items"


def _who(pair: "Pair", most: int = 12) -> str:
    return f"{printable(pair.a, most)} − {printable(pair.b, most)}"
