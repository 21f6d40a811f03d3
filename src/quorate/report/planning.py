"""A plan's page and plots: what to buy, what else could be bought, and what each size promises."""

from collections.abc import Mapping, Sequence
from math import log10
from typing import Any

import plotly.graph_objects as go

from quorate._text import count, number, percent
from quorate.planning.result import Planned
from quorate.planning.search import StudySize
from quorate.planning.words import items_asked_for, money
from quorate.report.page import Page, Plot, Section, assemble, draw
from quorate.report.style import BLUE, GREY, ORANGE, figure, label, ticks
from quorate.results.table import integer

METHOD = (
    "Power is the chance that the two-sided test of one study calls the better system better. It "
    "is worked out from the law of one item's difference at each number of raters, for every "
    "number of items at once [forest], [ratings], [guenther1981]; the cheapest size that reaches "
    "the goal is recommended.",
    "Expected p is the papers' quantity, the mean one-sided p over studies [forest]: it is no "
    "promise for one study and only stands beside power. “Smallest seen” is the smallest "
    "difference that a size shows with the wanted chance, “ends open” the chance that a study "
    "tells nobody apart.",
    "Decide the number now: buying more after a look raises the error rate.",
)
NEAR = 3.0
"""Studies that cost more than so many times the best are not drawn: they hide the choice."""
COLUMNS = 14
"""Columns of a map that have room for their numbers."""


def plan_page(result: Planned, command: str = "") -> Page:
    """Return the page of a plan."""
    tables = result.tables()
    curves = [
        *([_cost(result)] if len(result.by_raters) > 1 else []),
        *([_power(result)] if len(result.curve) > 1 else []),
    ]
    return assemble(
        result,
        facts=_facts(result),
        sections=[
            Section("What the choice costs" if len(curves) > 1 else "What more items would do", plots=curves),
            Section("What to buy", tables=[tables["purchases"]], text=_pilot(result)),
            Section("By metric", tables=[tables["metrics"]] if "metrics" in tables else []),
            Section("How many people", plots=[_people(result)] if result.by_pool else []),
            Section("Other sizes", plots=[_sizes(result)] if len(result.sizes) > 1 else []),
        ],
        method=METHOD,
        command=command,
    )


def _facts(result: Planned) -> list[tuple[str, str]]:
    best = result.best
    price = [] if best.cost == best.responses else [("cost", money(best.cost))]
    return [
        ("items", integer(best.n_items)),
        ("raters per item", integer(best.n_raters)),
        ("ratings", integer(best.responses)),
        *price,
        ("power", percent(best.power)),
        ("difference", number(best.difference)),
    ]


def _cost(result: Planned) -> Plot:
    sizes, best = result.by_raters, result.best
    alt = (
        f"Line of what the cheapest sufficient study costs by raters per item, {sizes[0].n_raters} to "
        f"{sizes[-1].n_raters}; the recommended one, {count(best.n_raters, 'rater')}, costs {money(best.cost)}."
    )
    return draw(plan(result), alt, result.tables()["all raters"])


def _power(result: Planned) -> Plot:
    points = ", ".join(f"{percent(power)} with {n:,}" for n, power in result.curve)
    return draw(plan_power(result), f"Line of power by number of items: {points} items.", result.tables()["curve"])


def _sizes(result: Planned) -> Plot:
    many = len(result.sizes)
    alt = f"Map of power over items and raters per item, {many} sizes; a line parts those that meet the goal."
    return draw(plan_sizes(result), alt, result.sizes_table())


def _people(result: Planned) -> Plot:
    fewest, most = result.by_pool[0], result.by_pool[-1]
    alt = (
        f"Line of power by number of people who share the work: {percent(fewest.size.power)} with {fewest.pool:,}, "
        f"{percent(most.size.power)} with {most.pool:,}."
    )
    return draw(plan_people(result), alt, result.tables()["people"])


def _pilot(result: Planned) -> list[str]:
    if result.pilot is None:
        return []
    pilot = result.pilot
    doubt = (
        f"A pilot is only a sample: other pilots like this one ({pilot['items']:,} items) would "
        f"{items_asked_for(pilot)} (5 to 95 %). Counting that, power is {percent(pilot['assurance'])}."
    )
    parts = {"items": "between", "raters": "between_raters", "single answers": "within"}
    variances = [f"{name} {number(pilot[key], 4)}" for name, key in parts.items() if pilot.get(key) is not None]
    return [doubt, f"Where the difference varies (variance): {', '.join(variances)}."] if variances else [doubt]


