"""Worlds with known labels to try estimators on: MAVEN's own process, item response theory, and odd score shapes.

[maven, alg. 1, 2 and 3]. Where the paper is silent: sigmas are standard deviations, skills use
(mu_s, sigma_s), a fixed panel of 100 voters, IRT scores with (mu, delta) = (1, 1.5) and (0.7, 2)
for a second system.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv, expit, ndtr

from quorate._typing import Array


@dataclass(frozen=True)
class Crowd:
    """Simulated items: true labels, positive votes and votes, ``(item,)``, and scores, ``(item, system)``.

    ``rater`` and ``vote`` are who voted and how, ``(item, vote)``; None where voters are anonymous.
    """

    truth: Array
    positive: Array
    total: Array
    scores: Array
    rater: Array | None = None
    vote: Array | None = None


def maven_crowd(
    n_items: int,
    *,
    rng: np.random.Generator,
    prevalence: float = 0.5,
    rate: tuple[float, float] = (0.1, 0.6),
    scale: tuple[float, float] = (1.5, 1.5),
    n_votes: int = 3,
) -> Crowd:
    """Draw from MAVEN's own process [maven, alg. 1], by default with the parameters of its appendix A."""
    truth, p = _beta_votes(n_items, prevalence, rate, scale, rng.random(n_items), rng)
    scores = rng.normal(0.5 * truth + 3.0 * p, 1.0)
    return Crowd(truth, rng.binomial(n_votes, p), np.full(n_items, n_votes), scores[:, None])


def irt_crowd(
    n_items: int,
    *,
    rng: np.random.Generator,
    n_votes: int = 3,
    n_voters: int = 100,
    scores: tuple[tuple[float, float], ...] = ((1.0, 1.5), (0.7, 2.0)),
) -> Crowd:
    """Draw from the item-response process [maven, alg. 2]: P_ij = sigmoid(o + (S_j - D_i)(2 Y_i - 1)), o = -1."""
    skill = rng.normal(3.0, 2.0, n_voters)
    truth = (rng.random(n_items) < 0.2).astype(np.int64)
    difficulty = rng.normal(0.5, 2.0, n_items)
    rater = _distinct(n_items, n_votes, n_voters, rng)
    p = expit(-1.0 + (skill[rater] - difficulty[:, None]) * (2 * truth[:, None] - 1))
    vote = (rng.random(p.shape) < p).astype(np.int64)
    columns = [rng.normal(mu * truth + delta * p.mean(1), 1.0) for mu, delta in scores]
    return Crowd(truth, vote.sum(1), np.full(n_items, n_votes), np.stack(columns, 1), rater, vote)


def copula_crowd(n_items: int, *, rng: np.random.Generator, shape: str, n_votes: int = 3) -> Crowd:
    """Draw scores of an odd shape, tied to the votes by a Gaussian copula with correlation 0.5 [maven, alg. 3]."""
    prevalence = 0.3
    normal = rng.standard_normal(n_items)
    other = 0.5 * normal + np.sqrt(1 - 0.5**2) * rng.standard_normal(n_items)
    truth, p = _beta_votes(n_items, prevalence, (0.2, 0.4), (1.5, 1.5), ndtr(normal), rng)
    grid, cdf = _score_law(SHAPES[shape], prevalence)
    quantile = ndtr(other)
    score = np.where(truth == 1, np.interp(quantile, cdf[1], grid), np.interp(quantile, cdf[0], grid))
    return Crowd(truth, rng.binomial(n_votes, p), np.full(n_items, n_votes), score[:, None])


def choose_experts(n_items: int, share: float, *, rng: np.random.Generator) -> Array:
    """Mark a random ``share`` of the items as labelled by an expert, ``(item,)``."""
    labelled = np.zeros(n_items, dtype=bool)
    labelled[rng.permutation(n_items)[: round(share * n_items)]] = True
    return labelled


