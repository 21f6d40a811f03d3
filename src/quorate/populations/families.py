"""Families for item means and item standard deviations: uniform, truncated normal, folded normal, triangular.

A *truncated* family has no mass outside its bounds; a *clipped* one moves the mass beyond its
bounds onto them [leaderboard, app. B; ratings, sec. 4.3]. A *shape* is a family as a function of
free numbers, so that any optimiser can move it without leaving what is possible; it works on the
unit of its range: 0 is the lowest value, 1 the highest.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri

from quorate._errors import InputError
from quorate._typing import Array

_NARROW = 1e-3  # of the range: no family is narrower
_REACH = 2.0  # a truncated normal's mean lies at most this many ranges from the middle: tails need no more
_OUTSIDE = 0.5  # a triangle's corners lie at most this many ranges outside, where it is clipped


@dataclass(frozen=True)
class Uniform:
    """Every value between ``low`` and ``high`` alike."""

    family: ClassVar[str] = "uniform"

    low: float
    high: float

    def __post_init__(self) -> None:
        _check(self, (self.low, self.high))

    def draw(self, shape: tuple[int, ...], *, rng: np.random.Generator) -> Array:
        """Draw values of the given shape."""
        return rng.uniform(self.low, self.high, shape)

    def cdf(self, x: Array) -> Array:
        """Return the share of mass at or below x."""
        return np.clip((x - self.low) / (self.high - self.low), 0.0, 1.0)


@dataclass(frozen=True)
class TruncatedNormal:
    """A normal with parameters ``mean`` and ``sd``, restricted to lie between ``low`` and ``high``.

    ``mean`` and ``sd`` are those of the normal before truncation.
    """

    family: ClassVar[str] = "truncated-normal"

    mean: float
    sd: float
    low: float
    high: float

    def __post_init__(self) -> None:
        _check(self, (self.low, self.high))
        below, above, _ = self._tails()
        if not above > below:
            raise InputError(
                f"impossible truncation: a normal with mean {self.mean:g} and sd {self.sd:g} has no mass between"
                f" {self.low:g} and {self.high:g}"
            )

    def draw(self, shape: tuple[int, ...], *, rng: np.random.Generator) -> Array:
        """Draw values of the given shape by inversion."""
        below, above, sign = self._tails()
        z = sign * ndtri(rng.uniform(below, above, shape))
        return np.clip(self.mean + self.sd * z, self.low, self.high)

    def cdf(self, x: Array) -> Array:
        """Return the share of mass at or below x."""
        below, above, sign = self._tails()
        share = (ndtr(sign * (np.clip(x, self.low, self.high) - self.mean) / self.sd) - below) / (above - below)
        return share if sign > 0 else 1.0 - share

    def _tails(self) -> tuple[float, float, int]:
        """Normal probabilities at the two bounds, mirrored to the lower tail where they keep their digits."""
        low, high = (self.low - self.mean) / self.sd, (self.high - self.mean) / self.sd
        sign = -1 if low > 0 else 1
        low, high = (low, high) if sign > 0 else (-high, -low)
        return float(ndtr(low)), float(ndtr(high)), sign


@dataclass(frozen=True)
class FoldedNormal:
    """``fold`` + |Normal(mean, sd)|, clipped to lie between ``clip_low`` and ``clip_high`` if these are given."""

    family: ClassVar[str] = "folded-normal"

    mean: float
    sd: float
    fold: float = 0.0
    clip_low: float = -np.inf
    clip_high: float = np.inf

    def __post_init__(self) -> None:
        _check(self, (self.clip_low, self.clip_high))

    def draw(self, shape: tuple[int, ...], *, rng: np.random.Generator) -> Array:
        """Draw values of the given shape."""
        folded = self.fold + np.abs(rng.normal(self.mean, self.sd, shape))
        return np.clip(folded, self.clip_low, self.clip_high)

    def cdf(self, x: Array) -> Array:
        """Return the share of mass at or below x: Φ((d − mean)/sd) − Φ((−d − mean)/sd), d = x − fold ≥ 0."""
        d = np.maximum(x - self.fold, 0.0)
        share = ndtr((d - self.mean) / self.sd) - ndtr((-d - self.mean) / self.sd)
        return _clipped(x, share, self.clip_low, self.clip_high)


@dataclass(frozen=True)
class Triangular:
    """A triangle from ``low`` over ``peak`` to ``high``, clipped to ``clip_low`` and ``clip_high`` if given."""

    family: ClassVar[str] = "triangular"

    low: float
    peak: float
    high: float
    clip_low: float = -np.inf
    clip_high: float = np.inf

    def __post_init__(self) -> None:
        _check(self, (self.low, self.high), (self.clip_low, self.clip_high))
        if not self.low <= self.peak <= self.high:
            raise InputError(
                f"a triangular family needs low ≤ peak ≤ high, not {self.low:g}, {self.peak:g}, {self.high:g}"
            )

    def draw(self, shape: tuple[int, ...], *, rng: np.random.Generator) -> Array:
        """Draw values of the given shape."""
        return np.clip(rng.triangular(self.low, self.peak, self.high, shape), self.clip_low, self.clip_high)

    def cdf(self, x: Array) -> Array:
        """Return the share of mass at or below x."""
        width, x0 = self.high - self.low, np.clip(x, self.low, self.high)
        rise, fall = max(self.peak - self.low, 1e-300), max(self.high - self.peak, 1e-300)
        left = (x0 - self.low) ** 2 / (width * rise)
        right = 1.0 - (self.high - x0) ** 2 / (width * fall)
        return _clipped(x, np.where(x0 < self.peak, left, right), self.clip_low, self.clip_high)


Family: TypeAlias = Uniform | TruncatedNormal | FoldedNormal | Triangular

FAMILIES: dict[str, type[Family]] = {cls.family: cls for cls in (Uniform, TruncatedNormal, FoldedNormal, Triangular)}


def family_to_dict(family: Family) -> dict[str, Any]:
    """Return a family as plain data; bounds that are not set are left out."""
    return {"family": family.family, **family_parameters(family)}


def family_parameters(family: Family) -> dict[str, float]:
    """Return the parameters of a family by name; bounds that are not set are left out."""
    return {name: value for name, value in asdict(family).items() if np.isfinite(value)}


def family_words(family: Family) -> str:
    """Return the parameters of a family with their values."""
    return ", ".join(f"{name} {value:.3g}" for name, value in family_parameters(family).items())


@dataclass(frozen=True)
class Shape:
    """A family as a function of free numbers θ, the lowest and the highest value, and where a search for θ starts.

    The starts follow from a mean and an sd, in units of the range.
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


def _clipped(x: Array, share: Array, low: float, high: float) -> Array:
    return np.where(x < low, 0.0, np.where(x >= high, 1.0, share))


def _check(family: Family, *bounds: tuple[float, float]) -> None:
    """Refuse what is not finite, an sd that is not positive, and bounds that do not rise."""
    kind, parameters = family.family, asdict(family)
    for name, value in parameters.items():
        if np.isnan(value) or (np.isinf(value) and not name.startswith("clip")):
            raise InputError(f"{name} of a {kind} family must be a finite number, not {value:g}")
    if not (sd := parameters.get("sd", 1.0)) > 0:
        raise InputError(f"the sd of a {kind} family must be positive, not {sd:g}")
    for low, high in bounds:
        if not low < high:
            raise InputError(f"impossible bounds: a {kind} family needs low < high, not {low:g} and {high:g}")
