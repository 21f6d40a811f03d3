"""The one door: what it reads, reports and refuses, alike for every verb."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from quorate import InputError, compare, describe, plan, read_ratings, read_systems
from quorate.data.evaluation import evaluation_of, read_evaluation
from quorate.data.reading import Reading

RATINGS = {"item": ["a", "a", "b", "b"], "rater": ["x", "y", "x", "y"], "response": ["no", "yes", "no", "no"]}
ANSWERS = {"item": ["a", "b", "a", "b", "a"], "system": ["m", "m", "n", "n", "o"], "response": ["no"] * 5}


def test_ratings_alone_are_an_evaluation_without_systems() -> None:
    evaluation = read_evaluation(RATINGS)
    assert evaluation.ratings.n_items == 2
    assert not evaluation.systems
    assert evaluation.load_report[0].startswith("the data: 4 rows")


def test_only_the_systems_wanted_must_be_complete() -> None:
    with pytest.raises(InputError, match="system 'o' did not answer 1 of 2"):
        read_evaluation(RATINGS, ANSWERS)
    assert list(read_evaluation(RATINGS, ANSWERS, systems=["m", "n"]).systems) == ["m", "n"]


def test_several_item_columns_are_tried_in_the_answers() -> None:
    ratings = {"doc": [1, 1, 2], "part": [1, 2, 1], "response": ["no", "yes", "no"]}
    answers = {"doc": [1, 1, 2], "part": [1, 2, 1], "model": ["m"] * 3, "response": ["no"] * 3}
    evaluation = read_evaluation(ratings, answers, reading=Reading(item_column="doc,part"))
    assert evaluation.ratings.items.to_list() == ["1 | 1", "1 | 2", "2 | 1"]
    read = read_ratings(ratings, item_column="doc,part")  # of which nothing more can be said
    assert read_evaluation(read, answers).load_report == evaluation.load_report


def test_the_load_report_and_the_inputs_name_every_file(tmp_path: Path) -> None:
    ratings, answers = tmp_path / "ratings.csv", tmp_path / "answers.csv"
    pl.DataFrame(RATINGS).write_csv(ratings)
    pl.DataFrame(ANSWERS).write_csv(answers)
    evaluation = read_evaluation(ratings, str(answers), missing="drop")
    heads = [line.split(":")[0] for line in evaluation.load_report if line and not line.startswith(" ")]
    assert heads == [str(ratings), str(answers)]
    assert evaluation.inputs == (str(ratings.resolve()), str(answers.resolve()))
    assert evaluation.notes == ("1 rated item left out, for a system did not answer (--missing)",)
    assert any("2 items" in line for line in evaluation.load_report)  # as read, before any was left out


def test_ratings_of_outputs_come_through_the_same_door() -> None:
    rated = {"item": ["a", "a"], "model": ["x", "y"], "rating": [1, 5]}
    evaluation = read_evaluation(rated, rated_system="model", reading=Reading(scale="interval"))
    assert list(evaluation.systems) == list(evaluation.rated) == ["x", "y"]
    assert evaluation.raters is None
    with pytest.raises(InputError, match="not both"):
        read_evaluation(rated, ANSWERS, rated_system="model")
    with pytest.raises(InputError, match="lost the column"):
        read_evaluation(read_ratings(RATINGS), rated_system="model")


def test_what_was_read_passes_through() -> None:
    evaluation = evaluation_of(*read_systems(ANSWERS, read_ratings(RATINGS), systems=["m", "n"]))
    assert read_evaluation(evaluation) is evaluation
    with pytest.raises(InputError, match="read already"):
        read_evaluation(evaluation, ANSWERS)


@pytest.mark.parametrize("options", [{"scale": "ordinal"}, {"item_column": "item"}, {"duplicates": "first"}])
def test_options_for_data_already_read_are_refused_by_every_verb(options: dict[str, Any]) -> None:
    ratings = read_ratings(RATINGS)
    evaluation = evaluation_of(*read_systems(ANSWERS, ratings, systems=["m", "n"]))
    flag = "--" + next(iter(options)).replace("_", "-")
    with pytest.raises(InputError, match=f"{flag} would do nothing"):
        read_ratings(ratings, **options)
    with pytest.raises(InputError, match=f"{flag} would do nothing"):
        describe(ratings, **options)
    with pytest.raises(InputError, match=f"{flag} would do nothing"):
        compare(ratings, ANSWERS, systems=["m", "n"], **options)
    with pytest.raises(InputError, match=f"{flag} would do nothing"):
        read_evaluation(evaluation, reading=Reading(**options))
    with pytest.raises(InputError, match=f"{flag} .* leave it out"):
        plan(pilot=read_systems(ANSWERS, ratings, systems=["m", "n"]), difference=0.1, **options)


@pytest.mark.parametrize(
    "options",
    [{"missing": "drop"}, {"system_column": "system"}, {"run_column": "run"}, {"rated_system": "system"}],
)
def test_a_pilot_or_an_evaluation_that_was_read_takes_no_options_of_answers(options: dict[str, Any]) -> None:
    pilot = read_systems(ANSWERS, read_ratings(RATINGS), systems=["m", "n"])
    for ask in (
        lambda: plan(pilot=pilot, difference=0.1, **options),
        lambda: read_evaluation(evaluation_of(*pilot), **options),
        lambda: read_evaluation(evaluation_of(*pilot), None, [ANSWERS]),
    ):
        with pytest.raises(InputError, match="read already"):
            ask()
