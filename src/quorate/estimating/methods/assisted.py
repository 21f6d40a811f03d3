"""Assisted estimates: a guess of every label, corrected where experts spoke; and experts' items alone (gt).

Both take their intervals from the random choice of the experts' items, so they hold whatever the crowd
[sarndal1992], [robins1994], [angelopoulos2024].
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from quorate._random import generator
from quorate._typing import Array
from quorate.estimating.assistance import Assistance
from quorate.estimating.derivatives import Derivative, Labels, combine
from quorate.estimating.intervals import MeasuredNumber, Sample, interval, measure, measure_experts
from quorate.estimating.label_metrics import LabelMetric, UserFunction, class_metrics
from quorate.estimating.methods.method import Estimate, Judgement, Method
from quorate.estimating.study import Study

BLOCKS, FLIPS, DRAWS = (
    100,
    5,
    40,
)  # of a user's function: blocks of neighbouring scores, labels turned in each, draws
SUBSETS, LEFT_OUT = 200, 0.25  # of experts' items or clusters: how often some are left out, and which share of them
FEWEST_SUBSETS = 20  # with every class, or there is no interval
MANY = 10.0  # items from which Student's interval of a mean of experts' items holds, whatever the numbers
SOME, OTHERS, CLEARLY = 5.0, 20.0, 0.7
"""Labels of a class, and of the others, from which experts alone tell a difference (with 5 to 15 negatives, whose place
on a ROC is a guess, they covered 0.77 to 0.91), and the share of the assisted width below which their interval is
taken: to choose between two that are nearly alike costs coverage and gains nothing."""

Measure = Callable[[Assistance, LabelMetric, tuple[str, ...], bool], MeasuredNumber]


@dataclass(frozen=True)
class SampledEstimates(Method):
    """Estimates that rest on the choice of the experts' items: of a corrected guess, or of these items ``alone``."""

    name: str
    alone: bool = False
    many_classes = True

    def estimates(
        self,
        study: Study,
        metric: LabelMetric,
        judgements: dict[str | None, Judgement],
        confidence: float,
    ) -> Iterator[Estimate]:
        """A metric of every system, or of every pair of systems."""
        for systems in _judged(study, metric):
            measured = self._measure(study, metric, systems)
            yield _row(self.name, metric, systems, measured, study.assistance, confidence)

    def _measure(self, study: Study, metric: LabelMetric, systems: tuple[str, ...]) -> MeasuredNumber:
        if metric.function is not None:
            alone = _function_of_experts(study, metric.function, systems[0])
            return alone if self.alone else _function(study, metric.function, systems[0], alone)
        measure = measure_alone if self.alone else measure_assisted
        return measure(study.assistance, metric, systems, population=study.population)


def _known(
    work_out: Measure, items: Assistance, metric: LabelMetric, systems: tuple[str, ...], population: bool
) -> MeasuredNumber:
    """Return what was measured before, or measure it now; of voters it is the same for all systems with one guess."""
    one = metric.needs_scores or metric.pairwise or not items.one_guess
    key = work_out.__name__, metric.name, systems if one else ("",), population
    if key not in items.measured:
        items.measured[key] = work_out(items, metric, systems, population)
    return items.measured[key]


def measure_assisted(
    items: Assistance, metric: LabelMetric, systems: tuple[str, ...], *, population: bool = False
) -> MeasuredNumber:
    """Judge a metric at the guess corrected by the experts."""
    return _known(_measure_assisted, items, metric, systems, population)


def _measure_assisted(
    items: Assistance, metric: LabelMetric, systems: tuple[str, ...], population: bool
) -> MeasuredNumber:
    found = derive_metric(metric, items, systems, items.pseudo(systems))
    cell = metric.about == "confusion"
    measured = measure(items.sample, items.guess(systems), found, population=population, cell=cell)
    measured = _with_classes(measured, measure_assisted, items, metric, systems, population)
    alone = measure_alone(items, metric, systems, population=population)
    if metric.scale == "difference":
        clearly = 1.0 if items.guess(systems).of_more else CLEARLY
        return replace(measured, alone=_cautious(alone, items.sample, metric, clearly))
    return replace(measured, alone=alone) if metric.bounded or alone.rests_on >= MANY else measured


