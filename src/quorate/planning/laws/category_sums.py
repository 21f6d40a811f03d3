"""Exact means of scores that are sums over categories, whatever the number of categories, raters and answers.

A score Σ_m f(g_m, x_m) needs only the law of one category's counts at a time: g_m ~ Binomial(K, β_m) and
x_m ~ Binomial(R, γ_m), γ_m = (1 − ε) β_m + ε ϱ_m, where β_m ~ Beta(α_m, Σα − α_m) and ϱ_m ~ Beta(ρ_m, Σρ − ρ_m). With

    h(β, γ) = Σ_g Σ_x Bin(g; K, β) Bin(x; R, γ) f(g, x),

E f = ∫∫ h dβ dϱ by Gauss–Jacobi sums. h is a polynomial of degree R in γ, but its Chebyshev coefficients fall like
exp(−k² / R) (those of (1 − γ)^R do), so about 6 √R of them are enough, and as many nodes as integrate these.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import isqrt

import numpy as np
from scipy.special import gammaln

from quorate._typing import Array
from quorate.data.summaries import Counts
from quorate.metrics.metric import Metric
from quorate.metrics.panels import KullbackLeibler, TotalVariation, smoothed
from quorate.populations.dirichlet import DirichletPopulation

__all__ = ["category_table", "expected_sums", "pair_expectations"]


def category_table(metric: Metric, n_categories: int, n_raters: int, answers: int) -> Array | None:
    """Return f with ``score = Σ_m f[g_m, x_m]``, ``(raters' count, system's count)``; None if the score is no such sum.

    Examples
    --------
    >>> from quorate.metrics import find_metric
    >>> category_table(find_metric("total_variation"), 3, 1, 1)
    array([[0. , 0.5],
           [0.5, 0. ]])
    """
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


def expected_sums(population: DirichletPopulation, effects: Sequence[float], tables: Array) -> Array:
    """Return E Σ_m f(g_m, x_m) for each perturbation of the system and each table f, ``(effect, table)``.

    Examples
    --------
    >>> world = DirichletPopulation((5.22, 0.86, 2.75))
    >>> both = np.array([[[0.0, 0.0], [0.0, 1.0]]])  # rater and system give the same answer
    >>> expected_sums(world, (0.0, 1.0), both).round(3)
    array([[0.511], [0.333]])
    """
    alpha, rho = population.alpha, population.noise
    kinds: dict[tuple[float, float], int] = {}
    for kind in zip(alpha, rho, strict=True):
        kinds[kind] = kinds.get(kind, 0) + 1
    parts = [
        times * pair_expectations((a, sum(alpha) - a), (r, sum(rho) - r), effects, tables)
        for (a, r), times in kinds.items()
    ]
    return np.asarray(np.sum(parts, axis=0))


def pair_expectations(
    beta: tuple[float, float], noise: tuple[float, float], effects: Sequence[float], tables: Array
) -> Array:
    """Return E f(g, x) of one category, ``(effect, table)``; `beta` and `noise` are parameters of Beta laws.

    Examples
    --------
    >>> pair_expectations((1.0, 1.0), (0.5, 0.5), (0.0, 1.0), np.array([[[0.0, 0.0], [0.0, 1.0]]])).round(6).tolist()
    [[0.333333], [0.25]]
    """
    n_raters, answers = tables.shape[1] - 1, tables.shape[2] - 1
    terms = 16 + 6 * isqrt(answers)
    points, weights = _beta_nodes(*beta, 16 + 4 * isqrt(n_raters + answers))
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
