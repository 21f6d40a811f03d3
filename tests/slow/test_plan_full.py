"""The planner's engines on 200 random settings, and every cell of "a plan is kept", with 1000 studies each."""

from pathlib import Path

import pytest

from quorate.planning.verb import plan
from quorate.populations.population import Answers
from tests.statistical.test_plan_engines import disagreement, random_point
from tests.statistical.test_plan_kept import PILOTS, kept, pilot_plan, rejection_rate, replayed

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("number", range(200))
def test_engines_agree(number: int) -> None:
    assert disagreement(random_point(number), work=8_000_000, target=0.005) <= 1


@pytest.mark.parametrize("preset", ["dices", "toxicity", "unbalanced-5"])
@pytest.mark.parametrize("metric", ["agreement", "total_variation"])
@pytest.mark.parametrize("answers", [1, 5, "probabilities"])
def test_plans_are_kept(preset: str, metric: str, answers: Answers) -> None:
    found = plan(preset, metric=metric, effect=0.4, answers=answers)
    assert kept(found, rejection_rate(preset, metric, answers, 0.4, found, 1000), 1000)


@pytest.mark.parametrize(("name", "names"), PILOTS)
@pytest.mark.parametrize("k", [1, 2, 3])
def test_plans_from_pilots_are_kept(name: str, names: tuple[str, str], k: int, shared: Path) -> None:
    found, ratings, systems = pilot_plan(shared, name, names, k)
    assert kept(found, replayed(found, ratings, systems, names, 1000), 1000)
