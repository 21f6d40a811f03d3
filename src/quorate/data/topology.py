"""Who rated what: crossed (everyone everything), batches, sparse, or anonymous."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from quorate._typing import Array
from quorate.data.ratings import Ratings

# Tables count as full with up to 5 % of their cells missing; hence "crossed but for a few holes" is crossed.
FULL = 0.95


@dataclass(frozen=True)
class Topology:
    """How raters and items meet.

    If raters are known: `fill` is distinct (item, rater) pairs over items × raters, `blocks` the number
    of groups that share no item or rater, `items_per_rater` is ``(rater,)``.
    """

    kind: Literal["crossed", "batches", "sparse", "anonymous"]
    fill: float | None
    blocks: int | None
    items_per_rater: Array | None


def topology(ratings: Ratings) -> Topology:
    """Return how the raters and items of a data set meet."""
    if ratings.rater is None or ratings.n_raters is None:
        return Topology("anonymous", None, None, None)
    fill = ratings.n_pairs / (ratings.n_items * ratings.n_raters)
    block, first = _blocks(ratings, ratings.n_raters)
    return Topology(
        kind=_kind(fill, ratings.n_pairs, np.bincount(block[first]), np.bincount(block)),
        fill=fill,
        blocks=int(block.max()) + 1,
        items_per_rater=ratings.items_per_rater,
    )


def find_batches(ratings: Ratings) -> Array:
    """Return the batch of each item, ``(item,)``, by first items: batches share no rater.

    Batches are the connected parts of the graph of items and raters. Items that one group of raters
    answered are in one batch, and so are two such groups with a rater in common: their answers are
    not independent.
    """
    if ratings.rater is None or ratings.n_raters is None:
        raise TypeError("batches need raters with names")
    block, first = _blocks(ratings, ratings.n_raters)
    _, start, code = np.unique(block[first], return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(start))[code])


def _blocks(ratings: Ratings, n_raters: int) -> tuple[Array, Array]:
    """Return the block of each rater, ``(rater,)``, and the first rater of each item, ``(item,)``.

    Raters of one item belong together. Rows are sorted by item, so each row links its rater to the next one's. A
    part of the rows at a time, the links between different blocks are looked for, and those blocks become one; after
    the first rows there is mostly nothing to do.
    """
    block: Array = np.arange(n_raters)
    first = []
    for part in ratings.blocks():
        item, rater = part.item, np.asarray(part.rater)
        linked = item[1:] == item[:-1]
        first.append(rater[np.concatenate([[0], np.flatnonzero(~linked) + 1])])
        if not block.any():  # all are one
            continue
        linked = np.flatnonzero(linked)
        left, right = block[rater[linked]], block[rater[linked + 1]]
        apart = left != right
        if apart.any():
            block = linked_parts(left[apart], right[apart], n_raters)[block]
    return block, np.concatenate(first)


def linked_parts(left: Array, right: Array, n: int) -> Array:
    """Return the part of each of n that links join, ``(n,)``, numbered by their first members.

    Each points to a lower one of its part until all point to the first: of two that are linked, the one the higher
    points to is sent to that of the lower, and all ways are shortened.
    """
    first = np.arange(n)
    while len(left):
        low, high = np.minimum(first[left], first[right]), np.maximum(first[left], first[right])
        np.minimum.at(first, high, low)
        while (first[first] != first).any():
            first = first[first]
        apart = first[left] != first[right]
        left, right = left[apart], right[apart]
    return np.unique(first, return_inverse=True)[1]


def _kind(fill: float, n_pairs: int, items: Array, raters: Array) -> Literal["crossed", "batches", "sparse"]:
    """Tell the design from its fill; items and raters are counted per block."""
    if fill >= FULL:
        return "crossed"
    return "batches" if len(items) > 1 and n_pairs / (items * raters).sum() >= FULL else "sparse"
