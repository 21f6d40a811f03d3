"""Scores of a whole set of items, with item weights: a weight of two counts an item twice, so no set is ever copied.

RMSE, cosine, precision, recall and F1 are ``combine(Σ_i w_i terms_i)``, which gives influence functions for free; AUC,
Spearman and the EMD of item means need sorting, O(N log N).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from quorate._typing import Array
from quorate.data.summaries import Summary, ratio
from quorate.metrics.item_scores import given_answers, squared_error
from quorate.metrics.metric import CATEGORIES, NUMBERS, Better, Metric, Variant, plurality, shares

__all__ = ["Auc", "Ranking", "emd_of_means", "set_metrics", "spearman", "weighted_total"]


@dataclass(frozen=True)
class SetScore:
    """A score of the whole set: terms ``(..., item, term)``, summed with item weights, combined to ``(...)``.

    Scaling all totals alike must not change it.
    """

    terms: Callable[[Summary, Summary], Array]
    combine: Callable[[Array], Array]

    def __call__(self, raters: Summary, system: Summary, weights: Array | None = None) -> Array:
        """Score the set, ``(...)``."""
        return self.combine(weighted_total(self.terms(raters, system), weights))


def weighted_total(terms: Array, weights: Array | None = None) -> Array:
    """Sum terms ``(..., item, term)`` over items with weights ``(..., item)``; None means one each."""
    if weights is None:
        return np.asarray(terms.sum(-2))
    if terms.ndim == 2:
        return np.asarray(weights @ terms)
    return np.asarray(np.matmul(weights[..., None, :], terms)[..., 0, :])


def rmse_terms(raters: Summary, system: Summary) -> Array:
    """Return (squared difference of item means, 1) per item."""
    square = squared_error(raters, system)
    return np.stack([square, np.ones_like(square)], axis=-1)


def combine_rmse(totals: Array) -> Array:
    """Return the root of the mean square."""
    return np.sqrt(ratio(totals[..., 0], totals[..., 1]))


def cosine_terms(raters: Summary, system: Summary) -> Array:
    """Return (g·s, g², s²) of the item means g and s.

    Deviates: [leaderboard] takes the cosine of the flattened answer matrices, which pairs single answers.
    """
    g, s = np.broadcast_arrays(raters.mean, system.mean)
    return np.stack([g * s, g * g, s * s], axis=-1)


def combine_cosine(totals: Array) -> Array:
    """Return ``Σ g s / sqrt(Σ g² Σ s²)``."""
    return ratio(totals[..., 0], np.sqrt(totals[..., 1] * totals[..., 2]))


@dataclass(frozen=True)
class ConfusionTerms:
    """Soft confusion counts per item: (true positive, what precision, recall or F1 divides it by).

    Truth is the raters' plurality, shared on ties; the system's answer is the share of its runs that are positive,
    for probabilities their largest. F1 = 2 TP / (predicted + true).
    The paper gives ties to the first category and lets runs vote.
    """

    divisor: Literal["predicted", "true", "both"]
    positive: int
    variant: Variant = "default"

    def __call__(self, raters: Summary, system: Summary) -> Array:
        """Return the terms, ``(..., item, 2)``."""
        truth = plurality(raters, ties="first" if self.variant == "paper" else "shared")
        answers = given_answers(system, self.variant)
        true, said = np.broadcast_arrays(truth[..., self.positive], answers[..., self.positive])
        below = {"predicted": said, "true": true, "both": said + true}[self.divisor]
        return np.stack([true * said, below], axis=-1)


def combine_ratio(totals: Array) -> Array:
    """Return the first total over the second; nan where nothing is counted (no positive answer, say)."""
    return ratio(totals[..., 0], totals[..., 1])


def combine_f1(totals: Array) -> Array:
    """Return twice the first total over the second."""
    return 2.0 * combine_ratio(totals)


@dataclass(frozen=True)
class Auc:
    """Area under the ROC curve: the chance that a positive item has the higher score, ties ½.

    Truth is the raters' plurality (an item tied between positive and another counts half as each), the score is the
    system's share or probability of the positive category.
    """

    positive: int
    variant: Variant = "default"

    def __call__(self, raters: Summary, system: Summary, weights: Array | None = None) -> Array:
        """Score the set, ``(...)``."""
        true = plurality(raters, ties="first" if self.variant == "paper" else "shared")[..., self.positive]
        score = shares(system)[..., self.positive]
        positives, negatives = _weights(weights, true) * true, _weights(weights, true) * (1.0 - true)
        won = (positives * Ranking.of(score).below(negatives)).sum(-1)
        return ratio(won, positives.sum(-1) * negatives.sum(-1))


def spearman(raters: Summary, system: Summary, weights: Array | None = None) -> Array:
    """Return Spearman's rank correlation of the item means, ``(...)``; ties share their mean rank."""
    g, s = np.broadcast_arrays(raters.mean, system.mean)
    w = _weights(weights, g)
    rank_g, rank_s = (Ranking.of(_without_noise(x)).below(w) for x in (g, s))
    # Mid-ranks average to half the total weight, whatever the ties.
    centre = 0.5 * w.sum(-1, keepdims=True)
    x, y = rank_g - centre, rank_s - centre
    return ratio((w * x * y).sum(-1), np.sqrt((w * x * x).sum(-1) * (w * y * y).sum(-1)))


