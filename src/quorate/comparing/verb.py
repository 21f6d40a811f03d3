"""`compare`: is system A really better than B – or is my leaderboard noise?"""

from functools import partial

from quorate._errors import InputError
from quorate._question import asks
from quorate.comparing.groups import judge_groups
from quorate.comparing.judged_pairs import judge
from quorate.comparing.leaderboard import rank_systems
from quorate.comparing.pair_rows import group_row, pair_row
from quorate.comparing.question import CompareQuestion
from quorate.comparing.result import Comparison
from quorate.comparing.scoring import choose_pairs, reason_for_items_only, score_by_metrics
from quorate.comparing.tested_pairs import PairTest, run_pair_tests
from quorate.comparing.warnings import comparison_warnings, family_words
from quorate.data.evaluation import Evaluation, read_evaluation
from quorate.inference.procedures import find_procedure
from quorate.inference.sample_size import design_effects
from quorate.inference.units import choose_unit, item_groups

__all__ = ["answer", "compare"]


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
    names, pairs = choose_pairs(list(evaluation.systems), question)
    scored = score_by_metrics(evaluation, names, question)
    choose = partial(
        choose_unit,
        unit=question.unit,
        raters_are=question.raters_are,
        items_are=question.items_are,
        by_items_only=reason_for_items_only(scored, procedure),
    )
    test = PairTest(
        procedure,
        choose(evaluation.ratings, rated=evaluation.rated),
        question.confidence,
        question.margin,
        question.resamples,
        question.seed,
        {name: answers for name, answers in evaluation.answers.items() if answers.run is not None},
    )
    tested = run_pair_tests(scored, names, pairs, test)
    judged = judge(tested, "all")
    groups, heterogeneity = judge_groups(
        scored,
        names,
        pairs,
        test,
        by=question.by,
        ratings=evaluation.ratings,
        rated=evaluation.rated,
        choose_unit=choose,
    )
    ranking, tied = rank_systems(scored[0], names, pairs, judged[: len(pairs)], test)
    groupings = {name: item_groups(evaluation.ratings, name) for name in evaluation.ratings.item_groups}
    effects = design_effects([pair.scored.differences for pair in tested[: len(pairs)]], groupings)
    rows = tuple(pair_row(pair) for pair in judged)
    return Comparison(
        pairs=rows,
        ranking=ranking,
        tied=tied,
        groups=tuple(group_row(group) for group in groups),
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
    """Read ratings and answers, or ratings of the systems' outputs."""
    evaluation = read_evaluation(
        question.ratings,
        question.answers,
        rated_system=question.rated_system,
        systems=question.wanted,
        missing=question.missing,
        system_column=question.system_column,
        run_column=question.run_column,
        reading=question,
    )
    if not evaluation.systems:
        raise InputError("Give the systems' answers, or --rated-system COLUMN if their outputs were rated; not both.")
    return evaluation
