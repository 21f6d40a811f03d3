"""Pairs of systems: which are asked for, scored on the same terms, and tested by every metric."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from quorate._errors import InputError
from quorate._random import generator
from quorate._typing import Array
from quorate.comparing.question import CompareQuestion
from quorate.data.answers import Answers, check_systems
from quorate.data.evaluation import Evaluation
from quorate.data.summaries import Counts, Probabilities, Summary
from quorate.inference.crossed import crossed_pivot
from quorate.inference.influence import SetForm, set_form, splits_by_rater
from quorate.inference.joint_errors import ErrorColumns, error_columns
from quorate.inference.means import mean_pivot
from quorate.inference.outcome import Outcome
from quorate.inference.pivot import Pivot, outcomes_of
from quorate.inference.procedures import Procedure, Terms, counting, pair_pivot
from quorate.inference.roster import Roster, pair_by_raters, split_pivot
from quorate.inference.runs import joined, run_part
from quorate.inference.scored_systems import ScoredPair, ScoredSystems, score_split, score_systems
from quorate.inference.strengths import Strengths
from quorate.inference.uncertain_variance import Part
from quorate.inference.units import Unit
from quorate.inference.vote_scores import score_votes
from quorate.metrics.metric import Metric, answer_ends, largest_difference
from quorate.metrics.registry import choose_metric

if TYPE_CHECKING:
    import polars as pl

SHARES = (0.0, 1.0)
"""The ends of numbers that all lie between them."""
MOST_PAIRS = 2_000
"""Pairs of systems judged together: those of 63 systems, which take half a minute."""


def choose_pairs(known: list[str], question: CompareQuestion) -> tuple[list[str], list[tuple[int, int]]]:
    """Return the systems, a before b, and the pairs asked for, by position; a baseline is b."""
    baseline = question.baseline
    check_systems([*(question.systems or ()), *([] if baseline is None else [baseline])], known)
    names = list(question.systems) if question.systems else sorted(known)
    if baseline is not None:
        names = [name for name in names if name != baseline] + [baseline]
    if len(names) < 2 and baseline is not None:
        raise InputError(f"Only system '{names[0]}' is there; a baseline takes another one.")
    last = len(names) - 1
    n_pairs = last if baseline is not None else last * (last + 1) // 2
    if n_pairs > MOST_PAIRS:
        raise InputError(
            f"{len(names):,} systems make {n_pairs:,} pairs, and {MOST_PAIRS:,} can be judged together: name some with "
            "--systems, or one to compare with by --baseline."
        )
    return names, [(a, last) for a in range(last)] if baseline is not None else list(combinations(range(len(names)), 2))


def score_by_metrics(evaluation: Evaluation, names: list[str], question: CompareQuestion) -> list[ScoredSystems]:
    """Score all systems by every metric asked for, or by the default one."""
    if evaluation.votes is not None:
        if evaluation.ratings.n_items < 2:
            raise InputError(f"{evaluation.ratings.name} has votes on one item; comparing takes at least two.")
        return [score_votes(evaluation.votes, question.metrics)]
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
    if evaluation.split:
        items = [evaluation.split[name] for name in names]
        return [score_split(metric, evaluation.raters, chosen, items) for metric in metrics]
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

    def drawn(self, strengths: Strengths) -> Strengths:
        """Return strengths with what counts as drawn here."""
        unit = self.unit
        return strengths.drawn(unit.clusters, by_rater=unit.roster is not None, items_fixed=unit.items_fixed)

    def known(self, systems: ScoredSystems) -> dict[str, Any]:
        """Return what a pivot must know: how far apart systems can be, and whether failures that did not show count."""
        reach = _reach(systems.metric, systems.raters, systems.systems)
        return {"reach": reach, "unseen": self.margin is not None}


@dataclass(frozen=True)
class TestedPair:
    """System a against system b, scored and tested.

    Parameters
    ----------
    outcome
        What the test says of this pair alone.
    pivot
        The difference and its variance; None for tests that have none.
    errors
        How this pair and all others by the same metric err together.
    rater_weight
        What each rater's answers weigh, ``(rater,)``; None where raters do not count as drawn.
    """

    a: str
    b: str
    scored: ScoredPair
    outcome: Outcome
    test: PairTest
    pivot: Pivot | None = None
    errors: ErrorColumns | None = field(default=None, repr=False)
    rater_weight: Array | None = field(default=None, repr=False)

    @property
    def n_items(self) -> int:
        """How many items there were."""
        return int(self.scored.differences.shape[-1])

    @property
    def raters(self) -> "pl.Series | None":
        """Names of the raters whose answers weigh something; None where raters do not count as drawn."""
        roster = self.test.unit.rated.get(self.a, self.test.unit.roster)
        if self.rater_weight is None or roster is None or roster.names is None:
            return None
        return roster.names.filter(self.rater_weight > 0)

    @property
    def alike(self) -> bool:
        """Whether the systems score the same on every item; of different items nothing is said."""
        return not np.any(self.scored.differences) and self.scored.values_a.shape == self.scored.differences.shape

    @property
    def reach(self) -> float:
        """How far apart the systems can be on an item."""
        return 1.0 if self.pivot is None or self.pivot.reach is None else self.pivot.reach

    def at(self, confidence: float) -> Outcome:
        """Return the outcome of a test by name at another level, read from the same resamples."""
        return _outcome(self.scored, self.a, self.b, self.test, confidence)


@dataclass(frozen=True)
class PreparedPair:
    """A pair that is scored and not yet tested; `swapped` says that few items carry its score, which are swapped."""

    a: str
    b: str
    scored: ScoredPair
    test: PairTest
    pivot: Pivot | None = None
    errors: ErrorColumns | None = field(default=None, repr=False)
    rater_weight: Array | None = field(default=None, repr=False)
    swapped: bool = False


def run_pair_tests(
    by_metric: Sequence[ScoredSystems], names: Sequence[str], pairs: Sequence[tuple[int, int]], test: PairTest
) -> list[TestedPair]:
    """Test every pair, by position of the systems, by every metric."""
    return tested_pairs(prepare_pairs(by_metric, names, pairs, test))


def prepare_pairs(
    by_metric: Sequence[ScoredSystems], names: Sequence[str], pairs: Sequence[tuple[int, int]], test: PairTest
) -> list[PreparedPair]:
    """Score every pair by every metric, and say how well its difference is known."""
    if test.procedure.pivotal:
        return [each for systems in by_metric for each in _with_pivots(systems, names, pairs, test)]
    return [PreparedPair(names[i], names[j], systems.pair(i, j), test) for systems in by_metric for i, j in pairs]


def tested_pairs(prepared: Sequence[PreparedPair]) -> list[TestedPair]:
    """Test pairs, of one set of items or of many; those alike in one go."""
    plain = [pair.pivot for pair in prepared if pair.pivot is not None and not pair.swapped]
    outcomes = iter(outcomes_of(plain, prepared[0].test.confidence) if plain else [])
    tested = []
    for pair in prepared:
        by_name = pair.pivot is None or pair.swapped
        outcome = _outcome(pair.scored, pair.a, pair.b, pair.test, pair.test.confidence) if by_name else next(outcomes)
        known = pair.pivot, pair.errors, pair.rater_weight
        tested.append(TestedPair(pair.a, pair.b, pair.scored, outcome, pair.test, *known))
    return tested


def _with_pivots(
    systems: ScoredSystems, names: Sequence[str], pairs: Sequence[tuple[int, int]], test: PairTest
) -> Iterator[PreparedPair]:
    if systems.strengths is not None:
        yield from _by_strength(systems.strengths, systems, names, pairs, test)
        return
    rosters, known = test.rosters(systems.metric, names), test.known(systems)
    fixed, clusters = test.unit.items_fixed, test.unit.clusters
    scored = [systems.pair(i, j) for i, j in pairs]
    if systems.items is not None:
        roster = None if rosters is None else rosters[0]
        pivots = [split_pivot(systems, i, j, roster, clusters=clusters, **known) for i, j in pairs]
    elif rosters is None:
        rng = generator(test.seed, "compare", test.block, systems.metric.name)
        terms = Terms(rng, test.confidence, clusters, test.resamples, **known)
        pivots = [pair_pivot(pair, terms) for pair in scored]
    else:
        pivots = [pair_by_raters(systems, i, j, rosters, items_fixed=fixed, **known) for i, j in pairs]
        if clusters is None:
            pivots = [_counting(pivot, pair.form) for pivot, pair in zip(pivots, scored, strict=True)]
    errors = None
    if len(pairs) > 1 and systems.items is None:
        errors = error_columns(systems, pairs, pivots, rosters, clusters=clusters, items_fixed=fixed)
        pivots = [errors.moderated(pivot, k) for k, pivot in enumerate(pivots)]
    for (i, j), pair, pivot in zip(pairs, scored, pivots, strict=True):
        runs = joined(list(_run_parts(systems, (i, j), names, test)))
        swapped, weight = pair.form is not None and rosters is None and not runs, None
        if rosters is not None:
            weight = 0.5 * (rosters[i].crossed.rater_weight + rosters[j].crossed.rater_weight)
        yield PreparedPair(names[i], names[j], pair, test, pivot.adding(runs), errors, weight, swapped)


def _counting(pivot: Pivot, form: SetForm | None) -> Pivot:
    """Return a pivot of raters with the items that count in a set score; a score of ranks rests on them."""
    if form is None:
        return pivot
    return counting(pivot, form) if form.ordered else replace(pivot, n_units=form.n_counted)


def _by_strength(
    strengths: Strengths, systems: ScoredSystems, names: Sequence[str], pairs: Sequence[tuple[int, int]], test: PairTest
) -> Iterator[PreparedPair]:
    """Prepare pairs of systems that were voted on, all of them by the same strengths."""
    drawn = test.drawn(strengths)
    pivots = drawn.pair_pivots(pairs)
    errors = None
    if len(pairs) > 1:
        errors = error_columns(replace(systems, strengths=drawn), pairs, pivots, None)
        pivots = [errors.moderated(pivot, k) for k, pivot in enumerate(pivots)]
    for pair, pivot in zip(pairs, pivots, strict=True):
        weight = drawn.rater_weight(pair)
        yield PreparedPair(names[pair[0]], names[pair[1]], systems.pair(*pair), test, pivot, errors, weight)


def _run_parts(systems: ScoredSystems, pair: tuple[int, int], names: Sequence[str], test: PairTest) -> Iterator[Part]:
    """What the named runs of both systems add to the variance of their difference."""
    for own, other in (pair, pair[::-1]):
        if names[own] in test.runs and systems.items is not None:
            part = run_part(partial(_own_values, systems, own), test.runs[names[own]].keep(_mask(systems, own)))
            if part is not None:
                yield part
        elif names[own] in test.runs:

            def difference(answers: Summary, other: int = other) -> Array:
                if systems.metric.contest_of is None:  # what the other says does not matter
                    return score_systems(systems.asked, systems.raters, [answers]).values[0]
                both = score_systems(systems.asked, systems.raters, [answers, systems.systems[other]])
                return both.pair(0, 1).differences

            part = run_part(difference, test.runs[names[own]])
            if part is not None:
                yield part


def _own_values(systems: ScoredSystems, own: int, answers: Summary) -> Array:
    """Item values of one system's answers to its own items."""
    assert systems.items is not None
    raters = None if systems.raters is None else systems.raters.take(systems.items[own])
    return score_systems(systems.metric, raters, [answers]).values[0]


