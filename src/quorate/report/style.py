"""How every plot looks: colours that the colour-blind tell apart, and one layout.

The page recolours text and grid lines by its style sheet, so a figure has no dark form of its own.
"""

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, log10
from typing import Any

from quorate._text import isolated, printable

# Okabe and Ito's hues, with a contrast of at least 3 to 1 against a white and a near-black page.
BLUE, ORANGE, GREEN, PURPLE, GREY = "#2a7fba", "#d55e00", "#008f68", "#b565a7", "#7d8590"
PALETTE = (BLUE, ORANGE, GREEN, PURPLE, GREY)
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x")
"""Shapes that go with the colours, so that nothing is told by colour alone."""
INK, LINE = "#1d2430", "#dfe3e8"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
LONGEST = 26
Trace = dict[str, Any]
"""What is drawn in one look, in plotly's words."""
Chart = dict[str, Any]
"""Plotly's data and layout as plain values; `plots` makes figures of them."""
Span = tuple[float | None, float | None, float | None]
"""A value with the ends of its interval; None or infinite where there is none."""
POWERS = tuple(float(m * 10**e) for e in range(7) for m in (1, 2, 5))


def label(text: str, most: int = LONGEST) -> str:
    """Make a name from a file safe for a plot, which reads a little HTML, and short."""
    return isolated(html.escape(printable(text, most), quote=False))


def trace(kind: str, **settings: Any) -> Trace:
    """Return what is drawn in one look, as plain values; what is None is left to plotly."""
    return {"type": kind} | {name: value for name, value in settings.items() if value is not None}


def figure(
    traces: Sequence[Trace],
    title: str,
    *,
    x: Mapping[str, Any],
    y: Mapping[str, Any],
    height: int = 340,
    **layout: Any,
) -> Chart:
    """Return a figure in the house style, without traces of no points.

    A page takes the title as a heading; that of an axis is a string with the unit. The width
    follows the page; `layout` is more of plotly's: shapes, annotations and so on.
    """
    side, below = _title_below(x, y)
    data = [each for each in traces if "x" not in each or len(each["x"])]
    named = sum(each.get("showlegend", True) and "name" in each for each in data)
    usual = {
        "template": {},
        "title": {"text": title, "x": 0, "xref": "paper", "font": {"size": 15}},
        "font": {"family": FONT, "size": 13, "color": INK},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "modebar": {"bgcolor": "rgba(0,0,0,0)"},
        "margin": {"l": 8, "r": 18, "t": 44, "b": 62 if below else 8, "pad": 2},
        "height": height,
        "hoverlabel": {"font": {"family": FONT, "size": 12}, "align": "left"},
        "showlegend": named > 1,
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"size": 12}},
        "xaxis": _axis(side),
        "yaxis": _axis(y),
        "annotations": [*below, *layout.pop("annotations", ())],
    }
    return {"data": data, "layout": usual | layout}


def ticks(low: float, high: float) -> dict[str, list[Any]]:
    """Return ticks of an axis of base-10 logarithms, at 1, 2, 5, 10 and so on."""
    shown = [each for each in POWERS if low / 1.01 <= each <= high * 1.01]
    if max(high, 1) / max(low, 1) > 300:
        shown = [each for each in shown if f"{each:g}"[0] == "1"]
    return {"tickvals": [log10(each) for each in shown], "ticktext": [f"{each:,.0f}" for each in shown]}


def curve(
    x: Sequence[float],
    y: Sequence[float],
    words: Sequence[str] | None = None,
    name: str | None = None,
    *,
    place: int = 0,
    hover: str = "%{text}<extra></extra>",
) -> Trace:
    """Return a line with a mark at each point, the words said there; the look goes by its place among the lines."""
    look = place % len(PALETTE)
    return trace(
        "scatter",
        x=list(x),
        y=list(y),
        mode="lines+markers",
        name=name,
        line={"color": PALETTE[look], "width": 2, "dash": "solid" if place < len(PALETTE) else "dash"},
        marker={"symbol": SYMBOLS[look], "size": 8},
        text=words,
        hovertemplate=hover,
        showlegend=name is not None,
    )


