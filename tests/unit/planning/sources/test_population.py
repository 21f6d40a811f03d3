"""Perturbations that make the difference asked for."""

import pytest

from quorate.metrics import find_metric
from quorate.planning.question import PlanQuestion
from quorate.planning.scenario import Scenario
from quorate.planning.sources.population import find_scenario, item_law, solve_effect
from quorate.populations.dirichlet import DirichletPopulation

DICES = DirichletPopulation((5.22, 0.86, 2.75))


@pytest.mark.parametrize("n_raters", [1, 4])
def test_the_effect_makes_the_difference(n_raters: int) -> None:
    scenario = Scenario(DICES, find_metric("agreement"), effect=0.0)
    effect = solve_effect(scenario, 0.0534, n_raters)
    assert effect == pytest.approx(0.3, abs=0.005)
    made = item_law(Scenario(DICES, find_metric("agreement"), effect), n_raters, target=0.01)
    assert made.mean == pytest.approx(0.0534, rel=1e-3)


def test_a_question_names_its_scenario() -> None:
    scenario = find_scenario(PlanQuestion(DICES, difference=0.03), DICES, "agreement")
    assert scenario.effect == pytest.approx(0.169, abs=0.0005)
