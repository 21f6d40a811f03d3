"""`compare`: is system A really better than B – or is my leaderboard noise?"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from quorate._errors import InputError
from quorate._question import asks
from quorate._typing import Array
from quorate.comparing.assessment import assess
from quorate.comparing.baseline import with_stored_baseline
from quorate.comparing.judge_words import judge_warnings
from quorate.comparing.judged_pairs import judge, judge_groups, judge_within
from quorate.comparing.judges import human_ceiling, judge_row, judged_items, prepare_judges, rater_rows
from quorate.comparing.leaderboard import rank_systems
from quorate.comparing.question import CompareQuestion
from quorate.comparing.result import Comparison, Group, pair_row
from quorate.comparing.side_by_side import side_words
from quorate.comparing.tested_pairs import (
    PairTest,
    PreparedPair,
    choose_pairs,
    reason_for_items_only,
    run_pair_tests,
    score_by_metrics,
    score_span,
    tested_pairs,
)
from quorate.comparing.warnings import comparison_warnings, family_words, one_scorer_words
from quorate.data.evaluation import Evaluation, read_evaluation
from quorate.data.rated_outputs import system_column
from quorate.inference.procedures import Procedure, find_procedure
from quorate.inference.sample_size import design_effects
from quorate.inference.scored_systems import ScoredSystems
from quorate.inference.units import Unit, choose_unit, item_groups
from quorate.inference.vote_scores import first_shown_effect
from quorate.metrics.metric import Metric


def answer(question: CompareQuestion) -> Comparison:
    """Compare systems by how close they come to the raters, or by the ratings they got themselves.

    Examples
    --------
    >>> votes = {"item": [1, 1, 2, 2, 3, 3], "response": ["y", "y", "n", "n", "y", "n"]}
    >>> said = {"item": [1, 2, 3] * 2, "system": ["a"] * 3 + ["b"] * 3, "response": list("ynyyyn")}
    >>> [pair] = compare(votes, said).pairs
    >>> pair.difference, pair.verdict
    (0.3333333333333333, 'inconclusive')
    """
    asked, question = question, with_stored_baseline(question)
    procedure = find_procedure(question.test)
    evaluation = _read(question)
    if question.against_raters:
        return _against_raters(question, procedure, evaluation)
    names, pairs = choose_pairs(evaluation.system_names, question)
    evaluation = evaluation.among(names)
    _check_test(question, procedure, evaluation, len(names))
    scored = score_by_metrics(evaluation, names, question)
    evaluation = _say_idle_positive(evaluation, scored, question)
    _check_reach(question, scored)
    choose = _unit_choice(question, reason_for_items_only(scored, procedure))
    test = _test(question, procedure, choose(evaluation.ratings, rated=evaluation.rated), evaluation)
    if question.target_score is not None or len(names) == 1:
        return _assessed(question, evaluation, scored, names, test)
    tested = run_pair_tests(scored, names, pairs, test)
    judged = judge(tested, "all")
    groups, heterogeneity = judge_groups(
        scored, names, pairs, test, by=question.by, evaluation=evaluation, choose_unit=choose
    )
    ceiling = human_ceiling(evaluation, scored[0])
    ranking, tied = rank_systems(scored[0], names, pairs, judged[: len(pairs)], test, ceiling)
    groupings = {name: item_groups(evaluation.ratings, name) for name in evaluation.ratings.item_groups}
    effects = design_effects([pair.scored.differences for pair in tested[: len(pairs)]], groupings)
    votes = evaluation.votes
    side = None if votes is None else first_shown_effect(votes, test.unit, question.confidence)
    rows = tuple(pair_row(pair, votes, side) for pair in judged)
    return Comparison(
        kind=evaluation.kind,
        pairs=rows,
        ranking=ranking,
        tied=tied,
        ceiling=ceiling,
        groups=tuple(
            Group(name, group[0].tested.n_items, tuple(pair_row(pair, votes) for pair in group))
            for name, group in groups.items()
        ),
        heterogeneity=heterogeneity,
        design_effects=effects,
        family=family_words(len(pairs), len(scored), len(groups), procedure),
        unit_reason=test.unit.reason or one_scorer_words(evaluation, test),
        differences=tuple(pair.scored.differences for pair in tested),
        items=None if evaluation.split else evaluation.ratings.items,
        baseline=question.baseline,
        margin=question.margin,
        by=question.by,
        seed=question.seed,
        settings=question.settings(
            systems=names,
            metrics=[systems.metric.name for systems in scored],
            unit=test.unit.name,
            baseline_file=asked.settings()["baseline_file"],
        ),
        sides="" if votes is None else side_words(votes, side, question.confidence),
        warnings=comparison_warnings(evaluation, scored, rows, test, effects, groups, question.by),
        load_report=evaluation.load_report,
        inputs=tuple(dict.fromkeys((*evaluation.inputs, *asked.inputs()))),
    )


compare = asks("compare", CompareQuestion, answer)


def _say_idle_positive(
    evaluation: Evaluation, scored: Sequence[ScoredSystems], question: CompareQuestion
) -> Evaluation:
    """Note that a positive category was named and no metric takes one."""
    if question.positive is None or any(each.metric.needs_positive for each in scored):
        return evaluation
    names, takes = ", ".join(each.metric.name for each in scored), "takes" if len(scored) == 1 else "take"
    note = f"--positive {question.positive} changes nothing: {names} {takes} no positive category, as f1 does"
    return replace(evaluation, notes=(*evaluation.notes, note))


def _check_test(question: CompareQuestion, procedure: Procedure, evaluation: Evaluation, n_systems: int) -> None:
    """Refuse a test that does not fit the data."""
    if evaluation.split and (question.items_are == "fixed" or not procedure.pivotal):
        raise InputError("Each item has one system, so items must be random and the test the default one.")
    if evaluation.votes is not None and n_systems > 2 and not procedure.pivotal:
        raise InputError(f"Votes on several systems take the default test, not {procedure.name}; leave --test out.")


def _check_reach(question: CompareQuestion, scored: Sequence[ScoredSystems]) -> None:
    """Refuse a margin or a bar beyond what scores can be, as where 2 stands for two points in a hundred."""
    for systems in scored:
        middle, reach = score_span(systems, 0)
        if not reach or systems.strengths is not None:
            continue
        low, high, title = middle - reach, middle + reach, systems.metric.title
        if question.margin is not None and question.margin >= high - low:
            raise InputError(
                f"--margin {question.margin:g} allows anything: {title} lies between {low:g} and {high:g}; a share is "
                "written 0.02, not 2."
            )
        if question.target_score is not None and not low <= question.target_score <= high:
            raise InputError(
                f"--target-score {question.target_score:g} cannot be reached: {title} lies between {low:g} and "
                f"{high:g}; a share is written 0.9, not 90."
            )


def _assessed(
    question: CompareQuestion,
    evaluation: Evaluation,
    scored: list[ScoredSystems],
    names: list[str],
    test: PairTest,
) -> Comparison:
    """Give the score of one system, or of each against a bar."""
    if evaluation.votes is not None:
        raise InputError("Votes compare systems with each other: give votes on two, and no --target-score.")
    if not test.procedure.pivotal or any(each.metric.contest_of is not None for each in scored):
        raise InputError(
            "One system, or a bar, takes the default test and no wins: leave --test and --metric wins out."
        )
    if question.margin is not None or question.by is not None:
        raise InputError(
            f"Only system '{names[0]}' is there; --margin and --by compare two. Ask for a bar with --target-score."
        )
    return Comparison(
        pairs=(),
        ranking=(),
        scores=tuple(assess(scored, names, test, question.target_score)),
        target_score=question.target_score,
        kind=evaluation.kind,
        ceiling=human_ceiling(evaluation, scored[0]),
        unit_reason=test.unit.reason or one_scorer_words(evaluation, test),
        seed=question.seed,
        settings=question.settings(systems=names, metrics=[each.metric.name for each in scored], unit=test.unit.name),
        warnings=comparison_warnings(evaluation, scored, (), test, {}, {}, None),
        load_report=evaluation.load_report,
        inputs=evaluation.inputs,
    )


def _against_raters(question: CompareQuestion, procedure: Procedure, evaluation: Evaluation) -> Comparison:
    """Compare every system with the raters, each of whom is left out in turn."""
    if evaluation.votes is not None:
        raise InputError("--baseline raters compares answers with raters, and these are votes; leave it out.")
    if not procedure.pivotal:
        raise InputError("--baseline raters has the default test: leave --test out.")
    evaluation, lost = judged_items(evaluation)
    names, _ = choose_pairs(list(evaluation.systems), replace(question, baseline=None))
    scored = score_by_metrics(evaluation, names, question)
    evaluation = _say_idle_positive(evaluation, scored, question)
    _check_reach(question, scored)
    choose = _unit_choice(question, "")
    test = _test(question, procedure, choose(evaluation.ratings), evaluation)
    metrics = [each.asked for each in scored]
    prepared, benches = prepare_judges(evaluation, metrics, names, test, choose)
    judged = judge(tested_pairs(prepared), "judges")
    prepare = partial(_prepare_group, evaluation, metrics, names, test, partial(choose, within_group=True))
    groups, heterogeneity = judge_within(evaluation.ratings, question.by, prepare, len(names) * len(scored))
    ceiling = human_ceiling(evaluation, scored[0])
    ranking, tied = rank_systems(scored[0], names, [], [], test, ceiling)
    rows = tuple(pair_row(pair) for pair in judged)
    first, epsilon = judged[: len(names)], question.allowance
    judges = tuple(judge_row(each, benches[each.tested.a], evaluation, epsilon) for each in first)
    notes = ([lost] if lost else []) + judge_warnings(judges, evaluation.ratings.n_raters or 0)
    return Comparison(
        kind=evaluation.kind,
        pairs=rows,
        ranking=ranking,
        tied=tied,
        ceiling=ceiling,
        judges=judges,
        rater_scores=rater_rows(evaluation, first[0].tested.scored.metric, names, epsilon),
        raters_per_item=float(np.median(evaluation.ratings.size)),
        groups=tuple(
            Group(name, group[0].tested.n_items, tuple(map(pair_row, group))) for name, group in groups.items()
        ),
        heterogeneity=heterogeneity,
        by=question.by,
        family=family_words(len(names), len(scored), len(groups), procedure),
        unit_reason=test.unit.reason,
        differences=tuple(each.tested.scored.differences for each in judged),
        baseline=question.baseline,
        margin=question.margin,
        seed=question.seed,
        settings=question.settings(
            systems=names,
            metrics=[each.metric.name for each in scored],
            unit=test.unit.name,
            epsilon=question.allowance,
        ),
        warnings=(*notes, *comparison_warnings(evaluation, scored, rows, test, {}, {}, None)),
        load_report=evaluation.load_report,
        inputs=evaluation.inputs,
    )


def _prepare_group(
    evaluation: Evaluation,
    metrics: Sequence[Metric],
    names: list[str],
    test: PairTest,
    choose: Callable[..., Unit],
    kept: Array,
    group: str,
) -> list[PreparedPair]:
    """Compare judges with raters on the items kept, ``(item,)``."""
    part = evaluation.keep(kept)
    return prepare_judges(part, metrics, names, test.within(kept, choose(part.ratings), group), choose)[0]


def _rated_by(evaluation: Evaluation) -> str:
    """Say the option for ratings of the systems' own outputs, with the column that looks like it."""
    column = system_column(evaluation.ratings)
    return f"or --rated-system {column or 'COLUMN'} if {'' if column else 'a column says whose '}outputs were rated"


