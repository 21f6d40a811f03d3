"""Set scores: against scipy and pair-by-pair references; weights are copies of items."""

import numpy as np
import pytest
from scipy.stats import spearmanr, wasserstein_distance

from quorate._errors import InputError
from quorate.data.summaries import Counts, Means, Probabilities
from quorate.metrics import find_metric, item_terms, scores
from quorate.metrics.set_scores import weighted_total

LEVELS = np.array([0.0, 1.0, 3.0])
SET_METRICS = ["rmse", "cosine", "precision", "recall", "f1", "auc", "spearman", "emd_of_means"]


@pytest.fixture
def panel() -> tuple[Counts, Counts]:
    rng = np.random.default_rng(21)
    p = rng.dirichlet(np.ones(3), size=50)
    return Counts(rng.multinomial(4, p), LEVELS), Counts(rng.multinomial(3, p), LEVELS)


def soft_truth(row: np.ndarray, positive: int) -> float:
    top = [m for m in range(len(row)) if row[m] == row.max()]
    return (positive in top) / len(top)


def test_confusion_scores_by_hand() -> None:
    # Truth of the four items for category 1: 1, ½ (tie), 0, 1. The system says 1: 1, 1, ½, 0.
    # TP = 1 + ½ + 0 + 0 = 1.5; predicted = 2.5; true = 2.5; precision = recall = F1 = 0.6.
    raters = Counts(np.array([[0, 3], [2, 2], [3, 1], [1, 2]]))
    system = Counts(np.array([[0, 2], [0, 2], [1, 1], [2, 0]]))
    for name in ("precision", "recall", "f1"):
        assert float(find_metric(name, positive=1).score(raters, system)) == pytest.approx(0.6, abs=1e-15)
    # The paper's habits: ties to category 0, runs vote (tie to 0): truth 1, 0, 0, 1; said 1, 1, 0, 0.
    for name in ("precision", "recall", "f1"):
        assert float(find_metric(name, positive=1, variant="paper").score(raters, system)) == 0.5


def test_precision_without_a_positive_answer_is_not_defined() -> None:
    raters, never = Counts(np.array([[0, 3], [3, 0]])), Counts(np.array([[1, 0], [1, 0]]))
    assert np.isnan(find_metric("precision", positive=1).score(raters, never))
    assert find_metric("recall", positive=1).score(raters, never) == 0
    assert find_metric("f1", positive=1).score(raters, never) == 0


def test_probabilities_answer_with_their_largest() -> None:
    raters = Counts(np.array([[0, 3], [3, 0]]))
    forecast = Probabilities(np.array([[0.4, 0.6], [0.5, 0.5]]))
    # Said 1, ½ (tie): TP = 1, predicted 1.5.
    assert float(find_metric("precision", positive=1).score(raters, forecast)) == pytest.approx(2 / 3, abs=1e-15)


def test_auc_equals_the_pair_by_pair_count(panel: tuple[Counts, Counts]) -> None:
    raters, system = panel
    for positive in range(3):
        truth = [soft_truth(row, positive) for row in raters.counts]
        score = [row[positive] / row.sum() for row in system.counts]
        won = sum(
            t * (1 - u) * ((s > r) + 0.5 * (s == r))
            for t, s in zip(truth, score, strict=True)
            for u, r in zip(truth, score, strict=True)
        )
        expected = won / (sum(truth) * sum(1 - t for t in truth))
        assert float(find_metric("auc", positive=positive).score(raters, system)) == pytest.approx(expected, abs=1e-12)


def test_auc_by_hand() -> None:
    # Positives score .9, .4; negatives .4, .1: wins 1 + 1 + ½ + 1 of 4 pairs = 7/8.
    raters = Counts(np.array([[0, 1], [0, 1], [1, 0], [1, 0]]))
    forecast = Probabilities(np.array([[0.1, 0.9], [0.6, 0.4], [0.6, 0.4], [0.9, 0.1]]))
    assert float(find_metric("auc", positive=1).score(raters, forecast)) == 7 / 8


def test_spearman_cosine_rmse_and_emd_of_means_equal_the_references(panel: tuple[Counts, Counts]) -> None:
    raters, system = panel
    g, s = [[float(row @ LEVELS / row.sum()) for row in side.counts] for side in panel]
    # Round: means equal on paper must tie in the reference too.
    expected = {
        "spearman": spearmanr(np.round(g, 10), np.round(s, 10)).statistic,
        "cosine": np.dot(g, s) / np.linalg.norm(g) / np.linalg.norm(s),
        "rmse": np.sqrt(np.mean((np.array(g) - s) ** 2)),
        "emd_of_means": wasserstein_distance(g, s),
    }
    for name, value in expected.items():
        assert float(find_metric(name).score(raters, system)) == pytest.approx(value, abs=1e-12)
        by_means = [Means(x.mean, x.size) for x in panel]
        assert float(find_metric(name).score(*by_means)) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("name", SET_METRICS)
def test_weights_are_copies_of_items(name: str, panel: tuple[Counts, Counts]) -> None:
    raters, system = panel
    metric = find_metric(name, positive=2)
    weights = np.random.default_rng(5).multinomial(50, np.full(50, 1 / 50), size=7)
    weighted = metric.score(raters, system, weights)
    assert weighted.shape == (7,)
    for row, value in zip(weights, weighted, strict=True):
        copied = (Counts(np.repeat(x.counts, row, axis=0), LEVELS) for x in panel)
        np.testing.assert_allclose(value, metric.score(*copied), atol=1e-12)
    np.testing.assert_allclose(scores(metric, raters, [system], weights)[0], weighted, atol=1e-14)


@pytest.mark.parametrize("name", SET_METRICS)
def test_leading_axes_of_answers_and_weights(name: str) -> None:
    rng = np.random.default_rng(6)
    raters = Counts(rng.multinomial(4, np.ones(3) / 3, size=(5, 30)), LEVELS)
    system = Counts(rng.multinomial(3, np.ones(3) / 3, size=30), LEVELS)
    weights = rng.integers(0, 3, size=(5, 30)).astype(float)
    metric = find_metric(name, positive=1)
    got = metric.score(raters, system, weights)
    for i in range(5):
        one = metric.score(Counts(raters.counts[i], LEVELS), system, weights[i])
        np.testing.assert_allclose(got[i], one, atol=1e-13)


def test_leave_one_out_by_subtraction(panel: tuple[Counts, Counts]) -> None:
    raters, system = panel
    metric = find_metric("f1", positive=0)
    assert metric.combine is not None
    (terms,) = item_terms(metric, raters, [system])
    without = metric.combine(weighted_total(terms) - terms)
    np.testing.assert_allclose(without, metric.score(raters, system, 1 - np.eye(50)), atol=1e-13)


@pytest.mark.parametrize("name", ["auc", "spearman", "emd_of_means"])
def test_unequal_numbers_of_answers_are_refused_where_no_exact_answer_exists(
    name: str, panel: tuple[Counts, Counts]
) -> None:
    raters, system = panel
    once = Counts(np.eye(3, dtype=int)[np.zeros(50, dtype=int)], LEVELS)
    with pytest.raises(InputError, match="different numbers of answers"):
        scores(find_metric(name, positive=1), raters, [system, once])
