"""The exact law of one item's difference with few states: answers from the same source are pooled before counting.

With n₁ answers from β (counts x) and n₂ from (1 − ε) β + ε ϱ (counts y), β ~ Dirichlet(α), ϱ ~ Dirichlet(ρ),

    P(x, y) = n₁! n₂! Σ_j (1 − ε)^j ε^(n₂ − j) / ((Σα)_{n₁+j} (Σρ)_{n₂−j}) · [t^j] Π_m f_m(t),
    f_m(t) = Σ_i t^i (α_m)_{x_m+i} / (x_m! i!) · (ρ_m)_{y_m−i} / (y_m − i)!,

(a)_n the rising factorial: j of the n₂ answers come from β, and the polynomials count the ways. In the world with a
difference x pools raters and A, and y is B; in the null world x are the raters and y pools both systems with ε / 2
[forest, alg. 1 and 2]. Given a pool, who gave which of its answers is hypergeometric.
"""

from collections.abc import Sequence
from math import comb

import numpy as np
from scipy.special import gammaln, xlogy

from quorate._typing import Array
from quorate.data.summaries import Counts
from quorate.metrics.contests import oriented
from quorate.metrics.metric import Metric
from quorate.planning.laws.exact import count_vectors
from quorate.planning.laws.item_law_makers import ItemLaw, exact_law
from quorate.populations.dirichlet import DirichletPopulation

__all__ = [
    "exact_means",
    "null_triples",
    "pair_scores",
    "pair_work",
    "pooled_laws",
    "pooled_probabilities",
    "triple_states",
    "triples",
]


def pooled_laws(
    population: DirichletPopulation, metrics: Sequence[Metric], n_raters: int, answers: int, effect: float
) -> dict[str, ItemLaw]:
    """Return the exact law of each metric's difference, A unperturbed and B with the effect, in both worlds.

    Examples
    --------
    >>> from quorate.metrics import find_metric
    >>> world = DirichletPopulation((5.22, 0.86, 2.75))
    >>> law = pooled_laws(world, [find_metric("agreement")], 1, 1, effect=1.0)["agreement"]
    >>> round(law.mean, 3)
    0.178
    """
    raters, given = (count_vectors(n, len(population.alpha)) for n in (n_raters, answers))
    chances = triples(population, raters, given, effect)
    null = null_triples(population, raters, given, effect)
    laws = {}
    for metric in metrics:
        score = pair_scores(population, metric, raters, given)
        d = _contests(metric, score[:, :, None], score[:, None, :], Counts(raters))
        laws[metric.name] = exact_law(d.ravel(), chances.ravel(), d.ravel(), null.ravel())
    return laws


def exact_means(
    population: DirichletPopulation, metrics: Sequence[Metric], n_raters: int, answers: int, effect: float
) -> dict[str, float]:
    """Return the exact means of differences of scores, from pairs of raters' and one system's counts; wins have none.

    Examples
    --------
    >>> from quorate.metrics import find_metric
    >>> world = DirichletPopulation((5.22, 0.86, 2.75))
    >>> round(exact_means(world, [find_metric("agreement")], 20, 1, effect=1.0)["agreement"], 3)
    0.178
    """
    raters, given = (count_vectors(n, len(population.alpha)) for n in (n_raters, answers))
    a, b = (pooled_probabilities(population, raters, given, epsilon) for epsilon in (0.0, effect))
    return {
        metric.name: float(np.vdot(a - b, pair_scores(population, metric, raters, given)))
        * (1.0 if metric.better == "high" else -1.0)
        for metric in metrics
        if metric.contest_of is None
    }


def triple_states(n_categories: int, n_raters: int, answers: int) -> float:
    """Return the number of states `pooled_laws` visits.

    Examples
    --------
    >>> triple_states(3, 1, 1)
    27.0
    """
    return float(comb(n_raters + n_categories - 1, n_raters)) * comb(answers + n_categories - 1, answers) ** 2


