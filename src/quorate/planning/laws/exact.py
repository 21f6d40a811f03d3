"""The exact law of one item's difference in a Dirichlet world, and exact means where that law has too many states.

For a law all counts are enumerated, β and the noises integrated out. Answers from the same source
are pooled before counting: with n₁ answers from β (counts x) and n₂ from (1 − ε) β + ε ϱ (counts
y), β ~ Dirichlet(α), ϱ ~ Dirichlet(ρ),

    P(x, y) = n₁! n₂! Σ_j (1 − ε)^j ε^(n₂ − j) / ((Σα)_{n₁+j} (Σρ)_{n₂−j}) · [t^j] Π_m f_m(t),
    f_m(t) = Σ_i t^i (α_m)_{x_m+i} / (x_m! i!) · (ρ_m)_{y_m−i} / (y_m − i)!,

(a)_n the rising factorial: j of the n₂ answers come from β, and the polynomials count the ways. In
the world with a difference x pools raters and A, and y is B; in the null world x are the raters and
y pools both systems with ε / 2 [forest, alg. 1 and 2]. Given a pool, who gave which of its answers
is hypergeometric. Where A is perturbed too, as many of its answers as a binomial says come from a
noise of its own, and the others are pooled as before.

The mean of a score Σ_m f(g_m, x_m) needs only the counts of one category at a time: g_m ~
Binomial(K, β_m) and x_m ~ Binomial(R, γ_m), γ_m = (1 − ε) β_m + ε ϱ_m, where β_m ~ Beta(α_m, Σα −
α_m) and ϱ_m ~ Beta(ρ_m, Σρ − ρ_m). With

    h(β, γ) = Σ_g Σ_x Bin(g; K, β) Bin(x; R, γ) f(g, x),

E f = ∫∫ h dβ dϱ by Gauss–Jacobi sums. h is a polynomial of degree R in γ, but its Chebyshev
coefficients fall like exp(−k² / R) (those of (1 − γ)^R do), so about 6 √R of them are enough, and
as many nodes as integrate these. Means of other scores are summed over pairs of raters' and one
system's counts, where these are few.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb, isqrt
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln, xlogy

from quorate._typing import Array
from quorate.data.summaries import Counts
from quorate.metrics.metric import Metric, oriented, settle
from quorate.planning.laws.item_law import ItemLaw, exact_law
from quorate.populations.dirichlet import DirichletPopulation

if TYPE_CHECKING:
    from quorate.planning.scenario import Scenario

STATES = 600_000
"""States up to which laws are enumerated: less than a second's work."""
PAIR_WORK = 4e7
"""Operations up to which means are summed over pairs of counts: less than a second's work."""


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

    @property
    def states(self) -> float:
        """Number of states that enumerating a law visits."""
        m, k, r = self.sizes
        if self.effect_a == 0:
            return ways(k, m) * ways(r, m) ** 2
        return ways(k, m) * max(ways(r, 2 * m) * ways(r, m), ways(2 * r, 2 * m))

    @property
    def enumerable(self) -> bool:
        """Whether the states are few enough to be enumerated."""
        return self.states <= STATES

    @property
    def counts(self) -> tuple[Array, Array]:
        """All counts of an item's raters, and all of one system, ``(way, category)``."""
        m, k, r = self.sizes
        return count_vectors(k, m), count_vectors(r, m)

    def summary(self, counts: Array) -> Counts:
        """Return counts on the scale of the population."""
        levels = self.population.levels
        return Counts(counts, None if levels is None else np.array(levels))

    def scores(self, metric: Metric) -> Array:
        """Score every pair of raters' and system's counts, ``(raters, system)``; of wins, by what decides them."""
        raters, given = self.counts
        base = settle(metric.base, self.summary(raters[:1]), [self.summary(given[:1])] * 2)
        return base.score(self.summary(raters[:, None]), self.summary(given[None]))


