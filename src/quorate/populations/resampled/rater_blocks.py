"""Blocks of raters × items: which raters answered which items together, and a lookup of their responses.

A block is a set of items and a set of raters. With raters crossed over all items the ratings are one block; in batches,
every batch is one: its raters answered no item of another.
"""

from dataclasses import dataclass

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array
from quorate.data.ratings import Ratings

__all__ = ["RaterBlocks", "block_ratings", "filled_share"]


@dataclass(frozen=True, eq=False)
class RaterBlocks:
    """Responses arranged for gathering by (item, position of the rater in the item's block).

    Parameters
    ----------
    response
        Category codes, sorted by item and rater.
    cell_start, cell_size
        Where the responses of one (item, rater) cell stand in ``response``, and how many there are.
    item_start, item_size
        Where the cells of an item start, and how many raters it has.
    row
        Where the row of an item starts in ``grid``.
    grid
        Cell number by row and position of the rater in the block; −1 where that rater skipped that item.
    members
        Items block by block; those of block b stand from ``member_start[b]``, ``n_items[b]`` of them.
    n_raters
        Raters per block.
    """

    response: Array
    cell_start: Array
    cell_size: Array
    item_start: Array
    item_size: Array
    row: Array
    grid: Array
    members: Array
    member_start: Array
    n_items: Array
    n_raters: Array

    def respond(self, item: Array, position: Array, *, rng: np.random.Generator) -> Array:
        """Return the responses of raters, given by their position in the item's block, to items.

        Where that rater skipped that item, a rater of the item drawn at random stands in; of several responses of one
        rater to one item, one is drawn at random.
        """
        cell = self.grid[self.row[item] + position]
        skipped = np.nonzero(cell < 0)
        if len(skipped[0]):
            lost = np.broadcast_to(item, cell.shape)[skipped]
            cell[skipped] = self.item_start[lost] + rng.integers(self.item_size[lost])
        where = self.cell_start[cell]
        if self.cell_size.max() > 1:
            where = where + rng.integers(self.cell_size[cell])
        response: Array = self.response[where]
        return response


def filled_share(ratings: Ratings, block: Array | None = None) -> float:
    """Return the share of (item, rater) cells, within blocks if items have any, with a response."""
    item, rater = _pairs(ratings)
    block = np.zeros(ratings.n_items, dtype=np.int64) if block is None else block
    first = np.unique(rater, return_index=True)[1]  # one cell of each rater, who has one block
    cells = np.bincount(block) * np.bincount(block[item[first]])
    return len(item) / int(cells.sum())


def block_ratings(ratings: Ratings, block: Array) -> RaterBlocks:
    """Arrange ratings by blocks, given the block of every item, ``(item,)``."""
    item, rater = _pairs(ratings)
    stride = int(rater.max()) + 1
    seats, seat = np.unique(block[item] * stride + rater, return_inverse=True)
    n_raters = np.bincount(seats // stride)
    width = n_raters[block]
    row = _starts(width)
    grid = np.full(int(width.sum()), -1)
    grid[row[item] + seat - _starts(n_raters)[block[item]]] = np.arange(len(item))
    cell_size = np.add.reduceat(ratings.count, ratings.pair_starts)
    item_size, n_items = np.bincount(item), np.bincount(block)
    return RaterBlocks(
        response=np.repeat(ratings.response, ratings.count).astype(np.int64),
        cell_start=_starts(cell_size),
        cell_size=cell_size,
        item_start=_starts(item_size),
        item_size=item_size,
        row=row,
        grid=grid,
        members=np.argsort(block, kind="stable"),
        member_start=_starts(n_items),
        n_items=n_items,
        n_raters=n_raters,
    )


def _pairs(ratings: Ratings) -> tuple[Array, Array]:
    """Items and raters of the cells with a response, sorted."""
    if ratings.rater is None:
        raise InputError("the ratings do not say who the raters are: resample items, or items+answers")
    cells = ratings.pair_starts
    return ratings.item[cells].astype(np.int64), ratings.rater[cells].astype(np.int64)


def _starts(sizes: Array) -> Array:
    """Where each of consecutive parts of these sizes starts."""
    return np.asarray(np.cumsum(sizes) - sizes)
