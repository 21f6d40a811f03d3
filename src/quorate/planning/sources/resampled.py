"""Plan from ratings that are resampled so that their raters come back on other items [multilevel, S1 and S3]."""

from dataclasses import dataclass, replace
from typing import ClassVar

from quorate._errors import InputError
from quorate.planning.laws.law import Law
from quorate.planning.laws.rater_law import crossed_law
from quorate.planning.people import TablePool
from quorate.planning.question import PlanQuestion
from quorate.planning.scenario import Scenario
from quorate.planning.sources.population import effect_words, find_scenario
from quorate.planning.sources.study_source import Anyone, People, StudySource
from quorate.populations.resampled import EmpiricalPopulation

__all__ = ["ResampledSource", "resampled_source"]


@dataclass(frozen=True, kw_only=True)
class ResampledSource(StudySource):
    """Laws of studies simulated with the raters of a table.

    Parameters
    ----------
    scenario
        The two systems in the resampled population.
    """

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
        scenario=replace(solved, population=world),
    )


def _people(question: PlanQuestion, population: EmpiricalPopulation) -> People:
    """Who of the table's raters can be asked."""
    if question.rater_share is not None:
        raise InputError("--rater-share has no meaning with raters who are resampled: the ratings show it.")
    if question.pool is None:
        return Anyone(population.most_people)
    everybody = population.ratings.n_raters or 0
    if population.unit == "batches":
        raise InputError("--pool needs raters who meet all items, and batches have their own: use items+raters.")
    if not 2 <= question.pool <= everybody:
        raise InputError(f"--pool {question.pool} is not between 2 and the {everybody} raters there are to resample.")
    return TablePool(question.pool, everybody, question.max_per_rater)
