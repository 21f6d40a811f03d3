"""Every engine × every world in one table: power, expected p and spread beside whole studies, answer by answer.

The engines: the exact law, the simulated law, drawn small studies, the expansion for large ones, studies as counts of
kinds, and the laws of raters who come back. The reference draws whole studies from the population and runs the default
test on each. Tolerances are five Monte-Carlo errors of both sides, and beyond few items the 0.003 the expansion states.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest

from quorate import audit
from quorate._random import generator
from quorate._typing import Array
from quorate.data.inputs import example_path
from quorate.data.read_ratings import read_ratings
from quorate.inference.outcome import shares_at_least
from quorate.inference.uncertain_variance import Part, UncertainVariance
from quorate.metrics import find_metric
from quorate.planning.laws.draws import differences
from quorate.planning.laws.item_law import ItemLaw, Law
from quorate.planning.laws.rater_law import crossed_law
from quorate.planning.laws.set_scores import enumerated_kinds, kinds_power, simulated_power
from quorate.planning.laws.study_law import StudyLaw, passing
from quorate.planning.promises.small_studies import StudyDraws, law_atoms, lost_chances, small_studies
from quorate.planning.question import PlanQuestion
from quorate.planning.scenario import Scenario, draw_study
from quorate.planning.sources.population import Engine, item_law
from quorate.planning.sources.returning_raters import leaning_law
from quorate.populations.choice import find_preset
from quorate.populations.dirichlet import DirichletPopulation
from quorate.populations.resampled import resampled
from quorate.populations.shared_raters import SharedRaters
from tests.studies import pick

Z, STATED = 5.0, 0.003
SMALL, LARGE = 24, 700
"""Items of a study that is drawn, and of one that is expanded."""
STUDIES = {SMALL: 1000, LARGE: 200}
"""Whole studies; tests/slow has the same cells with more."""
FEW_STUDIES = 80
"""Whole studies of a set score, each judged by swaps."""
DRAWS = StudyDraws(3)
NOMINAL, ORDINAL = DirichletPopulation((2.0, 0.8, 1.3)), DirichletPopulation((2.0, 0.8, 1.3), levels=(0.0, 0.5, 1.0))
BINARY = DirichletPopulation((1.2, 0.8))
TABLE = read_ratings(example_path("summaries"))

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
    "items of a table": (Scenario(resampled(TABLE, "items"), find_metric("mae"), 0.1), 3),
    "items and raters of a table": (Scenario(resampled(TABLE, "raters-within-items"), find_metric("crps"), 0.1), 2),
    "f1": (Scenario(BINARY, find_metric("f1", positive=1), 0.5), 1),
    "recall, three raters": (Scenario(BINARY, find_metric("recall", positive=1), 0.7), 3),
}
SETS = ("f1", "recall, three raters")
QUICK = ("agreement", "wins", "probabilities", "normal, mae", "f1")
"""Worlds of the default tests: exact and simulated, counts and measurements, and a score of a whole set."""
TRIED = pick(QUICK, tuple(WORLDS))
EXACT = ("agreement", "accuracy of both perturbed", "total variation", "kl as published", "wins", "levels, crps",
         "levels, emd", *SETS)  # fmt: skip
CELLS = [
    (world, engine, n)
    for engine, worlds in (("simulated", tuple(WORLDS)), ("auto", EXACT))
    for world in worlds
    for n in ((LARGE,) if world in SETS else (SMALL, LARGE))  # few items of a set score are never told by a law
]


@cache
def law_of(world: str, engine: Engine) -> ItemLaw:
    scenario, k = WORLDS[world]
    return item_law(scenario, k, target=0.005, engine=engine)


@cache
def brute_power(world: str, n: int, studies: int) -> tuple[float, float]:
    scenario, k = WORLDS[world]
    power, _, _ = simulated_power(replace(scenario, seed=9), n, k, 0.95, studies=studies)
    return power, float(np.sqrt(max(power * (1 - power), 1 / studies) / studies))


@cache
def brute_means(world: str, n: int, studies: int, *, null: bool) -> Array:
    """Differences of whole studies in one world, ``(study,)``."""
    scenario, k = WORLDS[world]
    study = draw_study(scenario, (studies, n), k, null=null, rng=generator(9, "brute means", world, n, int(null)))
    return np.asarray(differences(scenario.metric, study).mean(-1))


def brute_p(world: str, n: int, studies: int) -> tuple[float, float]:
    """Return P(null ≥ alternative) over all pairs of studies, and its error from both sides."""
    alternative, null = (brute_means(world, n, studies, null=null) for null in (False, True))
    extreme, reached = shares_at_least(alternative, null), shares_at_least(-null, -alternative)
    return float(extreme.mean()), float(np.sqrt((extreme.var() + reached.var() + 1 / studies) / studies))


def agrees(law: Law, power: tuple[float, float], n: int) -> bool:
    promise = law.promise(n, 0.95, studies=DRAWS)
    error = float(np.hypot(promise.power_error, power[1]))
    return abs(promise.power - power[0]) <= Z * error + STATED * (n == LARGE)


LONG = ("recall, three raters", "simulated", LARGE)
"""Simulated as slowly as this cell is, it is left to the long tests."""


def studies_of(world: str, n: int) -> int:
    return FEW_STUDIES if world == LONG[0] else STUDIES[n]


@pytest.mark.parametrize(("world", "engine", "n"), [cell for cell in CELLS if cell != LONG and cell[0] in TRIED])
def test_power_and_p_are_those_of_whole_studies(world: str, engine: Engine, n: int) -> None:
    check_cell(world, engine, n, studies_of(world, n))


def check_cell(world: str, engine: Engine, n: int, studies: int) -> None:
    """Hold power and expected p of an engine against so many whole studies."""
    law = law_of(world, engine)
    assert (law.draws == 0) == (engine == "auto")
    assert agrees(law, brute_power(world, n, studies), n)
    p, error = law.expected_p(n, studies=DRAWS)
    brute, brute_error = brute_p(world, n, studies)
    assert abs(p - brute) <= Z * np.hypot(error, brute_error) + STATED * (n == LARGE)


@pytest.mark.parametrize("world", [world for world in EXACT if world in TRIED])
def test_the_simulated_law_has_the_moments_of_the_exact_one(world: str) -> None:
    exact, drawn = law_of(world, "auto"), law_of(world, "simulated")
    tilting = 1e-9 * (abs(exact.mean) + exact.sd)  # to which tilted weights meet an exact mean
    assert abs(drawn.mean - exact.mean) <= Z * drawn.mean_error + tilting
    of_one = exact.sd * np.sqrt((exact.kurtosis + 2) / (4 * drawn.draws))  # error of a sample sd
    assert abs(drawn.sd - exact.sd) <= Z * of_one
    fourth = float(np.asarray(exact.null_values) ** 4 @ np.asarray(exact.null_weights)) / exact.null_sd**4
    assert abs(drawn.null_sd / exact.null_sd - 1) <= Z * np.sqrt((fourth - 1) / (4 * drawn.draws))


@pytest.mark.parametrize("world", TRIED)
def test_drawn_studies_and_the_expansion_meet(world: str) -> None:
    """Just beyond few items, where the law goes over from drawing to moments, both say the same."""
    law = law_of(world, "simulated")
    n = law.few + 1
    items = law_atoms(law.values, law.weights)
    drawn = small_studies(items, None, [n], 0.95, None, DRAWS, reach=1.0)[0]
    better = drawn.better - lost_chances(items, n, 0.95, None, 1.0, DRAWS)[0]
    power = law.chances(n, 0.95, studies=DRAWS)[0]
    assert abs(power - better) <= STATED + Z * drawn.error


@pytest.mark.parametrize("world", [world for world in SETS if world in TRIED])
def test_studies_as_counts_of_kinds_are_whole_studies(world: str) -> None:
    scenario, k = WORLDS[world]
    brute, brute_error = brute_power(world, LARGE, studies_of(world, LARGE))

    def gap(effect: float) -> float:
        """How many Monte-Carlo errors the powers lie apart."""
        kinds = enumerated_kinds(replace(scenario, effect=effect), k)
        assert kinds is not None
        power, error, _ = kinds_power(kinds, LARGE, 0.95, 0.0, rng=generator(9, "kinds", world))
        return abs(power - brute) / float(np.hypot(error, brute_error))

    assert gap(scenario.effect) <= Z
    assert gap(scenario.effect / 2) > Z  # negative control


@dataclass(frozen=True)
class Returning:
    """A world whose raters come back: its law, its studies, and what a law of new raters would promise."""

    law: StudyLaw
    scenario: Scenario
    n_items: int
    n_raters: int
    new_raters_se: float
    uneven: float = 0.0
    """Relative error of the standard error from a load that is not as even as the law takes it."""


def resampled_table() -> Returning:
    scenario = Scenario(resampled(TABLE, "items+raters"), find_metric("mae"), 0.6, answers="raters", seed=2)
    anew = replace(scenario, population=resampled(TABLE, "raters-within-items"))
    law = crossed_law(scenario, 3, target=0.001)
    return Returning(law, scenario, 60, 3, item_law(anew, 3, target=0.01).standard_error(60))


def shared_raters() -> Returning:
    n, k, pool, shift = 240, 3, 12, 0.3
    population = SharedRaters(lean=0.5, pool=pool)
    question = PlanQuestion(preset="shared-raters", effect=shift, pool=pool)
    law = replace(leaning_law(population, shift, question), n_raters=k)
    item, rater, rest = law.parts.amounts
    new_raters_se = float(np.sqrt((item + (rater + rest) / k) / n))
    # Seats are drawn: of its NK/R items a rater has about so much more or less, which adds its square to 1/R.
    uneven = (1 - k / pool) / (n * k / pool)
    return Returning(law, Scenario(population, find_metric("agreement"), shift), n, k, new_raters_se, uneven)


@pytest.mark.parametrize("world", pick([shared_raters], [resampled_table, shared_raters]))
def test_raters_who_come_back_spread_as_in_whole_studies(world: Callable[[], Returning]) -> None:
    """The law has the mean and the spread of whole studies; a law of new raters has not."""
    at, studies = world(), 2000
    rng = generator(9, "brute returning", world.__name__)
    study = draw_study(at.scenario, (studies, at.n_items), at.n_raters, rng=rng)
    gamma = differences(at.scenario.metric, study).mean(-1)
    pivot, sd = at.law.pivot(at.n_items), gamma.std(ddof=1)
    tolerance = Z * np.hypot(pivot.se_error, np.sqrt(0.5 / studies)) + at.uneven
    assert abs(pivot.mean - gamma.mean()) <= Z * np.hypot(pivot.mean_error, sd / np.sqrt(studies))
    assert abs(pivot.se / sd - 1) <= tolerance
    assert abs(at.new_raters_se / sd - 1) > tolerance  # negative control


def test_shared_raters_see_what_whole_studies_see() -> None:
    at, studies = shared_raters(), 1000
    row = audit(
        SharedRaters(lean=0.5, pool=12), items=at.n_items, raters=at.n_raters, effect=0.3, metric="agreement",
        replicates=studies, seed=9,
    ).rows[0]  # fmt: skip
    assert row.unit == "items+raters"
    error = np.sqrt(row.rejection_rate * (1 - row.rejection_rate) / studies)
    power = passing(at.law.pivot(at.n_items), 0.0, 0.95)
    assert abs(power - row.rejection_rate) <= Z * error
    new = replace(
        at.law.pivot(at.n_items),
        se=at.new_raters_se,
        variance=UncertainVariance(Part(np.array([at.new_raters_se**2]), 1e6)),
    )
    assert abs(passing(new, 0.0, 0.95) - row.rejection_rate) > Z * error  # negative control


@pytest.mark.parametrize(
    "world", pick(["agreement"], ["agreement", "normal, mae", "items of a table", "items and raters of a table", *SETS])
)
def test_the_law_of_another_effect_is_noticed(world: str) -> None:
    """Negative control: half the effect would be told apart by the same tolerance."""
    scenario, k = WORLDS[world]
    other = item_law(replace(scenario, effect=scenario.effect / 2), k, target=0.005)
    assert agrees(law_of(world, "simulated"), brute_power(world, LARGE, studies_of(world, LARGE)), LARGE)
    assert not agrees(other, brute_power(world, LARGE, studies_of(world, LARGE)), LARGE)
