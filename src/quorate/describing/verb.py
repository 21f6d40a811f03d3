"""`describe`: what have I got, how much do my raters disagree, and who rated what?"""

from dataclasses import dataclass, replace

import numpy as np

from quorate._errors import InputError
from quorate._question import asks
from quorate._random import generator
from quorate._text import count
from quorate.agreement.disagreement import item_disagreement, item_spread, krippendorff_alpha, most_disputed
from quorate.agreement.rater_habits import GroupHabits, Habits, group_habits, rater_habits
from quorate.agreement.variance_parts import variance_components
from quorate.data.evaluation import load_report, read_evaluation
from quorate.data.rated_outputs import read_outputs_apart, system_column
from quorate.data.ratings import Ratings
from quorate.data.topology import topology
from quorate.describing.question import DescribeQuestion
from quorate.describing.result import Description, response_label
from quorate.describing.system_means import SystemMean, system_mean
from quorate.describing.system_votes import SystemVotes, system_votes
from quorate.inference.alpha_interval import alpha_interval

MOST_GROUPS = 20
"""Groups of raters listed without being asked for."""
FEWEST_ITEMS = 10
"""Over fewer items nothing shows how far alpha may be off; a rule of thumb of ours."""


def answer(question: DescribeQuestion) -> Description:
    """Describe ratings: how many there are, who rated what, how much raters disagree, and on which items.

    Examples
    --------
    >>> description = describe("example:support")
    >>> description.ratings.n_items, description.topology.kind
    (120, 'sparse')
    """
    read = _read(question)
    ratings = read.ratings
    summary, scale = ratings.summary, ratings.scale
    spread, habits = None if scale.levels is None else item_spread(summary), rater_habits(ratings)
    rng = generator(question.seed, "describe", "alpha")
    return Description(
        ratings=ratings,
        topology=topology(ratings),
        agreement=alpha_interval(krippendorff_alpha(summary, scale.kind, rng=rng), question.confidence),
        variance=variance_components(
            ratings.item,
            ratings.rater,
            ratings.response,
            n_categories=scale.n_levels if scale.levels is None else None,
            levels=scale.levels,
            repeats=None if ratings.n_responses == len(ratings.count) else ratings.count,
            most=ratings.at_once,
        ),
        disagreement=item_disagreement(summary),
        spread=spread,
        disputed=most_disputed(summary, question.top, by=spread),
        habits=habits,
        rater_groups=_groups(ratings, question.rater_groups),
        systems=read.systems,
        votes=read.votes,
        asked_items=read.asked_items,
        seed=question.seed,
        settings=question.settings(roles=dict(ratings.columns)),
        warnings=tuple(_warnings(ratings, habits)),
        load_report=read.report,
        inputs=question.inputs(),
    )


describe = asks("describe", DescribeQuestion, answer)


@dataclass(frozen=True)
class DescribedData:
    """What was read: of rated outputs each output is an item, of votes each pair of outputs."""

    ratings: Ratings
    report: tuple[str, ...]
    systems: tuple[SystemMean, ...] = ()
    votes: tuple[SystemVotes, ...] = ()
    asked_items: int | None = None


def _read(question: DescribeQuestion) -> DescribedData:
    """Read the ratings, and what systems got: means of rated outputs, shares of votes."""
    if question.rated_system is None:
        evaluation = read_evaluation(question.ratings, reading=question)
        votes, read = evaluation.votes, DescribedData(evaluation.opinions, evaluation.load_report)
        return read if votes is None else replace(read, votes=system_votes(votes), asked_items=votes.ratings.n_items)
    if isinstance(question.ratings, Ratings):
        raise InputError("--rated-system needs the table of ratings itself: ratings already read have lost the column.")
    whole, parts = read_outputs_apart(question.ratings, question.rated_system, reading=question)
    if whole.scale.levels is None:
        raise InputError(
            f"{whole.name}: marks are words ({', '.join(whole.scale.categories[:6])}), which have no mean; say which "
            "is best with --order low,mid,high."
        )
    means = tuple(system_mean(name, part, question.confidence) for name, part in parts.items())
    asked = len({item for part in parts.values() for item in part.items})
    return DescribedData(whole, tuple(load_report(whole)), means, asked_items=asked)


def _groups(ratings: Ratings, column: str | None) -> dict[str, list[GroupHabits]]:
    """Return the habits of groups of raters; many groups are listed only if asked for."""
    if column is not None and column not in ratings.rater_groups:
        there = ", ".join(ratings.rater_groups) or "none"
        raise InputError(f"--rater-groups: '{column}' is not a column that groups the raters (there are: {there}).")
    columns = [column] if column is not None else list(ratings.rater_groups)
    habits = {name: group_habits(ratings, ratings.rater_groups[name]) for name in columns}
    return {name: groups for name, groups in habits.items() if column or 2 <= len(groups) <= MOST_GROUPS}


def _warnings(ratings: Ratings, habits: Habits | None) -> list[str]:
    single = int((ratings.size == 1).sum())
    judged = ratings.n_items - single
    warnings: list[str] = []
    column = system_column(ratings)
    if column is not None:
        warnings.append(
            f"column '{column}' says whose output was rated, and ratings of all are taken together here: "
            f"--rated-system {column} tells them apart."
        )
    if judged == 0:
        warnings.append("every item has one response, so disagreement cannot be seen; have some items rated twice.")
    elif single:
        warnings.append(f"{count(single, 'item')} with one response say nothing about disagreement.")
    if 0 < judged < FEWEST_ITEMS:
        warnings.append(f"the interval of alpha rests on {count(judged, 'item')} only; do not rely on it.")
    if ratings.n_raters is None:
        warnings.append("raters are unknown, so their share in the disagreement cannot be seen.")
    if habits is not None and habits.always.any():
        warnings.append(_constant_raters(ratings, np.flatnonzero(habits.always).tolist(), habits))
    return warnings


def _constant_raters(ratings: Ratings, constant: list[int], habits: Habits) -> str:
    """Name the raters who gave one answer to (nearly) everything, where the others did not."""
    assert ratings.raters is not None
    names = [f"{ratings.raters[j]} ({response_label(ratings, int(habits.usual[j]))})" for j in constant[:5]]
    more = f" and {len(constant) - 5:,} more" if len(constant) > 5 else ""
    who = count(len(constant), "rater")
    return f"{who} gave one answer to nearly everything, where others did not: {', '.join(names)}{more}."
