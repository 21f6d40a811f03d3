"""How much the raters of one item disagree: the chance that two of them differ, and the spread of their numbers.

``P(differ) = 1 − Σ_c n_c (n_c − 1) / (n (n − 1))``, unbiased at any number of raters from two up.
"""

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array
from quorate.data.summaries import Counts, Summary, Values, ordered_levels, ratio


def item_disagreement(ratings: Summary) -> Array:
    """Return the chance that two of the item's raters gave different answers, ``(..., item)``; nan below two raters."""
    size = ratings.size
    return 1 - ratio(2 * _equal_pairs(ratings), np.asarray(size * (size - 1.0)))


def item_spread(ratings: Summary) -> Array:
    """Return the standard deviation of the item's answers, ``(..., item)``; nan below two raters."""
    if isinstance(ratings, Counts):
        distance = np.square(ordered_levels(ratings) - ratings.mean[..., None])
        squares = (ratings.counts * distance).sum(-1)
    elif isinstance(ratings, Values):
        squares = np.where(ratings.present, np.square(ratings.values - ratings.mean[..., None]), 0.0).sum(-1)
    else:
        raise InputError("the spread of an item's answers needs counts or values, not means or probabilities")
    return np.sqrt(ratio(squares, np.asarray(ratings.size - 1.0)))


def most_disputed(ratings: Summary, top: int = 10, *, by: Array | None = None) -> Array:
    """Return the positions of the most disputed items, most disputed first; items below two raters never appear.

    Items are ranked by disagreement × (n − 1) / n, which is how evenly their n raters split: two
    raters who differ shall not outrank twenty split in half. Among equals more raters come first,
    then item order. ``by`` is another measure per item, such as :func:`item_spread`. One data set
    only, no leading axes.
    """
    measure = item_disagreement(ratings) if by is None else by
    known = np.flatnonzero(~np.isnan(measure))
    if len(known) == 0 or top < 1:
        return known[:0]
    raters = ratings.size[known]
    split = np.round(measure[known] * (raters - 1) / raters, 12)  # rounded, so that equal splits tie
    # Only items that can be among the first are sorted: there may be millions.
    top = min(top, len(known))
    candidates = np.flatnonzero(split >= np.partition(split, -top)[-top])
    order = np.lexsort((-raters[candidates], -split[candidates]))
    return np.asarray(known[candidates[order]][:top])


def _equal_pairs(ratings: Summary) -> Array:
    """Unordered pairs of equal answers per item."""
    if isinstance(ratings, Counts):
        return np.asarray((ratings.counts * (ratings.counts - 1)).sum(-1) / 2)
    if not isinstance(ratings, Values):
        raise InputError("disagreement needs the raters' counts or values, not means or probabilities")
    # Sorted answers: an answer equals as many earlier ones as its place in its run of equals.
    place = np.arange(ratings.values.shape[-1])
    fresh = np.ones(ratings.values.shape, dtype=bool)
    fresh[..., 1:] = ratings.values[..., 1:] != ratings.values[..., :-1]
    run_start = np.maximum.accumulate(np.where(fresh, place, 0), axis=-1)
    return np.asarray(np.where(ratings.present, place - run_start, 0).sum(-1))
