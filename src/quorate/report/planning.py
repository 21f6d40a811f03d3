"""The pages and plots of a plan – what to buy, what else could be bought – and of a sweep: what each size promises."""

from collections.abc import Mapping
from math import log10
from typing import Any

from quorate._text import count, number, percent
from quorate.metrics.meanings import meaning_of
from quorate.planning.grid_sweep import Sweep
from quorate.planning.result import Planned
from quorate.planning.search import StudySize
from quorate.planning.words import money, right_items, say_designs, to_buy
from quorate.report.page import Page, Plot, Section, assemble, draw
from quorate.report.style import GREY, ORANGE, Chart, Trace, curve, figure, label, ticks, trace
from quorate.results.table import Table, integer

POWER = {
    "seen": "the two-sided test of one study calls the better system better",
    "not worse": "the two-sided interval of one study lies above a loss as large as the margin",
    "equivalence": "the two-sided interval of one study lies within the margin on both sides",
}
"""What the power of a plan is the chance of: without a margin, with one, and with equivalence as the goal."""
METHOD = (
    "Power is the chance that {}. It "
    "is worked out from the law of one item's difference at each number of raters, for every "
    "number of items at once [forest], [ratings], [guenther1981]; the cheapest size that reaches "
    "the goal is recommended.",
    "Expected p is the papers' quantity, the mean one-sided p over studies [forest]: it is no "
    "promise for one study and only stands beside power. “Smallest seen” is the smallest "
    "difference that a size shows with the wanted chance, “undecided” the chance that a study "
    "tells nobody apart.",
    "Decide the number now: buying more after a look raises the error rate.",
)
NEAR = 3.0
"""Studies that cost more than so many times the best are not drawn: they hide the choice."""
COLUMNS = 14
"""Columns of a map that have room for their numbers."""
PLOTS = 4
"""Settings that are drawn; the table has them all."""
SWEEP_METHOD = (
    "Every cell is worked out from the law of one item's difference at its number of raters, so "
    "all numbers of items come from the same draws. Expected p is the mean one-sided p over "
    "studies [forest]; power is the chance that the two-sided test of one study sees the "
    "difference, which is what a plan should promise.",
)
LINES = 5
"""Lines in one plot: of more numbers of responses, some from the smallest to the largest."""


def plan_page(result: Planned) -> Page:
    """Return the page of a plan."""
    tables = result.tables()
    curves = [
        *([_cost(result, tables)] if len(result.by_raters) > 1 and result.search.question.there is None else []),
        *([_power(result, tables)] if len(result.curve) > 1 else []),
    ]
    return assemble(
        result,
        facts=_facts(result),
        sections=[
            Section("What the choice costs" if len(curves) > 1 else "What more items would do", plots=curves),
            Section(
                "What to buy",
                tables=[tables["purchases"]],
                text=[*_meaning(result), *_designs(result), *_pilot(result)],
            ),
            Section("Votes for each pair", tables=[tables["neighbours"]] if "neighbours" in tables else []),
            Section("By metric", tables=[tables["metrics"]] if "metrics" in tables else []),
            Section("How many people", plots=[_people(result, tables)] if result.by_pool else []),
            Section("Other sizes", plots=[_sizes(result)] if len(result.sizes) > 1 else []),
        ],
        method=_method(result),
    )


def _method(result: Planned) -> tuple[str, ...]:
    question = result.search.question
    equal = question.wanted.kind == "equivalence"
    shown = "seen" if question.margin is None else "equivalence" if equal else "not worse"
    return METHOD[0].format(POWER[shown]), *METHOD[1:]


def _facts(result: Planned) -> list[tuple[str, str]]:
    best, question = result.best, result.search.question
    price = [("cost", money(best.cost, question.currency))] if question.priced else []
    difference = ("difference", number(question.shown_difference(best.difference)))
    margin = [] if question.margin is None else [("margin", number(question.margin))]
    promise = [
        ("power", percent(best.power)),
        *margin,
        *([difference] if round(best.difference, 3) or not margin else []),
    ]
    if question.there is not None:
        chosen = result.options[0]
        cost = [("cost from here", money(chosen.cost, question.currency))] if question.priced else []
        size = f"{best.n_items:,} × {best.n_raters}"
        return [("to buy", to_buy(chosen, question.there)), *cost, ("in all, items × raters", size), *promise]
    people = [] if result.people is None else [("people", integer(result.people.used))]
    return [
        ("items", integer(best.n_items)),
        ("raters per item", integer(best.n_raters)),
        ("ratings", integer(best.responses)),
        *people,
        *price,
        *promise,
    ]


def _meaning(result: Planned) -> list[str]:
    """Say what the metrics are, once, where they first stand in a table, unless their names say it."""
    metric = result.search.source.metric
    own = metric.meaning if metric.meaning != metric.title else ""
    told = {metric.title: own or meaning_of(metric.name)}
    told |= {name: meaning_of(name) for name in result.by_metric or () if name != metric.name}
    return [f"{name[:1].upper()}{name[1:]}: {meaning}." for name, meaning in told.items() if meaning]


