"""The metrics of [leaderboard] as its tables have them: some flatten the answers, some compare histogram counts.

Flattened ("vectorized"): answer j of a system is held against answer j of the raters, though neither has an order;
cosine ``a·g / (|a| |g|)``, wins ``mean sign(|b_ij − g_ij| − |a_ij − g_ij|)``. EMD: the text asks for the earth mover's
distance of answers; the printed p-values are those of the distance between the *counts* of two histograms on [0, 1],
taken as if counts were answers, ``mean_m |c_(m) − c'_(m)|`` with both sorted, which forgets where the bins lie. They
live only here; `metrics` has the distances proper. Deviates: bins are not printed; 100 and 5 reproduce the tables.
"""

from collections.abc import Callable, Collection

import numpy as np

from quorate._typing import Array
from quorate.data.summaries import Means
from quorate.metrics.contests import contest
from quorate.metrics.registry import find_metric
from quorate.reproducing.answer_sets import AnswerSets

__all__ = ["METRICS", "contests", "cosine_of_answers", "counts_distance", "histogram", "wins_of_answers"]

METRICS = (
    "MAE",
    "Wins(MAE)",
    "Wins(MAE) (vectorized)",
    "MSE",
    "Spearman Rho",
    "EMD Agg",
    "EMD Agg (vectorized)",
    "Mean Agg",
    "COS (vectorized)",
)
"""As [leaderboard, tables 5-14] name them, in their order."""

BINS, ITEM_BINS = 100, 5
"""Bins of the histogram of a whole test set, and of one item's answers."""


def contests(sets: AnswerSets, metrics: Collection[str] = METRICS) -> dict[str, Array]:
    """Return A against B by each metric, ``(...)``, positive where A is better.

    Parameters
    ----------
    sets
        Answers, ``(..., item, answer)``.
    metrics
        Names out of `METRICS`.
    """
    means = AnswerSets(*(x.mean(-1) for x in (sets.raters, sets.a, sets.b)))
    flat = AnswerSets(*(x.reshape(*x.shape[:-2], -1) for x in (sets.raters, sets.a, sets.b)))
    of: dict[str, Callable[[], Array]] = {
        "MAE": lambda: _by_means("mae", means),
        "Wins(MAE)": lambda: _by_means("wins:mae", means),
        "Wins(MAE) (vectorized)": lambda: wins_of_answers(flat),
        "MSE": lambda: _by_means("mse", means),
        "Spearman Rho": lambda: _by_means("spearman", means),
        "EMD Agg": lambda: _closer_by_counts(means, BINS),
        "EMD Agg (vectorized)": lambda: _closer_by_counts(flat, BINS),
        "Mean Agg": lambda: np.asarray(_closer_by_counts(sets, ITEM_BINS).mean(-1)),
        "COS (vectorized)": lambda: cosine_of_answers(flat.raters, flat.a) - cosine_of_answers(flat.raters, flat.b),
    }
    return {name: of[name]() for name in metrics}


def wins_of_answers(flat: AnswerSets) -> Array:
    """Return the share of answers on which A is closer minus the share on which B is, ``(...)``."""
    gap = np.abs(flat.b - flat.raters) - np.abs(flat.a - flat.raters)
    return np.asarray(np.where(np.abs(gap) < 1e-12, 0.0, np.sign(gap)).mean(-1))


def cosine_of_answers(raters: Array, system: Array) -> Array:
    """Return the cosine between two vectors of answers, ``(...)``."""
    product, size_g, size_s = (
        np.einsum("...i,...i->...", x, y) for x, y in ((raters, system), (raters, raters), (system, system))
    )
    return np.asarray(product / np.sqrt(size_g * size_s))


def histogram(values: Array, bins: int) -> Array:
    """Count values in equal bins of [0, 1], ``(..., bin)``; what lies outside is dropped."""
    inside = (values >= 0.0) & (values <= 1.0)
    # Levels such as 0.6 lie on an edge and belong above it, whatever their last bit.
    place = np.minimum(np.floor(np.where(inside, values, 0.0) * bins + 1e-9), bins - 1).astype(np.intp)
    rows = int(np.prod(values.shape[:-1]))
    shifted = np.where(inside, place, bins).reshape(rows, -1) + (bins + 1) * np.arange(rows)[:, None]
    counts = np.bincount(shifted.ravel(), minlength=rows * (bins + 1))
    return counts.reshape(*values.shape[:-1], bins + 1)[..., :-1]


def counts_distance(first: Array, second: Array) -> Array:
    """Return the earth mover's distance between two sets of counts, each count taken for an answer, ``(...)``."""
    return np.asarray(np.abs(np.sort(first, axis=-1) - np.sort(second, axis=-1)).mean(-1))


def _by_means(name: str, means: AnswerSets) -> Array:
    """A metric of item means, averaged over the items if it has a score for each."""
    metric, one = find_metric(name), np.ones(means.a.shape, dtype=np.int64)
    raters, a, b = (Means(x, one) for x in (means.raters, means.a, means.b))
    differences = contest(metric, raters, a, b)
    return differences if metric.level == "set" else np.asarray(differences.mean(-1))


def _closer_by_counts(values: AnswerSets, bins: int) -> Array:
    """How much closer A's counts are to the raters' than B's."""
    raters, a, b = (histogram(x, bins) for x in (values.raters, values.a, values.b))
    return counts_distance(raters, b) - counts_distance(raters, a)
