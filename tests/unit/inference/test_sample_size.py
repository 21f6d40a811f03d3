"""Sizes of studies: against statsmodels' exact power of the t test."""

import pytest
from statsmodels.stats.power import TTestPower

from quorate.inference.sample_size import items_needed


@pytest.mark.parametrize("effect", [0.05, 0.1, 0.3, 0.8])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
@pytest.mark.parametrize("power", [0.8, 0.9])
def test_items_needed_reaches_the_power(effect: float, confidence: float, power: float) -> None:
    n = items_needed(1.0, effect, confidence, power)
    exact = TTestPower().solve_power(effect, alpha=1 - confidence, power=power, alternative="two-sided")
    # Guenther's correction leaves an error well below one item; both are rounded up.
    assert abs(n - exact) <= 1.5


def test_only_the_ratio_of_spread_and_difference_matters() -> None:
    assert items_needed(0.5, 0.02) == items_needed(50.0, 2.0)


def test_there_is_no_study_of_one_item() -> None:
    assert items_needed(0.001, 5.0) >= 2
