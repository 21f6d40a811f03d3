"""The page of judges beside raters: may one stand in for a rater, and who agrees with whom."""

from quorate._text import count, number, printable
from quorate.comparing.judge_words import verdict_words
from quorate.comparing.result import Comparison
from quorate.report.page import Page, Plot, Section, assemble, draw
from quorate.report.style import BLUE, GREY, Chart, dots, figure, label, names_axis, tall, upright
from quorate.results.table import integer

METHOD = (
    "Each rater is left out in turn. The judge and the rater who is left out are scored against the same other raters, "
    "on the items that rater rated. The difference has its interval with items and raters drawn at random, as that of "
    "two systems has.",
    "A judge is worth k raters if the mean of k raters is as close, by squared distance, to one more rater "
    "[resnick2021]: k = D_hh / (2 D_fh − D_hh).",
    "Winning rate ω and advantage ρ are those of the alternative annotator test [calderon2025], raters judged together "
    "at a false discovery rate of 5 % [benjamini2001].",
)
MOST = 40
"""Rows of the plot of raters and judges."""


def judges_page(result: Comparison, differences: Plot, groups: list[Plot]) -> Page:
    """Return the page of judges; `differences` is the plot of their differences to a rater, `groups` that by group."""
    tables = result.tables()
    return assemble(
        result,
        facts=_facts(result),
        sections=[
            Section("May a judge stand in for a rater?", plots=[differences], text=result.notes()),
            Section("All judges", tables=[tables["judges"]]),
            Section("Who agrees with whom", plots=[_together(result)]),
            Section("By group", plots=groups),
        ],
        method=METHOD,
    )


def _facts(result: Comparison) -> list[tuple[str, str]]:
    first = result.judges[0]
    sizes = [("items", integer(first.n_items)), ("raters", integer(len(result.rater_scores)))]
    if len(result.judges) > 1:
        may = sum(judge.verdict in ("a_better", "equivalent", "not_worse") for judge in result.judges)
        ceiling = ("a rater's score", number(first.rater_agreement))
        return [("judges", integer(len(result.judges))), ("may stand in for a rater", integer(may)), ceiling, *sizes]
    worth = "–" if first.worth_raters is None else f"{number(first.worth_raters, 1)} raters"
    return [
        (first.system, number(first.agreement)),
        ("a rater", number(first.rater_agreement)),
        ("worth", worth),
        *sizes,
    ]


def _together(result: Comparison) -> Plot:
    said = "; ".join(f"{judge.system} is {verdict_words(judge.verdict, result.margin)}" for judge in result.judges[:3])
    people = count(len(result.rater_scores), "rater")
    alt = f"Scores of {people} against the others, and of {count(len(result.judges), 'judge')}: {said}."
    return draw(judges_and_raters(result), alt, result.tables()["raters"])


def judges_and_raters(result: Comparison) -> Chart:
    """Draw every judge and every rater by the score against the (other) raters, the closest on top."""
    high = result.pairs[0].better == "high"
    rows = [(judge.system, judge.agreement, True, f"{judge.n_items:,} items") for judge in result.judges]
    rows += [(row.rater, row.score, False, f"{row.items:,} items") for row in result.rater_scores]
    rows.sort(key=lambda row: (-row[1] if high else row[1], row[0]))
    rows = rows[:MOST]
    traces = []
    for judges, name, colour, symbol in ((True, "judges", BLUE, "diamond"), (False, "raters", GREY, "circle")):
        part = [(i, row) for i, row in enumerate(rows) if row[2] == judges]
        words = [f"{label(who)}: {number(score)}<br>{sizes}" for _, (who, score, _, sizes) in part]
        spans = [(score, score, score) for _, (_, score, _, _) in part]
        traces.append(dots(spans, [i for i, _ in part], words, name, colour, symbol))
    first = result.judges[0]
    side = "high" if high else "low"
    return figure(
        traces,
        f"Who agrees with whom; the raters' mean, {number(first.rater_agreement)}, dashed",
        x={"title": f"{label(first.metric)} against the other raters ({side} is good)", "zeroline": False},
        y=names_axis([printable(who, 24) for who, _, _, _ in rows]),
        height=tall(len(rows)),
        shapes=[upright(first.rater_agreement, dash="dash")],
        showlegend=True,
    )
