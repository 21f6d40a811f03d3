"""A description's page and plots: how much there is, how disputed it is, who rated what."""

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any

import numpy as np

from quorate._text import count, joined, number, printable
from quorate._typing import Array
from quorate.data.ratings import Ratings
from quorate.data.summaries import Counts
from quorate.describing.result import Description
from quorate.describing.words import item_nouns
from quorate.report.page import Page, Plot, Section, assemble, draw
from quorate.report.style import BLUE, GREY, ORANGE, PALETTE, Chart, bin_bars, figure, label, names_axis, tall, trace
from quorate.results.table import Table, integer

METHOD = (
    "Krippendorff's alpha is 1 − observed / expected disagreement [krippendorff2018]; its "
    "interval comes from drawing items again. It says how far raters agree beyond chance, not "
    "whether they are right, and it does not cover other raters than those who answered.",
    "Disagreement of an item is the chance that two of its raters differ. The variance of "
    "responses is split into items, raters and the rest by the method of moments for unbalanced "
    "data [searle1992].",
)
MOST_ITEMS, MOST_RATERS, MOST_SHARES, MOST_POINTS = 400, 80, 15, 2000
"""A map of more items or raters, more bars or points, nobody can read."""
WHISKERS = {"type": "data", "color": GREY, "thickness": 1, "width": 0}
NAMED, NAME, ROUND = 25, (0.05, 0.06), 9
"""Up to so many raters have their name in the plot, of more only those who never vary; parts of it a name takes up;
digits by which two places differ."""


def describe_page(result: Description) -> Page:
    """Return the page of a description."""
    tables, scattered = result.tables(), placed(result)
    responses = [_responses(result, tables["responses"])] if result.shares else []
    groups = [table for name, table in tables.items() if name.startswith("raters by ")]
    return assemble(
        result,
        facts=_facts(result),
        sections=[
            Section("Systems", tables=[tables[name] for name in ("systems", "votes") if name in tables]),
            Section("Disagreement and responses", plots=[_disputes(result, tables["disputes"]), *responses]),
            Section("Most disputed", tables=[tables["disputed"]]),
            Section("How raters answer", plots=_habits(result, scattered, tables), tables=groups),
            Section("Who rated what", plots=_map(result, tables), tables=[tables["facts"]]),
        ],
        method=METHOD,
    )


def _facts(result: Description) -> list[tuple[str, str]]:
    ratings, alpha, (_, things) = result.ratings, result.agreement, item_nouns(result)
    return [
        (things, integer(ratings.n_items)),
        ("raters", "unknown" if ratings.n_raters is None else integer(ratings.n_raters)),
        ("responses", integer(ratings.n_responses)),
        ("Krippendorff's alpha", number(None if isnan(alpha.value) else alpha.value, 2)),
        (f"unanimous {things}", integer(result.unanimous_items)),
    ]


def _disputes(result: Description, table: Table) -> Plot:
    counted = "; ".join(f"{where}: {n}" for where, n in table.rows if n != "0")
    return draw(describe(result), f"Histogram of how disputed the {item_nouns(result)[1]} are: {counted}.", table)


def _responses(result: Description, table: Table) -> Plot:
    shares = ", ".join(f"{name} {share}" for name, share in table.rows)
    return draw(describe_shares(result), f"Bars of response shares: {shares}.", table)


def _habits(result: Description, rows: list[dict[str, Any]], tables: Mapping[str, Table]) -> list[Plot]:
    if not rows:
        return []
    most = max(rows, key=lambda row: abs(row["leaning"]))
    alt = (
        f"Map of {count(len(rows), 'rater')} by how far they go along with the others and how far they lean; "
        f"{most['rater']} leans most, {number(most['leaning'])}."
    )
    return [draw(describe_habits(result), alt, tables["all raters"])]


def _map(result: Description, tables: Mapping[str, Table]) -> list[Plot]:
    drawn = describe_raters(result)
    if drawn is None:
        return []
    table, nouns = tables["items per rater"], item_nouns(result)
    alt = (
        f"Map of {count(len(table.rows), 'rater')} by {count(result.ratings.n_items, *nouns)}, coloured by response; "
        f"raters answered {table.rows[-1][1]} to {table.rows[0][1]} {nouns[1]}."
    )
    return [draw(drawn, alt, table)]


