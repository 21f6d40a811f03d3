"""Scores of a whole set of items, with item weights: a weight of two counts an item twice, so no set is ever copied.

RMSE, cosine, precision, recall and F1 are ``combine(Σ_i w_i terms_i)``, which gives influence functions for free; AUC,
Spearman and the EMD of item means need sorting, O(N log N).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from quorate._typing import Array
from quorate.data.summaries import Summary, ratio
from quorate.metrics.item_scores import given_answers, squared_error
from quorate.metrics.metric import Variant, plurality, shares

__all__ = [
    "Auc",
    "ConfusionTerms",
    "Ranking",
    "SetScore",
    "combine_cosine",
    "combine_f1",
    "combine_ratio",
    "combine_rmse",
    "cosine_terms",
    "emd_of_means",
    "rmse_terms",
    "spearman",
    "truth_and_answer",
    "weight_below",
    "weighted_total",
]


@dataclass(frozen=True)
class SetScore:
    """A score of the whole set: terms per item, summed with item weights, combined.

    Parameters
    ----------
    terms
        From raters and system to ``(..., item, term)``.
    combine
        From totals, ``(..., term)``, to the score, ``(...)``; unchanged when all totals are scaled alike.
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

    Parameters
    ----------
    divisor
        ``"predicted"`` for precision, ``"true"`` for recall, ``"both"`` for F1.
    positive
        Index of the positive category.
    variant
        ``"paper"``: ties to the first category, runs vote.
    """

    divisor: Literal["predicted", "true", "both"]
    positive: int
    variant: Variant = "default"

    def __call__(self, raters: Summary, system: Summary) -> Array:
        """Return the terms, ``(..., item, 2)``."""
        true, said = np.broadcast_arrays(*truth_and_answer(raters, system, self.positive, self.variant))
        below = {"predicted": said, "true": true, "both": said + true}[self.divisor]
        return np.stack([true * said, below], axis=-1)


def truth_and_answer(
    raters: Summary, system: Summary, positive: int, variant: Variant = "default"
) -> tuple[Array, Array]:
    """Return how far each item is positive, by the raters' plurality and by the answers, each ``(..., item)``."""
    truth = plurality(raters, ties="first" if variant == "paper" else "shared")
    return truth[..., positive], given_answers(system, variant)[..., positive]


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
        won = (positives * weight_below(score, negatives)).sum(-1)
        return ratio(won, positives.sum(-1) * negatives.sum(-1))


def spearman(raters: Summary, system: Summary, weights: Array | None = None) -> Array:
    """Return Spearman's rank correlation of the item means, ``(...)``; ties share their mean rank."""
    g, s = np.broadcast_arrays(raters.mean, system.mean)
    w = _weights(weights, g)
    rank_g, rank_s = weight_below(_without_noise(g), w), weight_below(_without_noise(s), w)
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


def weight_below(values: Array, weights: Array) -> Array:
    """Return, for each value, the weight of smaller values plus half the weight of equal ones, ``(..., item)``."""
    return Ranking.of(values).below(weights)


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
        """Return the weight below each value, equals by half, ``(..., item)``; leading axes broadcast."""
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
