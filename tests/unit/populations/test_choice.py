"""Naming a population: exactly one, in many ways, with everything that was read and found on the way."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quorate import InputError, read_ratings
from quorate.populations.choice import (
    PopulationChoice,
    choose,
    find_preset,
    name_population,
    parse_alpha,
    parse_answers,
)
from quorate.populations.crowds import CROWDS
from quorate.populations.dirichlet import DirichletPopulation


def test_a_population_can_be_named_in_many_ways(tmp_path: Path) -> None:
    expected = find_preset("dices").population
    path = tmp_path / "p.json"
    path.write_text(json.dumps(expected.to_dict()))
    for named in (expected, "dices", "DICES", path, str(path), expected.to_dict(), {"population": expected.to_dict()}):
        assert name_population(named).population == expected
        assert choose(PopulationChoice(named)).population == expected
    assert name_population("5.22,0.86,2.75").population == DirichletPopulation((5.22, 0.86, 2.75))


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({}, "or one population with one of --preset"),
        ({"preset": "dices", "population": "dices"}, r"not 2 \(--preset and --population\)"),
        (
            {"alpha": "1,2", "from_ratings": "a.csv", "resample": "b.csv"},
            r"not 3 \(--alpha and --from and --resample\)",
        ),
        ({"preset": "dices", "resample_pool": 3}, "only with --resample"),
        ({"preset": "dices", "with_answers": "a.csv"}, "--with names answers to the ratings of --from"),
    ],
)
def test_exactly_one_population_must_be_named(options: dict[str, Any], word: str) -> None:
    with pytest.raises(InputError, match=word):
        PopulationChoice(**options)


@pytest.mark.parametrize("text", ["1;2", "", "a,b"])
def test_alpha_must_be_numbers(text: str) -> None:
    with pytest.raises(InputError, match="alpha must be numbers with commas"):
        parse_alpha("--alpha", text)


@pytest.mark.parametrize("text", ["0", "-1", "two", "1.5"])
def test_answers_must_be_a_number_or_one_of_two_words(text: str) -> None:
    with pytest.raises(InputError, match="must be a number of at least 1, raters or probabilities"):
        parse_answers("--answers", text)


def test_settings_name_the_population_and_inputs_its_file(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_text(json.dumps({"kind": "dirichlet", "alpha": [2, 1]}))
    by_file, by_name = PopulationChoice(str(path)), PopulationChoice(preset="dices")
    assert (by_file.inputs(), by_name.inputs(), PopulationChoice("dices").inputs()) == ((str(path),), (), ())
    assert choose(by_file).settings["name"] == str(path)
    assert choose(by_name).settings["name"] == "dices"
    assert choose(PopulationChoice(alpha="2,1")).settings == DirichletPopulation((2, 1)).to_dict()


def test_ratings_are_resampled_without_standing_in_the_settings() -> None:
    chosen = choose(PopulationChoice(resample="example:support", resample_unit="items"))
    assert chosen.settings["kind"] == "empirical"
    assert "item" not in chosen.settings
    assert chosen.load_report[0].startswith("example:support: ")
    assert PopulationChoice(resample="example:support").inputs() == ("example:support",)


def test_a_fitted_population_is_checked_against_its_ratings() -> None:
    chosen = choose(PopulationChoice(from_ratings="example:support"))
    assert chosen.population.kind == "dirichlet"
    assert "looks most like a Dirichlet" in chosen.load_report[-1]
    assert chosen.warnings == ()


def test_a_fit_that_does_not_describe_the_ratings_is_a_warning() -> None:
    """Half of the items are agreed on by all, the others split evenly: no Dirichlet has both."""
    split = np.array([[0] * 8, [0, 1] * 4] * 150)
    item, response = np.repeat(np.arange(300), 8), split.ravel()
    ratings = read_ratings({"item": item, "response": np.array(["no", "yes"])[response]})
    chosen = choose(PopulationChoice(from_ratings=ratings))
    assert any("consider --resample" in warning for warning in chosen.warnings)
    assert "does not reproduce" in chosen.load_report[-1]


def test_the_options_are_read_without_numpy_or_polars() -> None:
    code = "import sys, quorate.populations.choice; print({'numpy', 'polars'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


@pytest.mark.parametrize("named", ["pilot.csv", "-", "example:support", Path("a.parquet"), {"item": ["1"]}])
def test_data_that_are_named_first_are_ratings(named: object) -> None:
    choice = PopulationChoice(named)
    assert choice.from_ratings is named
    assert choice.population is None


@pytest.mark.parametrize("named", ["dices", "5.22,0.86,2.75", "5,1", (2.0, 1.0), {"kind": "dirichlet", "alpha": [1]}])
def test_a_population_that_is_named_first_stays_one(named: object) -> None:
    assert PopulationChoice(named).population is named


def test_a_json_file_is_a_population_if_it_says_so(tmp_path: Path) -> None:
    rows, law = tmp_path / "rows.json", tmp_path / "law.json"
    rows.write_text('[{"item": 1, "response": "yes"}]')
    law.write_text('{"kind": "dirichlet", "alpha": [1, 2]}')
    assert PopulationChoice(str(rows)).from_ratings == str(rows)
    assert PopulationChoice(str(law)).population == str(law)


@pytest.mark.parametrize("name", [*CROWDS, "copula-x", "IRT"])
def test_a_crowd_is_no_preset_of_a_population(name: str) -> None:
    with pytest.raises(InputError, match=f"'{name}' would be a crowd: maven, irt, copula-"):
        find_preset(name)
