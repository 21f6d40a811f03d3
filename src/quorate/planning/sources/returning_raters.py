"""Plan from a population whose raters come back: a pool that shares the items, leanings, a table.

Leaning raters: rater j sides with A on item i if item_i + lean_j + noise_ij + shift > 0, all normal. The difference is
+1 or −1. With s² = 1 + σ_item² + σ_lean², its mean is 2 Φ(shift / s) − 1; given one part u the mean is
2 Φ((shift + u) / sqrt(s² − σ_u²)) − 1, whose variance over u is that part's component, by Gauss–Hermite sums. What is
left of 1 − mean² is item × rater with the noise.
"""

from dataclasses import dataclass, replace
from math import sqrt
from typing import ClassVar

import numpy as np

from quorate._errors import InputError
from quorate._text import count
from quorate.agreement.variance_parts import VarianceParts
from quorate.data.ratings import Ratings
from quorate.metrics.registry import find_metric
from quorate.planning.laws.item_law import Law
from quorate.planning.laws.rater_law import RaterLaw, crossed_law
from quorate.planning.people import SharedPool, TablePool
from quorate.planning.question import PlanQuestion
from quorate.planning.scenario import Scenario, scenario_reach
from quorate.planning.search import Anyone, People, StudySource
from quorate.planning.sources.pilot import FEWEST_RATERS
from quorate.planning.sources.population import (
    PopulationSource,
    effect_words,
    find_scenario,
    item_law,
    population_source,
)
from quorate.planning.sources.shown_share import shown_share
from quorate.populations.population import Population
from quorate.populations.resampled import EmpiricalPopulation
from quorate.populations.shared_raters import SharedRaters

NODES = 80
"""Nodes of the Gauss–Hermite sums."""
NEW_WORDS = (
    "raters come back on other items, but this score does not split by rater: they are planned for as if they were new "
    "on every item."
)
SYSTEMS_WORDS = (
    "ratings alone do not show how far raters differ about two systems: they differ more about a B that errs in one "
    "direction than about one that errs at random, as is planned for here. A pilot with answers (--with) shows it."
)
FEW_WORDS = (
    "a pool can hardly be planned from the ratings of {}: other people may differ by far more or less than these, and "
    f"the promised power takes them to differ as these do. Ask {FEWEST_RATERS} people or more first."
)


@dataclass(frozen=True, kw_only=True)
class PoolSource(StudySource):
    """Laws of studies whose items are shared by a pool of people."""

    raters_return: ClassVar[bool] = True
    people: SharedPool

    def law(self, n_raters: int, target: float) -> Law:
        """Return the law of studies with these people."""
        return replace(self.people.law, n_raters=n_raters)


def pool_source(question: PlanQuestion, population: Population, metric: str | None) -> PoolSource:
    """Return the source of a population with a pool of people."""
    scenario = find_scenario(question, population, metric)
    law = split_spread(scenario, question)
    return PoolSource(
        metric=scenario.metric,
        assumption=effect_words(scenario),
        effect=scenario.effect,
        answers=scenario.answers,
        people=SharedPool(law, law.pool),
        reach=scenario_reach(scenario),
    )


def rated_source(
    question: PlanQuestion, population: Population, ratings: Ratings, metric: str | None
) -> PoolSource | PopulationSource:
    """Return the source of a population fitted to ratings: their raters count as random if they come back.

    As many people as rated share the study's items unless a pool is named, for `compare` will count them.
    """
    plain = population_source(question, population, metric)
    back = ratings.rater is not None and ratings.n_pairs > (ratings.n_raters or 0) > 1
    share = shown_share(plain.scenario, ratings) if back else None
    if share is None:
        if question.pool is not None or question.unit != "auto":
            return pool_source(question, population, metric)
        return replace(plain, warnings=(*plain.warnings, NEW_WORDS)) if back else plain
    people = ratings.n_raters or 0
    pooled = replace(question, pool=question.pool or people, rater_share=share)
    source = pool_source(pooled, population, metric)
    words = f"its {count(people, 'rater')} came back on other items, so raters count as random"
    few = (FEW_WORDS.format(count(people, "rater")),) if people < FEWEST_RATERS else ()
    return replace(source, assumption=f"{source.assumption}; {words}", warnings=(*source.warnings, SYSTEMS_WORDS, *few))


def split_spread(scenario: Scenario, question: PlanQuestion) -> RaterLaw:
    """Split the spread among the raters of an item, by the share that is said to be their own."""
    if question.rater_share is None or question.pool is None:
        raise InputError(
            "A pool matters only if raters differ, and this population does not say how much: give --rater-share, or "
            "plan from data with --from RATINGS --with ANSWERS, or --resample RATINGS --resample-unit items+raters."
        )
    if not scenario.metric.linear or scenario.answers == "raters":
        raise InputError(
            "--pool needs a score that splits by rater, and systems that answer as often whatever the raters do: use "
            "agreement, brier or crps, and leave --answers raters out."
        )
    one, two = (item_law(scenario, k, target=0.009, margin=question.margin or 0.0) for k in (1, 2))
    share = question.rater_share
    return RaterLaw(
        mean=one.mean,
        parts=_split(one.sd**2, two.sd**2, share),
        null=_split(one.null_sd**2, two.null_sd**2, share),
        pool=question.pool,
        max_per_rater=question.max_per_rater,
        span=one.span,
    )


