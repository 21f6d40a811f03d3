"""Assessments of MLflow, by its protocol."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from quorate._errors import InputError
from quorate.data.formats.log_table import digest
from quorate.data.formats.registry import read_table_log
from quorate.data.reading import LogChoice
from tests.formats.reading import read, read_file, read_frame, reasons


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


@pytest.mark.parametrize("name", ["mlflow.csv", "mlflow.json"])
def test_what_mlflow_wrote_keeps_people_and_judges_apart(logs: Path, name: str) -> None:
    # By the rule of `make_fixtures`; ann's first value of question 0 was edited to true.
    with pytest.raises(InputError, match=r"several assessments: correct \(HUMAN\), correct \(LLM_JUDGE\)"):
        read_file(logs / name)
    log = read_file(logs / name, "correct (HUMAN)")
    asked = {digest(f"{k} + 1 ="): k for k in range(3)}
    found = {(asked[i], r, s): x for i, r, s, x in log.frame.select("item", "rater", "system", "response").rows()}
    wanted = {(k, "ann", run): "1" for k in range(3) for run in ("run1", "run2")}
    wanted |= {(k, "ben", run): str(int(k > 1 or run == "run1")) for k in range(3) for run in ("run1", "run2")}
    assert found == wanted
    assert reasons(log)["superseded by an edit (valid is false)"] == 2
    assert reasons(log)["an expectation, which is a gold label"] == 6
    assert read_file(logs / name, "correct (LLM_JUDGE)").frame["response"].to_list() == ["0", "0.5", "1"] * 2


def test_numbers_of_a_nested_frame_are_values_and_a_failed_judge_has_none() -> None:
    given = [assessment(3.5), {**assessment(None), "feedback": {"value": None, "error": {"error_code": "late"}}}]
    frame = pl.DataFrame({"trace_id": ["t1", "t2"], "request": ["a", "b"], "assessments": [given[:1], given[1:]]})
    log = read_frame(frame)
    assert log.frame["response"].to_list() == ["3.5"]
    assert reasons(log) == {"no value": 1}


def test_tables_that_lost_what_people_said_are_refused() -> None:
    with pytest.raises(InputError, match="a second person's value replaces the first; write the frame of"):
        read_frame(pl.DataFrame({"trace_id": ["t"], "correct/value": [True]}))
    with pytest.raises(InputError, match="the column assessments is no JSON; save the frame with to_json"):
        read_frame(pl.DataFrame({"trace_id": ["t"], "request": ["a"], "assessments": ["[{'assessment_name': 'x'}]"]}))


def test_the_classic_table_has_a_metric_per_column() -> None:
    columns = ["inputs", "outputs", "tone/v1/score", "tone/v1/justification", "length/score"]
    table = {"columns": columns, "data": [["a", "1", 4, "so", 1], ["b", "2", 3, "so", 2], ["a", "3", 5, "so", 3]]}
    log = read(table, "tone/v1")
    assert log.frame["response"].to_list() == ["4", "3", "5"]
    assert log.frame["repeat"].to_list() == ["1", "1", "2"]  # the same question again, no new item
    with pytest.raises(InputError, match="does not say what was asked"):
        read({"columns": ["outputs", "x/score"], "data": [["1", 2]]})


def test_the_client_s_own_number_of_a_request_is_the_item() -> None:
    """Traces of two runs of one request, which is worded anew: another trace and another text, the same item."""
    traces = [trace(1, "2+2", assessment(True)), trace(2, "2 + 2", assessment(False))]
    log = read([{**each, "client_request_id": "c-1"} for each in traces])
    assert log.frame["item"].to_list() == ["c-1", "c-1"]
