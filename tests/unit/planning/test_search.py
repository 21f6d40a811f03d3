"""Goals, prices and the search for the fewest items."""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from quorate import plan
from quorate._errors import InputError
from quorate.agreement.variance_parts import VarianceParts
from quorate.metrics import find_metric
from quorate.planning.laws.item_law import ItemLaw, Law, exact_law
from quorate.planning.question import Goal, PlanQuestion, parse_goal
from quorate.planning.search import Search, StudySource, chance


def law_of(k: int) -> ItemLaw:
    """Between-item variance 0.04, within-item 0.36, mean 0.02: nearly normal, so that power rises with every item."""
    spread = np.array([NormalDist().inv_cdf((i + 0.5) / 201) for i in range(201)])
    sd = np.sqrt(0.04 + 0.36 / k)
    return exact_law(0.02 + sd * spread / spread.std(), np.full(201, 1 / 201))


@dataclass(frozen=True, kw_only=True)
class WrittenLaws(StudySource):
    """Laws that a test writes down."""

    laws: Callable[[int], Law]

    def law(self, n_raters: int, target: float) -> Law:
        return self.laws(n_raters)


def search(goal: str = "power=.8", laws: Callable[[int], Law] = law_of, **asked: Any) -> Search:
    question = PlanQuestion("dices", difference=0.02, goal=goal, **({"min_items": 2} | asked))
    return Search(question, WrittenLaws(metric=find_metric("agreement"), assumption="", laws=laws))


@pytest.mark.parametrize("k", [1, 3, 30])
@pytest.mark.parametrize("goal", ["power=.8", "power=.5", "width=.05", "power=.99"])
def test_the_fewest_items_meet_the_goal_and_somewhat_fewer_do_not(k: int, goal: str) -> None:
    plan = search(goal)
    n = plan.fewest_items(k)
    assert n is not None
    assert plan.met(n, k)
    assert not plan.met(n - 1, k)
    assert not plan.met(int(0.9 * n), k)


def test_the_floor_holds() -> None:
    assert search("width=.5", min_items=100).fewest_items(1000) == 100
    assert search(min_items=9000).fewest_items(1) == 9000


def test_a_margin_replaces_the_difference() -> None:
    plain, easier = search().fewest_items(1), search(margin=0.02).fewest_items(1)
    assert plain is not None
    assert easier is not None
    assert easier == pytest.approx(plain / 4, rel=0.02)  # 0.04 instead of 0.02, so a quarter of the items


def test_out_of_reach_is_none() -> None:
    nothing = exact_law(np.array([-1.0, 1.0]), np.array([0.5, 0.5]))
    assert search(laws=lambda _: nothing, min_items=30).fewest_items(1) is None


@pytest.mark.parametrize("ratio", [1.0, 5.0, 10.0, 40.0])
def test_the_cheapest_number_of_raters_is_that_of_the_formula(ratio: float) -> None:
    plan = search(item_price=ratio)
    rows = plan.cheapest(range(1, 31))
    best = min(rows, key=lambda row: row.cost)
    formula = VarianceParts(item=0.04, rater=None, residual=0.36).best_raters(ratio, 1.0)  # sqrt(ratio · 9)
    near = [row for row in rows if abs(row.n_raters - formula) <= 1]
    assert abs(best.n_raters - formula) <= 1 or min(row.cost for row in near) <= 1.01 * best.cost


def test_a_budget_buys_whole_items() -> None:
    plan = search(item_price=2.0, rating_price=0.5)
    assert [(row.n_items, row.n_raters, row.cost) for row in plan.affordable(100, (1, 4))] == [
        (40, 1, 100.0),
        (25, 4, 100.0),
    ]
    assert plan.affordable(2.4, (1, 4)) == []


def test_the_detectable_difference_is_what_is_seen_with_the_goals_power() -> None:
    plan = search()
    n = plan.fewest_items(3)
    assert n is not None
    assert plan.detectable(n, 3) == pytest.approx(0.02, rel=0.01)
    assert np.isnan(plan.detectable(1, 3))


def test_a_goal_is_read() -> None:
    assert parse_goal("--goal", "width=.05") == Goal("width", 0.05)


@pytest.mark.parametrize("text", ["power", "power=2", "power=0", "width=-1", "p=1", "fame=3", "p=x", "width=inf", ""])
def test_goals_that_are_none(text: str) -> None:
    with pytest.raises(InputError, match="not a goal"):
        parse_goal("--goal", text)


def test_power_that_is_drawn_is_a_chance() -> None:
    found = plan("dices", effect=0.3, metric="accuracy", items=3, raters=[8, 9, 10])
    assert all(0.0 <= row.power <= 1.0 for row in found.grid)
    assert [chance(x) for x in (-1e-4, 0.5, 1.0 + 1e-9)] == [0.0, 0.5, 1.0]
