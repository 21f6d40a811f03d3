"""Two systems on the same items: the differences, and all else a test may ask for."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from quorate._typing import Array
from quorate.data.summaries import Summary
from quorate.inference.influence import SetForm, answer_values, contest_values, item_values, set_form
from quorate.metrics.contests import wins_and_losses
from quorate.metrics.metric import Metric, oriented, settle


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

    `asked` is the metric as it was asked for, before all systems settled what it subtracts.
    """

    asked: Metric
    metric: Metric
    raters: Summary | None
    systems: Sequence[Summary]
    scores: list[Array]
    values: list[Array]

    def pair(self, a: int, b: int) -> ScoredPair:
        """Return the contest of two systems, by position."""
        metric, reference = self.metric, self.raters if self.raters is not None else self.systems[a]
        both = self.systems[a], self.systems[b]
        if metric.contest_of is not None:
            won_and_lost = wins_and_losses(metric.contest_of, self.raters, *both)
            values_a, values_b = won_and_lost[..., 0], won_and_lost[..., 1]
            score_a, score_b, differences = values_a.mean(-1), values_b.mean(-1), values_a - values_b
        else:
            values_a, values_b, score_a, score_b = self.values[a], self.values[b], self.scores[a], self.scores[b]
            differences = oriented(metric, values_a, values_b, reference)
        form = None if metric.level == "item" else set_form(metric, self.raters, both)
        return ScoredPair(metric, score_a, score_b, values_a, values_b, differences, form, self.raters, *both)

    @cached_property
    def answer_values(self) -> list[Array]:
        """For each system the value of every answer the raters gave, ``(..., item, place)``."""
        if self.raters is None:
            return [answer_values(self.metric, system, [system])[0] for system in self.systems]
        return answer_values(self.metric, self.raters, self.systems)

    def answer_differences(self, a: int, b: int) -> Array:
        """Return what every answer says of A minus B, positive for A, ``(..., item, place)``."""
        assert self.raters is not None
        if self.metric.contest_of is not None:
            return contest_values(self.metric, self.raters, self.systems[a], self.systems[b])
        return oriented(self.metric, self.answer_values[a], self.answer_values[b], self.raters)

    def take(self, items: Array) -> "ScoredSystems":
        """Return the same contest on some items; scores of the whole set are computed anew."""
        raters = None if self.raters is None else self.raters.take(items)
        systems = [system.take(items) for system in self.systems]
        if self.metric.level == "set":
            return score_systems(self.asked, raters, systems)
        values = [each[..., items] for each in self.values]
        return ScoredSystems(self.asked, self.metric, raters, systems, [each.mean(-1) for each in values], values)


def score_systems(metric: Metric, raters: Summary | None, systems: Sequence[Summary]) -> ScoredSystems:
    """Score every system on the same terms."""
    settled = settle(metric, raters, systems)
    scores, values = zip(*item_values(settled, raters, systems), strict=True)
    return ScoredSystems(metric, settled, raters, systems, list(scores), list(values))