def _read(question: CompareQuestion) -> Evaluation:
    if question.epsilon != CompareQuestion.epsilon and not question.against_raters:
        raise InputError("--epsilon is what a judge may lose: it goes with --baseline raters, so leave it out.")
    evaluation = read_evaluation(
        question.ratings,
        question.answers,
        question.more,
        rated_system=question.rated_system,
        systems=question.wanted,
        missing=question.missing,
        system_column=question.system_column,
        run_column=question.run_column,
        reading=question,
        split=True,
    )
    if not evaluation.system_names:
        raise InputError(f"{evaluation.ratings.name} is alone: give the systems' answers, {_rated_by(evaluation)}.")
    if evaluation.votes is not None:
        _refuse_for_votes(question)
    if evaluation.low_is_good and question.better == "high":
        raise InputError("A low score is the better one, says results.json beside the samples; add --better low.")
    return evaluation


def _refuse_for_votes(question: CompareQuestion) -> None:
    """Refuse what votes do not have: marks, whose low ones may be good, categories and runs."""
    given = {"--better": question.better == "low", "--positive": question.positive, "--run-column": question.run_column}
    idle = [flag for flag, value in given.items() if value]
    if idle:
        raise InputError(f"Votes say who won, so {idle[0]} would do nothing; leave it out.")


def _unit_choice(question: CompareQuestion, by_items_only: str) -> Callable[..., Unit]:
    """Return how the unit of some items is chosen: of all of them, or of a group."""
    return partial(
        choose_unit,
        unit=question.unit,
        raters_are=question.raters_are,
        items_are=question.items_are,
        by_items_only=by_items_only,
    )


def _test(question: CompareQuestion, procedure: Procedure, unit: Unit, evaluation: Evaluation) -> PairTest:
    return PairTest(
        procedure,
        unit,
        question.confidence,
        question.margin,
        question.resamples,
        question.seed,
        {name: answers for name, answers in evaluation.answers.items() if answers.run is not None},
    )
