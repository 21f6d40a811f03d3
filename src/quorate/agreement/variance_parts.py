"""Where the variance of the answers comes from: items, raters and the rest, by Henderson's method I.

The model is ``y = μ + item + rater + residual``, all random. Four sums of squares are set equal to
their expectations: with n_ij answers of rater j to item i, ``T_0 = Σ y²``,
``T_item = Σ_i y_i.² / n_i.``, ``T_rater = Σ_j y_.j² / n_.j``, ``T_mean = y..² / n`` [henderson1953;
searle1992, ch. 5]. On a full table this is the analysis of variance; on a ragged one it needs one
pass over the answers. On a nominal scale squares are summed over category indicators.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from quorate._typing import Array
from quorate.data.ratings import BLOCK, add_by_code, item_slices

ROUNDING = 1e-12
"""Share of all variance below which a part is what numbers were rounded by."""


@dataclass(frozen=True)
class VarianceParts:
    """Variance of one answer taken apart: item, rater, and the residual, which holds item × rater and all noise.

    Each is at least 0, and None where the data cannot tell (raters unknown, one answer per item …);
    what is not known counts as 0 below.
    """

    item: float | None
    rater: float | None
    residual: float | None

    @property
    def amounts(self) -> tuple[float, float, float]:
        """Item, rater and residual, with 0 for what is not known."""
        return self.item or 0.0, self.rater or 0.0, self.residual or 0.0

    @property
    def rater_share(self) -> float:
        """Share of the spread among the raters of an item that is the raters' own, ``σ_r² / (σ_r² + σ_e²)``."""
        _, rater, residual = self.amounts
        return rater / (rater + residual) if rater > 0 else 0.0

    def of_mean(self, n_items: int, raters_per_item: int, people: int) -> float:
        """Return the variance of the mean of N items with K raters each, the load shared as evenly as it goes.

        ``σ_i² / N + σ_r² Σ_j n_j² / (N K)² + σ_e² / (N K)`` with n_j answers of rater j.
        """
        return float(variance_of_mean(self.amounts, n_items, raters_per_item, people))

    def dependability(self, raters: int) -> float | None:
        """Return the share of the variance of an item's mean over K raters that is the items' own [brennan2001].

        ``Φ(K) = σ_i² / (σ_i² + (σ_r² + σ_e²) / K)``: raters of an item are new ones, so what they lean to counts. None
        where items cannot be told from the rest.
        """
        item, rater, residual = self.amounts
        total = item + (rater + residual) / raters
        return None if self.item is None or self.residual is None or total <= 0 else item / total

    def raters_for(self, dependability: float) -> int | None:
        """Return the fewest raters whose mean is so dependable; None where none are enough."""
        item, rater, residual = self.amounts
        if self.item is None or self.residual is None or item <= 0:
            return None
        needed = dependability / (1 - dependability) * (rater + residual) / item
        return max(1, int(np.ceil(needed - 1e-9)))

    def best_raters(self, item_price: float, rating_price: float) -> float:
        """Return ``K* = sqrt(c_item / c_rating · σ_e² / σ_i²)``, at least 1."""
        if not self.item or rating_price <= 0:
            return float("inf") if item_price > 0 else 1.0
        return max(1.0, float(np.sqrt(item_price / rating_price * (self.residual or 0.0) / self.item)))


def variance_of_mean(amounts: Sequence[Array | float], n_items: int, raters_per_item: int, people: int) -> Array:
    """Return the variance of the mean for amounts of item, rater and residual, ``(...)`` each."""
    item, rater, residual = amounts
    answers = n_items * raters_per_item
    each, more = divmod(answers, people)
    load = (more * (each + 1) ** 2 + (people - more) * each**2) / answers**2
    return np.asarray(item / n_items + rater * load + residual / answers)


def variance_components(
    items: Array,
    raters: Array | None,
    responses: Array,
    *,
    n_categories: int | None = None,
    levels: Array | None = None,
    repeats: Array | None = None,
    most: int = BLOCK,
) -> VarianceParts:
    """Return the variance components of one table of answers, one row per answer.

    Items and raters are codes 0, 1, 2 …, raters None where they are unknown. Responses are numbers
    or, with the ``n_categories`` of a nominal scale, category codes, or, with ``levels``, codes of these numbers;
    ``repeats`` is how often each row occurred, None for once. More than ``most`` rows, if sorted by item, are looked at
    a part at a time: all that is needed of them are sums.
    """
    facets = {"item": items} if raters is None else {"item": items, "rater": raters}
    answers = _Answers(responses, n_categories, levels, repeats, _slices(items, most))
    # The richest model the data can tell apart: raters who answered once, say, are not told from the residual.
    for kept in (("item", "rater"), ("item",), ("rater",), ()):
        if set(kept) <= facets.keys():
            components = _solved({name: facets[name] for name in kept}, answers)
            if components is not None:
                return VarianceParts(**({"item": None, "rater": None} | components))
    return VarianceParts(None, None, None)