def _mask(systems: ScoredSystems, own: int) -> Array:
    assert systems.items is not None
    return np.isin(np.arange(sum(map(len, systems.items))), systems.items[own])


def _outcome(scored: ScoredPair, a: str, b: str, test: PairTest, confidence: float) -> Outcome:
    """Run the test by its name; its randomness belongs to the pair, so another level reads the same law."""
    rng = generator(test.seed, "compare", test.block, scored.metric.name, *sorted((a, b)))
    reach = _reach(scored.metric, scored.raters, (scored.a, scored.b))
    terms = Terms(rng, confidence, test.unit.clusters, test.resamples, reach, test.margin is not None)
    return test.procedure.run(scored, terms)


def _reach(metric: Metric, raters: Summary | None, systems: Sequence[Summary]) -> float:
    """Return how far apart systems can be on an item."""
    return largest_difference(metric, [*systems, *([] if raters is None else [raters])])


def estimate_score(systems: ScoredSystems, position: int, names: Sequence[str], test: PairTest) -> Outcome:
    """Return a system's score with its interval; wins have no value per answer of one system."""
    if systems.strengths is not None:
        return replace(test.drawn(systems.strengths).score_pivot(position), mirrored=False).outcome(test.confidence)
    pivot, centre = score_pivot(systems, position, names, test)
    outcome = pivot.outcome(test.confidence)
    low, high = outcome.low + centre, outcome.high + centre
    return replace(outcome, difference=outcome.difference + centre, low=low, high=high)


