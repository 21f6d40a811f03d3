"""Goodness of fit: each figure by hand, or against a plain reference."""

import numpy as np
import pytest

from quorate import InputError
from quorate.data.summaries import Counts, Values
from quorate.populations.dirichlet import DirichletPopulation
from quorate.populations.families import Uniform
from quorate.populations.goodness import (
    _below,
    _gap_to,
    _nominal_correlation,
    _numeric_correlation,
    check_spread,
    expected_shares,
    mean_absolute_bias,
)
from quorate.populations.normal import NormalPopulation
from tests.draws import counts_of, values_of


def test_mab_by_hand() -> None:
    # |0.6 − 0.5| + |0.1 − 0.2| + |0.3 − 0.3| over three categories = 0.2 / 3.
    got = mean_absolute_bias(np.array([0.6, 0.1, 0.3]), np.array([0.5, 0.2, 0.3]))
    assert got == pytest.approx(0.2 / 3, rel=1e-12)


def test_nominal_correlation_by_hand() -> None:
    # Items (3, 0), (1, 2): within, pairs agree 3/3 and 1/3, mean 2/3. Over all, 4 and 2 of 6: (12 + 2) / 30 = 7/15.
    got = _nominal_correlation(np.array([[3, 0], [1, 2]]))
    assert float(got) == pytest.approx((2 / 3 - 7 / 15) / (1 - 7 / 15), rel=1e-12)


def test_numeric_correlation_by_hand() -> None:
    # Items (0, 2) and (4, 6): sds √2, means 1 and 5. Between: var(1, 5) − mean(2/2) = 8 − 1 = 7; within 2; 7/9.
    got = _numeric_correlation(np.array([2, 2]), np.array([1.0, 5.0]), np.sqrt([2.0, 2.0]))
    assert float(got) == pytest.approx(7 / 9, rel=1e-12)


def test_distribution_functions_count_items() -> None:
    figures, grid = np.array([[0.2, 0.5, 0.5, 1.0], [0.1, 0.1, 0.3, 0.4]]), np.array([0.2, 0.5, 1.0])
    np.testing.assert_array_equal(_below(figures, grid), [[0.25, 0.75, 1.0], [0.5, 1.0, 1.0]])


def test_gap_equals_a_plain_loop() -> None:
    rng = np.random.default_rng(0)
    simulated, observed = rng.integers(1, 6, (20, 30)) / 5, rng.integers(2, 6, 30) / 5
    points = np.unique(simulated)
    plain = max(abs((observed <= x).mean() - (simulated <= x).mean()) for x in points)
    assert float(_gap_to(simulated)(observed)) == pytest.approx(plain, abs=1e-12)


def test_expected_shares_of_levels_are_symmetric_when_the_world_is() -> None:
    world = NormalPopulation(Uniform(0.0, 1.0), Uniform(0.1, 0.5), levels=(0.0, 1.0))
    shares = expected_shares(world, rng=np.random.default_rng(0))
    assert shares.sum() == pytest.approx(1.0)
    assert abs(shares[0] - 0.5) < 5 * 0.5 / np.sqrt(200_000)


def test_a_world_without_spread_has_the_right_mean_and_fails() -> None:
    rng = np.random.default_rng(1)
    votes = Counts(rng.multinomial(5, rng.dirichlet((2.0, 1.0), 400)))
    share = counts_of(votes).sum(0) / counts_of(votes).sum()
    alike = DirichletPopulation(tuple(3000 * share))
    assert mean_absolute_bias(share, alike.mean) < 1e-12
    check = check_spread(alike, votes, rng=rng)
    assert not check.fits
    assert check.gap_fails
    assert check.correlation_fails
    assert check.gap_tail == pytest.approx(1 / 201)
    # Without spread the correlation of one data set has sd ≈ sqrt(2 / (K (K − 1) N)); 200 data sets are averaged.
    error = np.sqrt(2 / (5 * 4 * 400)) / np.sqrt(200)
    assert abs(check.expected_correlation - 1 / 3001) < 5 * error


def test_continuous_answers_are_checked_by_their_sd() -> None:
    rng = np.random.default_rng(2)
    world = NormalPopulation(Uniform(0.0, 1.0), Uniform(0.1, 0.3))
    study = world.draw(n_replicates=1, n_items=500, n_raters=4, rng=rng).raters
    values = Values(values_of(study)[0], study.size[0])
    assert check_spread(world, values, rng=rng).figure == "item sd"
    assert check_spread(world, values, rng=rng).fits
    assert not check_spread(NormalPopulation(Uniform(0.0, 1.0), Uniform(0.0, 0.15)), values, rng=rng).fits


def test_what_cannot_be_checked_is_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(InputError, match="two answers or more"):
        check_spread(DirichletPopulation((1, 1)), Counts(np.eye(2, dtype=int)), rng=rng)
