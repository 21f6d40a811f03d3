"""Influence of single items on set scores: against numerical derivatives and delete-one recomputation.

The derivative is that of the score when an item's weight grows: w = 1/N + h (δ_i − 1/N). Central differences at h and
h/2 bound their own error: |D(h) − D(h/2)| is three times the error of D(h/2), plus rounding 1e-15 · |score| / h.
"""

import numpy as np
import pytest

from quorate.data.summaries import Counts, Probabilities, Summary
from quorate.inference.influence import item_values, set_form
from quorate.metrics import find_metric
from quorate.metrics.metric import Metric

LEVELS = np.array([0.0, 1.0, 3.0])
SMOOTH = ["rmse", "cosine", "precision", "recall", "f1"]
RANKED = ["auc", "spearman", "emd_of_means"]
H = 1e-3


def panel(n: int, seed: int = 0) -> tuple[Counts, Counts]:
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(3), size=n)
    return Counts(rng.multinomial(4, p), LEVELS), Counts(rng.multinomial(3, p), LEVELS)


def metric_of(name: str) -> Metric:
    return find_metric(name, positive=1)


def derivative(metric: Metric, raters: Summary, system: Summary, i: int, n: int) -> tuple[float, float]:
    """Derivative of the score in the weight of item i, and a bound on its error."""

    def score(h: float) -> float:
        weights = np.full(n, (1 - h) / n)
        weights[i] += h
        return float(metric.score(raters, system, weights))

    wide, narrow = ((score(h) - score(-h)) / (2 * h) for h in (H, H / 2))
    return narrow, abs(wide - narrow) + 1e-14 / H


@pytest.mark.parametrize("name", RANKED)
@pytest.mark.parametrize("seed", range(3))
def test_ranked_scores_have_their_derivative_as_influence(name: str, seed: int) -> None:
    n = 30
    raters, system = panel(n, seed)
    if name == "emd_of_means":  # where F_g = F_s the distance has a kink and no derivative; shifted, they differ
        system = Counts(system.counts, LEVELS + 0.37)
    [(score, values)] = item_values(metric_of(name), raters, [system])
    for i in range(n):
        expected, bound = derivative(metric_of(name), raters, system, i, n)
        assert values[i] - float(score) == pytest.approx(expected, abs=bound)


@pytest.mark.parametrize("name", SMOOTH)
def test_smooth_scores_have_the_jackknife_as_influence(name: str) -> None:
    n = 25
    raters, system = panel(n)
    metric = metric_of(name)
    [(score, values)] = item_values(metric, raters, [system])
    kept = [np.arange(n) != i for i in range(n)]
    without = np.array([float(metric.score(raters.take(k), system.take(k))) for k in kept])
    np.testing.assert_allclose(values - float(score), (n - 1) * (without.mean() - without), atol=1e-11)


@pytest.mark.parametrize("name", [*SMOOTH, "auc", "spearman"])
def test_jackknife_and_derivative_meet_as_items_grow(name: str) -> None:
    # Copies of the same data leave the derivative as it is; the jackknife differs from it by a term in 1/N, so four
    # times the items leave a quarter of the gap, up to terms in 1/N². (EMD of means has kinks where F_g = F_s.)
    metric = metric_of(name)
    raters, system = panel(20, seed=5)
    slopes = np.array([derivative(metric, raters, system, i, 20)[0] for i in range(20)])
    gaps = []
    for copies in (4, 16):
        index = np.tile(np.arange(20), copies)
        g, s, n = raters.take(index), system.take(index), 20 * copies
        whole = float(metric.score(g, s))
        without = [float(metric.score(g.take(np.arange(n) != i), s.take(np.arange(n) != i))) for i in range(20)]
        gaps.append(np.abs((n - 1) * (whole - np.array(without)) - slopes).max())
    assert gaps[1] < 0.3 * gaps[0] + 1e-9