def _designs(result: Planned) -> list[str]:
    return [say_designs(result.designs)] if result.designs else []


def _cost(result: Planned, tables: Mapping[str, Table]) -> Plot:
    sizes, best = result.by_raters, result.best
    cost = money(best.cost, result.search.question.currency)
    alt = (
        f"Line of what the cheapest sufficient study costs by raters per item, {sizes[0].n_raters} to "
        f"{sizes[-1].n_raters}; the recommended one, {count(best.n_raters, 'rater')}, costs {cost}."
    )
    return draw(plan(result), alt, tables["all raters"])


def _power(result: Planned, tables: Mapping[str, Table]) -> Plot:
    points = ", ".join(f"{percent(power)} with {n:,}" for n, power in result.curve)
    return draw(plan_power(result), f"Line of power by number of items: {points} items.", tables["curve"])


def _sizes(result: Planned) -> Plot:
    many = len(result.sizes)
    alt = f"Map of power over items and raters per item, {many} sizes; a line parts those that meet the goal."
    return draw(plan_sizes(result), alt, result.sizes_table())


def _people(result: Planned, tables: Mapping[str, Table]) -> Plot:
    fewest, most = result.by_pool[0], result.by_pool[-1]
    alt = (
        f"Line of power by number of people who share the work: {percent(fewest.size.power)} with {fewest.pool:,}, "
        f"{percent(most.size.power)} with {most.pool:,}."
    )
    return draw(plan_people(result), alt, tables["people"])


def _pilot(result: Planned) -> list[str]:
    if result.pilot is None:
        return []
    pilot = result.pilot
    doubt = (
        f"A pilot is only a sample, and {pilot['items']:,} items leave the spread open: {right_items(pilot)} "
        f"(5 to 95 %). Counting that, power is {percent(pilot['assurance'])}."
    )
    parts = {"items": "between", "raters": "between_raters", "single answers": "within"}
    variances = [f"{name} {number(pilot[key], 4)}" for name, key in parts.items() if pilot.get(key) is not None]
    return [doubt, f"Where the difference varies (variance): {', '.join(variances)}."] if variances else [doubt]


def _near(result: Planned) -> list[StudySize]:
    """Return the cheapest study for each number of raters, without those that cost far too much."""
    rows = sorted(result.by_raters, key=lambda row: row.n_raters)
    least = min(row.cost for row in rows)
    return [row for row in rows if row.cost <= NEAR * least or row.n_raters <= 3]


def plan(result: Planned) -> Chart:
    """Draw cost against raters per item; power where a budget makes all cost the same."""
    rows = _near(result)
    alike = max(row.cost for row in rows) <= 1.05 * min(row.cost for row in rows) and len(rows) > 1
    by_power = alike and result.search.question.budget is not None
    heights = [100 * row.power if by_power else row.cost for row in rows]
    place = [log10(row.n_raters) for row in rows]
    words = [
        f"{count(row.n_items, 'item')} × {count(row.n_raters, 'rater')}<br>cost {number(row.cost, 0)}, "
        f"power {percent(row.power)}"
        for row in rows
    ]
    line = curve(place, heights, words)
    best = [i for i, row in enumerate(rows) if row.n_raters == result.best.n_raters][:1]
    currency = result.search.question.currency
    every = "for the goal" if result.search.question.item_numbers is None else "at the items asked for"
    unit = label(currency) or ("ratings" if result.best.cost == result.best.responses else "money")
    return figure(
        [line, _optimum([place[i] for i in best], [heights[i] for i in best])],
        "Power by raters per item, for the budget" if by_power else f"Cost by raters per item, {every}",
        x={"title": "raters per item", "zeroline": False, **ticks(rows[0].n_raters, rows[-1].n_raters)},
        y={"title": "power (%)" if by_power else f"cost ({unit})", "rangemode": "tozero"},
        annotations=[
            _note(place[i], heights[i], _size(result.best), i * 2 >= len(rows), 70 if by_power else 26) for i in best
        ],
    )


def plan_power(result: Planned) -> Chart:
    """Draw power against items, with the goal, the best study and what may be right given the pilot."""
    best, wanted, pilot = result.best, result.goal.chance, result.pilot
    each = "one rater" if best.n_raters == 1 else count(best.n_raters, "rater")
    items, power = zip(*result.curve, strict=True)
    line = curve(items, [100 * each for each in power], hover="%{x:,} items: power %{y:.0f} %<extra></extra>")
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


def plan_people(result: Planned) -> Chart:
    """Draw power against the number of people who rate, for the recommended study."""
    rows, wanted, used = result.by_pool, result.goal.chance, None if result.people is None else result.people.used
    words = [
        f"{row.pool:,} people, {number(row.items_each, 1)} items each: power {percent(row.size.power)}" for row in rows
    ]
    place, heights = [log10(row.pool) for row in rows], [100 * row.size.power for row in rows]
    here = [i for i, row in enumerate(rows) if row.pool == used]
    return figure(
        [
            curve(place, heights, words),
            _optimum([place[i] for i in here], [heights[i] for i in here]),
        ],
        f"Power by number of people: {count(result.best.n_items, 'item')} × {count(result.best.n_raters, 'rater')}",
        x={"title": "people who rate", "zeroline": False, **ticks(rows[0].pool, rows[-1].pool)},
        y={"title": "power (%)", "range": [0, 104]},
        shapes=[] if wanted is None else [_level(100 * wanted)],
    )


