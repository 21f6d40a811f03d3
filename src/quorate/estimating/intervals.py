"""Intervals that rest on the random choice of the experts' items: a moderated variance, and Wilson's or Student's ends.

Model-assisted estimation [sarndal1992]: theta(Y~) with pseudo-labels Y~ = g, on experts' items
g_(-i) + w_i (Y_i - g_(-i)), has the error sum_S w_i D_i (Y_i - g_(-i)) to first order, whatever the guess g.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, isfinite, sqrt

import numpy as np
from scipy.special import stdtrit

from quorate._typing import Array
from quorate.estimating.derivatives import ByClass, Derivative
from quorate.estimating.guess import Guess

PRIOR_ITEMS = 5.0
"""Items that the variance the chances imply is worth beside the residuals [smyth2004]."""
PULL = 0.05
"""Experts' items that keep a share from 0 and 1."""
ENOUGH = 2.0
"""Expert labels of the rarer class from which the interval of experts alone holds; with one, an AUC's does not."""
ROUNDING = 1e-12
"""What an item does to a share, or to a number as a part of it, that is no more than rounding."""


@dataclass(frozen=True)
class Sample:
    """Which items have an expert's label, what it says, and for how many items each stands."""

    n_items: int
    experts: Array  # items with a label, increasing, (expert,)
    label: Array  # what experts say, (expert, class), adding up to 1
    weight: Array  # items each stands for, (expert,), adding up to n_items
    cluster: Array | None = None  # the cluster of every item, (item,)
    drift: Array | None = None  # what one standard error of the experts' own errors does to labels, (expert, class)
    times: Array | None = None  # how many experts a label is the mean of, (expert,), where it is for a random one's

    @property
    def size(self) -> int:
        """How many items have a label."""
        return len(self.experts)

    @cached_property
    def member(self) -> Array | None:
        """The cluster of every expert's item, counted from 0, ``(expert,)``."""
        return None if self.cluster is None else np.unique(self.cluster[self.experts], return_inverse=True)[1]

    @property
    def n_units(self) -> int:
        """How many items, or clusters of them, were drawn."""
        return self.size if self.member is None else int(self.member.max(initial=0)) + 1

    def add_up(self, values: Array) -> Array:
        """Add up values of experts' items ``(expert,)`` by cluster, ``(unit,)``."""
        return values if self.member is None else np.bincount(self.member, values)


@dataclass(frozen=True)
class MeasuredNumber:
    """A number with its variance, degrees of freedom, and how many items the variance rests on."""

    value: float
    variance: float
    freedom: float
    rests_on: float
    alone: "MeasuredNumber | None" = None  # the same of experts alone, whose interval may be the narrower one
    coins: float = inf  # items a share is taken over, were all the heaviest
    parts: tuple["MeasuredNumber", ...] = ()  # what it is the mean of
    clearly: float = 1.0  # share of the other's width below which its interval counts as narrower


def pseudo_labels(sample: Sample, guess: Guess) -> Array:
    """The guess, corrected where experts spoke, ``(item, class)``; mean over such samples: the true labels."""
    labels = guess.chance.copy(order="K")
    labels[sample.experts] = guess.own + sample.weight[:, None] * (sample.label - guess.own)
    return labels


def measure(
    sample: Sample, guess: Guess, found: Derivative, *, population: bool = False, cell: bool = False
) -> MeasuredNumber:
    """Judge a metric at pseudo-labels: its value and what the choice of the experts' items does to it.

    A ``cell`` of a confusion matrix rests on the items that are called one class; of these alone the chances may miss
    more labels than of all.
    """
    on = {k: np.broadcast_to(slope, sample.n_items) for k, slope in found.slope.items()}
    there = {k: slope[sample.experts] for k, slope in on.items()}
    away = sum((there[k] * (sample.label[:, k] - guess.own[:, k]) for k in there), np.zeros(sample.size))
    residual = sample.size * sample.weight * away
    by_item, surprise = label_variance(on, guess.soft), _surprise(sample, guess)
    if cell:
        surprise = max(surprise, _surprise_here(sample, away, by_item[sample.experts]))
    implied = _implied(sample, by_item) * surprise * _design_effect(sample, residual)
    rests_on = min(_rests_on(sample, residual), _effective(sample.weight * _reach(there, sample)))
    prior = PRIOR_ITEMS * _unlike(sample.weight)
    variance, freedom = _moderate(_seen(sample, residual), implied, rests_on, sample.n_units, prior=prior)
    variance += _drift(sample, there)
    if population:
        variance += _population(sample, found, there, guess, on)
    else:
        variance += _disagreement(sample, {k: sample.weight * slope for k, slope in there.items()})
    return MeasuredNumber(found.value, variance, freedom, rests_on)


