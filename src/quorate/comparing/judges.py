"""Judges: may a system stand in for a rater? Each rater left out in turn is scored like a system, and so is the judge.

The judge and the rater who is left out are scored against the same other raters, on the items that rater rated; the
difference is tested with items and raters drawn, like that of two systems. A judge that repeats one rater's answers is
that rater: he is left out of what it is compared with.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array
from quorate.comparing.alternative_annotators import annotator_test, worth_in_raters
from quorate.comparing.judged_pairs import JudgedPair
from quorate.comparing.question import RATERS
from quorate.comparing.tested_pairs import PairTest, PreparedPair
from quorate.data.evaluation import Evaluation
from quorate.data.ratings import Ratings
from quorate.data.summaries import Probabilities, Summary
from quorate.inference.crossed import crossed_pivot
from quorate.inference.left_out_raters import (
    check_left_out,
    left_out_answer_values,
    left_out_scores,
    own_scores,
    single_answers,
)
from quorate.inference.means import mean_pivot
from quorate.inference.outcome import Verdict
from quorate.inference.roster import roster_of
from quorate.inference.runs import joined, run_part
from quorate.inference.scored_systems import ScoredPair, ScoredSystems
from quorate.inference.uncertain_variance import Part
from quorate.inference.units import Unit
from quorate.metrics.metric import Metric, common_size, largest_difference, oriented, settle

COPIED_ITEMS, BY_CHANCE = 10, 1e-3
"""A judge repeats a rater if it gives his answer to all his items, so many or more, where that is hardly chance."""


@dataclass(frozen=True)
class Judge:
    """A judge beside the raters, by one metric.

    Parameters
    ----------
    agreement, rater_agreement
        Score of the judge and of a rater, against the other raters.
    difference, low, high, p_value, verdict
        How much better the judge is than a rater, as of any pair; with several judges the verdict holds for all.
    winning_rate, advantage, epsilon, raters_tested
        ω and ρ of the alternative annotator test at ε, and the raters with enough items for it.
    worth_raters
        How many raters' mean is as close to one more rater; None if more than can be told.
    repeats
        The rater whose answers the judge repeats, and who is left out for it.
    """

    system: str
    metric: str
    agreement: float
    rater_agreement: float
    difference: float
    low: float
    high: float
    p_value: float
    verdict: Verdict
    winning_rate: float | None
    advantage: float | None
    worth_raters: float | None
    epsilon: float
    raters_tested: int
    n_items: int
    p_adjusted: float | None = None
    repeats: str | None = None


@dataclass(frozen=True)
class RaterScore:
    """A rater left out: his items, his score against the others, and each judge's advantage over him, ρ_j."""

    rater: str
    items: int
    score: float
    advantages: dict[str, float]


@dataclass(frozen=True)
class Bench:
    """What a judge is compared with: the ratings and who counts as drawn, less a rater it repeats."""

    ratings: Ratings
    unit: Unit
    system: Summary
    kept: Array
    repeats: str | None = None


def judged_items(evaluation: Evaluation) -> tuple[Evaluation, str]:
    """Return the evaluation on items of two raters or more, and what was left out; refuse what has no such raters."""
    ratings = evaluation.ratings
    if evaluation.kind != "answers" or evaluation.split:
        raise InputError(
            "--baseline raters scores raters like systems: give ratings and the answers of judges to the same items."
        )
    if RATERS in evaluation.systems:
        raise InputError("A system is called 'raters', which --baseline raters needs for the people; rename it.")
    if ratings.rater is None:
        raise InputError(
            f"{ratings.name} does not say who answered, so no rater can be left out; name the column with "
            "--rater-column."
        )
    if ratings.repeated_pairs:
        raise InputError(
            f"{ratings.name}: {ratings.repeated_pairs:,} rater–item pairs answered more than once, and a rater would "
            "be compared with himself; say --duplicates first or last."
        )
    kept = ratings.size > 1
    if kept.sum() < 2:
        raise InputError(f"{ratings.name}: no two raters answered the same item, so no rater can be compared.")
    if kept.all():
        return evaluation, ""
    lost = f"{int((~kept).sum()):,} of {ratings.n_items:,} items have one rater and are left out."
    return evaluation.keep(kept), lost


