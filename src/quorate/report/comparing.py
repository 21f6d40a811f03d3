"""A comparison's page and plots: who is better, by how much, how sure, and where."""

from collections.abc import Sequence
from math import isfinite

from quorate._text import count, number, percent, printable
from quorate.comparing.judge_words import read_verdict
from quorate.comparing.result import Comparison, Pair
from quorate.comparing.sentences import difference_headline
from quorate.comparing.words import in_reading_order, variation_words
from quorate.report.assessment import scores_page
from quorate.report.judges import judges_page
from quorate.report.page import Page, Plot, Section, assemble, draw
from quorate.report.style import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    Chart,
    Trace,
    bin_bars,
    dots,
    figure,
    label,
    names_axis,
    tall,
    trace,
    upright,
)
from quorate.results.table import integer

METHOD = (
    "A positive difference means that the first system is better, whatever the metric. The "
    "default test studentises the difference; interval and p-value come from the same pivot, so "
    "they never disagree, and p is never 0.",
    "With several comparisons the intervals and p-values shown hold for all at once (max-T) "
    "[hothorn2008]; ranks and “could be best” follow from them [mogstad2024]. Variation of items "
    "and responses on one test set: [leaderboard].",
)
VOTES_METHOD = (
    "A vote counts 1 for the first system, −1 for the second and 0 for a tie; the difference of two systems is the "
    "mean over items of the raters' mean. Of several systems strengths are those of Bradley and Terry [bradley1952], a "
    "tie half a win for each; what a vote moves them by is summed over items and over raters [cameron2011], so one "
    "person's taste and one prompt count once, however many votes they are in.",
)
MOST, FACTS = 30, 5
"""Rows of an interval plot, and metrics among the facts; more of them nobody reads."""
LOOKS = {
    "a_better": ("the first is better", BLUE, "circle"),
    "b_better": ("the first is worse", ORANGE, "square"),
    "equivalent": ("equivalent", GREEN, "diamond"),
    "not_worse": ("not worse", GREEN, "triangle-right"),
    "identical": ("identical", GREY, "x"),
    "little": ("worse, margin open", ORANGE, "square-open"),
    "inconclusive": ("not told apart", GREY, "circle-open"),
}


def compare_page(result: Comparison) -> Page:
    """Return the page of a comparison."""
    if result.scores:
        return scores_page(result)
    if result.judges:
        alt = f"Dots with intervals of {count(len(result.judges), 'judge')} less a rater's score."
        differences = draw(compare(result), alt, result.tables()["judges"])
        return judges_page(result, differences, [_groups(result)] if result.groups else [])
    tables = result.tables()
    leaderboard, votes = "ranking" in tables, result.kind == "preferences"
    decision = [_ranks(result), _pairs(result)] if leaderboard else [_pairs(result)]
    groups = [_groups(result)] if "groups" in tables else []
    return assemble(
        result,
        facts=_facts(result),
        sections=[
            Section(
                "Ranking and differences" if leaderboard else "The difference",
                plots=[*decision, *_fallen(result), *([_items(result)] if "items" in tables else [])],
            ),
            Section("How often each is preferred", tables=[tables["ranking"]] if leaderboard and votes else []),
            Section("All comparisons", tables=[tables["pairs"]], text=result.notes()),
            Section(
                "By group", plots=groups, text=[variation_words(result)] if groups and result.heterogeneity else []
            ),
        ],
        method=(*VOTES_METHOD, *METHOD) if votes else METHOD,
    )


def _facts(result: Comparison) -> list[tuple[str, str]]:
    first = result.pairs[0]
    if len(result.ranking) == 2 and 1 < len(result.pairs) <= FACTS:
        told = [(f"difference in {pair.metric.replace('_', ' ')}", number(pair.difference)) for pair in result.pairs]
        return [*told, ("items", integer(first.n_items))]
    if len(result.pairs) > 1:
        best = sum(standing.could_be_best for standing in result.ranking)
        systems = [("systems", integer(len(result.ranking))), ("could be best", integer(best))]
        return [*systems, ("comparisons", integer(len(result.pairs))), ("items", integer(first.n_items))]
    table = result.tables()["pairs"]
    cell = dict(zip(table.header, table.rows[0], strict=True))
    return [
        (first.a, cell.get("score a", "–")),
        (first.b, cell.get("score b", "–")),
        ("difference", cell.get("difference", "–")),
        (f"{100 * first.confidence:g} % interval", cell.get("interval", "–")),
        ("p", cell.get("p", "–")),
        ("items", integer(first.n_items)),
        *([] if first.n_raters is None else [("raters", integer(first.n_raters))]),
    ]


