"""p-values: counted one by one, and against statsmodels."""

import itertools

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from quorate.inference.outcome import expected_p, holm, p_value, symmetric_quantile


def test_p_value_by_hand() -> None:
    # |draws| = 3, 1, 0, 2, 2; at least 2: three of five; (3 + 1) / (5 + 1).
    law = np.array([-3.0, 1.0, 0.0, 2.0, -2.0])
    assert float(p_value(np.array(2.0), law)) == pytest.approx(4 / 6, abs=1e-15)
    assert float(p_value(np.array(-2.0), law)) == pytest.approx(4 / 6, abs=1e-15)


def test_p_value_is_never_0_and_at_most_1() -> None:
    law = np.zeros(99)
    assert float(p_value(np.array(1e9), law)) == 1 / 100
    assert float(p_value(np.array(0.0), law)) == 1.0


def test_p_value_counts_ties_that_rounding_hides() -> None:
    # 0.1 + 0.2 and 0.3 are equal on paper; without care the draw just below would not count.
    assert float(p_value(np.array(0.1 + 0.2), np.array([0.3, 0.0, 0.0]))) == 2 / 4


def test_p_value_works_on_leading_axes() -> None:
    rng = np.random.default_rng(0)
    observed, law = rng.normal(size=(2, 3)), rng.normal(size=(2, 3, 50))
    got = p_value(observed, law)
    for i, j in itertools.product(range(2), range(3)):
        beyond = sum(abs(draw) >= abs(observed[i, j]) for draw in law[i, j])
        assert got[i, j] == (beyond + 1) / 51


def test_an_infinite_statistic_is_beyond_every_finite_draw() -> None:
    assert float(p_value(np.array(np.inf), np.array([1.0, np.inf, -np.inf]))) == 3 / 4


def plain_expected_p(alternative: np.ndarray, null: np.ndarray) -> float:
    """The papers' words: for each alternative draw, the share of null draws at least as extreme; then the mean."""
    larger = np.median(alternative) >= np.median(null)
    shares = [np.mean([n >= a if larger else n <= a for n in null]) for a in alternative]
    return float(np.mean(shares))


@pytest.mark.parametrize("shift", [-1.0, 0.0, 0.4, 3.0])
def test_expected_p_draw_by_draw(shift: float) -> None:
    rng = np.random.default_rng(1)
    alternative, null = np.round(rng.normal(shift, 1, 60), 1), np.round(rng.normal(0, 1, 80), 1)
    assert float(expected_p(alternative, null)) == pytest.approx(plain_expected_p(alternative, null), abs=1e-12)


def test_expected_p_has_no_plus_one_and_counts_ties() -> None:
    assert float(expected_p(np.array([5.0]), np.array([0.0, 1.0]))) == 0.0
    assert float(expected_p(np.array([0.0]), np.array([0.0, 0.0]))) == 1.0
    # Equal on paper: 0.3 and 0.1 + 0.2.
    assert float(expected_p(np.array([0.1 + 0.2]), np.array([0.3, 0.0]))) == 0.5


def test_expected_p_on_leading_axes() -> None:
    rng = np.random.default_rng(2)
    alternative, null = rng.normal(0.5, 1, (2, 3, 30)), rng.normal(0, 1, (2, 3, 40))
    got = expected_p(alternative, null)
    assert got.shape == (2, 3)
    assert got[1, 2] == pytest.approx(plain_expected_p(alternative[1, 2], null[1, 2]), abs=1e-12)


def test_holm_equals_statsmodels() -> None:
    rng = np.random.default_rng(3)
    for size in (1, 2, 5, 40):
        p = rng.beta(0.5, 2, size)
        p[: size // 2] = np.round(p[: size // 2], 1) + 0.01  # ties
        np.testing.assert_allclose(holm(p), multipletests(p, method="holm")[1], rtol=1e-12, atol=0)


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
