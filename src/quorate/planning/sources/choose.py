"""What a plan stands on: a population or a pilot, read once, and the source of laws it gives for each metric."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from quorate._errors import InputError
from quorate._text import count
from quorate.data.answers import Answers
from quorate.data.evaluation import read_entry
from quorate.data.load_report import load_report
from quorate.data.ratings import Ratings
from quorate.data.summaries import Probabilities
from quorate.metrics.choose import choose_metric
from quorate.planning.laws.rater_law import RaterModel
from quorate.planning.people import SharedPool
from quorate.planning.question import PlanQuestion
from quorate.planning.sources.leaning_raters import leaning_source
from quorate.planning.sources.pilot import Pilot, PilotSource
from quorate.planning.sources.pilot_groups import ItemGroups, PilotGroupsSource, find_groups
from quorate.planning.sources.pilot_raters import PilotRatersSource, pilot_raters
from quorate.planning.sources.pool import pool_source
from quorate.planning.sources.population import population_source
from quorate.planning.sources.resampled import resampled_source
from quorate.planning.sources.study_source import StudySource
from quorate.populations.choice import choose
from quorate.populations.population import Population

__all__ = ["Ground", "find_ground"]

AS_NEW = "they are planned for as if they were new on every item"
ITEMS = ("items", "items+answers", "raters-within-items")
"""Units in which items are independent: raters are new on every item."""


@dataclass(frozen=True)
class Ground:
    """What a plan stands on.

    Parameters
    ----------
    source
        From the name of a metric, or None for the default, to the source of its laws.
    settings
        The population, or the pilot and its systems, as settings say them.
    load_report, warnings
        What was read, and where a fitted population does not describe its ratings.
    """

    source: Callable[[str | None], StudySource]
    settings: Mapping[str, Any]
    load_report: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def find_ground(question: PlanQuestion) -> Ground:
    """Read the pilot a question names, or find its population."""
    if question.pilot is not None:
        ratings, systems = question.pilot
        return _pilot_ground(question, ratings, systems.answers, {"pilot": [ratings.name, systems.name]})
    if question.with_answers is not None:
        entry = read_entry(
            question.from_ratings,
            question.with_answers,
            rated_system=None,
            systems=question.systems,
            missing=question.missing,
            system_column=question.system_column,
            run_column=question.run_column,
            reading=cast(Any, question.reading),
        )
        return _pilot_ground(question, entry.ratings, entry.answers, {}, (*load_report(entry.ratings), *entry.loading))
    chosen = choose(question)
    return Ground(
        lambda metric: _of_population(question, chosen.population, metric),
        {"population": chosen.settings},
        chosen.load_report,
        chosen.warnings,
    )


def _pilot_ground(
    question: PlanQuestion,
    ratings: Ratings,
    answers: Mapping[str, Answers],
    settings: Mapping[str, Any],
    report: tuple[str, ...] = (),
) -> Ground:
    names = _two_systems(question, answers)
    pair = {name: answers[name] for name in names}
    return Ground(lambda metric: _of_pilot(question, ratings, pair, metric), {**settings, "systems": names}, report)


def _of_population(question: PlanQuestion, population: Population, metric: str | None) -> StudySource:
    """Return the source of a population: its raters lean, come back, share the work, or are new on every item."""
    if population.leanings is not None:
        return leaning_source(question, population.leanings, metric)
    if population.crossed_ratings is not None:
        return resampled_source(question, population.crossed_ratings, metric)
    return (population_source if question.pool is None else pool_source)(question, population, metric)


def _of_pilot(
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


def _two_systems(question: PlanQuestion, answers: Mapping[str, Answers]) -> tuple[str, str]:
    names = list(question.systems or answers)
    for name in names:
        if name not in answers:
            raise InputError(f"There is no system '{name}'; there are {', '.join(list(answers)[:12])}.")
    if len(names) != 2 or names[0] == names[1]:
        raise InputError(f"A plan is about two systems, and there are {len(set(names))}; name them with --systems A,B.")
    return names[0], names[1]


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
