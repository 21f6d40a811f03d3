"""The score model: which (mu, delta) explain how often items of one vote set outrank items of another.

U ~ N(mu Y + delta P, 1), w_kl = P(U_i > U_j) for i in k, j in l, and only the ranking of the scores
is used [maven, sec. 3.2.2]. Vote sets enter as groups: one, or several alike when there are too
many or too small ones.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from scipy.special import ndtr

from quorate._tasks import prefetch
from quorate._typing import Array
from quorate.estimating.posterior.sampling import LogDensity, find_mode
from quorate.estimating.vote_model import NODES, VoteLaw, VoteSets

PRIOR_SD = 3.0  # of mu: at 3 the labels alone give an AUC of 0.98
PRIOR_SLOPE = 10.0  # scale of delta's Laplace prior [maven, sec. 3.2.2]
RIDGE = 0.01  # share of its own variance added to every win rate: contrasts that cancel all item noise are not trusted
AHEAD = NODES[1:]  # differences P_i - P_j > 0, for two equal labels
APART = np.linspace(-1.0, 1.0, 2 * NODES.size - 1)  # all differences P_i - P_j, for Y_i = 1, Y_j = 0
BATCH = 25  # vote draws per step of the score model: bounds memory at about 100 MB


@dataclass(frozen=True)
class SetGroups:
    """Which vote sets stand together in the score model."""

    of_set: Array  # the group of every vote set, (set,)
    mix: Array  # share of every vote set in a group's items, (group, set)
    size: Array  # items per group, (group,); the effective number where items are weighted

    @cached_property
    def pairs(self) -> tuple[Array, Array]:
        """The pairs of groups k < l that are compared, two arrays ``(pair,)``."""
        return np.triu_indices(len(self.size), 1)


@dataclass(frozen=True)
class Wins:
    """The groups and the observed win rate of every pair of them, ``(pair,)``."""

    groups: SetGroups
    rate: Array


class ScoreModel(Protocol):
    """A likelihood of win rates and a prior, over free points that are unbounded."""

    def density(self, kernel: Array) -> LogDensity:
        """Log posterior of free points ``(..., point, 2)`` given the kernel ``(..., pair, lag)``."""

    def bound(self, free: Array) -> Array:
        """Turn free points into (mu, delta), ``(..., 2)``."""


@dataclass(frozen=True)
class CalibratedWins:
    """Win rates with their full covariance; mu ~ Normal(0, 3), delta ~ Laplace(0, 10).

    Deviates: the paper treats pairs of vote sets as independent, which counts every item once per
    pair, and its InvGamma prior forbids mu near 0 and below; its nominal 95 % intervals cover 77 %.
    Of a system without merit, or one that echoes the votes, mu > 0 (of two items with the same
    votes the positive one ranks higher) is false.
    """

    root: Array  # makes the win rates independent with variance 1, (row, pair)
    target: Array  # the observed ones less one half, so transformed, (row,)

    def density(self, kernel: Array) -> LogDensity:
        """Return -1/2 |root (observed - w)|² plus the log prior."""
        rows = np.swapaxes(self.root @ kernel, -1, -2)

        def log_density(free: Array) -> Array:
            miss = self.target - win_excess(free[..., 0], free[..., 1]) @ rows
            prior = -0.5 * (free[..., 0] / PRIOR_SD) ** 2 - np.abs(free[..., 1]) / PRIOR_SLOPE
            return np.asarray(-0.5 * (miss**2).sum(-1) + prior)

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
            return np.asarray(prior + likelihood.sum(-1))

        return log_density

    def bound(self, free: Array) -> Array:
        """Return (mu, delta) from (log mu, delta)."""
        return np.stack([np.exp(free[..., 0]), free[..., 1]], -1)


def observe_wins(scores: Array, member: Array, sets: VoteSets, *, weight: Array | None = None) -> Wins:
    """Count the wins between groups of vote sets, from score and vote set of every item.

    With weights of expert labels, ``(item,)``, all items with the same votes stand for those
    without a label: what is left after a selection is no random sample either.
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

    (w(1 - w) + (n_1 - 1)(Q_1 - w²) + (n_2 - 1)(Q_2 - w²)) / (n_1 n_2), Q_1 = w / (2 - w), Q_2 = 2w²
    / (1 + w), floored at one half of one comparison: at perfect separation the likelihood would be
    unbounded.
    """
    above, both = rate / (2 - rate) - rate**2, 2 * rate**2 / (1 + rate) - rate**2
    variance: Array = (rate * (1 - rate) + (n_first - 1) * above + (n_second - 1) * both) / (n_first * n_second)
    return np.maximum(variance, 0.25 / (n_first * n_second) ** 2)


def calibrate(law: VoteLaw, wins: Wins) -> CalibratedWins:
    """Find how the win rates covary: fit them roughly, take the covariance there, fit again, and once more.

    The vote model enters by the mean law of its draws.
    """
    weights = law.mixed(wins.groups.mix).mean(0)
    kernel = win_kernel(weights, wins.groups.pairs)
    first, second = (wins.groups.size[side] for side in wins.groups.pairs)
    model = _decorrelate(np.diag(hanley_mcneil(np.clip(wins.rate, 0.01, 0.99), first, second)), wins)
    for _ in range(2):
        mode = find_mode(model.density(kernel), np.array([0.5, 0.5]))
        model = _decorrelate(win_covariance(weights, wins.groups, *mode.point), wins)
    return model


def group_sets(sets: VoteSets, size: Array, *, most: int = 5, fewest: int = 5) -> SetGroups:
    """Join vote sets with the same expert label and similar votes until groups are few and large enough.

    Deviates: the paper compares all vote sets. With unequal numbers of votes the pairs explode, and
    a win rate of a handful of items is far from normal; joined sets keep the model exact, because
    their win rate is the mean. ``most`` groups per expert label (1, 0, none), of ``fewest`` items.
    """
    kind = sets.possible @ np.array([1, 2])
    share = (sets.positive + 0.5) / (sets.total + 1)
    of_set = np.full(len(size), -1)
    n_groups = 0
    for value in np.unique(kind):
        inside = np.flatnonzero((kind == value) & (size > 0))
        inside = inside[np.argsort(share[inside], kind="stable")]
        local = join_neighbours(size[inside], most, fewest)
        of_set[inside] = n_groups + local
        n_groups += local.max(initial=-1) + 1
    mix = np.where(of_set == np.arange(n_groups)[:, None], size, 0.0)
    return SetGroups(of_set, mix / mix.sum(1, keepdims=True), mix.sum(1))


def join_neighbours(size: Array, most: int, fewest: int) -> Array:
    """Cut neighbours into at most ``most`` runs of at least ``fewest``: the smallest joins its smaller neighbour."""
    runs = [[float(items), 1] for items in size]
    while len(runs) > 1 and (len(runs) > most or min(runs)[0] < fewest):
        at = min(range(len(runs)), key=lambda i: runs[i][0])
        beside = [i for i in (at - 1, at + 1) if 0 <= i < len(runs)]
        other = min(beside, key=lambda i: runs[i][0])
        low = min(at, other)
        runs[low : low + 2] = [[runs[at][0] + runs[other][0], runs[low][1] + runs[low + 1][1]]]
    return np.repeat(np.arange(len(runs)), [int(run[1]) for run in runs])


def win_counts(scores: Array, member: Array, n_groups: int, weight: Array | None = None) -> Array:
    """Count, for every two groups, the pairs of items in which the first group's scores higher, ``(group, group)``.

    One sort and one pass per group, O(n log n); a tie is half a win, what breaking it at random
    gives on average. A pair counts the product of its items' weights.
    """
    order = np.argsort(scores, kind="stable")
    ranked, inside = scores[order], member[order]
    share = np.ones(len(order)) if weight is None else weight[order]
    first = np.flatnonzero(np.concatenate([[True], ranked[1:] > ranked[:-1]]))
    length = np.diff(np.append(first, len(ranked)))
    wins = np.empty((n_groups, n_groups))
    for group in range(n_groups):
        reached = np.concatenate([[0.0], np.cumsum(np.where(inside == group, share, 0.0))])
        below = reached[first]
        middle = (below + np.append(below[1:], reached[-1])) / 2
        wins[:, group] = np.bincount(inside, share * np.repeat(middle, length), minlength=n_groups)
    return wins


def win_kernel(weights: Array, pairs: tuple[Array, Array]) -> Array:
    """What every pair's win rate takes from the vote model, ``(..., pair, lag)``: the law of (Y_i - Y_j, P_i - P_j).

    By cross-correlation (FFT) of the two laws, folded over because Phi(-x) = 1 - Phi(x). What
    depends on the vote model is computed once per draw of it, as the Bayesian cut allows [maven,
    sec. 3.3].
    """
    n = NODES.size
    spectrum = np.fft.rfft(weights, 2 * n)
    first, second = spectrum[..., pairs[0], :, :], spectrum[..., pairs[1], :, :].conj()
    same = np.fft.irfft((first * second).sum(-2), 2 * n)
    up = np.fft.irfft(first[..., 1, :] * second[..., 0, :], 2 * n)
    down = np.fft.irfft(first[..., 0, :] * second[..., 1, :], 2 * n)
    ahead = same[..., 1:n] - same[..., :-n:-1]  # lag s stands at s, lag -s at 2n - s
    apart_up = np.concatenate([up[..., n + 1 :], up[..., :n]], -1)
    apart_down = np.concatenate([down[..., n + 1 :], down[..., :n]], -1)[..., ::-1]
    return np.concatenate([ahead, apart_up - apart_down], -1)


def kernels(law: VoteLaw, groups: SetGroups) -> Iterator[Array]:
    """Work out the kernels of the groups' pairs for batches of vote draws, ``(draw, pair, lag)`` each."""
    batches = (law[low : low + BATCH] for low in range(0, len(law), BATCH))
    return prefetch(win_kernel(batch.mixed(groups.mix), groups.pairs) for batch in batches)


