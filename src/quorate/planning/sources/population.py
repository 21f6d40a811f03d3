"""Plan from a population: two systems perturbed so that they differ as asked, raters new on every item."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from quorate._errors import InputError
from quorate._random import generator
from quorate.inference.procedures import SWAPPED_ITEMS
from quorate.metrics.registry import choose_metric
from quorate.planning.effects import agreement_weight, solve_effect, solve_score
from quorate.planning.laws.law import Law
from quorate.planning.laws.population_law import item_law
from quorate.planning.laws.set_scores import enumerated_kinds, kinds_power, simulated_power
from quorate.planning.question import PlanQuestion
from quorate.planning.scenario import Scenario
from quorate.planning.sources.study_source import StudySource
from quorate.planning.study_size import StudySize
from quorate.populations.population import Population

if TYPE_CHECKING:
    from quorate.planning.search import Search

__all__ = ["PopulationSource", "effect_words", "find_scenario", "population_source"]


@dataclass(frozen=True, kw_only=True)
class PopulationSource(StudySource):
    """Laws of independent items of a population.

    Parameters
    ----------
    scenario
        The two systems in the population.
    margin
        Margin of the question, 0 if it has none.
    """

    scenario: Scenario
    margin: float = 0.0

    def law(self, n_raters: int, target: float) -> Law:
        """Return the law of one item's difference."""
        return item_law(self.scenario, n_raters, target=target, margin=self.margin)

    def confirm(self, search: "Search", best: StudySize) -> tuple[StudySize, tuple[str, ...]]:
        """Simulate studies where a score of the whole set is no mean over items; add items once if it needs them."""
        from scipy.special import ndtri

        if self.metric.level != "set" or best.n_items < 2:
            return best, ()
        asked = search.question
        for _ in range(2):
            power, error, width = self._simulated(search, best)
            confirmed = replace(best, power=power, power_error=error, ci_width=width)
            short = asked.wanted.kind == "power" and power < asked.wanted.value - 2 * error
            if not short or asked.items is not None or asked.budget is not None:
                break
            z = float(ndtri(0.5 + asked.confidence / 2))
            more = (z + float(ndtri(asked.wanted.value))) / max(z + float(ndtri(np.clip(power, 0.01, 0.99))), 0.3)
            best = search.size(int(np.ceil(best.n_items * min(more, 2.0) ** 2)), best.n_raters)
        warning = (
            f"{self.metric.title} scores the whole set: the power of the recommended study is the share of simulated "
            "studies."
        )
        return confirmed, (warning,)

    def _simulated(self, search: "Search", best: StudySize) -> tuple[float, float, float]:
        """Power, its error and the width of the interval; of kinds of items where these are few."""
        asked, sizes = search.question, (best.n_items, best.n_raters)
        kinds = enumerated_kinds(self.scenario, best.n_raters) if best.n_items > SWAPPED_ITEMS else None
        if kinds is not None:
            rng = generator(asked.seed, "set studies", *sizes)
            return kinds_power(kinds, best.n_items, asked.confidence, -(asked.margin or 0.0), rng=rng)
        studies = 400 if best.n_items <= SWAPPED_ITEMS else 1000
        return simulated_power(self.scenario, *sizes, asked.confidence, margin=asked.margin, studies=studies)


def population_source(question: PlanQuestion, population: Population, metric: str | None) -> PopulationSource:
    """Return the source of a population whose raters are new on every item."""
    scenario = find_scenario(question, population, metric)
    return PopulationSource(
        metric=scenario.metric,
        assumption=effect_words(scenario),
        effect=scenario.effect,
        answers=scenario.answers,
        scenario=scenario,
        margin=question.margin or 0.0,
    )


def find_scenario(question: PlanQuestion, population: Population, metric: str | None) -> Scenario:
    """Return two systems perturbed so that they differ, score and agree as asked.

    Examples
    --------
    >>> from quorate.populations.dirichlet import DirichletPopulation
    >>> world = DirichletPopulation((5.22, 0.86, 2.75))
    >>> round(find_scenario(PlanQuestion(world, difference=0.03), world, "agreement").effect, 3)
    0.169
    """
    answers, labels = question.system_answers, population.labels
    score = choose_metric(
        metric,
        population.scale_kind,
        labels=labels,
        positive=question.positive or (labels[-1] if labels else None),  # the last category, as in audit
        variant=question.variant,
        probabilities=answers == "probabilities",
    )
    scenario = Scenario(population, score, 0.0, answers=answers, seed=question.seed)
    held = 1 if score.linear and answers != "raters" else question.at_raters
    if question.score is not None:
        scenario = replace(scenario, effect_a=solve_score(scenario, question.score, held))
    if question.effect is not None:
        effect = population.checked_effect(question.effect)
    elif question.difference is not None:
        effect = solve_effect(scenario, question.difference, held)
    else:
        raise InputError("Say what must be seen: --difference in the metric's units, or --effect.")
    scenario = replace(scenario, effect=effect)
    if question.systems_agree is None:
        return scenario
    return replace(scenario, agree=agreement_weight(scenario, question.systems_agree))


def effect_words(scenario: Scenario) -> str:
    """Say what the perturbations mean."""
    effect, effect_a = scenario.effect, scenario.effect_a
    if effect == 0 and effect_a == 0:
        return "if both systems answer like a random rater"
    own = f", {effect_a:.3f} for A" if effect_a > 0 else ""
    return f"{scenario.population.effect_words(effect)} (ε = {effect:.3f}{own})"
