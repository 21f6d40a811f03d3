"""Scores of a whole set, exactly: kinds of items the score tells apart, and studies as counts of kinds.

Where the counts of raters, A and B can be enumerated, so can the kinds of items a set score knows: F1 with one rater
has no more than truth, A's and B's answer. A study of N items is then Multinomial(N, chances of kinds), its score that
of kinds weighted by their counts, and the influence of a kind is the derivative of the score in its weight, so that
thousands of studies cost what a few cost item by item.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from quorate._typing import Array
from quorate.data.summaries import Counts
from quorate.inference.influence import set_form
from quorate.inference.outcome import t_quantile
from quorate.metrics.contests import oriented
from quorate.metrics.metric import Metric
from quorate.planning.laws.exact import count_vectors, null_triples, triple_states, triples
from quorate.planning.laws.item_law import ItemLaw, exact_law

if TYPE_CHECKING:
    from quorate.planning.scenario import Scenario

__all__ = ["Kinds", "enumerated_kinds", "kinds_law", "kinds_power"]

STATES, MOST_KINDS = 60_000, 200
"""States that are enumerated, and kinds that are told apart, at most."""
STUDIES, WORK = 40_000, 2e8
"""Studies drawn – the error of power is then at most 0.0025 – and studies × kinds² at most."""
NUDGE = 1e-6
"""Weight by which a kind is moved to see its influence."""


@dataclass(frozen=True)
class Kinds:
    """Kinds of items, one row each, and their chances in the world with a difference and in the null world."""

    metric: Metric
    raters: Counts
    a: Counts
    b: Counts
    chances: Array
    null_chances: Array

    def difference(self, weights: Array) -> Array:
        """Return the difference of the scores, ``(...)``, of sets with these weights of kinds, ``(..., kind)``."""
        a, b = (self.metric.score(self.raters, system, weights) for system in (self.a, self.b))
        return oriented(self.metric, a, b, self.raters)

    def influences(self, weights: Array) -> tuple[Array, Array]:
        """Return the difference and the influence of each kind, ``(..., kind)``; weights must sum to 1."""
        here, moved = self.difference(weights), np.empty(weights.shape)
        for kind in range(weights.shape[-1]):
            nudged = weights.copy()
            nudged[..., kind] += NUDGE
            moved[..., kind] = (self.difference(nudged) - here) / NUDGE
        return here, moved - (weights * moved).sum(-1, keepdims=True)


def enumerated_kinds(scenario: "Scenario", n_raters: int) -> Kinds | None:
    """Return the kinds of items of a set score, or None where there are too many or the population is no Dirichlet.

    Examples
    --------
    >>> from quorate.metrics import find_metric
    >>> from quorate.planning.scenario import Scenario
    >>> from quorate.populations.dirichlet import DirichletPopulation
    >>> world = DirichletPopulation((5.22, 0.86, 2.75))
    >>> kinds = enumerated_kinds(Scenario(world, find_metric("f1", positive=0), effect=0.3), 1)
    >>> len(kinds.chances), round(float(kinds.difference(kinds.chances)), 3)
    (7, 0.052)
    """
    population, metric = scenario.population.enumerable, scenario.metric
    answers = n_raters if scenario.answers == "raters" else scenario.answers
    plain = metric.level == "set" and scenario.agree == 0 and isinstance(answers, int)
    if not plain or population is None:
        return None
    assert isinstance(answers, int)
    m = len(population.alpha)
    if triple_states(m, n_raters, answers, perturbed_a=scenario.effect_a > 0) > STATES:
        return None
    raters, given = count_vectors(n_raters, m), count_vectors(answers, m)
    g, a, b = (x.ravel() for x in np.indices((len(raters), len(given), len(given))))
    levels = None if population.levels is None else np.array(population.levels)
    states = Counts(raters[g], levels), Counts(given[a], levels), Counts(given[b], levels)
    form = set_form(metric, states[0], states[1:])
    rows = np.column_stack([form.fixed, *form.carried]).round(10)
    _, first, kind = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    if len(first) > MOST_KINDS:
        return None
    chances, null = (
        np.bincount(
            kind.ravel(), weights=world(population, n_raters, answers, scenario.effect, scenario.effect_a).ravel()
        )
        for world in (triples, null_triples)
    )
    of_raters, of_a, of_b = (each.take(first) for each in states)
    return Kinds(metric, of_raters, of_a, of_b, chances / chances.sum(), null / null.sum())


def kinds_law(kinds: Kinds) -> ItemLaw:
    """Return the law of one item: the difference plus its influence.

    Examples
    --------
    >>> from quorate.metrics import find_metric
    >>> from quorate.planning.scenario import Scenario
    >>> from quorate.populations.dirichlet import DirichletPopulation
    >>> scenario = Scenario(DirichletPopulation((5.22, 0.86, 2.75)), find_metric("f1", positive=0), effect=0.3)
    >>> law = kinds_law(enumerated_kinds(scenario, 1))
    >>> round(law.mean, 3), round(law.sd, 2)
    (0.052, 0.67)
    """
    difference, influence = kinds.influences(kinds.chances)
    _, null = kinds.influences(kinds.null_chances)
    return exact_law(difference + influence, kinds.chances, null, kinds.null_chances)


def kinds_power(
    kinds: Kinds, n_items: int, confidence: float, bound: float, *, rng: np.random.Generator
) -> tuple[float, float, float]:
    """Return how often the lower end of the interval passes a bound, the error of that, and the interval's mean width.

    Examples
    --------
    >>> from quorate.metrics import find_metric
    >>> from quorate.planning.scenario import Scenario
    >>> from quorate.populations.dirichlet import DirichletPopulation
    >>> scenario = Scenario(DirichletPopulation((5.22, 0.86, 2.75)), find_metric("f1", positive=0), effect=0.3)
    >>> power, error, _ = kinds_power(enumerated_kinds(scenario, 1), 1000, 0.95, 0.0, rng=np.random.default_rng(0))
    >>> round(power, 1), error < 0.0025
    (0.7, True)
    """
    studies = int(np.clip(WORK / len(kinds.chances) ** 2, 400, STUDIES))
    weights = rng.multinomial(n_items, kinds.chances, studies) / n_items
    difference, influence = kinds.influences(weights)
    se = np.sqrt((weights * influence**2).sum(-1) / (n_items - 1))
    half = t_quantile(n_items - 1.0, confidence) * se
    power = float(np.mean(difference - half > bound))
    return power, float(np.sqrt(max(power * (1 - power), 1 / studies) / studies)), float(np.nanmean(2 * half))