@pytest.mark.parametrize("name", SMOOTH + RANKED)
def test_item_values_average_to_the_score(name: str) -> None:
    raters, system = panel(40, seed=2)
    [(score, values)] = item_values(metric_of(name), raters, [system])
    assert float(values.mean()) == pytest.approx(float(score), abs=1e-12)
    assert float(score) == pytest.approx(float(metric_of(name).score(raters, system)), abs=1e-12)


def test_recall_by_hand() -> None:
    # Truth 0, ⅓·… : three items, truth of category 1 = 0, 1, 1; the system says 1 on the last only: recall ½.
    # Without item 0: ½; without 1: 1; without 2: 0. Mean ½; ψ = 2 (½ − ·) = 0, −1, 1.
    raters, system = Counts(np.array([[3, 0], [1, 2], [0, 3]])), Counts(np.eye(2)[[0, 0, 1]])
    [(score, values)] = item_values(metric_of("recall"), raters, [system])
    assert float(score) == 0.5
    assert values.tolist() == [0.5, -0.5, 1.5]


def test_auc_influence_by_hand() -> None:
    # Positives score .9, .4; negatives .4, .1: AUC 7/8. V = (1, ¾) for positives, W = (¾, 1) for negatives.
    # ψ = 4 [(V − 7/8) / 2] = ¼, −¼ and 4 [(W − 7/8) / 2] = −¼, ¼.
    raters = Counts(np.array([[0, 1], [0, 1], [1, 0], [1, 0]]))
    forecast = Probabilities(np.array([[0.1, 0.9], [0.6, 0.4], [0.6, 0.4], [0.9, 0.1]]))
    [(score, values)] = item_values(metric_of("auc"), raters, [forecast])
    assert float(score) == 7 / 8
    np.testing.assert_allclose(values - 7 / 8, [0.25, -0.25, -0.25, 0.25], atol=1e-15)


@pytest.mark.parametrize("name", SMOOTH + RANKED)
def test_many_data_sets_at_once_equal_one_by_one(name: str) -> None:
    sets = [panel(20, seed) for seed in range(3)]
    raters, system = (Counts(np.stack([s[k].counts for s in sets]), LEVELS) for k in (0, 1))
    [(together, values)] = item_values(metric_of(name), raters, [system])
    for k, (g, s) in enumerate(sets):
        [(alone, each)] = item_values(metric_of(name), g, [s])
        assert float(together[k]) == pytest.approx(float(alone), abs=1e-12)
        np.testing.assert_allclose(values[k], each, atol=1e-11)


@pytest.mark.parametrize("name", SMOOTH + RANKED)
def test_a_set_score_taken_apart_gives_the_same_score(name: str) -> None:
    raters, system = panel(25, seed=4)
    other = panel(25, seed=9)[1]
    form = set_form(metric_of(name), raters, [system, other])
    for carried, each in zip(form.carried, (system, other), strict=True):
        score, _ = form.evaluate(form.fixed, carried)
        assert float(score) == pytest.approx(float(metric_of(name).score(raters, each)), abs=1e-12)


@pytest.mark.parametrize("name", ["agreement", "crps", "mae"])
def test_item_metrics_are_their_own_values(name: str) -> None:
    raters, system = panel(12)
    [(score, values)] = item_values(find_metric(name), raters, [system])
    assert float(score) == float(values.mean())


def test_mean_rating_has_no_set_form() -> None:
    with pytest.raises(TypeError):
        set_form(metric_of("auc"), None, [panel(3)[0]])


def test_items_that_raters_do_not_tell_apart_count_for_nothing() -> None:
    """Of AUC the fewer of positives and negatives count; of ranks those not tied with most others."""
    truth = np.array([1, 1, 0, 0, 0, 0, 0])
    share = np.linspace(0.1, 0.9, 7)
    system = Probabilities(np.stack([1 - share, share], -1), np.arange(2.0))
    for name in ("auc", "spearman"):
        form = set_form(
            find_metric(name, positive=1), Counts(np.eye(2, dtype=int)[truth], np.arange(2.0)), [system] * 2
        )
        assert int(form.n_counted) == 2
