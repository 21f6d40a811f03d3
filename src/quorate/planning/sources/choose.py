"""Where item laws come from: a population with perturbed systems, or a pilot with the systems' answers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite

from quorate._errors import InputError
from quorate._text import count
from quorate.data.ratings import Ratings
from quorate.data.summaries import Probabilities, Summary
from quorate.data.systems import Systems
from quorate.metrics.choose import choose_metric
from quorate.metrics.metric import Metric, Variant
from quorate.metrics.registry import find_metric
from quorate.planning.effects import agreement_weight, solve_effect, solve_score
from quorate.planning.laws.crossed_law import crossed_law
from quorate.planning.laws.law import Law
from quorate.planning.laws.rater_law import RaterModel
from quorate.planning.laws.simulated import item_law
from quorate.planning.metric_choice import population_metric
from quorate.planning.scenario import Scenario
from quorate.planning.sources.leaning_raters import leaning_model, shift_for
from quorate.planning.sources.pilot import Pilot
from quorate.planning.sources.pilot_groups import Groups, find_groups
from quorate.planning.sources.pilot_raters import PilotRaters, pilot_raters
from quorate.planning.staffing import ITEMS, Limits, Staffing, limited, shared_raters
from quorate.populations.population import Answers, Population
from quorate.populations.shared_raters import SharedRaters

__all__ = ["Laws", "Question", "Source", "from_pilot", "from_population"]

AS_NEW = "they are planned for as if they were new on every item"
COARSE = 0.03
"""First relative error of the mean difference: enough to tell which numbers of raters are worth a closer look."""


@dataclass(frozen=True)
class Question:
    """What must be seen, by which metric, of which systems; the fields are `quorate.plan`'s."""

    metric: str | None
    difference: float | None
    effect: float | None
    margin: float | None
    score: float | None
    systems_agree: float | None
    at_raters: int
    answers: Answers | None
    positive: str | None
    variant: Variant
    seed: int
    staffing: Staffing = field(default_factory=Staffing)
    raters: Sequence[int] | None = None

    def check(self) -> None:
        """Refuse what cannot be asked."""
        if self.difference is not None and self.effect is not None:
            raise InputError("Give --difference or --effect, not both.")
        if self.difference is not None and not 0 <= self.difference < float("inf"):
            raise InputError(
                f"--difference {self.difference:g} must be a number from 0 up: name the better system first."
            )
        if self.margin is None and (self.difference == 0 or (self.effect == 0 and self.score is None)):
            raise InputError("Without a difference there is nothing to see; give --margin to plan for no worse than.")
        if self.score is not None and not isfinite(self.score):
            raise InputError(f"--score {self.score:g} is not a score; give a number.")
        if isinstance(self.answers, int) and self.answers < 1:
            raise InputError(f"--answers {self.answers} must be at least 1, raters or probabilities.")
        if self.at_raters < 1:
            raise InputError(f"--at-raters {self.at_raters} must be at least 1.")
        self.staffing.check()


@dataclass(frozen=True)
class Source:
    """Laws by number of raters and wanted error, and the words for what is assumed."""

    metric: Metric
    law: Callable[[int, float], Law]
    effect: float | None
    explained: str
    answers: Answers | None = None
    most_raters: int | None = None
    most_people: int | None = None
    only: int | None = None
    setting: Scenario | None = None
    pilot: Pilot | None = None
    crossed: bool = False
    raters: RaterModel | None = None
    limits: Limits | None = None
    pilot_raters: PilotRaters | None = None
    notes: tuple[str, ...] = ()

    def staffed(self, model: RaterModel) -> "Source":
        """Return the same source with the people of a model."""
        return replace(self, raters=model, law=lambda k, _: model.law(k))


