"""The page of systems by themselves: each one's score with its interval, and the bar."""

from math import isfinite

from quorate._text import number, percent, printable
from quorate.comparing.result import Comparison
from quorate.report.page import Page, Plot, Section, assemble, draw
from quorate.report.style import BLUE, GREY, ORANGE, Chart, dots, figure, label, names_axis, tall, upright
from quorate.results.table import integer

METHOD = (
    "The interval of a score counts what was drawn at random: items, and raters or runs where they come back. Against "
    "a bar, p is the chance of a score as far from it if the bar were the truth, from the same law as the interval, so "
    "they never disagree.",
)
LOOKS = {
    "passes": ("reaches the bar", BLUE, "circle"),
    "fails": ("below the bar", ORANGE, "square"),
    "inconclusive": ("not told apart from the bar", GREY, "circle-open"),
    None: ("score", BLUE, "circle"),
}
MOST = 3
"""Scores that stand among the facts; more of them are counted."""


def scores_page(result: Comparison) -> Page:
    """Return the page of scores."""
    table, first = result.tables()["scores"], result.scores[0]
    facts = [(each.system, number(each.score)) for each in result.scores]
    if len(facts) > MOST:
        told = [each.verdict for each in result.scores]
        reach = [("reach the bar", integer(told.count("passes"))), ("miss it", integer(told.count("fails")))]
        facts = [("scores", integer(len(told))), *([] if result.target_score is None else reach)]
    bar = [] if result.target_score is None else [("bar", f"{result.target_score:g}")]
    return assemble(
        result,
        facts=[*facts, *_certainty(result), *bar, ("items", integer(first.n_items))],
        sections=[
            Section("The scores" if len(result.scores) > 1 else "The score", plots=[_plot(result)]),
            Section("In numbers", tables=[table], text=result.notes()),
        ],
        method=METHOD,
    )


def _certainty(result: Comparison) -> list[tuple[str, str]]:
    """Of one score its interval, and its p beside a bar."""
    if len(result.scores) > 1:
        return []
    table = result.tables()["scores"]
    cell = dict(zip(table.header, table.rows[0], strict=True))
    names = {"interval": f"{percent(result.scores[0].confidence)} interval", "p": "p"}
    return [(title, cell[key]) for key, title in names.items() if key in cell]


def _plot(result: Comparison) -> Plot:
    said = "; ".join(f"{each.system} {number(each.score)}" for each in result.scores[:6])
    return draw(draw_scores(result), f"Dots with intervals of scores: {said}.", result.tables()["scores"])


def draw_scores(result: Comparison) -> Chart:
    """Draw every score with its interval, and the bar as a line."""
    first, traces = result.scores[0], []
    many = len({each.metric for each in result.scores}) > 1
    for verdict, (name, colour, symbol) in LOOKS.items():
        part = [(i, each) for i, each in enumerate(result.scores) if each.verdict == verdict]
        spans = [(each.score, each.low, each.high) for _, each in part]
        words = [f"{label(each.system)}: {number(each.score)}" for _, each in part]
        traces.append(dots(spans, [i for i, _ in part], words, name, colour, symbol))
    names = [f"{printable(each.system, 24)}{f', {each.metric}' if many else ''}" for each in result.scores]
    measure = "score" if many else f"{label(first.metric)} ({first.better} is good)"
    bar = "" if result.target_score is None else f"; bar {result.target_score:g} dashed"
    return figure(
        traces,
        f"Scores with {percent(first.confidence)} intervals{bar}",
        x={"title": f"{measure}, {first.n_items:,} items", "zeroline": False, **_reach(result)},
        y=names_axis(names),
        height=tall(len(names)),
        shapes=[] if result.target_score is None else [upright(result.target_score, dash="dash")],
    )


def _reach(result: Comparison) -> dict[str, list[float]]:
    """Return the range of the axis: a bar at its very end would stand on the names."""
    ends = [end for each in result.scores for end in (each.low, each.high, each.score) if isfinite(end)]
    ends += [] if result.target_score is None else [result.target_score]
    room = 0.06 * (max(ends) - min(ends)) if ends else 0.0
    return {"range": [min(ends) - room, max(ends) + room]} if room else {}
