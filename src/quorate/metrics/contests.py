"""Scores of several systems made comparable, and contests: A minus B, oriented so that positive means A is better.

``d_i = ± (score_i(A) − score_i(B))``; wins count ``sign d_i``, ties 0.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array
from quorate.data.summaries import Counts, Means, Probabilities, Summary, Values
from quorate.metrics.item_scores import Crps
from quorate.metrics.metric import Metric, common_size
from quorate.metrics.rarefy import rarefied
from quorate.metrics.registry import wins_of
from quorate.metrics.set_scores import weighted_total


def settle(metric: Metric, raters: Summary | None, systems: Sequence[Summary]) -> Metric:
    """Return the metric with everything decided that depends on all the systems; refuse what cannot be compared.

    ``crps`` subtracts the answers' own spread only if every system gave two or more, or
    probabilities. Use the result for credits and estimands.
    """
    if metric.contest_of is not None:
        if metric.comparable != "any":
            _check_answers(metric, systems)
        return wins_of(settle(metric.contest_of, raters, systems))
    _check_aligned(systems if metric.rates_systems or raters is None else [raters, *systems])
    if metric.comparable != "any":
        _check_answers(metric, systems)
    if isinstance(metric.score, Crps):
        return _crps_for(metric, systems)
    return metric


def scores(
    metric: Metric, raters: Summary | None, systems: Sequence[Summary], weights: Array | None = None
) -> list[Array]:
    """Score every system, at the same number of answers.

    Item metrics give ``(..., item)``, set metrics ``(...)``. For wins it is the share of the other
    systems beaten on the item, so that with two systems the difference of the scores is the
    contest. Raters are None for ``mean_rating``, where each system's summary is the ratings it got;
    ``weights`` are item weights ``(..., item)`` for set metrics.
    """
    metric = settle(metric, raters, systems)
    if metric.contest_of is not None:
        return _wins(metric.contest_of, raters, systems)
    if metric.level == "set" and metric.combine is not None:
        return [metric.combine(weighted_total(t, weights)) for t in item_terms(metric, raters, systems)]
    if metric.level == "set":
        return [metric.score(raters, system, weights) for system in systems]
    return [terms[..., 0] for terms in item_terms(metric, raters, systems)]


def item_terms(metric: Metric, raters: Summary | None, systems: Sequence[Summary]) -> list[Array]:
    """Return each system's item terms, ``(..., item, term)``, at the same number of answers.

    A set score is ``metric.combine`` of their weighted totals; an item metric has one term, its
    score.
    """
    metric = settle(metric, raters, systems)
    if metric.contest_of is not None or (metric.level == "set" and metric.terms is None):
        raise InputError(f"{metric.name} has no terms per item")

    def terms(raters: Summary, system: Summary) -> Array:
        return metric.score(raters, system)[..., None] if metric.terms is None else metric.terms(raters, system)

    if metric.rates_systems:
        return [terms(system, system) for system in systems]
    if raters is None:
        raise InputError(f"{metric.name} compares systems with raters: give the raters' answers")
    if metric.comparable != "rarefy":
        return [terms(raters, system) for system in systems]
    target = common_size(systems)
    return [rarefied(terms, raters, system, target) for system in systems]


def contest(metric: Metric, raters: Summary | None, a: Summary, b: Summary, weights: Array | None = None) -> Array:
    """Return A minus B, positive where A is better: ``(..., item)``, or ``(...)`` for set metrics; wins give signs.

    Differences within rounding error of zero are exactly zero, so that scores equal on paper tie.
    Wins of systems with unequal numbers of answers are expected signs, over the sub-samples of the
    smaller number.
    """
    metric = settle(metric, raters, [a, b])
    if metric.contest_of is not None:
        won_and_lost = wins_and_losses(metric.contest_of, raters, a, b)
        return np.asarray(won_and_lost[..., 0] - won_and_lost[..., 1])
    score_a, score_b = scores(metric, raters, [a, b], weights)
    return oriented(metric, score_a, score_b, raters if raters is not None else a)


def oriented(metric: Metric, score_a: Array, score_b: Array, raters: Summary) -> Array:
    """Return the difference of two scores, positive where A is better, exactly 0 within rounding error."""
    difference = score_a - score_b if metric.better == "high" else score_b - score_a
    noise = 1e-12 * (np.abs(score_a) + np.abs(score_b) + _magnitude(metric, raters))
    # nan differences (a score that is not defined) stay nan.
    return np.where(np.abs(difference) <= noise, 0.0, difference)


def _magnitude(metric: Metric, raters: Summary) -> float:
    """The size of the numbers a score was computed from: its rounding error is a multiple of it."""
    if "nominal" in metric.scales or metric.level == "set":
        return 1e-3
    if isinstance(raters, Counts | Probabilities):
        return float(np.max(np.abs(raters.levels))) if raters.levels is not None else 1.0
    return float(np.max(np.abs(raters.mean)))


def _wins(base: Metric, raters: Summary | None, systems: Sequence[Summary]) -> list[Array]:
    """Share of the other systems that each beats, item by item."""
    if len(systems) < 2:
        raise InputError("wins compares systems: give at least two")
    beaten = [
        [wins_and_losses(base, raters, a, b)[..., 0] for k, b in enumerate(systems) if k != j]
        for j, a in enumerate(systems)
    ]
    return [np.asarray(np.mean(np.broadcast_arrays(*rivals), axis=0)) for rivals in beaten]


def wins_and_losses(base: Metric, raters: Summary | None, a: Summary, b: Summary) -> Array:
    """Return the chances that A wins the item and that B does, ``(..., item, 2)``, at the smaller number of answers.

    The sign of an expected score would not do: one answer that is right nine times in ten beats the
    mean of ten such.
    """
    given = raters if raters is not None else a

    def outcome(raters: Summary, system: Summary, rival: Array) -> Array:
        difference = oriented(base, base.score(raters, system), rival, given)
        return np.stack([difference > 0, difference < 0], axis=-1).astype(float)

    if base.rates_systems:
        return outcome(a, a, base.score(b, b))
    target = common_size([a, b])
    won = rarefied(outcome, given, a, target, base.score(given, b))
    fewer = b.size > target
    if not np.any(fewer):
        return won
    # Where B gave more answers, B is brought down and A stands as it is.
    return np.where(fewer[..., None], rarefied(outcome, given, b, target, base.score(given, a))[..., ::-1], won)


def _crps_for(metric: Metric, systems: Sequence[Summary]) -> Metric:
    spread = all(isinstance(s, Probabilities | Counts | Values) and bool(np.min(s.size) >= 2) for s in systems)
    crps = Crps(spread)
    words = "subtracted" if spread else "not subtracted"
    meaning = f"mean distance between the system's answers and the raters', the answers' own spread {words}"
    return replace(
        metric,
        score=crps,
        credit=crps.credit,
        answer_credit=crps.answer_credit,
        meaning=meaning,
        answers_averaged=not spread,
    )


def _check_aligned(summaries: Sequence[Summary]) -> None:
    items = {s.size.shape[-1] for s in summaries}
    if len(items) > 1:
        raise InputError(f"raters and systems must cover the same items, not {sorted(items)} of them")
    categories = {s.share.shape[-1] for s in summaries if isinstance(s, Counts | Probabilities)}
    if len(categories) > 1:
        raise InputError(f"raters and systems must use the same categories, not {sorted(categories)} of them")


def _check_answers(metric: Metric, systems: Sequence[Summary]) -> None:
    mixed = len({isinstance(s, Probabilities) for s in systems}) > 1
    if mixed:
        raise InputError(
            f"{metric.name} cannot compare probabilities with single answers, because it moves with their number: "
            "use agreement, brier or crps, or give both systems in the same form"
        )
    target = common_size(systems) if systems else np.zeros(())
    unequal = any(bool(np.any(s.size != target)) for s in systems)
    if unequal and (metric.comparable == "equal" or any(isinstance(s, Means) for s in systems)):
        raise InputError(
            f"{metric.name} cannot compare systems that gave different numbers of answers per item: "
            "give every system the same number, or use agreement, brier or crps"
        )
