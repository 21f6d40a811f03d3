"""The one pivot behind every p-value and interval: an estimate, its units, and how well its
variance is known.

``p(δ)`` is the chance of an estimate as far from δ as the one seen if δ were true, and the interval
holds the δ with p(δ) above the level, so that p ≤ level exactly when 0 is outside. The part of the
items is the one they would have if δ were true, never less than the one seen: the interval holds
Student's and is wider where differences are rare or lopsided.

That part (`null_square`) is the spread of the law nearest to the data that has the mean δ: of values
that are mostly 0 it differs greatly from the one seen [tango1998]. Weights p maximise the likelihood Σ log p_i among
all laws on the values seen and on two points not seen yet, with Σ p (y − δ) = 0 [owen1988]. They
are ``p_i = 1 / (n (1 + λ (y_i − δ)))``; where λ meets the bound that an unseen point sets, that
point takes the rest. On −1, 0 and 1 this is Tango's estimate.

Where nothing varies, only what could have gone unseen speaks: values up to M on a share π of the
units show in none of N with chance (1 − π)^N. With a margin this is counted always: a difference δ
may come from such failures, ``p(δ) = max_π (1 − π)^N p(μ)`` with ``(1 − π) μ − π M = δ``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np

from quorate._typing import Array
from quorate.inference.outcome import ROUNDING, Outcome
from quorate.inference.uncertain_variance import Part, UncertainVariance, stacked_variances, t_quantile

SEEN = 0.999
"""A failure of this share of the largest possible one counts as such."""
SHARES = np.geomspace(1e-4, 0.9, 40)
"""Shares of units on which a failure may have gone unseen, that are looked at."""
BATCH, MOST_STACKED = 1 << 17, 5000
"""Numbers held at a time for many data sets, which then stay in the cache, and units up to which pairs are stacked."""
STEPS, SMOOTH, FARTHEST, EXACT = 60, 12, 100, 1e-9
"""Steps in the search for an end of an interval, of them those before it halves, to begin it, and how exact it is."""


@dataclass(frozen=True)
class Pivot:
    """An estimate and what is known of its error.

    Parameters
    ----------
    estimate
        The difference or score, ``(...)``.
    units
        What each unit – item, cluster – says of it, ``(..., unit)``; their mean is the estimate.
    variance
        The variance of the estimate.
    reach
        The largest value a unit can have, either side; None if there is no bound.
    unseen
        Whether failures that have not shown count.
    mirrored
        Whether what was seen on one side of 0 may come on the other, as for A minus B.
    units_given
        Units were not drawn, only raters were.
    n_units
        How many units carry weight; None for all.
    n_raters
        Of given units, how many raters were drawn.
    law
        Values of single votes, ``(..., value)``, and what each weighs, whose law changes with the true value; None:
        that of the units does.
    """

    estimate: Array
    units: Array
    variance: UncertainVariance
    reach: float | None = None
    unseen: bool = False
    mirrored: bool = True
    units_given: bool = False
    n_units: Array | int | None = None
    n_raters: Array | None = None
    law: tuple[Array, Array] | None = None

    def outcome(self, confidence: float | Array) -> Outcome:
        """Return the test of 0 with its interval."""
        p = np.where(self.estimate == 0, 1.0, self.p_value(np.zeros(self.estimate.shape)))
        ends = self.interval(confidence)
        return Outcome(self.estimate, self.se, *ends, p, np.broadcast_to(self.variance.df, self.estimate.shape))

    @property
    def se(self) -> Array:
        """The standard error, 0 where nothing varies, ``(...)``."""
        return np.where(self.still, 0.0, np.sqrt(self.variance.total))

    def p_value(self, at: Array) -> Array:
        """Return the two-sided p-value of a true value, ``(...)``; never 0."""
        if batches := self._batches():
            return np.concatenate([self._rows(each).p_value(at[each]) for each in batches])
        p = np.where(self.still, self._still_p(at), self._tail(self.estimate - at, self._item_ratio(at)))
        if self.unseen:
            p = np.maximum(p, self._unseen_p(at))
        return np.clip(p, np.finfo(float).tiny, 1.0)

    def statistic(self) -> Array:
        """Return the distance, in standard errors, that has the p-value of 0 by the variance seen."""
        from scipy.special import ndtri

        p, total = self.p_value(np.zeros(self.estimate.shape)), np.sqrt(self.variance.total)
        far = np.where(self.estimate == 0, total, np.abs(self.estimate))

        def height(distance: Array) -> Array:
            tail = np.maximum(self._tail(distance, np.ones(distance.shape)), np.finfo(float).tiny)
            return np.asarray(ndtri(tail / 2) - ndtri(p / 2))

        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(p >= 1, 0.0, crossing_point(height, 0.0 * far, far) / total)

    def interval(self, confidence: float | Array) -> tuple[Array, Array]:
        """Return both ends, ``(...)``; nan where there is none."""
        if batches := self._batches():
            levels = np.broadcast_to(confidence, self.estimate.shape)
            parts = [self._rows(each).interval(levels[each]) for each in batches]
            low, high = (np.concatenate(ends) for ends in zip(*parts, strict=True))
            return low, high
        low, high = (self._end(confidence, side) for side in (-1.0, 1.0))
        if self.reach is not None:
            low, high = np.maximum(low, -self.reach), np.minimum(high, self.reach)
        known = np.isfinite(self.estimate) & np.isfinite(self.variance.total)
        return np.where(known, low, np.nan), np.where(known, high, np.nan)

    def _batches(self) -> list[slice]:
        """Return which data sets are looked at together; none if all are."""
        if not self.estimate.ndim:
            return []
        width = self.units[0].size + self.variance.n_nodes * (len(SHARES) if self.unseen else 1)
        rows = max(1, BATCH // width)
        return [slice(start, start + rows) for start in range(0, n, rows)] if (n := len(self.estimate)) > rows else []

    def _rows(self, rows: slice) -> "Pivot":
        """Return some data sets of many, by their position on the first axis."""
        n_units = self.n_units if np.ndim(self._n_units) == 0 else self._n_units[rows]
        n_raters = self.n_raters if self.n_raters is None or not self.n_raters.ndim else self.n_raters[rows]
        return replace(
            self,
            estimate=self.estimate[rows],
            units=self.units[rows],
            variance=self.variance.rows(rows),
            n_units=n_units,
            n_raters=n_raters,
            law=None if self.law is None else (self.law[0][rows], self.law[1][rows]),
        )

    def adding(self, runs: Sequence[Part]) -> "Pivot":
        """Return the same estimate with what runs add to its variance."""
        return replace(self, variance=self.variance.adding(*runs))

    @property
    def _n_units(self) -> Array:
        return np.asarray(self.units.shape[-1] if self.n_units is None else self.n_units)

    @cached_property
    def size(self) -> Array:
        """The largest unit, ``(...)``."""
        return np.asarray(np.abs(self.units).max(-1))

    @cached_property
    def still(self) -> Array:
        """Whether nothing varies, ``(...)``: no unit, or of given units no rater."""
        scale = np.maximum(self.size, self.reach or 0.0)  # units far below what is possible are 0, but for rounding
        if self.units_given:  # a variance that is a difference of squares is known less closely
            return np.asarray(self.variance.total <= ROUNDING * scale**2)
        constant = np.ptp(self.units, axis=-1) <= ROUNDING * scale
        others = sum((other.variance for other in self.variance.others), np.zeros(()))
        return np.asarray(constant & np.isfinite(self.variance.items.variance) & (others <= (ROUNDING * scale) ** 2))

    @cached_property
    def _most(self) -> Array:
        """The largest value a unit could have; as large as those seen where there is no bound."""
        return np.where(self.size > 0, self.size, 0.0) if self.reach is None else np.full(self.size.shape, self.reach)

    def _tail(self, distance: Array, item_ratio: Array) -> Array:
        return np.where(distance == 0, 1.0, self.variance.tail(distance, item_ratio))

    def _still_p(self, at: Array) -> Array:
        """Where all units are c: δ would need unseen units of the largest size on a share π, ``2 (1
        − π)^N``; of given units, so many raters to whom they are c."""
        distance = np.abs(self.estimate - at)
        with np.errstate(invalid="ignore", divide="ignore"):
            share = distance / (self._most + np.where(self.estimate >= at, 1.0, -1.0) * self.estimate)
        share = np.where(distance == 0, 0.0, np.clip(np.nan_to_num(share, nan=1.0), 0.0, 1.0))
        n_drawn = self._n_units if self.n_raters is None else self.n_raters
        return np.asarray(np.minimum(2 * (1 - share) ** n_drawn, 1.0))

    def _unseen_p(self, at: Array) -> Array:
        """The largest p over the shares of units on which the largest failure may have gone
        unseen."""
        side = np.where(self.estimate >= at, 1.0, -1.0)
        share = SHARES.reshape(-1, *([1] * at.ndim))
        means = (side * at + share * self._most) / (1 - share)
        apart = side * self.estimate - means
        tail = self._tail(apart, self._item_ratio(at))
        none_seen = (1 - share) ** self._n_units
        p = none_seen * np.where(apart > 0, tail, 2 - tail)
        farthest = self.size if self.mirrored else np.where(side > 0, -self.units.min(-1), self.units.max(-1))
        return np.where(farthest >= SEEN * self._most, 0.0, p.max(0))

    def _item_ratio(self, at: Array) -> Array:
        """How many times as large the variance of items would be if the true value were another; at
        least 1."""
        if self.units_given:
            return np.ones(at.shape)
        values, times = self._values
        low, high, seen = self._seen
        square = null_square(values - at[..., None], times, low - at, high - at)
        with np.errstate(invalid="ignore", divide="ignore"):
            ratio = (square - (self.estimate - at) ** 2) / seen
        return np.where(np.isfinite(ratio), np.fmax(ratio, 1.0), 1.0)

    @cached_property
    def _seen(self) -> tuple[Array, Array, Array]:
        """How far down and up a unit may come, and the mean square seen, ``(...)`` each."""
        values, times = (self.units, None) if self.law is None else self.law
        centred = values - self.estimate[..., None]
        far = np.abs(centred).max(-1)
        low, high = self.estimate - far, self.estimate + far
        if self.mirrored:
            size = np.abs(values).max(-1)
            low, high = np.minimum(low, -size), np.maximum(high, size)
        square = (centred**2).mean(-1) if times is None else _weighted(centred**2, times) / times.sum(-1)
        return low, high, square

    @cached_property
    def _values(self) -> tuple[Array, Array]:
        """The single votes, or the units, or of one large data set their distinct values, and how often each was
        seen."""
        if self.law is not None:
            return self.law
        n = self.units.shape[-1]
        if n < 200 or self.units.size > n:
            return self.units, np.ones(n)
        values, times = np.unique(self.units, return_counts=True)
        return values.reshape(*self.units.shape[:-1], -1), times.astype(float)

    def _end(self, confidence: float | Array, side: float) -> Array:
        """Search where p meets the level, on one side of the estimate, from where it does by the spread seen."""
        from scipy.special import ndtri

        goal = -ndtri((1 - confidence) / 2)

        def height(distance: Array) -> Array:
            return goal + ndtri(self.p_value(self.estimate + side * distance) / 2)

        start = np.where(self.still, 1e-6 * np.where(self._most > 0, goal * self._most, 1.0), self._half(confidence))
        start = np.where(np.isfinite(start), start, 0.0)
        distance = crossing_point(height, start, np.where(start > 0, 1.05 * start, 1.0))
        nothing = self.still & (self._most == 0)  # equal by all we know
        return self.estimate + side * np.where(nothing, 0.0, distance)

    def _half(self, confidence: float | Array) -> Array:
        """Half the length of the interval by the spread seen, ``(...)``: Student's, where items alone were drawn."""
        from scipy.special import ndtri

        se, goal = np.sqrt(self.variance.total), -ndtri((1 - confidence) / 2)
        if not self.variance.others:
            return np.asarray(t_quantile(self.variance.items.df, confidence) * se)

        tail = self.variance.tails()

        def height(distance: Array) -> Array:
            p = np.where(distance == 0, 1.0, tail(distance))
            return np.asarray(goal + ndtri(np.maximum(p, np.finfo(float).tiny) / 2))

        far = np.where(se > 0, goal * se, 1.0)
        return crossing_point(height, np.zeros_like(far), far)


