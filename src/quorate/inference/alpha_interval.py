"""The interval of Krippendorff's alpha: all values that the items do not speak against.

What items say of ``α − a`` has the mean 0 if a is true. It is judged by the variance it would have
then (`null_square`), never less than the one seen: where positives are rare, nearly all items say
nothing, and the few that do may be all alike by chance. So the items count by their effective
number, ``m = (Σ |z|)² / Σ z²``, on m − 1 degrees of freedom.
"""

from dataclasses import dataclass

import numpy as np

from quorate._typing import Array
from quorate.agreement.disagreement import AlphaScores
from quorate.inference.pivot import crossing_point, null_square


@dataclass(frozen=True)
class Alpha:
    """Krippendorff's alpha with its interval; nan where nothing varies."""

    value: float
    low: float
    high: float
    confidence: float
    n_items: int


def alpha_interval(scores: AlphaScores, confidence: float = 0.95) -> Alpha:
    """Return alpha with the values a whose p-value is above the level."""
    from scipy.special import ndtri

    if np.isnan(scores.value):
        return Alpha(np.nan, np.nan, np.nan, confidence, scores.n_items)
    goal = -ndtri((1 - confidence) / 2)
    sides = np.array([-1.0, 1.0])

    def height(distance: Array) -> Array:
        return np.asarray(goal + ndtri(alpha_p(scores, scores.value + sides * distance) / 2))

    distance = crossing_point(height, np.zeros(2), np.full(2, 0.1))
    low, high = np.clip(scores.value + sides * distance, min(scores.least, scores.value), 1.0).tolist()
    return Alpha(scores.value, low, high, confidence, scores.n_items)


def alpha_p(scores: AlphaScores, alpha: Array) -> Array:
    """Return the p-value of true values of alpha, ``(...)``."""
    from scipy.special import stdtr

    z, unseen = scores.at(alpha)
    n, both = float(scores.times.sum()), np.concatenate([z, unseen], -1)
    mean, second = z @ scores.times / n, z**2 @ scores.times / n
    informative = np.maximum(n * (np.abs(z) @ scores.times / n) ** 2 / np.maximum(second, 1e-300), 1 + 1e-6)
    square = null_square(z, scores.times.astype(float), both.min(-1), both.max(-1))
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = (np.maximum(square, second) - mean**2) * informative / (informative - 1)
        p = 2 * stdtr(informative - 1, -np.abs(mean) / np.sqrt(variance / n))
    p = np.where(mean == 0, 1.0, np.where(np.isnan(p), 0.0, p))  # no law has this value
    return np.clip(p, np.finfo(float).tiny, 1.0)