def score_pivot(systems: ScoredSystems, position: int, names: Sequence[str], test: PairTest) -> tuple[Pivot, float]:
    """Return the pivot of a system's score less the middle of what a score can be, and that middle.

    Around the middle the two ends are equally far, so that `reach` bounds both.
    """
    rosters, metric = test.rosters(systems.metric, names), systems.metric
    middle, reach = score_span(systems, position)
    values = systems.values[position] - middle
    if rosters is None or metric.contest_of is not None:
        clusters = test.unit.clusters
        if clusters is not None and systems.items is not None:
            clusters = np.unique(clusters[systems.items[position]], return_inverse=True)[1]
        pivot = mean_pivot(values, clusters, reach=reach, mirrored=False)
    else:
        roster = rosters[position] if systems.items is None else rosters[position].take(systems.items[position])
        cells = roster.cells(partial(systems.values_on, position)) - middle
        pivot = crossed_pivot(cells, roster.crossed, items_fixed=test.unit.items_fixed, reach=reach)
        pivot = replace(pivot, mirrored=False)
    if metric.level == "set" and systems.items is None and pivot.units.shape == values.shape and not pivot.units_given:
        pivot = counting(pivot, set_form(metric, systems.raters, [systems.systems[position]]))
    runs = [] if metric.contest_of is not None else joined(list(_own_run_part(systems, position, names, test)))
    return pivot.adding(runs), middle