def _cautious(
    alone: MeasuredNumber, sample: Sample, metric: LabelMetric, clearly: float = CLEARLY
) -> MeasuredNumber | None:
    """A difference on experts' items alone, with degrees of freedom of the rarer class; None where that is not safe.

    Where none of the items departs from it nothing else could have been seen, so it counts whatever their number. It is
    taken where it is ``clearly`` narrower: in a group, of which the guess of all items may know nothing, at all.
    """
    rare = rarer(sample, metric)
    there = sample.size if metric.label is None else float(sample.label[:, metric.label].sum())
    if alone.variance != 0 and (there < SOME or sample.size - there < OTHERS):
        return None
    return replace(alone, freedom=min(alone.freedom, max(rare - 1, 1.0)), clearly=clearly)


def measure_alone(
    items: Assistance, metric: LabelMetric, systems: tuple[str, ...], *, population: bool = False
) -> MeasuredNumber:
    """Judge a metric on the experts' items, each counting for as many as it stands for."""
    return _known(_measure_alone, items, metric, systems, population)


def _measure_alone(
    items: Assistance, metric: LabelMetric, systems: tuple[str, ...], population: bool
) -> MeasuredNumber:
    sample = items.sample
    found = derive_metric(metric, items.alone, systems, Labels(sample.label, sample.weight))
    alone = replace(
        sample,
        experts=np.arange(sample.size),
        cluster=None if sample.cluster is None else sample.cluster[sample.experts],
    )
    rare = rarer(sample, metric) if metric.bounded else None
    measured = measure_experts(alone, found, rare=rare, population=population)
    return _with_classes(measured, measure_alone, items, metric, systems, population)


def _with_classes(
    measured: MeasuredNumber,
    work_out: Callable[..., MeasuredNumber],
    items: Assistance,
    metric: LabelMetric,
    systems: tuple[str, ...],
    population: bool,
) -> MeasuredNumber:
    """Add to a mean over the classes that experts found what each of them is by itself."""
    if metric.family is None:
        return measured
    evidence = items.evidence
    known = class_metrics(evidence.classes)
    there = [
        known[f"{metric.family}:{name}"] for name, n in zip(evidence.classes, evidence.n_experts, strict=True) if n
    ]
    parts = [(work_out(items, each, systems, population=population), rarer(items.sample, each)) for each in there]
    told = [replace(part, coins=min(part.coins, rare)) for part, rare in parts if not np.isnan(part.variance)]
    return replace(measured, parts=tuple(told))


def rarer(sample: Sample, metric: LabelMetric) -> float:
    """Experts' labels of the class a metric is about, or of the others, whichever are fewer; at least one."""
    if metric.label is None:
        return float(sample.size)
    there = float(sample.label[:, metric.label].sum())
    return max(1.0, min(there, sample.size - there))


def _judged(study: Study, metric: LabelMetric) -> list[tuple[str, ...]]:
    """The systems, or pairs of them, that a metric judges; the voters have no name."""
    names = [system or "" for system in study.systems]
    return list(combinations(names, 2)) if metric.pairwise else [(name,) for name in names]


def derive_metric(metric: LabelMetric, items: Assistance, systems: tuple[str, ...], labels: Labels) -> Derivative:
    """Derive a metric of a system, or the difference of two."""
    assert metric.derive is not None
    parts = [metric.derive(items, system, labels) for system in systems]
    return parts[0] if len(parts) == 1 else combine([(1.0, parts[0]), (-1.0, parts[1])])


def _row(
    method: str,
    metric: LabelMetric,
    systems: tuple[str, ...],
    found: MeasuredNumber,
    items: Assistance,
    confidence: float,
) -> Estimate:
    name = " - ".join(systems) or None
    if np.isnan(found.value) or np.isnan(found.variance) or not _there(metric, items):
        return Estimate(name, metric.name, method, None, None, None)
    value = min(max(found.value, 0.0), 1.0) if metric.bounded else found.value
    if metric.label is not None and sum(items.evidence.n_experts) < metric.fewest_others + _there(metric, items):
        return Estimate(name, metric.name, method, value, None, None)
    low, high = interval(found, confidence, bounded=metric.bounded, rare=rarer(items.sample, metric))
    if metric.scale == "difference":  # of two shares
        low, high = max(low, -1.0), min(high, 1.0)
    return Estimate(
        name,
        metric.name,
        method,
        value,
        min(round(low, 12), value),
        max(round(high, 12), value),
        max(1, round(found.rests_on)),
    )


