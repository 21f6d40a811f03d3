"""Laws of one item's difference, from probabilities or from simulated draws."""

import numpy as np

from quorate._typing import Array
from quorate.planning.laws.item_law import FEW, MANY_VALUES, MOST_DRAWN, ItemLaw
from quorate.planning.laws.tilting import tilted

__all__ = ["FEW", "MOST_DRAWN", "ItemLaw", "exact_law", "sampled_law"]


def exact_law(
    values: Array, weights: Array, null_values: Array | None = None, null_weights: Array | None = None
) -> ItemLaw:
    """Return the law with these probabilities, equal values merged."""
    values, weights = _merged(values, weights)
    if null_values is not None and null_weights is not None:
        null_values, null_weights = _merged(null_values, null_weights)
    return ItemLaw(values, weights, null_values, null_weights)


def sampled_law(
    draws: Array,
    null: Array | None = None,
    *,
    mean: float | None = None,
    mean_error: float | None = None,
    squares: tuple[float, float] | None = None,
    spread_error: float | None = None,
    n_items: int | None = None,
) -> ItemLaw:
    """Return the law of simulated differences, ``(item,)``; the null world's is made symmetric around 0, as it is.

    A mean known better than from the draws is met by tilting their weights, w ∝ 1 + (μ − mean) (d − mean) / variance:
    the values stay where they are, so ties stay ties. Draws without ties are moved instead. With mean squares of both
    worlds, mean and spread are met by exponential tilting.

    Examples
    --------
    >>> sampled_law(np.array([0.0, 1.0, 1.0, 0.0]), mean=0.6).weights
    array([0.4, 0.6])
    """
    error = float(draws.std() / np.sqrt(len(draws))) if mean_error is None else mean_error
    values, weights = _tallied(draws)
    null_values, null_weights = (None, None) if null is None else _tallied(np.concatenate([null, -null]))
    if mean is not None and squares is not None and null_values is not None and null_weights is not None:
        targets, features = np.array([mean, squares[0]]), np.stack([values, values**2])
        weights = _first(tilted(weights, features, targets), tilted(weights, features[:1], targets[:1]), weights)
        spread = tilted(null_weights, null_values[None] ** 2, np.array([squares[1]]))
        null_weights = _first(spread, null_weights)
    elif mean is not None and len(values) > MANY_VALUES:
        values = values + (mean - values @ weights)
    elif mean is not None and len(values) > 1:
        centred = values - values @ weights
        weights = weights * np.maximum(1 + (mean - values @ weights) * centred / (centred**2 @ weights), 0.0)
        weights = weights / weights.sum()
    seen = len(draws) if n_items is None else n_items
    return ItemLaw(values, weights, null_values, null_weights, error, seen, spread_error)


def _first(*found: Array | None) -> Array:
    """The first that is there."""
    return next(each for each in found if each is not None)


def _tallied(draws: Array) -> tuple[Array, Array]:
    """Distinct values and their shares; the draws themselves, equally weighted, where hardly any are equal."""
    some = draws[: 2 * MANY_VALUES]
    if len(some) > MANY_VALUES and len(np.unique(np.round(some, 12))) > MANY_VALUES:
        return draws, np.full(len(draws), 1.0 / len(draws))
    values, times = np.unique(np.round(draws, 12), return_counts=True)
    return values, times / len(draws)


def _merged(values: Array, weights: Array) -> tuple[Array, Array]:
    distinct, place = np.unique(np.round(values, 12), return_inverse=True)
    return distinct, np.bincount(place.reshape(-1), weights=weights.reshape(-1))
