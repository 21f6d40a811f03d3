"""What a paper reports of a comparison: a paragraph for a human-evaluation data sheet [shimorina2022]."""

from statistics import NormalDist
from typing import TYPE_CHECKING

from quorate._text import count, number, percent
from quorate._version import __version__

if TYPE_CHECKING:
    from quorate.comparing.result import Comparison, Pair

POWER = 0.8
"""Power at which the smallest difference a study could see is said."""


def comparison_data_sheet(result: "Comparison") -> str:
    """Say sample, estimand, what was drawn at random, test, corrections, and the difference the study could see."""
    if result.scores:
        return _scores_data_sheet(result)
    if not result.pairs:
        return ""
    first = result.pairs[0]
    systems = dict.fromkeys(name for pair in result.pairs for name in (pair.a, pair.b))
    beside = ""
    if result.judges:
        systems, beside = dict.fromkeys(judge.system for judge in result.judges), " with the raters themselves"
    people = "" if first.n_raters is None else f" rated by {count(first.n_raters, 'person', 'people')}"
    sample = f"{count(len(systems), 'system')} ({', '.join(systems)}){beside} on {count(first.n_items, 'item')}{people}"
    drawn = f"Inference is to {first.scope or 'other items'} (unit {first.unit}, test {first.test})"
    title = first.metric.replace("_", " ")
    metric = title if first.estimand == title else f"{title}: {first.estimand}"
    family = " p-values and intervals are adjusted for all comparisons at once." if first.p_adjusted is not None else ""
    return (
        f"Compared {sample} by {metric}. {drawn}, two-sided at "
        f"{percent(1 - first.confidence)}.{family} {_result(result)} {_seen(result)} "
        f"quorate {__version__}, seed {result.seed}."
    )


def _scores_data_sheet(result: "Comparison") -> str:
    """Say of systems by themselves what was measured, on what, how sure, and against which bar."""
    first = result.scores[0]
    title = first.metric.replace("_", " ")
    meaning = "" if first.estimand == title else f" ({first.estimand})"
    tested = [None if each.p_value is None else _chance(each.p_value, each.p_adjusted) for each in result.scores]
    chances = ["" if p is None else f", p = {p:.2g}" for p in tested]
    said = [
        f"{each.system} {each.metric.replace('_', ' ')} {number(each.score)}, {percent(each.confidence)} interval "
        f"{number(each.low)} to {number(each.high)}{chance}"
        for each, chance in zip(result.scores, chances, strict=True)
    ]
    bar = "" if result.target_score is None else f", tested two-sided against a bar of {result.target_score:g}"
    adjusted = " p-values are adjusted for all scores at once (Holm)." if first.p_adjusted is not None else ""
    names = ", ".join(dict.fromkeys(each.system for each in result.scores))
    return (
        f"Scored {names} on {count(first.n_items, 'item')} by {title}{meaning}, unit "
        f"{first.unit}{bar}: {'; '.join(said)}.{adjusted} quorate {__version__}, seed {result.seed}."
    )


def _result(result: "Comparison") -> str:
    """The outcome of one pair; how many pairs were told apart of several."""
    if len(result.pairs) > 1:
        told = sum(_chance(pair.p_value, pair.p_adjusted) <= 1 - pair.confidence for pair in result.pairs)
        return f"{told} of {count(len(result.pairs), 'comparison')} told the systems apart."
    [pair] = result.pairs
    ends = f"{percent(pair.confidence)} interval {number(pair.low)} to {number(pair.high)}"
    return f"Difference {pair.a} − {pair.b}: {number(pair.difference)}, {ends}, p = {pair.p_value:.2g}."


def _chance(p: float, adjusted: float | None) -> float:
    """The p that counts: adjusted where several were looked at."""
    return p if adjusted is None else adjusted


def _seen(result: "Comparison") -> str:
    """The difference that the median pair could see: ``(z_α/2 + z_power) se``, the normal approximation."""
    errors = sorted(pair.se for pair in result.pairs if pair.se > 0)
    if not errors:
        return ""
    least = number(_reach(result.pairs[0], errors))
    return (
        f"With {percent(POWER)} power the study could see differences from about {least} up (normal approximation, "
        "from the standard error found)."
    )


def _reach(pair: "Pair", errors: list[float]) -> float:
    normal = NormalDist()
    return (normal.inv_cdf(0.5 + pair.confidence / 2) + normal.inv_cdf(POWER)) * errors[len(errors) // 2]
