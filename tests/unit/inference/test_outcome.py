"""The t pivot: scipy's one-sample t test, statsmodels' cluster-robust mean, and data without spread."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.stats import t, ttest_1samp

from quorate.inference.outcome import Outcome, from_t, mean_test, t_quantile, where


def draws(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(0.3, 1.0, shape)


@pytest.mark.parametrize("n", [2, 3, 10, 400])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.99])
def test_equals_scipys_one_sample_t_test(n: int, confidence: float) -> None:
    d = draws(n, seed=n)
    theirs, ours = ttest_1samp(d, 0.0), mean_test(d, confidence)
    interval = theirs.confidence_interval(confidence)
    assert float(ours.p_value) == pytest.approx(theirs.pvalue, rel=1e-10)
    assert float(ours.low) == pytest.approx(float(interval.low), rel=1e-10)
    assert float(ours.high) == pytest.approx(float(interval.high), rel=1e-10)
    assert float(ours.df) == n - 1


@pytest.mark.parametrize("seed", range(3))
def test_equals_statsmodels_cluster_robust_mean(seed: int) -> None:
    rng = np.random.default_rng(seed)
    clusters = np.unique(rng.integers(0, 12, 60), return_inverse=True)[1]
    d = draws(60, seed=seed) + rng.normal(size=clusters.max() + 1)[clusters]
    fit = sm.OLS(d, np.ones(60)).fit(cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True)
    ours = mean_test(d, 0.95, clusters)
    assert float(ours.se) == pytest.approx(fit.bse[0], rel=1e-10)
    assert float(ours.p_value) == pytest.approx(fit.pvalues[0], rel=1e-9)
    np.testing.assert_allclose([ours.low, ours.high], fit.conf_int()[0], rtol=1e-9)


def test_one_item_per_cluster_is_no_clustering() -> None:
    d = draws(15)
    plain, clustered = mean_test(d), mean_test(d, clusters=np.random.default_rng(1).permutation(15))
    for field in ("se", "low", "high", "p_value", "df"):
        assert float(getattr(clustered, field)) == pytest.approx(float(getattr(plain, field)), rel=1e-12)


def test_many_data_sets_at_once_equal_one_by_one() -> None:
    d, clusters = draws(4, 3, 12), np.arange(12) // 3
    together = mean_test(d, 0.9, clusters)
    for i, j in np.ndindex(4, 3):
        alone = mean_test(d[i, j], 0.9, clusters)
        assert together.p_value[i, j] == pytest.approx(float(alone.p_value), rel=1e-12)
        assert together.low[i, j] == pytest.approx(float(alone.low), rel=1e-12)


@pytest.mark.parametrize("n", [2, 5, 30])
def test_equal_differences_leave_the_sign_test(n: int) -> None:
    # P(all N signs equal) = 2 · 2^−N = 2^(1 − N).
    outcome = mean_test(np.full(n, -0.25))
    assert float(outcome.p_value) == 2.0 ** (1 - n)
    assert np.isnan(outcome.low)
    assert np.isnan(outcome.high)
    assert float(outcome.se) == 0.0


def test_differences_equal_on_paper_are_equal() -> None:
    # 2/3 − 1/3 ≠ 1/3 − 0 in the last bit; a t test of the last bits would say p < 1e-30.
    d = np.array([2 / 3 - 1 / 3, 1 / 3, 1 - 2 / 3, 1 / 3, 0.7 - 0.4 + 1 / 30])
    assert len(set(d.tolist())) > 1
    assert float(mean_test(d).p_value) == 2.0**-4


def test_no_difference_at_all_is_identical() -> None:
    outcome = mean_test(np.zeros(10))
    assert (float(outcome.p_value), float(outcome.low), float(outcome.high)) == (1.0, 0.0, 0.0)


def test_p_of_a_million_equal_differences_is_not_0() -> None:
    assert float(mean_test(np.ones(5000)).p_value) > 0


def test_equal_cluster_totals_leave_the_sign_test_of_clusters() -> None:
    # Each cluster of two has mean ½: no spread between clusters, so 4 clusters give 2^(1 − 4).
    d, clusters = np.array([0.0, 1.0] * 4), np.arange(8) // 2
    outcome = mean_test(d, clusters=clusters)
    assert float(outcome.p_value) == 2.0**-3
    assert np.isnan(outcome.low)
    # Totals of 0 everywhere say nothing for or against; the items do differ, so it is not "identical" either.
    balanced = mean_test(np.array([-1.0, 1.0] * 4), clusters=clusters)
    assert float(balanced.p_value) == 1.0
    assert np.isnan(balanced.low)


def test_one_item_or_one_cluster_decides_nothing() -> None:
    assert float(mean_test(np.array([3.0])).p_value) == 1.0
    assert float(mean_test(draws(6), clusters=np.zeros(6, dtype=int)).p_value) == 1.0


def test_an_undefined_difference_is_no_evidence() -> None:
    outcome = mean_test(np.array([1.0, np.nan, 2.0]))
    assert float(outcome.p_value) == 1.0
    assert np.isnan(outcome.low)


def test_p_and_interval_agree_about_0() -> None:
    outcome = mean_test(draws(500, 8, seed=3))
    np.testing.assert_array_equal(outcome.p_value <= 0.05, (outcome.low > 0) | (outcome.high < 0))
    assert 10 < int((outcome.p_value <= 0.05).sum()) < 490  # both sides occur


def test_from_t_and_quantile_equal_scipy() -> None:
    outcome = from_t(np.array(1.5), np.array(0.6), 7.0, 0.9)
    assert float(outcome.p_value) == pytest.approx(2 * t.sf(2.5, 7), rel=1e-12)
    assert float(t_quantile(7.0, 0.9)) == pytest.approx(t.ppf(0.95, 7), rel=1e-12)
    assert float(outcome.high) == pytest.approx(1.5 + 0.6 * t.ppf(0.95, 7), rel=1e-12)


def test_where_picks_whole_outcomes() -> None:
    one, two = (Outcome(*(np.full(2, float(x)) for _ in range(6))) for x in (1, 2))
    picked = where(np.array([True, False]), one, two)
    assert picked.se.tolist() == [1.0, 2.0]
    assert picked.df.tolist() == [1.0, 2.0]