def score_span(systems: ScoredSystems, position: int) -> tuple[float, float | None]:
    """Return the middle of the values a score can have, and how far they reach; no bound is None."""
    metric = systems.metric
    if metric.contest_of is not None or metric.reach not in ("one", "two", "span"):
        return 0.0, None
    if metric.reach != "span":
        return (0.5, 0.5) if metric.reach == "one" else (0.0, 1.0)
    known = [each for each in (systems.raters, systems.systems[position]) if each is not None]
    low, high = answer_ends(known)
    if (low, high) != SHARES and not all(isinstance(each, Counts | Probabilities) for each in known):
        return 0.0, None  # numbers without levels have no known end, but for shares
    if metric.rates_systems:
        return 0.5 * (low + high), 0.5 * (high - low)
    span = largest_difference(metric, known)
    return 0.5 * span, 0.5 * span


def _own_run_part(systems: ScoredSystems, own: int, names: Sequence[str], test: PairTest) -> Iterator[Part]:
    """What the named runs of a system add to the variance of its score."""
    if names[own] not in test.runs:
        return
    answers = test.runs[names[own]]
    if systems.items is not None:
        part = run_part(partial(_own_values, systems, own), answers.keep(_mask(systems, own)))
    else:
        part = run_part(lambda said: score_systems(systems.metric, systems.raters, [said]).values[0], answers)
    if part is not None:
        yield part