def emd_of_means(raters: Summary, system: Summary, weights: Array | None = None) -> Array:
    """Return the earth mover's distance between the two distributions of item means, ``(...)``.

    It compares the two histograms only: which item has which mean does not matter.
    """
    g, s = np.broadcast_arrays(raters.mean, system.mean)
    w = _weights(weights, g)
    places = np.concatenate([g, s], axis=-1)
    order = np.argsort(places, axis=-1)
    lead = np.broadcast_shapes(w.shape[:-1], g.shape[:-1])
    signed = np.broadcast_to(np.concatenate([w, -w], axis=-1), (*lead, order.shape[-1]))
    excess = np.cumsum(np.take_along_axis(signed, np.broadcast_to(order, signed.shape), -1), axis=-1)[..., :-1]
    gaps = np.diff(np.take_along_axis(places, order, -1), axis=-1)
    return ratio((gaps * np.abs(excess)).sum(-1), w.sum(-1))


@dataclass(frozen=True)
class Ranking:
    """Values sorted once, for any number of weights: positions in order, and the ends of each value's run of equals."""

    order: Array
    first: Array
    last: Array

    @classmethod
    def of(cls, values: Array) -> "Ranking":
        """Sort the values, ``(..., item)``."""
        order = np.argsort(values, axis=-1)
        return cls(order, *_tie_bounds(np.take_along_axis(values, order, -1)))

    def below(self, weights: Array) -> Array:
        """Return the weight of smaller values plus half that of equal ones, ``(..., item)``; leading axes broadcast."""
        lead = np.broadcast_shapes(self.order.shape, weights.shape)
        order, first, last = (np.broadcast_to(x, lead) for x in (self.order, self.first, self.last))
        cumulative = np.zeros((*lead[:-1], lead[-1] + 1))
        np.cumsum(np.take_along_axis(np.broadcast_to(weights, lead), order, -1), axis=-1, out=cumulative[..., 1:])
        middle = 0.5 * (np.take_along_axis(cumulative, first, -1) + np.take_along_axis(cumulative, last + 1, -1))
        result = np.empty(lead)
        np.put_along_axis(result, order, middle, -1)
        return result


def _tie_bounds(ordered: Array) -> tuple[Array, Array]:
    """First and last position of each value's run of equals."""
    n = ordered.shape[-1]
    position = np.broadcast_to(np.arange(n), ordered.shape)
    fresh = np.ones(ordered.shape, dtype=bool)
    fresh[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    first = np.maximum.accumulate(np.where(fresh, position, 0), axis=-1)
    ends = np.ones(ordered.shape, dtype=bool)
    ends[..., :-1] = fresh[..., 1:]
    last = np.minimum.accumulate(np.where(ends, position, n - 1)[..., ::-1], axis=-1)[..., ::-1]
    return first, last


def _without_noise(values: Array) -> Array:
    """Round to about 12 digits: means that are equal on paper must tie."""
    size = np.max(np.abs(values))
    step = size * 2.0**-40 if size > 0 else 1.0
    return np.asarray(np.round(values / step) * step)


def _weights(weights: Array | None, like: Array) -> Array:
    return np.ones(like.shape[-1]) if weights is None else np.asarray(weights, dtype=float)


def set_metrics(variant: Variant, positive: int) -> list[Metric]:
    """Return every metric of whole sets; ``positive`` is the index of the positive category."""

    def smooth(name: str, title: str, better: Better, score: SetScore, **more: Any) -> Metric:
        return Metric(name, title, better, score=score, level="set", terms=score.terms, combine=score.combine, **more)

    # Soft counts are linear in the system's answers; the plurality of runs is not.
    counted = "any" if variant == "default" else "rarefy"
    labels = {"scales": CATEGORIES, "comparable": counted, "compares_labels": True, "needs_positive": True}
    means: dict[str, Any] = {"scales": NUMBERS, "reads_means": True}
    ranks: dict[str, Any] = {"level": "set", "comparable": "equal"}
    predicted, true = ConfusionTerms("predicted", positive, variant), ConfusionTerms("true", positive, variant)
    both = ConfusionTerms("both", positive, variant)
    return [
        smooth("rmse", "root mean squared error", "low", SetScore(rmse_terms, combine_rmse), **means),
        smooth("cosine", "cosine of item means", "high", SetScore(cosine_terms, combine_cosine), **means),
        smooth("precision", "precision", "high", SetScore(predicted, combine_ratio), **labels),
        smooth("recall", "recall", "high", SetScore(true, combine_ratio), **labels),
        smooth("f1", "F1", "high", SetScore(both, combine_f1), **labels),
        Metric("auc", "AUC", "high", CATEGORIES, Auc(positive, variant), needs_positive=True, **ranks),
        Metric("spearman", "Spearman correlation", "high", score=spearman, reads_ranks=True, **means, **ranks),
        Metric("emd_of_means", "EMD of item means", "low", score=emd_of_means, **means, **ranks),
    ]
