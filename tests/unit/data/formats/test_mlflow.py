"""Assessments of MLflow, by its protocol."""

import json
from typing import Any

import polars as pl

from quorate.data.formats.registry import read_table_log
from quorate.data.reading import LogChoice
from tests.formats.reading import read, reasons


def assessment(value: Any, who: str = "ann@x.org", **more: Any) -> dict[str, Any]:
    source = {"source_type": "HUMAN", "source_id": who}
    return {"assessment_name": "correct", "trace_id": "t", "source": source, "feedback": {"value": value}, **more}


def trace(number: int, request: str, *given: dict[str, Any]) -> dict[str, Any]:
    return {"trace_id": f"tr-{number}", "request": request, "assessments": list(given)}


def test_edited_assessments_count_once_and_items_are_what_was_asked() -> None:
    log = read(
        [
            trace(1, "2+2", assessment(False, valid=False), assessment(True, overrides="a-0")),
            trace(2, "2+2", assessment(True, "judge-1")),  # another run's trace of the same request
            trace(3, "3+3", {**assessment(1), "feedback": None, "expectation": {"value": 6}}, assessment(False)),
        ]
    )
    assert log.frame["item"].n_unique() == 2
    assert log.frame["response"].to_list() == ["1", "1", "0"]
    assert reasons(log) == {"superseded by an edit (valid is false)": 1, "an expectation, which is a gold label": 1}


def test_a_saved_frame_of_traces_is_read() -> None:
    given = json.dumps([assessment(True), assessment(False, "bo")])
    frame = pl.DataFrame({"trace_id": ["t1"], "request": ["2+2"], "assessments": [given]})
    log = read_table_log("traces.csv", frame, LogChoice())
    assert log is not None
    assert log.frame.select("rater", "response").rows() == [("ann@x.org", "1"), ("bo", "0")]
