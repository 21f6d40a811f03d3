"""Families as functions of free numbers, so that any optimiser can move them without leaving what is possible.

A shape works on the unit of its range: 0 is the lowest value, 1 the highest.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from quorate.populations.normal.families import Family, FoldedNormal, Triangular, TruncatedNormal, Uniform

__all__ = ["SHAPES", "Shape"]

_NARROW = 1e-3  # of the range: no family is narrower
_REACH = 2.0  # a truncated normal's mean lies at most this many ranges from the middle: tails need no more
_OUTSIDE = 0.5  # a triangle's corners lie at most this many ranges outside, where it is clipped


@dataclass(frozen=True)
class Shape:
    """A family on a given range as a function of free numbers θ.

    Parameters
    ----------
    make
        From θ, the lowest and the highest value to the family.
    starts
        From a mean and an sd, in units of the range, to the θ's a search starts from.

    Examples
    --------
    >>> shape = SHAPES[0]
    >>> shape.make(shape.starts(0.5, 0.1)[0], 0.0, 10.0)
    Uniform(low=3.26..., high=6.73...)
    """

    make: Callable[[Sequence[float], float, float], Family]
    starts: Callable[[float, float], list[tuple[float, ...]]]


def _uniform(theta: Sequence[float], low: float, high: float) -> Uniform:
    width = high - low
    bottom = low + (1.0 - _NARROW) * width * _share(theta[0])
    return Uniform(bottom, bottom + max((high - bottom) * _share(theta[1]), _NARROW * width))


def _uniform_starts(mean: float, sd: float) -> list[tuple[float, ...]]:
    left, right = mean - 3**0.5 * sd, mean + 3**0.5 * sd
    return [(_free(left), _free((right - left) / (1.0 - left)))]


def _truncated(theta: Sequence[float], low: float, high: float) -> TruncatedNormal:
    mean = (low + high) / 2 + _REACH * (high - low) * float(np.tanh(theta[0]))
    return TruncatedNormal(mean, _sd(theta[1], low, high), low, high)


def _truncated_starts(mean: float, sd: float) -> list[tuple[float, ...]]:
    centres = (mean, -0.5, 1.5)  # inside, or a tail that falls or rises over the whole range
    return [
        (float(np.arctanh((centre - 0.5) / _REACH)), float(np.log(width)))
        for centre, width in zip(centres, (sd, 0.6, 0.6), strict=True)
    ]


def _folded(theta: Sequence[float], low: float, high: float) -> FoldedNormal:
    mean = (high - low) * _share(theta[0])
    return FoldedNormal(mean, _sd(theta[1], low, high), fold=low, clip_low=low, clip_high=high)


def _folded_starts(mean: float, sd: float) -> list[tuple[float, ...]]:
    return [(_free(mean), float(np.log(sd))), (_free(0.02), float(np.log(np.hypot(mean, sd))))]


def _triangular(theta: Sequence[float], low: float, high: float) -> Triangular:
    width = high - low
    left = low + width * (-_OUTSIDE + (1.0 + _OUTSIDE - _NARROW) * _share(theta[0]))
    right = left + max((high + _OUTSIDE * width - left) * _share(theta[1]), _NARROW * width)
    return Triangular(left, left + (right - left) * _share(theta[2]), right, clip_low=low, clip_high=high)


def _triangular_starts(mean: float, sd: float) -> list[tuple[float, ...]]:
    left, right = mean - 6**0.5 * sd, mean + 6**0.5 * sd
    corners = _free((left + _OUTSIDE) / (1.0 + _OUTSIDE)), _free((right - left) / (1.0 + _OUTSIDE - left))
    return [(*corners, peak) for peak in (-1.0, 0.0, 1.0)]


def _share(number: float) -> float:
    return float(expit(number))


def _free(share: float) -> float:
    """The inverse of _share, kept away from the ends, where a search would not move."""
    return float(logit(np.clip(share, 0.02, 0.98)))


def _sd(number: float, low: float, high: float) -> float:
    return (high - low) * float(np.exp(np.clip(number, np.log(10 * _NARROW), np.log(3.0))))


SHAPES = (
    Shape(_uniform, _uniform_starts),
    Shape(_truncated, _truncated_starts),
    Shape(_folded, _folded_starts),
    Shape(_triangular, _triangular_starts),
)
"""The families that are tried."""