def plan_sizes(result: Planned) -> Chart:
    """Draw a map of power over items and raters, with the frontier beyond which the goal is met."""
    power = {(size.n_items, size.n_raters): size.power for size in result.sizes}
    items, raters = (sorted(set(sizes)) for sizes in zip(*power, strict=True))
    cells = [[None if (n, k) not in power else 100 * power[n, k] for n in items] for k in raters]
    chart = trace(
        "heatmap",
        z=cells,
        zmin=0,
        zmax=100,
        text=[["" if value is None else f"{abs(value):.0f}" for value in line] for line in cells],
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
    margin = result.search.question.margin
    shown = result.search.question.shown_difference(result.best.difference)
    seen = f"difference {number(shown)}" if margin is None else f"margin {number(margin)}"
    return figure(
        [chart, *front],
        f"Power (%) by items and raters, {seen} in {label(result.search.source.metric.title)}",
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
    return [trace("scatter", x=x, y=y, mode="lines", line=look, name=name, hoverinfo="skip")]


def _doubt(pilot: Mapping[str, Any], most: float) -> dict[str, Any]:
    """Shade the numbers of items that may be right given the pilot, as far as the plot reaches."""
    end = min(pilot["items_high"] or most, most)
    span = {"x0": pilot["items_low"], "x1": end, "y0": 0, "y1": 1, "yref": "paper"}
    return {"type": "rect", **span, "fillcolor": GREY, "opacity": 0.18, "line": {"width": 0}, "layer": "below"}


def _doubt_words(pilot: Mapping[str, Any], most: float) -> dict[str, Any]:
    low, high = pilot["items_low"], pilot["items_high"]
    words = f"may be right:<br>{low:,} " + (f"to {high:,}" if high else "or more")
    middle = (low + min(high or most, most)) / 2
    return {"x": middle, "y": 4, "text": words, "showarrow": False, "yanchor": "bottom", "font": {"size": 11}}


def _size(row: StudySize) -> str:
    return f"{row.n_items:,} × {count(row.n_raters, 'rater')}"


def _optimum(x: list[float], y: list[float]) -> Trace:
    marker = {"size": 15, "color": ORANGE, "symbol": "diamond"}
    return trace("scatter", x=x, y=y, mode="markers", marker=marker, hoverinfo="skip", showlegend=False)


def _note(x: float, y: float, text: str, to_the_left: bool, down: int = 26) -> dict[str, Any]:
    side = {"ax": -14, "xanchor": "right"} if to_the_left else {"ax": 14, "xanchor": "left"}
    return {"x": x, "y": y, "text": f"<b>{text}</b>", "ay": down, "arrowcolor": ORANGE, "arrowwidth": 1.5, **side}


def _level(y: float) -> dict[str, Any]:
    place = {"type": "line", "x0": 0, "x1": 1, "xref": "paper", "y0": y, "y1": y}
    return {**place, "line": {"color": GREY, "dash": "dash"}}


def sweep_page(result: Sweep) -> Page:
    """Return the page of a sweep."""
    swept, cheapest = result.settings_swept, result.tables()["cheapest"]
    cut = f": the first {PLOTS} of {len(swept):,} settings" if len(swept) > PLOTS else ""
    return assemble(
        result,
        facts=[
            ("cells", integer(len(result.rows))),
            ("populations", integer(len({row.population for row in result.rows}))),
            ("metrics", integer(len({row.metric for row in result.rows}))),
        ],
        sections=[
            Section(f"At a glance{cut}", plots=[_setting(result, key) for key in swept[:PLOTS]]),
            Section("The cheapest study of each setting", tables=[cheapest]),
        ],
        method=SWEEP_METHOD,
    )


def _setting(result: Sweep, key: tuple[str, str, float]) -> Plot:
    rows = result.rows_of(key)
    best = max(rows, key=lambda row: row.power)
    alt = (
        f"Lines of power by raters per item for {key[0]}, {key[1]}, effect {key[2]:g}; the highest is "
        f"{percent(best.power)} with {best.n_items:,} items and {best.n_raters:,} raters each."
    )
    return draw(sweep(result, *key), alt, result.cell_table(key))


def sweep(
    result: Sweep, population: str | None = None, metric: str | None = None, effect: float | None = None
) -> Chart:
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
        words = [f"{row.n_items:,} × {row.n_raters}: expected p {row.expected_p:.3g}" for row in part]
        traces.append(
            curve(
                [log10(row.n_raters) for row in part],
                [100 * row.power for row in part],
                words,
                f"{size:,} {'responses' if by == 'responses' else 'items'}",
                place=i,
                hover="%{text}, power %{y:.0f} %",
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
