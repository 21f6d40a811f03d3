"""Metrics as smooth functions of labels: each value with its derivatives, written once for one class or twenty.

A metric reads labels Y ``(item, class)``, shares that add up to 1, and how much each item counts. Most are
ratios of sums, theta = sum w (a Y) / sum w (b Y + c), whose derivative by Y is w (a - theta b) / sum and by
w is (a Y - theta (b Y + c)) / sum: what experts' labels correct, and what an item more or less would do.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import inf, sqrt
from typing import TypeAlias

import numpy as np

from quorate._typing import Array
from quorate.estimating.score_ranks import ScoreRanks

ByClass: TypeAlias = Mapping[int, Array]
"""A number per item for some classes, ``(item,)`` each; nothing for the others."""
REACH = 0.15
"""Recalls on either side over which a precision–recall curve's slope is taken: shorter chords follow the noise."""
STEP = 0.5
"""Share of the positives that makes a step in a ROC."""
REACHES = np.array([0.05, 0.1, REACH])
"""False-positive rates on either side over which a ROC's slope is taken, the steepest: long chords flatten a bend."""
NEAREST = 0.01
"""The shortest of them: where many labels tell the rate well, the slope within its error is what counts."""


@dataclass(frozen=True)
class Derivative:
    """A metric's value, its slopes by the labels of each class, and by an item's weight were its label nothing."""

    value: float
    slope: ByClass  # d theta / d Y_ik, (item,) by class
    base: Array  # d theta / d w_i = base_i + sum_k slope_ik Y_ik / w_i, (item,)
    coins: Callable[[], float] = field(default=lambda: inf)  # items a share is taken over, were all the heaviest


@dataclass(frozen=True)
class Labels:
    """Labels of items, ``(item, class)``, and how much each item counts, ``(item,)``."""

    share: Array
    weight: Array
    _counted: dict[int, Array] = field(default_factory=dict, init=False, repr=False)

    def of(self, label: int) -> Array:
        """How far each item is of one class, ``(item,)``."""
        return np.asarray(self.share[:, label])

    def total(self, label: int, values: Array) -> float:
        """Sum over items of w Y times a value, ``(item,)`` or one for all."""
        if label not in self._counted:
            self._counted[label] = self.weight * self.of(label)
        counted = self._counted[label]
        return float(counted.sum() * values[0] if len(values) == 1 else counted @ values)


def ratio(labels: Labels, part: ByClass, whole: ByClass, fixed: Array | float = 0.0) -> Derivative:
    """Return sum w (part Y) / sum w (whole Y + fixed)."""
    w = labels.weight
    top = sum(labels.total(k, a) for k, a in part.items())
    below = sum(labels.total(k, b) for k, b in whole.items()) + float(np.sum(w * fixed))
    if not below > 0:
        return Derivative(np.nan, {}, np.zeros(len(w)))
    value = top / below
    slope = {k: w * (part.get(k, 0.0) - value * whole.get(k, 0.0)) / below for k in {*part, *whole}}
    base = np.broadcast_to(-value * np.asarray(fixed) / below, w.shape)
    return Derivative(value, slope, base, lambda: _coins(labels, whole, fixed))


def combine(parts: list[tuple[float, Derivative]], constant: float = 0.0) -> Derivative:
    """Add up metrics, each times a number."""
    classes = {k for _, part in parts for k in part.slope}
    slope = {k: sum((c * part.slope[k] for c, part in parts if k in part.slope), np.zeros(1)) for k in classes}
    value = constant + sum(c * part.value for c, part in parts)
    base = sum((c * part.base for c, part in parts), np.zeros(1))
    return Derivative(value, slope, base, lambda: 1 / max(sum(c * c / part.coins() for c, part in parts), 1e-300))


def share_of(labels: Labels, label: int) -> Derivative:
    """Share of items of a class."""
    return ratio(labels, {label: np.ones(1)}, {}, 1.0)


