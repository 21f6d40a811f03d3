"""The tables of a comparison: ranking, pairs, groups, and how a difference spreads over items."""

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

from quorate._text import number
from quorate.comparing.words import decimals, in_reading_order, p_words
from quorate.results.table import Column, Table, integer, interval, table_of

if TYPE_CHECKING:
    from quorate.comparing.groups import Heterogeneity
    from quorate.comparing.leaderboard import Standing
    from quorate.comparing.result import Comparison, Pair

__all__ = ["comparison_tables"]

VARYING = 20
"""Pairs of which it is said whether their difference varies by group."""

PAIR_COLUMNS = {
    "group": Column("group"),
    "pair": Column("pair"),
    "a": Column("a"),
    "b": Column("b"),
    "metric": Column("metric"),
    "score_a": Column("score a"),
    "score_b": Column("score b"),
    "excess_a": Column("excess a"),
    "excess_b": Column("excess b"),
    "difference": Column("difference"),
    "interval": Column("interval"),
    "p": Column("p"),
    "verdict": Column("verdict"),
    "unit": Column("unit"),
    "items": Column("items", integer),
}
RANK_COLUMNS = {
    "system": Column("system"),
    "score": Column("score"),
    "interval": Column("interval"),
    "rank": Column("rank"),
    "best": Column("could be best"),
}


def comparison_tables(result: "Comparison") -> dict[str, Table]:
    """Return the tables of a comparison by name; a ranking only if there are more than two systems."""
    tables = {"ranking": _ranking(result)} if len(result.ranking) > 2 else {}
    tables["pairs"] = table_of(
        "Positive differences: a is better", _pair_rows(in_reading_order(result)), PAIR_COLUMNS, note=result.family
    )
    if result.groups:
        tables["groups"] = _groups(result)
    if len(result.pairs) == 1 and result.differences:
        rows = [{"difference": interval(low, high), "items": n} for low, high, n in result.item_bins() if n]
        tables["items"] = table_of("Items by difference", rows, PAIR_COLUMNS, numbers=True)
    return tables


def _ranking(result: "Comparison") -> Table:
    digits = decimals([pair for pair in result.pairs if pair.metric == result.ranking[0].metric])
    rows = [
        {
            "system": standing.system,
            "score": _number(standing.score, digits),
            "interval": _interval(standing.low, standing.high, digits),
            "rank": _rank(standing),
            "best": "yes" if standing.could_be_best else "no",
        }
        for standing in result.ranking
    ]
    tied = "; ".join(", ".join(group) for group in result.tied)
    return table_of("Ranking, best first", rows, RANK_COLUMNS, note=f"Not told apart: {tied}." if tied else "")


def _rank(standing: "Standing") -> str:
    low, high = standing.rank_low, standing.rank_high
    return f"{low}" if low == high else f"{low} to {high}"


def _pair_rows(pairs: Sequence["Pair"]) -> list[dict[str, Any]]:
    by_metric = {metric: [pair for pair in pairs if pair.metric == metric] for metric in {p.metric for p in pairs}}
    digits = {metric: decimals(same) for metric, same in by_metric.items()}
    return [
        {
            "a": pair.a,
            "b": pair.b,
            "metric": pair.metric,
            "score_a": _number(pair.score_a, digits[pair.metric]),
            "score_b": _number(pair.score_b, digits[pair.metric]),
            "excess_a": None if pair.excess_a is None else number(pair.excess_a, digits[pair.metric]),
            "excess_b": None if pair.excess_b is None else number(pair.excess_b, digits[pair.metric]),
            **_outcome(pair, digits[pair.metric]),
        }
        for pair in pairs
    ]


def _outcome(pair: "Pair", digits: int) -> dict[str, Any]:
    """The difference with the interval and the p-value that decide."""
    low, high, p = pair.deciding
    return {
        "difference": _number(pair.difference, digits),
        "interval": _interval(low, high, digits),
        "p": p_words(p).removeprefix("p = ").removeprefix("p "),
        "verdict": pair.verdict.replace("_", " "),
    }


def _groups(result: "Comparison") -> Table:
    """The pairs within each group; their unit where it is not that of the whole."""
    pairs = [(group, pair) for group in result.groups for pair in group.pairs]
    digits, several = decimals([pair for _, pair in pairs]), len(result.pairs) > 1
    unlike = {pair.unit for _, pair in pairs} - {result.pairs[0].unit}
    rows = [
        {
            "group": group.group,
            **({"pair": f"{pair.a} − {pair.b}", "metric": pair.metric} if several else {}),
            **_outcome(pair, digits),
            **({"unit": pair.unit} if unlike else {}),
            "items": pair.n_items,
        }
        for group, pair in pairs
    ]
    level = 1 - result.pairs[0].confidence
    note = "\n".join(_variation(row, level) for row in result.heterogeneity[:VARYING])
    return table_of(f"By {result.by}", rows, PAIR_COLUMNS, note=note)


def _variation(row: "Heterogeneity", level: float) -> str:
    """Say whether a pair's difference is the same in all groups."""
    varies = "the difference is not the same in all groups"
    words = varies if row.p_adjusted <= level else "no sign that the difference varies by group"
    return f"{row.a} − {row.b} by {row.metric}: {words} ({p_words(row.p_adjusted)})."


def _number(value: float, digits: int) -> str | None:
    return number(value, digits) if isfinite(value) else None


def _interval(low: float, high: float, digits: int) -> str | None:
    return interval(low, high, digits) if isfinite(high - low) else None
