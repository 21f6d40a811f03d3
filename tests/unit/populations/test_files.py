"""Population files: what is written can be read, and what cannot be understood is refused with one sentence."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quorate import InputError
from quorate.populations.choice import all_presets, find_preset
from quorate.populations.files import coded_ratings, population_from_dict, read_population, warned
from quorate.populations.resampled import EmpiricalPopulation
from tests.draws import counts_of

TABLE = coded_ratings(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]), np.array([0, 1, 0, 1]), ("no", "yes"), (0.0, 1.0))


@pytest.mark.parametrize("name", all_presets())
def test_every_preset_survives_a_file(name: str, tmp_path: Path) -> None:
    population = all_presets()[name].population
    (tmp_path / "p.json").write_text(json.dumps(population.to_dict()))
    assert read_population(tmp_path / "p.json") == (population, ())


def test_what_a_fit_warned_of_stands_beside_its_population(tmp_path: Path) -> None:
    population = all_presets()["dices"].population
    (tmp_path / "p.json").write_text(json.dumps({"population": population.to_dict(), "warnings": ["It does not fit."]}))
    assert read_population(tmp_path / "p.json") == (population, ("It does not fit.",))
    assert warned({"population": {}, "warnings": "no list"}) == warned({"warnings": [1]}) == ()


def test_an_empirical_population_survives_a_file(tmp_path: Path) -> None:
    population = EmpiricalPopulation(TABLE, "items+raters")
    (tmp_path / "p.json").write_text(json.dumps({"population": population.to_dict()}))
    again, _ = read_population(tmp_path / "p.json")
    assert again.to_dict() == population.to_dict()
    sizes: dict[str, Any] = {"n_replicates": 2, "n_items": 3, "n_raters": 2}
    first, second = (counts_of(p.draw(**sizes, rng=np.random.default_rng(0)).raters) for p in (population, again))
    np.testing.assert_array_equal(first, second)


NORMAL = {
    "kind": "normal",
    "means": {"family": "uniform", "low": 0, "high": 1},
    "sds": {"family": "uniform", "low": 0, "high": 1},
}


@pytest.mark.parametrize(
    ("data", "word"),
    [
        ({"kind": "dirichlet", "alpha": [1, 2], "colour": 1}, "a dirichlet population has no 'colour'"),
        ({"kind": "dirichlet"}, "a dirichlet population needs 'alpha'"),
        ({"kind": "dirichlet", "alpha": 3}, "alpha must be a list, not 3"),
        ({"kind": "dirichlet", "alpha": [1, "x"]}, "alpha must hold numbers, not 'x'"),
        ({"kind": "dirichlet", "alpha": [1, True]}, "alpha must hold numbers, not True"),
        ({"kind": "dirichlet", "alpha": [1, 0]}, "positive number, not 0"),
        ({"kind": "gamma"}, "needs a kind, one of dirichlet, .*, shared-raters, side-by-side, not 'gamma'"),
        ({}, "needs a kind"),
        ({**NORMAL, "shape": 2}, "a normal population has no 'shape'"),
        ({**NORMAL, "means": {"family": "cauchy"}}, "means needs a family, one of uniform"),
        ({**NORMAL, "means": {"family": "uniform", "low": 0}}, "a uniform family needs 'high'"),
        ({**NORMAL, "means": {"family": "uniform", "low": 0, "high": 1, "mid": 2}}, "a uniform family has no 'mid'"),
        ({**NORMAL, "mean_bounds": [0, 1, 2]}, "mean_bounds must be two numbers"),
        ({**NORMAL, "means": {"family": "truncated-normal", "mean": 0, "sd": 0.01, "low": 5, "high": 6}}, "impossible"),
        ({"kind": "empirical", "unit": "items", "categories": ["a"], "item": [0], "response": [2]}, "between 0 and 0"),
        ({"kind": "empirical", "unit": "items", "categories": ["a"], "item": [1], "response": [0]}, "every item code"),
        ({"kind": "empirical", "unit": "x", "categories": ["a"], "item": [0], "response": [0]}, "'x' is not a unit"),
        ({"kind": "empirical", "unit": "items", "categories": ["a"], "item": [-1], "response": [0]}, "codes, whole"),
    ],
)
def test_files_that_make_no_sense_are_refused(data: dict[str, Any], word: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=word):
        population_from_dict(data)
    (tmp_path / "p.json").write_text(json.dumps(data))
    with pytest.raises(InputError, match=r"p\.json: "):
        read_population(tmp_path / "p.json")


def test_files_that_hold_no_population_are_refused(tmp_path: Path) -> None:
    (tmp_path / "list.json").write_text("[1, 2]")
    (tmp_path / "text.json").write_text("alpha: 1, 2")
    with pytest.raises(InputError, match="holds no population"):
        read_population(tmp_path / "list.json")
    with pytest.raises(InputError, match="cannot be read as JSON"):
        read_population(tmp_path / "text.json")
    with pytest.raises(InputError, match="There is no file"):
        read_population(tmp_path / "none.json")


def alpha(preset: str) -> Sequence[float]:
    population = find_preset(preset).population.enumerable
    assert population is not None
    return population.alpha


def test_the_presets_of_the_contract_are_there() -> None:
    sizes = (2, 3, 4, 5, 12)
    expected = {"toxicity", "dices", "d3code", "jobsq1", "jobsq3", "uniform-normal", "toxicity-likert", "multidomain"}
    expected |= {f"{word}-{m}" for word in ("balanced", "unbalanced") for m in sizes}
    assert expected <= set(all_presets())
    assert alpha("unbalanced-4") == (10.0, 3.0, 3.0, 3.0)
    assert alpha("balanced-12") == (3.0,) * 12
    assert all(preset.citation and preset.description for preset in all_presets().values())
    assert sum(alpha("jobsq1")) == pytest.approx(1469.88)  # as printed, digit by digit
    assert sum(alpha("jobsq3")) == pytest.approx(13385.63)
