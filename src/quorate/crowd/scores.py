"""The score model: which (mu, delta) explain the observed win rates, given one draw of the vote model.

U ~ N(mu Y + delta P, 1), and only the ranking of the scores is used [maven, sec. 3.2.2]. Two ways to weigh the win rates:
``calibrated`` knows how they covary and lets a useless system be useless; ``paper`` is the published pseudo-likelihood.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from scipy.special import gammaln, logsumexp

from quorate._typing import Array
from quorate.crowd.importance import pareto_smooth
from quorate.crowd.newton import LogDensity, Mode, find_mode
from quorate.crowd.laws import VoteLaw
from quorate.crowd.votes import VoteSets
from quorate.crowd.wins import Groups, group_sets, win_counts, win_covariance, win_excess, win_kernel, win_rates

__all__ = ["Calibrated", "Paper", "ScoreDraws", "Wins", "calibrate", "observe_wins", "sample_scores"]

BATCH = 25  # vote draws per step: bounds memory at about 100 MB
PROPOSALS = 48  # per vote draw
FREEDOM = 5.0  # of the t proposals
RIDGE = 0.01


@dataclass(frozen=True)
class Wins:
    """Groups of vote sets and the observed win rate of every pair of them, ``(pair,)``."""

    groups: Groups
    rate: Array


class ScoreDraws(NamedTuple):
    """One (mu, delta) per vote draw, both ``(draw,)``, with k̂ and the effective share of the proposals."""

    shift: Array
    slope: Array
    k_hat: float
    effective: float


class ScoreModel(Protocol):
    """A likelihood of win rates and a prior on (mu, delta)."""

    def density(self, kernel: Array) -> LogDensity:
        """Log posterior of free points ``(..., point, 2)`` given the kernel ``(..., pair, lag)``."""

    def bound(self, free: Array) -> Array:
        """Turn free points into (mu, delta), ``(..., 2)``."""


@dataclass(frozen=True)
class Calibrated:
    """Win rates with their full covariance; mu ~ Normal(0, 3), delta ~ Laplace(0, 10).

    Deviates: the paper treats pairs of vote sets as independent, which counts every item once per pair, and its InvGamma
    prior forbids mu near 0; its nominal 95 % intervals cover 77 %.

    Parameters
    ----------
    root
        Rows that make the win rates independent with variance 1, ``(row, pair)``.
    target
        The observed win rates less one half, so transformed, ``(row,)``.
    """

    root: Array
    target: Array

    def density(self, kernel: Array) -> LogDensity:
        """Return -1/2 |root (observed - w)|² plus the log prior."""
        rows = np.swapaxes(self.root @ kernel, -1, -2)

        def log_density(free: Array) -> Array:
            miss = self.target - win_excess(free[..., 0], free[..., 1]) @ rows
            prior = -0.5 * (free[..., 0] / 3) ** 2 - np.abs(free[..., 1]) / 10
            posterior: Array = -0.5 * (miss**2).sum(-1) + prior
            return posterior

        return log_density

    def bound(self, free: Array) -> Array:
        """Return (mu, delta) as they are."""
        return free


@dataclass(frozen=True)
class Paper:
    """One Gaussian per pair of vote sets [maven, sec. 3.2.2]; mu ~ InvGamma(1, 1), delta ~ Laplace(0, 10)."""

    wins: Wins

    def density(self, kernel: Array) -> LogDensity:
        """Return the sum of log N(w_observed; w, sigma) plus the log prior of (log mu, delta)."""
        rows = np.swapaxes(kernel, -1, -2)
        first, second = (self.wins.groups.size[side] for side in self.wins.groups.pairs)

        def log_density(free: Array) -> Array:
            rate = np.clip(0.5 + win_excess(np.exp(free[..., 0]), free[..., 1]) @ rows, 1e-9, 1 - 1e-9)
            variance = hanley_mcneil(rate, first, second)
            likelihood = -0.5 * (self.wins.rate - rate) ** 2 / variance - 0.5 * np.log(variance)
            # InvGamma(1, 1) in log mu: -log mu - 1/mu, the Jacobian included
            prior: Array = -free[..., 0] - np.exp(-free[..., 0]) - np.abs(free[..., 1]) / 10
            return prior + likelihood.sum(-1)

        return log_density

    def bound(self, free: Array) -> Array:
        """Return (mu, delta) from (log mu, delta)."""
        return np.stack([np.exp(free[..., 0]), free[..., 1]], -1)


def observe_wins(scores: Array, member: Array, sets: VoteSets) -> Wins:
    """Count the wins between groups of vote sets.

    Examples
    --------
    >>> from quorate.crowd.votes import vote_sets
    >>> votes = np.repeat([0, 1], 6)
    >>> sets, member = vote_sets(votes, np.ones(12, dtype=int), votes, np.zeros(12, dtype=bool))
    >>> observe_wins(np.arange(12.0), member, sets).rate       # no item with vote 0 outranks one with vote 1
    array([0.])
    """
    groups = group_sets(sets)
    counts = win_counts(scores, groups.of_set[member], len(groups.size))
    first, second = groups.pairs
    return Wins(groups, counts[first, second] / (groups.size[first] * groups.size[second]))


def hanley_mcneil(rate: Array, n_first: Array, n_second: Array) -> Array:
    """Variance of an observed win rate with the first group as positive class [hanley1982].

    (w(1 - w) + (n_1 - 1)(Q_1 - w²) + (n_2 - 1)(Q_2 - w²)) / (n_1 n_2), Q_1 = w / (2 - w), Q_2 = 2w² / (1 + w).

    Examples
    --------
    >>> float(hanley_mcneil(np.array(0.5), np.array(1.0), np.array(1.0)))
    0.25
    """
    above, both = rate / (2 - rate) - rate**2, 2 * rate**2 / (1 + rate) - rate**2
    variance: Array = (rate * (1 - rate) + (n_first - 1) * above + (n_second - 1) * both) / (n_first * n_second)
    return np.maximum(variance, 0.25 / (n_first * n_second) ** 2)


def calibrate(law: VoteLaw, wins: Wins) -> Calibrated:
    """Find how the win rates covary: fit them roughly, take the covariance there, fit again, and once more."""
    weights = law.mixed(wins.groups.mix).mean(0)
    kernel = win_kernel(weights, wins.groups.pairs)
    first, second = (wins.groups.size[side] for side in wins.groups.pairs)
    model = _decorrelate(np.diag(hanley_mcneil(np.clip(wins.rate, 0.01, 0.99), first, second)), wins)
    for _ in range(2):
        shift, slope = find_mode(model.density(kernel), np.array([0.5, 0.5])).point
        model = _decorrelate(win_covariance(weights, wins.groups, shift, slope), wins)
    return model


def sample_scores(law: VoteLaw, wins: Wins, model: ScoreModel, *, rng: np.random.Generator) -> ScoreDraws:
    """Draw one (mu, delta) for every draw of the vote model [maven, sec. 3.3]."""
    start = np.zeros(2)
    free, log_weights = [], []
    for low in range(0, len(law), BATCH):
        kernel = win_kernel(law[low : low + BATCH].mixed(wins.groups.mix), wins.groups.pairs)
        chosen, weights = _sample_batch(model.density(kernel), np.tile(start, (len(kernel), 1)), rng)
        start = chosen.mean(0)
        free.append(chosen)
        log_weights.append(weights)
    point = model.bound(np.concatenate(free))
    every = np.concatenate(log_weights)
    effective = np.exp(-logsumexp(2 * every, axis=1)).mean() / every.shape[1]
    return ScoreDraws(point[:, 0], point[:, 1], pareto_smooth(every.ravel())[1], float(effective))


def _decorrelate(covariance: Array, wins: Wins) -> Calibrated:
    spread = np.sqrt(np.diagonal(covariance))
    alike = covariance / np.outer(spread, spread) + RIDGE * np.eye(len(spread))
    root = np.linalg.inv(np.linalg.cholesky(alike)) / spread
    return Calibrated(root, root @ (wins.rate - 0.5))


def _sample_batch(log_density: LogDensity, start: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Laplace, then importance resampling: one point per row ``(draw, 2)``, and all log weights ``(draw, proposal)``."""
    mode = find_mode(log_density, start, iterations=12)
    points, log_weights = _propose(log_density, mode, rng)
    # Gumbel's trick: the largest log weight plus Gumbel noise is a draw with these weights
    pick = (log_weights + rng.gumbel(size=log_weights.shape)).argmax(1)
    return points[np.arange(len(points)), pick], log_weights


def _propose(log_density: LogDensity, mode: Mode, rng: np.random.Generator) -> tuple[Array, Array]:
    root = np.linalg.cholesky(mode.covariance)
    normal = rng.standard_normal((len(root), PROPOSALS, 2))
    stretch = FREEDOM / rng.chisquare(FREEDOM, (len(root), PROPOSALS))
    points = mode.point[:, None] + np.sqrt(stretch)[..., None] * (normal @ np.swapaxes(root, -1, -2))
    log_proposal = -(FREEDOM + 2) / 2 * np.log1p(stretch * (normal**2).sum(-1) / FREEDOM)
    raw = log_density(points) - log_proposal
    return points, raw - logsumexp(raw, axis=1, keepdims=True)
