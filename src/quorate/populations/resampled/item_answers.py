"""The answers of single items: how many of each, their shares, and some of them at random."""

import numpy as np

from quorate._typing import Array
from quorate.data.ratings import Ratings

__all__ = ["answer_counts", "answer_shares", "subsets"]


def answer_shares(ratings: Ratings, *, by_rater: bool) -> Array:
    """Return the share of each category per item, ``(item, category)``; if asked, with equal raters."""
    counts = answer_counts(ratings)
    if by_rater and ratings.rater is not None:
        sizes = np.add.reduceat(ratings.count, ratings.pair_starts)
        rows = np.diff(ratings.pair_starts, append=len(ratings.item))
        cell = np.repeat(np.arange(len(sizes)), rows)
        counts = _tally(ratings, ratings.count / sizes[cell])
    shares: Array = counts / counts.sum(-1, keepdims=True)
    return shares


def answer_counts(ratings: Ratings) -> Array:
    """Responses per item and category, ``(item, category)``."""
    return _tally(ratings, ratings.count).astype(np.int64)


def subsets(counts: Array, n: int, rng: np.random.Generator) -> Array:
    """Draw n of each item's answers without replacement, ``(item, category)``; with it where the item has fewer.

    Examples
    --------
    >>> subsets(np.array([[2, 1]]), 3, np.random.default_rng(0)).tolist()
    [[2, 1]]
    """
    size = counts.sum(-1)
    enough = size >= n
    subset = np.empty_like(counts)
    subset[~enough] = rng.multinomial(n, counts[~enough] / size[~enough][:, None])
    left, rest = np.full(int(enough.sum()), n), size[enough]
    for m, column in enumerate(counts[enough].T):  # hypergeometric, one category after the other
        rest = rest - column
        subset[enough, m] = rng.hypergeometric(column, rest, left)
        left = left - subset[enough, m]
    return subset


def _tally(ratings: Ratings, weights: Array) -> Array:
    m = ratings.scale.n_levels
    cell = ratings.item.astype(np.int64) * m + ratings.response
    return np.bincount(cell, weights, ratings.n_items * m).reshape(-1, m)
