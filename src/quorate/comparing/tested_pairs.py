"""Pairs of systems: which are asked for, scored on the same terms, and tested by every metric."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from quorate._errors import InputError
from quorate._random import generator
from quorate._typing import Array
from quorate.comparing.question import CompareQuestion
from quorate.data.answers import Answers, check_systems
from quorate.data.evaluation import Evaluation
from quorate.data.summaries import Probabilities
from quorate.inference.crossed import TwoWayVariance, crossed_test
from quorate.inference.influence import splits_by_rater
from quorate.inference.outcome import Outcome, mean_test
from quorate.inference.procedures import Procedure, Terms
from quorate.inference.roster import Roster, differences_by_rater
from quorate.inference.runs import RunVariance, run_variance, with_runs
from quorate.inference.scored_systems import ScoredPair, ScoredSystems, score_systems
from quorate.inference.units import Unit
from quorate.metrics.metric import Metric
from quorate.metrics.registry import choose_metric


def choose_pairs(known: list[str], question: CompareQuestion) -> tuple[list[str], list[tuple[int, int]]]:
    """Return the systems, a before b, and the pairs asked for, by position; a baseline is b."""
    baseline = question.baseline
    check_systems([*(question.systems or ()), *([baseline] if baseline else [])], known)
    names = list(question.systems) if question.systems else sorted(known)
    if baseline is not None:
        names = [name for name in names if name != baseline] + [baseline]
    if len(names) < 2:
        raise InputError(f"Only system '{names[0]}' is there; comparing takes two.")
    last = len(names) - 1
    return names, [(a, last) for a in range(last)] if baseline else list(combinations(range(len(names)), 2))


def score_by_metrics(evaluation: Evaluation, names: list[str], question: CompareQuestion) -> list[ScoredSystems]:
    """Score all systems by every metric asked for, or by the default one."""
    if evaluation.ratings.n_items < 2:
        raise InputError(f"{evaluation.ratings.name} and the answers share one item; comparing takes at least two.")
    chosen, scale = [evaluation.systems[name] for name in names], evaluation.ratings.scale
    metrics = [
        choose_metric(
            name,
            scale.kind,
            labels=scale.categories,
            positive=question.positive,
            variant=question.variant,
            better=question.better,
            probabilities=any(isinstance(system, Probabilities) for system in chosen),
            rated=evaluation.raters is None,
        )
        for name in question.metrics
    ]
    return [score_systems(metric, evaluation.raters, chosen) for metric in metrics]


def reason_for_items_only(scored: list[ScoredSystems], procedure: Procedure) -> str:
    """Say why raters cannot count as drawn, if they cannot."""
    if not procedure.pivotal:
        return f"the {procedure.name} test counts items only"
    if not any(splits_by_rater(systems.metric) for systems in scored):
        return f"{scored[0].metric.name} cannot be split by rater"
    return ""


@dataclass(frozen=True)
class PairTest:
    """The test every pair is put to, on one set of items.

    Parameters
    ----------
    procedure, confidence, margin, resamples, seed
        What was asked for.
    unit
        What was drawn at random, of these items.
    runs
        The answers to these items of systems whose runs have names.
    block
        Name of the items; their randomness and their family belong to it.
    """

    procedure: Procedure
    unit: Unit = field(default_factory=Unit)
    confidence: float = 0.95
    margin: float | None = None
    resamples: int = 9999
    seed: int = 0
    runs: Mapping[str, Answers] = field(default_factory=dict)
    block: str = "all"

    @property
    def level(self) -> float:
        """Chance of a false alarm that is allowed."""
        return 1 - self.confidence

    def within(self, kept: Array, unit: Unit, group: str) -> "PairTest":
        """Return the same test within a group of the items, those `kept`, ``(item,)``."""
        runs = {name: answers.keep(kept) for name, answers in self.runs.items()}
        return replace(self, unit=unit, runs=runs, block=f"group {group}")

    def unit_of(self, metric: Metric) -> Unit:
        """Return what counts as drawn: items alone where the metric cannot be split by rater."""
        return self.unit if splits_by_rater(metric) or self.unit.roster is None else Unit(clusters=self.unit.clusters)

    def rosters(self, metric: Metric, names: Sequence[str]) -> list[Roster] | None:
        """Return who answered, or rated each system; None where raters do not count as drawn."""
        roster = self.unit.roster
        if roster is None or not splits_by_rater(metric):
            return None
        return [self.unit.rated[name] for name in names] if self.unit.rated else [roster] * len(names)

    def run_variances(self, pair: ScoredPair, names: tuple[str, str]) -> list[RunVariance]:
        """Return what runs with names, that answered every item, add to the variance."""
        if pair.raters is None or not self.procedure.pivotal:
            return []
        parts = [run_variance(pair.metric, pair.raters, self.runs[name]) for name in names if name in self.runs]
        return [part for part in parts if part is not None]


@dataclass(frozen=True)
class CrossedPair:
    """What is known of a pair where raters count as drawn.

    Parameters
    ----------
    variance
        What items and raters vary by.
    influence
        What each item, if items were drawn, and each rater adds to the difference.
    rater_weight
        What each rater's answers weigh, ``(rater,)``.
    """

    variance: TwoWayVariance
    influence: Array
    rater_weight: Array


@dataclass(frozen=True)
class TestedPair:
    """System a against system b, scored and tested; `crossed` only where raters count as drawn."""

    a: str
    b: str
    scored: ScoredPair
    outcome: Outcome
    test: PairTest
    crossed: CrossedPair | None = None

    @property
    def n_items(self) -> int:
        """How many items there were."""
        return int(self.scored.differences.shape[-1])

    @property
    def alike(self) -> bool:
        """Whether the systems score the same on every item."""
        return not np.any(self.scored.differences)

    def at(self, confidence: float) -> Outcome:
        """Return the outcome of a test by name at another level, read from the same resamples."""
        return _outcome(self.scored, self.a, self.b, self.test, confidence)


def run_pair_tests(
    by_metric: Sequence[ScoredSystems], names: Sequence[str], pairs: Sequence[tuple[int, int]], test: PairTest
) -> list[TestedPair]:
    """Test every pair, by position of the systems, by every metric."""
    tested = []
    for systems in by_metric:
        rosters = test.rosters(systems.metric, names)
        for i, j in pairs:
            scored, a, b = systems.pair(i, j), names[i], names[j]
            if rosters is None:
                tested.append(TestedPair(a, b, scored, _outcome(scored, a, b, test, test.confidence), test))
                continue
            values, crossing = differences_by_rater(systems, i, j, rosters)
            fixed = test.unit.items_fixed
            outcome, variance = crossed_test(values, crossing, test.confidence, items_fixed=fixed)
            outcome = with_runs(outcome, test.run_variances(scored, (a, b)), test.confidence)
            influence = crossing.influence(values, items_fixed=fixed)
            crossed = CrossedPair(variance, influence, crossing.rater_weight)
            tested.append(TestedPair(a, b, scored, outcome, test, crossed))
    return tested


def _outcome(scored: ScoredPair, a: str, b: str, test: PairTest, confidence: float) -> Outcome:
    """Run the test; its randomness belongs to the pair, so another level reads the same law."""
    rng = generator(test.seed, "compare", test.block, scored.metric.name, a, b)
    outcome = test.procedure.run(scored, Terms(rng, confidence, test.unit.clusters, test.resamples))
    return with_runs(outcome, test.run_variances(scored, (a, b)), confidence)


def estimate_score(systems: ScoredSystems, position: int, names: Sequence[str], test: PairTest) -> Outcome:
    """Return a system's score with its interval; wins have no value per answer of one system."""
    rosters = test.rosters(systems.metric, names)
    if rosters is None or systems.metric.contest_of is not None:
        return mean_test(systems.values[position], test.confidence, test.unit.clusters)
    roster = rosters[position]
    values = roster.read(systems.answer_values[position])
    return crossed_test(values, roster.crossing, test.confidence, items_fixed=test.unit.items_fixed)[0]