def pair_work(n_categories: int, n_raters: int, answers: int) -> float:
    """Return about how many operations `exact_means` takes.

    Examples
    --------
    >>> pair_work(3, 1, 1)
    36.0
    """
    states = float(comb(n_raters + n_categories - 1, n_raters)) * comb(answers + n_categories - 1, answers)
    # The last polynomial product is a matrix product, several times as fast.
    return states * (answers + 1) ** 2 * max(n_categories - 2, 0.15)


def pooled_probabilities(population: DirichletPopulation, first: Array, second: Array, effect: float) -> Array:
    """Return P(x, y), ``(way of x, way of y)``; `first` are counts from β, `second` from (1 − ε) β + ε ϱ.

    Examples
    --------
    >>> p = pooled_probabilities(DirichletPopulation((1, 1)), count_vectors(1, 2), count_vectors(1, 2), effect=0.0)
    >>> p.round(3).tolist()
    [[0.333, 0.167], [0.167, 0.333]]
    """
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


def _log_rising(a: float, n: Array) -> Array:
    return np.asarray(gammaln(a + n) - gammaln(a))


def triples(population: DirichletPopulation, raters: Array, given: Array, effect: float) -> Array:
    """Return P(g, a, b), A from β: raters and A are one pool.

    Examples
    --------
    >>> one = count_vectors(1, 2)
    >>> triples(DirichletPopulation((1, 1)), one, one, effect=1.0).round(4)[0].tolist()  # ⅓ and ⅙, each with a fair b
    [[0.1667, 0.1667], [0.0833, 0.0833]]
    """
    pool, place, share = _pool(raters, given)
    return np.asarray(pooled_probabilities(population, pool, given, effect)[place] * share[..., None])


def null_triples(population: DirichletPopulation, raters: Array, given: Array, effect: float) -> Array:
    """Return P(g, a, b) with A and B from the even mixture: both systems are one pool.

    Examples
    --------
    >>> one = count_vectors(1, 2)
    >>> null_triples(DirichletPopulation((1, 1)), one, one, effect=0.0).sum().round(9).item()
    1.0
    """
    pool, place, share = _pool(given, given)
    return np.asarray(pooled_probabilities(population, raters, pool, effect / 2)[:, place] * share)


def _pool(left: Array, right: Array) -> tuple[Array, Array, Array]:
    """All pooled counts, which of them each pair makes, and the chance of that pair given its pool."""
    size = int(left[0].sum() + right[0].sum())
    pool = count_vectors(size, left.shape[1])
    both = left[:, None] + right
    base = float(size + 1) ** np.arange(left.shape[1])[::-1]  # vectors are sorted, so these codes are too
    place = np.searchsorted(pool @ base, both @ base)
    log_share = (gammaln(both + 1) - gammaln(left[:, None] + 1) - gammaln(right + 1)).sum(-1)
    whole = gammaln(size + 1) - gammaln(left[0].sum() + 1) - gammaln(right[0].sum() + 1)
    return pool, place, np.exp(log_share - whole)


def pair_scores(population: DirichletPopulation, metric: Metric, raters: Array, given: Array) -> Array:
    """Score every pair of raters' and system's counts, ``(raters, system)``.

    Examples
    --------
    >>> from quorate.metrics import find_metric
    >>> one = count_vectors(1, 2)
    >>> pair_scores(DirichletPopulation((1, 1)), find_metric("agreement"), one, one)
    array([[1., 0.],
           [0., 1.]])
    """
    base = metric.base
    levels = None if population.levels is None else np.array(population.levels)
    return base.score(Counts(raters[:, None], levels), Counts(given[None], levels))


def _contests(metric: Metric, score_a: Array, score_b: Array, raters: Counts) -> Array:
    d = oriented(metric.base, score_a, score_b, raters)
    return d if metric.contest_of is None else np.sign(d)
