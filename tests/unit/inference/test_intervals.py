"""Intervals: ranks of the paper, scipy's bootstrap on the same draws, and the bound that goes with the p-value."""

import numpy as np
import pytest
from scipy.stats import bootstrap

from quorate.inference.intervals import bca, percentile, reverse_percentile, symmetric_quantile
from quorate.inference.pvalues import p_value


def test_reverse_percentile_takes_ranks_25_and_975_of_1000() -> None:
    draws = np.random.default_rng(0).permutation(np.arange(1.0, 1001.0))
    # Ranks 25 and 975 hold the values 25 and 975: 2·500 − 975 = 25 and 2·500 − 25 = 975.
    assert reverse_percentile(500.0, draws, 0.95) == (25.0, 975.0)
    # 90 %: ranks 50 and 950.
    assert reverse_percentile(500.0, draws, 0.9) == (50.0, 950.0)


def test_reverse_percentile_of_few_draws_stays_inside() -> None:
    assert reverse_percentile(0.0, np.array([1.0, 2.0]), 0.95) == (-2.0, -1.0)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_percentile_and_bca_equal_scipy_on_the_same_draws(seed: int, confidence: float) -> None:
    sample = np.random.default_rng(seed).exponential(size=25) - 0.5
    for method in ("percentile", "BCa"):
        theirs = bootstrap((sample,), np.mean, n_resamples=999, confidence_level=confidence, method=method, rng=seed)
        draws, ends = theirs.bootstrap_distribution, theirs.confidence_interval
        ours = (
            percentile(draws, confidence)
            if method == "percentile"
            else bca(float(sample.mean()), draws, sample - sample.mean(), confidence)
        )
        np.testing.assert_allclose(ours, (ends.low, ends.high), rtol=1e-12)


def test_bca_of_draws_on_one_side_is_finite() -> None:
    low, high = bca(10.0, np.arange(10.0), np.array([-1.0, 1.0]))
    assert 0 <= low <= high <= 9


def test_symmetric_quantile_by_hand() -> None:
    # n = 19, 95 %: k = ⌈0.95 · 20⌉ = 19, the largest; n = 18: k = ⌈18.05⌉ = 19 > 18, no bound.
    assert float(symmetric_quantile(np.arange(1.0, 20.0), 0.95)) == 19.0
    assert np.isinf(symmetric_quantile(np.arange(1.0, 19.0), 0.95))


@pytest.mark.parametrize("n", [19, 20, 99, 250])
def test_the_bound_is_crossed_exactly_when_p_is_at_most_the_level(n: int) -> None:
    rng = np.random.default_rng(n)
    law = np.round(rng.normal(size=n), 1)  # a lattice, so that the statistic often sits on the bound
    bound = float(symmetric_quantile(law, 0.95))
    for statistic in np.round(np.arange(0, 5, 0.1), 1):
        assert (statistic > bound) == (float(p_value(np.array(statistic), law)) <= 0.05 + 1e-12)
