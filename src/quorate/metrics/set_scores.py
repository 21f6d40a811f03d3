"""Scores of a whole set of items that are smooth functions of item totals: RMSE, cosine, precision, recall, F1.

Each is ``combine(Σ_i w_i terms_i)``, so item weights (resampling, leave-one-out) and influence functions come for free.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from quorate._typing import Array
from quorate.data.summaries import Summary, ratio
from quorate.metrics.metric import Variant
from quorate.metrics.panels import given_answers, squared_error
from quorate.metrics.points import plurality

__all__ = [
    "ConfusionTerms",
    "SetScore",
    "combine_cosine",
    "combine_f1",
    "combine_ratio",
    "combine_rmse",
    "cosine_terms",
    "rmse_terms",
    "truth_and_answer",
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

    Examples
    --------
    >>> from quorate.data.summaries import Counts
    >>> raters, system = Counts(np.array([[1, 1], [0, 2]])), Counts(np.array([[0, 1], [3, 1]]))
    >>> ConfusionTerms("both", positive=1)(raters, system)
    array([[0.5 , 1.5 ],
           [0.25, 1.25]])
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
