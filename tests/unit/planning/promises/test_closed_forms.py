"""Closed forms beside counts by hand: lattices, sums of a few items, and the normal limit."""

import numpy as np
import pytest

from quorate.planning.promises.closed_forms import (
    edgeworth,
    equally_spaced,
    normal_p,
    passing_chance,
    quantiles,
    spaced_chance,
    sum_law,
    tie_p,
    transform_length,
    trinomial_chance,
)

FAIR = np.array([-1.0, 1.0]), np.array([0.5, 0.5])


def test_two_fair_coins() -> None:
    assert tie_p(*FAIR, *FAIR, step=1.0, n_items=1, size=5) == pytest.approx(0.75)
    sums, chances = sum_law(*FAIR, 1.0, 2)
    assert sums.tolist() == [-2, -1, 0, 1, 2]
    np.testing.assert_allclose(chances, [0.25, 0, 0.5, 0, 0.25], atol=1e-12)


def test_points_a_sum_can_reach() -> None:
    assert transform_length(np.array([-1.0, 1.0]), np.array([0.0, 1.0]), 1.0, 10, 1.25) == 31


def test_quantiles_are_values() -> None:
    assert quantiles(np.array([0.0, 1.0]), np.array([0.4, 0.6]), [0.3, 0.5]) == [0.0, 1.0]


def test_equal_distances() -> None:
    assert equally_spaced(np.array([-0.9, 0.1, 1.1]))
    assert not equally_spaced(np.array([0.0, 0.1, 1.1]))


def test_only_equal_values_have_no_spread() -> None:
    # 8 equal answers of 1: 2 · 2^−8 < 0.05 at the bound 0, where reach is 1; 5 are too few, 2 · 2^−5 > 0.05
    coin = np.array([0.0, 1.0]), np.array([0.0, 1.0])
    assert [spaced_chance(*coin, n, 0.95, 0.0, 1.0) for n in (5, 8)] == pytest.approx([0.0, 1.0])
    assert trinomial_chance(0.0, 0.5, 1.0, 2, 12.7, -0.1) == pytest.approx(0.5)


def test_normal_limits() -> None:
    assert passing_chance(0.1, 0.5, 0.0, 0.0, 199, 1.972) == pytest.approx(0.8, abs=0.005)
    assert (edgeworth(0.0, 0.0), edgeworth(0.0, 0.6)) == pytest.approx((0.5, 0.46), abs=5e-4)
    # √2 standard errors of N = 2 items, mean 0.5 ± 0.01 at a spread of 0.5; then φ(1) · 0.1 from the spread alone
    assert [float(x) for x in normal_p(2**0.5, 2**0.5 * 0.02, 0.0)] == pytest.approx([0.0786, 0.0042], abs=5e-5)
    assert [float(x) for x in normal_p(1.0, 0.0, 0.1)] == pytest.approx([0.1587, 0.0242], abs=5e-5)
