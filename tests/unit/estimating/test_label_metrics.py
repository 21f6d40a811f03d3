"""Metrics of labels against plain item-by-item work."""

import numpy as np
import pytest

from quorate._typing import Array
from quorate.estimating.imputation import LabelCounts, count_labels, rank_blocks
from quorate.estimating.label_metrics import METRICS, LabelDraws, calibration, precision_recall, roc


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def _labels_as_draws(score: Array, label: Array, share: Array, threshold: float = 0.5) -> LabelDraws:
    """The draws of known labels, one draw."""
    rng = np.random.default_rng(0)
    distinct, ballot = np.unique(share, return_inverse=True)
    blocks = rank_blocks(score, 2 * ballot + label, 2 * len(distinct), cuts=(threshold,), most=len(score), rng=rng)
    size = blocks.cell_size[None].astype(float)
    return LabelDraws(
        count_labels(size * (blocks.cell_set % 2), size, blocks), blocks.score, np.repeat(distinct, 2), threshold
    )


def test_metrics_are_the_plain_ones_of_the_labels(rng: np.random.Generator) -> None:
    score, label = np.round(rng.random(200), 2), rng.integers(0, 2, 200)
    share = rng.integers(0, 4, 200) / 3
    draws = _labels_as_draws(score, label, share)
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
        assert METRICS[name](draws)[0] == pytest.approx(value), name


def test_delta_tpr_by_hand() -> None:
    # negatives score 1, 2, 3, 4, positives 2.5, 5; voters: TNR 1 - (0 + 0 + 0 + 2/3) / 4 = 5/6, TPR (1/3 + 1) / 2.
    # TNR 3/4 is reached with all of 4, 5 called positive (TPR 1/2), TNR 1 with 5 alone (TPR 1/2): at 5/6 it is 1/2
    score = np.array([1.0, 2.0, 3.0, 4.0, 2.5, 5.0])
    label = np.array([0, 0, 0, 0, 1, 1])
    share = np.array([0, 0, 0, 2 / 3, 1 / 3, 1.0])
    assert METRICS["delta_tpr"](_labels_as_draws(score, label, share))[0] == pytest.approx(1 / 2 - 2 / 3)


def test_undefined_metrics_are_nan_not_zero() -> None:
    none = _labels_as_draws(np.array([0.1, 0.2, 0.3]), np.array([0, 0, 0]), np.array([0.0, 1.0, 1.0]))
    for name in ("auc", "precision", "recall", "human_tpr", "delta_tpr"):
        assert np.isnan(METRICS[name](none)[0]), name
    assert METRICS["tnr"](none)[0] == 1


def test_curves_pass_through_the_plain_points(rng: np.random.Generator) -> None:
    score, label = rng.random(300), rng.integers(0, 2, 300)
    draws = _labels_as_draws(score, label, np.full(300, 0.5))
    for threshold in (0.2, 0.55, 0.9):
        called = score >= threshold
        false = called[label == 0].mean()
        recall = called[label == 1].mean()
        # at a step of the curve the best TPR is taken
        steps = [(score >= t)[label == 1].mean() for t in score if np.isclose((score >= t)[label == 0].mean(), false)]
        assert roc(draws, np.array([false]))[0, 0] == pytest.approx(max(steps))
        best = max(label[score >= t].mean() for t in score if np.isclose((score >= t)[label == 1].mean(), recall))
        assert precision_recall(draws, np.array([recall]))[0, 0] == pytest.approx(best)
    _, size, share = calibration(draws, n_bins=5)
    assert size.sum() == 300
    assert (size * share[0]).sum() == pytest.approx(label.sum())


def test_best_of_k_voting_uses_the_voters_rates() -> None:
    labels = LabelCounts(np.array([[1]]), np.array([[2]]), np.array([[1.0]]), np.array([[2.0]]))
    draws = LabelDraws(labels, np.array([0.0]), np.array([0.9]), 0.5, voter_rate=np.array([[0.15, 0.7]]))
    assert (METRICS["human_tpr"](draws)[0], METRICS["human_tnr"](draws)[0]) == (0.7, 0.85)