@dataclass(frozen=True)
class ScoreShape:
    """A mixture of betas for the scores, ``(share, alpha, beta)`` each, and the powers of a beta calibration curve."""

    description: str
    parts: tuple[tuple[float, float, float], ...]
    a: float
    b: float


SHAPES = {
    "bimodal": ScoreShape(
        "scores with two humps and a heavy upper tail",
        ((0.5, 8.0, 24.0), (0.3, 24.0, 16.0), (0.2, 30.0, 4.0)),
        a=2.0,
        b=1.0,
    ),
    "extreme": ScoreShape("scores of an over-confident classifier", ((0.6, 0.3, 3.0), (0.4, 2.0, 0.3)), a=0.7, b=0.5),
    "flat": ScoreShape("uniform scores", ((1.0, 1.0, 1.0),), a=1.0, b=1.0),
    "skewed": ScoreShape("scores that are nearly all low", ((0.8, 2.0, 30.0), (0.2, 2.0, 6.0)), a=2.0, b=0.2),
}
"""Our choice of App. D's four."""


class CrowdPreset(NamedTuple):
    """A generator with its name, one line about it, and its source."""

    name: str
    draw: Callable[..., Crowd]
    description: str
    citation: str


CROWDS = {
    preset.name: preset
    for preset in (
        CrowdPreset("maven", maven_crowd, "votes and scores as MAVEN assumes them", "maven, alg. 1"),
        CrowdPreset(
            "irt", irt_crowd, "voters of unlike skill, items of unlike difficulty, two systems", "maven, alg. 2"
        ),
        *(
            CrowdPreset(f"copula-{name}", partial(copula_crowd, shape=name), shape.description, "maven, alg. 3")
            for name, shape in SHAPES.items()
        ),
    )
}
"""The crowds `simulate` knows by name."""


def _beta_votes(
    n: int, prevalence: float, rate: tuple[float, float], scale: tuple[float, float], u: Array, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Draw labels, and P as the beta quantile of ``u`` given the label."""
    truth = (rng.random(n) < prevalence).astype(np.int64)
    a, d = np.array(rate)[truth], np.array(scale)[truth]
    p: Array = betaincinv(a * d, (1 - a) * d, u)
    return truth, p


def _distinct(n: int, n_chosen: int, n_total: int, rng: np.random.Generator) -> Array:
    """Choose ``n_chosen`` different numbers below ``n_total`` for each of ``n`` rows (Floyd's algorithm, by column)."""
    chosen = np.full((n, n_chosen), -1)
    for column, top in enumerate(range(n_total - n_chosen, n_total)):
        pick = rng.integers(top + 1, size=n)
        chosen[:, column] = np.where((chosen == pick[:, None]).any(1), top, pick)
    return chosen


def _score_law(shape: ScoreShape, prevalence: float) -> tuple[Array, Array]:
    """Class-conditional score CDFs on a grid, from the law g of all scores and the calibration curve c [maven, app. D].

    F_1 ~ c(x) g(x), F_0 ~ (1 - c(x)) g(x), c = sigmoid(m + a ln x - b ln(1 - x)); the intercept m
    is solved so that the share of positives is ``prevalence``.
    """
    from scipy.optimize import brentq
    from scipy.stats import beta

    edges = expit(np.linspace(-14, 14, 4001))
    middle = (edges[1:] + edges[:-1]) / 2
    mass = np.sum([share * np.diff(beta.cdf(edges, a, b)) for share, a, b in shape.parts], axis=0)
    slope = shape.a * np.log(middle) - shape.b * np.log1p(-middle)
    intercept = brentq(lambda m: float(mass @ expit(m + slope)) / float(mass.sum()) - prevalence, -60, 60)
    positive = expit(intercept + slope)
    law = np.cumsum(np.stack([(1 - positive) * mass, positive * mass]), axis=1)
    law = np.concatenate([np.zeros((2, 1)), law / law[:, -1:]], axis=1)
    return edges, law
