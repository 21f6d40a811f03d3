"""The outcome of a test – difference, interval and p-value – and the verdict drawn from it.

The t pivot: ``T = difference / se``, ``p = P(|t_df| ≥ |T|)``, and ``low, high = difference ∓ q se``
with q the quantile of the same law, so that p ≤ level exactly when the interval leaves out 0.
"""

from dataclasses import dataclass, fields
from math import inf, isnan
from typing import Literal, TypeAlias

import numpy as np

from quorate._typing import Array
from quorate.inference.uncertain_variance import t_quantile

Verdict: TypeAlias = Literal["a_better", "b_better", "equivalent", "not_worse", "inconclusive", "identical"]

ROUNDING = 1e-12
"""Differences that are equal on paper (2/3 − 1/3 and 1/3 − 0) differ by less than this, relative to the largest."""
TIE = 1e-9  # statistics that are equal on paper differ by rounding; relative to the largest of them


@dataclass(frozen=True)
class Outcome:
    """What a test says of one data set, or of many at once: every field is an array ``(...)``.

    Parameters
    ----------
    difference
        The estimate, positive where A is better.
    se
        Its standard error; 0 where all items (or clusters) differ alike, nan where the test has
        none.
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


def single_outcome(difference: float, low: float, high: float, p: float, se: float = np.nan) -> Outcome:
    """Return the outcome of a test of one data set that has no t pivot."""
    p = max(p, float(np.finfo(float).tiny))
    return Outcome(*(np.asarray(x) for x in (difference, se, low, high, p, np.inf)))


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


def where(condition: Array, chosen: Outcome, other: Outcome) -> Outcome:
    """Return one outcome where a condition holds, the other elsewhere."""
    pairs = [(getattr(chosen, each.name), getattr(other, each.name)) for each in fields(Outcome)]
    return Outcome(*(np.where(condition, left, right) for left, right in pairs))


def p_value(observed: Array, law: Array) -> Array:
    """Two-sided p-value against a resampled law: (b + 1) / (n + 1), never 0.

    b counts the draws under no difference, ``(..., draw)``, at least as far from 0 as the statistic
    [phipson2010].
    """
    size, far = np.abs(law), np.abs(observed)[..., None]
    extreme = (size >= far * (1.0 - TIE)).sum(-1)
    return np.asarray((extreme + 1.0) / (law.shape[-1] + 1.0))


def symmetric_quantile(law: Array, confidence: float = 0.95) -> Array:
    """Return the k-th smallest size in a law, k = ⌈confidence (n + 1)⌉; infinite if k > n.

    It is the bound that `p_value` meets: the statistic lies beyond it exactly when p ≤ level.
    """
    n = law.shape[-1]
    k = int(np.ceil(confidence * (n + 1) - 1e-9))
    if k > n:
        return np.full(law.shape[:-1], np.inf)
    return np.asarray(np.partition(np.abs(law), k - 1, axis=-1)[..., k - 1])


def expected_p(alternative: Array, null: Array) -> Array:
    """The papers' p: mean over alternative draws of the share of null draws at least as large.

    One-sided, on the side of the medians, ties count as extreme, no + 1 [forest, alg. 2; ratings,
    §3]. Draws of both worlds are ``(..., draw)``.
    """
    side = np.where(np.median(alternative, -1) >= np.median(null, -1), 1.0, -1.0)[..., None]
    shape, alternative, null = alternative.shape[:-1], side * alternative, side * null
    if not shape:
        return np.asarray(shares_at_least(alternative, null).mean())
    others = np.broadcast_to(null, shape + null.shape[-1:])
    rows = zip(alternative.reshape(-1, alternative.shape[-1]), others.reshape(-1, null.shape[-1]), strict=True)
    return np.array([shares_at_least(a, b).mean() for a, b in rows]).reshape(shape)


def shares_at_least(alternative: Array, null: Array, tie: float = TIE) -> Array:
    """Return the share of null draws at least as large as each draw; ties count, ``(draw,)``."""
    near = tie * max(float(np.abs(alternative).max()), float(np.abs(null).max()))
    return np.asarray(1.0 - np.searchsorted(np.sort(null), alternative - near, side="left") / len(null))


def holm(p: Array) -> Array:
    """Adjust p-values for the chance of any false alarm, step-down [holm1979]."""
    order = np.argsort(p)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    return adjusted


def benjamini_yekutieli(p: Array, rate: float = 0.05) -> Array:
    """Tell which hypotheses are rejected at a false discovery rate, however they depend [benjamini2001], ``(test,)``.

    Those up to the largest k with ``p_(k) ≤ k q / (m Σ 1/i)``.
    """
    m, order = len(p), np.argsort(p, kind="stable")
    steps = np.arange(1, m + 1)
    passed = np.flatnonzero(p[order] <= steps * rate / (m * (1 / steps).sum()))
    rejected = np.zeros(m, dtype=bool)
    rejected[order[: passed[-1] + 1 if len(passed) else 0]] = True
    return rejected


def binomial_interval(k: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the exact interval of a rate seen k times of n [clopper1934]."""
    from scipy.special import betaincinv

    tail = (1.0 - confidence) / 2.0
    low = float(betaincinv(k, n - k + 1, tail)) if k > 0 else 0.0
    high = float(betaincinv(k + 1, n - k, 1.0 - tail)) if k < n else 1.0
    return low, high


def verdict(
    difference: float, low: float, high: float, p: float, *, level: float, margin: float | None, identical: bool
) -> Verdict:
    """Return the first verdict that holds, from the interval of A minus B (positive = A better)."""
    if identical:
        return "identical"
    low, high = decisive_ends(difference, low, high, p, level)
    if low > 0:
        return "a_better"
    if margin is None:
        return "b_better" if high < 0 else "inconclusive"
    if high < -margin:
        return "b_better"
    if -margin < low:
        return "equivalent" if high < margin else "not_worse"
    return "inconclusive"


def decisive_ends(difference: float, low: float, high: float, p: float, level: float) -> tuple[float, float]:
    """Return the interval that decides.

    Without one (every item has the same difference) the sign test decides: if p is at most the
    level the difference itself stands for both ends, else nothing is known.
    """
    if not isnan(low):
        return low, high
    return (-inf, inf) if isnan(difference) or p > level + 1e-9 else (difference, difference)
