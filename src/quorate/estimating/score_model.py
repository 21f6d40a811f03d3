"""The score model: which (mu, delta) explain the observed win rates, given one draw of the vote model.

U ~ N(mu Y + delta P, 1), and only the ranking of the scores is used [maven, sec. 3.2.2]. Two ways to weigh win rates:
``Calibrated`` knows how they covary and lets a useless system be useless; ``Paper`` is the published pseudo-likelihood.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from quorate._typing import Array
from quorate.estimating.posterior.mode import LogDensity, find_mode
from quorate.estimating.vote_law import VoteLaw
from quorate.estimating.vote_model import VoteSets
from quorate.estimating.wins import SetGroups, group_sets, win_counts, win_covariance, win_excess, win_kernel

__all__ = ["Calibrated", "Paper", "ScoreModel", "Wins", "calibrate", "hanley_mcneil", "observe_wins"]

PRIOR_SD = 3.0  # of mu: at 3 the labels alone give an AUC of 0.98
PRIOR_SLOPE = 10.0  # scale of delta's Laplace prior [maven, sec. 3.2.2]
RIDGE = 0.01  # share of its own variance added to every win rate: contrasts that cancel all item noise are not trusted


@dataclass(frozen=True)
class Wins:
    """SetGroups of vote sets and the observed win rate of every pair of them, ``(pair,)``."""

    groups: SetGroups
    rate: Array


class ScoreModel(Protocol):
    """A likelihood of win rates and a prior, over free points that are unbounded."""

    def density(self, kernel: Array) -> LogDensity:
        """Log posterior of free points ``(..., point, 2)`` given the kernel ``(..., pair, lag)``."""

    def bound(self, free: Array) -> Array:
        """Turn free points into (mu, delta), ``(..., 2)``."""


@dataclass(frozen=True)
class Calibrated:
    """Win rates with their full covariance; mu ~ Normal(0, 3), delta ~ Laplace(0, 10).

    Deviates: the paper treats pairs of vote sets as independent, which counts every item once per pair, and its
    InvGamma prior forbids mu near 0 and below; its nominal 95 % intervals cover 77 %. Of a system without merit, or one
    that echoes the votes, mu > 0 (of two items with the same votes the positive one ranks higher) is false.

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
            prior = -0.5 * (free[..., 0] / PRIOR_SD) ** 2 - np.abs(free[..., 1]) / PRIOR_SLOPE
            posterior: Array = -0.5 * (miss**2).sum(-1) + prior
            return posterior

        return log_density

    def bound(self, free: Array) -> Array:
        """Return (mu, delta), which are free."""
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
            # InvGamma(1, 1) is mu^-2 e^(-1/mu); times dmu/dlog mu it is mu^-1 e^(-1/mu)
            prior = -free[..., 0] - np.exp(-free[..., 0]) - np.abs(free[..., 1]) / PRIOR_SLOPE
            posterior: Array = prior + likelihood.sum(-1)
            return posterior

        return log_density

    def bound(self, free: Array) -> Array:
        """Return (mu, delta) from (log mu, delta)."""
        return np.stack([np.exp(free[..., 0]), free[..., 1]], -1)


def observe_wins(scores: Array, member: Array, sets: VoteSets, *, weight: Array | None = None) -> Wins:
    """Count the wins between groups of vote sets.

    Parameters
    ----------
    scores, member
        Score and vote set of every item, ``(item,)``.
    weight
        Weights of expert labels, ``(item,)``, where experts are no random sample. Then all items with the same votes
        stand for those without a label (what is left after a selection is no random sample either).
    """
    total = effective = sets.size
    if weight is not None:
        expert = np.flatnonzero(sets.has_label[member])
        blind = np.flatnonzero(~sets.has_label)[
            sets.ballots[2][member]
        ]  # sets without a label are in the order of ballots
        scores, member = np.append(scores, scores[expert]), np.append(blind, member[expert])
        weight = np.append(np.ones(len(blind)), weight[expert])
        total = np.bincount(member, weight, minlength=len(sets.size))
        effective = total**2 / np.maximum(np.bincount(member, weight**2, minlength=len(sets.size)), 1e-300)
    groups = group_sets(sets, effective)
    counts = win_counts(scores, groups.of_set[member], len(groups.size), weight)
    mass = np.bincount(groups.of_set[total > 0], total[total > 0])
    first, second = groups.pairs
    return Wins(groups, counts[first, second] / (mass[first] * mass[second]))


def hanley_mcneil(rate: Array, n_first: Array, n_second: Array) -> Array:
    """Variance of an observed win rate, the first group as positive class [hanley1982].

    (w(1 - w) + (n_1 - 1)(Q_1 - w²) + (n_2 - 1)(Q_2 - w²)) / (n_1 n_2), Q_1 = w / (2 - w), Q_2 = 2w² / (1 + w), floored
    at one half of one comparison: at perfect separation the likelihood would be unbounded.
    """
    above, both = rate / (2 - rate) - rate**2, 2 * rate**2 / (1 + rate) - rate**2
    variance: Array = (rate * (1 - rate) + (n_first - 1) * above + (n_second - 1) * both) / (n_first * n_second)
    return np.maximum(variance, 0.25 / (n_first * n_second) ** 2)


def calibrate(law: VoteLaw, wins: Wins) -> Calibrated:
    """Find how the win rates covary: fit them roughly, take the covariance there, fit again, and once more.

    Parameters
    ----------
    law
        The law of (Y, P) in every vote set for draws of the vote model; their mean is used.
    wins
        What was observed.
    """
    weights = law.mixed(wins.groups.mix).mean(0)
    kernel = win_kernel(weights, wins.groups.pairs)
    first, second = (wins.groups.size[side] for side in wins.groups.pairs)
    model = _decorrelate(np.diag(hanley_mcneil(np.clip(wins.rate, 0.01, 0.99), first, second)), wins)
    for _ in range(2):
        mode = find_mode(model.density(kernel), np.array([0.5, 0.5]))
        model = _decorrelate(win_covariance(weights, wins.groups, *mode.point), wins)
    return model


def _decorrelate(covariance: Array, wins: Wins) -> Calibrated:
    spread = np.sqrt(np.diagonal(covariance))
    alike = covariance / np.outer(spread, spread) + RIDGE * np.eye(len(spread))
    root = np.linalg.inv(np.linalg.cholesky(alike)) / spread
    return Calibrated(root, root @ (wins.rate - 0.5))
