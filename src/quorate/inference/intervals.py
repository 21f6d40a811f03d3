"""Intervals from resampled estimates: reverse percentile, percentile, BCa and studentised, each definition once."""

import numpy as np

from quorate._typing import Array

__all__ = ["bca", "percentile", "reverse_percentile", "symmetric_quantile"]


def reverse_percentile(estimate: float, draws: Array, confidence: float = 0.95) -> tuple[float, float]:
    """Return ``(2θ − q_high, 2θ − q_low)`` with the draws at ranks n α/2 and n (1 − α/2) [forest, alg. 3].

    For 1000 draws at 95 % these are ranks 25 and 975, counted from 1, as in the paper.

    Examples
    --------
    >>> reverse_percentile(10.0, np.arange(1.0, 1001.0), 0.95)
    (-955.0, -5.0)
    """
    ordered, n = np.sort(draws), len(draws)
    tail = (1.0 - confidence) / 2.0
    low, high = (ordered[max(round(share * n), 1) - 1] for share in (tail, 1.0 - tail))
    return float(2 * estimate - high), float(2 * estimate - low)


def percentile(draws: Array, confidence: float = 0.95) -> tuple[float, float]:
    """Return the quantiles of the draws.

    Examples
    --------
    >>> percentile(np.arange(0.0, 101.0), 0.5)
    (25.0, 75.0)
    """
    tail = (1.0 - confidence) / 2.0
    low, high = np.quantile(draws, [tail, 1.0 - tail])
    return float(low), float(high)


def bca(estimate: float, draws: Array, influence: Array, confidence: float = 0.95) -> tuple[float, float]:
    """Return the bias-corrected and accelerated interval [efron1987].

    ``α_k = Φ(z0 + (z0 + z_k) / (1 − a (z0 + z_k)))`` with z0 = Φ⁻¹(share of draws below θ, ties half) and
    a = Σ ψ³ / (6 (Σ ψ²)^1.5) from the influence ψ of the items.

    Examples
    --------
    >>> low, high = bca(0.0, np.linspace(-1, 1, 2001), np.array([-1.0, 1.0]))
    >>> round(low, 3), round(high, 3)
    (-0.95, 0.95)
    """
    from scipy.special import ndtr, ndtri

    below = ((draws < estimate).mean() + (draws <= estimate).mean()) / 2.0
    half_a_draw = 0.5 / len(draws)  # all draws on one side: the correction stays finite
    z0, spread = ndtri(np.clip(below, half_a_draw, 1.0 - half_a_draw)), (influence**2).sum()
    a = (influence**3).sum() / (6.0 * spread**1.5) if spread > 0 else 0.0
    z = z0 + ndtri(np.array([0.5 - confidence / 2.0, 0.5 + confidence / 2.0]))
    low, high = np.quantile(draws, ndtr(z0 + z / (1.0 - a * z)))
    return float(low), float(high)


def symmetric_quantile(law: Array, confidence: float = 0.95) -> Array:
    """Return the k-th smallest size in a resampled law, k = ⌈confidence (n + 1)⌉, ``(...)``; infinite if k > n.

    It is the bound that `quorate.inference.pvalues.p_value` meets: the statistic lies beyond it exactly when p ≤ level.

    Examples
    --------
    >>> float(symmetric_quantile(np.arange(1.0, 100.0), 0.95))
    95.0
    """
    n = law.shape[-1]
    k = int(np.ceil(confidence * (n + 1) - 1e-9))
    if k > n:
        return np.full(law.shape[:-1], np.inf)
    return np.asarray(np.partition(np.abs(law), k - 1, axis=-1)[..., k - 1])