def prepare_judges(
    evaluation: Evaluation,
    metrics: Sequence[Metric],
    names: Sequence[str],
    test: PairTest,
    choose_unit: Callable[..., Unit],
) -> tuple[list[PreparedPair], dict[str, Bench]]:
    """Score every judge and the raters by every metric, and say how well their difference is known."""
    benches = {name: _bench(evaluation, name, test, choose_unit) for name in names}
    for metric in metrics:
        check_left_out(metric)
    prepared = [_prepared(metric, name, benches, evaluation, test) for metric in metrics for name in names]
    return prepared, benches


def _bench(evaluation: Evaluation, name: str, test: PairTest, choose_unit: Callable[..., Unit]) -> Bench:
    """Return what a judge is compared with; a rater it repeats is left out, and items left with one."""
    ratings, everything = evaluation.ratings, np.ones(evaluation.ratings.n_items, dtype=bool)
    copied = repeated_rater(evaluation, name)
    if copied is None or ratings.raters is None:
        return Bench(ratings, test.unit, evaluation.systems[name], everything)
    others = ratings.without_rater(copied)
    kept = others.size > 1
    if kept.sum() < 2:
        raise InputError(
            f"{name} repeats the answers of rater '{ratings.raters[copied]}', and without him no item has two raters; "
            "leave that rater out of the ratings, or ask more people."
        )
    others = others.keep(kept)
    return Bench(
        others, choose_unit(others), evaluation.systems[name].take(kept), kept, repeats=str(ratings.raters[copied])
    )


def repeated_rater(evaluation: Evaluation, name: str) -> int | None:
    """Return the rater whose answer a judge gives on every item he rated, where that can hardly be chance."""
    ratings, answers = evaluation.ratings, evaluation.answers[name]
    if isinstance(answers.summary, Probabilities) or ratings.rater is None or (answers.summary.size != 1).any():
        return None
    given = np.empty(ratings.n_items, dtype=np.int64)
    given[answers.item] = answers.response
    same = ratings.response == given[ratings.item]
    n = np.bincount(ratings.rater, minlength=ratings.n_raters or 0)
    hits = np.bincount(ratings.rater, same, len(n))
    share = np.sort(np.where(n >= COPIED_ITEMS, hits / np.maximum(n, 1), 0.0))
    closest = np.where(hits == n, share[-2] if len(n) > 1 else 1.0, share[-1])  # of the others
    sure = (hits == n) & (n >= COPIED_ITEMS) & (len(n) * closest**n < BY_CHANCE)
    return int(np.argmax(sure)) if sure.any() else None


def _prepared(
    asked: Metric, name: str, benches: dict[str, Bench], evaluation: Evaluation, test: PairTest
) -> PreparedPair:
    bench = benches[name]
    raters, single = bench.ratings.summary, single_answers(bench.ratings.summary)
    systems = [each.system.take(np.arange(1)) for each in benches.values()]  # one item shows what kind of answers
    metric = replace(settle(asked, None, [*systems, single.take(np.arange(1))]), excess=None, settle_for=None)
    values = left_out_scores(metric, raters, bench.system), left_out_scores(metric, raters)
    differences = oriented(metric, *values, raters)
    scored = ScoredPair(
        metric, values[0].mean(), values[1].mean(), *values, differences, None, raters, bench.system, single
    )
    reach = largest_difference(metric, [raters, bench.system])
    known: dict[str, Any] = {"reach": reach, "unseen": test.margin is not None}
    unit, weight = bench.unit, None
    if unit.roster is None:
        pivot = mean_pivot(differences, unit.clusters, **known)
    else:
        of_judge, of_raters = (left_out_answer_values(metric, raters, each) for each in (bench.system, None))
        cells = unit.roster.cells(oriented(metric, of_judge, of_raters, raters).__getitem__)
        pivot = crossed_pivot(cells, unit.roster.crossed, items_fixed=unit.items_fixed, **known)
        weight = unit.roster.crossed.rater_weight
    runs = list(_run_part(metric, name, bench, test))
    own = replace(test, unit=unit, block=test.block if bench.repeats is None else f"judge {name}")
    return PreparedPair(name, RATERS, scored, own, pivot.adding(joined(runs)), rater_weight=weight)


