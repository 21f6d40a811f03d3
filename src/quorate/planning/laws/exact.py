"""The exact law of one item's difference in a Dirichlet world, by enumerating counts with β and ϱ integrated out.

A system's answers split into those from β and those from its noise ϱ: with R answers and perturbation ε,
P(x₁, x₂) ∝ Binomial(|x₂|; R, ε) Mult(x₁ | β) Mult(x₂ | ϱ). Given the splits, β sees the pooled counts g + a₁ + b₁ and
each noise its own, and E[Π β_m^{n_m}] = Γ(A) / Γ(A + n) Π Γ(α_m + n_m) / Γ(α_m). In the null world each answer comes
from β, A's noise or B's noise with the mean of the two systems' chances [forest, alg. 1 and 2].
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from scipy.special import gammaln

from quorate._typing import Array
from quorate.data.summaries import Counts
from quorate.metrics.contests import oriented
from quorate.metrics.metric import Metric
from quorate.planning.laws.item_law_makers import ItemLaw, exact_law
from quorate.populations.dirichlet import DirichletPopulation

__all__ = ["count_chances", "count_vectors", "enumerated_law", "enumerated_states"]


@dataclass(frozen=True)
class _Splits:
    """All ways a system's answers split over sources, ``(split, source, category)``, and their chances."""

    counts: Array
    log_chance: Array

    @property
    def total(self) -> Array:
        total: Array = self.counts.sum(1)
        return total


def enumerated_states(n_categories: int, n_raters: int, answers: int, *, perturbed_a: bool, null: bool) -> float:
    """Return how many states the enumeration would visit, in the larger of the worlds asked for.

    Examples
    --------
    >>> enumerated_states(3, 1, 1, perturbed_a=False, null=True)
    108.0
    """
    sources_a, sources_b = (2 + perturbed_a, 2 + perturbed_a) if null else (1 + perturbed_a, 2)
    splits = [comb(answers + s * n_categories - 1, answers) for s in (sources_a, sources_b)]
    return float(comb(n_raters + n_categories - 1, n_raters)) * splits[0] * splits[1]


def enumerated_law(
    population: DirichletPopulation,
    metric: Metric,
    n_raters: int,
    answers: int,
    *,
    effect: float,
    effect_a: float = 0.0,
    null: bool = True,
) -> ItemLaw:
    """Return the exact law of one item's difference.

    Parameters
    ----------
    population, metric
        The world, and an item metric (or wins by one).
    n_raters, answers
        Raters per item, and answers per item of each system.
    effect, effect_a
        Perturbation of B and of A.
    null
        Also enumerate the null world.

    Examples
    --------
    >>> from quorate.metrics import find_metric
    >>> law = enumerated_law(DirichletPopulation((5.22, 0.86, 2.75)), find_metric("agreement"), 1, 1, effect=1.0)
    >>> round(law.mean, 3)
    0.178
    """
    worlds = [_world(population, metric, n_raters, answers, (effect_a, effect), False)]
    if null:
        worlds.append(_world(population, metric, n_raters, answers, (effect_a, effect), True))
    return exact_law(*worlds[0], *(worlds[1] if null else ()))


def _world(
    population: DirichletPopulation,
    metric: Metric,
    n_raters: int,
    answers: int,
    effects: tuple[float, float],
    null: bool,
) -> tuple[Array, Array]:
    """Return the differences of all states and their probabilities."""
    m = len(population.alpha)
    a, b = _systems(answers, m, effects, null)
    raters = count_vectors(n_raters, m)
    rater, left, right = (
        x.reshape(-1) for x in np.indices((len(raters), len(a.log_chance), len(b.log_chance)), dtype=np.int32)
    )
    pooled = raters[rater] + a.counts[left, 0] + b.counts[right, 0]
    log_p = _log_orderings(raters)[rater] + a.log_chance[left] + b.log_chance[right]
    log_p = log_p + _log_moment(population.alpha, pooled)
    for source in range(1, a.counts.shape[1]):
        noise = a.counts[left, source] + b.counts[right, source]
        log_p = log_p + _log_moment(population.noise, noise)
    return _differences(population, metric, raters, a.total, b.total, rater, left, right), np.exp(log_p)


