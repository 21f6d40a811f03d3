"""The Bayesian cut: votes and experts inform the score model; for the reverse see feedback.py (the paper has none).

First draw the vote model's parameters from their own posterior, then one (mu, delta) given each of them
[maven, sec. 3.3]. No Markov chain is needed for five and two variables: modes, then importance sampling, which says by
itself (k̂, effective sample size) whether it can be trusted; where it cannot, an ensemble of walkers takes over.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from quorate._typing import Array
from quorate.estimating.posterior.ensemble import walk
from quorate.estimating.posterior.importance import importance_sample, pareto_smooth, resample
from quorate.estimating.posterior.mode import LogDensity, Mode, find_mode
from quorate.estimating.score_model import ScoreModel, Wins
from quorate.estimating.vote_law import VoteLaw
from quorate.estimating.vote_model import VoteParameters, VoteSets, vote_log_posterior
from quorate.estimating.wins import kernels

__all__ = ["ScoreDraws", "VoteDraws", "sample_posterior", "sample_scores", "sample_votes"]

BAD_K = 0.7  # beyond it importance weights cannot be trusted [vehtari2024]
PROPOSALS = 48  # of (mu, delta) per vote draw
FREEDOM = 5.0  # of their t distribution
NEAR = 0.02  # a proposal need not be centred better than this
POOR = 0.4  # effective share of the proposals below which a vote draw is tried again from the moments found


class VoteDraws(NamedTuple):
    """Draws of the vote model, ``(draw,)``, and how they came about.

    Parameters
    ----------
    parameters
        The draws.
    k_hat, effective
        Shape of the weights' tail and effective sample size of the importance sampling.
    fallback
        Whether walkers replaced the weighted draws.
    heeded
        Effective share of them that is left once the scores have spoken (feedback.py).
    r_hat, chains
        Convergence and whole chains, ``(chain, draw)`` by name, if the reference engine made the draws.
    """

    parameters: VoteParameters
    k_hat: float
    effective: float
    fallback: bool
    heeded: float = 1.0
    r_hat: float | None = None
    chains: Mapping[str, Array] | None = None


class ScoreDraws(NamedTuple):
    """One (mu, delta) per vote draw, both ``(draw,)``, with k̂ and the mean effective share of the proposals."""

    shift: Array
    slope: Array
    k_hat: float
    effective: float


def sample_votes(sets: VoteSets, *, size: int = 500, rng: np.random.Generator) -> VoteDraws:
    """Draw (phi, a_0, a_1, d_0, d_1) from the posterior of the vote model.

    Examples
    --------
    >>> from quorate.populations.crowds import maven_crowd
    >>> from quorate.estimating.vote_model import vote_sets
    >>> crowd = maven_crowd(20_000, rng=np.random.default_rng(0))
    >>> sets, _ = vote_sets(crowd.positive, crowd.total, crowd.truth, np.arange(20_000) < 2000)
    >>> draws = sample_votes(sets, rng=np.random.default_rng(0))
    >>> draws.parameters.rate.mean(0).round(1), draws.k_hat < 0.7           # truth: 0.1 and 0.6
    (array([0.1, 0.6]), True)
    """
    free, k_hat, effective, fallback = sample_posterior(
        lambda points: vote_log_posterior(points, sets), rng.logistic(size=(1000, 5)), size=size, rng=rng
    )
    return VoteDraws(VoteParameters.from_free(free), k_hat, effective, fallback)


def sample_posterior(
    log_density: LogDensity, guesses: Array, *, size: int, proposals: int = 4000, rng: np.random.Generator
) -> tuple[Array, float, float, bool]:
    """Draw ``size`` points from a posterior of few variables; also k̂, effective size, and whether walkers were needed.

    Parameters
    ----------
    log_density
        Takes ``(..., point, variable)``.
    guesses
        Points spread over where the posterior may lie, ``(guess, variable)``; the best few start the search for modes.
    proposals
        Weighted draws per round of importance sampling.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> points, k_hat, _, fallback = sample_posterior(
    ...     lambda x: -0.5 * ((x - 2) ** 2).sum(-1), rng.normal(size=(50, 3)), size=4000, rng=rng)
    >>> points.mean(0).round(1), fallback
    (array([2., 2., 2.]), False)
    """
    heights = log_density(guesses)
    best = np.argsort(-heights)[:6]
    modes = _distinct(find_mode(log_density, guesses[best]))
    draws = importance_sample(log_density, modes, size=proposals, rng=rng)
    points = draws.points[resample(draws.log_weights, size, rng=rng)]
    fallback = draws.k_hat > BAD_K or draws.effective < min(size, proposals / 8) / 2
    if fallback:
        points = walk(log_density, points, rng=rng)
    return points, draws.k_hat, draws.effective, fallback


def sample_scores(law: VoteLaw, wins: Wins, model: ScoreModel, *, rng: np.random.Generator) -> ScoreDraws:
    """Draw one (mu, delta) for every draw of the vote model: Laplace, then importance resampling.

    Examples
    --------
    >>> from quorate.estimating.vote_law import vote_law
    >>> from quorate.estimating.score_model import Paper, observe_wins
    >>> from quorate.estimating.vote_model import vote_sets
    >>> votes = np.repeat([0, 1], 500)
    >>> sets, member = vote_sets(votes, np.ones(1000, dtype=int), votes, np.arange(1000) % 5 == 0)
    >>> law = vote_law(VoteParameters(np.full(8, 0.5), np.tile([0.2, 0.8], (8, 1)), np.ones((8, 2))), sets)
    >>> wins = observe_wins(np.random.default_rng(0).normal(size=1000) + votes, member, sets)
    >>> sample_scores(law, wins, Paper(wins), rng=np.random.default_rng(1)).shift.shape
    (8,)
    """
    start = np.zeros(2)
    free, log_weights = [], []
    for kernel in kernels(law, wins.groups):
        chosen, weights = _sample_batch(model, kernel, start, rng)
        start = np.median(chosen, axis=0)
        free.append(chosen)
        log_weights.append(weights)
    point, every = model.bound(np.concatenate(free)), np.concatenate(log_weights)
    effective = np.exp(-logsumexp(2 * every, axis=1)).mean() / every.shape[1]
    return ScoreDraws(point[:, 0], point[:, 1], pareto_smooth(every.ravel())[1], float(effective))


def _distinct(mode: Mode) -> Mode:
    """Keep each mode once, the highest first, and none that cannot matter (e^-8 of the highest)."""
    kept: list[int] = []
    for i in np.argsort(-mode.height):
        apart = all(np.abs(mode.point[i] - mode.point[j]).max() > 0.1 for j in kept)
        if apart and mode.height[i] > mode.height.max() - 8:
            kept.append(int(i))
    return Mode(mode.point[kept], mode.height[kept], mode.covariance[kept])


def _sample_batch(model: ScoreModel, kernel: Array, start: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """One free point per vote draw, ``(draw, 2)``, and the normalised log weights of its proposals."""
    log_density = model.density(kernel)
    mode = find_mode(log_density, np.tile(start, (len(kernel), 1)), iterations=15, tolerance=NEAR)
    points, log_weights = _propose(log_density, mode.point, mode.covariance, rng)
    poor = np.exp(-logsumexp(2 * log_weights, axis=1)) < POOR * PROPOSALS
    if poor.any():
        centre, spread = _moments(points[poor], log_weights[poor], mode.covariance[poor])
        points[poor], log_weights[poor] = _propose(model.density(kernel[poor]), centre, spread, rng)
    # Gumbel's trick: the largest log weight plus Gumbel noise is a draw with these weights
    pick = (log_weights + rng.gumbel(size=log_weights.shape)).argmax(1)
    return points[np.arange(len(points)), pick], log_weights


def _propose(
    log_density: LogDensity, centre: Array, covariance: Array, rng: np.random.Generator
) -> tuple[Array, Array]:
    root = np.linalg.cholesky(covariance)
    normal = rng.standard_normal((len(root), PROPOSALS, 2))
    stretch = FREEDOM / rng.chisquare(FREEDOM, (len(root), PROPOSALS))
    points = centre[:, None] + np.sqrt(stretch)[..., None] * (normal @ np.swapaxes(root, -1, -2))
    log_proposal = -(FREEDOM + 2) / 2 * np.log1p(stretch * (normal**2).sum(-1) / FREEDOM)
    raw = log_density(points) - log_proposal
    return points, raw - logsumexp(raw, axis=1, keepdims=True)


def _moments(points: Array, log_weights: Array, floor: Array) -> tuple[Array, Array]:
    """Weighted mean and covariance of each draw's proposals, the latter widened by a tenth of ``floor``."""
    weights = np.exp(log_weights)[..., None]
    centre = (weights * points).sum(1)
    away = points - centre[:, None]
    return centre, np.swapaxes(away, 1, 2) @ (weights * away) + 0.1 * floor
