"""What metrics read from a summary: shares per category, and answers as weighted points on a line.

Two answer distributions F and G on a line are compared through the gaps between neighbouring points and the two
cumulative shares on each gap: ``E|X − Y| = Σ gap (F (1 − G) + G (1 − F))`` and ``EMD = Σ gap |F − G|``.
"""

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array
from quorate.data.summaries import Counts, Means, Probabilities, Summary, ordered_levels

__all__ = ["gaps_and_cumulatives", "plurality", "shares", "weighted_points"]


def shares(summary: Summary) -> Array:
    """Return the share of each category, ``(..., item, category)``."""
    if isinstance(summary, Counts | Probabilities):
        return summary.share
    raise InputError(
        "this metric compares categories, but these answers are plain numbers: "
        "use crps, mae, mse or emd, or declare the scale nominal or ordinal"
    )


def plurality(summary: Summary, *, ties: str = "shared") -> Array:
    """Return the most frequent category as an indicator, ``(..., item, category)``.

    Tied categories share the one (the expectation under random ties), or the first takes it all.

    Deviates: [forest] gives ties to the first category; that is ``ties="first"``.

    Parameters
    ----------
    summary
        Counts or probabilities.
    ties
        ``"shared"`` or ``"first"``.

    Examples
    --------
    >>> votes = Counts(np.array([[2, 2, 1]]))
    >>> plurality(votes), plurality(votes, ties="first")
    (array([[0.5, 0.5, 0. ]]), array([[1., 0., 0.]]))
    """
    height = summary.counts if isinstance(summary, Counts) else shares(summary)
    if ties == "first":
        return np.asarray(np.arange(height.shape[-1]) == height.argmax(-1)[..., None], dtype=float)
    # Probabilities that should be equal (thirds, say) may differ in the last bits.
    top = height >= height.max(-1, keepdims=True) * (1 - 1e-12)
    return np.asarray(top / top.sum(-1, keepdims=True))


def weighted_points(summary: Summary) -> tuple[Array, Array]:
    """Return answers as positions and weights, both ``(..., item, point)``; an item's weights sum to one."""
    if isinstance(summary, Counts | Probabilities):
        return np.broadcast_to(ordered_levels(summary), summary.share.shape), summary.share
    if isinstance(summary, Means):
        raise InputError("this metric needs every single answer, but only item means are known: use mae, mse or rmse")
    # What stands behind an item's answers gets no weight, and a harmless place.
    positions = np.where(summary.present, summary.values, summary.values[..., :1])
    return positions, summary.present / summary.size[..., None]


def gaps_and_cumulatives(raters: Summary, system: Summary) -> tuple[Array, Array, Array]:
    """Return the gaps between neighbouring points and both cumulative shares on them, each ``(..., item, gap)``."""
    if isinstance(raters, Counts | Probabilities) and isinstance(system, Counts | Probabilities):
        levels = ordered_levels(raters)
        if np.array_equal(levels, ordered_levels(system)):
            return _on_levels(levels, raters.share, system.share)
    return _merged(*weighted_points(raters), *weighted_points(system))


def _on_levels(levels: Array, share_r: Array, share_s: Array) -> tuple[Array, Array, Array]:
    order = np.argsort(levels)
    cumulative_r = np.cumsum(share_r[..., order], axis=-1)[..., :-1]
    cumulative_s = np.cumsum(share_s[..., order], axis=-1)[..., :-1]
    return np.diff(levels[order]), cumulative_r, cumulative_s


def _merged(place_r: Array, weight_r: Array, place_s: Array, weight_s: Array) -> tuple[Array, Array, Array]:
    lead = np.broadcast_shapes(place_r.shape[:-1], place_s.shape[:-1])
    place_r, weight_r = (np.broadcast_to(x, lead + x.shape[-1:]) for x in (place_r, weight_r))
    place_s, weight_s = (np.broadcast_to(x, lead + x.shape[-1:]) for x in (place_s, weight_s))
    places = np.concatenate([place_r, place_s], axis=-1)
    order = np.argsort(places, axis=-1)
    gaps = np.diff(np.take_along_axis(places, order, -1), axis=-1)
    weights_r = np.concatenate([weight_r, np.zeros_like(weight_s)], axis=-1)
    weights_s = np.concatenate([np.zeros_like(weight_r), weight_s], axis=-1)
    cumulatives = [np.cumsum(np.take_along_axis(w, order, -1), axis=-1)[..., :-1] for w in (weights_r, weights_s)]
    return gaps, cumulatives[0], cumulatives[1]
