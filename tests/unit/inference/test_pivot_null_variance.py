"""The law nearest to the data with another mean: Tango's closed form, brute force, and means out of reach."""

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, minimize

from quorate._typing import Array
from quorate.inference.crossed import Crossing, crossed_pivot
from quorate.inference.means import mean_pivot
from quorate.inference.pivot import null_square


def tango(wins: int, losses: int, n: int, delta: float) -> float:
    """Variance of one item's difference under δ [tango1998]: the root of a quadratic in P(loss)."""
    a, b = 2 * n, -wins - losses + (2 * n - wins + losses) * delta
    c = -losses * delta * (1 - delta)
    loss = (np.sqrt(b * b - 4 * a * c) - b) / (2 * a)
    return float(2 * loss + delta * (1 - delta))


@pytest.mark.parametrize(("wins", "losses", "n"), [(5, 3, 30), (2, 0, 40), (0, 4, 12), (0, 0, 25), (30, 20, 100)])
@pytest.mark.parametrize("delta", [-0.3, -0.05, 0.02, 0.1, 0.4])
def test_wins_ties_and_losses_are_tangos(wins: int, losses: int, n: int, delta: float) -> None:
    values, times = np.array([1.0, 0.0, -1.0]), np.array([wins, n - wins - losses, losses], float)
    ours = null_square(values[times > 0] - delta, times[times > 0], np.asarray(-1 - delta), np.asarray(1 - delta))
    assert float(ours) == pytest.approx(tango(wins, losses, n, delta), rel=1e-7)


def brute(values: Array, low: float, high: float) -> float:
    """Maximise Σ log p over weights on the values and two points more, numerically."""
    points, n = np.concatenate([values, [low, high]]), len(values)
    sums = LinearConstraint(np.stack([np.ones(n + 2), points]), np.array([1.0, 0.0]), np.array([1.0, 0.0]))
    start: np.ndarray[tuple[int], np.dtype[np.float64]] = np.full(n + 2, 1 / (n + 2))

    def unlikely(p: Array, *_: object, **__: object) -> float:
        return float(-np.log(p[:n]).mean())

    found = minimize(
        unlikely,
        start,
        bounds=[(1e-9, 1.0)] * n + [(0.0, 1.0)] * 2,
        constraints=sums,
        method="SLSQP",
        tol=1e-14,
    )
    assert found.success
    return float(found.x @ points**2)


@pytest.mark.parametrize("shift", [-1.5, -0.4, 0.0, 0.3, 1.1])
def test_the_law_is_the_most_likely_one(shift: float) -> None:
    values = np.random.default_rng(5).normal(size=8)
    moved, low, high = values - shift, values.min() - 1 - shift, values.max() + 1 - shift
    ours = null_square(moved, np.ones(8), np.asarray(low), np.asarray(high))
    assert float(ours) == pytest.approx(brute(moved, low, high), rel=1e-4)


def test_values_and_how_often_are_values_one_by_one() -> None:
    values, times = np.array([-0.6, 0.1, 0.9]), np.array([2.0, 5.0, 3.0])
    ends = np.asarray(-1.0), np.asarray(1.0)
    once = null_square(np.repeat(values, times.astype(int)), np.ones(10), *ends)
    assert float(null_square(values, times, *ends)) == pytest.approx(float(once), rel=1e-9)


def test_a_mean_beyond_all_points_has_no_law() -> None:
    assert np.isnan(null_square(np.array([0.5, 0.7]), np.ones(2), np.asarray(0.2), np.asarray(0.9)))


def test_units_that_are_zero_but_for_rounding_are_zero() -> None:
    """Influences of equal recalls differ by 1e-16: the interval is what could have gone unseen, not a point."""
    noise = 1e-16 * np.random.default_rng(0).normal(size=40)
    for units in (np.zeros(40), noise):
        high = float(mean_pivot(units, reach=1.0).outcome(0.95).high)
        assert high == pytest.approx(1 - 0.025 ** (1 / 40), rel=1e-5)


def test_the_spread_of_votes_under_another_margin_is_to_theirs_as_tangos() -> None:
    """Items of 40 votes each: V(δ) / V(seen) of one vote, by the closed form; one vote on each item is as before."""
    rng, delta = np.random.default_rng(6), 0.5
    votes = rng.choice([-1.0, 0.0, 1.0], (3, 13 * 40), p=[0.05, 0.08, 0.87])
    item, rater = np.repeat(np.arange(13), 40), np.tile(np.arange(40), 13)
    pivot = crossed_pivot(votes, Crossing(item, rater, np.full(520, 1 / 520), 13, 40), reach=1.0, votes=True)
    ratio = pivot._item_ratio(np.full(3, delta))
    for row, each in enumerate(votes):
        law = tango(int((each == 1).sum()), int((each == -1).sum()), 520, delta)
        assert ratio[row] > 1  # else the spread seen stands
        assert ratio[row] == pytest.approx((law - (each.mean() - delta) ** 2) / each.var(), rel=1e-7)
    once = Crossing(np.arange(40), np.arange(40) % 8, np.full(40, 1 / 40), 40, 8)
    ours, plain = (crossed_pivot(votes[:, :40], once, reach=1.0, votes=read) for read in (True, False))
    np.testing.assert_allclose(ours.p_value(np.zeros(3)), plain.p_value(np.zeros(3)), rtol=1e-9)
    np.testing.assert_allclose(ours.interval(0.95), plain.interval(0.95), rtol=1e-6)
