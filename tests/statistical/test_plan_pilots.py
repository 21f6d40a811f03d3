"""What a pilot says of its own plan, averaged over pilots, is what the plan gets: pools planned from six raters.

Pilots differ by one number here, the mean square of their raters over that of the rest, which is φ χ²₅ / 5; it is
taken at the middles of equally likely classes, so that no Monte-Carlo error is left.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from benchmarks import plan_kept
from quorate._typing import Array
from quorate.agreement.variance_parts import VarianceParts
from quorate.planning.laws.item_law import exact_law
from quorate.planning.laws.rater_law import ItemShape, RaterLaw
from quorate.planning.laws.study_law import chi_squares, passing
from quorate.planning.sources.posterior import RaterSquare, chi_square_truths
from tests.studies import pick

ITEM, REST, RATERS = 0.07, 0.4, 6
PILOTS, DRAWS, ITEMS = 16, 40, 150
LIMIT = 0.04
"""How far assurance may be from the power that plans get."""

Truths = Callable[[float, int], Array]


def now(mean_square: float, n_items: int) -> Array:
    """The raters' component given the pilot."""
    share = (RATERS - 1) / (n_items * RATERS**2)
    square = RaterSquare(share * mean_square, 0.0, share * n_items, share, RATERS - 1.0)
    alike = float(square.alike(ITEM, REST))
    return np.asarray((square.ratios(alike, np.random.default_rng(1), DRAWS) - 1) * alike / square.of_rater)


def before(mean_square: float, n_items: int) -> Array:
    """The mean square over χ², what lies below the rest's counted as none."""
    truths = mean_square * chi_square_truths(RATERS - 1.0, np.random.default_rng(1), DRAWS)
    return np.asarray(np.maximum(truths - REST, 0.0) / n_items)


def gap(ratio: float, n_items: int, truths: Truths) -> float:
    """Mean assurance less power, where raters show `ratio` times the squares they would if all were alike."""
    law = RaterLaw(0.2, VarianceParts(ITEM, REST * (ratio - 1) / n_items, REST), None, RATERS)
    said = []
    for luck in chi_squares(RATERS - 1.0, PILOTS):
        rater = truths(ratio * REST * float(luck), n_items)
        worlds = np.stack([np.full(DRAWS, ITEM), rater, np.full(DRAWS, REST)])
        said.append(law.powers(worlds, ITEMS, 0.95, 0.0).mean())
    return float(np.mean(said)) - passing(law.pivot(ITEMS), 0.0, 0.95)


@pytest.mark.parametrize(("ratio", "n_items"), [(1.0, 50), (1.0, 100), (1.5, 50), (2.0, 100), (3.0, 100)])
def test_assurance_is_the_power_that_plans_get_on_average(ratio: float, n_items: int) -> None:
    assert abs(gap(ratio, n_items, now)) <= LIMIT


def test_control_squares_over_chi_square_alone_do_not_believe_raters_who_agree() -> None:
    assert gap(1.0, 50, before) < -LIMIT


def test_lopsided_items_are_planned_as_such() -> None:
    """Systems that differ on one item in ten, twelve people, 200 items: a study finds A better more often than normal
    items would show, for where more items favour A the spread found is larger too."""
    world, studies = plan_kept.WORLDS["rare differences"], pick(4000, 10_000)
    differ, sides = world.draw(np.arange(300_000).reshape(-1, 3), 300_000, np.random.default_rng(0))
    items = exact_law((np.where(sides, 1.0, -1.0) * differ[:, None]).mean(1), np.full(100_000, 1e-5))
    normal = RaterLaw(world.difference, world.parts, None, 12, n_raters=3)
    shape = ItemShape(
        (items.skewness * items.sd**3, 0.0), (items.kurtosis * items.sd**4, 0.0), 3.0
    )  # of means of three
    law = replace(normal, shape=shape)
    got = plan_kept.power_of(world, 200, 3, 12, studies, np.random.default_rng(1))
    limit = 0.01 + 3 * np.sqrt(got * (1 - got) / studies)  # a few points of the law's own, and chance
    assert abs(passing(law.pivot(200), 0.0, 0.95) - got) < limit
    assert abs(float(law.powers(np.array(world.parts.amounts)[:, None], 200, 0.95, 0.0)[0]) - got) < limit
    assert passing(normal.pivot(200), 0.0, 0.95) < got - limit  # control: as if items were normal
