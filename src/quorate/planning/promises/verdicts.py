"""Whether a study's interval passes a bound, by the test of `compare`, from its values alone.

The pivot judges a bound b by the variance that values would have if b were the truth [owen1988].
With e = y − b, M and Q the means of e and e², and weights ``1 / (n (1 + λ e))`` of mean 0, that
variance is ``M / λ − M²``, for ``λ Σ p e² = M − Σ p e``. So p ≤ α exactly where λ is at least

    λ₀ = c / M,    c = t² / (n − 1 + t²),

Student's own test being M / Q ≥ λ₀. As Σ e / (1 + λ e) falls with λ, one sum at λ₀ tells whether λ
lies above it, and nothing is solved. λ meets its bound where a value not yet seen takes the rest.
"""

import numpy as np

from quorate._typing import Array
from quorate.inference.outcome import t_quantile
from quorate.inference.pivot import SEEN, SHARES

STEPS = 50


def share_needed(n_items: int, confidence: float) -> float:
    """Return c above: M² over Q must be larger for Student's test to pass."""
    t = float(t_quantile(n_items - 1.0, confidence))
    return t**2 / (n_items - 1.0 + t**2)


def tilt_passes(values: Array, shares: Array, bound: float, needed: Array | float) -> Array:
    """Tell whether the lower end lies above a bound, ``(...)``, for values seen in these shares, ``(..., value)``.

    Values that were not seen have the share 0, and lie among those that were.
    """
    e, seen = values - bound, shares > 0
    mean, square = (e * shares).sum(-1), (e**2 * shares).sum(-1)
    size = np.where(seen, np.abs(values), 0.0).max(-1)
    far = np.where(seen, np.abs(e - mean[..., None]), 0.0).max(-1)
    farthest = -np.minimum(mean - far, -size - bound)
    with np.errstate(divide="ignore", invalid="ignore"):
        point = needed / mean
        tilted = np.where(seen, shares * e / (1 + point[..., None] * e), 0.0).sum(-1)
        within = (point * farthest <= 1 + 1e-12) & (tilted >= -1e-12 * size)
    plain = (mean > 0) & (mean**2 > needed * square * (1 + 1e-12))
    return np.asarray(plain & ((farthest <= 0) | within))


def still_passes(value: float, n_items: int, confidence: float, bound: float, reach: float) -> bool:
    """Tell whether n equal values pass a bound: what could have gone unseen has ``2 (1 − π)^n ≤ α``."""
    if value <= bound:
        return False
    share = min((value - bound) / max(reach + value, value - bound), 1.0)
    return bool(2 * (1 - share) ** n_items <= 1 - confidence + 1e-12)


def unseen_distance(n_items: int, error: float, confidence: float, bound: float, reach: float) -> float:
    """Return how far above a bound an estimate must lie where failures of size `reach` may have gone unseen.

    ``max_π (1 − π)^n p(μ) = α`` with ``(1 − π) μ − π reach = bound``, `error` the standard error.
    """
    from scipy.special import stdtr

    means = (bound + SHARES * reach) / (1 - SHARES)
    none_seen = (1 - SHARES) ** n_items
    low = float(t_quantile(n_items - 1.0, confidence)) * error
    high = low + float(reach - bound)
    for _ in range(STEPS):
        middle = 0.5 * (low + high)
        tails = 2 * stdtr(n_items - 1.0, -(bound + middle - means) / max(error, 1e-300))
        low, high = (middle, high) if (none_seen * tails).max() > 1 - confidence else (low, middle)
    return high


def chance_seen(values: Array, weights: Array, n_items: int, reach: float) -> float:
    """Return the chance that one of n items shows the largest possible difference."""
    largest = float(weights[np.abs(values) >= SEEN * reach].sum())
    return float(1 - (1 - min(largest, 1.0)) ** n_items)
