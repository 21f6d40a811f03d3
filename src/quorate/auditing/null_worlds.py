"""Worlds without a difference. Sharp: A and B answer from one law. Weak: only their expected scores are equal.

Weak are *rescaled*, B answers on another scale (Spearman does not see it); *variance*, B is good on half of
the items and answers at random on the rest; *tail*, the same with 15 % bad items; *threshold*, A says yes too
often and B too seldom. A free parameter of the other system is solved so that the expected scores meet.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from quorate._errors import InputError
from quorate._random import generator
from quorate._typing import Array
from quorate.auditing.question import AuditQuestion
from quorate.data.summaries import Counts, Means, Summary, Values
from quorate.metrics.contests import scores
from quorate.metrics.metric import Metric
from quorate.populations.population import Draw, Population

BAD_SHARE = {"variance": 0.5, "tail": 0.15}
OVERSHOOT = 0.3  # share of no's that the overconfident system of the threshold world turns into yes
SOLVE_ITEMS = 200_000
"""Items behind the solved parameter: its error moves a test of N items by sqrt(N / 200 000) errors."""


@dataclass(frozen=True)
class StudyDesign:
    """What is drawn: studies as asked for, of a population, scored by a metric; travels to other processes whole."""

    question: AuditQuestion
    population: Population
    metric: Metric

    @property
    def no_difference(self) -> bool:
        """Whether the two systems have the same expected score."""
        return self.question.null is not None or self.effect == 0

    @property
    def effect(self) -> float:
        """How far apart the two systems are; of votes, their margin."""
        return self.question.margin(self.question.effect)

    def world(self) -> "NullWorld":
        """Return how studies are drawn: with the effect, or without a difference."""
        asked = self.question
        match asked.null:
            case None:
                return NullWorld({"effect": self.effect}, lambda study, _: study)
            case "sharp":  # both systems mix A's and B's law
                return NullWorld({"effect": self.effect, "null": self.effect > 0}, lambda study, _: study)
            case "rescaled":
                return _rescaled_world(self)
            case "threshold":
                return _threshold_world(self)
            case kind:
                return _bad_items_world(BAD_SHARE[kind], self)

    def draw(self, n: int, world: "NullWorld", rng: np.random.Generator) -> Draw:
        """Draw n studies."""
        return world.change(self.draw_plain(n, self.question.items, rng, **world.arguments), rng)

    def draw_plain(self, n: int, n_items: int, rng: np.random.Generator, **effects: Any) -> Draw:
        """Draw n studies of the population as it is."""
        asked = self.question
        single = any(test.startswith("published") for test in asked.test)  # reads the raters' single answers
        return self.population.draw(
            n_replicates=n,
            n_items=n_items,
            n_raters=asked.raters,
            answers="raters" if self.metric.base.rates_systems else asked.answers,
            needs="means" if self.metric.reads_means and not single else "values",
            rng=rng,
            **effects,
        )


@dataclass(frozen=True)
class NullWorld:
    """How studies without a difference are drawn: effects of the population, and a change."""

    arguments: dict[str, Any]
    change: Callable[[Draw, np.random.Generator], Draw]


def _rescaled_world(design: StudyDesign) -> NullWorld:
    if not design.metric.reads_ranks:
        raise InputError(f"--null rescaled keeps ranks, not {design.metric.name}; use it with --metric spearman.")
    return NullWorld({}, lambda study, _: replace(study, b=_rescaled(study.b)))


def _bad_items_world(share: float, design: StudyDesign) -> NullWorld:
    """A is a little off everywhere, B an oracle that answers a share of items at random."""
    population, metric = design.population, design.metric

    def change(study: Draw, rng: np.random.Generator) -> Draw:
        bad = rng.random(study.a.size.shape) < share
        return replace(study, a=study.b, b=_spoiled(study.a, bad, population.answer_range, rng))

    def gap(effect: float) -> float:
        rng = generator(design.question.seed, "null", str(share))
        return _gap(metric, change(design.draw_plain(1, SOLVE_ITEMS, rng, effect=effect), rng))

    effect = _solve(gap, min(population.max_effect, 10.0), metric.name)
    return NullWorld({"effect": effect}, change)


def _threshold_world(design: StudyDesign) -> NullWorld:
    """A turns some no's into yes, B as many yes's into no as gives the same score."""
    metric = design.metric
    if not metric.compares_labels:
        raise InputError(f"--null threshold is about yes and no, not {metric.name}; use it with --metric f1.")

    def change(study: Draw, rng: np.random.Generator, rate: float) -> Draw:
        return replace(study, a=_flipped(study.a, 0, OVERSHOOT, rng), b=_flipped(study.b, 1, rate, rng))

    def gap(rate: float) -> float:
        rng = generator(design.question.seed, "null", "threshold")
        return _gap(metric, change(design.draw_plain(1, SOLVE_ITEMS, rng), rng, rate))

    rate = _solve(gap, 1.0, metric.name)
    return NullWorld({}, lambda study, rng: change(study, rng, rate))


def _gap(metric: Metric, study: Draw) -> float:
    score_a, score_b = scores(metric, study.raters, [study.a, study.b])
    return float(score_a.mean() - score_b.mean())


def _solve(gap: Callable[[float], float], high: float, name: str) -> float:
    """Find the parameter at which two scores meet: the same random numbers make the gap smooth."""
    from scipy.optimize import bisect

    try:
        return float(bisect(gap, 0.0, high, xtol=high * 2.0**-18.5))
    except InputError:
        raise
    except ValueError:  # the gap has the same sign on both ends
        raise InputError(
            f"no perturbation of this population gives both systems the same {name}; try another null."
        ) from None


def _rescaled(summary: Summary) -> Summary:
    match summary:
        case Means(mean, size):
            return Means(3.0 + 10.0 * mean, size)
        case Values(values, size):
            return Values(3.0 + 10.0 * values, size)
        case Counts(counts, levels) if levels is not None:
            return Counts(counts, 3.0 + 10.0 * levels)
        case _:
            raise InputError("--null rescaled needs answers that are numbers.")


def _spoiled(summary: Summary, bad: Array, ends: tuple[float, float] | None, rng: np.random.Generator) -> Summary:
    """Replace the answers to bad items by any category, or anything between the ends of the scale."""
    if isinstance(summary, Counts):
        n_categories = summary.counts.shape[-1]
        anything = rng.multinomial(summary.size, np.full(n_categories, 1.0 / n_categories))
        return Counts(np.where(bad[..., None], anything, summary.counts), summary.levels)
    if ends is None or not isinstance(summary, Means | Values):
        raise InputError("this null needs systems that answer on a scale with two ends; use --answers 1.")
    if isinstance(summary, Means):
        return Means(np.where(bad, rng.uniform(*ends, summary.mean.shape), summary.mean), summary.size)
    anywhere = rng.uniform(*ends, summary.values.shape)
    return Values(np.sort(np.where(bad[..., None], anywhere, summary.values), axis=-1), summary.size)


def _flipped(summary: Summary, category: int, rate: float, rng: np.random.Generator) -> Summary:
    if not isinstance(summary, Counts) or summary.counts.shape[-1] != 2:
        raise InputError("--null threshold needs answers of two categories.")
    moved = rng.binomial(summary.counts[..., category], rate)
    change = np.stack([-moved, moved], axis=-1) if category == 0 else np.stack([moved, -moved], axis=-1)
    return Counts(summary.counts + change, summary.levels)
