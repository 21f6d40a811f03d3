"""How often items of one vote set outrank items of another: counted, expected under the model, and how both vary.

w_kl = P(U_i > U_j) for i in k, j in l, U ~ N(mu Y + delta P, 1) [maven, sec. 3.2.2]. Vote sets enter as groups: a
group is one vote set, or several alike when there are too many or too small ones.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtr

from quorate._tasks import prefetch
from quorate._typing import Array
from quorate.estimating.vote_law import NODES, VoteLaw
from quorate.estimating.vote_model import VoteSets

__all__ = [
    "AHEAD",
    "APART",
    "SetGroups",
    "group_sets",
    "join_neighbours",
    "kernels",
    "win_counts",
    "win_covariance",
    "win_excess",
    "win_kernel",
]

AHEAD = NODES[1:]  # differences P_i - P_j > 0, for two equal labels
APART = np.linspace(-1.0, 1.0, 2 * NODES.size - 1)  # all differences P_i - P_j, for Y_i = 1, Y_j = 0
BATCH = 25  # vote draws per step of the score model: bounds memory at about 100 MB


@dataclass(frozen=True)
class SetGroups:
    """Which vote sets stand together in the score model.

    Parameters
    ----------
    of_set
        The group of every vote set, ``(set,)``.
    mix
        Share of every vote set in a group's items, ``(group, set)``.
    size
        Items per group, ``(group,)``; the effective number where items are weighted.
    """

    of_set: Array
    mix: Array
    size: Array

    @cached_property
    def pairs(self) -> tuple[Array, Array]:
        """The pairs of groups k < l that are compared, two arrays ``(pair,)``."""
        return np.triu_indices(len(self.size), 1)


def group_sets(sets: VoteSets, size: Array, *, most: int = 5, fewest: int = 5) -> SetGroups:
    """Join vote sets with the same expert label and similar votes until groups are few and large enough.

    Deviates: the paper compares all vote sets. With unequal numbers of votes the pairs explode, and a win rate of a
    handful of items is far from normal; joined sets keep the model exact, because their win rate is the mean.

    Parameters
    ----------
    sets, size
        The vote sets and the items each enters with, ``(set,)``; empty ones are left out.
    most, fewest
        SetGroups per expert label (1, 0, none), and items per group.
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

    One sort and one pass per group, O(n log n); a tie is half a win, what breaking it at random gives on average. A
    pair counts the product of its items' weights.
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

    By cross-correlation (FFT) of the two laws, folded over because Phi(-x) = 1 - Phi(x). What depends on the vote model
    is computed once per draw of it, as the Bayesian cut allows [maven, sec. 3.3].
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
    excess: Array = ndtr(np.concatenate([ahead, apart], -1) / np.sqrt(2)) - 0.5
    return excess


def win_covariance(weights: Array, groups: SetGroups, shift: float, slope: float) -> Array:
    """Covariance of all observed win rates at one point of the model, ``(pair, pair)``.

    An item of group k adds F_l(U) - w_kl to every win rate of k (Hajek projection), so win rates that share a group
    covary: Cov(w_kl, w_km) = Cov(F_l(U), F_m(U)) / N_k. The diagonal adds what projections miss,
    (w(1 - w) - Var F_l - Var F_k) / (N_k N_l). Deviates: the paper takes pairs as independent and its intervals fail.

    Examples
    --------
    >>> weights = np.zeros((3, 2, NODES.size))
    >>> weights[:, 0, 0] = 1.0                     # three groups of equal law: Mann-Whitney's (n + m + 1) / 12nm
    >>> groups = SetGroups(np.arange(3), np.eye(3), np.array([10.0, 20.0, 40.0]))
    >>> (win_covariance(weights, groups, 1.0, 1.0) * 12).round(4).tolist()
    [[0.155, 0.1, -0.05], [0.1, 0.1275, 0.025], [-0.05, 0.025, 0.0762]]
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


def _utility_law(weights: Array, shift: float, slope: float, *, n_cells: int = 400) -> tuple[Array, Array]:
    """Mass of U in cells of a fine grid and the CDF at their middle, both ``(group, cell)``."""
    ends = np.array([0.0, shift, slope, shift + slope])
    edges = np.linspace(ends.min() - 6, ends.max() + 6, n_cells + 1)
    mean = shift * np.array([0.0, 1.0])[:, None] + slope * NODES
    cdf = np.einsum("gyp,ypu->gu", weights, ndtr(edges - mean[..., None]), optimize=True)
    return np.diff(cdf), (cdf[:, 1:] + cdf[:, :-1]) / 2