def mean_of(labels: Labels, values: ByClass) -> Derivative:
    """Mean over items of a value that depends on the label."""
    return ratio(labels, values, {}, 1.0)


def recall(labels: Labels, called: Array, label: int) -> Derivative:
    """Share of the items of a class that are called so."""
    return ratio(labels, {label: called}, {label: np.ones(1)})


def precision(labels: Labels, called: Array, label: int) -> Derivative:
    """Share of those called so that are of the class."""
    return ratio(labels, {label: called}, {}, called)


def f1(labels: Labels, called: Array, label: int) -> Derivative:
    """Harmonic mean of precision and recall, 2 TP / (called + there)."""
    return ratio(labels, {label: 2 * called}, {label: np.ones(1)}, called)


def area(labels: Labels, ranks: ScoreRanks, label: int) -> Derivative:
    """Chance that an item of the class outranks one of another, ties half: sums over pairs of different items."""
    w, y = labels.weight, labels.of(label)
    there, other = w * y, w * (1 - y)
    n1, n0 = float(there.sum()), float(other.sum())
    low, high = ranks.total(other), ranks.total(there)
    beaten = (np.cumsum(low) - low / 2)[ranks.level] - other / 2
    beating = (n1 - np.cumsum(high) + high / 2)[ranks.level] - there / 2
    pairs = n1 * n0 - float(there @ other)
    if not pairs > 0:
        return Derivative(np.nan, {}, np.zeros(len(w)))
    value = float(there @ beaten) / pairs
    base = (beating - value * (n1 - there)) / pairs
    slope = {label: w * ((beaten - value * (n0 - other)) / pairs - base)}
    return Derivative(value, slope, base, lambda: min(n1, n0) / max(float(w.max()), 1e-300))


def lead(
    labels: Labels, ranks: ScoreRanks, voters: tuple[Labels, Array, Array], label: int, blur: float = 0.0
) -> Derivative:
    """TPR of a system where its TNR is the voters', less the voters' TPR [maven, sec. 4.1].

    ``voters`` are the labels where someone voted, with the shares of votes for this class and the other; ``blur`` is
    how little a false-positive rate can differ and be told.
    """
    voted, chosen, other = voters
    hit, kept = recall(voted, chosen, label), recall(voted, other, 1 - label)
    rate = _top_of_step(labels, ranks, 1 - kept.value, label, blur)
    at, slope, called = roc_point(labels, ranks, rate, label, near=_doubt(rate, blur))
    own = recall(labels, called, label), recall(labels, called, 1 - label)
    parts = [(1.0, own[0]), (-slope, own[1]), (-slope, kept), (-1.0, hit)]
    return _at(at - hit.value, combine(parts))


def _doubt(rate: float, blur: float) -> float:
    """Standard error of a false-positive rate from as many labels as half of one is ``blur`` of; not below 0.01."""
    rate = min(max(rate, 0.0), 1.0)
    return max(NEAREST, sqrt(2 * blur * rate * (1 - rate)))


def _top_of_step(labels: Labels, ranks: ScoreRanks, rate: float, label: int, blur: float) -> float:
    """Move a false-positive rate to the top of a step it cannot be told from, if most positives are on it."""
    hits, alarms = climb(labels, ranks, label)
    foot, top = np.interp([rate, rate + blur], alarms, hits)
    return rate + blur if top - foot > STEP else rate


def roc_at(labels: Labels, ranks: ScoreRanks, rate: float, label: int) -> Derivative:
    """TPR at a false-positive rate: that of TPR(t) - slope (FPR(t) - rate) at the threshold t."""
    at, slope, called = roc_point(labels, ranks, rate, label)
    return _at(
        at,
        combine([(1.0, recall(labels, called, label)), (-slope, recall(labels, called, 1 - label))]),
    )


