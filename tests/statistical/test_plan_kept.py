"""A plan is kept: studies of the recommended size are decided as often as promised."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.ratings_alone import ALONE, read_table, table_power
from quorate._random import generator
from quorate.data.answers import Systems, read_systems
from quorate.data.ratings import Ratings
from quorate.data.read_ratings import read_ratings
from quorate.data.summaries import Counts, Values
from quorate.inference.procedures import Terms, find_procedure
from quorate.inference.scored_systems import score_systems
from quorate.metrics import find_metric
from quorate.planning.laws.set_scores import simulated_power
from quorate.planning.result import Planned
from quorate.planning.scenario import Scenario
from quorate.planning.sources.pilot import _sub_panel
from quorate.planning.verb import plan
from quorate.populations.choice import find_preset
from quorate.populations.population import Answers
from tests.studies import pick

Z, STATED = 5.0, 0.003

EVERY: list[tuple[str, str, Answers]] = [
    ("dices", "agreement", 1),
    ("dices", "total_variation", 5),
    ("toxicity", "brier", "probabilities"),
    ("toxicity", "total_variation", 1),
    ("unbalanced-5", "agreement", 5),
    ("unbalanced-5", "brier", "probabilities"),
]
CELLS = pick([cell for cell in EVERY if cell[2] != "probabilities"], EVERY)
PILOTS = [("framing", ("gpt-4o", "gemini_flash")), ("lesion", ("gemini_pro", "gpt-4o-mini"))]


def kept(found: Planned, power: float, studies: int) -> bool:
    """Whether a rejection rate lies within 5 errors of the promised power."""
    promised = found.best.power
    error = np.hypot(np.sqrt(promised * (1 - promised) / studies), found.best.power_error)
    return bool(abs(power - promised) <= Z * error + STATED)


def rejection_rate(preset: str, metric: str, answers: Answers, effect: float, found: Planned, studies: int) -> float:
    setting = Scenario(find_preset(preset).population, find_metric(metric), effect, answers=answers, seed=77)
    return simulated_power(setting, found.best.n_items, found.best.n_raters, 0.95, studies=studies)[0]


@pytest.mark.parametrize(("preset", "metric", "answers"), CELLS)
def test_simulated_studies_keep_the_plan(preset: str, metric: str, answers: Answers) -> None:
    found = plan(preset, metric=metric, effect=0.5, answers=answers, raters=(1, 2))
    assert found.best.power >= 0.8
    assert kept(found, rejection_rate(preset, metric, answers, 0.5, found, 400), 400)


def test_a_plan_for_another_difference_is_not_kept() -> None:
    found = plan("dices", difference=0.08)
    effect = plan("dices", difference=0.05, items=(100,), raters=(1,)).effect
    assert effect is not None
    assert not kept(found, rejection_rate("dices", "agreement", 1, effect, found, 1000), 1000)


def replayed(found: Planned, ratings: Ratings, systems: Systems, names: tuple[str, str], studies: int) -> float:
    """Draw items from the pilot, then raters of each item without replacement, and run the default test on each."""
    rng = generator(3, "kept pilots")
    raters, (a, b) = ratings.summary, (systems.answers[name].summary for name in names)
    n, k = found.best.n_items, found.best.n_raters
    item = rng.integers(0, len(raters.size), (studies, n))
    panels = _sub_panel(raters.take(item.reshape(-1)), k, rng).take(np.arange(item.size).reshape(item.shape))
    match = score_systems(find_metric(found.metric), panels, [a.take(item), b.take(item)]).pair(0, 1)
    return float((find_procedure("default").run(match, Terms(rng)).low > 0).mean())


def pilot_plan(
    shared: Path, name: str, names: tuple[str, str], k: int, factor: float = 1.0
) -> tuple[Planned, Ratings, Systems]:
    """Plan for the difference the pilot showed, or a multiple of it."""
    ratings = read_ratings(shared / name / "annotations.csv")
    answers = next((shared / name).glob("predictions.csv*"))
    pilot = read_systems(answers, ratings)
    ratings, systems = pilot
    scores = plan(pilot=pilot, systems=names, difference=0.1, items=(50,), raters=(1,), unit="items")
    metric = find_metric(scores.metric)
    match = score_systems(metric, ratings.summary, [systems.answers[x].summary for x in names]).pair(0, 1)
    observed = float(match.differences.mean())
    assert observed > 0, "name the better system first"
    assert isinstance(ratings.summary, Counts | Values)
    found = plan(pilot=pilot, systems=names, difference=factor * observed, raters=(k,), unit="items")
    return found, ratings, systems


@pytest.mark.parametrize(("name", "names"), PILOTS)
@pytest.mark.parametrize("k", pick([3], [1, 3]))
def test_studies_drawn_from_a_pilot_keep_its_plan(name: str, names: tuple[str, str], k: int, shared: Path) -> None:
    found, ratings, systems = pilot_plan(shared, name, names, k)
    assert kept(found, replayed(found, ratings, systems, names, 300), 300)


def test_a_pilot_plan_for_twice_the_difference_is_not_kept(shared: Path) -> None:
    name, names = PILOTS[0]
    found, ratings, systems = pilot_plan(shared, name, names, 3, factor=2.0)
    assert not kept(found, replayed(found, ratings, systems, names, 300), 300)


@pytest.mark.parametrize(("unit", "holds"), [("auto", True), ("items", False)])
def test_studies_drawn_from_a_table_keep_the_plan_from_its_ratings(unit: str, holds: bool, shared: Path) -> None:
    metric, difference = ALONE["framing"]
    path = shared / "framing" / "annotations.csv"
    found = plan(from_ratings=str(path), metric=metric, difference=difference, raters=(1,), unit=unit)
    table, studies = read_table(path, metric).with_others(1), pick(400, 2000)
    got, shares = table_power(table, found.best, table.people, difference, studies, np.random.default_rng(5))
    assert shares > table.people - 0.1, "the work is shared evenly"
    assert kept(found, got, studies) is holds