def measure_experts(
    sample: Sample, found: Derivative, *, rare: float | None, population: bool = False
) -> MeasuredNumber:
    """Judge a metric of the experts' items alone, of a derivative over them, weighted by what they stand for.

    Where residuals are few, a share varies at least like that of as many coins as items it is taken over, counted as
    if all weighed the most, or of ``rare`` ones, the expert labels of the rarer class.
    """
    residual = sample.size * sample.weight * _influence(found, sample)
    residual = np.where(np.abs(residual) < ROUNDING * max(1.0, abs(found.value)), 0.0, residual)
    coins = inf
    rests_on = _rests_on(sample, residual)
    free = replace(sample, weight=np.full(sample.size, inf))  # drawn from more items than can be counted
    seen = _seen(free if population else sample, residual)
    implied = seen
    if rare is not None:
        coins = max(1.0, min(rare, found.coins()))
        drawn = min(max(found.value, PULL / coins), 1 - PULL / coins)
        implied = (1.0 if population else _left(sample)) * drawn * (1 - drawn) / coins
    variance, freedom = _moderate(seen, implied, rests_on, sample.n_units, prior=1.0)
    variance += _drift(replace(sample, weight=np.ones(sample.size)), found.slope)
    variance += 0.0 if population else _disagreement(sample, found.slope)
    return MeasuredNumber(found.value, variance, freedom, rests_on, coins=coins)


def interval(found: MeasuredNumber, confidence: float, *, bounded: bool, rare: float = inf) -> tuple[float, float]:
    """Wilson's interval with effective size theta (1 - theta) / variance [wilson1927], [korn1998], or Student's.

    ``rare`` are the experts' labels of the rarer class, which keep a share from 0 and 1.
    """
    t = float(stdtrit(max(found.freedom, 1.0), 0.5 + confidence / 2))
    ends = _wilson(found, t, PULL / max(min(rare, found.coins), 1.0)) if bounded else _student(found, t)
    if found.parts:
        ends = _widen(ends, found, confidence, bounded=bounded)
    if found.alone is not None:
        ends = _heed(ends, found.alone, interval(found.alone, confidence, bounded=bounded, rare=rare), rare)
    value, least, most = (min(max(found.value, 0.0), 1.0), 0.0, 1.0) if bounded else (found.value, -inf, inf)
    return max(least, min(ends[0], value)), min(most, max(ends[1], value))


def _widen(
    ends: tuple[float, float], found: MeasuredNumber, confidence: float, *, bounded: bool
) -> tuple[float, float]:
    """Let a mean of shares reach as far as they do by themselves: theta -+ sqrt(sum (theta_k - end_k)²) / K [zou2008].

    Together they hide how little a class with one or two labels shows: all right, or all wrong, seems not to vary.
    """
    reach = np.zeros(2)
    for part in found.parts:
        value = min(max(part.value, 0.0), 1.0)
        reach += (np.array(interval(part, confidence, bounded=bounded)) - value) ** 2
    low, high = np.sqrt(reach) / max(len(found.parts), 1)
    return min(ends[0], found.value - float(low)), max(ends[1], found.value + float(high))


def _student(found: MeasuredNumber, t: float) -> tuple[float, float]:
    """Return theta ± t se."""
    reach = t * sqrt(found.variance)
    return found.value - reach, found.value + reach


def _wilson(found: MeasuredNumber, t: float, edge: float) -> tuple[float, float]:
    """Solve (p - theta)² = t² p (1 - p) / n* for p; in n* theta is kept ``edge`` from 0 and 1."""
    if found.variance <= 0:
        return found.value, found.value
    drawn, value = min(max(found.value, edge), 1 - edge), min(max(found.value, 0.0), 1.0)
    q = t * t * found.variance / max(drawn * (1 - drawn), 1e-12)
    middle = (value + q / 2) / (1 + q)
    reach = sqrt(q * value * (1 - value) + q * q / 4) / (1 + q)
    return middle - reach, middle + reach