def _run_part(metric: Metric, name: str, bench: Bench, test: PairTest) -> Iterator[Part]:
    """What the named runs of a judge add to the variance of its score."""
    if name in test.runs:
        part = run_part(partial(left_out_scores, metric, bench.ratings.summary), test.runs[name].keep(bench.kept))
        if part is not None:
            yield part


def judge_row(judged: JudgedPair, bench: Bench, evaluation: Evaluation, epsilon: float) -> Judge:
    """Return a judge with its verdict, the alternative annotator test and what it is worth."""
    tested = judged.tested
    found = annotator_test(evaluation.ratings, evaluation.systems[tested.a], epsilon)
    return Judge(
        system=tested.a,
        metric=tested.scored.metric.name,
        agreement=float(tested.scored.score_a),
        rater_agreement=float(tested.scored.score_b),
        difference=float(tested.outcome.difference),
        low=float(tested.outcome.low),
        high=float(tested.outcome.high),
        p_value=float(tested.outcome.p_value),
        verdict=judged.verdict,
        winning_rate=found.winning_rate,
        advantage=found.advantage,
        worth_raters=worth_in_raters(bench.ratings, bench.system),
        epsilon=epsilon,
        raters_tested=found.raters,
        n_items=tested.n_items,
        p_adjusted=judged.p if judged.in_family else None,
        repeats=bench.repeats,
    )


def human_ceiling(evaluation: Evaluation, scored: ScoredSystems) -> float | None:
    """Return what a rater scores against the others, over items of two or more; None where raters have no names.

    None too where a rater's one response and the systems' answers are not scored on the same terms.
    """
    if evaluation.votes is not None:
        return None
    ratings = evaluation.ratings
    raters, known = scored.raters, ratings.rater is not None and not ratings.repeated_pairs and (ratings.size > 1).any()
    alone = scored.asked.level == "set" or scored.asked.contest_of is not None or scored.items is not None
    if raters is None or alone or not known:
        return None
    single = single_answers(raters)
    if scored.metric.comparable != "any" and (common_size(scored.systems) != 1).any():
        return None
    if settle(scored.asked, None, [*scored.systems, single]) != scored.metric:
        return None
    return float(np.nanmean(left_out_scores(scored.metric, raters)))


def rater_rows(evaluation: Evaluation, metric: Metric, names: Sequence[str], epsilon: float) -> tuple[RaterScore, ...]:
    """Return every rater's own score against the others, and each judge's advantage over him, best rater first."""
    ratings = evaluation.ratings
    roster = roster_of(ratings)
    assert roster is not None
    assert ratings.raters is not None
    own = own_scores(metric, ratings.summary)[roster.item, roster.place]
    n = np.bincount(roster.rater, minlength=len(ratings.raters))
    means = np.bincount(roster.rater, own, len(n)) / np.maximum(n, 1)
    over = {name: annotator_test(ratings, evaluation.systems[name], epsilon).advantages for name in names}
    sign = -1.0 if metric.better == "high" else 1.0
    return tuple(
        RaterScore(str(ratings.raters[j]), int(n[j]), float(means[j]), {name: float(x[j]) for name, x in over.items()})
        for j in np.argsort(sign * means, kind="stable").tolist()
    )
