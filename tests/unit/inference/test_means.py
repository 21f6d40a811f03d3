"""Means over items: Student's t and beyond, clusters against the analysis of variance and dense matrices, no spread."""

import numpy as np
import pytest
from scipy.stats import t, ttest_1samp

from quorate._typing import Array
from quorate.inference.means import mean_pivot, mean_test


def draws(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).normal(0.3, 1.0, shape)


@pytest.mark.parametrize(("wins", "losses"), [(5, 3), (40, 20), (9, 1)])
def test_two_values_are_students_t_test(wins: int, losses: int) -> None:
    # Of ±1, the nearest law with mean 0 is ½, ½: second moment 1, variance around the mean seen 1 − m², as seen.
    d = np.repeat([1.0, -1.0], [wins, losses])
    assert float(mean_test(d).p_value) == pytest.approx(ttest_1samp(d, 0.0).pvalue, rel=1e-9)


@pytest.mark.parametrize("n", [2, 3, 10, 400])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.99])
def test_the_interval_holds_students(n: int, confidence: float) -> None:
    d = draws(n, seed=n)
    theirs, ours = ttest_1samp(d, 0.0), mean_test(d, confidence)
    interval = theirs.confidence_interval(confidence)
    assert float(ours.p_value) >= theirs.pvalue * (1 - 1e-9)
    near = 1e-6 * (interval.high - interval.low)  # ends are sought to that
    assert float(ours.low) <= interval.low + near
    assert float(ours.high) >= interval.high - near
    assert float(ours.df) == n - 1
    if n == 400:  # many items and no rare values: hardly wider
        assert float(ours.high - ours.low) < 1.03 * (interval.high - interval.low)


