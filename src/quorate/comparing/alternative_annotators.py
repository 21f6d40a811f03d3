"""The alternative annotator test [calderon2025], for those who must report it, and what a judge is worth.

For rater j and each of his items, the judge f and the rater are scored against the item's other raters: by the share
who gave the same label, or by −RMSE of numbers. ``W_f = 1`` where the judge scores at least as high, ``W_h = 1`` where
the rater does. ρ_j is the mean of W_f; the judge wins over rater j if a one-sided t-test finds ``mean(W_h − W_f) < ε``
among all raters at a false discovery rate of 5 % [benjamini2001]. The winning rate ω is the share of raters won over,
and ρ the mean of ρ_j. Items with one rater and raters of fewer than 30 items are left out.

What a judge is worth is the number k of raters whose mean is as close to one more rater [resnick2021, survey
equivalence, by squared distance]. With D_hh the mean squared distance of two raters of an item and D_fh that of judge
and rater, one more rater is at ``D_hh / 2 · (1 + 1 / k)`` from the mean of k, so ``k = D_hh / (2 D_fh − D_hh)``. Labels
are points at distance ``Σ_m (p_m − q_m)²``. All is read off counts and moments of an item less one response.
"""

from dataclasses import dataclass

import numpy as np

from quorate._typing import Array
from quorate.data.ratings import Ratings
from quorate.data.summaries import Counts, Probabilities, Summary, Values
from quorate.inference.outcome import benjamini_yekutieli

FEWEST_ITEMS = 30
"""Items of a rater below which the t-test is not to be trusted, and he is left out."""
DISCOVERY_RATE = 0.05
PASSING = 0.5
"""A judge passes if it wins over so large a share of the raters."""
TIE = 1e-9


@dataclass(frozen=True)
class AnnotatorTest:
    """What the test finds of one judge.

    Parameters
    ----------
    winning_rate, advantage
        ω and ρ; None where no rater has enough items.
    raters
        Raters who were tested.
    advantages
        ρ_j of every rater, ``(rater,)``; nan of those without an item of two raters.
    """

    winning_rate: float | None
    advantage: float | None
    raters: int
    advantages: Array


def annotator_test(ratings: Ratings, judge: Summary, epsilon: float) -> AnnotatorTest:
    """Test a judge against every rater of ratings with names, one response to an item each."""
    from scipy.special import stdtr

    assert ratings.rater is not None
    gap = _gaps(ratings, judge)
    known = ratings.size[ratings.item] > 1
    rater, gap = ratings.rater[known], gap[known]
    n = np.bincount(rater, minlength=ratings.n_raters or 0)
    wins, losses = (np.bincount(rater, side, len(n)) for side in (gap >= -TIE, gap <= TIE))
    difference = (gap < -TIE).astype(float) - (gap > TIE)
    with np.errstate(invalid="ignore", divide="ignore"):
        advantages = wins / n
        mean = (losses - wins) / n
        variance = np.bincount(rater, (difference - mean[rater]) ** 2, len(n)) / (n - 1)
        t = (mean - epsilon) / np.sqrt(variance / n)
    tested = n >= FEWEST_ITEMS
    if not tested.any():
        return AnnotatorTest(None, None, 0, advantages)
    p = np.where(np.isnan(t[tested]), 1.0, stdtr(n[tested] - 1.0, t[tested]))
    rejected = benjamini_yekutieli(p, DISCOVERY_RATE)
    return AnnotatorTest(float(rejected.mean()), float(advantages[tested].mean()), int(tested.sum()), advantages)


def _gaps(ratings: Ratings, judge: Summary) -> Array:
    """How much closer the judge is to an item's other raters than the rater of each row, ``(row,)``."""
    item, response, size = ratings.item, ratings.response, ratings.size[ratings.item]
    levels = ratings.scale.levels
    if levels is None:
        counts, share = _shares(ratings, judge)
        of_judge = (counts * share).sum(-1)[item] - share[item, response]
        return np.asarray(of_judge - (counts[item, response] - 1))
    y = (levels - levels.mean())[response]
    first, second = (np.bincount(item, power, ratings.n_items) for power in (y, y**2))
    mean, square = _moments(judge, float(levels.mean()))
    of_judge = (size * square[item] - 2 * mean[item] * first[item] + second[item]) - (
        square[item] - 2 * mean[item] * y + y**2
    )
    of_rater = size * y**2 - 2 * y * first[item] + second[item]
    return np.asarray((of_rater - of_judge) / max(float(np.ptp(levels)) ** 2, 1e-300))


def _shares(ratings: Ratings, judge: Summary) -> tuple[Array, Array]:
    raters = ratings.summary
    assert isinstance(raters, Counts)
    assert isinstance(judge, Counts | Probabilities)
    return raters.counts, judge.share


def _moments(judge: Summary, centre: float) -> tuple[Array, Array]:
    """Mean and mean square of a judge's answers to each item, less `centre`, ``(item,)`` each."""
    if isinstance(judge, Values):
        x = np.where(judge.present, judge.values - centre, 0.0)
        return x.sum(-1) / judge.size, (x**2).sum(-1) / judge.size
    assert isinstance(judge, Counts | Probabilities)
    assert judge.levels is not None
    x = judge.levels - centre
    return judge.share @ x, judge.share @ x**2


def worth_in_raters(ratings: Ratings, judge: Summary) -> float | None:
    """Return how many raters a judge is worth, over items of two raters or more; None if more than can be told."""
    several = ratings.size > 1
    between, to_judge = (distance[several].mean() for distance in _distances(ratings, judge))
    left = 2 * to_judge - between
    return float(between / left) if left > TIE and between > 0 else None


def _distances(ratings: Ratings, judge: Summary) -> tuple[Array, Array]:
    """Mean squared distance of two raters of each item, and of the judge and a rater, ``(item,)`` each."""
    size, levels = ratings.size, ratings.scale.levels
    pairs = np.maximum(size * (size - 1), 1)
    if levels is None:
        counts, share = _shares(ratings, judge)
        between = 2 * (1 - (counts * (counts - 1)).sum(-1) / pairs)
        own = (share**2).sum(-1) if isinstance(judge, Probabilities) else 1.0
        return between, 1 + own - 2 * (counts * share).sum(-1) / size
    y = (levels - levels.mean())[ratings.response]
    weight = ratings.count
    first, second = (np.bincount(ratings.item, weight * power, ratings.n_items) for power in (y, y**2))
    mean, square = _moments(judge, float(levels.mean()))
    return 2 * (size * second - first**2) / pairs, square - 2 * mean * first / size + second / size
