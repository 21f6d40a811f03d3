"""Two systems on the same items: the differences, and all else a test may ask for."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array
from quorate.data.ratings import row_slices
from quorate.data.summaries import Counts, Means, Summary
from quorate.inference.influence import SetForm, answer_values, contest_values, item_values, set_form
from quorate.metrics.contests import wins_and_losses
from quorate.metrics.metric import Metric, oriented, settle

if TYPE_CHECKING:
    from quorate.inference.strengths import Strengths


ITEMS, EVERY = 1 << 17, slice(None)
"""Items scored together, of very many."""


@dataclass(frozen=True)
class ScoredPair:
    """System A against system B.

    Parameters
    ----------
    score_a, score_b
        The scores of the whole set, ``(...)``.
    values_a, values_b
        Values per item whose means are the scores, ``(..., item)``.
    differences
        Item differences, positive where A is better, ``(..., item)``; their mean is the difference
        of the systems.
    form
        For scores of the whole set: the score taken apart.
    """

    metric: Metric
    score_a: Array
    score_b: Array
    values_a: Array
    values_b: Array
    differences: Array
    form: SetForm | None
    raters: Summary | None
    a: Summary
    b: Summary

    def study(self, index: int) -> "ScoredPair":
        """Return one data set of many, by its position on the first axis."""
        return ScoredPair(
            self.metric,
            self.score_a[index],
            self.score_b[index],
            self.values_a[index],
            self.values_b[index],
            self.differences[index],
            None if self.form is None else self.form.study(index),
            None if self.raters is None else self.raters.take(index),
            self.a.take(index),
            self.b.take(index),
        )


@dataclass(frozen=True)
class ScoredSystems:
    """All systems of a comparison scored once, on the same terms; `pair` picks two of them.

    `asked` is the metric as it was asked for, before all systems settled what it subtracts. Where every item has one
    system only, `items` are those of each, ``(item,)``, and its values are on them. Where systems were compared by
    votes, `strengths` are what those say of all of them at once. More items than `at_once` are looked at in pieces.
    """

    asked: Metric
    metric: Metric
    raters: Summary | None
    systems: Sequence[Summary]
    scores: list[Array]
    values: list[Array]
    items: Sequence[Array] | None = None
    strengths: "Strengths | None" = None
    at_once: int = ITEMS

    def pair(self, a: int, b: int) -> ScoredPair:
        """Return the contest of two systems, by position."""
        metric, reference = self.metric, self.raters if self.raters is not None else self.systems[a]
        both = self.systems[a], self.systems[b]
        if self.items is not None:
            scores, values = (self.scores[a], self.scores[b]), (self.values[a], self.values[b])
            return ScoredPair(metric, *scores, *values, self._apart(a, b), None, self.raters, *both)
        if metric.contest_of is not None:
            won_and_lost = wins_and_losses(metric.contest_of, self.raters, *both)
            values_a, values_b = won_and_lost[..., 0], won_and_lost[..., 1]
            score_a, score_b, differences = values_a.mean(-1), values_b.mean(-1), values_a - values_b
        else:
            values_a, values_b, score_a, score_b = self.values[a], self.values[b], self.scores[a], self.scores[b]
            differences = oriented(metric, values_a, values_b, reference)
        form = None if metric.level == "item" else set_form(metric, self.raters, both)
        return ScoredPair(metric, score_a, score_b, values_a, values_b, differences, form, self.raters, *both)

    def _apart(self, a: int, b: int) -> Array:
        """Return numbers whose mean is A minus B where no item has both, ``(item,)``: what each item adds to it."""
        assert self.items is not None
        n_items = sum(map(len, self.items))
        sign = 1.0 if self.metric.better == "high" else -1.0
        difference = np.full(n_items, sign * float(self.scores[a] - self.scores[b]))
        for side, k in ((sign, a), (-sign, b)):
            moved = self.values[k] - self.values[k].mean()
            difference[self.items[k]] += side * n_items * moved / len(moved)
        return difference

    @cached_property
    def answer_values(self) -> list[Array]:
        """For each system the value of every answer the raters gave, ``(..., item, place)``."""
        if self.items is not None:
            parts = _split_parts(self.raters, self.systems, self.items)
            return [
                answer_values(self.metric, system if raters is None else raters, [system])[0]
                for raters, system in parts
            ]
        if self.raters is None:
            return [answer_values(self.metric, system, [system])[0] for system in self.systems]
        return answer_values(self.metric, self.raters, self.systems)

    def answer_differences(self, a: int, b: int, items: slice = EVERY) -> Array:
        """Return what every answer says of A minus B, positive for A, ``(..., item, place)``."""
        assert self.raters is not None
        if self.metric.contest_of is not None:
            return contest_values(self.metric, self.raters, self.systems[a], self.systems[b])[..., items, :]
        of_a, of_b = (self.answer_values[k][..., items, :] for k in (a, b))
        return oriented(self.metric, of_a, of_b, self.raters)

    def differences_on(self, a: int, b: int, items: slice) -> Array:
        """Return the same of consecutive items; of very many, others are not looked at."""
        if self.in_pieces:
            return self._piece(items).answer_differences(a, b)
        return self.answer_differences(a, b, items)

    def values_on(self, system: int, items: slice) -> Array:
        """Return the value of every answer to consecutive items for a system; of very many, only theirs are made."""
        if self.in_pieces:
            return self._piece(items, system).answer_values[0 if self.metric.comparable == "any" else system]
        return self.answer_values[system][..., items, :]

    @property
    def in_pieces(self) -> bool:
        """Whether items are very many and each is scored by itself."""
        return _is_long(self.metric, self.raters, self.at_once) and self.items is None

    def _piece(self, items: slice, alone: int | None = None) -> "ScoredSystems":
        """Return consecutive items; if only one system is asked for, and others do not matter to it, with that one."""
        assert self.raters is not None
        told = self.systems if alone is None or self.metric.comparable != "any" else [self.systems[alone]]
        systems = [system.take(items) for system in told]
        return ScoredSystems(self.asked, self.metric, self.raters.take(items), systems, self.scores, [])

    def take(self, items: Array) -> "ScoredSystems":
        """Return the same contest on some items; scores of the whole set are computed anew."""
        raters = None if self.raters is None else self.raters.take(items)
        systems = [system.take(items) for system in self.systems]
        if self.strengths is not None:
            return score_strengths(self.asked, self.strengths.of(items))
        if self.items is not None:
            return score_split(self.asked, raters, systems, [np.flatnonzero(np.isin(items, own)) for own in self.items])
        if self.metric.level == "set":
            return score_systems(self.asked, raters, systems)
        values = [each[..., items] for each in self.values]
        return ScoredSystems(self.asked, self.metric, raters, systems, [each.mean(-1) for each in values], values)


def score_systems(
    metric: Metric, raters: Summary | None, systems: Sequence[Summary], at_once: int = ITEMS
) -> ScoredSystems:
    """Score every system on the same terms."""
    settled = settle(metric, raters, systems)
    if _is_long(settled, raters, at_once):
        values = _values_in_pieces(settled, raters, systems, at_once)
        scores = [each.mean(-1) for each in values]
    else:
        scores, values = map(list, zip(*item_values(settled, raters, systems), strict=True))
    return ScoredSystems(metric, settled, raters, systems, scores, values, at_once=at_once)


def _is_long(metric: Metric, raters: Summary | None, at_once: int) -> bool:
    """Tell whether items of one study are very many, counted by category, and each scored by itself."""
    if not isinstance(raters, Counts) or metric.base.level != "item":
        return False
    return raters.counts.ndim == 2 and len(raters.counts) > at_once


def _values_in_pieces(metric: Metric, raters: Summary | None, systems: Sequence[Summary], at_once: int) -> list[Array]:
    """Score items some at a time, so that no shares of all of them are held."""
    assert isinstance(raters, Counts)
    n_items = len(raters.counts)
    values = [np.empty(n_items) for _ in systems]
    for items in row_slices(n_items, at_once):
        part = [system.take(items) for system in systems]
        for whole, (_, some) in zip(values, item_values(metric, raters.take(items), part), strict=True):
            whole[items] = some
    return values


def score_strengths(metric: Metric, strengths: "Strengths") -> ScoredSystems:
    """Score systems by their strengths in votes between them."""
    values = strengths.item_values()
    systems = [Means(each, np.ones(len(each))) for each in values]
    return ScoredSystems(metric, metric, None, systems, list(strengths.strength), values, strengths=strengths)


def score_split(
    metric: Metric, raters: Summary | None, systems: Sequence[Summary], items: Sequence[Array]
) -> ScoredSystems:
    """Score every system on its own items, where no item has two."""
    if metric.contest_of is not None or metric.comparable != "any":
        raise InputError(
            f"{metric.name} compares systems item by item, and here each item has one; use another metric."
        )
    if min(map(len, items)) < 2:
        raise InputError("Each item has one system, and one of them has a single item; comparing takes at least two.")
    parts = list(_split_parts(raters, systems, items))
    settled = metric if metric.settle_for is None else metric.settle_for(metric, [system for _, system in parts])
    settled = replace(settled, settle_for=None)  # by all systems, not anew by each
    scores, values = zip(*(item_values(settled, theirs, [system])[0] for theirs, system in parts), strict=True)
    return ScoredSystems(metric, settled, raters, systems, list(scores), list(values), items)


def _split_parts(
    raters: Summary | None, systems: Sequence[Summary], items: Sequence[Array]
) -> Iterator[tuple[Summary | None, Summary]]:
    """Yield the raters' answers and the system's on each system's items."""
    for system, own in zip(systems, items, strict=True):
        yield (None if raters is None else raters.take(own)), system.take(own)