def band(x: Sequence[float], low: Sequence[float], high: Sequence[float], colour: str) -> Trace:
    """Return a shaded band between two curves."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return trace(
        "scatter",
        x=[*x, *list(x)[::-1]],
        y=[*high, *list(low)[::-1]],
        fill="toself",
        fillcolor=f"rgba({red},{green},{blue},0.2)",
        line={"width": 0},
        mode="lines",
        hoverinfo="skip",
        showlegend=False,
    )


def dots(
    spans: Sequence[Span], at: Sequence[float], words: Sequence[str], name: str, colour: str, symbol: str
) -> Trace:
    """Return a trace of values with intervals, each at its row from the top.

    The words, said when one is pointed at, may hold plotly's HTML, so names must be escaped.
    """
    reach = [_reach(*span) for span in spans]
    return trace(
        "scatter",
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
    """Return an axis of names, the first on top; none is taken for a number or a date."""
    return {
        "title": "",
        "tickvals": list(range(len(names))),
        "ticktext": [label(name, 48) for name in names],
        "range": [len(names) - 0.4, -0.6],
        "zeroline": False,
    }


@dataclass(frozen=True)
class PlotPanel:
    """A part of a figure with rows of names and an axis of its own; ``zero`` draws a line there."""

    title: str
    traces: Sequence[Trace]
    names: Sequence[str]
    height: int
    zero: bool = False


def stack(panels: Sequence[PlotPanel], title: str, below: str) -> Chart:
    """Return panels one above the other: what has another scale has another axis."""
    above = 34 if len(panels) > 1 else 0  # room for a panel's title, and for the numbers of the axis before
    whole = sum(panel.height + 2 * above for panel in panels) - above
    top, axes, words, lines = float(whole), {}, [], []
    every: list[Trace] = []
    for i, panel in enumerate(panels):
        key = "" if i == 0 else str(i + 1)
        top -= above
        place = {"x": 0, "xref": "paper", "xanchor": "left", "y": top / whole, "yref": "paper", "yanchor": "bottom"}
        words += [{"text": f"<b>{panel.title}</b>", **place, "yshift": 4, "showarrow": False}] if above else []
        axes[f"xaxis{key}"] = _axis({"title": "", "zeroline": False, "anchor": f"y{key}", "nticks": 5, "tickangle": 0})
        rows = {**names_axis(panel.names), "anchor": f"x{key}", "domain": [(top - panel.height) / whole, top / whole]}
        axes[f"yaxis{key}"] = _axis(rows)
        lines += [upright(0, dash="dot") | {"xref": f"x{key}", "yref": f"y{key} domain"}] if panel.zero else []
        every += [{**each, "xaxis": f"x{key}", "yaxis": f"y{key}"} for each in panel.traces]
        top -= panel.height + above
    more: dict[str, Any] = {"annotations": words, "shapes": lines, "showlegend": True, **axes}
    return figure(every, title, x={"title": below}, y={"title": ""}, height=whole + 116, **more)


def tall(rows: int) -> int:
    """Return the height in pixels for so many rows."""
    return 130 + 34 * max(rows, 2)


def bin_bars(bins: Sequence[tuple[float, float, int]], colour: str, **look: Any) -> Trace:
    """Return the bars of a histogram; a bin is its low end, its high end and how many are in it."""
    return trace(
        "bar",
        x=[(low + high) / 2 for low, high, _ in bins],
        y=[n for _, _, n in bins],
        width=[0.92 * (high - low) for low, high, _ in bins],
        marker={"color": colour},
        **look,
    )


def upright(x: float, **line: Any) -> dict[str, Any]:
    """Return a grey line from bottom to top."""
    return {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper", "line": {"color": GREY, **line}}


def _title_below(x: Mapping[str, Any], y: Mapping[str, Any]) -> tuple[Mapping[str, Any], list[dict[str, Any]]]:
    """Let the title end at the right edge: beside long names a centred one would be cut off."""
    if y["title"]:
        return x, []
    place = {"x": 1, "xref": "paper", "xanchor": "right", "y": 0, "yref": "paper", "yanchor": "top", "yshift": -24}
    look = {"font": {"size": 12}, "align": "right", "showarrow": False}
    return {**x, "title": ""}, [{"name": "x title", "text": x["title"], **place, **look}]


def _axis(settings: Mapping[str, Any]) -> dict[str, Any]:
    usual = {
        "automargin": True,
        "gridcolor": LINE,
        "zerolinecolor": LINE,
        "showline": False,
        "ticks": "",
        "fixedrange": True,
        "separatethousands": True,
        "ticklabeloverflow": "allow",
        "title": {"text": settings["title"], "font": {"size": 12}, "standoff": 8},
    }
    return usual | {key: value for key, value in settings.items() if key != "title"}


def _reach(value: float | None, low: float | None, high: float | None) -> tuple[float, float]:
    if value is None or low is None or high is None or not isfinite(high - low):
        return 0.0, 0.0
    return high - value, value - low
