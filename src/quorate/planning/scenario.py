"""Two systems in a population, and studies of them."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from quorate._errors import InputError
from quorate._random import generator
from quorate.data.summaries import Counts, Summary
from quorate.metrics.metric import Metric, largest_difference
from quorate.planning.laws.draws import coupled
from quorate.populations.population import AnswerLaws, Answers, Draw, Needs, Population

REACH_ITEMS = 256
"""Items whose answers show how far apart numbers lie."""
MANY_CATEGORIES = 40
"""With more categories than this, fewer items are drawn: each takes a number per category."""


@dataclass(frozen=True)
class Scenario:
    """Two systems in a population: their perturbations, how often they answer, how far they agree.

    Parameters
    ----------
    population, metric
        Where items come from, and the score.
    effect, effect_a
        Perturbation of B and of A.
    answers
        Answers per item of each system.
    agree
        Weight of the maximal coupling of single answers, 0 for independent systems.
    seed
        Seed of the simulation; scenarios that differ in effects share their random numbers.
    """

    population: Population
    metric: Metric
    effect: float
    effect_a: float = 0.0
    answers: Answers = 1
    agree: float = 0.0
    seed: int = 0

    @property
    def needs(self) -> Needs:
        """What a continuous population should draw."""
        return "means" if self.metric.reads_means else "values"

    def affordable(self, n_items: int) -> int:
        """Return how many of so many items are drawn: fewer on a scale of very many categories."""
        return max(n_items * MANY_CATEGORIES // max(len(self.population.labels), MANY_CATEGORIES), 1)

    def laws(self, shape: tuple[int, ...], rng: np.random.Generator) -> AnswerLaws:
        """Draw the probability of every answer, item by item."""
        if not self.population.knows_answers:
            raise InputError("--systems-agree needs a population that knows the probability of every answer.")
        return self.population.answer_laws(shape, effect=self.effect, effect_a=self.effect_a, rng=rng)


def scenario_reach(scenario: Scenario) -> float:
    """Return how far apart the systems can be on one item, as seen in the answers to some where the metric asks."""

    def summaries() -> Iterator[Summary]:
        study = draw_study(scenario, (1, REACH_ITEMS), 1, rng=generator(scenario.seed, "reach"))
        yield from (study.raters, study.a, study.b)

    return largest_difference(scenario.metric, summaries())


def draw_study(
    scenario: Scenario, shape: tuple[int, int], n_raters: int, *, null: bool = False, rng: np.random.Generator
) -> Draw:
    """Draw studies, ``(replicate, item)``."""
    if scenario.agree == 0:
        return scenario.population.draw(
            n_replicates=shape[0],
            n_items=shape[1],
            n_raters=n_raters,
            answers=scenario.answers,
            effect=scenario.effect,
            effect_a=scenario.effect_a,
            null=null,
            needs=scenario.needs,
            rng=rng,
        )
    laws = scenario.laws(shape, rng)
    laws = laws.null() if null else laws
    raters = Counts(rng.multinomial(n_raters, laws.raters), laws.levels)
    a, b = (Counts(rng.multinomial(1, law), laws.levels) for law in (laws.a, laws.b))
    together = rng.random(shape) < scenario.agree
    b = Counts(np.where(together[..., None], coupled(a, laws, rng).counts, b.counts), laws.levels)
    return Draw(raters, a, b)
