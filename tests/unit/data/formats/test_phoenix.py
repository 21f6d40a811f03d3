"""Phoenix's experiments, as its server exports them."""

import json
from pathlib import Path

import polars as pl
import pytest

from quorate._errors import InputError
from tests.formats.reading import read, read_file, read_frame, reasons

DATA = Path(__file__).parents[3] / "formats" / "data"


def test_the_two_exports_of_an_experiment_say_the_same() -> None:
    """Phoenix scores the answer that failed as well, with 0: two of five are right, not two of six."""
    logs = [read_file(DATA / f"phoenix.{ending}", "right") for ending in ("json", "csv")]
    naive = [run["annotations"][0]["score"] for run in json.loads((DATA / "phoenix.json").read_text())]
    assert naive == [1, 1, 0, 0, 0, 0]
    right = [("1", "1"), ("2", "1"), ("1", "0"), ("2", "0"), ("1", "0")]
    for log in logs:
        assert (log.frame.select("repeat", "response").rows(), log.frame["item"].n_unique()) == (right, 3)
        assert reasons(log)["the run failed with an error; it is not scored 0"] == 1
    assert logs[0].frame.equals(logs[1].frame)
    with pytest.raises(InputError, match="right, tone"):
        read_file(DATA / "phoenix.csv")
    assert {
        read_file(DATA / f"phoenix.{ending}", "tone").frame["response"].n_unique() for ending in ("json", "csv")
    } == {1}


def test_repetitions_are_runs_and_failures_no_scores() -> None:
    score = [{"name": "correct", "annotator_kind": "CODE", "label": None, "score": 1.0}]
    runs = [{"example_id": "e", "repetition_number": n, "error": None, "annotations": score} for n in (1, 2)]
    log = read([*runs, {"example_id": "f", "repetition_number": 1, "error": "late", "annotations": score}])
    assert log.frame.rows() == [("e", "1", "1"), ("e", "2", "1")]
    assert reasons(log) == {"the run failed with an error; it is not scored 0": 1}


def test_the_csv_says_the_same_and_people_are_kept_apart_from_machines() -> None:
    cells = {"example_id": ["e", "f"], "repetition_number": [1, 1], "error": [None, "late"]}
    kinds = {
        "annotation_ok_score": [0.5, 1.0],
        "annotation_ok_label": ["x", "y"],
        "annotation_ok_annotator_kind": ["LLM"] * 2,
    }
    log = read_frame(pl.DataFrame(cells | kinds))
    assert log.frame.rows() == [("e", "1", "0.5")]
    assert reasons(log) == {"the run failed with an error; it is not scored 0": 1}
    both = [{"name": "ok", "annotator_kind": kind, "score": score} for kind, score in (("LLM", 0), ("HUMAN", 1))]
    runs = [{"example_id": "e", "repetition_number": 1, "annotations": both}]
    with pytest.raises(InputError, match=r"ok \(HUMAN\), ok \(LLM\)"):  # else the judge counts as a person
        read(runs)
    assert read(runs, "ok (HUMAN)").frame["response"].to_list() == ["1"]