def find_design(scenario: "Scenario", n_raters: int) -> Design | None:
    """Return the Dirichlet world and sizes behind a scenario, or None where there is none to count in."""
    world, answers = scenario.population.enumerable, n_raters if scenario.answers == "raters" else scenario.answers
    if world is None or isinstance(answers, str) or scenario.agree > 0:
        return None
    return Design(world, n_raters, answers, scenario.effect_a)


def exact_laws(design: Design, metrics: Sequence[Metric], effect: float, *, null: bool = True) -> dict[str, ItemLaw]:
    """Return the exact law of each metric's difference by name, for item metrics or wins by one."""
    raters, _ = design.counts
    chances = triples(design, effect).ravel()
    of_null = null_triples(design, effect).ravel() if null else None
    laws = {}
    for metric in metrics:
        score = design.scores(metric)
        d = oriented(metric.base, score[:, :, None], score[:, None, :], design.summary(raters)).ravel()
        d = d if metric.contest_of is None else np.sign(d)
        laws[metric.name] = exact_law(d, chances, None if of_null is None else d, of_null)
    return laws


def triples(design: Design, effect: float) -> Array:
    """Return P(g, a, b), ``(raters' counts, A's, B's)``: raters and what A has from β are one pool."""
    population, m = design.population, design.sizes[0]
    raters, of_b = design.counts

    def like_raters(n: int) -> Array:
        pool, place, share = _pool(raters, count_vectors(n, m))
        return np.asarray(pair_chances(population, pool, of_b, effect)[place] * share[..., None])

    return _with_noise(population, like_raters, design.answers, design.effect_a)


def null_triples(design: Design, effect: float) -> Array:
    """Return P(g, a, b) with A and B from the even mixture: both systems are one pool."""
    population, m = design.population, design.sizes[0]
    raters, given = design.counts
    rest = (effect / 2) / (1 - design.effect_a / 2)  # B's noise among the answers that are not A's

    def both(n: int) -> Array:
        return pair_chances(population, raters, count_vectors(n, m), rest)

    _, place, share = _pool(given, given)
    return np.asarray(_with_noise(population, both, 2 * design.answers, design.effect_a / 2)[:, place] * share)


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

    poly = factor(0)
    for m in range(1, len(population.alpha) - 1):
        poly = _product(poly, factor(m))
    # The last product is only needed in sum: Σ_j w_j Σ_i f_i poly_{j−i} = Σ_i f_i Σ_k w_{i+k} poly_k.
    shifted = np.where(j[:, None] + j <= n2, weight[np.minimum(j[:, None] + j, n2)], 0.0)
    later = (shifted @ poly.reshape(n2 + 1, -1)).reshape(poly.shape)
    return np.asarray(np.einsum("ixy,ixy->xy", factor(len(population.alpha) - 1), later))


@lru_cache(maxsize=64)
def count_vectors(n: int, m: int) -> Array:
    """Return all ways n answers fall into m categories, ``(way, category)``, in order."""
    bars = np.array(list(combinations(range(n + m - 1), m - 1)), dtype=np.int64).reshape(-1, m - 1)
    edges = np.concatenate([np.full((len(bars), 1), -1), bars, np.full((len(bars), 1), n + m - 1)], axis=1)
    return np.diff(edges, axis=1) - 1


def ways(n: int, n_categories: int) -> float:
    """Return in how many ways n answers fall into categories."""
    return float(comb(n + n_categories - 1, n))


def count_chances(counts: Array, laws: Array) -> Array:
    """Return the multinomial probability of count vectors, ``(way, category)``, under each law, ``(..., way)``."""
    chances = np.broadcast_to(np.exp(_log_orderings(counts)), (*laws.shape[:-1], len(counts)))
    n, categories = counts.sum(1), np.arange(counts.shape[1])
    if n.max() == n.min() < len(categories):  # fewer answers than categories: answer by answer
        answers = np.repeat(np.tile(categories, len(counts)), counts.reshape(-1)).reshape(len(counts), -1)
        for each in answers.T:
            chances = chances * laws[..., each]
        return chances
    for m in categories:
        powers = laws[..., m, None] ** np.arange(int(counts[:, m].max()) + 1)
        chances = chances * powers[..., counts[:, m]]
    return chances


