"""Blocks of raters × items: which raters answered which items together, and a lookup of their responses.

A block is a set of items and a set of raters. With raters crossed over all items the whole table is one block; in
batches, the items that share exactly the same raters are one.
"""

from dataclasses import dataclass

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array
from quorate.data.topology import FULL
from quorate.populations.resampled.table import RatedTable

__all__ = ["Blocks", "batches", "block_table", "fill"]


@dataclass(frozen=True, eq=False)
class Blocks:
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


def fill(table: RatedTable) -> float:
    """Return the share of (item, rater) cells with a response.

    Examples
    --------
    >>> fill(RatedTable(np.array([0, 0, 1]), np.array([0, 0, 0]), np.array([0, 1, 1]), ("no", "yes")))
    0.75
    """
    return len(np.unique(_pairs(table))) / (table.n_items * table.n_raters)


def batches(table: RatedTable) -> Array:
    """Return the batch of every item, ``(item,)``: the items that one group of raters worked on together.

    Disjoint groups of raters, nearly every cell filled, are batches; otherwise the items with exactly the same set of
    raters share one.

    Examples
    --------
    >>> item, rater = np.array([0, 0, 1, 1, 2]), np.array([3, 4, 4, 3, 3])
    >>> batches(RatedTable(item, np.zeros(5, int), rater, ("no", "yes"))).tolist()
    [1, 1, 0]
    """
    item, rater = np.divmod(np.unique(_pairs(table)), _stride(table))
    component = _components(item, rater, table.n_items)
    n_raters = np.bincount(component[table.n_items :][np.unique(rater)])
    component = component[: table.n_items]
    if component.max() > 0 and len(item) >= FULL * (np.bincount(component) * n_raters).sum():
        return component
    return _equal_sets(item, rater, table.n_items)


def block_table(table: RatedTable, block: Array) -> Blocks:
    """Arrange a table by blocks, given the block of every item, ``(item,)``.

    Examples
    --------
    >>> item, rater, response = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([2, 0, 1, 1])
    >>> blocks = block_table(RatedTable(item, response, rater, "abc"), np.array([0, 0]))
    >>> blocks.respond(np.array([0, 1]), np.array([0, 1]), rng=np.random.default_rng(0)).tolist()
    [2, 1]
    """
    pairs = _pairs(table)
    order = np.argsort(pairs, kind="stable")
    cells, cell_start, cell_size = np.unique(pairs[order], return_index=True, return_counts=True)
    item, rater = np.divmod(cells, _stride(table))
    seats, seat = np.unique(block[item] * _stride(table) + rater, return_inverse=True)
    n_raters = np.bincount(seats // _stride(table))
    width = n_raters[block]
    row = np.cumsum(width) - width
    grid = np.full(int(width.sum()), -1)
    grid[row[item] + seat - (np.cumsum(n_raters) - n_raters)[block[item]]] = np.arange(len(cells))
    item_size, n_items = np.bincount(item), np.bincount(block)
    return Blocks(
        response=table.response[order],
        cell_start=cell_start,
        cell_size=cell_size,
        item_start=np.cumsum(item_size) - item_size,
        item_size=item_size,
        row=row,
        grid=grid,
        members=np.argsort(block, kind="stable"),
        member_start=np.cumsum(n_items) - n_items,
        n_items=n_items,
        n_raters=n_raters,
    )


def _components(item: Array, rater: Array, n_items: int) -> Array:
    """Label the connected parts of the item–rater graph; items first, then raters."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = n_items + int(rater.max()) + 1
    graph = coo_array((np.ones(len(item), dtype=np.int8), (item, rater + n_items)), shape=(n, n))
    labels: Array = connected_components(graph.tocsr(), directed=False)[1]
    return labels


def _equal_sets(item: Array, rater: Array, n_items: int) -> Array:
    """Label items by their set of raters, told apart by its size and two sums of random keys (a mismatch: 2^-128)."""
    keys = np.random.default_rng(0).integers(0, 2**64, (int(rater.max()) + 1, 2), dtype=np.uint64)
    signature = np.zeros((n_items, 3), dtype=np.uint64)
    np.add.at(signature[:, 0], item, np.uint64(1))
    np.add.at(signature[:, 1], item, keys[rater, 0])
    np.add.at(signature[:, 2], item, keys[rater, 1])
    return np.unique(signature, axis=0, return_inverse=True)[1].reshape(-1)


def _pairs(table: RatedTable) -> Array:
    if table.rater is None:
        raise InputError("the ratings do not say who the raters are: resample items, or items+answers")
    pairs: Array = table.item.astype(np.int64) * _stride(table) + table.rater
    return pairs


def _stride(table: RatedTable) -> int:
    return 1 if table.rater is None else int(table.rater.max()) + 1
