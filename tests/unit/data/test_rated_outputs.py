"""Ratings of the systems' own outputs: with raters, runs, or one scorer."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_rel

from quorate import InputError, compare, plan
from quorate.data.evaluation import read_evaluation
from quorate.data.rated_outputs import read_rated_outputs
from quorate.data.reading import Reading

MARKS: dict[str, list[Any]] = {"item": [1, 1, 2, 2], "model": list("abab"), "correct": [1, 0, 1, 1]}
RUNS: dict[str, list[Any]] = {
    "item": [1, 1, 1, 1, 2, 2, 2, 2],
    "model": list("aabbaabb"),
    "run": list("xyxyxyxy"),
    "score": [3.0, 1.0, 2.0, 2.5, 5.0, 4.0, 4.0, 3.0],
}


def test_marks_of_one_scorer_need_no_rater_and_no_further_option() -> None:
    outputs = read_rated_outputs(MARKS, "model")
    assert outputs.one_scorer
    assert outputs.first.scale.kind == "interval"
    assert {name: part.summary.mean.tolist() for name, part in outputs.ratings.items()} == {"a": [1, 1], "b": [0, 1]}
    assert read_evaluation(MARKS, rated_system="model").kind == "scores"


@pytest.mark.parametrize(
    ("raters", "kind"), [(["u", "u", "u", "u"], "scores"), (["u", "u", "v", "v"], "rated"), (None, "scores")]
)
def test_one_rater_is_a_scorer_and_two_are_people(raters: list[str] | None, kind: str) -> None:
    table = MARKS | ({} if raters is None else {"rater": raters})
    assert read_evaluation(table, rated_system="model", split=True).kind == kind


def test_several_marks_of_an_output_without_names_are_those_of_people() -> None:
    table = {key: values * 2 for key, values in MARKS.items()}
    assert read_evaluation(table, rated_system="model").kind == "rated"


def test_runs_are_kept_with_the_rating_each_of_them_got() -> None:
    outputs = read_rated_outputs(RUNS, "model")
    a = outputs.runs["a"]
    assert outputs.one_scorer
    assert a.item.tolist() == [0, 0, 1, 1]
    assert a.run is not None
    assert a.run.tolist() == [0, 1, 0, 1]
    levels = np.asarray(outputs.first.scale.levels)
    assert levels[a.response].tolist() == [3.0, 1.0, 5.0, 4.0]


def test_lucky_runs_are_counted_and_one_scorer_is_said() -> None:
    # Run x is 1 above run y on every item: with names the luck of a run is in the interval, without it is not.
    rng = np.random.default_rng(3)
    item, system = np.repeat(np.arange(40), 4), np.tile(list("aabb"), 40)
    run = np.tile(list("xyxy"), 40)
    score = np.round(rng.normal(size=160) + (run == "x") * 1.0 + 0.3 * (system == "a"), 3)
    table = {"item": item.tolist(), "system": system.tolist(), "score": score.tolist()}
    named = compare(table | {"run": run.tolist()}, rated_system="system")
    nameless = compare(table | {"sort": run.tolist()}, rated_system="system")
    assert named.kind == "scores"
    assert named.pairs[0].difference == pytest.approx(nameless.pairs[0].difference)
    assert named.pairs[0].high - named.pairs[0].low > 2 * (nameless.pairs[0].high - nameless.pairs[0].low)
    assert "only items and runs vary" in named.unit_reason
    assert not any("Raters are unknown" in warning for warning in named.warnings)


def test_answers_of_an_item_on_their_own_are_averaged_and_runs_shared_by_items_are_not() -> None:
    # Epochs drawn anew for every item: the spread of the items' mean differences holds all there is, so p is Student's
    # of those means. Read as runs that are lucky on all items, two of them leave one degree of freedom.
    rng = np.random.default_rng(4)
    score = np.round(rng.normal(size=(40, 2, 2)) + rng.normal(size=(40, 1, 1)), 3)
    item, system, epoch = (each.ravel() for each in np.indices(score.shape))
    table = {"item": item.tolist(), "system": [f"s{k}" for k in system], "score": score.ravel().tolist()}
    drawn = compare(table | {"epoch": epoch.tolist()}, rated_system="system")
    shared = compare(table | {"epoch": epoch.tolist()}, rated_system="system", run_column="epoch")
    assert (drawn.kind, shared.kind) == ("scores", "scores")
    assert drawn.pairs[0].p_value == pytest.approx(ttest_rel(*score.mean(2).T).pvalue)
    assert shared.pairs[0].p_value > 1.5 * drawn.pairs[0].p_value
    assert "only items vary" in drawn.unit_reason
    assert "only items and runs vary" in shared.unit_reason
    assert any("column epoch are each drawn on their own" in line for line in drawn.load_report)


def test_a_column_per_rater_beside_the_system_is_no_rater() -> None:
    table = {"item": [1, 1, 2, 2], "model": list("abab"), "r1": [1, 2, 3, 4], "r2": [2, 2, 3, 5]}
    outputs = read_rated_outputs(table, "model")
    assert {name: part.n_raters for name, part in outputs.ratings.items()} == {"a": 2, "b": 2}


def test_a_mark_without_a_run_is_refused_with_its_row() -> None:
    with pytest.raises(InputError, match="row 4, column 'run' is empty"):
        read_rated_outputs(RUNS | {"run": ["x", "y", "x", None, "x", "y", "x", "y"]}, "model")


def test_the_same_rater_may_rate_every_run_once() -> None:
    table = RUNS | {"rater": ["u"] * 8}
    assert read_rated_outputs(table, "model", reading=Reading(duplicates="error")).one_scorer


def test_items_left_out_for_a_system_was_not_rated_there_are_counted() -> None:
    rows = [(i, rater, system) for i in range(30) for rater in "xy" for system in "ab" if i < 20 or system == "a"]
    table = {
        "item": [item for item, _, _ in rows],
        "rater": [rater for _, rater, _ in rows],
        "system": [system for _, _, system in rows],
        "response": [(3 * item + len(rater) + ord(system)) % 5 for item, rater, system in rows],
    }
    found = compare(table, rated_system="system", missing="drop")
    told = "10 items left out, for a system was not rated there (--missing)"
    assert f"  {told}" in found.load_report
    assert found.warnings[0] == f"{told}."
    assert plan(table, rated_system="system", missing="drop", difference=0.5).warnings[0] == f"{told}."
    with pytest.raises(InputError, match="10 of 30 items were not rated for system 'b'"):
        compare(table, rated_system="system")
