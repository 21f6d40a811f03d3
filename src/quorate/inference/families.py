"""Several comparisons at once: max-T p-values and intervals, ranks that hold together, and differences between groups.

Comparisons share items, so their statistics are correlated; the law of the largest |T| among them, drawn from the
multivariate t with their correlation, bounds the chance of any false alarm [westfall & young 1993; hothorn 2008].
"""

from dataclasses import dataclass

import numpy as np

from quorate._typing import Array

__all__ = ["Family", "heterogeneity", "max_t", "rank_bounds"]

DRAWS = 20_000
"""Draws of the largest |T|; the 95 % bound is then known to about 0.3 % of coverage."""


@dataclass(frozen=True)
class Family:
    """Comparisons judged together.

    Parameters
    ----------
    p_adjusted
        p-values that hold for all comparisons at once, ``(comparison,)``.
    quantile
        The bound that the largest |T| keeps with the wanted confidence.
    low, high
        Intervals that hold all at once, ``(comparison,)``.
    """

    p_adjusted: Array
    quantile: float
    low: Array
    high: Array


def max_t(
    difference: Array, se: Array, correlation: Array, df: float, *, confidence: float, rng: np.random.Generator
) -> Family:
    """Judge correlated comparisons together.

    Parameters
    ----------
    difference, se
        Estimates and standard errors, ``(comparison,)``; a standard error of 0 or nan is left out of the family.
    correlation
        Correlation of the estimates, ``(comparison, comparison)``.
    df
        Degrees of freedom of the standard errors.
    confidence
        Joint level of the intervals.
    rng
        Randomness of the draws.

    Examples
    --------
    >>> family = max_t(np.array([2.0, 0.1]), np.ones(2), np.eye(2), 50, confidence=0.95, rng=np.random.default_rng(0))
    >>> bool(2.2 < family.quantile < 2.4), bool(family.p_adjusted[0] > 0.05)
    (True, True)
    """
    judged = np.isfinite(se) & (se > 0)
    if not judged.any():
        return Family(np.ones(len(se)), np.inf, difference, difference)
    largest = np.sort(_largest(correlation[np.ix_(judged, judged)], df, rng))
    quantile = float(largest[min(int(np.ceil(confidence * (DRAWS + 1))), DRAWS) - 1])
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.where(judged, np.abs(difference) / se, 0.0)
    beyond = DRAWS - np.searchsorted(largest, t, side="left")
    half = np.where(judged, quantile * se, np.nan)
    return Family((beyond + 1.0) / (DRAWS + 1.0), quantile, difference - half, difference + half)


def _largest(correlation: Array, df: float, rng: np.random.Generator) -> Array:
    """Draw the largest |T| of a multivariate t; the root by eigenvalues bears perfect correlations."""
    values, vectors = np.linalg.eigh(correlation)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    root = root[:, values > 1e-10 * values.max()]
    scale = np.sqrt(rng.chisquare(df, DRAWS) / df)
    parts = [
        np.abs(rng.standard_normal((rows.stop - rows.start, root.shape[1])) @ root.T).max(-1) / scale[rows]
        for rows in (slice(start, start + 1000) for start in range(0, DRAWS, 1000))
    ]
    return np.concatenate(parts)


def rank_bounds(low: Array, high: Array, pairs: list[tuple[int, int]], n_systems: int) -> tuple[Array, Array]:
    """Return the best and worst rank each system may hold, from intervals that hold for all pairs at once.

    A system ranks behind all that beat it and before all that it beats [mogstad et al. 2024].

    Parameters
    ----------
    low, high
        Joint intervals of the differences, ``(pair,)``, positive if the first of the pair is better.
    pairs
        Positions of the two systems.
    n_systems
        How many systems there are.

    Examples
    --------
    >>> rank_bounds(np.array([0.1, -0.1, -0.2]), np.array([0.3, 0.2, 0.1]), [(0, 1), (0, 2), (1, 2)], 3)
    (array([1, 2, 1]), array([2, 3, 3]))
    """
    beaten_by, beats = np.zeros(n_systems, dtype=int), np.zeros(n_systems, dtype=int)
    for (a, b), lowest, highest in zip(pairs, low, high, strict=True):
        if lowest > 0:
            beats[a] += 1
            beaten_by[b] += 1
        elif highest < 0:
            beats[b] += 1
            beaten_by[a] += 1
    return 1 + beaten_by, n_systems - beats


def heterogeneity(difference: Array, se: Array, n: Array) -> tuple[float, float]:
    """Test whether a difference is the same in all groups: Welch's F and its p-value [welch 1951].

    With w = 1 / se²: ``F = Σ w (d − d̄_w)² / (G − 1) / (1 + 2 (G − 2) Λ)``, Λ = Σ (1 − w/W)² / (n − 1) / (G² − 1), on
    G − 1 and 1 / (3 Λ) degrees of freedom. Groups without variance or with one item say nothing and are left out.

    Parameters
    ----------
    difference, se, n
        Per group: the difference, its standard error and the number of items, ``(group,)``.

    Examples
    --------
    >>> f, p = heterogeneity(np.array([0.0, 1.0]), np.array([0.1, 0.1]), np.array([50, 50]))
    >>> round(f, 1), p < 1e-6
    (50.0, True)
    """
    from scipy.special import fdtrc

    kept = np.isfinite(se) & (se > 0) & (n > 1)
    d, w, n = difference[kept], 1 / se[kept] ** 2, n[kept]
    groups = len(d)
    if groups < 2:
        return 0.0, 1.0
    spread = (w * (d - (w * d).sum() / w.sum()) ** 2).sum() / (groups - 1)
    bend = ((1 - w / w.sum()) ** 2 / (n - 1)).sum() / (groups**2 - 1)
    f = spread / (1 + 2 * (groups - 2) * bend)
    return float(f), float(max(fdtrc(groups - 1, 1 / (3 * bend), f), np.finfo(float).tiny))
