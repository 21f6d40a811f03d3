"""Levels of scores, ties and mid-ranks."""

import numpy as np
import pytest
from scipy.stats import norm, rankdata

from quorate.estimating.score_ranks import ScoreRanks


def test_ties_are_one_level_with_the_normal_score_of_their_mid_rank() -> None:
    score = np.array([3.0, 1.0, 3.0, 2.0, 1.0, 1.0])
    ranks = ScoreRanks.of(score)
    assert ranks.level.tolist() == [2, 0, 2, 1, 0, 0]
    assert ranks.score.tolist() == [1.0, 2.0, 3.0]
    assert ranks.total(np.arange(6.0)).tolist() == [10.0, 3.0, 2.0]
    assert ranks.normal_scores == pytest.approx(norm.ppf((rankdata(score) - 0.5) / 6))


def test_items_are_put_in_order_of_their_scores_and_ties_at_random() -> None:
    score = np.array([3.0, 1.0, 3.0, 2.0, 1.0, 1.0])
    orders = {tuple(ScoreRanks.of(score).shuffled(np.random.default_rng(seed)).tolist()) for seed in range(200)}
    assert len(orders) == 12  # 3! ways to put the ones, 2! the threes
    assert all(np.all(np.diff(score[list(order)]) >= 0) for order in orders)
    assert ScoreRanks.of(np.array([0.3, 0.1, 0.2])).shuffled(np.random.default_rng(0)).tolist() == [1, 2, 0]
