"""Blocks, imputed labels and their metrics against plain item-by-item work."""

import numpy as np
import pytest
from scipy import integrate, stats

from quorate.estimating.imputation import Labels, count_labels, draw_labels, label_chances
from quorate.estimating.label_metrics import METRICS, Outcome, calibration, precision_recall, roc
from quorate.estimating.posterior.cut import ScoreDraws
from quorate.estimating.rank_blocks import rank_blocks
from quorate.estimating.vote_law import vote_law
from quorate.estimating.vote_model import VoteParameters, vote_sets


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def _outcome(score, label, share, threshold=0.5):
    """The outcome of known labels, one draw."""
    rng = np.random.default_rng(0)
    distinct, ballot = np.unique(share, return_inverse=True)
    blocks = rank_blocks(score, 2 * ballot + label, 2 * len(distinct), cuts=(threshold,), most=len(score), rng=rng)
    size = blocks.cell_size[None].astype(float)
    return Outcome(
        count_labels(size * (blocks.cell_set % 2), size, blocks), blocks.score, np.repeat(distinct, 2), threshold
    )


def test_ties_are_never_split_over_levels_and_cuts_are_kept(rng):
    scores = rng.integers(0, 30, 4000) / 10
    blocks = rank_blocks(scores, np.zeros(4000, dtype=int), 1, cuts=(1.05, 2.0), most=50, rng=rng)
    level_of_item = blocks.level[blocks.cell_block[blocks.item_cell]]
    for value in np.unique(scores):
        assert len(set(level_of_item[scores == value])) == 1
    assert not set(level_of_item[scores < 2.0]) & set(level_of_item[scores >= 2.0])
    assert not set(level_of_item[scores < 1.05]) & set(level_of_item[scores >= 1.05])
    assert np.bincount(blocks.cell_block, blocks.cell_size).max() <= 80  # ties are many: blocks stay short all the same


def test_cells_count_every_item_once_and_positions_are_mean_ranks(rng):
    scores, member = rng.normal(size=997), rng.integers(0, 5, 997)
    blocks = rank_blocks(scores, member, 5, most=100, rng=rng)
    assert blocks.cell_set[blocks.item_cell].tolist() == member.tolist()
    assert np.bincount(blocks.item_cell).tolist() == blocks.cell_size.tolist()
    rank = stats.rankdata(scores)
    block = blocks.cell_block[blocks.item_cell]
    assert blocks.position == pytest.approx(np.bincount(block, rank) / np.bincount(block))


def test_probability_of_a_label_is_the_papers_integral():
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


def _joint_density(theta, shift, slope):
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


def test_experts_labels_stay_and_votes_alone_speak_without_scores(rng):
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


def test_labels_add_up_by_level_and_by_set(rng):
    blocks = rank_blocks(rng.normal(size=500), rng.integers(0, 3, 500), 3, most=40, rng=rng)
    labels = draw_labels(iter([np.full((4, len(blocks.cell_size)), 0.3)]), blocks, rng=rng)
    assert labels.level_positive.sum(1).tolist() == labels.set_positive.sum(1).tolist()
    assert (labels.level_total.sum(1) == 500).all()
    again = draw_labels(iter([np.full((4, len(blocks.cell_size)), 0.3)]), blocks, resample_items=True, rng=rng)
    assert (again.set_total.sum(1) == 500).all()
    assert again.set_total.std(0).max() > 0


def test_metrics_are_the_plain_ones_of_the_labels(rng):
    score, label = np.round(rng.random(200), 2), rng.integers(0, 2, 200)
    share = rng.integers(0, 4, 200) / 3
    outcome = _outcome(score, label, share)
    called = score >= 0.5
    wins = [(a > b) + 0.5 * (a == b) for a in score[label == 1] for b in score[label == 0]]
    expected = {
        "auc": np.mean(wins),
        "accuracy": np.mean(called == label),
        "precision": label[called].mean(),
        "recall": called[label == 1].mean(),
        "tpr": called[label == 1].mean(),
        "tnr": (~called[label == 0]).mean(),
        "prevalence": label.mean(),
        "human_tpr": share[label == 1].mean(),
        "human_tnr": 1 - share[label == 0].mean(),
    }
    expected["f1"] = 2 / (1 / expected["precision"] + 1 / expected["recall"])
    for name, value in expected.items():
        assert METRICS[name](outcome)[0] == pytest.approx(value), name


def test_delta_tpr_by_hand():
    # negatives score 1, 2, 3, 4, positives 2.5, 5; voters: TNR 1 - (0 + 0 + 0 + 2/3) / 4 = 5/6, TPR (1/3 + 1) / 2.
    # TNR 3/4 is reached with all of 4, 5 called positive (TPR 1/2), TNR 1 with 5 alone (TPR 1/2): at 5/6 it is 1/2
    score = np.array([1.0, 2.0, 3.0, 4.0, 2.5, 5.0])
    label = np.array([0, 0, 0, 0, 1, 1])
    share = np.array([0, 0, 0, 2 / 3, 1 / 3, 1.0])
    assert METRICS["delta_tpr"](_outcome(score, label, share))[0] == pytest.approx(1 / 2 - 2 / 3)


def test_undefined_metrics_are_nan_not_zero():
    none = _outcome(np.array([0.1, 0.2, 0.3]), np.array([0, 0, 0]), np.array([0.0, 1.0, 1.0]))
    for name in ("auc", "precision", "recall", "human_tpr", "delta_tpr"):
        assert np.isnan(METRICS[name](none)[0]), name
    assert METRICS["tnr"](none)[0] == 1


def test_curves_pass_through_the_plain_points(rng):
    score, label = rng.random(300), rng.integers(0, 2, 300)
    outcome = _outcome(score, label, np.full(300, 0.5))
    for threshold in (0.2, 0.55, 0.9):
        called = score >= threshold
        false = called[label == 0].mean()
        recall = called[label == 1].mean()
        # at a step of the curve the best TPR is taken
        steps = [(score >= t)[label == 1].mean() for t in score if np.isclose((score >= t)[label == 0].mean(), false)]
        assert roc(outcome, np.array([false]))[0, 0] == pytest.approx(max(steps))
        best = max(label[score >= t].mean() for t in score if np.isclose((score >= t)[label == 1].mean(), recall))
        assert precision_recall(outcome, np.array([recall]))[0, 0] == pytest.approx(best)
    _, size, share = calibration(outcome, n_bins=5)
    assert size.sum() == 300
    assert (size * share[0]).sum() == pytest.approx(label.sum())


def test_best_of_k_voting_uses_the_voters_rates():
    labels = Labels(np.array([[1]]), np.array([[2]]), np.array([[1.0]]), np.array([[2.0]]))
    outcome = Outcome(labels, np.array([0.0]), np.array([0.9]), 0.5, voter_rate=np.array([[0.15, 0.7]]))
    assert (METRICS["human_tpr"](outcome)[0], METRICS["human_tnr"](outcome)[0]) == (0.7, 0.85)
