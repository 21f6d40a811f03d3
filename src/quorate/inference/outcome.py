"""The outcome of a test – difference, interval and p-value – and the t pivot that gives the last two from the first.

``T = difference / se``, ``p = P(|t_df| ≥ |T|)``, and ``low, high = difference ∓ q se`` with q the quantile of the same
law, so that p ≤ level exactly when the interval leaves out 0.
"""

from dataclasses import dataclass, fields

import numpy as np

from quorate._typing import Array
from quorate.inference.pvalues import sign_p

__all__ = ["Outcome", "from_t", "mean_test", "t_quantile", "where"]

ROUNDING = 1e-12
"""Differences that are equal on paper (2/3 − 1/3 and 1/3 − 0) differ by less than this, relative to the largest."""


@dataclass(frozen=True)
class Outcome:
    """What a test says of one data set, or of many at once: every field is an array ``(...)``.

    Parameters
    ----------
    difference
        The estimate, positive where A is better.
    se
        Its standard error; 0 where all items (or clusters) differ alike, nan where the test has none.
    low, high
        The interval; nan where there is none.
    p_value
        Two-sided, above 0, at most 1.
    df
        Degrees of freedom of the pivot; infinite for a normal or resampled one.
    """

    difference: Array
    se: Array
    low: Array
    high: Array
    p_value: Array
    df: Array


def mean_test(values: Array, confidence: float = 0.95, clusters: Array | None = None) -> Outcome:
    """Test whether the mean of item differences is 0: the one-sample t test, or its cluster-robust form.

    With clusters g of items the variance of the mean is ``G/(G − 1) Σ_g (Σ_{i in g} (d_i − d̄))² / N²`` on G − 1 degrees
    of freedom [liang1986]; one cluster is no sample, and has no standard error. Equal values other than 0 leave no
    interval; then ``p = 2^(1 − N)``, the sign test (G for N with clusters).

    Parameters
    ----------
    values
        Differences per item, ``(..., item)``.
    confidence
        Level of the interval.
    clusters
        Cluster of each item, codes from 0, ``(item,)``; None for independent items.
    """
    n = values.shape[-1]
    difference = values.mean(-1)
    parts = values - difference[..., None]
    units = n if clusters is None else int(clusters.max()) + 1
    if clusters is not None and units > 1:
        parts = _sums(parts, clusters, units)
    with np.errstate(invalid="ignore", divide="ignore"):
        se = np.sqrt((parts**2).sum(-1) * (units / (units - 1.0) if units > 1 else np.nan)) / n
    size = np.abs(values).max(-1)
    constant = np.abs(parts).max(-1) <= ROUNDING * size
    outcome = from_t(difference, np.where(constant, 0.0, se), units - 1.0, confidence)
    return where(constant, _of_constant(outcome, size, units), outcome)


def from_t(difference: Array, se: Array, df: Array | float, confidence: float) -> Outcome:
    """Return the outcome of a t pivot."""
    from scipy.special import stdtr

    difference, se, df = np.broadcast_arrays(np.asarray(difference, float), se, np.asarray(df, float))
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.where(difference == 0, 0.0, difference / se)
    known = np.isfinite(t) & (df > 0)
    p = np.where(known, 2 * stdtr(np.maximum(df, 1e-9), -np.abs(np.where(known, t, 0.0))), 1.0)
    half = np.where(known, t_quantile(df, confidence) * se, np.nan)
    floor = np.finfo(float).tiny  # a p-value is never 0
    return Outcome(difference, se, difference - half, difference + half, np.clip(p, floor, 1.0), df)


def t_quantile(df: Array | float, confidence: float) -> Array:
    """Return the two-sided quantile of Student's t."""
    from scipy.special import stdtrit

    quantile: Array = stdtrit(np.maximum(np.asarray(df, float), 1e-9), 0.5 + confidence / 2)
    return quantile


def where(condition: Array, chosen: Outcome, other: Outcome) -> Outcome:
    """Return one outcome where a condition holds, the other elsewhere."""
    pairs = [(getattr(chosen, each.name), getattr(other, each.name)) for each in fields(Outcome)]
    return Outcome(*(np.where(condition, left, right) for left, right in pairs))


def _of_constant(outcome: Outcome, size: Array, units: int) -> Outcome:
    """Equal differences: all 0 means identical systems (p = 1, interval 0 to 0); else only the signs speak."""
    none = np.abs(outcome.difference) <= ROUNDING * size
    p = np.where(none, 1.0, sign_p(units))
    end = np.where(size == 0, 0.0, np.nan)
    return Outcome(outcome.difference, outcome.se, end, end, p, outcome.df)


def _sums(values: Array, code: Array, n: int) -> Array:
    """Sum over the items of each cluster, ``(..., cluster)``."""
    order = np.argsort(code, kind="stable")
    starts = np.searchsorted(code[order], np.arange(n))
    return np.asarray(np.add.reduceat(values[..., order], starts, axis=-1))
