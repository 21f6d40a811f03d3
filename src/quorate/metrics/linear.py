"""Scores that are linear in the raters: the mean over an item's raters of the credit each rater's answer gives.

``score_i = Σ_m g_im credit_im`` with g the raters' shares. Such a score has the same expectation at any number of
raters, and splits by rater.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array
from quorate.data.summaries import Counts, Probabilities, Summary, ordered_levels
from quorate.metrics.points import gaps_and_cumulatives, shares, weighted_points

__all__ = [
    "Crps",
    "Linear",
    "agreement_credit",
    "brier_credit",
    "brier_excess",
    "expected_agreement",
    "expected_brier",
    "expected_crps",
    "mean_rating",
    "mean_rating_answer_credit",
    "mean_rating_credit",
]


@dataclass(frozen=True)
class Linear:
    """A score made of its credits: the mean over the item's raters.

    Parameters
    ----------
    credit
        From a system's answers to the score each category would give, ``(..., item, category)``.
    """

    credit: Callable[[Summary], Array]

    def __call__(self, raters: Summary, system: Summary) -> Array:
        """Score each item, ``(..., item)``."""
        return np.asarray(np.einsum("...m,...m->...", shares(raters), self.credit(system)))


def agreement_credit(system: Summary) -> Array:
    """Return the share of the system's answers that equal each category.

    For probabilities that is the chance that one answer drawn from them would agree.
    """
    return shares(system)


def brier_credit(system: Summary) -> Array:
    """Return half the squared distance to each category, ``½ Σ_m (p_m − 1[y = m])²`` [brier1950].

    Single answers are one-hot forecasts averaged over runs, so their number does not matter: 1 − share.

    Examples
    --------
    >>> brier_credit(Probabilities(np.array([[0.5, 0.5]]))), brier_credit(Counts(np.array([[1, 1]])))
    (array([[0.25, 0.25]]), array([[0.5, 0.5]]))
    """
    share = shares(system)
    if isinstance(system, Counts):
        return 1.0 - share
    return np.asarray(0.5 * (np.square(share).sum(-1, keepdims=True) + 1.0) - share)


def brier_excess(raters: Summary, system: Summary) -> Array:
    """Return the Brier score minus the raters' own spread, ``(..., item)``; nan below two raters.

    The spread ``½ P(two raters differ)`` is what an oracle of the item's answer distribution would still lose, so
    the excess estimates ``½ Σ_m (p_m − β_m)²``, without bias at any number of raters from two up.

    Examples
    --------
    >>> brier_excess(Counts(np.array([[1, 1]])), Probabilities(np.array([[0.5, 0.5]])))
    array([-0.25])
    """
    if not isinstance(raters, Counts):
        raise InputError("the raters' own spread needs their counts per category")
    counts, size = raters.counts, raters.size
    same = (counts * (counts - 1)).sum(-1)
    pairs = np.where(size > 1, size * (size - 1), np.nan)
    return np.asarray(Linear(brier_credit)(raters, system) - 0.5 * (1.0 - same / pairs))


def expected_agreement(raters: Summary, law: Probabilities, answers: int) -> Array:
    """Return the agreement expected of single answers: that of their law, however many there are."""
    del answers
    return Linear(agreement_credit)(raters, law)


def expected_brier(raters: Summary, law: Probabilities, answers: int) -> Array:
    """Return the Brier score expected of single answers, 1 − agreement."""
    return 1.0 - expected_agreement(raters, law, answers)


@dataclass(frozen=True)
class Crps:
    """Mean distance between the system's answers and the raters', optionally less the system's own spread.

    ``mean |x − y| − Σ |x − x'| / (2 R (R − 1))`` over R answers x and raters' y; for probabilities the spread is
    ``½ Σ Σ p p' |x − x'|`` and the score is the ranked probability score [gneiting2007, sec. 4.2].

    Parameters
    ----------
    spread
        Subtract the system's own spread; proper for distributions, impossible for single answers.

    Examples
    --------
    >>> raters = Counts(np.array([[1, 1, 0]]), levels=np.array([0.0, 1.0, 2.0]))
    >>> system = Counts(np.array([[0, 1, 1]]), levels=np.array([0.0, 1.0, 2.0]))
    >>> Crps()(raters, system), Crps(spread=True)(raters, system)
    (array([1.]), array([0.5]))
    """

    spread: bool = False

    def __call__(self, raters: Summary, system: Summary) -> Array:
        """Score each item, ``(..., item)``."""
        if isinstance(raters, Counts | Probabilities) and _same_levels(raters, system):
            return Linear(self.credit)(raters, system)
        gaps, below_r, below_s = gaps_and_cumulatives(raters, system)
        distance = (gaps * (below_r * (1 - below_s) + below_s * (1 - below_r))).sum(-1)
        return np.asarray(distance - self._own_spread(system))

    def credit(self, system: Summary) -> Array:
        """Return the score a rater's answer gives, per level, ``(..., item, category)``."""
        if not isinstance(system, Counts | Probabilities):
            raise InputError("credits per category need counts or probabilities: use answer_credit for plain numbers")
        levels = ordered_levels(system)
        distance: Array = system.share @ np.abs(levels[:, None] - levels)
        return distance - self._own_spread(system)[..., None]

    def answer_credit(self, system: Summary, answers: Array) -> Array:
        """Return the score that raters' answers, ``(..., item, answer)``, give; same shape."""
        places, weights = weighted_points(system)
        distance = np.zeros(np.broadcast_shapes(places[..., :1].shape, answers.shape))
        for point in range(places.shape[-1]):  # a handful of answers or levels; keeps memory at one array
            distance += weights[..., point, None] * np.abs(places[..., point, None] - answers)
        return distance - self._own_spread(system)[..., None]

    def _own_spread(self, system: Summary) -> Array:
        if not self.spread:
            return np.zeros(())
        gaps, below, _ = gaps_and_cumulatives(system, system)
        half_mean_difference = (gaps * below * (1 - below)).sum(-1)
        if isinstance(system, Probabilities):
            return np.asarray(half_mean_difference)
        if np.min(system.size) < 2:
            raise InputError("a system's own spread needs at least two answers per item: use crps without it")
        return np.asarray(half_mean_difference * system.size / (system.size - 1.0))


def expected_crps(raters: Summary, law: Probabilities, answers: int) -> Array:
    """Return the CRPS expected of single answers: the spread of several has that of their law as its mean."""
    return Crps(spread=answers > 1)(raters, law)


def mean_rating(ratings: Summary, system: Summary | None = None) -> Array:
    """Return the mean of the ratings a system's outputs got, ``(..., item)``; the second argument is not read."""
    del system
    return ratings.mean


def mean_rating_credit(ratings: Summary) -> Array:
    """Return the number each category stands for, as credit, ``(..., item, category)``."""
    share = shares(ratings)
    places, _ = weighted_points(ratings)
    return np.broadcast_to(places, share.shape)


def mean_rating_answer_credit(ratings: Summary, answers: Array) -> Array:
    """Return the ratings themselves: each counts as it stands."""
    del ratings
    return answers


def _same_levels(raters: Counts | Probabilities, system: Summary) -> bool:
    if not isinstance(system, Counts | Probabilities):
        return False
    return np.array_equal(ordered_levels(raters), ordered_levels(system))
