"""Items in order of score, cut into blocks: all that imputation and every ranking metric need of a million items.

Levels are what metrics see: distinct scores, neighbours joined down to about a thousand, ties never split, a cut at
every threshold. Blocks are what imputation sees: a level of many tied items is split, its ranks being broken at random.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from quorate._typing import Array

__all__ = ["RankBlocks", "rank_blocks"]


@dataclass(frozen=True)
class RankBlocks:
    """Ranked items as cells (block, vote set) with their number of items.

    Parameters
    ----------
    position
        Mean rank of each block's items, 1 for the lowest score, ``(block,)``, increasing.
    level
        The level each block belongs to, ``(block,)``.
    score
        Lowest score in each level, ``(level,)``, increasing.
    cell_block, cell_set, cell_size
        Where items are, ``(cell,)``; sorted by block.
    item_cell
        The cell of every item, ``(item,)``.
    n_sets
        Number of vote sets.
    """

    position: Array
    level: Array
    score: Array
    cell_block: Array
    cell_set: Array
    cell_size: Array
    item_cell: Array
    n_sets: int

    @cached_property
    def level_starts(self) -> Array:
        """The first cell of every level, ``(level,)``."""
        return np.flatnonzero(np.diff(self.level[self.cell_block], prepend=-1))


def rank_blocks(
    scores: Array,
    member: Array,
    n_sets: int,
    *,
    cuts: tuple[float, ...] = (),
    most: int = 1000,
    rng: np.random.Generator,
) -> RankBlocks:
    """Sort items by score and cut them into at most about ``most`` blocks of neighbours.

    Parameters
    ----------
    scores, member
        Score and vote set of every item, ``(item,)``.
    cuts
        Thresholds: no level spans one; a score equal to a threshold lies above it.
    """
    mixed = rng.permutation(len(scores))
    order = mixed[np.argsort(scores[mixed], kind="stable")]
    ranked = scores[order]
    width = max(1, -(-len(scores) // most))
    levels = _level_starts(ranked, width, cuts)
    starts = _block_starts(levels, len(scores), width)
    sizes = np.diff(np.append(starts, len(scores)))
    level = np.searchsorted(levels, starts, side="right") - 1
    block = np.repeat(np.arange(len(starts)), sizes)
    key = block * n_sets + member[order]
    counts = np.bincount(key, minlength=len(starts) * n_sets)
    filled = np.flatnonzero(counts)
    item_cell = np.empty(len(scores), dtype=np.int64)
    item_cell[order] = (np.cumsum(counts > 0) - 1)[key]
    cells = (filled // n_sets, filled % n_sets, counts[filled])
    return RankBlocks(starts + (sizes + 1) / 2, level, ranked[levels], *cells, item_cell, n_sets)


def _level_starts(ranked: Array, width: int, cuts: tuple[float, ...]) -> Array:
    """First ranks of the levels: a new score begins, and ``width`` ranks are full or a cut is crossed."""
    fresh = np.concatenate([[0], np.flatnonzero(ranked[1:] > ranked[:-1]) + 1])
    full = np.concatenate([[True], np.diff(fresh // width) > 0])
    crossed = np.isin(fresh, np.searchsorted(ranked, np.array(cuts), side="left"))
    return fresh[full | crossed]


def _block_starts(levels: Array, n: int, width: int) -> Array:
    """Split levels longer than ``width`` into equal blocks."""
    sizes = np.diff(np.append(levels, n))
    parts = -(-sizes // width)
    inner = np.arange(parts.sum()) - np.repeat(np.cumsum(parts) - parts, parts)
    starts: Array = np.repeat(levels, parts) + inner * np.repeat(sizes, parts) // np.repeat(parts, parts)
    return starts