def _near(result: Planned) -> list[StudySize]:
    """Return the cheapest study for each number of raters, without those that cost far too much."""
    rows = sorted(result.by_raters, key=lambda row: row.n_raters)
    least = min(row.cost for row in rows)
    return [row for row in rows if row.cost <= NEAR * least or row.n_raters <= 3]


def plan(result: Planned) -> Any:
    """Draw cost against raters per item; power where all cost the same, as with a budget alone."""
    rows = _near(result)
    by_power = max(row.cost for row in rows) <= 1.05 * min(row.cost for row in rows) and len(rows) > 1
    heights = [100 * row.power if by_power else row.cost for row in rows]
    place = [log10(row.n_raters) for row in rows]
    words = [
        f"{count(row.n_items, 'item')} × {count(row.n_raters, 'rater')}<br>cost {number(row.cost, 0)}, "
        f"power {percent(row.power)}"
        for row in rows
    ]
    line = _line(place, heights, "%{text}<extra></extra>", words)
    best = [i for i, row in enumerate(rows) if row.n_raters == result.best.n_raters][:1]
    unit = "ratings" if result.best.cost == result.best.responses else "money"
    return figure(
        [line, _optimum([place[i] for i in best], [heights[i] for i in best])],
        "Power by raters per item, for the budget" if by_power else "Cost by raters per item, for the goal",
        x={"title": "raters per item", "zeroline": False, **ticks(rows[0].n_raters, rows[-1].n_raters)},
        y={"title": "power (%)" if by_power else f"cost ({unit})", "rangemode": "tozero"},
        annotations=[
            _note(place[i], heights[i], _size(result.best), i * 2 >= len(rows), 70 if by_power else 26) for i in best
        ],
    )


def plan_power(result: Planned) -> Any:
    """Draw power against items, with the goal, the best study and what other pilots would ask for."""
    best, wanted, pilot = result.best, result.goal.chance, result.pilot
    each = "one rater" if best.n_raters == 1 else count(best.n_raters, "rater")
    items, power = zip(*result.curve, strict=True)
    line = _line(items, [100 * each for each in power], "%{x:,} items: power %{y:.0f} %<extra></extra>")
    most = 1.06 * result.curve[-1][0]
    shapes = [] if wanted is None else [_level(100 * wanted)]
    # A label 26 pixels below its point covers about 6 to 13 % of power: keep it off the goal's line.
    above = wanted is not None and 0.05 < best.power - wanted < 0.14
    notes = [_note(best.n_items, 100 * best.power, _size(best), best.n_items * 2 > most, 60 if above else 26)]
    if pilot is not None and pilot.get("items_low") is not None and pilot["items_low"] < most:
        shapes.append(_doubt(pilot, most))
        notes.append(_doubt_words(pilot, most))
    return figure(
        [line, _optimum([best.n_items], [100 * best.power])],
        f"Power by number of items, {each} each",
        x={"title": f"items, {each} each", "range": [0, most]},
        y={"title": "power (%)", "range": [0, 104]},
        shapes=shapes,
        annotations=notes,
    )


def plan_people(result: Planned) -> Any:
    """Draw power against the number of people who rate, for the recommended study."""
    rows, wanted, used = result.by_pool, result.goal.chance, None if result.people is None else result.people.pool
    words = [
        f"{row.pool:,} people, {number(row.items_each, 1)} items each: power {percent(row.size.power)}" for row in rows
    ]
    place, heights = [log10(row.pool) for row in rows], [100 * row.size.power for row in rows]
    here = [i for i, row in enumerate(rows) if row.pool == used]
    return figure(
        [
            _line(place, heights, "%{text}<extra></extra>", words),
            _optimum([place[i] for i in here], [heights[i] for i in here]),
        ],
        f"Power by number of people: {count(result.best.n_items, 'item')} × {count(result.best.n_raters, 'rater')}",
        x={"title": "people who rate", "zeroline": False, **ticks(rows[0].pool, rows[-1].pool)},
        y={"title": "power (%)", "range": [0, 104]},
        shapes=[] if wanted is None else [_level(100 * wanted)],
    )