def _there(metric: LabelMetric, items: Assistance) -> int:
    """How many items of the class that a metric is about experts have found."""
    return sum(items.evidence.n_experts) if metric.label is None else items.evidence.n_experts[metric.label]


def _function(study: Study, function: UserFunction, system: str, alone: MeasuredNumber) -> MeasuredNumber:
    """A user's function of scores and labels 0 or 1, in one step: theta(g) + sum_S w D (Y - g_(-i)).

    theta(g) is its mean over labels drawn from the guess; its slopes are what turning one label does,
    by blocks of neighbouring scores.
    """
    items = study.assistance
    guess, scores = items.guess((system,)), study.levels(system or None)
    rng = generator(study.seed, "estimate", "function", system)
    draws = [(rng.random(len(scores)) < guess.chance[:, 1]).astype(np.int64) for _ in range(DRAWS)]
    values = np.array([float(function(scores, labels)) for labels in draws])
    slope = _turn(function, scores, draws[:FLIPS], values[:FLIPS], rng)
    sample = items.sample
    step = (sample.weight * slope[sample.experts]) @ (sample.label[:, 1] - guess.own[:, 1])
    found = Derivative(float(values.mean() + step), {1: slope}, np.zeros(len(scores)))
    measured = measure(sample, guess, found)
    told = None if np.isnan(alone.variance) else replace(alone, clearly=CLEARLY)
    return replace(measured, variance=measured.variance + float(values.var(ddof=1)) / DRAWS, alone=told)


def _turn(
    function: UserFunction,
    scores: Array,
    draws: list[Array],
    values: Array,
    rng: np.random.Generator,
) -> Array:
    """What turning one label from 0 to 1 does to a function, ``(item,)``, the same for neighbouring scores."""
    blocks = np.array_split(np.argsort(scores, kind="stable"), min(BLOCKS, len(scores)))
    slope = np.zeros(len(scores))
    for block in blocks:
        steps = []
        for labels, value in zip(draws, values, strict=True):
            one = int(rng.choice(block))
            turned = labels.copy()
            turned[one] = 1 - labels[one]
            steps.append((float(function(scores, turned)) - value) * (1 - 2 * int(labels[one])))
        slope[block] = np.mean(steps)
    return slope


def _function_of_experts(study: Study, function: UserFunction, system: str) -> MeasuredNumber:
    """A user's function on the experts' items, its variance by leaving a quarter of them, or of their clusters, out.

    Added is the square of what turning one label does, in the mean: where all positives are called they seem not to
    vary. Subsets that miss a class are passed over, and fewer than five labels of a class tell too little.
    """
    evidence, sample = study.evidence, study.assistance.sample
    rare = min(evidence.n_experts)
    if evidence.weight is not None or rare < SOME:
        return MeasuredNumber(np.nan, np.nan, 1.0, 0.0)
    scores, label = study.levels(system or None)[sample.experts], evidence.label[sample.experts]
    value, units = float(function(scores, label)), sample.n_units
    member = np.arange(sample.size) if sample.member is None else sample.member
    rng, out = generator(study.seed, "estimate", "subsets"), max(1, round(LEFT_OUT * units))
    drawn = (~np.isin(member, rng.choice(units, out, replace=False)) for _ in range(SUBSETS))
    kept = [part for part in drawn if len(np.unique(label[part])) == len(np.unique(label))]
    if len(kept) < FEWEST_SUBSETS:
        return MeasuredNumber(np.nan, np.nan, 1.0, 0.0)
    without = np.array([float(function(scores[part], label[part])) for part in kept])
    one = np.arange(sample.size) == rng.choice(sample.size, min(SUBSETS, sample.size), replace=False)[:, None]
    turned = np.array([float(function(scores, np.where(each, 1 - label, label))) for each in one])
    left = 1.0 if study.population else 1 - sample.size / evidence.n_items
    spread = (units / out - 1) * float(without.var(ddof=1)) + float(((turned - value) ** 2).mean())
    return MeasuredNumber(value, left * spread, float(min(units, len(kept), rare) - 1), float(units))
