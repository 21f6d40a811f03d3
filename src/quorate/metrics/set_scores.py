"""Smooth scores of a whole set of items: RMSE, cosine, precision, recall and F1 are ``combine(Σ_i w_i terms_i)``.

A weight of two counts an item twice, so no set is ever copied.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from quorate._typing import Array
from quorate.data.summaries import Summary, ratio
from quorate.metrics.item_scores import given_answers, squared_error
from quorate.metrics.metric import CATEGORIES, NUMBERS, Better, Metric, Variant, plurality


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

    Deviates: [leaderboard] takes the cosine of the flattened answer matrices, which pairs single
    answers.
    """
    g, s = np.broadcast_arrays(raters.mean, system.mean)
    return np.stack([g * s, g * g, s * s], axis=-1)


def combine_cosine(totals: Array) -> Array:
    """Return ``Σ g s / sqrt(Σ g² Σ s²)``."""
    return ratio(totals[..., 0], np.sqrt(totals[..., 1] * totals[..., 2]))


@dataclass(frozen=True)
class ConfusionTerms:
    """Soft confusion counts per item: (true positive, what precision, recall or F1 divides it by).

    Truth is the raters' plurality, shared on ties; the system's answer is the share of its runs
    that are positive, for probabilities their largest. F1 = 2 TP / (predicted + true). The paper
    gives ties to the first category and lets runs vote.
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


def set_metrics(variant: Variant, positive: int) -> list[Metric]:
    """Return every smooth metric of whole sets; ``positive`` is the index of the positive category."""

    def smooth(name: str, title: str, better: Better, score: SetScore, **more: Any) -> Metric:
        return Metric(name, title, better, score=score, level="set", terms=score.terms, combine=score.combine, **more)

    # Soft counts are linear in the system's answers; the plurality of runs is not.
    counted = "any" if variant == "default" else "rarefy"
    labels = {"scales": CATEGORIES, "comparable": counted, "compares_labels": True, "needs_positive": True}
    means: dict[str, Any] = {"scales": NUMBERS, "reads_means": True}
    predicted, true = ConfusionTerms("predicted", positive, variant), ConfusionTerms("true", positive, variant)
    both = ConfusionTerms("both", positive, variant)
    return [
        smooth("rmse", "root mean squared error", "low", SetScore(rmse_terms, combine_rmse), **means),
        smooth("cosine", "cosine of item means", "high", SetScore(cosine_terms, combine_cosine), **means),
        smooth("precision", "precision", "high", SetScore(predicted, combine_ratio), **labels),
        smooth("recall", "recall", "high", SetScore(true, combine_ratio), **labels),
        smooth("f1", "F1", "high", SetScore(both, combine_f1), **labels),
    ]
