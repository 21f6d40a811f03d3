"""Plan from a population with a pool of people who share the items: the spread among raters is split by a share."""

from dataclasses import dataclass
from typing import ClassVar

from quorate._errors import InputError
from quorate.agreement.variance_parts import VarianceParts
from quorate.planning.laws.law import Law
from quorate.planning.laws.population_law import item_law
from quorate.planning.laws.rater_law import RaterModel
from quorate.planning.people import SharedPool
from quorate.planning.question import PlanQuestion
from quorate.planning.scenario import Scenario
from quorate.planning.sources.population import effect_words, find_scenario
from quorate.planning.sources.study_source import StudySource
from quorate.populations.population import Population

__all__ = ["PoolSource", "pool_source", "split_spread"]


@dataclass(frozen=True, kw_only=True)
class PoolSource(StudySource):
    """Laws of studies whose items are shared by a pool of people."""

    raters_return: ClassVar[bool] = True
    people: SharedPool

    def law(self, n_raters: int, target: float) -> Law:
        """Return the law of studies with these people."""
        return self.people.model.law(n_raters)


def pool_source(question: PlanQuestion, population: Population, metric: str | None) -> PoolSource:
    """Return the source of a population with a pool of people."""
    scenario = find_scenario(question, population, metric)
    model = split_spread(scenario, question)
    return PoolSource(
        metric=scenario.metric,
        assumption=effect_words(scenario),
        effect=scenario.effect,
        answers=scenario.answers,
        people=SharedPool(model, model.pool),
    )


def split_spread(scenario: Scenario, question: PlanQuestion) -> RaterModel:
    """Split a population's spread among the raters of an item, by the share that is said to be the raters' own.

    Examples
    --------
    >>> from quorate.metrics import find_metric
    >>> from quorate.populations.dirichlet import DirichletPopulation
    >>> scenario = Scenario(DirichletPopulation((5.22, 0.86, 2.75)), find_metric("agreement"), effect=0.3)
    >>> parts = split_spread(scenario, PlanQuestion("dices", effect=0.3, pool=10, rater_share=0.1)).parts
    >>> round(parts.rater / (parts.rater + parts.residual), 9)
    0.1
    """
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
    return RaterModel(
        mean=one.mean,
        parts=_split(one.sd**2, two.sd**2, share),
        null=_split(one.null_sd**2, two.null_sd**2, share),
        pool=question.pool,
        max_per_rater=question.max_per_rater,
        span=one.span,
    )


def _split(one: float, two: float, share: float) -> VarianceParts:
    """Components from the variances at one and at two raters, σ_b² + σ_w² / K, and the raters' share of σ_w²."""
    within = max(2 * (one - two), 0.0)
    return VarianceParts(max(2 * two - one, 0.0), share * within, (1 - share) * within)
