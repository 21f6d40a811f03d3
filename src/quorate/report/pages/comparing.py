"""The page of a comparison: who is better, by how much, how sure, and where."""

from math import isfinite
from typing import Any

from quorate._text import count, number
from quorate.comparing.result import Comparison, Pair
from quorate.comparing.words import in_reading_order
from quorate.report import plots
from quorate.report.assemble import Column, assemble, draw, integer, interval, rows_table
from quorate.report.page import Page, Plot, Section, Table
from quorate.report.plots.comparing import item_bins

__all__ = ["page"]

PAIRS: dict[str, Column] = {
    "group": ("group", str),
    "a": ("a", str),
    "b": ("b", str),
    "metric": ("metric", str),
    "score_a": ("score a", number),
    "score_b": ("score b", number),
    "difference": ("difference", number),
    "interval": ("interval", str),
    "p": ("p", lambda p: _p(p)),
    "verdict": ("verdict", lambda verdict: verdict.replace("_", " ")),
    "n_items": ("items", integer),
}
RANKS: dict[str, Column] = {
    "system": ("system", str),
    "score": ("score", number),
    "interval": ("interval", str),
    "rank": ("rank", str),
    "best": ("could be best", str),
}
METHOD = (
    "A positive difference means that the first system is better, whatever the metric. The default test "
    "studentises the difference; interval and p-value come from the same pivot, so they never disagree, and p is "
    "never 0.",
    "With several comparisons the intervals and p-values shown hold for all at once (max-T) [hothorn2008]; ranks "
    "and “could be best” follow from them [mogstad2024]. Variation of items and responses on one test set: "
    "[leaderboard].",
)


def page(result: Comparison, command: str = "") -> Page:
    """Return the page of a comparison.

    Examples
    --------
    >>> from quorate import compare
    >>> made = page(compare("example:support", "example:support-answers"))
    >>> made.headline
    'atlas is better than birch'
    """
    leaderboard = len(result.ranking) > 2
    pairs = rows_table("Positive differences: a is better", [_row(pair) for pair in in_reading_order(result)], PAIRS)
    groups = [{"group": group.group, **_row(pair)} for group in result.groups for pair in group.pairs]
    items = [_items(result)] if len(result.pairs) == 1 and result.differences else []
    decision = [_ranks(result), _pairs(result)] if leaderboard else [_pairs(result), *items]
    return assemble(
        result,
        facts=_facts(result),
        sections=[
            Section("Ranking and differences" if leaderboard else "The difference", plots=decision),
            Section(
                "All comparisons",
                tables=[pairs],
                text=[*_estimands(result), *_design(result)],
            ),
            Section("By group", plots=[_groups(result, groups)] if groups else []),
        ],
        method=METHOD,
        command=command,
    )


def _facts(result: Comparison) -> list[tuple[str, str]]:
    first = result.pairs[0]
    if len(result.pairs) > 1:
        best = sum(standing.could_be_best for standing in result.ranking)
        found = [("systems", integer(len(result.ranking))), ("could be best", integer(best))]
        return [*found, ("comparisons", integer(len(result.pairs))), ("items", integer(first.n_items))]
    row = _row(first)
    return [
        (first.a, number(row["score_a"])),
        (first.b, number(row["score_b"])),
        ("difference", number(row["difference"])),
        (f"{100 * first.confidence:g} % interval", row["interval"]),
        ("p", _p(row["p"])),
        ("items", integer(first.n_items)),
        *([] if first.n_raters is None else [("raters", integer(first.n_raters))]),
    ]


def _row(pair: Pair) -> dict[str, Any]:
    """Return a pair as a row, with the interval and the p-value that decide."""
    low, high, p = pair.deciding
    plain = {
        key: None if isinstance(value, float) and not isfinite(value) else value for key, value in vars(pair).items()
    }
    ends = (low, high) if isfinite(high - low) else (None, None)
    return {**plain, "p": p, "interval": interval(*ends)}


def _pairs(result: Comparison) -> Plot:
    told = "; ".join(pair.sentence.split(" – ")[0] for pair in result.pairs[:3])
    more = f" and {len(result.pairs) - 3} more" if len(result.pairs) > 3 else ""
    alt = f"Dots with intervals for {count(len(result.pairs), 'comparison')}: {told}{more}."
    numbers = rows_table("Differences and intervals", [_row(pair) for pair in in_reading_order(result)], PAIRS)
    return draw(plots.compare(result), alt, numbers)


def _items(result: Comparison) -> Plot:
    pair = result.pairs[0]
    rows = [(f"{number(low)}\xa0to\xa0{number(high)}", f"{n:,}") for low, high, n in item_bins(result) if n]
    better, worse = (int((sign * result.differences[0] > 0).sum()) for sign in (1, -1))
    alt = f"Histogram of differences on single items: {pair.a} is closer on {better:,}, {pair.b} on {worse:,} of them."
    return draw(plots.compare_items(result), alt, Table("Items by difference", ["difference", "items"], rows))


def _ranks(result: Comparison) -> Plot:
    rows = [
        {
            **standing,
            "interval": interval(standing["low"], standing["high"]),
            "rank": f"{standing['rank_low']}"
            if standing["rank_low"] == standing["rank_high"]
            else f"{standing['rank_low']} to {standing['rank_high']}",
            "best": "yes" if standing["could_be_best"] else "no",
        }
        for standing in result.content()["ranking"]
    ]
    order = ", ".join(row["system"] for row in rows[:10])
    alt = f"Scores with intervals of {len(rows)} systems, best first: {order}."
    return draw(plots.compare_ranks(result), alt, rows_table("Ranking, best first", rows, RANKS))


def _groups(result: Comparison, rows: list[dict[str, Any]]) -> Plot:
    alt = f"Dots with intervals of the difference within {count(len(result.groups), 'group')} of items."
    return draw(plots.compare_groups(result), alt, rows_table("Differences by group", rows, PAIRS))


def _estimands(result: Comparison) -> list[str]:
    first = {pair.metric: pair for pair in reversed(result.pairs)}
    said = [
        f"{pair.metric} ({pair.better} is good): {pair.estimand}; unit of resampling: {pair.unit}"
        + (f" ({pair.scope})." if pair.scope else ".")
        for pair in list(first.values())[::-1]
    ]
    return [*said, *(text for text in (result.unit_reason, result.family) if text)]


def _design(result: Comparison) -> list[str]:
    return [
        f"If groups by {column} were drawn instead of items, the variance would be {effect['median']:.1f} times as "
        f"large ({effect['groups']:.0f} groups)."
        for column, effect in result.design_effects.items()
    ]


def _p(p: float) -> str:
    return "<0.001" if p < 0.001 else f"{p:.3f}"