def precision_at(labels: Labels, ranks: ScoreRanks, rate: float, label: int) -> Derivative:
    """Precision at a recall, in the same way."""
    hits, alarms = climb(labels, ranks, label)
    n1 = float(labels.weight @ labels.of(label))
    n0 = float(labels.weight.sum()) - n1
    j, share = _between(hits, rate)
    called = _called(ranks, j, share)
    found = precision(labels, called, label)
    ends = [float(np.interp(x, hits, alarms)) for x in (max(rate - REACH, 0.01), min(rate + REACH, 1.0))]
    sides = [
        x * n1 / max(x * n1 + a * n0, 1e-12)
        for x, a in zip((max(rate - REACH, 0.01), min(rate + REACH, 1.0)), ends, strict=True)
    ]
    slope = (sides[1] - sides[0]) / (min(rate + REACH, 1.0) - max(rate - REACH, 0.01))
    return _at(found.value, combine([(1.0, found), (-slope, recall(labels, called, label))]))


def roc_point(
    labels: Labels, ranks: ScoreRanks, rate: float, label: int, near: float = inf
) -> tuple[float, float, Array]:
    """TPR at a false-positive rate, the ROC's slope around it, and who is called positive there, in shares.

    The slope is the steepest of chords over some reaches, and over one that is ``near`` if that is shorter.
    """
    hits, alarms = climb(labels, ranks, label)
    rate = min(max(rate, 0.0), 1.0)  # pseudo-labels may put voters beyond
    j, share = _between(alarms, rate)
    last = min(j + 1, len(hits) - 1)
    value = float(hits[j] + share * (hits[last] - hits[j]))
    reaches = np.append(REACHES, min(near, REACHES[0]))
    ends = np.clip(rate + reaches[:, None] * [-1, 1], 0.0, 1.0)
    slope = float((np.diff(np.interp(ends, alarms, hits)) / np.diff(ends)).max())
    return value, slope, _called(ranks, j, share)


def climb(labels: Labels, ranks: ScoreRanks, label: int) -> tuple[Array, Array]:
    """TPR and FPR from calling nobody to calling all, ``(level + 1,)``, made to climb where pseudo-labels do not.

    Labels beyond [0, 1] let the sums fall back; the mean of the running maximum and minimum does not.
    """
    w, y = labels.weight, labels.of(label)
    return _rise(ranks.total(w * y)), _rise(ranks.total(w * (1 - y)))


def _rise(by_level: Array) -> Array:
    path = np.concatenate([[0.0], np.cumsum(by_level[::-1])])
    path = path / path[-1] if path[-1] > 0 else np.linspace(0.0, 1.0, len(path))
    most, least = np.maximum.accumulate(path), np.minimum.accumulate(path[::-1])[::-1]
    return np.clip((most + least) / 2, 0.0, 1.0)


def _between(path: Array, at: float) -> tuple[int, float]:
    """The last step of a climb at or below a rate, and how far to go on to the next."""
    j = int(np.clip(np.searchsorted(path, at, side="right") - 1, 0, len(path) - 1))
    if j == len(path) - 1:
        return j, 0.0
    return j, float(np.clip((at - path[j]) / max(path[j + 1] - path[j], 1e-12), 0.0, 1.0))


def _called(ranks: ScoreRanks, j: int, share: float) -> Array:
    """1 for the items of the highest ``j`` levels, ``share`` for those of the next, ``(item,)``."""
    rest = len(ranks.score) - j
    steps = np.concatenate([np.zeros(max(rest - 1, 0)), np.full(min(rest, 1), share), np.ones(j)])
    return np.asarray(steps[ranks.level])


def _at(value: float, found: Derivative) -> Derivative:
    return replace(found, value=value)


def _coins(labels: Labels, whole: ByClass, fixed: Array | float) -> float:
    """As many items as there would be if each counted as much as the one that can count most, whatever its label.

    An item of that kind may be what was not seen: the others do not tell what it would change.
    """
    counted = sum((b * labels.of(k) for k, b in whole.items()), fixed)
    most = fixed + max((b for b in whole.values()), key=np.max, default=np.zeros(1))
    w = labels.weight
    return float(np.sum(w * counted) / max(float(np.max(w * most)), 1e-300))