def describe(result: Description) -> Chart:
    """Draw how many items are how disputed."""
    bins, (thing, things) = result.disputes, item_nouns(result)
    one = {"pair of outputs": "a pair"}.get(thing, f"an {thing}")
    what = f"standard deviation of {one}'s responses"
    if result.spread is None:
        what = f"chance that two raters of {one} differ (%)"
    bars = bin_bars(
        bins,
        BLUE,
        text=[f"{low:.3g} to {high:.3g}: {count(n, thing, things)}" for low, high, n in bins],
        textposition="none",
        hovertemplate="%{text}<extra></extra>",
    )
    judged = sum(n for _, _, n in bins)
    return figure(
        [bars],
        f"How disputed the {things} are",
        x={"title": what, "showgrid": False, "zeroline": False, "range": [bins[0][0], bins[-1][1]]},
        y={"title": f"{things} (of {judged:,})", "rangemode": "tozero"},
    )


def describe_shares(result: Description) -> Chart:
    """Draw the share of each response."""
    rows = result.shares[:MOST_SHARES]
    bars = trace(
        "bar",
        x=[100 * share for _, share in rows],
        y=list(range(len(rows))),
        orientation="h",
        marker={"color": BLUE},
        text=[f"{100 * share:.0f} %" for _, share in rows],
        textposition="outside",
        cliponaxis=False,
        hoverinfo="skip",
    )
    most = max(100 * share for _, share in rows)
    return figure(
        [bars],
        "What raters say",
        x={"title": f"share of {result.ratings.n_responses:,} responses (%)", "range": [0, 1.15 * most]},
        y={**names_axis([name for name, _ in rows]), "showgrid": False},
        height=max(tall(len(rows)), 300),
    )


