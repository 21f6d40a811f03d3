"""Kinds of items: their chances and the law of one item beside plain draws item by item."""

import numpy as np
import pytest

from quorate.metrics.registry import find_metric
from quorate.planning.laws.draws import differences
from quorate.planning.laws.set_scores import enumerated_kinds, kinds_law
from quorate.planning.scenario import Scenario, draw_study
from quorate.populations.choice import find_preset
from quorate.populations.dirichlet import DirichletPopulation
from quorate.populations.population import Draw

DICES = DirichletPopulation((5.22, 0.86, 2.75))
RNG = np.random.default_rng
NAMES = ("f1", "precision", "recall", "auc")


def scenario(name: str, effect: float = 0.4) -> Scenario:
    return Scenario(DICES, find_metric(name, positive=2), effect)


def test_two_kinds_of_truth_by_hand() -> None:
    # Recall with one rater each: items the rater calls positive count, P = α₂ / Σα, and of those A hits with chance
    # E β₂² / E β₂ = (α₂ + 1) / (Σα + 1), B at ε = 1 with 1/3, the mean of its noise.
    kinds = enumerated_kinds(scenario("recall", 1.0), 1)
    assert kinds is not None
    expected = 3.75 / 9.83 - 1 / 3
    assert float(kinds.difference(kinds.chances)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n_raters", [1, 4])
def test_one_item_has_the_moments_of_drawn_ones(name: str, n_raters: int) -> None:
    world, n = scenario(name), 100_000
    kinds = enumerated_kinds(world, n_raters)
    assert kinds is not None
    law = kinds_law(kinds)
    study = draw_study(world, (1, n), n_raters, rng=RNG(0))
    d = differences(world.metric, Draw(study.raters.take(0), study.a.take(0), study.b.take(0)))
    assert abs(d.mean() - law.mean) < 5 * law.sd / np.sqrt(n)
    assert abs(d.std() / law.sd - 1) < 5 * np.sqrt((law.kurtosis + 2) / (4 * n))


def test_where_kinds_cannot_be_told() -> None:
    assert enumerated_kinds(Scenario(DICES, find_metric("agreement"), 0.4), 1) is None
    assert enumerated_kinds(Scenario(DICES, find_metric("f1", positive=0), 0.4, answers="probabilities"), 1) is None
    numbers = find_preset("uniform-normal").population
    assert enumerated_kinds(Scenario(numbers, find_metric("spearman"), 0.1), 1) is None
    assert enumerated_kinds(Scenario(DICES, find_metric("f1", positive=0), 0.4, answers=40), 40) is None
