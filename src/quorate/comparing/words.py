"""How a comparison reads below its sentence: tables, and the notes below them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import floor, isfinite, log10
from typing import TYPE_CHECKING, Any

from quorate._text import number, p_number, p_words, percent
from quorate.comparing.assessment import scores_table
from quorate.comparing.judge_words import (
    far_rater_words,
    judges_table,
    limit_words,
    open_words,
    raters_table,
)
from quorate.inference.outcome import Verdict
from quorate.inference.sample_size import DesignEffect
from quorate.metrics.meanings import meaning_of
from quorate.results.table import Column, Table, integer, interval, table_of

if TYPE_CHECKING:
    from quorate.comparing.judged_pairs import Heterogeneity
    from quorate.comparing.leaderboard import Standing
    from quorate.comparing.result import Comparison, Pair

VARYING = 20
"""Pairs of which it is said whether their difference varies by group."""

PAIR = "group pair a b metric score_a score_b excess_a excess_b win tie loss difference interval p verdict unit items"
PAIR_COLUMNS = {key: Column(key.replace("_", " "), integer if key == "items" else str) for key in PAIR.split()}
RANK = "system win_rate score interval rank could_be_best"
RANK_COLUMNS = {key: Column(key.replace("_", " ")) for key in RANK.split()}


def unit_words(pair: "Pair") -> str:
    """Name what was drawn at random, and what the result is said of."""
    return f"unit {pair.unit}" + (f": {pair.scope}" if pair.scope else "")


def comparison_notes(result: "Comparison") -> list[str]:
    """Say what several pairs estimate, why the unit was chosen, and what groups would do."""
    said = [text for text in (result.sides, result.unit_reason) if text]
    why = [*said, *_rater_effect_words(result.pairs)]
    estimands = "\n".join(_estimand_lines(result.pairs)) if len(result.pairs) > 1 else ""
    parts = [estimands, metric_meanings([pair.metric for pair in result.pairs]), " ".join(why)]
    if result.judges:
        parts[:0] = [open_words(result), limit_words(result), far_rater_words(result)]
    return [part for part in (*parts, _design_words(result.design_effects)) if part]


def metric_meanings(metrics: Sequence[str]) -> str:
    """Say what the metrics with a technical name mean."""
    told = {metric.removeprefix("wins:"): meaning_of(metric) for metric in metrics}
    said = "; ".join(f"{metric}: {meaning}" for metric, meaning in told.items() if meaning)
    return f"{said}." if said else ""


def _estimand_lines(pairs: Sequence["Pair"]) -> list[str]:
    """Say of each metric what it estimates, which side is good, and what was drawn."""
    first = {pair.metric: pair for pair in reversed(pairs)}
    return [
        f"{pair.metric} ({pair.better} is good): {pair.estimand}; {unit_words(pair)}."
        for pair in list(first.values())[::-1]
    ]


def _rater_effect_words(pairs: Sequence["Pair"]) -> list[str]:
    """Say what counting raters as drawn does to the variance: the median pair and the worst one."""
    effects = sorted(pair.rater_effect for pair in pairs if pair.rater_effect is not None)
    if not effects:
        return []
    middle = 0.5 * (effects[(len(effects) - 1) // 2] + effects[len(effects) // 2])
    most = f" for the median pair, up to {effects[-1]:.1f}" if len(effects) > 1 else ""
    if effects[-1] < 1.05:
        seen = "Counting raters as drawn hardly changes the variance that was seen"
        return [f"{seen}; the interval also counts what few raters leave open."]
    if middle < 1.05:
        most = f"at most {effects[-1]:.1f} times as large, and for the median pair no larger"
        return [f"Counting raters as drawn makes the variance {most}."]
    return [f"Counting raters as drawn makes the variance {middle:.1f} times as large{most}."]


def _design_words(effects: Mapping[str, DesignEffect]) -> str:
    """Say what drawing whole groups of items would do to the variance."""
    if not effects:
        return ""
    words = []
    for column, effect in effects.items():
        most = f", up to {effect.largest:.1f}" if effect.largest > effect.median else ""
        words.append(f"{column} {effect.median:.1f}{most} ({effect.groups:,} groups)")
    return f"Design effects (variance if groups were drawn, over variance if items were): {'; '.join(words)}"


def in_reading_order(result: "Comparison", pairs: "Sequence[Pair] | None" = None) -> list["Pair"]:
    """A leaderboard reads from the top, with the better scored system first, and so do judges; else as asked.

    The pairs are those of the whole, or of a group of items.
    """
    there = result.pairs if pairs is None else pairs
    if result.judges:
        at = {standing.system: i for i, standing in enumerate(result.ranking)}
        metrics = list(dict.fromkeys(pair.metric for pair in result.pairs))
        return sorted(there, key=lambda pair: (metrics.index(pair.metric), at[pair.a]))
    if len(result.ranking) == 2 or result.baseline or result.margin:
        return list(there)
    place = {standing.system: i for i, standing in enumerate(result.ranking)}
    ordered = [pair if place[pair.a] < place[pair.b] else _mirrored(pair) for pair in there]
    return sorted(ordered, key=lambda pair: (place[pair.a], place[pair.b]))


def _mirrored(pair: "Pair") -> "Pair":
    """The same comparison seen from b; without a margin its verdict only changes sides."""
    verdicts: dict[Verdict, Verdict] = {"a_better": "b_better", "b_better": "a_better"}
    return replace(
        pair,
        a=pair.b,
        b=pair.a,
        score_a=pair.score_b,
        score_b=pair.score_a,
        excess_a=pair.excess_b,
        excess_b=pair.excess_a,
        win=pair.loss,
        loss=pair.win,
        difference=-pair.difference,
        low=-pair.high,
        high=-pair.low,
        verdict=verdicts.get(pair.verdict, pair.verdict),
        low_adjusted=None if pair.high_adjusted is None else -pair.high_adjusted,
        high_adjusted=None if pair.low_adjusted is None else -pair.low_adjusted,
    )


def drawn_word(pair: "Pair") -> str:
    """Name what was drawn: an item, a batch or cluster of them, or a rater of given items."""
    return {"batches": "batch", "raters": "rater"}.get(
        pair.unit, "cluster" if pair.unit.startswith("cluster:") else "item"
    )


def decimals(pairs: Sequence["Pair"]) -> int:
    """Three decimals, or as many as two figures of the shortest half-width need."""
    halves = [(high - low) / 2 for low, high, _ in (pair.deciding for pair in pairs) if isfinite(high - low)]
    shortest = min((half for half in halves if half > 0), default=1.0)
    return min(max(3, 1 - floor(log10(shortest))), 9)


def comparison_tables(result: "Comparison") -> dict[str, Table]:
    """Return the tables by name; a ranking only of more than two systems."""
    if result.scores:
        return {"scores": scores_table(result.scores, result.target_score, result.ceiling)}
    if result.judges:
        digits = decimals([pair for pair in result.pairs if pair.metric == result.judges[0].metric])
        tables = {"judges": judges_table(result, digits), "raters": raters_table(result)}
        return tables | ({"groups": _groups(result)} if result.groups else {})
    tables = {"ranking": _ranking(result)} if len(result.ranking) > 2 else {}
    tables["pairs"] = table_of(
        "Positive differences: a is better", _pair_rows(in_reading_order(result)), PAIR_COLUMNS, note=result.family
    )
    if result.groups:
        tables["groups"] = _groups(result)
    if len(result.pairs) == 1 and result.differences:
        rows = [{"difference": interval(low, high), "items": n} for low, high, n in result.item_bins() if n]
        tables |= {"items": table_of("Items by difference", rows, PAIR_COLUMNS, numbers=True)} if rows else {}
    return tables


def _ranking(result: "Comparison") -> Table:
    digits = decimals([pair for pair in result.pairs if pair.metric == result.ranking[0].metric])
    rows = [
        {
            "system": standing.system,
            "win_rate": None if standing.win_rate is None else percent(standing.win_rate),
            "score": _number(standing.score, digits),
            "interval": _interval(standing.low, standing.high, digits),
            "rank": _rank(standing),
            "could_be_best": "yes" if standing.could_be_best else "no",
        }
        for standing in result.ranking
    ]
    notes = ["Could be best: no other is told to be better."]
    could = [standing.could_be_best for standing in result.ranking]
    if could != sorted(could, reverse=True):
        notes = [f"{notes[0][:-1]}; of a scattered score that may not be known, though it is lower than a beaten one."]
    if result.ranking[0].win_rate is not None:
        notes = ["Win rate: how often a system is to be preferred to another, ties half.", *notes]
    tied = "; ".join(", ".join(group) for group in result.tied)
    notes += [f"Not told apart: {tied}."] if tied else []
    if result.ceiling is not None:
        notes.append(f"Human ceiling: a rater scores {number(result.ceiling, digits)} against the others.")
    return table_of("Ranking, best first", rows, RANK_COLUMNS, note="\n".join(notes))


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
            "excess_a": _number(pair.excess_a, digits[pair.metric]),
            "excess_b": _number(pair.excess_b, digits[pair.metric]),
            **_fallen(pair),
            **_outcome(pair, digits[pair.metric]),
        }
        for pair in pairs
    ]


def _fallen(pair: "Pair") -> dict[str, Any]:
    """How votes fell; empty where there are none."""
    shares = {"win": pair.win, "tie": pair.tie, "loss": pair.loss}
    return {name: percent(share) for name, share in shares.items() if share is not None}


def _outcome(pair: "Pair", digits: int) -> dict[str, Any]:
    """The difference with the interval and the p-value that decide."""
    low, high, p = pair.deciding
    return {
        "difference": _number(pair.difference, digits),
        "interval": _interval(low, high, digits),
        "p": p_number(p),
        "verdict": pair.verdict.replace("_", " "),
    }


def _groups(result: "Comparison") -> Table:
    """The pairs within each group; their unit where it is not that of the whole."""
    pairs = [(group, pair) for group in result.groups for pair in in_reading_order(result, group.pairs)]
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
    return table_of(f"By {result.by}", rows, PAIR_COLUMNS, note=variation_words(result))


def variation_words(result: "Comparison") -> str:
    """Say of which pairs the difference is not the same in all groups; of one, with its p in any case."""
    level, rows = 1 - result.pairs[0].confidence, result.heterogeneity
    if len(rows) == 1:
        return _variation(rows[0], level)
    varying = [row for row in rows if row.p_adjusted <= level]
    said = [_variation(row, level) for row in varying[:VARYING]]
    rest = len(rows) - len(varying)
    if rest:
        least = p_words(min(row.p_adjusted for row in rows if row.p_adjusted > level)).replace("p =", "p from")
        others = f"Of the other {rest:,}" if varying else f"Of {rest:,} differences"
        said.append(f"{others} there is no sign that they vary by group ({least} up).")
    return "\n".join(said)


def _variation(row: "Heterogeneity", level: float) -> str:
    """Say whether a pair's difference is the same in all groups."""
    varies = "the difference is not the same in all groups"
    words = varies if row.p_adjusted <= level else "no sign that the difference varies by group"
    return f"{row.a} − {row.b} by {row.metric}: {words} ({p_words(row.p_adjusted)})."


def _number(value: float | None, digits: int) -> str | None:
    return number(value, digits) if value is not None and isfinite(value) else None


def _interval(low: float, high: float, digits: int) -> str | None:
    return interval(low, high, digits) if isfinite(high - low) else None
