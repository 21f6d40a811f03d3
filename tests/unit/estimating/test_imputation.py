"""Blocks of ranked items; imputed labels against the paper's integral, and how they add up."""

import numpy as np
import pytest
from scipy import integrate, stats

from quorate._typing import Array
from quorate.estimating.imputation import draw_labels, label_chances, rank_blocks
from quorate.estimating.posterior.cut import ScoreDraws
from quorate.estimating.vote_model import VoteParameters, vote_law, vote_sets


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


def test_probability_of_a_label_is_the_papers_integral() -> None:
    # one item per block in a large sample: its utility is the quantile of its rank, up to spacings of order 1 / sqrt n
    theta = VoteParameters(np.array([0.4]), np.array([[0.2, 0.6]]), np.array([[2.0, 3.0]]))
    n, shift, slope = 200_000, 0.8, 1.7
    votes = np.tile([0, 1, 2, 3], n // 4)
    sets, member = vote_sets(votes, np.full(n, 3), np.zeros(n), np.zeros(n, dtype=bool))
    rng = np.random.default_rng(0)
    blocks = rank_blocks(np.arange(n, dtype=float), member, 4, rng=rng)
    draws = ScoreDraws(np.array([shift]), np.array([slope]), 0.0, 1.0)
    chance = next(label_chances(vote_law(theta, sets), draws, sets, blocks, rng=rng))[0]
    grid, joint = _joint_density(theta, shift, slope)
    cumulative = integrate.cumulative_simpson(joint.sum((0, 1)), x=grid, initial=0)
    for cell in np.linspace(0, len(chance) - 1, 9).astype(int):
        quantile = blocks.position[blocks.cell_block[cell]] / (n + 1)
        at = np.searchsorted(cumulative / cumulative[-1], quantile)
        parts = joint[sets.positive[blocks.cell_set[cell]], :, at]
        # a quantile has sd sqrt(q(1 - q) / n) <= 0.0011, the grid steps of 0.01 in U: 5 of each, times a slope <= 0.5
        assert chance[cell] == pytest.approx(parts[1] / parts.sum(), abs=5 * 0.5 * (0.0011 / 0.05 + 0.01))


def _joint_density(theta: VoteParameters, shift: float, slope: float) -> tuple[Array, Array]:
    """Density of (V, Y, U) on a grid of U, each number of votes equally frequent; P at 2000 quantiles of its law."""
    grid, share = np.linspace(-5, 8, 1301), (np.arange(2000) + 0.5) / 2000
    joint = np.zeros((4, 2, len(grid)))
    for v in range(4):
        for y in (0, 1):
            alpha, beta = theta.rate[0, y] * theta.scale[0, y], (1 - theta.rate[0, y]) * theta.scale[0, y]
            p = stats.beta.ppf(share, alpha + v, beta + 3 - v)
            prior = theta.prevalence[0] if y else 1 - theta.prevalence[0]
            like = prior * stats.betabinom.pmf(v, 3, alpha, beta)
            joint[v, y] = like * stats.norm.pdf(grid[:, None] - shift * y - slope * p).mean(1)
        joint[v] /= integrate.simpson(joint[v].sum(0), x=grid)
    return grid, joint


def test_experts_labels_stay_and_votes_alone_speak_without_scores(rng: np.random.Generator) -> None:
    label, known = rng.integers(0, 2, 300), rng.random(300) < 0.5
    votes = rng.integers(0, 4, 300)
    sets, member = vote_sets(votes, np.full(300, 3), label, known)
    theta = VoteParameters(np.full(3, 0.4), np.tile([0.2, 0.6], (3, 1)), np.ones((3, 2)))
    blocks = rank_blocks(rng.normal(size=300), member, len(sets.size), rng=rng)
    for scores in (None, ScoreDraws(np.ones(3), np.ones(3), 0.0, 1.0)):
        chance = next(label_chances(vote_law(theta, sets), scores, sets, blocks, rng=rng))
        assert chance[:, blocks.item_cell[known]] == pytest.approx(np.tile(label[known], (3, 1)), abs=1e-12)
        if scores is None:
            expected = np.exp(vote_law(theta, sets).label[0, member[~known], 1])
            assert chance[0, blocks.item_cell[~known]] == pytest.approx(expected)


def test_labels_add_up_by_level_and_by_set(rng: np.random.Generator) -> None:
    blocks = rank_blocks(rng.normal(size=500), rng.integers(0, 3, 500), 3, most=40, rng=rng)
    labels = draw_labels(iter([np.full((4, len(blocks.cell_size)), 0.3)]), blocks, rng=rng)
    assert labels.level_positive.sum(1).tolist() == labels.set_positive.sum(1).tolist()
    assert (labels.level_total.sum(1) == 500).all()
    again = draw_labels(iter([np.full((4, len(blocks.cell_size)), 0.3)]), blocks, resample_items=True, rng=rng)
    assert (again.set_total.sum(1) == 500).all()
    assert again.set_total.std(0).max() > 0
