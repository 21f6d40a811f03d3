"""How well strengths are known where items and raters were drawn, not votes.

A vote of kind k moves the strengths by ``ψ_k = I⁻¹ x_k (y_k − p_k)``, I the information and x_k = (e_a − e_b, side).
What an item moves is the sum over its votes, and so for a rater; both sums of squares, less that of single cells, give
the two-way covariance [cameron2011]. Since the residuals of a group are shrunk by its own votes, its sum is first
stretched by ``(1 − H_gg)^(−1/2)``, H_gg the group's share of the information [bell2002], by the series ``Σ c_m (I_g
I⁻¹)^m``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from quorate._typing import Array
from quorate.data.preferences import Votes
from quorate.inference.bradley_terry import StrengthFit, fit_strengths
from quorate.inference.crossed import effective_number
from quorate.inference.pivot import Pivot
from quorate.inference.uncertain_variance import Part, UncertainVariance

TERMS, MOST_WORK = 24, 2e7
"""Terms of the series, and what it may cost in votes × terms; a million votes have groups that are small anyway."""
CHUNK = 1 << 17
"""Cells looked at together."""


def strengths_of(votes: Votes, *, sided: bool = False) -> "Strengths":
    """Return the strengths of all systems; `sided` takes out what being shown first is worth."""
    return Strengths(votes, _fit(votes, sided), sided)


def _fit(votes: Votes, sided: bool) -> StrengthFit:
    side = votes.side if sided else None
    return fit_strengths(votes.first, votes.second, votes.vote, votes.times, len(votes.systems), side)


@dataclass(frozen=True)
class Strengths:
    """Strengths of all systems and what each item and rater does to them.

    Parameters
    ----------
    votes
        The votes.
    sided
        Whether what being shown first is worth is taken out.
    fit
        The strengths.
    units
        Group of each item that was drawn as a whole, ``(item,)``; None if items were.
    by_rater
        Whether raters count as drawn.
    items_fixed
        Only raters were drawn.
    """

    votes: Votes
    fit: StrengthFit = field(repr=False)
    sided: bool = False
    units: Array | None = field(default=None, repr=False)
    by_rater: bool = True
    items_fixed: bool = False

    @property
    def strength(self) -> Array:
        """θ, ``(system,)``."""
        return self.fit.strength[:-1]

    @cached_property
    def win_rates(self) -> Array:
        """The chance to be preferred to another system that votes link to it, mean over these, ``(system,)``."""
        from scipy.special import expit

        apart = self.strength[:, None] - self.strength
        others = (self.fit.part[:, None] == self.fit.part) & ~np.eye(len(apart), dtype=bool)
        with np.errstate(invalid="ignore"):
            return np.asarray((expit(apart) * others).sum(1) / others.sum(1))

    @cached_property
    def influence(self) -> Array:
        """ψ: what a vote of each kind moves, ``(kind, system + 1)``."""
        votes, fit = self.votes, self.fit
        inverse = fit.inverse
        side = votes.side if self.sided else np.zeros(len(votes.vote))
        moved = inverse[votes.first] - inverse[votes.second] + side[:, None] * inverse[-1]
        return np.asarray(moved * (0.5 * (1.0 + votes.vote) - fit.chance)[:, None])

    @cached_property
    def of_items(self) -> Array:
        """What each item, or group of them, moves, ``(unit, system + 1)``."""
        item = self.votes.ratings.item
        code = item if self.units is None else self.units[item]
        n_units = self.votes.ratings.n_items if self.units is None else int(self.units.max()) + 1
        return self._stretched(code, n_units)

    @cached_property
    def of_raters(self) -> Array | None:
        """What each rater moves, ``(rater, system + 1)``; None where raters do not count."""
        ratings = self.votes.ratings
        if not self.by_rater or ratings.rater is None or ratings.n_raters is None:
            return None
        return self._stretched(ratings.rater, ratings.n_raters)

    @cached_property
    def shared(self) -> Array:
        """Σ ψ ψ' over cells of item (or group) and rater, ``(system + 1, system + 1)``: what both sums hold."""
        size = self.influence.shape[1]
        ratings = self.votes.ratings
        if ratings.rater is None or self.of_raters is None:
            return np.zeros((size, size))
        item = ratings.item if self.units is None else self.units[ratings.item]
        key = item.astype(np.int64) * (ratings.n_raters or 1) + ratings.rater
        order = np.argsort(key, kind="stable")
        starts = np.flatnonzero(np.diff(key[order], prepend=-1))
        total = np.zeros((size, size))
        for begin in range(0, len(starts), CHUNK):
            cells = starts[begin : begin + CHUNK]
            end = starts[begin + CHUNK] if begin + CHUNK < len(starts) else len(order)
            rows = order[cells[0] : end]
            moved = self.influence[ratings.response[rows]] * ratings.count[rows, None]
            sums = np.add.reduceat(moved, cells - cells[0], axis=0)
            total += sums.T @ sums
        return total

    def of(self, items: Array) -> "Strengths":
        """Return the strengths by the votes on some items, by position; groups that were drawn stay groups."""
        units = None if self.units is None else np.unique(self.units[items], return_inverse=True)[1]
        votes = self.votes.keep(items)
        return replace(self, votes=votes, fit=_fit(votes, self.sided), units=units)

    def drawn(self, units: Array | None, *, by_rater: bool, items_fixed: bool) -> "Strengths":
        """Return the same strengths where these groups of items, or items, and perhaps raters were drawn."""
        key = id(units), by_rater, items_fixed
        if key not in self._drawn:
            self._drawn[key] = replace(self, units=units, by_rater=by_rater, items_fixed=items_fixed)
        return self._drawn[key]

    @cached_property
    def _drawn(self) -> "dict[tuple[int, bool, bool], Strengths]":
        """What was worked out of these strengths before, by what was drawn."""
        return {}

    def pivot(self, contrast: Array) -> Pivot:
        """Return the pivot of a contrast of strengths (and γ), ``(system + 1,)``.

        On the scale of strengths errors are even, and Student's interval does. Where the ridge holds a system that was
        never beaten its residuals are all but 0: then what items would show if the contrast were 0 counts.
        """
        estimate = np.asarray(contrast @ self.fit.strength)
        if not self._linked(contrast):
            estimate = np.asarray(np.nan)
        parts = self.of_items @ contrast
        items = Part(np.asarray((parts**2).sum()), self._df(self._item_shares, contrast))
        others: tuple[Part, ...] = ()
        drawn = None
        if self.of_raters is not None:
            of_raters = float(((self.of_raters @ contrast) ** 2).sum())
            less = np.clip(contrast @ self.shared @ contrast, 0.0, items.variance)
            df = self._df(self._rater_shares, contrast)
            others = (Part(np.asarray(of_raters), df, 0.0 if self.items_fixed else less),)
        if self.items_fixed:
            items = Part(np.zeros(()), np.inf)
            drawn = UncertainVariance(items, others).df + 1
        units = estimate + len(parts) * (parts - parts.mean())
        given = self.items_fixed or not self.fit.held
        return Pivot(estimate, units, UncertainVariance(items, others), units_given=given, n_raters=drawn)

    def pair_pivots(self, pairs: Sequence[tuple[int, int]]) -> list[Pivot]:
        """Return the pivot of each pair, by position."""
        return [self.pivot(contrast) for contrast in self.contrasts(pairs)]

    def contrasts(self, pairs: Sequence[tuple[int, int]]) -> Array:
        """What each pair reads of the strengths, ``(pair, system + 1)``."""
        contrasts = np.zeros((len(pairs), len(self.strength) + 1))
        for row, (a, b) in zip(contrasts, pairs, strict=True):
            row[a], row[b] = 1.0, -1.0
        return contrasts

    def score_pivot(self, system: int) -> Pivot:
        """Return the pivot of one strength beside the mean of those that votes link to it."""
        contrast = np.append(-(self.fit.part == self.fit.part[system]).astype(float), 0.0)
        contrast /= -contrast.sum()
        contrast[system] += 1.0
        return self.pivot(contrast)

    def rater_df(self, pairs: Sequence[tuple[int, int]]) -> float:
        """Degrees of freedom of what raters add to some pairs, on average."""
        return float(np.mean([self._df(self._rater_shares, each) for each in self.contrasts(pairs)]))

    def rater_weight(self, pair: tuple[int, int]) -> Array | None:
        """What each rater's votes on two systems weigh, ``(rater,)``."""
        if self._rater_shares is None:
            return None
        return np.asarray(0.5 * (self._rater_shares[:, pair[0]] + self._rater_shares[:, pair[1]]))

    def item_values(self) -> list[Array]:
        """For each system, values of items whose mean is its strength, ``(item,)`` each."""
        moved = self._sums(self.votes.ratings.item, self.votes.ratings.n_items)
        return [strength + len(moved) * moved[:, k] for k, strength in enumerate(self.strength)]

    def _linked(self, contrast: Array) -> bool:
        """Tell whether votes link the systems a contrast compares."""
        by_part = np.bincount(self.fit.part, contrast[:-1])
        return bool(np.all(np.abs(by_part) < 1e-9))

    @cached_property
    def _item_shares(self) -> Array:
        ratings = self.votes.ratings
        code = ratings.item if self.units is None else self.units[ratings.item]
        return self._shares(code, int(code.max()) + 1)

    @cached_property
    def _rater_shares(self) -> Array | None:
        ratings = self.votes.ratings
        if self.of_raters is None or ratings.rater is None:
            return None
        return self._shares(ratings.rater, ratings.n_raters or 1)

    def _shares(self, code: Array, n: int) -> Array:
        """What share of each system's votes, by what they tell, is a group's, ``(group, system)``."""
        votes, size = self.votes, len(self.strength)
        tells = (votes.ratings.count * (self.fit.chance * (1 - self.fit.chance))[votes.ratings.response]).astype(float)
        sums = np.zeros(n * size)
        for systems in (votes.first, votes.second):
            sums += np.bincount(code.astype(np.int64) * size + systems[votes.ratings.response], tells, n * size)
        table = sums.reshape(n, size)
        return np.asarray(table / np.maximum(table.sum(0), 1e-300))

    def _df(self, shares: Array | None, contrast: Array) -> float:
        """Effective number of groups behind the systems of a contrast, less one."""
        assert shares is not None
        weight = shares @ np.abs(contrast[:-1]) if np.any(contrast[:-1]) else shares.mean(1)
        return max(float(np.round(effective_number(weight), 1)) - 1.0, 0.5)

    def _sums(self, code: Array, n: int) -> Array:
        """Sum ψ over the votes of each group, ``(group, system + 1)``."""
        from scipy.sparse import coo_array

        ratings = self.votes.ratings
        shape = (n, len(self.influence))
        cells = coo_array((ratings.count.astype(float), (code, ratings.response)), shape=shape).tocsr()
        return np.asarray(cells @ self.influence)

    def _stretched(self, code: Array, n: int) -> Array:
        """Sum ψ by group, stretched by what the group's own votes took from its residuals."""
        moved = self._sums(code, n)
        ratings = self.votes.ratings
        terms = int(np.clip(MOST_WORK / max(len(ratings.item), 1), 1, TERMS))
        total, power, factor = moved.copy(), moved, 1.0
        for term in range(1, terms + 1):
            power = self._taken(code, power)
            factor *= (2 * term - 1) / (2 * term)
            total += factor * power
        return total

    def _taken(self, code: Array, moved: Array) -> Array:
        """Return ``I⁻¹ I_g z_g`` for each group, ``(group, system + 1)``."""
        votes, ratings = self.votes, self.votes.ratings
        kind, size = ratings.response, moved.shape[1]
        first, second = votes.first[kind], votes.second[kind]
        side = votes.side[kind] if self.sided else np.zeros(len(kind))
        weight = ratings.count * (self.fit.chance * (1 - self.fit.chance))[kind]
        reads = weight * (moved[code, first] - moved[code, second] + side * moved[code, -1])
        at = code.astype(np.int64) * size
        table = np.bincount(at + first, reads, moved.size) - np.bincount(at + second, reads, moved.size)
        if self.sided:
            table += np.bincount(at + size - 1, reads * side, moved.size)
        return np.asarray(table.reshape(moved.shape) @ self.fit.inverse)