def outcomes_of(pivots: Sequence[Pivot], confidence: float | Array) -> list[Outcome]:
    """Return the outcome of each pivot of one data set, at one level or each at its own; alike ones in one go."""
    levels = np.broadcast_to(np.asarray(confidence, float), (len(pivots),))
    found: dict[int, Outcome] = {}
    for places, together in stacks(pivots):
        outcome = together.outcome(levels[places])
        for row, place in enumerate(places):
            found[place] = Outcome(*(np.asarray(getattr(outcome, each.name)[row]) for each in fields(Outcome)))
    return [found[place] for place in range(len(pivots))]


def stacks(pivots: Sequence[Pivot]) -> list[tuple[list[int], Pivot]]:
    """Return pivots of one data set that are alike as one, ``(pivot, ...)``, with their places."""
    return [(places, _stacked([pivots[place] for place in places])) for places in _alike(pivots)]


def _stacked(pivots: Sequence[Pivot]) -> Pivot:
    """Return several pivots with equally many units and parts as one."""
    first = pivots[0]
    n_units = None if first.n_units is None else np.stack([np.asarray(pivot.n_units) for pivot in pivots])
    return replace(
        first,
        estimate=np.stack([pivot.estimate for pivot in pivots]),
        units=np.stack([pivot.units for pivot in pivots]),
        variance=stacked_variances([pivot.variance for pivot in pivots]),
        n_units=n_units,
        n_raters=None if first.n_raters is None else np.array([pivot.n_raters for pivot in pivots]),
        law=None if first.law is None else (first.law[0][None], first.law[1][None]),
    )


