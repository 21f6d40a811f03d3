"""The Bayesian cut, loosened: votes and experts inform the score model, and its ranking the votes only a little.

First draw the vote model's parameters from their own posterior, then one (mu, delta) given each of
them [maven, sec. 3.3]: modes, then importance sampling, no Markov chain.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from quorate._typing import Array
from quorate.estimating.posterior.sampling import (
    FREEDOM,
    LogDensity,
    find_mode,
    pareto_smooth,
    resample,
    sample_posterior,
)
from quorate.estimating.score_model import ScoreModel, Wins, calibrate, kernels
from quorate.estimating.vote_model import VoteLaw, VoteParameters, VoteSets, vote_law, vote_log_posterior

INFLUENCE = 0.3  # eta: chosen on simulated crowds, see docs/methods/maven.md
SCOUTS = 80  # draws of the vote model whose evidence is computed, twice; a quadratic surface gives it for the others
PROPOSALS = 48  # of (mu, delta) per vote draw
NEAR = 0.02  # a proposal need not be centred better than this
POOR = 0.4  # effective share of the proposals below which a vote draw is tried again from their moments


class VoteDraws(NamedTuple):
    """Draws of the vote model, ``(draw,)``, and how they came about."""

    parameters: VoteParameters
    k_hat: float  # tail of the importance weights
    effective: float  # sample size
    fallback: bool  # whether walkers replaced the weighted draws
    feedback_share: float = 1.0  # effective share left once the scores have spoken
    r_hat: float | None = None  # convergence, of the reference engine
    chains: Mapping[str, Array] | None = None  # its chains, (chain, draw) by name


class ScoreDraws(NamedTuple):
    """One (mu, delta) per vote draw, both ``(draw,)``, with k̂ and the mean effective share of the proposals."""

    shift: Array
    slope: Array
    k_hat: float
    effective: float


def sample_votes(sets: VoteSets, *, size: int = 500, rng: np.random.Generator) -> VoteDraws:
    """Draw (phi, a_0, a_1, d_0, d_1) from the posterior of the vote model."""
    free, k_hat, effective, fallback = sample_posterior(
        lambda points: vote_log_posterior(points, sets), rng.logistic(size=(1000, 5)), size=size, rng=rng
    )
    return VoteDraws(VoteParameters.from_free(free), k_hat, effective, fallback)


def weigh_by_scores(
    pool: VoteParameters,
    sets: VoteSets,
    wins: Sequence[Wins],
    *,
    size: int,
    influence: float = INFLUENCE,
    rng: np.random.Generator,
) -> tuple[VoteParameters, float]:
    """Choose ``size`` draws from a pool of draws of the cut posterior, those more often that the ranking supports.

    The paper cuts all feedback. With few experts the vote model is hardly determined, and draws of
    it that the ranking plainly contradicts stay in: intervals become wider than they need be, and
    miss. Semi-modular inference [carmona2020] weighs every draw of the vote model by a power of how
    well it lets the score model explain the win rates w,

        p(votes | V, T, w) ~ p(votes | V, T) Z(votes)^eta,    Z = int p(w | mu, delta, votes) p(mu, delta) dmu ddelta.

    eta = 0 is the cut, eta = 1 the full posterior, which a wrong score model can lead astray.
    Deviates: the paper has 0.

    log Z is smooth in the five free numbers: it is worked out for some draws of the pool, then for
    some of those which a first surface favours, and read off a quadratic surface for all. Several
    systems speak with one voice, the mean of their log Z, because their scores are anything but
    independent.

    Returns
    -------
    The draws, ``(size,)``, and the effective share of the pool they come from; 1 if the scores say nothing.
    """
    terms = _quadratic(pool.free)
    scouts = np.arange(min(SCOUTS, len(terms)))
    models = [calibrate(vote_law(pool[scouts], sets), each) for each in wins]
    evidence = _mean_evidence(pool[scouts], sets, wins, models)
    more = resample(_log_weights(terms, terms[scouts], evidence, influence), SCOUTS, rng=rng)
    evidence = np.append(evidence, _mean_evidence(pool[more], sets, wins, models))
    log_weights = _log_weights(terms, terms[np.append(scouts, more)], evidence, influence)
    share = 1 / np.exp(2 * log_weights).sum() / len(log_weights)
    return pool[resample(log_weights, size, rng=rng)], float(share)


def sample_scores(law: VoteLaw, wins: Wins, model: ScoreModel, *, rng: np.random.Generator) -> ScoreDraws:
    """Draw one (mu, delta) for every draw of the vote model: Laplace, then importance resampling."""
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


def log_evidence(law: VoteLaw, wins: Wins, model: ScoreModel) -> Array:
    """Log Z up to a constant, ``(draw,)``, by Laplace's method: the height of the mode plus half the log volume."""
    start, evidence = np.zeros(2), []
    for kernel in kernels(law, wins.groups):
        mode = find_mode(model.density(kernel), np.tile(start, (len(kernel), 1)), iterations=15, tolerance=0.02)
        start = np.median(mode.point, axis=0)
        evidence.append(mode.height + 0.5 * np.linalg.slogdet(mode.covariance)[1])
    return np.concatenate(evidence)


def _mean_evidence(draws: VoteParameters, sets: VoteSets, wins: Sequence[Wins], models: Sequence[ScoreModel]) -> Array:
    law = vote_law(draws, sets)
    mean: Array = np.mean([log_evidence(law, *each) for each in zip(wins, models, strict=True)], axis=0)
    return mean


def _log_weights(terms: Array, sampled: Array, evidence: Array, influence: float) -> Array:
    """Normalised log weights eta log Z of all draws, from a least-squares surface through the terms sampled.

    Draws count by their weight; beyond the highest log Z seen the surface is not believed.
    """
    root = np.exp(0.5 * influence * (evidence - evidence.max()))
    surface = np.linalg.lstsq(sampled * root[:, None], evidence * root, rcond=None)[0]
    raised = influence * np.minimum(terms @ surface, evidence.max())
    return np.asarray(raised - np.logaddexp.reduce(raised))


def _quadratic(free: Array) -> Array:
    """1, the standardised free numbers, and their squares and products, ``(draw, 21)``."""
    z = (free - free.mean(0)) / np.maximum(free.std(0), 1e-9)
    first, second = np.triu_indices(z.shape[1])
    return np.column_stack([np.ones(len(z)), z, z[:, first] * z[:, second]])


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
