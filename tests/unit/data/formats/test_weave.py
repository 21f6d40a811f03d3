"""Weave's calls, as its client sends them, and its results and annotations by the layout its code writes."""

from pathlib import Path
from typing import Any

import polars as pl

from tests.formats.reading import lines, read, read_file, reasons

DATA = Path(__file__).parents[3] / "formats" / "data"


def test_rows_are_the_same_in_two_versions_of_a_data_set_and_a_model_that_failed_is_not_scored_0() -> None:
    """Weave itself says that 2 of 6 answers of the first model are right, where one of them was never given."""
    log = read_file(DATA / "weave.jsonl", "right.match")
    new, old = log.frame.with_columns(pl.col("system").str.split(":").list.first()).partition_by("system")
    assert (
        new.select("system", "repeat", "response").rows()
        == [("new", repeat, response) for repeat, response in zip("111222", "100100", strict=True)][:-1]
    )
    assert old.select("system", "repeat", "response").rows() == [("old", "1", each) for each in "1000"]
    assert old["item"].to_list()[:3] == new["item"].to_list()[:3]  # not so by hashes of whole references
    assert reasons(log)["no score was given, as where the model failed; it is not scored 0"] == 1
    assert reasons(log)["a part of an evaluation, not an output that was scored"] == 23


def test_leaves_are_scores_and_trials_are_runs() -> None:
    trials = [{"scores": {"judge": {"match": True, "tone": 0.5}}}, {"scores": {"judge": {"match": False, "tone": 1}}}]
    row = {
        "row_digest": "d",
        "raw_data_row": {"topic": "sums"},
        "evaluations": [{"evaluation_call_id": "c", "trials": trials}],
    }
    log = read({"rows": [row], "total_rows": 1}, "judge.match")
    assert log.frame.rows() == [("d", "c", "1", "1", "sums"), ("d", "c", "2", "0", "sums")]


def test_calls_are_scored_outputs_and_equal_examples_are_repeats() -> None:
    def call(example: str, match: bool, **more: Any) -> dict[str, Any]:
        return {
            "op_name": "weave:///me/project/op/Evaluation.predict_and_score:x1",
            "inputs": {"example": {"q": example}, "model": "weave:///me/project/object/Bot:v2"},
            "output": {"output": "…", "scores": {"judge": {"match": match}}, "model_latency": 0.4},
            **more,
        }

    part = {"op_name": "weave:///me/project/op/Bot.predict:x2", "inputs": {}, "output": "…"}
    log = read(lines(call("a", True), part, call("b", False), call("a", False), call("c", True, exception="late")))
    assert log.frame["item"].n_unique() == 2
    assert log.frame.select("system", "repeat", "response").rows() == [
        ("Bot:v2", "1", "1"),
        ("Bot:v2", "1", "0"),
        ("Bot:v2", "2", "0"),
    ]
    assert reasons(log) == {
        "a part of an evaluation, not an output that was scored": 1,
        "the call failed with an exception; it is not scored 0": 1,
    }


def test_what_people_annotated_is_a_rating_and_a_note_is_none() -> None:
    given = [
        {"feedback_type": kind, "payload": {"value": 4}, "creator": who, "weave_ref": "weave:///c1"}
        for kind, who in (
            ("wandb.annotation.quality", "ann"),
            ("wandb.note.1", "ann"),
            ("wandb.annotation.quality", "bo"),
        )
    ]
    log = read(given)
    assert (log.kind, log.frame["rater"].to_list(), log.frame["response"].to_list()) == (
        "ratings",
        ["ann", "bo"],
        ["4"] * 2,
    )
    assert reasons(log) == {"a note or reaction": 1}