class Laws:
    """Item laws by number of raters, kept, and sharpened on request."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._kept: dict[int, tuple[float, Law]] = {}

    def __call__(self, n_raters: int) -> Law:
        """Return the law as well as it is known."""
        return self.at_least(n_raters, COARSE)

    def at_least(self, n_raters: int, target: float) -> Law:
        """Return the law with at most this relative error of its mean."""
        kept = self._kept.get(n_raters)
        if kept is None or (kept[0] > target and kept[1].draws > 0):
            kept = target, self._source.law(n_raters, target)
            self._kept[n_raters] = kept
        return kept[1]


def from_population(population: Population, question: Question) -> Source:
    """Return item laws of systems perturbed so that they differ as asked.

    Examples
    --------
    >>> from quorate.populations.dirichlet import DirichletPopulation
    >>> ask = Question("agreement", 0.03, None, None, None, None, 5, None, None, "default", 0)
    >>> round(from_population(DirichletPopulation((5.22, 0.86, 2.75)), ask).effect, 3)
    0.169
    """
    if population.leanings is not None:
        return _from_leanings(population.leanings, question)
    variant = question.variant
    usual: Answers = "raters" if variant == "paper" else 1
    answers = usual if question.answers is None else question.answers
    metric = population_metric(population, question.metric, answers, question.positive, variant)
    crossed = population.crossed_ratings
    setting = Scenario(_uncrossed(population), metric, 0.0, answers=answers, seed=question.seed)
    held = 1 if metric.linear and answers != "raters" else question.at_raters
    if question.score is not None:
        setting = replace(setting, effect_a=solve_score(setting, question.score, held))
    if question.effect is not None:
        solved = population.checked_effect(question.effect)
    elif question.difference is not None:
        solved = solve_effect(setting, question.difference, held)
    else:
        raise InputError("Say what must be seen: --difference in the metric's units, or --effect.")
    setting = replace(setting, effect=solved)
    if question.systems_agree is not None:
        setting = replace(setting, agree=agreement_weight(setting, question.systems_agree))
    margin, words = question.margin or 0.0, _effect_words(population, solved, setting.effect_a)

    world = replace(setting, population=_with_systems(population, paper=variant == "paper"))

    def law(n_raters: int, target: float) -> Law:
        if crossed is not None:
            return crossed_law(world, n_raters, target=target, pool=question.staffing.pool)
        return item_law(setting, n_raters, target=target, margin=margin)

    source = Source(metric, law, solved, words, answers, setting=world, crossed=crossed is not None)
    if crossed is not None:
        people = crossed.most_people
        return replace(source, most_people=people, limits=limited(world, crossed, question.staffing))
    if question.staffing.pool is None:
        return source
    return source.staffed(shared_raters(setting, question.staffing, margin))


def _from_leanings(population: SharedRaters, question: Question) -> Source:
    """Return rater laws of a world of leaning raters, all leanings shifted so that A is better as asked."""
    for flag in ("score", "systems_agree", "answers"):
        if getattr(question, flag) is not None:
            raise InputError(f"--{flag.replace('_', '-')} has no meaning with shared-raters; leave it out.")
    if question.metric not in (None, "agreement", "brier"):
        raise InputError("shared-raters is planned by agreement; leave --metric out.")
    if question.effect is None and question.difference is None:
        raise InputError("Say what must be seen: --difference in agreement, or --effect.")
    shift = question.effect if question.effect is not None else shift_for(population, question.difference or 0.0)
    model = leaning_model(population, population.checked_effect(shift), question.staffing)
    words = f"if raters lean towards A by {shift:.3f} on average, and apart with a spread of {population.lean:g}"
    metric = find_metric(question.metric or "agreement")
    return Source(metric, lambda k, _: model.law(k), shift, words, 1).staffed(model)


def from_pilot(pilot: tuple[Ratings, Systems], systems: Sequence[str] | None, question: Question) -> Source:
    """Return item laws from the observed differences, their mean set to the one asked for."""
    ratings, given = pilot
    names = list(systems) if systems else list(given.names)
    for system in names:
        if system not in given.answers:
            raise InputError(f"There is no system '{system}'; there are {', '.join(given.names[:12])}.")
    if len(names) != 2 or names[0] == names[1]:
        raise InputError(f"A plan is about two systems, and there are {len(set(names))}; name them with --systems A,B.")
    for flag in ("effect", "score", "systems_agree", "answers"):
        if getattr(question, flag) is not None:
            raise InputError(
                f"--{flag.replace('_', '-')} has no meaning with --with: the answers show it; leave it out."
            )
    if question.staffing.rater_share is not None:
        raise InputError("--rater-share has no meaning with --with: the ratings show it; leave it out.")
    if question.difference is None:
        raise InputError("With a pilot say --difference: the difference that matters, in the metric's units.")
    a, b = (given.answers[system].summary for system in names)
    metric = choose_metric(
        question.metric,
        ratings.scale.kind,
        labels=ratings.scale.categories,
        positive=question.positive,
        variant=question.variant,
        probabilities=isinstance(a, Probabilities) or isinstance(b, Probabilities),
    )
    study = Pilot(metric, ratings.summary, a, b, question.difference, question.seed)
    if not study.observed.any():
        raise InputError(
            f"{names[0]} and {names[1]} score the same on every pilot item: there is no spread to plan from."
        )
    words = f"with the spread seen in {len(study.observed):,} pilot items, {names[0]} against {names[1]}"
    source = Source(metric, lambda k, _: study.law(k), None, words, most_raters=study.most_raters, pilot=study)
    unit = question.staffing.unit
    if unit in ITEMS:
        return source
    if unit in ("auto", "items+raters"):
        return _with_raters(source, ratings, (a, b), question)
    return _with_groups(source, Groups(study, find_groups(ratings, unit)), unit)


def _with_groups(source: Source, groups: Groups, unit: str) -> Source:
    words = (
        f"{source.explained}, in {count(groups.number, 'group')} ({unit}) that are drawn as a whole "
        f"(design effect {groups.design_effect:.1f})"
    )
    return replace(source, law=lambda k, _: groups.law(k), explained=words)


def _with_raters(source: Source, ratings: Ratings, systems: tuple[Summary, Summary], question: Question) -> Source:
    """Count the raters of a pilot as random where they come back on other items."""
    found = pilot_raters(source.metric, ratings, *systems)
    if found is None:
        why = "the pilot does not say who its raters are, or none of them comes back"
        if ratings.n_raters == 1:
            why = "one person rated the whole pilot, which does not show how people differ"
        elif not source.metric.linear:
            why = f"{source.metric.title} does not split by rater, or not with so uneven a number of raters per item"
        if question.staffing.pool is not None or question.staffing.unit != "auto":
            raise InputError(f"Raters cannot be counted as random: {why}; leave --pool and --unit out.")
        shared = ratings.rater is not None and len(ratings.pair_starts) > (ratings.n_raters or 0)
        return replace(source, notes=(f"raters come back on other items, but {why}: {AS_NEW}.",) if shared else ())
    pool, asked = question.staffing.pool, question.staffing.pool is not None or question.staffing.unit != "auto"
    if found.only is not None and not asked and list(question.raters or ()) != [found.only]:
        note = f"raters come back on other items, and {AS_NEW}: with --raters {found.only}, the pilot's, they count."
        return replace(source, notes=(note,))
    model = RaterModel(
        mean=question.difference or 0.0,
        parts=found.parts,
        null=None,
        pool=max(found.n_raters, 2) if pool is None else pool,
        max_per_rater=question.staffing.max_per_rater,
    )
    words = (
        f"{source.explained}; its {count(found.n_raters, 'rater')} came back on other items, so raters count as random"
    )
    most = 1 if found.one_rater else found.only
    return replace(source.staffed(model), explained=words, most_raters=most, only=found.only, pilot_raters=found)


def _with_systems(population: Population, *, paper: bool) -> Population:
    """Let systems answer item by item where raters are crossed.

    Deviates: [multilevel] lets A and B answer like a set of raters, another one in every study, so that who A is
    counts as chance. A study to plan compares the same two systems, however often it is repeated.
    """
    crossed = population.crossed_ratings
    return population if paper or crossed is None else replace(crossed, anew=True)


def _uncrossed(population: Population) -> Population:
    """An effect is solved on independent items, raters drawn anew for each: expected scores are the same."""
    crossed = population.crossed_ratings
    return population if crossed is None else replace(crossed, unit="raters-within-items")


def _effect_words(population: Population, effect: float, effect_a: float) -> str:
    if effect == 0 and effect_a == 0:
        return "if both systems answer like a random rater"
    own = f", {effect_a:.3f} for A" if effect_a > 0 else ""
    return f"{population.effect_words(effect)} (ε = {effect:.3f}{own})"
