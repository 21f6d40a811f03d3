"""Continuous answers of an item: their mean, or the sorted answers, whichever is enough for the metric.

Each answer is Normal(μ, σ) with μ one of two means, taken with probability ½ each; outside the null world the two
are the same. The mean of K such answers is (S μ₁ + (K − S) μ₂)/K + σ/√K · Z with S ~ Binomial(K, ½): exact in law,
at a cost that does not depend on K.
"""

import numpy as np

from quorate._typing import Array
from quorate.data.summaries import Means, Values

__all__ = ["draw_means", "draw_values"]


def draw_means(centres: tuple[Array, Array], sd: Array, n: int, *, rng: np.random.Generator) -> Means:
    """Draw the mean of n uncensored answers per item, ``(..., item)``.

    Examples
    --------
    >>> centre = np.array([1.0, 2.0])
    >>> draw_means((centre, centre), np.zeros(2), 5, rng=np.random.default_rng(0)).mean
    array([1., 2.])
    """
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
    """Draw n answers per item, sorted, ``(..., item, answer)``; beyond the bounds they pool at the bounds.

    Examples
    --------
    >>> centre = np.array([0.0, 2.0])
    >>> draw_values((centre, centre), np.zeros(2), 2, (0.0, 1.0), rng=np.random.default_rng(0)).values
    array([[0., 0.],
           [1., 1.]])
    """
    first, second = (centre[..., None] for centre in centres)
    shape = (*sd.shape, n)
    centre = first if centres[0] is centres[1] else np.where(rng.random(shape) < 0.5, first, second)
    values = centre + sd[..., None] * rng.standard_normal(shape)
    if bounds is not None:
        values = np.clip(values, *bounds)
    return Values(np.sort(values, axis=-1), np.broadcast_to(np.int64(n), sd.shape))
