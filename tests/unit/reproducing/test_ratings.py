"""Statements of [ratings] judged on curves made by hand, and the cells of each kind of part."""

import numpy as np
import pytest
from scipy.stats import norm

from quorate.planning.laws.item_law import ItemLaw
from quorate.reproducing import ratings
from quorate.reproducing.question import ReproduceQuestion


def law(mean: float) -> ItemLaw:
    """Differences of mean ``mean`` and sd 1, against a null of ±1."""
    return ItemLaw(
        np.array([mean - 1.0, mean + 1.0]), np.array([0.5, 0.5]), np.array([-1.0, 1.0]), np.array([0.5, 0.5])
    )


def curves(*means: float) -> ratings.RatersCurves:
    """MAE at 1, 5, 25 and 100 raters."""
    laws = {("MAE", k): law(mean) for k, mean in zip(ratings.RISING, means, strict=True)}
    return ratings.RatersCurves(laws, seed=0)


def test_a_trend_falls_only_if_every_step_does() -> None:
    # N = 2500 // K items: Γ has sd 1/√N in both worlds, so z = mean √(N / 2) decides p.
    assert curves(0.01, 0.05, 0.2, 0.6).falls("MAE")
    assert not curves(0.01, 0.05, 0.2, 0.2).falls("MAE")
    assert curves(0.2, 0.2, 0.2, 0.2).falls("MAE", raters=ratings.RISING[::-1])


def test_p_is_told_for_each_number_of_raters() -> None:
    found = curves(0.01, 0.05, 0.2, 0.6)
    values = [f"{found.p('MAE', k, 2500):.3f}" for k in (1, 25)]
    assert found.in_words("MAE", raters=(1, 25)) == f"MAE at NK = 2500, K = 1, 25: p = {', '.join(values)}"
    assert found.point("MAE", 25, 100)[0] == found.p("MAE", 25, 2500)


def test_the_normal_limit_of_p() -> None:
    # Γ_alt − Γ_null is normal in the limit with mean 0.02 and variance 2 / N; sums move in steps of 2, that is
    # 2 / sqrt(2 N) in z, and a tie counts as extreme: p is off by at most φ(0) times one step.
    n = 2500
    z, step = 0.02 * np.sqrt(n / 2), 2 / np.sqrt(2 * n)
    assert curves(0.02, 0.05, 0.2, 0.6).p("MAE", 1, n) == pytest.approx(norm.sf(z), abs=0.4 * step)


def test_quick_parts_are_some_of_the_full_ones() -> None:
    assert set(ratings.parts(ReproduceQuestion(quick=True))) < set(ratings.parts(ReproduceQuestion()))


def test_a_world_gives_claims_points_and_the_raters_needed() -> None:
    world = ratings.WORLDS["p against raters, simulated, ε = 0.05"]
    found = ratings.world_cells(world, (1, 5, 25, 100), ReproduceQuestion(quick=True))
    by_column = {cell.column: cell for cell in found}
    assert not any(cell.fails for cell in found)
    assert by_column["p rises with K: fewer responses are better"].verdict == "match"
    once = next(cell for cell in found if "answer once" in cell.row)
    assert once.verdict == "differs"  # the trend is gone, and the reason says so
    assert not once.expected
    points = [cell for cell in found if cell.column == "p, no printed value"]
    assert {cell.published for cell in points} == {None}
    assert {cell.verdict for cell in points} == {"not reproducible"}
    assert len(points) == 4 * (5 + 2)  # raters × (budgets of MAE + metrics at 2500)


def test_power_has_the_error_rate_beside_it() -> None:
    found = ratings.power_cells(40, 3, studies=40, seed=0)
    rates = {(cell.row.split(", ")[1], cell.column): cell.ours for cell in found if cell.published is None}
    tests = [*ratings.CLASSIC, ratings.RESAMPLED, ratings.SIMULATED]
    assert set(rates) == {(test, column) for test in tests for column in ("power", "type-I error")}
    assert all(rate is not None and 0 <= rate <= 1 for rate in rates.values())
    claims = [cell for cell in found if cell.published is not None]
    assert [cell.expected for cell in claims] == [True, False]
    assert all("type-I error" in cell.reason for cell in claims)
