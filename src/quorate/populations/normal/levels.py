"""Normal values cut to the levels of a rating scale, and how probable each level is.

P(level m) = Φ((t_m − μ)/σ) − Φ((t_{m−1} − μ)/σ) with thresholds t: a censored normal, whose lowest and highest
level take all that lies beyond them [ratings, sec. 4.3].
"""

from typing import Literal, TypeAlias

import numpy as np
from scipy.special import ndtr

from quorate._typing import Array

__all__ = ["Cut", "level_probabilities", "thresholds"]

Cut: TypeAlias = Literal["nearest", "down"]
"""How an unobserved value becomes a level: the nearest one, or the highest one that is not above it."""


def thresholds(levels: Array, cut: Cut) -> Array:
    """Return the values at which one level gives way to the next, one fewer than there are levels.

    Examples
    --------
    >>> thresholds(np.array([1.0, 2.0, 3.0]), "nearest"), thresholds(np.array([1.0, 2.0, 3.0]), "down")
    (array([1.5, 2.5]), array([2., 3.]))
    """
    return levels[1:] if cut == "down" else (levels[1:] + levels[:-1]) / 2


def level_probabilities(mean: Array, sd: Array, cuts: Array) -> Array:
    """Return the probability of every level, ``(..., level)``, of normal values cut at ``cuts``.

    With sd = 0 the level is certain; a value that lies on a threshold belongs to the level above.

    Examples
    --------
    >>> level_probabilities(np.array([0.2, 0.2]), np.array([0.0, 0.1]), np.array([0.2]))
    array([[0. , 1. ],
           [0.5, 0.5]])
    """
    with np.errstate(all="ignore"):  # sd = 0 comes next; a tiny sd may overflow to certainty
        below = ndtr((cuts - mean[..., None]) / sd[..., None])
    certain = sd == 0
    below[certain] = cuts > mean[certain][:, None]
    probabilities = np.empty((*mean.shape, len(cuts) + 1))
    probabilities[..., 0] = below[..., 0]
    probabilities[..., 1:-1] = below[..., 1:] - below[..., :-1]
    probabilities[..., -1] = 1.0 - below[..., -1]
    return probabilities