@dataclass(frozen=True)
class _Answers:
    """The answers and how often each occurred; numbers are centred, which changes no variance and keeps digits."""

    responses: Array
    n_categories: int | None
    levels: Array | None
    repeats: Array | None
    slices: tuple[slice, ...]

    @cached_property
    def number(self) -> float:
        return float(len(self.responses) if self.repeats is None else self.repeats.sum())

    @cached_property
    def centre(self) -> float:
        return float(sum((self.weights(rows) * self.numbers(rows)).sum() for rows in self.slices) / self.number)

    def numbers(self, rows: slice) -> Array:
        """The numbers of some rows."""
        return self.responses[rows] if self.levels is None else np.asarray(self.levels[self.responses[rows]])

    def weights(self, rows: slice) -> Array | float:
        """How often they occurred."""
        return 1.0 if self.repeats is None else self.repeats[rows]

    def weighted(self, rows: slice) -> Array:
        """Repeats times the centred numbers."""
        return np.asarray(self.weights(rows) * (self.numbers(rows) - self.centre))

    def sizes(self, codes: Array) -> Array:
        """Answers per group."""
        return self.sums(codes, lambda rows: None if self.repeats is None else self.repeats[rows])

    def sums(self, codes: Array, values: Callable[[slice], Array | None]) -> Array:
        """Sum values by group; None counts."""
        kind = np.int64 if values(slice(0, 0)) is None else np.float64
        sums = np.zeros(int(codes.max(initial=-1)) + 1, dtype=kind)
        for rows in self.slices:
            add_by_code(sums, codes[rows], values(rows))
        return sums

    def squares(self, codes: Array, sizes: Array) -> float:
        """``Σ_group (Σ y)² / n`` for groups of these sizes, over category indicators on a nominal scale."""
        size = np.maximum(sizes, 1)
        if self.n_categories is None:
            return float((self.sums(codes, self.weighted) ** 2 / size).sum())
        table = np.zeros(len(size) * self.n_categories)
        for rows in self.slices:
            cell = codes[rows].astype(np.int64) * self.n_categories + self.responses[rows]
            add_by_code(table, cell, None if self.repeats is None else self.repeats[rows])
        return float((np.square(table.reshape(len(size), -1)).sum(-1) / size).sum())

    def total_squares(self) -> float:
        """``Σ y²``; a category indicator is its own square."""
        if self.n_categories is not None:
            return self.number
        return float(
            sum((np.square(self.weighted(rows)) / np.maximum(self.weights(rows), 1)).sum() for rows in self.slices)
        )

    def mean_squares(self) -> float:
        """``(Σ y)² / n``; nothing is left of it once numbers are centred."""
        if self.n_categories is None:
            return 0.0
        sums = self.sums(self.responses, lambda rows: None if self.repeats is None else self.repeats[rows])
        return float(np.square(sums.astype(float)).sum() / self.number)


def _slices(items: Array, most: int) -> tuple[slice, ...]:
    """All rows at once, or, of very many sorted by item, a few million at a time."""
    if len(items) <= most or not (items[1:] >= items[:-1]).all():
        return (slice(0, len(items)),)
    return tuple(item_slices(items, most))


def _solved(facets: dict[str, Array], answers: _Answers) -> dict[str, float] | None:
    """Set ``T − T_mean`` equal to its expectation, for the total and each facet; None if that has no one solution."""
    n = answers.number
    sizes = [answers.sizes(codes) for codes in facets.values()]
    of_mean = np.array([*(float(np.square(size).sum()) / n for size in sizes), 1.0])
    of_facets = np.column_stack(
        [_couplings(list(facets.values()), sizes, answers), [np.count_nonzero(size) for size in sizes]]
    )
    matrix = (np.vstack([np.full(len(of_mean), n), of_facets]) - of_mean) / n
    if np.linalg.cond(matrix) > 1e10:
        return None
    groups = zip(facets.values(), sizes, strict=True)
    squares = np.array([answers.total_squares(), *(answers.squares(codes, size) for codes, size in groups)])
    solution = np.linalg.solve(matrix, (squares - answers.mean_squares()) / n)
    least = ROUNDING * np.abs(solution).sum()
    return {name: float(x) if x > least else 0.0 for name, x in zip([*facets, "residual"], solution, strict=True)}


def _couplings(codes: list[Array], sizes: list[Array], answers: _Answers) -> Array:
    """How often each facet's variance is in each facet's T: ``Σ_i Σ_j n_ij² / n_i``, and n for the facet's own."""
    result = np.full((len(codes), len(codes)), answers.number)
    if len(codes) == 2:
        result[0, 1] = result[1, 0] = 0.0
        for rows in answers.slices:
            repeats = None if answers.repeats is None else answers.repeats[rows]
            i, j, n_ij = _cells(codes[0][rows], codes[1][rows], len(sizes[1]), repeats)
            squares = np.square(n_ij.astype(float))
            result[0, 1] += (squares / sizes[0][i]).sum()
            result[1, 0] += (squares / sizes[1][j]).sum()
    return result


def _cells(items: Array, raters: Array, n_raters: int, repeats: Array | None) -> tuple[Array, Array, Array]:
    """Item, rater and number of answers of each pair that occurs."""
    pairs = items.astype(np.int64) * n_raters + raters
    if len(pairs) and (pairs[1:] >= pairs[:-1]).all():  # sorted, as ratings are
        first = np.concatenate([[0], np.flatnonzero(pairs[1:] != pairs[:-1]) + 1])
        times = np.diff(first, append=len(pairs)) if repeats is None else np.add.reduceat(repeats, first)
        return items[first], raters[first], times
    if repeats is None:
        found, n_ij = np.unique(pairs, return_counts=True)
    else:
        found, which = np.unique(pairs, return_inverse=True)
        n_ij = np.bincount(which, repeats)
    return found // n_raters, found % n_raters, n_ij
