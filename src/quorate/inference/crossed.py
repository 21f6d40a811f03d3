"""The variance of a mean over items × raters when both were drawn at random.

A difference is ``θ = Σ w y`` over cells (item, rater), y = μ + item + rater + rest. With
``e = w (y − θ)``, ``Q_item = Σ_i (Σ_j e)²``, ``Q_rater = Σ_j (Σ_i e)²`` and ``Q_cell = Σ e²``, the
two-way variance is ``Q_item + Q_rater − Q_cell`` [cameron2011]: what two cells share through an
item or a rater counts, what one cell has alone counts once. Subtracting the estimated θ loses a
little of each; the three weights are therefore solved so that the sum is unbiased in the model
above. They tend to (1, 1, −1), and on a full table they give the analysis of variance,
``(MS_items + MS_raters − MS_rest) / (N R)``. All are sums over cells, so very many cells are read a
piece at a time: of a piece only what its items and each rater add is kept.
"""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeAlias

import numpy as np

from quorate._typing import Array
from quorate.inference.outcome import Outcome
from quorate.inference.pivot import Pivot
from quorate.inference.uncertain_variance import Part, UncertainVariance

FEW_RATERS = 6
"""Below this effective number of raters, what others would say is hardly known, and intervals are wide."""

FARTHEST = 2.0
"""Weights farther than this from (1, 1, −1) come from a table that hardly tells items or raters from the rest (two
crossed raters need 2, −2); then (1, 1, −1) stands, and the floor has its say."""


class CrossedDesign:
    """Who rated what, and how much each rating weighs in a mean; in one piece, or in pieces of consecutive items."""

    n_items: int
    n_raters: int

    @abstractmethod
    def pieces(self) -> "Iterator[Crossing]":
        """Yield the cells of consecutive items, those of each piece numbered from 0."""

    @cached_property
    def item_weight(self) -> Array:
        """What all ratings of an item weigh together, ``(..., item)``."""
        return self._weights[0]

    @cached_property
    def rater_weight(self) -> Array:
        """What all ratings of a rater weigh together, ``(..., rater)``."""
        return self._weights[1]

    @cached_property
    def _weights(self) -> tuple[Array, Array]:
        of_items: list[Array] = []
        of_raters: list[Array] = []
        for part in self.pieces():
            of_items.append(part.by_item(part.weight))
            of_raters = [added([*of_raters, part.by_rater(part.weight)])]  # raters may be many, and so may pieces
        return joined(of_items), of_raters[0]

    @cached_property
    def expectations(self) -> tuple[Array, Array]:
        """Expectations of the Q's and the variance of θ, in σ²_item, σ²_rater and σ²_rest.

        ``(..., Q, component)`` and ``(..., component)``.
        """
        h, g = self.item_weight, self.rater_weight
        w2, w3, both, w2h, w2g = map(added, zip(*self._moments(h, g), strict=True))
        h2, g2, h3, g3 = (h**2).sum(-1), (g**2).sum(-1), (h**3).sum(-1), (g**3).sum(-1)
        shared = w2 - 2 * both + h2 * g2
        rows = [
            [h2 - 2 * h3 + h2**2, shared, w2 - 2 * w2h + h2 * w2],
            [shared, g2 - 2 * g3 + g2**2, w2 - 2 * w2g + g2 * w2],
            [w2 - 2 * w2h + h2 * w2, w2 - 2 * w2g + g2 * w2, w2 - 2 * w3 + w2**2],
        ]
        return np.stack([_stacked(row) for row in rows], -2), _stacked([h2, g2, w2])

    def _moments(self, h: Array, g: Array) -> Iterator[tuple[Array, ...]]:
        """Yield of each piece Σ w², Σ w³, Σ w h g, Σ w² h and Σ w² g, ``(...)`` each."""
        first = 0
        for part in self.pieces():
            w, own = part.weight, h[..., first : first + part.n_items]
            of_item, of_rater = _at(own, part.item), _at(g, part.rater)
            terms = w**2, w**3, w * of_item * of_rater, w**2 * of_item, w**2 * of_rater
            yield tuple(term.sum(-1) for term in terms)
            first += part.n_items

    @cached_property
    def rater_df(self) -> Array:
        """Effective number of raters, less one, ``(...)``."""
        return np.asarray(effective_number(self.rater_weight) - 1)

    @property
    def rater_scale(self) -> Array:
        """The variance that raters bring over the sum of the squares of what each adds, in expectation, ``(...)``.

        One rater is no sample.
        """
        expected, truth = self.expectations
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(self.rater_df > 0, truth[..., 1] / expected[..., 1, 1], np.nan)

    @cached_property
    def solvable(self) -> Array:
        """Whether the table tells item, rater and rest apart, ``(...)``."""
        expected, truth = self.expectations
        scale = np.sqrt(np.maximum(truth, np.finfo(float).tiny))
        return np.asarray(np.linalg.cond(expected / scale[..., None, :] / scale[..., :, None]) < 1e8)

    @cached_property
    def combination(self) -> Array:
        """The weights of the three Q's, ``(..., Q)``."""
        _, truth = self.expectations
        solved = self.solve(truth)  # the matrix of expectations is symmetric
        plain = np.broadcast_to([1.0, 1.0, -1.0], truth.shape)
        near = self.solvable & (np.abs(solved - plain).max(-1) <= FARTHEST)
        return np.where(near[..., None], solved, plain)

    def solve(self, right: Array) -> Array:
        """Return the combination of Q's that expects these multiples of components."""
        safe = np.where(self.solvable[..., None, None], self.expectations[0], np.eye(3))
        return np.asarray(np.linalg.solve(safe, right[..., None])[..., 0])


