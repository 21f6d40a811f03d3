"""Scores that read an item's panel of raters as one: plurality hits and distances between answer distributions.

With g the raters' shares and a the system's: accuracy = P(plurality of g = answer), total variation = ½ Σ |g − a|,
KL = Σ g log(g / a), Jensen-Shannon distance = sqrt(½ KL(g ‖ m) + ½ KL(a ‖ m)), m = (g + a) / 2, base 2, MAE and MSE of
the two item means, EMD = Σ gap |G − A|. Their expectations move with the number of raters and of answers.
"""

from dataclasses import dataclass

import numpy as np

from quorate._typing import Array
from quorate.data.summaries import Counts, Summary
from quorate.metrics.metric import Variant
from quorate.metrics.points import gaps_and_cumulatives, plurality, shares

__all__ = [
    "CLIP",
    "Accuracy",
    "CrossEntropyCredit",
    "KullbackLeibler",
    "TotalVariation",
    "absolute_error",
    "clipped_cells",
    "earth_movers_distance",
    "given_answers",
    "jensen_shannon",
    "smoothed",
    "squared_error",
]

CLIP = 1e-6
"""Smallest probability a system is charged for."""
JEFFREYS = 0.5
"""Added to each category of a sampled system, the Jeffreys prior of a multinomial."""
PAPER_FLOOR = 1e-12
"""Added to counts on both sides by [forest]; found by reproducing its Table 2."""


@dataclass(frozen=True)
class Accuracy:
    """Chance that the system's answer is the raters' plurality; ties shared, runs averaged.

    Deviates: [forest] gives ties to the first category and lets the system's runs vote; that is ``variant="paper"``.

    Examples
    --------
    >>> raters, system = Counts(np.array([[1, 1, 0]])), Counts(np.array([[0, 2, 1]]))
    >>> Accuracy()(raters, system), Accuracy("paper")(raters, system)
    (array([0.33333333]), array([0.]))
    """

    variant: Variant = "default"

    def __call__(self, raters: Summary, system: Summary) -> Array:
        """Score each item, ``(..., item)``."""
        truth = plurality(raters, ties="first" if self.variant == "paper" else "shared")
        return np.asarray(np.einsum("...m,...m->...", truth, given_answers(system, self.variant)))


def given_answers(system: Summary, variant: Variant = "default") -> Array:
    """Return the system's answers as shares, ``(..., item, category)``.

    Runs count as they are; probabilities answer with their largest (ties shared). The paper variant takes the
    first plurality of both.
    """
    if variant == "paper":
        return plurality(system, ties="first")
    return system.share if isinstance(system, Counts) else plurality(system)


@dataclass(frozen=True)
class TotalVariation:
    """Half the summed distance of shares, ``½ Σ_m |g_m − a_m|``.

    Deviates: the tables of [forest] hold ``Σ_m |g_m − a_m| / M``; that is ``variant="paper"``.
    """

    variant: Variant = "default"

    def __call__(self, raters: Summary, system: Summary) -> Array:
        """Score each item, ``(..., item)``."""
        gap = np.abs(shares(raters) - shares(system))
        return np.asarray(gap.mean(-1) if self.variant == "paper" else 0.5 * gap.sum(-1))


@dataclass(frozen=True)
class KullbackLeibler:
    """Kullback-Leibler divergence ``Σ_m g_m log(g_m / q_m)``, natural log, from the raters to the system.

    Deviates: [forest] adds 1e-12 to the counts of both sides, which makes it a count of empty cells at few answers;
    that is ``variant="paper"``. By default raters are never smoothed (that would make the score improper).

    Examples
    --------
    >>> KullbackLeibler()(Counts(np.array([[1, 0]])), Counts(np.array([[1, 0]]))).round(4)
    array([0.2877])
    """

    variant: Variant = "default"

    def __call__(self, raters: Summary, system: Summary) -> Array:
        """Score each item, ``(..., item)``."""
        share = smoothed(raters, "paper") if self.variant == "paper" else shares(raters)
        log_q = np.log(smoothed(system, self.variant))
        return np.asarray(_x_log_x(share).sum(-1) - np.einsum("...m,...m->...", share, log_q))


@dataclass(frozen=True)
class CrossEntropyCredit:
    """What a rater's answer m costs, ``−log q_m``, with the system smoothed as in KL."""

    variant: Variant = "default"

    def __call__(self, system: Summary) -> Array:
        """Return the credits, ``(..., item, category)``."""
        return -np.log(smoothed(system, self.variant))


def smoothed(summary: Summary, variant: Variant = "default") -> Array:
    """Return shares without zeros: counts + ½ per category, probabilities not below 1e-6.

    The paper variant adds 1e-12 to every cell before normalising.

    Examples
    --------
    >>> smoothed(Counts(np.array([[1, 0, 1]])))
    array([[0.42857143, 0.14285714, 0.42857143]])
    """
    share = shares(summary)
    if variant == "default" and not isinstance(summary, Counts):
        return np.maximum(share, CLIP)
    add = PAPER_FLOOR if variant == "paper" else JEFFREYS
    cells = summary.counts if isinstance(summary, Counts) else share
    return np.asarray((cells + add) / (cells.sum(-1, keepdims=True) + add * share.shape[-1]))


def clipped_cells(system: Summary) -> int:
    """Return how many probabilities KL and cross-entropy had to lift to 1e-6."""
    return 0 if isinstance(system, Counts) else int((shares(system) < CLIP).sum())


def jensen_shannon(raters: Summary, system: Summary) -> Array:
    """Return the Jensen-Shannon distance, the square root of the base-2 divergence, ``(..., item)``."""
    g, a = shares(raters), shares(system)
    # Entropy of the mixture minus the mean entropy; rounding may leave −1e-17 where g = a.
    bits = (0.5 * (_x_log_x(g) + _x_log_x(a)) - _x_log_x(0.5 * (g + a))).sum(-1) / np.log(2)
    return np.asarray(np.sqrt(np.maximum(bits, 0.0)))


def absolute_error(raters: Summary, system: Summary) -> Array:
    """Return the distance between the two item means, ``(..., item)``."""
    return np.asarray(np.abs(raters.mean - system.mean))


def squared_error(raters: Summary, system: Summary) -> Array:
    """Return the squared distance between the two item means, ``(..., item)``."""
    return np.asarray(np.square(raters.mean - system.mean))


def earth_movers_distance(raters: Summary, system: Summary) -> Array:
    """Return the earth mover's distance between the item's two answer distributions, ``(..., item)``.

    Deviates: the EMD rows of [leaderboard] hand histogram counts to a Wasserstein routine as if they were answers.

    Examples
    --------
    >>> levels = np.array([0.0, 1.0, 2.0])
    >>> earth_movers_distance(Counts(np.array([[0, 0, 10]]), levels), Counts(np.array([[10, 0, 0]]), levels))
    array([2.])
    """
    gaps, below_r, below_s = gaps_and_cumulatives(raters, system)
    return np.asarray((gaps * np.abs(below_r - below_s)).sum(-1))


def _x_log_x(x: Array) -> Array:
    return np.asarray(x * np.log(np.where(x > 0, x, 1.0)))
