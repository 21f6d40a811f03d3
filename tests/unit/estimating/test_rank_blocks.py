"""Blocks of ranked items."""

import numpy as np
import pytest
from scipy import stats

from quorate.estimating.rank_blocks import rank_blocks


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def test_ties_are_never_split_over_levels_and_cuts_are_kept(rng: np.random.Generator) -> None:
    scores = rng.integers(0, 30, 4000) / 10
    blocks = rank_blocks(scores, np.zeros(4000, dtype=int), 1, cuts=(1.05, 2.0), most=50, rng=rng)
    level_of_item = blocks.level[blocks.cell_block[blocks.item_cell]]
    for value in np.unique(scores):
        assert len(set(level_of_item[scores == value])) == 1
    assert not set(level_of_item[scores < 2.0]) & set(level_of_item[scores >= 2.0])
    assert not set(level_of_item[scores < 1.05]) & set(level_of_item[scores >= 1.05])
    assert np.bincount(blocks.cell_block, blocks.cell_size).max() <= 80  # ties are many: blocks stay short all the same


def test_cells_count_every_item_once_and_positions_are_mean_ranks(rng: np.random.Generator) -> None:
    scores, member = rng.normal(size=997), rng.integers(0, 5, 997)
    blocks = rank_blocks(scores, member, 5, most=100, rng=rng)
    assert blocks.cell_set[blocks.item_cell].tolist() == member.tolist()
    assert np.bincount(blocks.item_cell).tolist() == blocks.cell_size.tolist()
    rank = stats.rankdata(scores)
    block = blocks.cell_block[blocks.item_cell]
    assert blocks.position == pytest.approx(np.bincount(block, rank) / np.bincount(block))