@dataclass(frozen=True)
class Crossing(CrossedDesign):
    """Cells in one piece.

    Parameters
    ----------
    item, rater
        Codes from 0 of each distinct (item, rater) cell, ``(..., cell)``.
    weight
        Its weight, ``(..., cell)``; sums to 1.
    """

    item: Array
    rater: Array
    weight: Array
    n_items: int
    n_raters: int

    def pieces(self) -> "Iterator[Crossing]":
        """Yield the whole."""
        yield self

    def like(self, other: "Crossing") -> bool:
        """Tell whether the same raters rated the same items."""
        same = self.n_items == other.n_items and np.array_equal(self.item, other.item)
        return same and np.array_equal(self.rater, other.rater)

    def by_item(self, x: Array) -> Array:
        """Sum over the cells of each item, ``(..., item)``."""
        return _sums(x, self.item, self.n_items)

    def by_rater(self, x: Array) -> Array:
        """Sum over the cells of each rater, ``(..., rater)``."""
        return _sums(x, self.rater, self.n_raters)


class ValuesInPieces(Protocol):
    """Values of very many cells, which are read again for every sum."""

    def pieces(self) -> Iterator[tuple[Crossing, Array]]:
        """Yield the cells of consecutive items and their values, ``(cell,)``."""

    def __sub__(self, number: float) -> "ValuesInPieces":
        """Return the values less a number."""


CellValues: TypeAlias = Array | ValuesInPieces


@dataclass(frozen=True)
class CellSums:
    """A mean over cells, ``(...)``, and the sums of ``e = w (y − mean)`` of items, of raters, and of squares."""

    mean: Array
    by_item: Array
    by_rater: Array
    squares: Array


def moved(values: CellValues, crossing: CrossedDesign) -> CellSums:
    """Take a mean apart into what its items, its raters and its cells add to it."""
    mean = mean_of(values, crossing)
    by_item: list[Array] = []
    by_rater: list[Array] = []
    squares: list[Array] = []
    for part, e in moves(values, crossing, mean):
        by_item.append(part.by_item(e))
        by_rater = [added([*by_rater, part.by_rater(e)])]  # raters may be many, and so may pieces
        squares.append((e**2).sum(-1))
    return CellSums(mean, joined(by_item), by_rater[0], added(squares))


def moves(values: CellValues, crossing: CrossedDesign, mean: Array) -> Iterator[tuple[Crossing, Array]]:
    """Yield pieces and what each of their cells adds to a mean, ``(..., cell)``."""
    for part, y in _pieces(values, crossing):
        yield part, part.weight * (y - mean[..., None])


def mean_of(values: CellValues, crossing: CrossedDesign) -> Array:
    """Return ``Σ w y``, ``(...)``."""
    return added([np.asarray((part.weight * y).sum(-1)) for part, y in _pieces(values, crossing)])


def _pieces(values: CellValues, crossing: CrossedDesign) -> Iterator[tuple[Crossing, Array]]:
    if isinstance(values, np.ndarray):
        assert isinstance(crossing, Crossing)
        return iter([(crossing, values)])
    return values.pieces()


