"""`compare`: is system A really better than B – or is my leaderboard noise?"""

from collections.abc import Callable
from functools import partial

from quorate._errors import InputError
from quorate._question import asks
from quorate.comparing.judged_pairs import judge, judge_groups
from quorate.comparing.leaderboard import rank_systems
from quorate.comparing.question import CompareQuestion
from quorate.comparing.result import Comparison, Group, pair_row
from quorate.comparing.tested_pairs import (
    PairTest,
    choose_pairs,
    reason_for_items_only,
    run_pair_tests,
    score_by_metrics,
)
from quorate.comparing.warnings import comparison_warnings, family_words
from quorate.data.evaluation import Evaluation, read_evaluation
from quorate.inference.procedures import Procedure, find_procedure
from quorate.inference.sample_size import design_effects
from quorate.inference.units import Unit, choose_unit, item_groups


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
    procedure = find_procedure(question.test)
    evaluation = _read(question)
    if evaluation.split and (question.items_are == "fixed" or not procedure.pivotal):
        raise InputError("Each item has one system, so items must be random and the test the default one.")
    names, pairs = choose_pairs(list(evaluation.systems), question)
    scored = score_by_metrics(evaluation, names, question)
    choose = _unit_choice(question, reason_for_items_only(scored, procedure))
    test = _test(question, procedure, choose(evaluation.ratings, rated=evaluation.rated), evaluation)
    tested = run_pair_tests(scored, names, pairs, test)
    judged = judge(tested, "all")
    groups, heterogeneity = judge_groups(
        scored, names, pairs, test, by=question.by, evaluation=evaluation, choose_unit=choose
    )
    ranking, tied = rank_systems(scored[0], names, pairs, judged[: len(pairs)], test)
    groupings = {name: item_groups(evaluation.ratings, name) for name in evaluation.ratings.item_groups}
    effects = design_effects([pair.scored.differences for pair in tested[: len(pairs)]], groupings)
    rows = tuple(pair_row(pair) for pair in judged)
    return Comparison(
        pairs=rows,
        ranking=ranking,
        tied=tied,
        groups=tuple(
            Group(name, group[0].tested.n_items, tuple(pair_row(pair) for pair in group))
            for name, group in groups.items()
        ),
        heterogeneity=heterogeneity,
        design_effects=effects,
        family=family_words(len(pairs), len(scored), len(groups), procedure),
        unit_reason=test.unit.reason,
        differences=tuple(pair.scored.differences for pair in tested),
        baseline=question.baseline,
        margin=question.margin,
        by=question.by,
        seed=question.seed,
        settings=question.settings(
            systems=names, metrics=[systems.metric.name for systems in scored], unit=test.unit.name
        ),
        warnings=comparison_warnings(evaluation, scored, rows, test, effects, groups, question.by),
        load_report=evaluation.load_report,
        inputs=evaluation.inputs,
    )


compare = asks("compare", CompareQuestion, answer)


def _read(question: CompareQuestion) -> Evaluation:
    evaluation = read_evaluation(
        question.ratings,
        question.answers,
        rated_system=question.rated_system,
        systems=question.wanted,
        missing=question.missing,
        system_column=question.system_column,
        run_column=question.run_column,
        reading=question,
        split=True,
    )
    if not evaluation.systems:
        raise InputError("Give the systems' answers, or --rated-system COLUMN if their outputs were rated; not both.")
    return evaluation


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
