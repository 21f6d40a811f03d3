"""Who rated what: crossed (everyone rated everything), batches (disjoint blocks), sparse, or anonymous."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from quorate._typing import Array
from quorate.data.ratings import Ratings

__all__ = ["Topology", "topology"]

# Tables count as full with up to 5 % of their cells missing; hence "crossed but for a few holes" is crossed.
FULL = 0.95


@dataclass(frozen=True)
class Topology:
    """How raters and items meet.

    Parameters
    ----------
    kind
        ``"crossed"``, ``"batches"``, ``"sparse"`` or ``"anonymous"``.
    fill
        Distinct (item, rater) pairs over items × raters; None if raters are unknown.
    blocks
        Groups of items and raters that share nobody with another group; None if raters are unknown.
    items_per_rater
        How many items each rater saw, ``(rater,)``; None if raters are unknown.
    """

    kind: Literal["crossed", "batches", "sparse", "anonymous"]
    fill: float | None
    blocks: int | None
    items_per_rater: Array | None


def topology(ratings: Ratings) -> Topology:
    """Return how the raters and items of a data set meet.

    Examples
    --------
    >>> from quorate.data.read import read_ratings
    >>> pairs = {"item": ["a", "b", "a", "b"], "rater": ["x", "x", "y", "y"], "response": [1, 0, 1, 1]}
    >>> topology(read_ratings(pairs)).kind
    'crossed'
    """
    if ratings.rater is None or ratings.n_raters is None:
        return Topology("anonymous", None, None, None)
    item, rater = ratings.item[ratings.pair_starts], ratings.rater[ratings.pair_starts]
    fill = len(item) / (ratings.n_items * ratings.n_raters)
    block = _blocks(item, rater, ratings.n_items, ratings.n_raters)
    n_blocks = int(block.max()) + 1
    return Topology(
        kind=_kind(fill, len(item), block, ratings.n_items),
        fill=fill,
        blocks=n_blocks,
        items_per_rater=np.bincount(rater, minlength=ratings.n_raters),
    )


def _blocks(item: Array, rater: Array, n_items: int, n_raters: int) -> Array:
    """Label the connected components of the item–rater graph; items first, then raters.

    The pairs are sorted by item, so they are the rows of a sparse matrix already.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    n = n_items + n_raters
    ends = np.concatenate([[0], np.cumsum(np.bincount(item, minlength=n))])
    graph = csr_array((np.ones(len(item), dtype=np.int8), rater + n_items, ends), shape=(n, n))
    labels: Array = connected_components(graph, directed=False)[1]
    return labels


def _kind(fill: float, n_pairs: int, block: Array, n_items: int) -> Literal["crossed", "batches", "sparse"]:
    if fill >= FULL:
        return "crossed"
    items, raters = np.bincount(block[:n_items]), np.bincount(block[n_items:])
    fill_within = n_pairs / (items * raters).sum()
    return "batches" if len(items) > 1 and fill_within >= FULL else "sparse"
