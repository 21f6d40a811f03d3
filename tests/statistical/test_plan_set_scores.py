"""Studies counted by kinds of items have the power and the width of studies drawn item by item."""

import numpy as np
import pytest

from quorate.metrics.registry import find_metric
from quorate.planning.laws.set_scores import enumerated_kinds, kinds_power, simulated_power
from quorate.planning.scenario import Scenario
from quorate.populations.dirichlet import DirichletPopulation
from tests.studies import pick

STUDIES = {"f1": 400, "precision": 400, "auc": 400, "recall": 100}
"""Few items carry a recall: its studies are judged by swaps, one by one."""


@pytest.mark.parametrize("name", pick(["f1"], list(STUDIES)))
def test_power_and_width_are_those_of_studies_drawn_item_by_item(name: str) -> None:
    world = Scenario(DirichletPopulation((5.22, 0.86, 2.75)), find_metric(name, positive=2), 0.8)
    kinds = enumerated_kinds(world, 1)
    assert kinds is not None
    power, error, width = kinds_power(kinds, 600, 0.95, 0.0, rng=np.random.default_rng(1))
    brute, brute_error, brute_width = simulated_power(world, 600, 1, 0.95, studies=STUDIES[name])
    assert error < 0.003
    assert abs(power - brute) < 5 * np.hypot(error, brute_error)
    assert width == pytest.approx(brute_width, rel=0.08 * 5 / np.sqrt(STUDIES[name]))  # 600 items vary by < 8 %
    other = kinds_power(kinds, 4800, 0.95, 0.0, rng=np.random.default_rng(1))[0]  # control: eight times the items
    assert abs(other - brute) > 5 * np.hypot(error, brute_error)