@dataclass(frozen=True)
class ExactMeans:
    """What is exact at one effect: means by metric, and tables of squared terms with their means in both worlds."""

    effect: float
    bases: dict[str, Metric]
    means: dict[str, float]
    squares: dict[str, tuple[Array, float, float]]

    def control(self, metric: Metric) -> Metric | None:
        """Return the metric's own base if its mean is known, else the first whose mean is."""
        own = metric.base.name
        return self.bases[own if own in self.means else next(iter(self.means))] if self.means else None


def exact_means(
    design: Design, effects: Sequence[float], metrics: Sequence[Metric], *, pair_work: float = PAIR_WORK
) -> list[ExactMeans]:
    """Sum over categories where a score is such a sum; else over pairs of counts, if few enough.

    Of wins the base is meant.
    """
    m, k, r = design.sizes
    bases = {base.name: base for base in (metric.base for metric in metrics)}
    tables = {name: base.category_terms(m, k, r) for name, base in bases.items() if base.category_terms is not None}
    squared = [name for name in tables if bases[name].long_tailed and design.effect_a == 0]
    rest = [base for name, base in bases.items() if name not in tables]
    both = np.array([*tables.values(), *(tables[name] ** 2 for name in squared)]).reshape(-1, k + 1, r + 1)
    perturbed = [share * effect for effect in effects for share in (1.0, 0.5)]
    sums = expected_sums(design.population, [design.effect_a, *perturbed], both)
    exact = []
    for place, effect in enumerate(effects):
        own, mixture = sums[1 + 2 * place], sums[2 + 2 * place]
        gaps = dict(zip(tables, own - sums[0], strict=False))
        means = {name: _advantage(bases[name], gap) for name, gap in gaps.items()}
        squares = {
            name: (tables[name] ** 2, float(sums[0, at] + own[at]), float(2 * mixture[at]))
            for at, name in enumerate(squared, start=len(tables))
        }
        exact.append(ExactMeans(effect, bases, means | _rest_means(design, rest, effect, pair_work), squares))
    return exact


def pair_means(design: Design, metrics: Sequence[Metric], effect: float) -> dict[str, float]:
    """Return the means of differences of scores over all pairs of raters' and one system's counts; wins have none."""
    a, b = (pair_chances(design.population, *design.counts, epsilon) for epsilon in (design.effect_a, effect))
    alone = [metric for metric in metrics if metric.contest_of is None]
    return {metric.name: _advantage(metric, float(np.vdot(b - a, design.scores(metric)))) for metric in alone}


def expected_sums(
    population: DirichletPopulation, effects: Sequence[float], tables: Array, *, finer: float = 1.0
) -> Array:
    """Return E Σ_m f(g_m, x_m) for each perturbation of the system and each table f, ``(effect, table)``.

    `finer` multiplies the numbers of Chebyshev terms and nodes beyond the first 16.
    """
    alpha, rho = population.alpha, population.noise
    kinds: dict[tuple[float, float], int] = {}
    for kind in zip(alpha, rho, strict=True):
        kinds[kind] = kinds.get(kind, 0) + 1
    parts = [
        times * pair_expectations((a, sum(alpha) - a), (r, sum(rho) - r), effects, tables, finer=finer)
        for (a, r), times in kinds.items()
    ]
    return np.asarray(np.sum(parts, axis=0))


def pair_expectations(
    beta: tuple[float, float],
    noise: tuple[float, float],
    effects: Sequence[float],
    tables: Array,
    *,
    finer: float = 1.0,
) -> Array:
    """Return E f(g, x) of one category, ``(effect, table)``; `beta` and `noise` are parameters of Beta laws."""
    n_raters, answers = tables.shape[1] - 1, tables.shape[2] - 1
    terms = 16 + int(finer * 6 * isqrt(answers))
    points, weights = _beta_nodes(*beta, 16 + int(finer * 4 * isqrt(n_raters + answers)))
    angles = (np.arange(terms) + 0.5) * np.pi / terms
    at_nodes = _binomial(n_raters, points) @ tables @ _binomial(answers, (1 + np.cos(angles)) / 2).T
    coefficients = at_nodes @ (np.cos(np.outer(angles, np.arange(terms))) * (2 / terms))
    coefficients[..., 0] /= 2
    weighted = weights[:, None] * coefficients
    return np.array([(weighted * _mean_chebyshev(points, noise, effect, terms)).sum((-1, -2)) for effect in effects])