def _pairs(result: Comparison) -> Plot:
    votes = result.kind == "preferences"
    claims = "; ".join(difference_headline(pair, result.margin, votes=votes) for pair in result.pairs[:3])
    more = f" and {len(result.pairs) - 3} more" if len(result.pairs) > 3 else ""
    alt = f"Dots with intervals for {count(len(result.pairs), 'comparison')}: {claims}{more}."
    return draw(compare(result), alt, result.tables()["pairs"])


def _fallen(result: Comparison) -> list[Plot]:
    """Bars of how votes fell; none where there are no votes."""
    shown = [pair for pair in result.pairs if pair.win is not None]
    if not shown:
        return []
    alt = f"Bars of votes for the first system, ties, and votes for the second, in {count(len(shown), 'pair')}."
    return [draw(compare_votes(result), alt, result.tables()["pairs"])]


def _items(result: Comparison) -> Plot:
    pair = result.pairs[0]
    alt = f"Histogram of differences on single items, mean {number(pair.difference)}: right of 0 {pair.a} is closer."
    return draw(compare_items(result), alt, result.tables()["items"])


def _ranks(result: Comparison) -> Plot:
    order = ", ".join(standing.system for standing in result.ranking[:10])
    alt = f"Scores with intervals of {len(result.ranking)} systems, best first: {order}."
    return draw(compare_ranks(result), alt, result.tables()["ranking"])


def _groups(result: Comparison) -> Plot:
    alt = f"Dots with intervals of the difference within {count(len(result.groups), 'group')} of items."
    return draw(compare_groups(result), alt, result.tables()["groups"])


def compare(result: Comparison) -> Chart:
    """Draw the difference of every pair with its interval, the margin shaded."""
    several, metrics = (len({key(pair) for pair in result.pairs}) > 1 for key in (_who, _metric))
    rows = [(_of(pair, systems=several or not metrics, metrics=metrics), pair) for pair in in_reading_order(result)]
    shown = "between systems" if several or not metrics else label(_who(rows[0][1], 18), 40)
    on = f", {rows[0][1].n_items:,} items"
    return _intervals(rows, result, f"Difference {'from a rater' if result.judges else shown}", on)


def compare_votes(result: Comparison) -> Chart:
    """Draw how the votes between every two systems fell: for the first, ties, for the second."""
    pairs = [pair for pair in in_reading_order(result) if pair.win is not None][:MOST]
    names = ("the first", "the second") if len(pairs) > 1 else (label(pairs[0].a), label(pairs[0].b))
    bars = ((f"for {names[0]}", BLUE, "win"), ("tie", GREY, "tie"), (f"for {names[1]}", ORANGE, "loss"))
    traces = [
        trace(
            "bar",
            x=[getattr(pair, field) for pair in pairs],
            y=list(range(len(pairs))),
            orientation="h",
            name=name,
            marker={"color": colour},
            hovertemplate=f"%{{x:.0%}} {name}<extra></extra>",
        )
        for name, colour, field in bars
    ]
    drawn = figure(
        traces,
        "How votes fell",
        x={"title": "share of votes", "tickformat": ".0%", "range": [0, 1], "zeroline": False},
        y=names_axis([_who(pair) for pair in pairs]),
        height=tall(len(pairs)),
        barmode="stack",
        showlegend=True,
    )
    drawn["layout"]["legend"]["traceorder"] = "normal"
    return drawn


def compare_items(result: Comparison, pair: int = 0) -> Chart:
    """Draw how a pair's difference spreads over single items, the mean with its interval on top."""
    shown, bins = result.pairs[pair], result.item_bins(pair)
    sides = ((f"{shown.b} better", ORANGE, -1), ("the same", GREY, 0), (f"{shown.a} better", BLUE, 1))
    traces = []
    for name, colour, side in sides:
        part = [each for each in bins if _side(each) == side]
        traces.append(
            bin_bars(part, colour, name=label(name), hovertemplate="about %{x:.3g}: %{y} items<extra></extra>")
        )
    return figure(
        traces,
        f"Difference item by item, mean {number(shown.difference)} dashed",
        x={"title": f"difference in {_spoken(shown.metric, 40)} on an item", "showgrid": False, "zeroline": False},
        y={"title": f"items (of {shown.n_items:,})", "rangemode": "tozero"},
        shapes=[upright(shown.difference, dash="dash")] if isfinite(shown.difference) else [],
    )


def _side(each: tuple[float, float, int]) -> int:
    low, high, _ = each
    return 0 if low < 0 < high else 1 if low > 0 else -1


