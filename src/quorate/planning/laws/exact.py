"""The exact law of one item's difference in a Dirichlet world: all counts enumerated, β and the noises integrated out.

Answers from the same source are pooled before counting. With n₁ answers from β (counts x) and n₂ from
(1 − ε) β + ε ϱ (counts y), β ~ Dirichlet(α), ϱ ~ Dirichlet(ρ),

    P(x, y) = n₁! n₂! Σ_j (1 − ε)^j ε^(n₂ − j) / ((Σα)_{n₁+j} (Σρ)_{n₂−j}) · [t^j] Π_m f_m(t),
    f_m(t) = Σ_i t^i (α_m)_{x_m+i} / (x_m! i!) · (ρ_m)_{y_m−i} / (y_m − i)!,

(a)_n the rising factorial: j of the n₂ answers come from β, and the polynomials count the ways. In the world with a
difference x pools raters and A, and y is B; in the null world x are the raters and y pools both systems with ε / 2
[forest, alg. 1 and 2]. Given a pool, who gave which of its answers is hypergeometric. Where A is perturbed too, as many
of its answers as a binomial says come from a noise of its own, and the others are pooled as before.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from scipy.special import gammaln, xlogy

from quorate._typing import Array
from quorate.data.summaries import Counts
from quorate.metrics.contests import oriented, settle
from quorate.metrics.metric import Metric
from quorate.planning.laws.item_law import ItemLaw, exact_law
from quorate.populations.dirichlet import DirichletPopulation

__all__ = [
    "Design",
    "count_chances",
    "count_vectors",
    "enumerable",
    "enumerated",
    "exact_laws",
    "null_triples",
    "pair_chances",
    "pair_scores",
    "triple_states",
    "triples",
]


STATES = 600_000
"""States up to which laws are enumerated: less than a second's work."""


