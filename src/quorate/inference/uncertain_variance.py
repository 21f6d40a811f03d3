"""A variance that is a sum of parts, each known from few draws: items, raters, runs.

Part c of ``V = V_1 + V_2 + …`` is estimated on ν_c degrees of freedom, those of the design. Given
the data, the true part is ``V_c ν_c / χ²_ν_c``, so a distance d from the truth has the p-value

    p = E[2 Φ(−d / sqrt(V*))],    V* = Σ_c V_c ν_c / χ²_ν_c,

the solution of Behrens and Fisher [fisher1935]; one part alone is Student's t. Unlike
Satterthwaite's, degrees of freedom do not grow when a part is small by chance, so the level holds
at 1 % as at 5 %.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from quorate._typing import Array

NODES, FEW_NODES = 32, 8
"""Values at which a part is looked at; few of the items, which are many, and of all from the second
other part on."""


@dataclass(frozen=True)
class Part:
    """A part of a variance, ``(...)``, and the degrees of freedom on which it is known.

    Parameters
    ----------
    variance, df
        The estimate and its degrees of freedom.
    less
        What of it is in another part already, ``(...)``: counts once.
    draws
        Values the true part may have, ``(..., draw)``, where more is known of it than ``variance ν
        / χ²``.
    """

    variance: Array
    df: Array | float
    less: Array | float = 0.0
    draws: Array | None = None

    @property
    def added(self) -> Array:
        """What the part adds to the others, ``(...)``."""
        return np.asarray(np.maximum(self.variance - self.less, 0.0))

    def true_values(self, nodes: int) -> tuple[Array, Array]:
        """Return what the true part may add, ``(..., node)``, and the chances, ``(node,)``."""
        less = np.asarray(self.less)[..., None]
        if self.draws is not None:
            return np.maximum(self.draws - less, 0.0), np.full(self.draws.shape[-1], 1 / self.draws.shape[-1])
        df = np.asarray(self.df, float)
        tables = [_inverse_chi_squares(float(each), nodes) for each in df.reshape(-1)]
        ratio = np.stack([values for values, _ in tables]).reshape(*df.shape, -1)
        return np.maximum(np.asarray(self.variance)[..., None] * ratio - less, 0.0), tables[0][1]

    def rows(self, rows: slice) -> "Part":
        """Return the part in some data sets of many, by their position on the first axis."""
        df, less = (x if np.ndim(x) == 0 else np.asarray(x)[rows] for x in (self.df, self.less))
        return Part(self.variance[rows], df, less, None if self.draws is None else self.draws[rows])


@dataclass(frozen=True)
class UncertainVariance:
    """The variance of an estimate, ``(...)``, by what was drawn.

    Parameters
    ----------
    items
        Variance if only items, or clusters of them, were drawn.
    others
        What raters and runs add.
    """

    items: Part
    others: tuple[Part, ...] = ()

    @property
    def total(self) -> Array:
        """The variance, ``(...)``."""
        return self.at(1.0)

    def at(self, item_ratio: Array | float) -> Array:
        """Return the variance if the items' part were so many times as large, ``(...)``."""
        return np.asarray(self.items.variance * item_ratio + self.of_others)

    @property
    def of_others(self) -> Array:
        """What other raters and other runs would bring, on any number of items."""
        return np.asarray(sum((other.added for other in self.others), np.zeros(())))

    @property
    def df(self) -> Array:
        """Degrees of freedom of what is known least, for print."""
        parts = [self.items.df, *(other.df for other in self.others)]
        return np.asarray(np.min(np.broadcast_arrays(*parts), axis=0))

    @property
    def n_nodes(self) -> int:
        """At how many values of the whole variance a distance is looked at."""
        nodes = FEW_NODES if self.others else 1
        for place, other in enumerate(self.others):
            few = NODES if place == 0 else FEW_NODES
            nodes = nodes * few if other.draws is None else other.draws.shape[-1]
        return nodes

    def adding(self, *others: Part) -> "UncertainVariance":
        """Return the variance with further parts."""
        return replace(self, others=(*self.others, *others))

    def tail(self, distance: Array, item_ratio: Array | float = 1.0) -> Array:
        """Return the p-value of a distance from the truth, ``(...)``, with the items' part so many
        times as large."""
        return self.tails(item_ratio)(distance)

    def tails(self, item_ratio: Array | float = 1.0) -> Callable[[Array], Array]:
        """Return the p-value as a function of the distance, which works out once what the truth may be."""
        from scipy.special import ndtr, stdtr

        items, df = np.asarray(self.items.variance * item_ratio), np.maximum(self.items.df, 1e-9)
        with np.errstate(invalid="ignore"):
            values, weight = self._true_totals(items) if self.others else (items, np.ones(1))
            spread = np.sqrt(values)

        def tail(distance: Array) -> Array:
            far = np.abs(distance)[..., None] if self.others else np.abs(distance)
            with np.errstate(invalid="ignore", divide="ignore"):
                z = far / spread
            z = np.where(np.isnan(z), 0.0, z)
            return np.asarray(2 * ndtr(-z) @ weight if self.others else 2 * stdtr(df, -z))

        return tail

    def rows(self, rows: slice) -> "UncertainVariance":
        """Return the variance in some data sets of many, by their position on the first axis."""
        return UncertainVariance(self.items.rows(rows), tuple(other.rows(rows) for other in self.others))

    def _true_totals(self, items: Array) -> tuple[Array, Array]:
        """Return values the whole variance may truly have, ``(..., node)``, and their chances."""
        values, weight = Part(items, self.items.df).true_values(FEW_NODES)
        for place, other in enumerate(self.others):
            added, chance = other.true_values(NODES if place == 0 else FEW_NODES)
            if other.draws is not None:  # draws are many: each goes with one value of what came before
                turn = np.arange(len(chance)) % len(weight)
                values, weight = values[..., turn] + added, weight[turn] / weight[turn].sum()
                continue
            sums = values[..., :, None] + added[..., None, :]
            values, weight = sums.reshape(*sums.shape[:-2], -1), (weight[:, None] * chance).reshape(-1)
        return values, weight