def compare_groups(result: Comparison) -> Chart:
    """Draw the difference within every group of items."""
    systems, metrics = (len({key(pair) for pair in result.pairs}) > 1 for key in (_who, _metric))
    of = ": " if systems or metrics else ""
    rows = [
        (f"{printable(group.group, 16)} ({group.n_items:,}){of}{_of(pair, systems=systems, metrics=metrics)}", pair)
        for group in result.groups
        for pair in in_reading_order(result, group.pairs)
    ]
    return _intervals(rows, result, f"Difference by {label(str(result.by))} (items)")


def _metric(pair: Pair) -> str:
    return pair.metric


def _of(pair: Pair, *, systems: bool, metrics: bool) -> str:
    """Name the pair and its metric where there are several."""
    return ", ".join([*([_who(pair)] if systems else []), *([pair.metric] if metrics else [])])


def compare_ranks(result: Comparison) -> Chart:
    """Draw every system's score, best first; a bar joins systems that are not told apart."""
    ranking = result.ranking[:MOST]
    place = {standing.system: i for i, standing in enumerate(ranking)}
    traces = []
    looks = {True: ("could be best", BLUE, "circle"), False: ("beaten", GREY, "circle-open")}
    for best, (name, colour, symbol) in looks.items():
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
        traces,
        "Ranking" if not result.tied else "Ranking; bars to the right join systems that are not told apart",
        x={"title": f"{_spoken(first.metric, 40)} ({side} is good), {first.n_items:,} items", "zeroline": False},
        y=names_axis([f"{printable(s.system, 18)} {_rank(s.rank_low, s.rank_high)}" for s in ranking]),
        height=tall(len(ranking)),
        showlegend=True,
    )
    if result.tied:
        drawn["layout"]["xaxis"]["domain"] = [0, 0.88]
        drawn["layout"]["xaxis2"] = {"domain": [0.9, 1], "visible": False, "fixedrange": True, "range": [-1, 6]}
    return drawn


def _rank(low: int, high: int) -> str:
    return f"({low})" if low == high else f"({low}–{high})"


def _tie(i: int, at: list[int]) -> Trace:
    return trace(
        "scatter",
        x=[i % 6] * len(at),
        y=sorted(at),
        xaxis="x2",
        mode="lines+markers",
        line={"color": GREY, "width": 3},
        marker={"size": 6},
        hoverinfo="skip",
        showlegend=False,
    )


def _intervals(every: Sequence[tuple[str, Pair]], result: Comparison, title: str, on: str = "") -> Chart:
    """Draw pairs with their intervals; `on` says of how many items, where they all have as many."""
    traces, rows = [], every[:MOST]
    for verdict, (name, colour, symbol) in LOOKS.items():
        part = [(i, pair) for i, (_, pair) in enumerate(rows) if read_verdict(pair) == verdict]
        spans = [(pair.difference, *pair.deciding[:2]) for _, pair in part]
        words = [_words(pair) for _, pair in part]
        traces.append(dots(spans, [i for i, _ in part], words, name, colour, symbol))
    first, margin = result.pairs[0], result.margin
    metrics = {pair.metric for _, pair in rows}
    measure = f"difference in {_spoken(first.metric, 60)}" if len(metrics) == 1 else "difference"
    measure = "win margin" if result.kind == "preferences" else measure
    shade = {"type": "rect", "x0": -(margin or 0), "x1": margin or 0, "y0": 0, "y1": 1, "yref": "paper"}
    look = {"fillcolor": GREEN, "opacity": 0.15, "line": {"width": 0}, "layer": "below"}
    adjusted = "" if first.p_adjusted is None else ", all comparisons counted"
    side = "; right of 0 the first is better" if any(pair.better == "low" for _, pair in rows) else ""
    cut = f"; the first {MOST} of {len(every):,}" if len(every) > MOST else ""
    return figure(
        traces,
        f"{title}, {percent(first.confidence)} intervals{adjusted}"
        + (f"; margin ±{margin:g} shaded" if margin else "")
        + side
        + cut,
        x={"title": f"{measure}{on}", "zeroline": False},
        y=names_axis([name for name, _ in rows]),
        height=tall(len(rows)),
        shapes=[upright(0, width=1.5), *([shade | look] if margin else [])],
    )


def _words(pair: Pair) -> str:
    low, high, p = pair.deciding
    ends = f"{number(low)} to {number(high)}" if isfinite(high - low) else "no interval"
    return f"{label(_who(pair, 40), 90)}<br>{number(pair.difference)} ({ends}), p = {p:.3g}<br>{pair.n_items:,} items"


def _who(pair: Pair, most: int = 12) -> str:
    return f"{printable(pair.a, most)} − {printable(pair.b, most)}"


def _spoken(metric: str, most: int) -> str:
    return label(metric.replace("_", " "), most)
