"""Rank scores when the raters' mean of one item moves and all other items stay: influence as a function of that mean.

The influence ψ of an item (see `influence.py`) is evaluated at another mean x of its raters, with the distribution of
all items as it is. For Spearman, with F, G the centred mid-rank distribution functions of raters and system, y the
system's mean of the item and B_w(x) the weight w below x: ``ψ(x) = [F(x) G(y) − B_G(x)/N] / sqrt(V_x V_y)
− ρ/2 [F(x)² − 2 B_F(x)/N] / V_x`` up to what does not move; for the EMD of means ``ψ(x) = −S(x)``.
"""

from collections.abc import Callable

import numpy as np

from quorate._typing import Array
from quorate.inference.influence import centred_ranks, emd_integral, without_rank_noise
from quorate.metrics.set_scores import Ranking

__all__ = ["emd_of_means_at", "spearman_at"]

At = Callable[[Array, Array], Array]
"""From items, by position, and other means of their raters to influences, up to a constant per item."""


def spearman_at(reference: Array, carried: Array) -> At:
    """Return the influence of items on Spearman's ρ at other means of their raters; one data set, ``(item,)``."""
    unit = float(np.max(np.abs(reference))) or 1.0
    x, n = without_rank_noise(reference), len(reference)
    f = centred_ranks(Ranking.of(x))
    g = centred_ranks(Ranking.of(without_rank_noise(carried[..., 0])))
    c, vx, vy = (f * g).mean(), (f * f).mean(), (g * g).mean()
    order = np.argsort(x, kind="stable")
    sums = [np.concatenate([[0.0], np.cumsum(weights[order])]) for weights in (np.ones(n), g, f)]
    scale = np.sqrt(vx * vy) if vx * vy > 0 else np.nan

    def at(items: Array, means: Array) -> Array:
        place = np.round(means / (unit * 2.0**-40))
        ends = [np.searchsorted(x[order], place, side=side) for side in ("left", "right")]
        below, below_g, below_f = (0.5 * (total[ends[0]] + total[ends[1]]) for total in sums)
        rank = below / n - 0.5
        moved = (rank * g[items] - below_g / n) / scale
        return np.asarray(moved - 0.5 * c / scale * (rank**2 - 2.0 * below_f / n) / (vx or np.nan))

    return at


def emd_of_means_at(reference: Array, carried: Array) -> At:
    """Return the influence of items on the EMD of means at other means of their raters; one data set, ``(item,)``."""
    _, places, integral = emd_integral(reference, carried[..., 0])

    def at(items: Array, means: Array) -> Array:
        del items
        return np.asarray(-np.interp(means, places, integral))

    return at