@dataclass(frozen=True)
class Design:
    """A Dirichlet world, and two systems asked the same number of times; A may be perturbed too."""

    population: DirichletPopulation
    n_raters: int
    answers: int
    effect_a: float = 0.0

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Categories, raters and answers per item."""
        return len(self.population.alpha), self.n_raters, self.answers


def enumerable(design: Design) -> bool:
    """Tell whether the states of a design are few enough to be enumerated."""
    return triple_states(*design.sizes, perturbed_a=design.effect_a > 0) <= STATES


def enumerated(design: Design, metrics: Sequence[Metric], effect: float, *, null: bool = True) -> dict[str, ItemLaw]:
    """Return the exact laws of a design at one effect, by name of the metric."""
    _, *sizes = design.sizes
    return exact_laws(design.population, metrics, *sizes, effect=effect, effect_a=design.effect_a, null=null)


def exact_laws(
    population: DirichletPopulation,
    metrics: Sequence[Metric],
    n_raters: int,
    answers: int,
    *,
    effect: float,
    effect_a: float = 0.0,
    null: bool = True,
) -> dict[str, ItemLaw]:
    """Return the exact law of each metric's difference by name.

    Parameters
    ----------
    population, metrics
        The world, and item metrics (or wins by one).
    n_raters, answers
        Raters per item, and answers per item of each system.
    effect, effect_a
        Perturbation of B and of A.
    null
        Also enumerate the null world.
    """
    raters, given = (count_vectors(n, len(population.alpha)) for n in (n_raters, answers))
    sizes = n_raters, answers
    levels = None if population.levels is None else np.array(population.levels)
    chances = triples(population, *sizes, effect, effect_a).ravel()
    of_null = null_triples(population, *sizes, effect, effect_a).ravel() if null else None
    laws = {}
    for metric in metrics:
        score = pair_scores(population, metric, raters, given)
        d = _contests(metric, score[:, :, None], score[:, None, :], Counts(raters, levels)).ravel()
        laws[metric.name] = exact_law(d, chances, None if of_null is None else d, of_null)
    return laws


def triple_states(n_categories: int, n_raters: int, answers: int, *, perturbed_a: bool = False) -> float:
    """Return the number of states `exact_laws` visits."""
    of_raters, of_system = (_ways(n, n_categories) for n in (n_raters, answers))
    if not perturbed_a:
        return of_raters * of_system**2
    return of_raters * max(_ways(answers, 2 * n_categories) * of_system, _ways(2 * answers, 2 * n_categories))


def triples(
    population: DirichletPopulation, n_raters: int, answers: int, effect: float, effect_a: float = 0.0
) -> Array:
    """Return P(g, a, b), ``(raters' counts, A's, B's)``: raters and what A has from β are one pool."""
    m = len(population.alpha)
    raters, of_b = count_vectors(n_raters, m), count_vectors(answers, m)

    def like_raters(n: int) -> Array:
        pool, place, share = _pool(raters, count_vectors(n, m))
        return np.asarray(pair_chances(population, pool, of_b, effect)[place] * share[..., None])

    return _with_noise(population, like_raters, answers, effect_a)


def null_triples(
    population: DirichletPopulation, n_raters: int, answers: int, effect: float, effect_a: float = 0.0
) -> Array:
    """Return P(g, a, b) with A and B from the even mixture: both systems are one pool."""
    m = len(population.alpha)
    raters, given = count_vectors(n_raters, m), count_vectors(answers, m)
    rest = (effect / 2) / (1 - effect_a / 2)  # B's noise among the answers that are not A's

    def both(n: int) -> Array:
        return pair_chances(population, raters, count_vectors(n, m), rest)

    _, place, share = _pool(given, given)
    return np.asarray(_with_noise(population, both, 2 * answers, effect_a / 2)[:, place] * share)


def pair_chances(population: DirichletPopulation, first: Array, second: Array, effect: float) -> Array:
    """Return P(x, y), ``(way of x, way of y)``; `first` are counts from β, `second` from (1 − ε) β + ε ϱ."""
    n1, n2 = int(first[0].sum()), int(second[0].sum())
    j = np.arange(n2 + 1)
    log_weight = gammaln(n1 + 1) + gammaln(n2 + 1) + xlogy(j, 1 - effect) + xlogy(n2 - j, effect)
    log_weight = log_weight - _log_rising(sum(population.alpha), n1 + j) - _log_rising(sum(population.noise), n2 - j)
    weight = np.exp(log_weight)

    def factor(m: int) -> Array:
        table = _factor(population.alpha[m], population.noise[m], n1, n2)
        return np.asarray(table[:, first[:, m][:, None], second[:, m]])

    ways = factor(0)
    for m in range(1, len(population.alpha) - 1):
        ways = _product(ways, factor(m))
    # The last product is only needed in sum: Σ_j w_j Σ_i f_i ways_{j−i} = Σ_i f_i Σ_k w_{i+k} ways_k.
    shifted = np.where(j[:, None] + j <= n2, weight[np.minimum(j[:, None] + j, n2)], 0.0)
    later = (shifted @ ways.reshape(n2 + 1, -1)).reshape(ways.shape)
    return np.asarray(np.einsum("ixy,ixy->xy", factor(len(population.alpha) - 1), later))


def pair_scores(population: DirichletPopulation, metric: Metric, raters: Array, given: Array) -> Array:
    """Score every pair of raters' and system's counts, ``(raters, system)``; of wins, by the metric that decides."""
    levels = None if population.levels is None else np.array(population.levels)
    one = [Counts(counts[:1], levels) for counts in (raters, given, given)]
    base = settle(metric.base, one[0], one[1:])
    return base.score(Counts(raters[:, None], levels), Counts(given[None], levels))


@lru_cache(maxsize=64)
def count_vectors(n: int, m: int) -> Array:
    """Return all ways n answers fall into m categories, ``(way, category)``, in order."""
    bars = np.array(list(combinations(range(n + m - 1), m - 1)), dtype=np.int64).reshape(-1, m - 1)
    edges = np.concatenate([np.full((len(bars), 1), -1), bars, np.full((len(bars), 1), n + m - 1)], axis=1)
    return np.diff(edges, axis=1) - 1


def count_chances(counts: Array, laws: Array) -> Array:
    """Return the multinomial probability of count vectors, ``(way, category)``, under each law, ``(..., way)``."""
    chances = np.broadcast_to(np.exp(_log_orderings(counts)), (*laws.shape[:-1], len(counts)))
    for m in range(counts.shape[1]):
        powers = laws[..., m, None] ** np.arange(int(counts[:, m].max()) + 1)
        chances = chances * powers[..., counts[:, m]]
    return chances


def _with_noise(population: DirichletPopulation, chances: Callable[[int], Array], n: int, effect: float) -> Array:
    """Replace each of n answers, whose counts are the second axis, by a noise of its own with probability ε."""
    if effect == 0:
        return chances(n)
    m, total = len(population.noise), None
    for noisy in range(n + 1):
        kept, noise = count_vectors(n - noisy, m), count_vectors(noisy, m)
        part = comb(n, noisy) * effect**noisy * (1 - effect) ** (n - noisy) * chances(n - noisy)
        if total is None:
            total = np.zeros((len(part), len(count_vectors(n, m)), *part.shape[2:]))
        chance_of = np.exp(_log_orderings(noise) + _log_moment(population.noise, noise))
        for counts, chance in zip(noise, chance_of, strict=True):
            total[:, _places(kept + counts)] += chance * part
    assert total is not None
    return total


def _pool(left: Array, right: Array) -> tuple[Array, Array, Array]:
    """All pooled counts, which of them each pair makes, and the chance of that pair given its pool."""
    both = left[:, None] + right
    pool = count_vectors(int(both[0, 0].sum()), left.shape[1])
    return pool, _places(both), np.exp(_log_orderings(left)[:, None] + _log_orderings(right) - _log_orderings(both))


def _places(counts: Array) -> Array:
    """Where count vectors, all of the same sum, stand among all of their sum, ``(...)``."""
    n = int(counts.reshape(-1, counts.shape[-1])[0].sum())
    base = float(n + 1) ** np.arange(counts.shape[-1])[::-1]  # vectors are in order, so these codes are too
    return np.asarray(np.searchsorted(count_vectors(n, counts.shape[-1]) @ base, counts @ base))


def _product(left: Array, right: Array) -> Array:
    """Multiply polynomials, coefficients on the first axis; higher degrees than kept do not occur."""
    product = np.zeros_like(left)
    for i in range(len(right)):
        product[i:] += right[i] * left[: len(left) - i]
    return product


def _factor(alpha: float, rho: float, n1: int, n2: int) -> Array:
    """Coefficients of f_m, ``(i, x_m, y_m)``; 0 where i exceeds y_m."""
    i, x, y = np.ogrid[: n2 + 1, : n1 + 1, : n2 + 1]
    from_beta = np.exp(_log_rising(alpha, x + i) - gammaln(x + 1) - gammaln(i + 1))
    rest = np.maximum(y - i, 0)
    from_noise = np.exp(_log_rising(rho, rest) - gammaln(rest + 1))
    return np.where(i <= y, from_beta * from_noise, 0.0)


def _ways(n: int, n_categories: int) -> float:
    """In how many ways n answers fall into categories."""
    return float(comb(n + n_categories - 1, n))


def _log_rising(a: Array | float, n: Array) -> Array:
    return np.asarray(gammaln(a + n) - gammaln(a))


def _log_orderings(counts: Array) -> Array:
    """Logarithm of the multinomial coefficient."""
    return np.asarray(gammaln(counts.sum(-1) + 1.0) - gammaln(counts + 1.0).sum(-1))


def _log_moment(alpha: Sequence[float], counts: Array) -> Array:
    """Logarithm of E[Π β_m^{n_m}] for β ~ Dirichlet(α)."""
    rising = _log_rising(np.asarray(alpha), counts).sum(-1)
    return np.asarray(rising - _log_rising(sum(alpha), counts.sum(-1)))


def _contests(metric: Metric, score_a: Array, score_b: Array, raters: Counts) -> Array:
    d = oriented(metric.base, score_a, score_b, raters)
    return d if metric.contest_of is None else np.sign(d)
