"""How normal values become answers: levels of a rating scale, item means, or sorted values.

P(level m) = Φ((t_m − μ)/σ) − Φ((t_{m−1} − μ)/σ) with thresholds t: a censored normal, whose lowest and highest
level take all that lies beyond them [ratings, sec. 4.3].

Continuous answers are Normal(μ, σ) with μ one of two means, taken with probability ½ each; outside the null world the
two are the same. The mean of K such answers is (S μ₁ + (K − S) μ₂)/K + σ/√K · Z with S ~ Binomial(K, ½): exact in law,
at a cost that does not depend on K.
"""

from typing import Literal, TypeAlias

import numpy as np
from scipy.special import ndtr

from quorate._typing import Array
from quorate.data.summaries import Means, Values

__all__ = ["Cut", "draw_means", "draw_values", "level_probabilities", "thresholds"]

Cut: TypeAlias = Literal["nearest", "down"]
"""How an unobserved value becomes a level: the nearest one, or the highest one that is not above it."""


def thresholds(levels: Array, cut: Cut) -> Array:
    """Return the values at which one level gives way to the next, one fewer than there are levels."""
    return levels[1:] if cut == "down" else (levels[1:] + levels[:-1]) / 2


def level_probabilities(mean: Array, sd: Array, cuts: Array) -> Array:
    """Return the probability of every level, ``(..., level)``, of normal values cut at ``cuts``.

    With sd = 0 the level is certain; a value that lies on a threshold belongs to the level above.
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


def draw_means(centres: tuple[Array, Array], sd: Array, n: int, *, rng: np.random.Generator) -> Means:
    """Draw the mean of n uncensored answers per item, ``(..., item)``."""
    first, second = centres
    centre = first
    if first is not second:
        share = rng.binomial(n, 0.5, first.shape) / n
        centre = share * first + (1.0 - share) * second
    mean = centre + sd / np.sqrt(n) * rng.standard_normal(first.shape)
    return Means(mean, np.broadcast_to(np.int64(n), mean.shape))


def draw_values(
    centres: tuple[Array, Array], sd: Array, n: int, bounds: tuple[float, float] | None, *, rng: np.random.Generator
) -> Values:
    """Draw n answers per item, sorted, ``(..., item, answer)``; beyond the bounds they pool at the bounds."""
    first, second = (centre[..., None] for centre in centres)
    shape = (*sd.shape, n)
    centre = first if centres[0] is centres[1] else np.where(rng.random(shape) < 0.5, first, second)
    values = centre + sd[..., None] * rng.standard_normal(shape)
    if bounds is not None:
        values = np.clip(values, *bounds)
    return Values(np.sort(values, axis=-1), np.broadcast_to(np.int64(n), sd.shape))
