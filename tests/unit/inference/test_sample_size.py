"""Sizes of studies, against statsmodels' exact power of the t test, and design effects by hand."""

import numpy as np
import pytest
from statsmodels.stats.power import TTestPower

from quorate.data.summaries import Counts, Probabilities
from quorate.inference.sample_size import design_effects, items_beside_raters, items_needed, items_to_see
from quorate.inference.scored_systems import score_systems
from quorate.metrics import find_metric


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


def test_items_beside_raters_stops_where_raters_alone_hide_the_difference() -> None:
    assert items_beside_raters(0.25 / 199, 0.0, 199, 0.1) == items_needed(0.5, 0.1) == 199
    assert items_beside_raters(0.25 / 199, 0.00128, 199, 0.1) is None


def test_design_effects_by_hand() -> None:
    # Four pages of three items that always agree within a page: d = 1, 1, 1, 0, 0, 0, 0, …: only pages vary.
    # Plain: s² / 12, s² = Σ(d − ¼)² / 11 = 2.25 / 11. Clustered: 4/3 Σ_g (Σ d − ¾)² / 144 = 4/3 · 6.75 / 144.
    right = np.array([True] * 3 + [False] * 9)
    yes, no = np.tile([1, 0], (12, 1)), np.tile([0, 1], (12, 1))
    f = score_systems(find_metric("agreement"), Counts(yes), [Counts(yes), Counts(np.where(right[:, None], no, yes))])
    groupings = {"page": np.arange(12) // 3, "all": np.zeros(12, dtype=int), "item": np.arange(12)}
    found = design_effects([f.pair(0, 1).differences], groupings)
    assert set(found) == {"page"}
    expected = (4 / 3 * 6.75 / 144) / (2.25 / 11 / 12)
    assert found["page"].median == pytest.approx(expected, rel=1e-9)
    assert found["page"].groups == 4


def test_identical_systems_have_no_design_effect() -> None:
    forecast = Probabilities(np.full((6, 3), 1 / 3))
    f = score_systems(
        find_metric("brier"),
        Counts(np.random.default_rng(0).multinomial(5, np.full(3, 1 / 3), size=6)),
        [forecast, forecast],
    )
    assert design_effects([f.pair(0, 1).differences], {"page": np.arange(6) // 2}) == {}


def test_a_margin_beyond_all_squares_needs_two_items() -> None:
    assert items_beside_raters(1.0, 0.1, 10, 1e308) == 2


def test_a_family_that_asks_for_certainty_still_names_a_number() -> None:
    assert items_to_see(0.1, 1.0) > items_to_see(0.1, 0.999)
    assert items_to_see(1e-320) > 10**15
    assert items_needed(1.0, 0.1, 1.0) > items_needed(1.0, 0.1, 0.999)
    assert items_beside_raters(0.01, 0.0, 100, 0.1, 1.0) is not None
