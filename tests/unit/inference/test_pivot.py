"""The pivot: what has not shown, mirrored pairs, p and interval that agree, intervals within what is possible."""

from dataclasses import replace

import numpy as np
import pytest

from quorate._typing import Array
from quorate.inference.means import mean_pivot, mean_test
from quorate.inference.pivot import crossing_point, outcomes_of


def sparse(n: int, wins: int, losses: int) -> Array:
    return np.repeat([1.0, -1.0, 0.0], [wins, losses, n - wins - losses])


@pytest.mark.parametrize("n", [5, 30, 1000])
@pytest.mark.parametrize("reach", [1.0, 4.0])
def test_equal_systems_may_differ_where_nobody_looked(n: int, reach: float) -> None:
    # 2 (1 − π)^N = 0.05: up to a share π of items may differ by all that is possible and show in none of N.
    outcome = mean_pivot(np.zeros(n), reach=reach).outcome(0.95)
    bound = reach * (1 - 0.025 ** (1 / n))
    assert float(outcome.p_value) == 1.0
    assert float(outcome.high) == pytest.approx(bound, rel=1e-6)
    assert float(outcome.low) == pytest.approx(-bound, rel=1e-6)


def test_p_of_what_has_not_shown() -> None:
    pivot = mean_pivot(np.full(10, 0.2), reach=1.0)
    # From 0.2 on every item down to 0: π (1 + 0.2) = 0.2 of the items at −1, seen in none of ten.
    assert float(pivot.p_value(np.zeros(()))) == pytest.approx(2 * (1 - 0.2 / 1.2) ** 10, rel=1e-12)
    # Up to 0.3: π (1 − 0.2) = 0.1 of the items at +1.
    assert float(pivot.p_value(np.asarray(0.3))) == pytest.approx(2 * (1 - 0.1 / 0.8) ** 10, rel=1e-12)


def test_only_units_that_carry_weight_are_votes() -> None:
    pivot = replace(mean_pivot(np.full(100, 0.02), reach=0.02), n_units=2)
    assert float(pivot.p_value(np.zeros(()))) == pytest.approx(2 * 0.5**2)


@pytest.mark.parametrize("unseen", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_swapping_the_systems_flips_every_sign(seed: int, unseen: bool) -> None:
    rng = np.random.default_rng(seed)
    d = rng.choice([-1.0, -0.5, 0.0, 1.0], 40, p=[0.02, 0.1, 0.8, 0.08])
    forth, back = (mean_pivot(side * d, reach=1.0, unseen=unseen).outcome(0.95) for side in (1, -1))
    assert float(forth.difference) == -float(back.difference)
    assert float(forth.low) == -float(back.high)
    assert float(forth.high) == -float(back.low)
    assert float(forth.p_value) == float(back.p_value)


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_the_ends_are_where_p_is_the_level(confidence: float) -> None:
    rng = np.random.default_rng(2)
    d = rng.choice([-1.0, 0.0, 0.3], (200, 25), p=[0.1, 0.6, 0.3])
    pivot = mean_pivot(d, reach=1.0)
    low, high = pivot.interval(confidence)
    inside = (low > -1) & (high < 1)
    np.testing.assert_allclose(pivot.p_value(low)[inside], 1 - confidence, rtol=1e-4)
    np.testing.assert_allclose(pivot.p_value(high)[inside], 1 - confidence, rtol=1e-4)
    outcome = pivot.outcome(confidence)
    np.testing.assert_array_equal(outcome.p_value <= 1 - confidence, (low > 0) | (high < 0))


def test_no_end_lies_beyond_what_is_possible() -> None:
    outcome = mean_pivot(np.array([1.0, -1.0]), reach=1.0).outcome(0.95)  # Student's t on one degree: ± 12.7
    assert (float(outcome.low), float(outcome.high)) == (-1.0, 1.0)


def test_rare_differences_need_more_than_the_spread_seen() -> None:
    # Two losses of 100: Student's interval ends at −0.048, Tango's at −0.070 (normal), and with a margin of 0.05 that
    # decides. Failures that have shown at full size need no further allowance.
    d = sparse(100, 0, 2)
    student = d.mean() - 1.984 * d.std(ddof=1) / 10
    low, _ = mean_pivot(d, reach=1.0).interval(0.95)
    assert student == pytest.approx(-0.0479, abs=1e-4)
    assert float(low) < -0.065
    unseen, _ = mean_pivot(d, reach=1.0, unseen=True).interval(0.95)
    assert float(unseen) == float(low)


def test_failures_that_have_not_shown_widen_an_interval() -> None:
    d = np.tile([0.02, -0.02], 50)  # systems that differ by little everywhere, on a scale up to 1
    narrow, _ = mean_pivot(d, reach=1.0).interval(0.95)
    wide, _ = mean_pivot(d, reach=1.0, unseen=True).interval(0.95)
    assert float(narrow) > -0.005
    # At least what N items can show: one-sided, (1 − π)^100 · 2 · ½ … = 0.05 needs π of about 3 %.
    assert float(wide) < -0.025


def test_pivots_of_all_kinds_together_are_those_of_each() -> None:
    rng = np.random.default_rng(3)
    pivots = [mean_pivot(rng.normal(size=n), reach=reach) for n, reach in ((12, None), (12, 9.0), (30, None))] * 2
    levels = np.linspace(0.8, 0.99, 6)
    for one, pivot, level in zip(outcomes_of(pivots, levels), pivots, levels, strict=True):
        alone = pivot.outcome(float(level))
        np.testing.assert_allclose([one.low, one.high, one.p_value], [alone.low, alone.high, alone.p_value], rtol=1e-5)


def test_crossing_points() -> None:
    goal = np.array([0.3, 2.0, 70.0])
    found = crossing_point(lambda x: goal**2 - x**2, np.zeros(3), np.ones(3))
    np.testing.assert_allclose(found, goal, rtol=1e-6)
    assert np.isinf(crossing_point(lambda x: 1.0 + 0 * x, np.zeros(1), np.ones(1))).all()


def test_crossing_points_of_stairs() -> None:
    def stairs(x: Array) -> Array:
        return np.where(x < np.array([1.3, 7.7]), 1.0, -1e-3) - 1e-6 * x

    assert crossing_point(stairs, np.zeros(2), np.ones(2)) == pytest.approx([1.3, 7.7], rel=1e-8)


def test_many_data_sets_are_judged_as_one_by_one() -> None:
    values = np.random.default_rng(3).choice([-1.0, 0.0, 0.0, 1.0], (300, 900))  # more than a batch
    many = mean_test(values)
    for k in (0, 145, 299):
        one = mean_test(values[k])
        for each in ("low", "high", "p_value"):
            assert getattr(many, each)[k] == pytest.approx(float(getattr(one, each)), rel=1e-7)


def test_one_large_data_set_is_read_by_its_distinct_values_alone_or_stacked() -> None:
    units = sparse(900, 40, 25)
    alone, stacked, twice = (mean_pivot(x, reach=1.0) for x in (units, units[None], np.stack([units, units])))
    assert [pivot._values[0].shape[-1] for pivot in (alone, stacked, twice)] == [3, 3, 900]
    for pivot in (stacked, twice):
        assert pivot.interval(0.95)[0][0] == pytest.approx(float(alone.interval(0.95)[0]), rel=1e-9)
