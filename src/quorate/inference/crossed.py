"""The variance of a mean over items × raters when both were drawn at random.

A difference is ``θ = Σ w y`` over cells (item, rater), y = μ + item + rater + rest. With
``e = w (y − θ)``, ``Q_item = Σ_i (Σ_j e)²``, ``Q_rater = Σ_j (Σ_i e)²`` and ``Q_cell = Σ e²``, the
two-way variance is ``Q_item + Q_rater − Q_cell`` [cameron2011]: what two cells share through an
item or a rater counts, what one cell has alone counts once. Subtracting the estimated θ loses a
little of each; the three weights are therefore solved so that the sum is unbiased in the model
above. They tend to (1, 1, −1), and on a full table they give the analysis of variance,
``(MS_items + MS_raters − MS_rest) / (N R)``. All sums take one pass over the cells.
"""

from dataclasses import dataclass
from functools import cached_property

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


@dataclass(frozen=True)
class Crossing:
    """Who rated what, and how much each rating weighs in a mean.

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

    def by_item(self, x: Array) -> Array:
        """Sum over the cells of each item, ``(..., item)``."""
        return _sums(x, self.item, self.n_items)

    def by_rater(self, x: Array) -> Array:
        """Sum over the cells of each rater, ``(..., rater)``."""
        return _sums(x, self.rater, self.n_raters)

    @cached_property
    def item_weight(self) -> Array:
        """What all ratings of an item weigh together, ``(..., item)``."""
        return self.by_item(self.weight)

    @cached_property
    def rater_weight(self) -> Array:
        """What all ratings of a rater weigh together, ``(..., rater)``."""
        return self.by_rater(self.weight)

    @cached_property
    def expectations(self) -> tuple[Array, Array]:
        """Expectations of the Q's and the variance of θ, in σ²_item, σ²_rater and σ²_rest.

        ``(..., Q, component)`` and ``(..., component)``.
        """
        w, h, g = self.weight, self.item_weight, self.rater_weight
        of_item, of_rater = _at(h, self.item), _at(g, self.rater)
        w2, h2, g2 = ((x**2).sum(-1) for x in (w, h, g))
        w3, h3, g3 = ((x**3).sum(-1) for x in (w, h, g))
        both = (w * of_item * of_rater).sum(-1)
        w2h, w2g = (w**2 * of_item).sum(-1), (w**2 * of_rater).sum(-1)
        shared = w2 - 2 * both + h2 * g2
        rows = [
            [h2 - 2 * h3 + h2**2, shared, w2 - 2 * w2h + h2 * w2],
            [shared, g2 - 2 * g3 + g2**2, w2 - 2 * w2g + g2 * w2],
            [w2 - 2 * w2h + h2 * w2, w2 - 2 * w2g + g2 * w2, w2 - 2 * w3 + w2**2],
        ]
        return np.stack([_stacked(row) for row in rows], -2), _stacked([h2, g2, w2])

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


def crossed_test(values: Array, crossing: Crossing, confidence: float = 0.95, *, votes: bool = False) -> Outcome:
    """Test whether a mean over items × raters is 0; `votes` as in `crossed_pivot`."""
    return crossed_pivot(values, crossing, votes=votes).outcome(confidence)


def crossed_pivot(
    values: Array,
    crossing: Crossing,
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
    estimate = (crossing.weight * values).sum(-1)
    variance = (_over_raters if items_fixed else two_way_variance)(values, crossing)
    parts = crossing.by_item(crossing.weight * (values - estimate[..., None]))
    units = estimate[..., None] + crossing.n_items * parts
    law = _law_of(values, crossing.weight) if votes else None
    return Pivot(estimate, units, variance, reach, unseen, units_given=items_fixed, law=law)


def _law_of(values: Array, weight: Array) -> tuple[Array, Array]:
    """Return the distinct values of cells and what each weighs in each data set, ``(..., value)``."""
    kinds, place = np.unique(values, return_inverse=True)
    times = _sums(np.broadcast_to(weight, values.shape), place.reshape(values.shape), len(kinds))
    return np.broadcast_to(kinds, times.shape), times


def two_way_variance(values: Array, crossing: Crossing) -> UncertainVariance:
    """Return the two-way variance of ``Σ w y``, not below that of items or of raters alone.

    ``V_item`` is known on N − 1 and ``V_rater`` on R − 1 degrees of freedom, N and R the effective numbers of items and
    raters, ``(Σ w)² / Σ w²``; what both hold, that of single answers, counts once.
    """
    q, item, rater = _squares(values, crossing)
    shared = item + rater - (q * crossing.combination).sum(-1)
    items = Part(item, effective_number(crossing.item_weight) - 1)
    return UncertainVariance(items, (Part(rater, crossing.rater_df, np.clip(shared, 0.0, item)),))


def _over_raters(values: Array, crossing: Crossing) -> UncertainVariance:
    """Return the variance over raters alone: ``σ²_rater Σ_j w_j² + σ²_rest Σ w²``.

    On a full table it is ``MS_raters / (N R)``, on R − 1 degrees of freedom. Not below what the
    rest alone adds, and nan where the table does not tell raters from the rest.
    """
    q, item, _ = _squares(values, crossing)
    _, truth = crossing.expectations
    both, rest = ((q * crossing.solve(truth * kept)).sum(-1) for kept in ([0.0, 1.0, 1.0], [0.0, 0.0, 1.0]))
    variance = np.where(crossing.solvable, np.fmax(both, rest), np.nan)
    return UncertainVariance(Part(0.0 * item, np.inf), (Part(variance, crossing.rater_df),))


def effective_number(weights: Array) -> Array:
    """Return how many equal weights are as uneven, ``(Σ w)² / Σ w²``, last axis [kish1965]."""
    w = np.asarray(weights, dtype=float)
    return np.asarray(np.round(w.sum(-1) ** 2 / (w**2).sum(-1), 9))  # six equal weights are six, not a last bit less


def _squares(values: Array, crossing: Crossing) -> tuple[Array, Array, Array]:
    """Return the Q's, ``(..., Q)``, and the variances of items and of raters alone, ``(...)``."""
    w = crossing.weight
    e = w * (values - (w * values).sum(-1, keepdims=True))
    parts = (crossing.by_item(e), crossing.by_rater(e), e)
    q = np.stack([(part**2).sum(-1) for part in parts], -1)
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