def _alike(pivots: Sequence[Pivot]) -> list[list[int]]:
    """Return the places of pivots that can be stacked, large ones alone."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for place, pivot in enumerate(pivots):
        drawn = tuple(part.draws is None for part in pivot.variance.others)
        size = pivot.units.shape[-1]
        known = (
            pivot.reach,
            pivot.unseen,
            pivot.mirrored,
            pivot.units_given,
            pivot.n_units is None,
            pivot.n_raters is None,
        )
        alone = size > MOST_STACKED or pivot.law is not None
        groups.setdefault((size, place if alone else -1, drawn, *known), []).append(place)
    return list(groups.values())


def crossing_point(height: Callable[[Array], Array], near: Array, far: Array) -> Array:
    """Return where a falling function meets 0, ``(...)``, sought from two points on; infinite where
    it does not.

    Regula falsi, where an end that stays again loses height as the other end does, or half of it [anderson1973];
    then halving.
    """
    above, below = height(near), height(far)
    for _ in range(FARTHEST):
        if not (below > 0).any():
            break
        near, above = np.where(below > 0, far, near), np.where(below > 0, below, above)
        far = np.where(below > 0, 1.5 * far, far)
        below = height(far)
    none, first = (below > 0) | ~np.isfinite(far), np.abs(above) < EXACT
    far, below = np.where(first, near, far), np.where(first, 0.0, below)
    near = np.where((above <= 0) & ~first, 0.0, near)  # the first point was beyond already
    after = np.zeros(np.shape(far), bool)  # whether the end below 0 stayed last
    for step in range(STEPS):
        with np.errstate(invalid="ignore", divide="ignore"):
            middle = near + (far - near) * above / (above - below)
        sloped = np.isfinite(middle) & (step < SMOOTH)  # p may come down in stairs, where only halving helps
        middle = np.where(sloped, np.clip(middle, near, far), 0.5 * (near + far))
        value = np.where(first, 0.0, height(middle))
        before, met = value > 0, np.abs(value) < EXACT
        stays = _lowered(np.where(before, below, above), value, np.where(before, above, below), before == after)
        near, above = np.where(before | met, middle, near), np.where(before, value, stays)
        far, below, after = np.where(before & ~met, far, middle), np.where(before, stays, value), before
        with np.errstate(invalid="ignore"):
            if ((far - near <= EXACT * far) | none).all():
                break
    return np.where(none, np.inf, far)


def _lowered(stays: Array, value: Array, was: Array, again: Array) -> Array:
    """Return the height of the end that stays; if again, less by what the other end lost, or by half."""
    with np.errstate(invalid="ignore", divide="ignore"):
        left = 1 - value / was
    return np.where(again, np.where(left > 0, left, 0.5) * stays, stays)


def null_square(parts: Array, times: Array, low: Array, high: Array) -> Array:
    """Return Σ p e² under the nearest law with mean 0 of values e, ``(..., value)``, and two points
    that may come.

    `times` says how often each value was seen, ``(value,)`` or as the values; nan where no law on these points has
    the mean 0.
    """
    low, high = np.minimum(low, parts.min(-1)), np.maximum(high, parts.max(-1))
    possible = (low < 0) & (high > 0)
    low, high = np.where(possible, low, -1.0), np.where(possible, high, 1.0)
    share = times / times.sum(-1, keepdims=True)
    multiplier = _multiplier(parts, share, -1 / high, -1 / low)
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = share / (1 + multiplier[..., None] * parts)
    weight = np.where(np.isfinite(weight) & (weight > 0), np.minimum(weight, 1.0), 0.0)
    rest = np.maximum(1 - weight.sum(-1), 0.0)
    unseen = np.where(multiplier > 0, low, high)
    return np.where(possible, (weight * parts**2).sum(-1) + rest * unseen**2, np.nan)


def _multiplier(parts: Array, share: Array, least: Array, most: Array) -> Array:
    """Solve Σ share e / (1 + λ e) = 0 between two bounds, row by row; a bound where there is no
    solution within."""
    rows = parts.reshape(-1, parts.shape[-1])
    shares = share if share.ndim == 1 else np.broadcast_to(share, parts.shape).reshape(rows.shape)
    low, high = (np.broadcast_to(x, parts.shape[:-1]).reshape(-1).copy() for x in (least, most))
    bound = np.where(_weighted(rows, shares) > 0, high, low)
    point = bound.copy()
    with np.errstate(divide="ignore", invalid="ignore"):
        at_bound = _sum(rows, shares, bound)[0]
        open_ = np.flatnonzero(~np.isfinite(at_bound) | (at_bound * np.sign(bound) < 0))
        own = shares if shares.ndim == 1 else shares[open_]
        first = _weighted(rows[open_], own) / _weighted(rows[open_] ** 2, own)
        point[open_] = 0.9 * np.clip(np.nan_to_num(first), low[open_], high[open_])
        for _ in range(STEPS):
            if not len(open_):
                break
            value, slope = _sum(rows[open_], shares if shares.ndim == 1 else shares[open_], point[open_])
            up = value > 0
            low[open_], high[open_] = np.where(up, point[open_], low[open_]), np.where(up, high[open_], point[open_])
            step = point[open_] + value / slope
            inside = (step > low[open_]) & (step < high[open_])
            step = np.where(inside, step, 0.5 * (low[open_] + high[open_]))
            settled = np.abs(value) <= 1e-9 * np.sqrt(slope)
            point[open_] = np.where(settled, point[open_], step)
            open_ = open_[~settled]
    return point.reshape(parts.shape[:-1])


def _sum(rows: Array, share: Array, point: Array) -> tuple[Array, Array]:
    """Return Σ share e / (1 + λ e) and how fast it falls with λ."""
    scaled = rows / (1 + point[:, None] * rows)
    return _weighted(scaled, share), _weighted(scaled**2, share)


def _weighted(x: Array, weight: Array) -> Array:
    """Sum with weights over the last axis, one row of weights or a row for each."""
    return np.asarray(x @ weight if weight.ndim == 1 else (x * weight).sum(-1))
