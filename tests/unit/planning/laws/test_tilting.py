"""Tilted weights meet what is known, and regression on what is known narrows what is not."""

import numpy as np
import pytest

from quorate.planning.laws.item_law import sampled_law
from quorate.planning.laws.tilting import regressed, tilted


def test_weights_meet_mean_and_square() -> None:
    d = np.random.default_rng(0).standard_t(4, 5000)
    targets = np.array([0.05, 2.3])
    weights = tilted(np.full(5000, 1 / 5000), np.stack([d, d**2]), targets)
    assert weights is not None
    assert weights.min() > 0
    np.testing.assert_allclose([weights.sum(), weights @ d, weights @ d**2], [1.0, *targets], rtol=1e-7)


def test_what_cannot_be_met_is_none() -> None:
    fair = np.full(2, 0.5)
    assert tilted(fair, np.array([[-1.0, 1.0]]), np.array([2.0])) is None
    assert tilted(fair, np.array([[1.0, 1.0]]), np.array([1.0])) is None


def test_regression_is_the_known_mean_where_the_outcome_is_linear() -> None:
    x = np.random.default_rng(1).normal(size=(2, 400))
    means, residuals = regressed((x[0] + 3 * x[1])[None], x, np.zeros(2))
    assert means[0] == pytest.approx(0.0, abs=1e-12)
    assert np.abs(residuals).max() < 1e-12


def test_regression_without_controls_is_the_mean() -> None:
    y = np.arange(6.0)[None]
    means, residuals = regressed(y, np.empty((0, 6)), np.empty(0))
    assert means[0] == 2.5
    np.testing.assert_allclose(residuals, y - 2.5)


def test_a_sampled_law_keeps_its_values_and_takes_its_moments() -> None:
    draws = np.array([-1.0, 0.0, 0.0, 1.0, 1.0])
    law = sampled_law(draws, draws, mean=0.1, mean_error=0.01, squares=(0.5, 0.4), spread_error=0.02, n_items=5)
    np.testing.assert_allclose(law.values, [-1, 0, 1])
    np.testing.assert_allclose(law.weights, [0.2, 0.5, 0.3], atol=1e-8)
    assert law.null_sd**2 == pytest.approx(0.4)
    assert (law.draws, law.sd_error) == (5, 0.02)