def win_excess(shift: Array, slope: Array) -> Array:
    """Phi - 1/2 at every lag of the kernel, ``(..., point, lag)``."""
    ahead = slope[..., None] * AHEAD
    apart = shift[..., None] + slope[..., None] * APART
    return np.asarray(ndtr(np.concatenate([ahead, apart], -1) / np.sqrt(2)) - 0.5)


def win_covariance(weights: Array, groups: SetGroups, shift: float, slope: float) -> Array:
    """Covariance of all observed win rates at one point of the model, ``(pair, pair)``.

    An item of group k adds F_l(U) - w_kl to every win rate of k (Hajek projection), so win rates
    that share a group covary: Cov(w_kl, w_km) = Cov(F_l(U), F_m(U)) / N_k. The diagonal adds what
    projections miss, (w(1 - w) - Var F_l - Var F_k) / (N_k N_l). Deviates: the paper takes pairs as
    independent and its intervals fail.
    """
    mass, below = _utility_law(weights, shift, slope)
    rate = mass @ below.T
    spread = np.einsum("ku,lu,mu->klm", mass, below, below, optimize=True) - rate[:, :, None] * rate[:, None, :]
    k, m = groups.pairs
    share = spread / groups.size[:, None, None]
    covariance = (
        np.where(k[:, None] == k, share[k[:, None], m[:, None], m], 0.0)
        - np.where(k[:, None] == m, share[k[:, None], m[:, None], k], 0.0)
        - np.where(m[:, None] == k, share[m[:, None], k[:, None], m], 0.0)
        + np.where(m[:, None] == m, share[m[:, None], k[:, None], k], 0.0)
    )
    missed = rate[k, m] * rate[m, k] - spread[k, m, m] - spread[m, k, k]
    return covariance + np.diag(np.maximum(missed, 0.0) / (groups.size[k] * groups.size[m]))


def _decorrelate(covariance: Array, wins: Wins) -> CalibratedWins:
    spread = np.sqrt(np.diagonal(covariance))
    alike = covariance / np.outer(spread, spread) + RIDGE * np.eye(len(spread))
    root = np.linalg.inv(np.linalg.cholesky(alike)) / spread
    return CalibratedWins(root, root @ (wins.rate - 0.5))


def _utility_law(weights: Array, shift: float, slope: float, *, n_cells: int = 400) -> tuple[Array, Array]:
    """Mass of U in cells of a fine grid and the CDF at their middle, both ``(group, cell)``."""
    ends = np.array([0.0, shift, slope, shift + slope])
    edges = np.linspace(ends.min() - 6, ends.max() + 6, n_cells + 1)
    mean = shift * np.array([0.0, 1.0])[:, None] + slope * NODES
    cdf = np.einsum("gyp,ypu->gu", weights, ndtr(edges - mean[..., None]), optimize=True)
    return np.diff(cdf), (cdf[:, 1:] + cdf[:, :-1]) / 2