def _mean_chebyshev(points: Array, noise: tuple[float, float], effect: float, terms: int) -> Array:
    """E[T_k(2γ − 1)] over the noise at each β, ``(β, k)``."""
    nodes, weights = _beta_nodes(*noise, terms // 2 + 1) if effect > 0 else (np.zeros(1), np.ones(1))
    x = 2 * ((1 - effect) * points[:, None] + effect * nodes) - 1
    before, now, means = np.ones_like(x), x, np.empty((len(points), terms))
    for k in range(terms):
        means[:, k] = before @ weights
        before, now = now, 2 * x * now - before
    return means


@lru_cache(maxsize=256)
def _beta_nodes(a: float, b: float, n: int) -> tuple[Array, Array]:
    """Nodes and weights that integrate polynomials up to degree 2n − 1 under Beta(a, b) [golub1969]."""
    p, q, k = b - 1.0, a - 1.0, np.arange(1.0, n)
    s = 2 * k + p + q
    diagonal = np.concatenate([[(q - p) / (p + q + 2)], (q * q - p * p) / (s * (s + 2))])
    with np.errstate(invalid="ignore", divide="ignore"):
        squares = 4 * k * (k + p) * (k + q) * (k + p + q) / (s**2 * (s + 1) * (s - 1))
    squares[:1] = 4 * (1 + p) * (1 + q) / ((2 + p + q) ** 2 * (3 + p + q))  # 0 / 0 in the line above if a + b = 1
    beside = np.diag(np.sqrt(squares), 1)
    values, vectors = np.linalg.eigh(np.diag(diagonal) + beside + beside.T)
    return np.clip((1 + values) / 2, 1e-300, 1 - 1e-16), vectors[0] ** 2


def _binomial(n: int, p: Array) -> Array:
    """Binomial probabilities, ``(p, count)``."""
    k = np.arange(n + 1)
    orderings = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return np.exp(orderings + np.log(p)[:, None] * k + np.log1p(-p)[:, None] * (n - k))


def _rest_means(design: Design, rest: Sequence[Metric], effect: float, work: float) -> dict[str, float]:
    """Means of scores that are no sums over categories: over pairs of counts, if these are few or of one category."""
    m, k, r = design.sizes
    # Pairs of counts times products of polynomials; the last is a matrix product, several times as fast.
    if not rest or (m > 2 and ways(k, m) * ways(r, m) * (r + 1) ** 2 * max(m - 2, 0.15) > work):
        return {}
    if m > 2:
        return pair_means(design, rest, effect)
    (alpha, beta), (rho, other) = design.population.alpha, design.population.noise
    tables = np.array([design.scores(base) for base in rest])
    sums = pair_expectations((alpha, beta), (rho, other), (design.effect_a, effect), tables)
    return {base.name: _advantage(base, float(gap)) for base, gap in zip(rest, sums[1] - sums[0], strict=True)}


def _advantage(metric: Metric, gap: float) -> float:
    """How much better A is where B's score is higher by so much."""
    return gap if metric.better == "low" else -gap


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


def _log_rising(a: Array | float, n: Array) -> Array:
    return np.asarray(gammaln(a + n) - gammaln(a))


def _log_orderings(counts: Array) -> Array:
    """Logarithm of the multinomial coefficient."""
    return np.asarray(gammaln(counts.sum(-1) + 1.0) - gammaln(counts + 1.0).sum(-1))


def _log_moment(alpha: Sequence[float], counts: Array) -> Array:
    """Logarithm of E[Π β_m^{n_m}] for β ~ Dirichlet(α)."""
    rising = _log_rising(np.asarray(alpha), counts).sum(-1)
    return np.asarray(rising - _log_rising(sum(alpha), counts.sum(-1)))
