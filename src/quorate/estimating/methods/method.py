"""What a method of `estimate` is: from a study to rows of estimates, each a number with its interval."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from quorate._typing import Array
from quorate.estimating.label_metrics import LabelDraws, LabelMetric, UserFunction
from quorate.estimating.study import Study


@dataclass(frozen=True)
class Estimate:
    """One number with its interval; ``system`` is None for votes and experts alone, "A - B" for a difference."""

    system: str | None
    metric: str
    method: str
    value: float | None
    low: float | None
    high: float | None
    rests_on: int | None = None  # items the interval rests on, where it comes from their choice

    @property
    def width(self) -> float | None:
        """Full width of the interval."""
        return None if self.low is None or self.high is None else self.high - self.low


@dataclass(frozen=True)
class Judgement:
    """What one method makes of one system: draws, and the plain labels if the point estimate is not the draws' mean."""

    draws: LabelDraws
    plain: LabelDraws | None = None


class Method(ABC):
    """A way to estimate; ``models_votes`` if it rests on MAVEN's vote model, whose fit is then to be checked.

    ``many_classes`` if it takes more than a positive and a negative one.
    """

    name: str
    models_votes: bool = False
    many_classes: bool = False

    def judge(self, study: Study, system: str | None) -> Judgement | None:
        """The labels a system is judged by; None if the method has none."""
        return None

    @abstractmethod
    def estimates(
        self,
        study: Study,
        metric: LabelMetric,
        judgements: dict[str | None, Judgement],
        confidence: float,
    ) -> Iterator[Estimate]:
        """A metric of every system, or of every pair; nothing where the method does not give it."""


class LabelMethod(Method):
    """A method that draws labels, as most do: a metric's interval is that of its values over the draws."""

    tells_pairs: bool = True  # whether intervals of differences between systems are worth showing

    @abstractmethod
    def judge(self, study: Study, system: str | None) -> Judgement:
        """Impute or take the labels a system is judged by."""

    def evaluate(self, study: Study, system: str | None, function: UserFunction) -> tuple[Array, float | None] | None:
        """A user's function on every draw's labels, and on the plain labels; None if these cannot be had by item."""
        return None

    def estimates(
        self,
        study: Study,
        metric: LabelMetric,
        judgements: dict[str | None, Judgement],
        confidence: float,
    ) -> Iterator[Estimate]:
        """Summarise a metric over the draws of every system, or the difference of two systems, draw by draw."""
        if metric.measure is None and metric.function is None:
            return
        if metric.pairwise:
            for a, b in combinations(judgements, 2):
                (first, plain), (second, other) = (_values(metric, judgements[each]) for each in (a, b))
                gap = None if plain is None or other is None else plain - other
                row = self._row(f"{a} - {b}", metric, first - second, gap, confidence)
                yield row if self.tells_pairs else replace(row, low=None, high=None)
            return
        for system, judgement in judgements.items():
            if metric.function is None:
                yield self._row(system, metric, *_values(metric, judgement), confidence)
            elif (values := self.evaluate(study, system, metric.function)) is not None:
                yield self._row(system, metric, *values, confidence)

    def _row(
        self,
        system: str | None,
        metric: LabelMetric,
        values: Array,
        plain: float | None,
        confidence: float,
    ) -> Estimate:
        return Estimate(system, metric.name, self.name, *_summarise(values, plain, confidence))


def equal_tails(values: Array, confidence: float) -> Array:
    """Equal-tailed interval of draws ``(draw, ...)``, as ``(2, ...)``: a new draw falls inside with that chance.

    The j-th of B sorted draws leaves j / (B + 1) below it; interpolating as usual would leave a
    little more.
    """
    ends: Array = np.nanquantile(values, [0.5 - confidence / 2, 0.5 + confidence / 2], axis=0, method="weibull")
    return ends


def _values(metric: LabelMetric, judgement: Judgement) -> tuple[Array, float | None]:
    return metric(judgement.draws), None if judgement.plain is None else float(metric(judgement.plain)[0])


def _summarise(
    values: Array, plain: float | None, confidence: float
) -> tuple[float | None, float | None, float | None]:
    """Point estimate and equal-tailed interval of draws; nothing if more than one draw in a hundred is undefined."""
    defined = values[~np.isnan(values)]
    if len(defined) < 0.99 * len(values) or (plain is not None and np.isnan(plain)):
        return None, None, None
    low, high = equal_tails(defined, confidence)
    return (
        float(defined.mean()) if plain is None else plain,
        round(float(low), 12),
        round(float(high), 12),
    )
