"""Which source a pilot is: its raters new on every item, or random because they come back, or its items in groups."""

from collections.abc import Mapping
from dataclasses import replace

from quorate._errors import InputError
from quorate._text import count
from quorate.data.answers import Answers
from quorate.data.ratings import Ratings
from quorate.data.summaries import Probabilities
from quorate.metrics.registry import choose_metric
from quorate.planning.laws.rater_law import RaterModel
from quorate.planning.people import SharedPool
from quorate.planning.question import PlanQuestion
from quorate.planning.sources.pilot import Pilot, PilotSource
from quorate.planning.sources.pilot_groups import ItemGroups, PilotGroupsSource, find_groups
from quorate.planning.sources.pilot_raters import PilotRatersSource, pilot_raters
from quorate.planning.sources.study_source import StudySource

__all__ = ["pilot_source", "two_systems"]

AS_NEW = "they are planned for as if they were new on every item"
ITEMS = ("items", "items+answers", "raters-within-items")
"""Units in which items are independent: raters are new on every item."""


def pilot_source(
    question: PlanQuestion, ratings: Ratings, answers: Mapping[str, Answers], metric: str | None
) -> StudySource:
    """Return the source of observed differences, their mean set to the one asked for."""
    first, second = answers
    a, b = (each.summary for each in answers.values())
    difference = _check_pilot(question)
    score = choose_metric(
        metric,
        ratings.scale.kind,
        labels=ratings.scale.categories,
        positive=question.positive,
        variant=question.variant,
        probabilities=isinstance(a, Probabilities) or isinstance(b, Probabilities),
    )
    pilot = Pilot(score, ratings.summary, a, b, difference, question.seed)
    if not pilot.observed.any():
        raise InputError(f"{first} and {second} score the same on every pilot item: there is no spread to plan from.")
    words = f"with the spread seen in {len(pilot.observed):,} pilot items, {first} against {second}"
    one_rater = "the pilot has one rater per item, so it cannot tell what more raters would bring."
    warnings = (one_rater,) if pilot.components is None and score.linear else ()
    plain = PilotSource(metric=score, assumption=words, pilot=pilot, warnings=warnings)
    if question.unit in ITEMS:
        return plain
    if question.unit in ("auto", "items+raters"):
        return _with_raters(question, plain, ratings)
    groups = ItemGroups(pilot, find_groups(ratings, question.unit))
    words += (
        f", in {count(groups.number, 'group')} ({question.unit}) that are drawn as a whole "
        f"(design effect {groups.design_effect:.1f})"
    )
    return PilotGroupsSource(metric=score, assumption=words, pilot=pilot, groups=groups, warnings=warnings)


def two_systems(question: PlanQuestion, answers: Mapping[str, Answers]) -> dict[str, Answers]:
    """Return the answers of the two systems a plan is about, the one expected to be better first."""
    names = list(question.systems or answers)
    for name in names:
        if name not in answers:
            raise InputError(f"There is no system '{name}'; there are {', '.join(list(answers)[:12])}.")
    if len(names) != 2 or names[0] == names[1]:
        raise InputError(f"A plan is about two systems, and there are {len(set(names))}; name them with --systems A,B.")
    return {name: answers[name] for name in names}


def _check_pilot(question: PlanQuestion) -> float:
    """Refuse what a pilot shows by itself; return the difference to plan for."""
    shown = {
        "effect": question.effect,
        "score": question.score,
        "systems-agree": question.systems_agree,
        "answers": question.answers,
    }
    for name, value in shown.items():
        if value is not None:
            raise InputError(f"--{name} has no meaning with --with: the answers show it; leave it out.")
    if question.rater_share is not None:
        raise InputError("--rater-share has no meaning with --with: the ratings show it; leave it out.")
    if question.difference is None:
        raise InputError("With a pilot say --difference: the difference that matters, in the metric's units.")
    return question.difference


def _with_raters(question: PlanQuestion, plain: PilotSource, ratings: Ratings) -> StudySource:
    """Count the raters of a pilot as random where they come back on other items."""
    pilot = plain.pilot
    raters = pilot_raters(pilot.metric, ratings, pilot.a, pilot.b)
    insists = question.pool is not None or question.unit != "auto"
    if raters is None:
        why = _why_new(pilot, ratings)
        if insists:
            raise InputError(f"Raters cannot be counted as random: {why}; leave --pool and --unit out.")
        shared = ratings.rater is not None and len(ratings.pair_starts) > (ratings.n_raters or 0)
        return _warned(plain, f"raters come back on other items, but {why}: {AS_NEW}.") if shared else plain
    if raters.only is not None and not insists and question.rater_numbers != (raters.only,):
        return _warned(
            plain,
            f"raters come back on other items, and {AS_NEW}: with --raters {raters.only}, the pilot's, they count.",
        )
    pool = max(raters.n_raters, 2) if question.pool is None else question.pool
    model = RaterModel(pilot.difference, raters.parts, None, pool, question.max_per_rater)
    back = f"; its {count(raters.n_raters, 'rater')} came back on other items, so raters count as random"
    return PilotRatersSource(
        metric=pilot.metric,
        assumption=plain.assumption + back,
        warnings=plain.warnings,
        pilot=pilot,
        people=SharedPool(model, pool),
        raters=raters,
    )


def _why_new(pilot: Pilot, ratings: Ratings) -> str:
    """Why a pilot does not tell how its raters differ."""
    if ratings.n_raters == 1:
        return "one person rated the whole pilot, which does not show how people differ"
    if not pilot.metric.linear:
        return f"{pilot.metric.title} does not split by rater, or not with so uneven a number of raters per item"
    return "the pilot does not say who its raters are, or none of them comes back"


def _warned(source: PilotSource, warning: str) -> PilotSource:
    return replace(source, warnings=(*source.warnings, warning))
