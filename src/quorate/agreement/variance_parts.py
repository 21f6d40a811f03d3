"""Where the variance of the answers comes from: items, raters and the rest, by Henderson's method I.

The model is ``y = μ + item + rater + residual``, all random. Four sums of squares are set equal to
their expectations: with n_ij answers of rater j to item i, ``T_0 = Σ y²``,
``T_item = Σ_i y_i.² / n_i.``, ``T_rater = Σ_j y_.j² / n_.j``, ``T_mean = y..² / n`` [henderson1953;
searle1992, ch. 5]. On a full table this is the analysis of variance; on a ragged one it needs one
pass over the answers. On a nominal scale squares are summed over category indicators.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from quorate._typing import Array


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
    repeats: Array | None = None,
) -> VarianceParts:
    """Return the variance components of one table of answers, one row per answer.

    Items and raters are codes 0, 1, 2 …, raters None where they are unknown. Responses are numbers
    or, with the ``n_categories`` of a nominal scale, category codes; ``repeats`` is how often each
    row occurred, None for once.
    """
    facets = {"item": items} if raters is None else {"item": items, "rater": raters}
    answers = _Answers(responses, n_categories, repeats)
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
    repeats: Array | None

    @cached_property
    def number(self) -> float:
        return float(len(self.responses) if self.repeats is None else self.repeats.sum())

    @cached_property
    def weighted(self) -> Array:
        """Repeats times the centred numbers."""
        weights = 1.0 if self.repeats is None else self.repeats
        centre = (weights * self.responses).sum() / self.number
        return np.asarray(weights * (self.responses - centre))

    def sizes(self, codes: Array) -> Array:
        """Answers per group."""
        return np.bincount(codes, self.repeats)

    def squares(self, codes: Array) -> float:
        """``Σ_group (Σ y)² / n``, over category indicators on a nominal scale."""
        size = np.maximum(self.sizes(codes), 1)
        if self.n_categories is None:
            return float((np.bincount(codes, self.weighted) ** 2 / size).sum())
        table = np.bincount(codes * self.n_categories + self.responses, self.repeats, len(size) * self.n_categories)
        return float((np.square(table.reshape(len(size), -1)).sum(-1) / size).sum())

    def total_squares(self) -> float:
        """``Σ y²``; a category indicator is its own square."""
        if self.n_categories is not None:
            return self.number
        weights = 1.0 if self.repeats is None else np.maximum(self.repeats, 1)
        return float((np.square(self.weighted) / weights).sum())

    def mean_squares(self) -> float:
        """``(Σ y)² / n``; nothing is left of it once numbers are centred."""
        if self.n_categories is None:
            return 0.0
        return float(np.square(np.bincount(self.responses, self.repeats)).sum() / self.number)


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
    squares = np.array([answers.total_squares(), *(answers.squares(codes) for codes in facets.values())])
    solution = np.linalg.solve(matrix, (squares - answers.mean_squares()) / n)
    return {name: max(0.0, float(x)) for name, x in zip([*facets, "residual"], solution, strict=True)}


def _couplings(codes: list[Array], sizes: list[Array], answers: _Answers) -> Array:
    """How often each facet's variance is in each facet's T: ``Σ_i Σ_j n_ij² / n_i``, and n for the facet's own."""
    result = np.full((len(codes), len(codes)), answers.number)
    if len(codes) == 2:
        i, j, n_ij = _cells(codes[0], codes[1], len(sizes[1]), answers.repeats)
        squares = np.square(n_ij.astype(float))
        result[0, 1], result[1, 0] = (squares / sizes[0][i]).sum(), (squares / sizes[1][j]).sum()
    return result


def _cells(items: Array, raters: Array, n_raters: int, repeats: Array | None) -> tuple[Array, Array, Array]:
    """Item, rater and number of answers of each pair that occurs."""
    pairs = items.astype(np.int64) * n_raters + raters
    if repeats is None:
        found, n_ij = np.unique(pairs, return_counts=True)
    else:
        found, which = np.unique(pairs, return_inverse=True)
        n_ij = np.bincount(which, repeats)
    return found // n_raters, found % n_raters, n_ij