def describe_raters(result: Description) -> Chart | None:
    """Draw who rated what, a row per rater and a column per item; None if nobody is known.

    The busiest raters stand on top, items by their mean response or most frequent one. Of very
    many, the first are drawn.
    """
    ratings = result.ratings
    if ratings.rater is None or ratings.raters is None or result.topology.items_per_rater is None:
        return None
    people = np.argsort(-result.topology.items_per_rater, kind="stable")[:MOST_RATERS]
    things = _ordered_items(ratings)
    step = max(1, -(-len(things) // MOST_ITEMS))
    cells = _cells(ratings, people, things[::step])
    drawn = trace(
        "heatmap",
        z=cells,
        colorscale=_scale(ratings),
        zmin=-0.5 if ratings.scale.counted else None,
        zmax=ratings.scale.n_levels - 0.5 if ratings.scale.counted else None,
        colorbar=_bar(ratings),
        hoverongaps=False,
        hovertemplate="item %{x}, rater %{y}<extra></extra>",
    )
    names, items = [str(ratings.raters[int(j)]) for j in people], count(ratings.n_items, *item_nouns(result))
    every = f", one in {step} drawn" if step > 1 else ""
    return figure(
        [drawn],
        f"{count(ratings.n_raters or 0, 'rater')} by {items}, the busiest on top",
        x={"title": f"{items} by their responses{every}", "showticklabels": False},
        y={**names_axis(names), "showgrid": False, "showticklabels": len(names) <= 40},
        height=min(max(60 + 18 * len(names), 220), 640),
    )


def placed(result: Description) -> list[dict[str, Any]]:
    """Return the raters who answered items that others answered too, and went along or not."""
    if result.habits is None:
        return []
    rows = result.rater_frame().to_dicts()
    along = "agreement" if result.habits.correlation is None else "correlation"
    placed = [{**row, "along": row[along]} for row in rows]
    return [row for row in placed if row["along"] is not None and row["leaning"] is not None]


def describe_habits(result: Description) -> Chart:
    """Draw raters: to the right who goes along with others, away from 0 who leans, ± 2 errors."""
    rows = placed(result)
    rows = rows[:: -(-len(rows) // MOST_POINTS)]  # of very many, some
    nominal = result.habits is not None and result.habits.correlation is None
    ends, traces = _with_room([row["along"] for row in rows]), []
    middle = sum(ends) / 2  # names stand towards it, so that none leaves the plot
    names = dict(zip((row["rater"] for row in rows), _apart(rows, ends), strict=True))
    looks = {False: ("varies", BLUE, "circle"), True: ("never varies", ORANGE, "square")}
    for same, (name, colour, symbol) in looks.items():
        part = [row for row in rows if row["always_the_same"] == same]
        traces.append(
            trace(
                "scatter",
                x=[row["along"] for row in part],
                y=[row["leaning"] for row in part],
                error_y={"array": [2 * (row["leaning_error"] or 0) for row in part], **WHISKERS},
                mode="markers+text" if len(rows) <= NAMED or same else "markers",
                marker={"color": colour, "symbol": symbol, "size": 10},
                text=[names[row["rater"]] for row in part],
                textposition=["top left" if row["along"] > middle else "top right" for row in part],
                textfont={"size": 11},
                customdata=[_words(row) for row in part],
                hovertemplate="%{customdata}<extra></extra>",
                name=name,
            )
        )
    return figure(
        traces,
        f"How {count(len(rows), 'rater')} answer beside the others",
        x={
            "title": "share of others who gave the same answer" if nominal else "correlation with the mean of others",
            "zeroline": False,
            "range": ends,
        },
        y={"title": "leaning, share more than others" if nominal else "leaning, mean distance from others"},
        height=420,
    )


def _ordered_items(ratings: Ratings) -> Array:
    """Items by their mean response; on a nominal scale by the most frequent one and its share."""
    summary = ratings.summary
    if not isinstance(summary, Counts) or summary.levels is not None:
        return np.argsort(summary.mean, kind="stable")
    return np.lexsort((-summary.share.max(1), summary.counts.argmax(1)))


def _cells(ratings: Ratings, people: Array, things: Array) -> list[list[float | None]]:
    """Return each rater's response to each item, the last if several, None where there is none."""
    assert ratings.rater is not None
    row, column = _places(people, ratings.n_raters or 0), _places(things, ratings.n_items)
    shown = (row[ratings.rater] >= 0) & (column[ratings.item] >= 0)
    levels, response = ratings.scale.levels, ratings.response[shown]
    cells = np.full((len(people), len(things)), np.nan)
    values = response if ratings.scale.counted or levels is None else levels[response]
    cells[row[ratings.rater[shown]], column[ratings.item[shown]]] = values
    return [[None if np.isnan(cell) else float(cell) for cell in line] for line in cells]


def _places(chosen: Array, n: int) -> Array:
    """Return where each of n stands among those chosen, -1 for the others."""
    places = np.full(n, -1)
    places[chosen] = np.arange(len(chosen))
    return places


def _scale(ratings: Ratings) -> Sequence[Sequence[Any]] | str:
    """Colours that are told apart for few unordered categories, else shades from dark to light."""
    n = ratings.scale.n_levels
    if ratings.scale.kind != "nominal" or n > len(PALETTE):
        return "Cividis"
    return [[(i + side) / n, PALETTE[i]] for i in range(n) for side in (0, 1)]


def _bar(ratings: Ratings) -> dict[str, Any]:
    usual = {"thickness": 10, "outlinewidth": 0, "len": 0.9}
    if not ratings.scale.counted or ratings.scale.n_levels > 12:
        return usual
    names = [label(name, 14) for name in ratings.scale.categories]
    return {**usual, "tickvals": list(range(len(names))), "ticktext": names}


def _shared(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the name beside each point; raters who share one are named together, once."""
    there: dict[tuple[float, float], list[str]] = {}
    for row in rows:
        there.setdefault(_place(row), []).append(row["rater"])
    said = {place: joined([printable(name, 12) for name in names], most=4) for place, names in there.items()}
    return [label(said.pop(_place(row), ""), 60) for row in rows]


def _place(row: Mapping[str, Any]) -> tuple[float, float]:
    """Return where a rater's point is; what differs by rounding alone is one place."""
    return round(row["along"], ROUND), round(row["leaning"], ROUND)


def _apart(rows: Sequence[Mapping[str, Any]], ends: list[float]) -> list[str]:
    """Return the names beside the points, without those that would stand on another; pointing at a point names it."""
    heights = [_place(row)[1] for row in rows]
    tall, wide = (max(heights) - min(heights)) or 1.0, ends[1] - ends[0]
    places: list[tuple[float, float]] = []
    said = _shared(rows)
    for i, row in enumerate(rows):
        place = ((row["along"] - ends[0]) / wide, row["leaning"] / tall)
        if any(abs(place[0] - x) < NAME[0] and abs(place[1] - y) < NAME[1] for x, y in places):
            said[i] = ""
        elif said[i]:
            places.append(place)
    return said


def _with_room(values: list[float]) -> list[float]:
    """Return the ends of an axis, with room around the points."""
    low, high = min(values), max(values)
    reach = (high - low) or 0.1
    return [low - 0.06 * reach, high + 0.06 * reach]


def _words(row: dict[str, Any]) -> str:
    to = f" to {label(row['towards'])}" if row["towards"] else ""
    return (
        f"{label(row['rater'], 40)}: {row['responses']:,} responses<br>leans {number(row['leaning'])}{to}, goes along "
        f"{number(row['along'])}"
    )