def _split(one: float, two: float, share: float) -> VarianceParts:
    """Components from the variances σ_b² + σ_w² / K at one and at two raters."""
    within = max(2 * (one - two), 0.0)
    return VarianceParts(max(2 * two - one, 0.0), share * within, (1 - share) * within)


def leaning_source(question: PlanQuestion, population: SharedRaters, metric: str | None) -> PoolSource:
    """Return the source of leaning raters, all shifted so that A is better as asked."""
    question.refuse(("score", "systems_agree", "answers"), "with shared-raters; leave it out.")
    score = find_metric(metric or "agreement")
    if not (score.linear and score.answers_averaged):
        raise InputError("shared-raters is planned by agreement; leave --metric out.")
    if question.effect is None and question.difference is None:
        raise InputError("Say what must be seen: --difference in agreement, or --effect.")
    shift = question.effect if question.effect is not None else shift_for(population, question.difference or 0.0)
    law = leaning_law(population, population.checked_effect(shift), question)
    apart = f"apart with a spread of {population.lean:g}"
    return PoolSource(
        metric=score,
        assumption=f"if raters lean towards A by {shift:.3f} on average, and {apart}",
        effect=shift,
        answers=1,
        people=SharedPool(law, law.pool),
    )


def shift_for(population: SharedRaters, difference: float) -> float:
    """Return the shift of all leanings that makes the difference in agreement."""
    from scipy.special import ndtri

    if not 0 <= difference < 1:
        raise InputError(f"A difference of {difference:g} in agreement is out of reach; ask for less than 1.")
    return _scale(population) * float(ndtri((1 + difference) / 2))


def leaning_law(population: SharedRaters, shift: float, question: PlanQuestion) -> RaterLaw:
    """Return the components of a rater's difference in agreement, and who can be asked."""
    pool = population.pool if question.pool is None else question.pool
    if pool is None:
        raise InputError("shared-raters needs --pool: how many people can be asked.")
    question.refuse(("rater_share",), "with shared-raters: its leanings say how far raters differ.")
    if population.load != "even":
        raise InputError("plan shares the work evenly, and these raters do not: use an even load.")
    mean, parts = _moments(population, shift)
    return RaterLaw(mean, parts, _moments(population, 0.0)[1], pool, question.max_per_rater, span=2.0)


def _scale(population: SharedRaters) -> float:
    return sqrt(1 + population.item**2 + population.lean**2)


def _moments(population: SharedRaters, shift: float) -> tuple[float, VarianceParts]:
    from scipy.special import ndtr

    scale = _scale(population)
    mean = 2 * float(ndtr(shift / scale)) - 1
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    weights = weights / weights.sum()

    def component(sd: float) -> float:
        """Variance over one part of the mean given that part."""
        given = 2 * ndtr((shift + sd * nodes) / sqrt(scale**2 - sd**2)) - 1
        return float(weights @ (given - mean) ** 2)

    item, rater = component(population.item), component(population.lean)
    return mean, VarianceParts(item, rater, max(1 - mean**2 - item - rater, 0.0))


@dataclass(frozen=True, kw_only=True)
class ResampledSource(StudySource):
    """Laws of studies simulated with the raters of a table."""

    raters_return: ClassVar[bool] = True
    scenario: Scenario

    def law(self, n_raters: int, target: float) -> Law:
        """Return the law of studies whose raters are drawn from the people there are."""
        pool = self.people.most_raters if self.people.limited else None
        return crossed_law(self.scenario, n_raters, target=target, pool=pool)


def resampled_source(question: PlanQuestion, population: EmpiricalPopulation, metric: str | None) -> ResampledSource:
    """Return the source of resampled ratings.

    An effect is solved on independent items, raters drawn anew for each: expected scores are the same.

    Deviates: [multilevel] lets A and B answer like a set of raters, another one in every study, so that who A is
    counts as chance. A study to plan compares the same two systems, however often it is repeated.
    """
    people = _people(question, population)
    solved = find_scenario(question, replace(population, unit="raters-within-items"), metric)
    world = population if question.paper else replace(population, anew=True)
    return ResampledSource(
        metric=solved.metric,
        assumption=effect_words(solved),
        effect=solved.effect,
        answers=solved.answers,
        people=people,
        reach=scenario_reach(solved),
        scenario=replace(solved, population=world),
    )


def _people(question: PlanQuestion, population: EmpiricalPopulation) -> People:
    """Who of the table's raters can be asked."""
    question.refuse(("rater_share",), "with raters who are resampled: the ratings show it.")
    if question.pool is None:
        return Anyone(population.most_people)
    everybody = population.ratings.n_raters or 0
    if population.unit == "batches":
        raise InputError("--pool needs raters who meet all items, and batches have their own: use items+raters.")
    if not 2 <= question.pool <= everybody:
        raise InputError(f"--pool {question.pool} is not between 2 and the {everybody} raters there are to resample.")
    return TablePool(question.pool, everybody, question.max_per_rater)
