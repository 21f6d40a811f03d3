"""Every engine × every world in one table: power, expected p and spread beside whole studies, answer by answer.

The engines: the exact law, the simulated law, drawn small studies, the expansion for large ones. The reference draws
whole studies from the population and runs the default test on each. Tolerances are five Monte-Carlo errors of both
sides, and beyond few items the 0.003 the expansion states.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from quorate._random import generator
from quorate._typing import Array
from quorate.data.inputs import example_path
from quorate.data.read_ratings import read_ratings
from quorate.inference.outcome import shares_at_least
from quorate.metrics import find_metric
from quorate.planning.laws.draws import differences
from quorate.planning.laws.item_law import ItemLaw, Law
from quorate.planning.laws.rater_law import crossed_law
from quorate.planning.laws.set_scores import simulated_power
from quorate.planning.promises.small_studies import StudyDraws, small_studies
from quorate.planning.scenario import Scenario, draw_study
from quorate.planning.sources.population import Engine, item_law
from quorate.populations.choice import find_preset
from quorate.populations.dirichlet import DirichletPopulation
from quorate.populations.resampled import resampled

Z, STATED = 5.0, 0.003
SMALL, LARGE = 24, 700
"""Items of a study that is drawn, and of one that is expanded."""
STUDIES = {SMALL: 4000, LARGE: 400}
DRAWS = StudyDraws(3)
NOMINAL, ORDINAL = DirichletPopulation((2.0, 0.8, 1.3)), DirichletPopulation((2.0, 0.8, 1.3), levels=(0.0, 0.5, 1.0))

WORLDS: dict[str, tuple[Scenario, int]] = {
    "agreement": (Scenario(NOMINAL, find_metric("agreement"), 0.4), 3),
    "accuracy of both perturbed": (Scenario(NOMINAL, find_metric("accuracy"), 0.7, effect_a=0.1, answers=2), 2),
    "total variation": (Scenario(NOMINAL, find_metric("total_variation"), 0.4, answers=2), 3),
    "kl as published": (Scenario(NOMINAL, find_metric("kl", variant="paper"), 0.5, answers="raters"), 3),
    "wins": (Scenario(NOMINAL, find_metric("wins:kl"), 0.5, answers=2), 2),
    "probabilities": (Scenario(NOMINAL, find_metric("brier"), 0.3, answers="probabilities"), 2),
    "levels, crps": (Scenario(ORDINAL, find_metric("crps"), 0.5, answers=2), 2),
    "levels, emd": (Scenario(ORDINAL, find_metric("emd"), 0.5), 3),
    "likert, mae": (Scenario(find_preset("toxicity-likert").population, find_metric("mae"), 0.4), 2),
    "normal, mae": (Scenario(find_preset("uniform-normal").population, find_metric("mae"), 0.15), 3),
    "normal, wins": (Scenario(find_preset("uniform-normal").population, find_metric("wins:mae"), 0.2), 2),
}
EXACT = ("agreement", "accuracy of both perturbed", "total variation", "kl as published", "wins", "levels, crps",
         "levels, emd")  # fmt: skip
CELLS = [(world, "simulated") for world in WORLDS] + [(world, "auto") for world in EXACT]


@cache
def law_of(world: str, engine: Engine) -> ItemLaw:
    scenario, k = WORLDS[world]
    return item_law(scenario, k, target=0.005, engine=engine)


@cache
def brute_power(world: str, n: int) -> tuple[float, float]:
    scenario, k = WORLDS[world]
    power, _, _ = simulated_power(replace(scenario, seed=9), n, k, 0.95, studies=STUDIES[n])
    return power, float(np.sqrt(max(power * (1 - power), 1 / STUDIES[n]) / STUDIES[n]))


@cache
def brute_means(world: str, n: int, *, null: bool) -> Array:
    """Differences of whole studies in one world, ``(study,)``."""
    scenario, k = WORLDS[world]
    study = draw_study(scenario, (STUDIES[n], n), k, null=null, rng=generator(9, "brute means", world, n, int(null)))
    return np.asarray(differences(scenario.metric, study).mean(-1))


def brute_p(world: str, n: int) -> tuple[float, float]:
    """Return P(null ≥ alternative) over all pairs of studies, and its error from both sides."""
    alternative, null = (brute_means(world, n, null=null) for null in (False, True))
    extreme, reached = shares_at_least(alternative, null), shares_at_least(-null, -alternative)
    return float(extreme.mean()), float(np.sqrt((extreme.var() + reached.var() + 1 / STUDIES[n]) / STUDIES[n]))


def agrees(law: Law, power: tuple[float, float], n: int) -> bool:
    promise = law.promise(n, 0.95, studies=DRAWS)
    error = float(np.hypot(promise.power_error, power[1]))
    return abs(promise.power - power[0]) <= Z * error + STATED * (n == LARGE)


@pytest.mark.parametrize("n", [SMALL, LARGE])
@pytest.mark.parametrize(("world", "engine"), CELLS)
def test_power_and_p_are_those_of_whole_studies(world: str, engine: Engine, n: int) -> None:
    law = law_of(world, engine)
    assert (law.draws == 0) == (engine == "auto")
    assert agrees(law, brute_power(world, n), n)
    p, error = law.expected_p(n, studies=DRAWS)
    brute, brute_error = brute_p(world, n)
    assert abs(p - brute) <= Z * np.hypot(error, brute_error) + STATED * (n == LARGE)


@pytest.mark.parametrize("world", EXACT)
def test_the_simulated_law_has_the_moments_of_the_exact_one(world: str) -> None:
    exact, drawn = law_of(world, "auto"), law_of(world, "simulated")
    tilting = 1e-9 * (abs(exact.mean) + exact.sd)  # to which tilted weights meet an exact mean
    assert abs(drawn.mean - exact.mean) <= Z * drawn.mean_error + tilting
    of_one = exact.sd * np.sqrt((exact.kurtosis + 2) / (4 * drawn.draws))  # error of a sample sd
    assert abs(drawn.sd - exact.sd) <= Z * of_one
    fourth = float(np.asarray(exact.null_values) ** 4 @ np.asarray(exact.null_weights)) / exact.null_sd**4
    assert abs(drawn.null_sd / exact.null_sd - 1) <= Z * np.sqrt((fourth - 1) / (4 * drawn.draws))


@pytest.mark.parametrize("world", WORLDS)
def test_drawn_studies_and_the_expansion_meet(world: str) -> None:
    """Just beyond few items, where the law goes over from drawing to moments, both say the same."""
    law = law_of(world, "simulated")
    n = law.few + 1
    drawn = small_studies((law.values, law.weights), None, [n], 0.95, None, DRAWS)[0]
    power = law.chances(n, 0.95, studies=DRAWS)[0]
    assert abs(power - drawn.better) <= STATED + Z * drawn.error


def test_shared_raters_of_a_resampled_table() -> None:
    """The law of a table whose raters come back has the spread of whole studies; a law of new raters has not."""
    population = resampled(read_ratings(example_path("summaries")), "items+raters")
    scenario = Scenario(population, find_metric("mae"), 0.6, answers="raters", seed=2)
    law, n, studies = crossed_law(scenario, 3, target=0.001), 60, 2000
    study = draw_study(scenario, (studies, n), 3, rng=generator(9, "brute crossed"))
    gamma = differences(scenario.metric, study).mean(-1)
    relative = np.hypot(law.pivot(n).se_error, np.sqrt(0.5 / studies))
    assert abs(law.standard_error(n) / gamma.std(ddof=1) - 1) <= Z * relative
    assert abs(law.mean - gamma.mean()) <= Z * np.hypot(law.mean_error, gamma.std() / np.sqrt(studies))
    anew = replace(scenario, population=resampled(read_ratings(example_path("summaries")), "raters-within-items"))
    other = item_law(anew, 3, target=0.01)
    assert abs(other.standard_error(n) / gamma.std(ddof=1) - 1) > Z * relative  # negative control


@pytest.mark.parametrize("world", ["agreement", "normal, mae"])
def test_the_law_of_another_effect_is_noticed(world: str) -> None:
    """Negative control: half the effect would be told apart by the same tolerance."""
    scenario, k = WORLDS[world]
    other = item_law(replace(scenario, effect=scenario.effect / 2), k, target=0.005)
    assert agrees(law_of(world, "simulated"), brute_power(world, LARGE), LARGE)
    assert not agrees(other, brute_power(world, LARGE), LARGE)