def test_equal_clusters_are_the_analysis_of_variance() -> None:
    # Balanced one-way layout: the variance of the mean is MS_between / N on G − 1 degrees of freedom.
    clusters = np.arange(60) % 12
    d = draws(60) + np.random.default_rng(1).normal(size=12)[clusters]
    means = np.array([d[clusters == g].mean() for g in range(12)])
    part = mean_pivot(d, clusters).variance.items
    assert float(part.variance) == pytest.approx(means.var(ddof=1) / 12, rel=1e-12)
    assert float(part.df) == pytest.approx(11, rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_unequal_clusters_by_dense_matrices(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 12, 7)
    clusters = np.repeat(np.arange(7), sizes)
    d = rng.normal(size=7)[clusters] + rng.normal(size=len(clusters))
    n, groups = len(d), 7
    # Analysis of variance for the share ρ that items of a cluster have in common, with n0 = (n − Σ n_g² / n) / (G − 1).
    means = np.array([d[clusters == g].mean() for g in range(groups)])
    within = sum(((d[clusters == g] - means[g]) ** 2).sum() for g in range(groups)) / (n - groups)
    between = (sizes * (means - d.mean()) ** 2).sum() / (groups - 1)
    of_cluster = max(between - within, 0) / ((n - (sizes**2).sum() / n) / (groups - 1))
    shared = of_cluster / (of_cluster + within)
    # e = D (I − 1h') ȳ of cluster means with covariance diag(v): Q = Σ e² expects tr M and has df (tr M)² / tr M².
    h, v = sizes / n, shared + (1 - shared) / sizes
    maker = np.diag(h) @ (np.eye(groups) - np.outer(np.ones(groups), h))
    m = maker @ np.diag(v) @ maker.T
    q = ((maker @ means) ** 2).sum()
    part = mean_pivot(d, clusters).variance.items
    assert float(part.variance) == pytest.approx(q * (h**2 * v).sum() / np.trace(m), rel=1e-9)
    assert float(part.df) == pytest.approx(np.trace(m) ** 2 / np.trace(m @ m), rel=1e-7)


def test_one_cluster_with_half_of_the_items_is_worth_few() -> None:
    sizes = np.array([30, *[1] * 30])
    part = mean_pivot(draws(60), np.repeat(np.arange(31), sizes)).variance.items
    assert float(part.df) < 30
    big = np.random.default_rng(2).normal(size=31).repeat(sizes)  # items of a cluster are alike: ρ = 1
    assert float(mean_pivot(big, np.repeat(np.arange(31), sizes)).variance.items.df) < 2


def test_one_item_per_cluster_is_no_clustering() -> None:
    d = draws(15)
    plain, clustered = mean_test(d), mean_test(d, clusters=np.random.default_rng(1).permutation(15))
    for field in ("se", "low", "high", "p_value", "df"):
        assert float(getattr(clustered, field)) == pytest.approx(float(getattr(plain, field)), rel=1e-6)


def test_many_data_sets_at_once_equal_one_by_one() -> None:
    d, clusters = draws(4, 3, 12), np.arange(12) // 3
    together = mean_test(d, 0.9, clusters)
    for i, j in np.ndindex(4, 3):
        alone = mean_test(d[i, j], 0.9, clusters)
        assert together.p_value[i, j] == pytest.approx(float(alone.p_value), rel=1e-9)
        assert together.low[i, j] == pytest.approx(float(alone.low), rel=1e-6)


@pytest.mark.parametrize("n", [2, 5, 30])
def test_equal_differences_leave_the_sign_test(n: int) -> None:
    # Values as far on the other side on half of the units: 2 (1 − ½)^N = 2^(1 − N).
    outcome = mean_test(np.full(n, -0.25))
    assert float(outcome.p_value) == pytest.approx(2.0 ** (1 - n), rel=1e-12)
    # 2 (1 − π)^N = 0.05, and π of the units at +0.25 instead of −0.25 move the mean by π / 2.
    assert float(outcome.high) == pytest.approx(-0.25 + 0.5 * (1 - 0.025 ** (1 / n)), abs=1e-6)
    assert float(outcome.low) == pytest.approx(-0.25, abs=1e-6)
    assert float(outcome.se) == 0.0


def test_differences_equal_on_paper_are_equal() -> None:
    # 2/3 − 1/3 ≠ 1/3 − 0 in the last bit; a t test of the last bits would say p < 1e-30.
    d = np.array([2 / 3 - 1 / 3, 1 / 3, 1 - 2 / 3, 1 / 3, 0.7 - 0.4 + 1 / 30])
    assert len(set(d.tolist())) > 1
    assert float(mean_test(d).p_value) == pytest.approx(2.0**-4, rel=1e-9)


def test_no_difference_and_nothing_known_of_how_large_one_could_be() -> None:
    outcome = mean_test(np.zeros(10))
    assert (float(outcome.p_value), float(outcome.low), float(outcome.high)) == (1.0, 0.0, 0.0)


def test_p_of_many_equal_differences_is_not_0() -> None:
    assert float(mean_test(np.ones(5000)).p_value) > 0


def test_equal_cluster_totals_leave_the_sign_test_of_clusters() -> None:
    # Each cluster of two has mean ½: no spread between clusters, so 4 clusters give 2^(1 − 4).
    d, clusters = np.array([0.0, 1.0] * 4), np.arange(8) // 2
    assert float(mean_test(d, clusters=clusters).p_value) == pytest.approx(2.0**-3, rel=1e-12)
    # Totals of 0 everywhere say nothing for or against.
    assert float(mean_test(np.array([-1.0, 1.0] * 4), clusters=clusters).p_value) == 1.0


def test_one_item_or_one_cluster_decides_nothing() -> None:
    for outcome in (mean_test(np.array([3.0])), mean_test(draws(6), clusters=np.zeros(6, dtype=int))):
        assert float(outcome.p_value) == 1.0
        assert np.isnan([outcome.se, outcome.low, outcome.high]).all()


def test_an_undefined_difference_is_no_evidence() -> None:
    outcome = mean_test(np.array([1.0, np.nan, 2.0]))
    assert float(outcome.p_value) == 1.0
    assert np.isnan(outcome.low)


def test_p_and_interval_agree_about_0() -> None:
    outcome = mean_test(draws(500, 8, seed=3))
    np.testing.assert_array_equal(outcome.p_value <= 0.05, (outcome.low > 0) | (outcome.high < 0))
    assert 10 < int((outcome.p_value <= 0.05).sum()) < 490  # both sides occur


def test_a_part_known_on_its_degrees_of_freedom_is_students() -> None:
    d = draws(9)
    pivot = mean_pivot(d)
    far = np.asarray(2.5 * d.std(ddof=1) / 3)
    assert float(pivot.variance.tail(far)) == pytest.approx(2 * t.sf(2.5, 8), rel=1e-12)
