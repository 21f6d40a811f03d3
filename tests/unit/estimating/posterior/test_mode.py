"""Newton's method climbs to the mode."""

import numpy as np
import pytest

from quorate.estimating.posterior.mode import find_mode


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
