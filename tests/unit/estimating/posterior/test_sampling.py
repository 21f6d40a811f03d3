"""Newton's method, importance sampling, its diagnostics, and the walkers that take over."""

import numpy as np
import pytest
from scipy import stats

from quorate._typing import Array
from quorate.estimating.posterior.sampling import (
    Mixture,
    find_mode,
    importance_sample,
    pareto_smooth,
    resample,
    sample_posterior,
    walk,
)


def test_newton_finds_the_mode_and_curvature_of_a_skewed_density_from_several_starts() -> None:
    # log density of log X, X ~ Gamma(a): a x - e^x, mode log a, curvature -a
    a = np.array([2.0, 50.0])
    mode = find_mode(lambda x: (a * x - np.exp(x)).sum(-1), np.array([[0.0, 0.0], [3.0, 3.0], [-2.0, 6.0]]))
    assert mode.point == pytest.approx(np.tile(np.log(a), (3, 1)), abs=1e-4)
    assert mode.covariance == pytest.approx(np.tile(np.diag(1 / a), (3, 1, 1)), rel=1e-3, abs=1e-5)


def test_newton_takes_all_leading_axes_at_once() -> None:
    centre = np.arange(6.0).reshape(2, 3, 1)
    mode = find_mode(lambda x: -((x - centre[:, :, None]) ** 2).sum(-1), np.zeros((2, 3, 1)))
    assert mode.point == pytest.approx(centre, abs=1e-6)


def test_newton_follows_a_narrow_ridge_from_far_away() -> None:
    # sd 10 along (20, 1) and 0.01 across it: a step whose first variable alone were cut to 1 would leave the ridge
    along, across = np.array([20.0, 1.0]) / np.sqrt(401), np.array([-1.0, 20.0]) / np.sqrt(401)
    mode = find_mode(lambda x: -0.5 * ((x @ along / 10) ** 2 + (x @ across / 0.01) ** 2), 18 * along)
    assert mode.point == pytest.approx(np.zeros(2), abs=1e-3)


def test_mixture_density_is_scipys_multivariate_t() -> None:
    rng = np.random.default_rng(1)
    roots = np.stack([np.linalg.cholesky(np.cov(rng.normal(size=(3, 9)))) for _ in range(2)])
    mixture = Mixture(np.array([0.3, 0.7]), rng.normal(size=(2, 3)), roots)
    points = rng.normal(size=(5, 3)) * 3
    expected = [
        share * stats.multivariate_t(centre, root @ root.T, df=5).pdf(points)
        for share, centre, root in zip(mixture.share, mixture.centre, mixture.root, strict=True)
    ]
    assert np.exp(mixture.log_parts(points)) == pytest.approx(np.stack(expected, 1), rel=1e-9)


@pytest.mark.parametrize("shape", [0.2, 0.6, 1.1])
def test_pareto_shape_of_exact_quantiles(shape: float) -> None:
    # the tail of a Pareto law of shape k is a generalised Pareto law of shape k; 10 prior observations pull towards 0.5
    log_weights = -shape * np.log(1 - (np.arange(20_000) + 0.5) / 20_000)
    n_tail = 3 * np.sqrt(20_000)
    pulled = (n_tail * shape + 10 * 0.5) / (n_tail + 10)
    assert pareto_smooth(log_weights)[1] == pytest.approx(pulled, abs=0.05)


def test_equal_weights_are_left_alone_and_a_single_heavy_one_is_distrusted() -> None:
    smooth, k_hat = pareto_smooth(np.zeros(1000))
    assert k_hat == -np.inf
    assert np.exp(smooth) == pytest.approx(np.full(1000, 1e-3))
    assert pareto_smooth(np.where(np.arange(1000) == 7, 0.0, -np.inf))[1] == np.inf


def test_systematic_resampling_keeps_expected_counts_to_one() -> None:
    weights = np.array([0.5, 0.301, 0.199])
    picked = np.bincount(resample(np.log(weights), 1000, rng=np.random.default_rng(0)), minlength=3)
    assert np.abs(picked - 1000 * weights).max() <= 1


def test_importance_sampling_integrates_a_bimodal_density() -> None:
    # 0.8 N(-3, 1) + 0.2 N(3, 1): mean -1.8, second moment 9 + 1 = 10
    def log_density(x: Array) -> Array:
        low, high = -0.5 * (x[..., 0] + 3) ** 2, -0.5 * (x[..., 0] - 3) ** 2
        return np.asarray(np.logaddexp(np.log(0.8) + low, np.log(0.2) + high))

    mode = find_mode(log_density, np.array([[-2.0], [2.0]]))
    draws = importance_sample(log_density, mode, rng=np.random.default_rng(0))
    weights, x = np.exp(draws.log_weights), draws.points[:, 0]
    error = 5 * np.sqrt((10 - 1.8**2) / draws.effective)
    assert draws.k_hat < 0.5
    assert weights @ x == pytest.approx(-1.8, abs=error)


def test_walkers_take_over_where_importance_sampling_fails() -> None:
    # a Cauchy law has heavier tails than any t with 5 degrees of freedom: its importance weights have no variance
    def log_density(x: Array) -> Array:
        return np.asarray(-np.log1p(x**2).sum(-1))

    rng = np.random.default_rng(0)
    points, k_hat, _, fallback = sample_posterior(log_density, rng.normal(size=(100, 2)), size=500, rng=rng)
    assert fallback
    assert k_hat > 0.7
    # quartiles of a Cauchy law are -1 and 1: the share inside is 1/2, with the error of 500 walkers at z = 5
    assert (np.abs(points) < 1).mean(0) == pytest.approx(np.full(2, 0.5), abs=5 * 0.5 / np.sqrt(500))


def test_walkers_reach_a_correlated_normal() -> None:
    covariance = np.array([[1.0, 0.9], [0.9, 1.0]])
    inverse = np.linalg.inv(covariance)
    rng = np.random.default_rng(2)
    ends = walk(lambda x: -0.5 * np.einsum("pi,ij,pj->p", x, inverse, x), rng.normal(size=(4000, 2)), rng=rng)
    # standard error of a correlation from 4000 walkers: (1 - r²) / sqrt(n), doubled for what they share
    assert np.corrcoef(ends.T)[0, 1] == pytest.approx(0.9, abs=5 * 2 * 0.19 / np.sqrt(4000))