def t_quantile(df: Array | float, confidence: float | Array) -> Array:
    """Return the two-sided quantile of Student's t."""
    from scipy.special import stdtrit

    quantile: Array = stdtrit(np.maximum(np.asarray(df, float), 1e-9), 0.5 + confidence / 2)
    return quantile


def stacked_variances(variances: Sequence[UncertainVariance]) -> UncertainVariance:
    """Return the variances of several estimates with the same parts as one, ``(estimate, ...)``."""
    items = _stacked([each.items for each in variances])
    others = zip(*(each.others for each in variances), strict=True)
    return UncertainVariance(items, tuple(_stacked(parts) for parts in others))


def _stacked(parts: Sequence[Part]) -> Part:
    variance, df, less = (np.array([getattr(part, x) for part in parts]) for x in ("variance", "df", "less"))
    draws = [part.draws for part in parts if part.draws is not None]
    return Part(variance, df, less, np.stack(draws) if draws else None)


@lru_cache(maxsize=4096)
def _inverse_chi_squares(df: float, nodes: int) -> tuple[Array, Array]:
    """Return values and weights of ``ν / χ²_ν``, densest where it is large: Gauss–Legendre in v,
    P(χ² < x) = v³."""
    from scipy.special import chdtri

    points, weights = _legendre(nodes)
    v = 0.5 * (points + 1)
    chances = 1.5 * weights * v**2
    values = df / chdtri(df, 1 - v**3) if np.isfinite(df) and df > 0 else np.full(nodes, np.inf if df <= 0 else 1.0)
    return values, chances / chances.sum()


@lru_cache(maxsize=8)
def _legendre(nodes: int) -> tuple[Array, Array]:
    """Return the points and weights of Gauss and Legendre, which take longer to find than to use."""
    points, weights = np.polynomial.legendre.leggauss(nodes)
    return np.asarray(points), np.asarray(weights)