def plan_sizes(result: Planned) -> Any:
    """Draw a map of power over items and raters, with the frontier beyond which the goal is met."""
    power = {(size.n_items, size.n_raters): size.power for size in result.sizes}
    items, raters = (sorted(set(sizes)) for sizes in zip(*power, strict=True))
    cells = [[None if (n, k) not in power else 100 * power[n, k] for n in items] for k in raters]
    chart = go.Heatmap(
        z=cells,
        zmin=0,
        zmax=100,
        text=[["" if value is None else f"{value:.0f}" for value in line] for line in cells],
        texttemplate="%{text}" if len(items) <= COLUMNS else None,
        customdata=[[f"{count(n, 'item')} × {count(k, 'rater')}" for n in items] for k in raters],
        hovertemplate="%{customdata}: power %{z:.0f} %<extra></extra>",
        colorscale=[[0, "#f3f6fa"], [1, "#5fa8d8"]],  # light enough for dark digits, on a dark page too
        textfont={"color": "#1b2430"},
        showscale=len(items) > COLUMNS,
        xgap=1,
        ygap=1,
    )
    wanted = result.goal.chance
    front = [] if wanted is None else _frontier(cells, 100 * wanted)
    step = -(-len(items) // COLUMNS)
    return figure(
        [chart, *front],
        f"Power (%) by items and raters, difference {number(result.best.difference)} in {label(result.metric)}",
        x={
            "title": "items",
            "range": [-0.5, len(items) - 0.5],
            "showgrid": False,
            "zeroline": False,
            "tickvals": list(range(0, len(items), step)),
            "ticktext": [f"{n:,}" for n in items[::step]],
        },
        y={
            "title": "raters per item",
            "range": [-0.55, len(raters) - 0.45],
            "showgrid": False,
            "zeroline": False,
            "tickvals": list(range(len(raters))),
            "ticktext": [str(k) for k in raters],
        },
        height=130 + 44 * len(raters),
        showlegend=bool(front),
    )


def _frontier(cells: list[list[float | None]], wanted: float) -> list[Any]:
    """Part the cells that meet the goal from those that do not; no line where all are alike."""
    x: list[float | None] = []
    y: list[float | None] = []
    for row, line in enumerate(cells):
        enough = [column for column, value in enumerate(line) if value is not None and round(value) >= wanted]
        x += [enough[0] - 0.5] * 2 if enough else [None, None]
        y += [row - 0.5, row + 0.5]
    if all(each is None or each < 0 for each in x):
        return []
    look = {"color": ORANGE, "width": 4}
    name = f"{wanted:g} % or more to the right"
    return [go.Scatter(x=x, y=y, mode="lines", line=look, name=name, hoverinfo="skip")]


def _doubt(pilot: Mapping[str, Any], most: float) -> dict[str, Any]:
    """Shade what other pilots would ask for, as far as the plot reaches."""
    end = min(pilot["items_high"] or most, most)
    span = {"x0": pilot["items_low"], "x1": end, "y0": 0, "y1": 1, "yref": "paper"}
    return {"type": "rect", **span, "fillcolor": GREY, "opacity": 0.18, "line": {"width": 0}, "layer": "below"}


def _doubt_words(pilot: Mapping[str, Any], most: float) -> dict[str, Any]:
    low, high = pilot["items_low"], pilot["items_high"]
    words = f"other pilots:<br>{low:,} " + (f"to {high:,}" if high else "or more")
    middle = (low + min(high or most, most)) / 2
    return {"x": middle, "y": 4, "text": words, "showarrow": False, "yanchor": "bottom", "font": {"size": 11}}


def _size(row: StudySize) -> str:
    return f"{row.n_items:,} × {count(row.n_raters, 'rater')}"


def _line(x: Sequence[float], y: Sequence[float], hover: str, words: Sequence[str] | None = None) -> Any:
    return go.Scatter(
        x=x,
        y=y,
        mode="lines+markers",
        line={"color": BLUE, "width": 2},
        marker={"size": 8},
        text=words,
        hovertemplate=hover,
        showlegend=False,
    )


def _optimum(x: list[float], y: list[float]) -> Any:
    marker = {"size": 15, "color": ORANGE, "symbol": "diamond"}
    return go.Scatter(x=x, y=y, mode="markers", marker=marker, hoverinfo="skip", showlegend=False)


def _note(x: float, y: float, text: str, to_the_left: bool, down: int = 26) -> dict[str, Any]:
    side = {"ax": -14, "xanchor": "right"} if to_the_left else {"ax": 14, "xanchor": "left"}
    return {"x": x, "y": y, "text": f"<b>{text}</b>", "ay": down, "arrowcolor": ORANGE, "arrowwidth": 1.5, **side}


def _level(y: float) -> dict[str, Any]:
    place = {"type": "line", "x0": 0, "x1": 1, "xref": "paper", "y0": y, "y1": y}
    return {**place, "line": {"color": GREY, "dash": "dash"}}