def joined(parts: Sequence[Array]) -> Array:
    """Put what pieces say of their items one behind the other."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts, -1)


def added(parts: Sequence[Array]) -> Array:
    """Add what pieces say up, in their order."""
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def crossed_test(values: Array, crossing: Crossing, confidence: float = 0.95, *, votes: bool = False) -> Outcome:
    """Test whether a mean over items × raters is 0; `votes` as in `crossed_pivot`."""
    return crossed_pivot(values, crossing, votes=votes).outcome(confidence)


def crossed_pivot(
    values: CellValues,
    crossing: CrossedDesign,
    *,
    items_fixed: bool = False,
    reach: float | None = None,
    unseen: bool = False,
    votes: bool = False,
) -> Pivot:
    """Return the pivot of a mean over items × raters, or over raters of these items only.

    `values` is the difference in the eyes of each rater on each item, ``(..., cell)``; the rest as in `Pivot`. Where
    these are `votes`, the spread that items would have if another margin were true is to that seen as a vote's is.
    """
    sums = moved(values, crossing)
    variance = (_over_raters if items_fixed else _two_way)(sums, crossing)
    units = sums.mean[..., None] + crossing.n_items * sums.by_item
    law = _law(values, crossing) if votes else None
    drawn = np.asarray(crossing.rater_df + 1) if items_fixed else None
    return Pivot(sums.mean, units, variance, reach, unseen, units_given=items_fixed, n_raters=drawn, law=law)


def _law(values: CellValues, crossing: CrossedDesign) -> tuple[Array, Array]:
    """Return the distinct values of cells and what each weighs in each data set, ``(..., value)``."""
    laws = [_law_of(y, part.weight) for part, y in _pieces(values, crossing)]
    if len(laws) == 1:
        return laws[0]
    return _law_of(joined([kinds for kinds, _ in laws]), joined([times for _, times in laws]))


def _law_of(values: Array, weight: Array) -> tuple[Array, Array]:
    kinds, place = np.unique(values, return_inverse=True)
    times = _sums(np.broadcast_to(weight, values.shape), place.reshape(values.shape), len(kinds))
    return np.broadcast_to(kinds, times.shape), times


def two_way_variance(values: Array, crossing: Crossing) -> UncertainVariance:
    """Return the two-way variance of ``Σ w y``, not below that of items or of raters alone."""
    return _two_way(moved(values, crossing), crossing)


def _two_way(sums: CellSums, crossing: CrossedDesign) -> UncertainVariance:
    """``V_item`` is known on N − 1 and ``V_rater`` on R − 1 degrees of freedom, N and R the effective numbers of items
    and raters, ``(Σ w)² / Σ w²``; what both hold, that of single answers, counts once.
    """
    q, item, rater = _squares(sums, crossing)
    shared = item + rater - (q * crossing.combination).sum(-1)
    items = Part(item, effective_number(crossing.item_weight) - 1)
    return UncertainVariance(items, (Part(rater, crossing.rater_df, np.clip(shared, 0.0, item)),))


def _over_raters(sums: CellSums, crossing: CrossedDesign) -> UncertainVariance:
    """Return the variance over raters alone: ``σ²_rater Σ_j w_j² + σ²_rest Σ w²``.

    On a full table it is ``MS_raters / (N R)``, on R − 1 degrees of freedom. Not below what the
    rest alone adds, and nan where the table does not tell raters from the rest.
    """
    q, item, _ = _squares(sums, crossing)
    _, truth = crossing.expectations
    both, rest = ((q * crossing.solve(truth * kept)).sum(-1) for kept in ([0.0, 1.0, 1.0], [0.0, 0.0, 1.0]))
    variance = np.where(crossing.solvable, np.fmax(both, rest), np.nan)
    return UncertainVariance(Part(0.0 * item, np.inf), (Part(variance, crossing.rater_df),))


def effective_number(weights: Array) -> Array:
    """Return how many equal weights are as uneven, ``(Σ w)² / Σ w²``, last axis [kish1965]."""
    w = np.asarray(weights, dtype=float)
    return np.asarray(np.round(w.sum(-1) ** 2 / (w**2).sum(-1), 9))  # six equal weights are six, not a last bit less


def _squares(sums: CellSums, crossing: CrossedDesign) -> tuple[Array, Array, Array]:
    """Return the Q's, ``(..., Q)``, and the variances of items and of raters alone, ``(...)``."""
    q = np.stack([(sums.by_item**2).sum(-1), (sums.by_rater**2).sum(-1), sums.squares], -1)
    expected, truth = crossing.expectations
    with np.errstate(invalid="ignore", divide="ignore"):
        item = q[..., 0] * truth[..., 0] / expected[..., 0, 0]
    rater = q[..., 1] * crossing.rater_scale
    return q, item, rater


def _stacked(numbers: list[Array]) -> Array:
    """Put numbers side by side on a last axis; designs may differ by replicate."""
    return np.stack(np.broadcast_arrays(*numbers), -1)


def _sums(x: Array, code: Array, n: int) -> Array:
    """Sum by code over the last axis, ``(..., n)``; leading axes of either are kept."""
    lead = np.broadcast_shapes(x.shape[:-1], code.shape[:-1])
    if not lead:
        return np.bincount(code, x, n)
    rows, cells = int(np.prod(lead)), x.shape[-1]
    flat = np.broadcast_to(code, (*lead, cells)).reshape(rows, cells) + n * np.arange(rows)[:, None]
    values = np.broadcast_to(x, (*lead, cells))
    return np.bincount(flat.ravel(), values.ravel(), rows * n).reshape(*lead, n)


def _at(x: Array, code: Array) -> Array:
    """Read by code over the last axis, ``(..., cell)``."""
    return x[code] if x.ndim == 1 else np.take_along_axis(x, np.broadcast_to(code, (*x.shape[:-1], code.shape[-1])), -1)