def _systems(answers: int, m: int, effects: tuple[float, float], null: bool) -> tuple[_Splits, _Splits]:
    """Splits of A and B over the sources β, A's noise and B's noise; sources nobody uses are left out."""
    effect_a, effect_b = effects
    middle = (1 - (effect_a + effect_b) / 2, effect_a / 2, effect_b / 2)
    chances = (middle, middle) if null else ((1 - effect_a, effect_a, 0.0), (1 - effect_b, 0.0, effect_b))
    used = [k for k in range(3) if k == 0 or chances[0][k] > 0 or chances[1][k] > 0]
    a, b = (_splits(answers, m, tuple(each[k] for k in used)) for each in chances)
    return a, b


@lru_cache(maxsize=64)
def _splits(answers: int, m: int, chances: tuple[float, ...]) -> _Splits:
    live = [k for k, chance in enumerate(chances) if chance > 0]
    vectors = count_vectors(answers, len(live) * m).reshape(-1, len(live), m)
    counts = np.zeros((len(vectors), len(chances), m), dtype=np.int64)
    counts[:, live] = vectors
    log_chance = _log_orderings(vectors.reshape(len(vectors), -1))
    log_chance = log_chance + vectors.sum(-1) @ np.log([chances[k] for k in live])
    return _Splits(counts, log_chance)


def _differences(
    population: DirichletPopulation,
    metric: Metric,
    raters: Array,
    totals_a: Array,
    totals_b: Array,
    rater: Array,
    left: Array,
    right: Array,
) -> Array:
    """Score every pair of raters' and system's counts once, then look the states up."""
    base = metric.base
    levels = None if population.levels is None else np.array(population.levels)
    scores = [
        base.score(Counts(raters[:, None], levels), Counts(totals[None], levels)) for totals in (totals_a, totals_b)
    ]
    d = oriented(base, scores[0][rater, left], scores[1][rater, right], Counts(raters, levels))
    return d if metric.contest_of is None else np.sign(d)


@lru_cache(maxsize=64)
def count_vectors(n: int, m: int) -> Array:
    """Return all ways n answers fall into m categories, ``(way, category)``.

    Examples
    --------
    >>> count_vectors(2, 2).tolist()
    [[0, 2], [1, 1], [2, 0]]
    """
    bars = np.array(list(combinations(range(n + m - 1), m - 1)), dtype=np.int64).reshape(-1, m - 1)
    edges = np.concatenate([np.full((len(bars), 1), -1), bars, np.full((len(bars), 1), n + m - 1)], axis=1)
    return np.diff(edges, axis=1) - 1


def count_chances(counts: Array, laws: Array) -> Array:
    """Return the multinomial probability of count vectors, ``(way, category)``, under each law, ``(..., way)``.

    Examples
    --------
    >>> count_chances(count_vectors(2, 2), np.array([0.5, 0.5]))
    array([0.25, 0.5 , 0.25])
    """
    chances = np.broadcast_to(np.exp(_log_orderings(counts)), (*laws.shape[:-1], len(counts)))
    for m in range(counts.shape[1]):
        powers = laws[..., m, None] ** np.arange(int(counts[:, m].max()) + 1)
        chances = chances * powers[..., counts[:, m]]
    return chances


def _log_orderings(counts: Array) -> Array:
    """Logarithm of the multinomial coefficient."""
    result: Array = gammaln(counts.sum(-1) + 1.0) - gammaln(counts + 1.0).sum(-1)
    return result


def _log_moment(alpha: Sequence[float], counts: Array) -> Array:
    """Logarithm of E[Π β_m^{n_m}] for β ~ Dirichlet(α), by tables over the counts that occur."""
    most = int(counts.max()) if counts.size else 0
    result = np.zeros(len(counts))
    for m, a in enumerate(alpha):
        result += (gammaln(a + np.arange(most + 1)) - gammaln(a))[counts[:, m]]
    total, n = float(sum(alpha)), counts.sum(-1)
    whole = gammaln(total + np.arange(int(n.max()) + 1)) - gammaln(total)
    return np.asarray(result - whole[n])
