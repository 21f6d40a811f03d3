"""p-values and the bounds that go with them, each definition once: of one data set, of a population, of a rate."""

import numpy as np

from quorate._typing import Array

__all__ = ["binomial_interval", "expected_p", "holm", "p_value", "shares_at_least", "sign_p", "symmetric_quantile"]

TIE = 1e-9  # statistics that are equal on paper differ by rounding; relative to the largest of them


def p_value(observed: Array, law: Array) -> Array:
    """Two-sided p-value of one data set against the resampled law of its statistic: (b + 1) / (n + 1), never 0.

    b counts draws at least as far from 0 as the observed statistic [phipson2010].

    Parameters
    ----------
    observed
        Statistic, 0 if there is no difference, ``(...)``.
    law
        Its draws under no difference, ``(..., draw)``.
    """
    size, far = np.abs(law), np.abs(observed)[..., None]
    extreme = (size >= far * (1.0 - TIE)).sum(-1)
    return np.asarray((extreme + 1.0) / (law.shape[-1] + 1.0))


def symmetric_quantile(law: Array, confidence: float = 0.95) -> Array:
    """Return the k-th smallest size in a resampled law, k = ⌈confidence (n + 1)⌉, ``(...)``; infinite if k > n.

    It is the bound that `p_value` meets: the statistic lies beyond it exactly when p ≤ level.
    """
    n = law.shape[-1]
    k = int(np.ceil(confidence * (n + 1) - 1e-9))
    if k > n:
        return np.full(law.shape[:-1], np.inf)
    return np.asarray(np.partition(np.abs(law), k - 1, axis=-1)[..., k - 1])


def sign_p(n_items: int) -> float:
    """Two-sided p-value of n equal differences other than 0: nothing varies, only the signs speak, ``2^(1 − n)``."""
    return max(2.0 ** (1 - n_items), float(np.finfo(float).tiny))


def expected_p(alternative: Array, null: Array) -> Array:
    """The papers' p of a population: mean over alternative draws of the share of null draws at least as large.

    One-sided, on the side of the medians, ties count as extreme, no + 1 [forest, alg. 2; ratings, §3].

    Parameters
    ----------
    alternative, null
        Draws of the same statistic in both worlds, ``(..., draw)``.
    """
    side = np.where(np.median(alternative, -1) >= np.median(null, -1), 1.0, -1.0)[..., None]
    shape, alternative, null = alternative.shape[:-1], side * alternative, side * null
    if not shape:
        return np.asarray(shares_at_least(alternative, null).mean())
    others = np.broadcast_to(null, shape + null.shape[-1:])
    rows = zip(alternative.reshape(-1, alternative.shape[-1]), others.reshape(-1, null.shape[-1]), strict=True)
    return np.array([shares_at_least(a, b).mean() for a, b in rows]).reshape(shape)


def shares_at_least(alternative: Array, null: Array, tie: float = TIE) -> Array:
    """Return, for each alternative draw, the share of null draws at least as large; ties count, ``(draw,)``."""
    near = tie * max(float(np.abs(alternative).max()), float(np.abs(null).max()))
    return np.asarray(1.0 - np.searchsorted(np.sort(null), alternative - near, side="left") / len(null))


def holm(p: Array) -> Array:
    """Adjust p-values for the chance of any false alarm, step-down [holm1979]."""
    order = np.argsort(p)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    return adjusted


def binomial_interval(k: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the exact interval of a rate seen k times of n [clopper1934].

    Examples
    --------
    >>> low, high = binomial_interval(0, 10)
    >>> low, round(high, 4)
    (0.0, 0.3085)
    """
    from scipy.special import betaincinv

    tail = (1.0 - confidence) / 2.0
    low = float(betaincinv(k, n - k + 1, tail)) if k > 0 else 0.0
    high = float(betaincinv(k + 1, n - k, 1.0 - tail)) if k < n else 1.0
    return low, high