def _heed(
    ends: tuple[float, float], alone: MeasuredNumber, others: tuple[float, float], rare: float
) -> tuple[float, float]:
    """Take the interval of experts alone where it is the narrower one, and never rule out what no expert denies.

    Both hold, and the guess can always be left out. If a share were 1, no choice of items could show less; so where
    experts' items show 1, or a difference from which none of them departs, it stays possible.
    """
    if min(rare, alone.coins) >= ENOUGH and 0 < others[1] - others[0] < alone.clearly * (ends[1] - ends[0]):
        return others
    end = float(np.rint(alone.value)) if abs(alone.value - np.rint(alone.value)) < ROUNDING else alone.value
    return (min(ends[0], end), max(ends[1], end)) if end in (0.0, 1.0) or alone.variance == 0 else ends


def _moderate(
    seen: float, implied: float, rests_on: float, size: int, *, prior: float = PRIOR_ITEMS
) -> tuple[float, float]:
    """(k seen + 5 implied) / (k + 5), and its degrees of freedom, k + 5, at most those of the sample."""
    variance = (rests_on * seen + prior * implied) / (rests_on + prior)
    return variance, float(min(rests_on + PRIOR_ITEMS, max(size - 1, 1)))


def _seen(sample: Sample, residual: Array) -> float:
    """Sum over experts' items, or clusters of them, of (1 - 1 / w) (r - mean r)² / (m (m - 1)).

    Of clusters it is what the mean would be without each in turn: one with the share q of the items moves the mean, so
    that its own sum is that of (1 - q) of itself [bell2002]. Labels that are corrected for errors have noise of their
    own, which no finite population takes away.
    """
    m, units = sample.size, sample.n_units
    if units < 2:
        return 0.0
    left = np.ones(m) if sample.drift is not None else np.maximum(1 - 1 / sample.weight, 0.0)
    summed = sample.add_up(np.sqrt(left) * (residual - residual.mean()))
    if sample.member is None:
        return float(summed @ summed) / m**2 * units / (units - 1)
    summed = summed / (1 - sample.add_up(np.ones(m)) / m)
    return float(summed @ summed) / m**2 * (units - 1) / units


def _surprise(sample: Sample, guess: Guess) -> float:
    """How far the chances missed experts' labels, as a share of what they expect; 1 for two classes.

    Several classes have a regression each, with few labels, and together they are less sure than they could be. In a
    group that is unlike the other items the guess may be surer than it should: there it is at least 1.
    """
    two = sample.label.shape[1] == 2
    if two and not guess.of_more:
        return 1.0
    soft = guess.soft[sample.experts]
    missed, expected = ((sample.label - guess.own) ** 2).sum(), (soft * (1 - soft)).sum()
    surprise = float((missed + PRIOR_ITEMS) / (expected + PRIOR_ITEMS))
    return max(surprise, 1.0) if two else surprise


def _surprise_here(sample: Sample, away: Array, by_item: Array) -> float:
    """The same of the labels that count for a metric, by how much they do; the prior's items are typical ones of these.

    ``away`` is how far an expert's label moves the metric from the guess, ``by_item`` its variance under the guess.
    """
    missed, expected = (sample.weight * away) ** 2, sample.weight**2 * by_item
    total = float(expected.sum())
    if not total > 0:
        return 1.0
    typical = PRIOR_ITEMS * float(expected @ expected) / total
    return (float(missed.sum()) + typical) / (total + typical)


def _unlike(weight: Array) -> float:
    """How many labels with these weights tell as much as one of weights that are alike: m sum w² / (sum w)² [kish1965].

    What the heaviest items hide is not seen, but the chances tell of it.
    """
    return float(len(weight) * (weight @ weight) / weight.sum() ** 2)


def _rests_on(sample: Sample, residual: Array) -> float:
    return _effective(sample.add_up(residual - residual.mean()))


def _design_effect(sample: Sample, residual: Array) -> float:
    """How many times the variance is that of items drawn one by one; at least 1."""
    if sample.cluster is None:
        return 1.0
    plain = _seen(replace(sample, cluster=None), residual)
    return max(_seen(sample, residual) / plain, 1.0) if plain > 0 else 1.0


