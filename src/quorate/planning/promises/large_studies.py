"""Beyond few items: the chance that the lower end of a t interval passes a bound, from four moments of one item.

With s²/σ² = 1 + U, Var U = (κ + 2) / N and Cov(√N Γ/σ, U) = γ/√N, the end Γ − t s / √N has the mean and the variance
written below, and skewness γ/√N to first order; Edgeworth's expansion turns them into a probability.
"""

from math import exp, pi, sqrt

import numpy as np

from quorate._typing import Array

__all__ = ["density", "edgeworth", "normal_p", "passing_chance"]


def passing_chance(distance: float, sd: float, skewness: float, kurtosis: float, n_items: int, t: float) -> float:
    """Return P(mean − t s / √N > bound) for items whose mean lies so far above the bound.

    Examples
    --------
    >>> round(passing_chance(0.1, 0.5, 0.0, 0.0, 199, 1.972), 2)
    0.8
    """
    n, bend = float(n_items), kurtosis + 2.0
    mean = distance - t * sd * (1 - bend / (8 * n)) / sqrt(n)
    variance = sd**2 / n * max(1 - t * skewness / sqrt(n) + t**2 * bend / (4 * n), 0.05)
    return edgeworth(mean / sqrt(variance), skewness / sqrt(n))


def edgeworth(z: float, skewness: float) -> float:
    """Return P(X > 0) for X with mean z, variance 1 and a little skewness: Φ(z) + skewness (z² − 1) φ(z) / 6.

    Examples
    --------
    >>> edgeworth(0.0, 0.0), round(edgeworth(0.0, 0.6), 3)
    (0.5, 0.46)
    """
    from scipy.special import ndtr

    return float(np.clip(ndtr(z) + skewness * (z * z - 1) * density(z) / 6, 0.0, 1.0))


def normal_p(n_items: Array | int, mean: float, mean_error: float, spread: float) -> tuple[Array, Array]:
    """Return the expected p in the normal limit, Φ(−√N μ / sqrt(σ² + σ₀²)), and its error from that of the mean.

    Examples
    --------
    >>> [float(x.round(4)) for x in normal_p(2, mean=0.5, mean_error=0.01, spread=0.5)]
    [0.0786, 0.0042]
    """
    from scipy.special import ndtr

    if spread == 0:
        return np.where(mean > 0, 0.0, 1.0) + 0.0 * np.asarray(n_items), 0.0 * np.asarray(n_items)
    root = np.sqrt(n_items)
    z = -root * mean / spread
    return np.asarray(ndtr(z)), np.asarray(np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi) * root * mean_error / spread)


def density(z: float) -> float:
    """Return the standard normal density.

    Examples
    --------
    >>> round(density(0.0), 4)
    0.3989
    """
    return exp(-0.5 * z * z) / sqrt(2 * pi)
