"""Components of leaning raters and of a pool against independent references, and what cannot be asked of them."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from quorate._errors import InputError
from quorate.metrics import find_metric
from quorate.planning.question import PlanQuestion
from quorate.planning.scenario import Scenario
from quorate.planning.sources.returning_raters import leaning_law, shift_for, split_spread
from quorate.planning.verb import plan
from quorate.populations.dirichlet import DirichletPopulation
from quorate.populations.shared_raters import SharedRaters


@pytest.mark.parametrize(("lean", "item", "shift"), [(0.3, 1.0, 0.0), (0.5, 0.7, 0.4), (1.5, 0.2, -0.3)])
def test_components_are_orthants_of_a_bivariate_normal(lean: float, item: float, shift: float) -> None:
    # Two answers on one item share its part: P(both for A) is an orthant with correlation item² / (1 + item² + lean²),
    # and E[d d'] = 4 P(both) − 4 P(one) + 1. Less mean², that is the item's component; raters alike.
    world = SharedRaters(lean=lean, item=item)
    model = leaning_law(world, shift, PlanQuestion(world, difference=0.1, pool=5))
    total = 1 + item**2 + lean**2
    one = stats.norm.cdf(shift / np.sqrt(total))
    for part, sd in ((model.parts.item, item), (model.parts.rater, lean)):
        rho = sd**2 / total
        both = stats.multivariate_normal(cov=[[1, rho], [rho, 1]]).cdf(np.full(2, shift / np.sqrt(total)))
        assert part == pytest.approx(4 * both - 4 * one + 1 - (2 * one - 1) ** 2, abs=1e-6)
    assert model.mean == pytest.approx(2 * one - 1)
    assert sum(model.parts.amounts) == pytest.approx(1 - model.mean**2)


def test_raters_and_items_alike_leave_only_noise() -> None:
    alike = SharedRaters(lean=0.0, item=0.0)
    model = leaning_law(alike, 0.0, PlanQuestion(alike, pool=6, difference=0.1))
    assert model.parts.amounts == pytest.approx((0, 0, 1))


def test_the_spread_among_raters_is_split_by_their_share() -> None:
    scenario = Scenario(DirichletPopulation((5.22, 0.86, 2.75)), find_metric("agreement"), effect=0.3)
    parts = split_spread(scenario, PlanQuestion("dices", effect=0.3, pool=10, rater_share=0.1)).parts
    assert parts.rater_share == pytest.approx(0.1)


def test_the_shift_makes_the_difference() -> None:
    world = SharedRaters(lean=0.6, item=0.4)
    question = PlanQuestion(world, difference=0.1, pool=4)
    for difference in (0.0, 0.05, 0.5):
        assert leaning_law(world, shift_for(world, difference), question).mean == pytest.approx(difference)


def test_the_population_may_bring_its_pool() -> None:
    world = SharedRaters(lean=0.3, pool=12)
    assert leaning_law(world, 0.1, PlanQuestion(world, difference=0.1)).pool == 12
    found = plan(world, difference=0.3, raters=(2,))
    assert found.people is not None
    assert found.people.pool == 12
    assert found.effect == pytest.approx(shift_for(world, 0.3))


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        ({"difference": 0.1}, "needs --pool"),
        ({"difference": 0.1, "pool": 5, "rater_share": 0.1}, "has no meaning"),
        ({"difference": 1.5, "pool": 5}, "out of reach"),
        ({"pool": 5}, "Say what must be seen"),
        ({"difference": 0.1, "pool": 5, "metric": "kl"}, "planned by agreement"),
        ({"difference": 0.1, "pool": 5, "score": 0.5}, "--score has no meaning"),
    ],
)
def test_what_cannot_be_asked(ask: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        plan("shared-raters", **ask)
    with pytest.raises(InputError, match="evenly"):
        plan(SharedRaters(load="unequal"), difference=0.1, pool=5)
