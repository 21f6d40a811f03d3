"""Exact means of differences whose laws are simulated, and mean squares of the terms of long-tailed scores.

A score Σ_m f(g_m, x_m) needs only the law of one category's counts at a time: g_m ~ Binomial(K, β_m) and
x_m ~ Binomial(R, γ_m), γ_m = (1 − ε) β_m + ε ϱ_m, where β_m ~ Beta(α_m, Σα − α_m) and ϱ_m ~ Beta(ρ_m, Σρ − ρ_m). With

    h(β, γ) = Σ_g Σ_x Bin(g; K, β) Bin(x; R, γ) f(g, x),

E f = ∫∫ h dβ dϱ by Gauss–Jacobi sums. h is a polynomial of degree R in γ, but its Chebyshev coefficients fall like
exp(−k² / R) (those of (1 − γ)^R do), so about 6 √R of them are enough, and as many nodes as integrate these. Other
scores are summed over pairs of raters' and one system's counts, where these are few.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb, isqrt

import numpy as np
from scipy.special import gammaln

from quorate._typing import Array
from quorate.data.summaries import Counts
from quorate.metrics.item_scores import KullbackLeibler, TotalVariation, smoothed
from quorate.metrics.metric import Metric
from quorate.planning.laws.exact import Design, count_vectors, pair_chances, pair_scores
from quorate.populations.dirichlet import DirichletPopulation

__all__ = ["ExactMeans", "category_table", "exact_means", "expected_sums", "pair_expectations", "pair_means"]

PAIR_WORK = 4e7
"""Operations up to which means are summed over pairs of counts: less than a second's work."""


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
    design: Design,
    effects: Sequence[float],
    metrics: Sequence[Metric],
    *,
    pair_work: float = PAIR_WORK,
) -> list[ExactMeans]:
    """Sum over categories where a score is such a sum; else over pairs of counts, if they are few.

    Parameters
    ----------
    design, effects, metrics
        The world and the sizes; perturbations of B; item metrics, or wins by one, whose base is then meant.
    pair_work
        Operations up to which pairs of counts count as few.
    """
    m, k, r = design.sizes
    bases = {base.name: base for base in (metric.base for metric in metrics)}
    tables = {name: table for name, base in bases.items() if (table := category_table(base, m, k, r)) is not None}
    squared = [name for name in tables if bases[name].long_tailed and design.effect_a == 0]
    rest = [base for name, base in bases.items() if name not in tables]
    both = np.array([*tables.values(), *(tables[name] ** 2 for name in squared)]).reshape(-1, k + 1, r + 1)
    perturbed = [share * effect for effect in effects for share in (1.0, 0.5)]
    sums = expected_sums(design.population, [design.effect_a, *perturbed], both)
    exact = []
    for place, effect in enumerate(effects):
        own, mixture = sums[1 + 2 * place], sums[2 + 2 * place]
        gaps = dict(zip(tables, own - sums[0], strict=False))
        means = {name: gap * (1.0 if bases[name].better == "low" else -1.0) for name, gap in gaps.items()}
        means |= _rest_means(design, rest, effect, pair_work)
        squares = {
            name: (tables[name] ** 2, float(sums[0, at] + own[at]), float(2 * mixture[at]))
            for at, name in enumerate(squared, start=len(tables))
        }
        exact.append(ExactMeans(effect, bases, means, squares))
    return exact


def pair_means(
    population: DirichletPopulation,
    metrics: Sequence[Metric],
    n_raters: int,
    answers: int,
    effect: float,
    effect_a: float = 0.0,
) -> dict[str, float]:
    """Return the means of differences of scores over all pairs of raters' and one system's counts; wins have none."""
    raters, given = (count_vectors(n, len(population.alpha)) for n in (n_raters, answers))
    a, b = (pair_chances(population, raters, given, epsilon) for epsilon in (effect_a, effect))
    return {
        metric.name: float(np.vdot(a - b, pair_scores(population, metric, raters, given)))
        * (1.0 if metric.better == "high" else -1.0)
        for metric in metrics
        if metric.contest_of is None
    }


def category_table(metric: Metric, n_categories: int, n_raters: int, answers: int) -> Array | None:
    """Return f with ``score = Σ_m f[g_m, x_m]``; None if the score is no such sum."""
    match metric.score:
        case TotalVariation(variant=variant):
            gap = np.abs(np.arange(n_raters + 1)[:, None] / n_raters - np.arange(answers + 1) / answers)
            return np.asarray(gap / n_categories if variant == "paper" else 0.5 * gap)
        case KullbackLeibler(variant=variant):
            given = smoothed(_spread(answers, n_categories), variant)[:, 0]
            panel = _spread(n_raters, n_categories)
            share = (smoothed(panel, "paper") if variant == "paper" else panel.share)[:, 0]
            log_share = np.log(np.where(share > 0, share, 1.0))
            return np.asarray(share[:, None] * (log_share[:, None] - np.log(given)))
    return None


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
    from scipy.linalg import eigh_tridiagonal

    p, q, k = b - 1.0, a - 1.0, np.arange(1.0, n)
    s = 2 * k + p + q
    diagonal = np.concatenate([[(q - p) / (p + q + 2)], (q * q - p * p) / (s * (s + 2))])
    with np.errstate(invalid="ignore", divide="ignore"):
        squares = 4 * k * (k + p) * (k + q) * (k + p + q) / (s**2 * (s + 1) * (s - 1))
    squares[:1] = 4 * (1 + p) * (1 + q) / ((2 + p + q) ** 2 * (3 + p + q))  # 0 / 0 in the line above if a + b = 1
    values, vectors = eigh_tridiagonal(diagonal, np.sqrt(squares))
    return np.clip((1 + values) / 2, 1e-300, 1 - 1e-16), vectors[0] ** 2


def _binomial(n: int, p: Array) -> Array:
    """Binomial probabilities, ``(p, count)``."""
    k = np.arange(n + 1)
    ways = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return np.exp(ways + np.log(p)[:, None] * k + np.log1p(-p)[:, None] * (n - k))


def _spread(n: int, n_categories: int) -> Counts:
    """Counts whose first category runs from 0 to n, the rest anywhere."""
    counts = np.zeros((n + 1, n_categories), dtype=np.int64)
    counts[:, 0] = np.arange(n + 1)
    counts[:, 1] = n - counts[:, 0]
    return Counts(counts)


def _rest_means(design: Design, rest: Sequence[Metric], effect: float, work: float) -> dict[str, float]:
    """Means of scores that are no sums over categories: over pairs of counts, if these are few or of one category."""
    m, k, r = design.sizes
    if not rest or (m > 2 and _pair_work(m, k, r) > work):
        return {}
    if m > 2:
        return pair_means(design.population, rest, k, r, effect, design.effect_a)
    (alpha, beta), (rho, other) = design.population.alpha, design.population.noise
    tables = np.array([pair_scores(design.population, base, *(count_vectors(n, 2) for n in (k, r))) for base in rest])
    sums = pair_expectations((alpha, beta), (rho, other), (design.effect_a, effect), tables)
    signs = [1.0 if base.better == "low" else -1.0 for base in rest]
    return {base.name: float(gap) for base, gap in zip(rest, signs * (sums[1] - sums[0]), strict=True)}


def _pair_work(n_categories: int, n_raters: int, answers: int) -> float:
    """About how many operations `pair_means` takes."""
    states = float(comb(n_raters + n_categories - 1, n_raters)) * comb(answers + n_categories - 1, answers)
    # The last polynomial product is a matrix product, several times as fast.
    return states * (answers + 1) ** 2 * max(n_categories - 2, 0.15)