def _drift(sample: Sample, slope: ByClass) -> float:
    """Variance from not knowing how often experts err."""
    if sample.drift is None:
        return 0.0
    return sum(float((sample.weight * slope[k]) @ sample.drift[:, k]) for k in slope) ** 2


def _disagreement(sample: Sample, reach: ByClass) -> float:
    """Variance that stays though an item is labelled: another expert may say otherwise.

    The c labels of an item tell that of one, c / (c - 1) times that of their shares; an item with a single label has
    the mean of the others. The sum is that over items of it / (c w), which 1 - 1 / w leaves out of what is seen.
    """
    if sample.times is None or not (sample.times > 1).any():
        return 0.0
    several = sample.times > 1
    reach = {k: np.broadcast_to(each, sample.size) for k, each in reach.items()}
    one = label_variance(reach, sample.label) * sample.times / np.maximum(sample.times - 1, 1)
    one = np.where(several, one, one[several].mean())
    return float((one / (sample.times * sample.weight)).sum())


def _left(sample: Sample) -> float:
    """Share of the items that experts have not seen."""
    return max(0.0, 1 - sample.size / sample.n_items)


def _implied(sample: Sample, by_item: Array) -> float:
    """What the chances say of the variance: (n/m - 1) sum_i D_i² s_i (1 - s_i), or that sum over weighted experts."""
    w = sample.weight
    if np.ptp(w) < 1e-9 * w.max():
        return float((sample.n_items / sample.size - 1) * by_item.sum())
    return float((w * np.maximum(w - 1, 0.0)) @ by_item[sample.experts])


def label_variance(slope: ByClass, chance: Array) -> Array:
    """Variance of sum_k D_ik Y_ik for a label drawn from the chances, ``(item,)``."""
    if len(slope) == 1:
        ((k, only),) = slope.items()
        part = only * chance[:, k]
        return np.asarray(np.maximum(part * (only - part), 0.0))
    mean, square = np.zeros((2, len(chance)))
    for k in slope:
        part = slope[k] * chance[:, k]
        mean += part
        square += slope[k] * part
    return np.maximum(square - mean**2, 0.0)


def _reach(slope: ByClass, sample: Sample) -> Array:
    """How far a label can move the metric, ``(expert,)``; classes it does not read move it by nothing."""
    every = [
        *slope.values(),
        *([np.zeros(sample.size)] if len(slope) < sample.label.shape[1] else []),
    ]
    return np.asarray(np.ptp(np.stack(every), axis=0))


def _effective(values: Array) -> float:
    """(sum a²)² / sum a⁴: as many items as count alike."""
    square = values**2
    top = float(square.max(initial=0.0))
    if not top > 0 or not isfinite(top):
        return 0.0
    square = square / top
    return float(square.sum() ** 2 / (square**2).sum())


def _influence(found: Derivative, sample: Sample) -> Array:
    """D theta / d w_i on experts' items that are all items, ``(expert,)``."""
    weight = np.maximum(sample.weight, 1e-12)
    moved = sum((found.slope[k] / weight * sample.label[:, k] for k in found.slope), np.zeros(sample.size))
    return np.asarray(np.broadcast_to(found.base, sample.size) + moved)


def _population(sample: Sample, found: Derivative, there: ByClass, guess: Guess, on: ByClass) -> float:
    """Variance of the items being drawn themselves: Var(psi) / n, psi the influence of an item."""
    base = np.broadcast_to(found.base, sample.n_items)
    if sample.cluster is None:
        psi = base[sample.experts] + sum((there[k] * sample.label[:, k] for k in there), np.zeros(sample.size))
        mean = float(sample.weight @ psi) / sample.n_items
        return float(sample.weight @ (psi - mean) ** 2) * max(sample.size, 2) / max(sample.size - 1, 1)
    psi = base + sum((on[k] * guess.chance[:, k] for k in on), np.zeros(sample.n_items))
    _, member = np.unique(sample.cluster, return_inverse=True)
    summed = np.bincount(member, psi - psi.mean())
    residual = sum((there[k] * (sample.label[:, k] - guess.own[:, k]) for k in there), np.zeros(sample.size))
    effect = _design_effect(sample, residual)
    n = len(summed)
    return float(summed @ summed) * n / max(n - 1, 1) + effect * float(label_variance(on, guess.soft).sum())
