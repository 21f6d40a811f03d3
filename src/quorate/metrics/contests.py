"""Scores of several systems made comparable, and contests: A minus B, oriented so that positive means A is better.

``d_i = ± (score_i(A) − score_i(B))``; wins count ``sign d_i``, ties 0.
"""

from collections.abc import Sequence

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array
from quorate.data.summaries import Summary
from quorate.metrics.metric import Metric, common_size, oriented, settle
from quorate.metrics.rarefy import rarefied
from quorate.metrics.set_scores import weighted_total


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


def contest(metric: Metric, raters: Summary | None, a: Summary, b: Summary) -> Array:
    """Return A minus B, positive where A is better: ``(..., item)``, or ``(...)`` for set metrics; wins give signs.

    Differences within rounding error of zero are exactly zero, so that scores equal on paper tie.
    Wins of systems with unequal numbers of answers are expected signs, over the sub-samples of the
    smaller number.
    """
    metric = settle(metric, raters, [a, b])
    if metric.contest_of is not None:
        won_and_lost = wins_and_losses(metric.contest_of, raters, a, b)
        return np.asarray(won_and_lost[..., 0] - won_and_lost[..., 1])
    score_a, score_b = scores(metric, raters, [a, b])
    return oriented(metric, score_a, score_b, raters if raters is not None else a)


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
