"""MLflow 3: assessments of traces, by people, judges and code, in one file; and tables of the classic evaluation.

An edit makes a new assessment and marks the old one as not valid: only valid ones count. Traces have another id in each
run, so the item is what was asked. An expectation is a gold label, not a rating. What people and judges say under one
name is kept apart.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from quorate._errors import InputError
from quorate.data.formats.log_table import (
    DroppedRows,
    Layout,
    LogTable,
    digest,
    each_object,
    first_object,
    grade,
    log_table,
    objects,
    part,
    records_of,
    text,
)
from quorate.data.formats.packed_rows import ASIDE, Row, numbered, packed, told_apart
from quorate.data.json_values import loads_json
from quorate.data.reading import LogChoice

RATINGS = Layout(
    "assessments of MLflow",
    "ratings",
    {
        "item": "client_request_id (hash of request where there is none)",
        "rater": "source.source_id",
        "system": "mlflow.assessment.sourceRunId",
        "response": "feedback.value of NAME",
    },
    "assessments",
)
OF_RUNS = replace(RATINGS, kind="rated")
CLASSIC = Layout(
    "an evaluation table of MLflow",
    "scores",
    {"item": "hash of inputs", "run": "order among equal items", "response": "NAME/score"},
    "metrics",
)
RUN, TRACE_RUN, INPUTS = "mlflow.assessment.sourceRunId", "mlflow.sourceRun", "mlflow.spanInputs"
LEFT_OUT = f"{ASIDE}left out"
EDITED, GOLD = "superseded by an edit (valid is false)", "an expectation, which is a gold label"
VALUE, SCORE = "/value", "/score"
ASKED = ("inputs", "request", "question")
"""What the column is called that holds what was asked."""


def is_mlflow(content: object) -> bool:
    """Tell whether parsed JSON holds traces with assessments, or assessments alone."""
    record = _trace(first_object(content))
    inner = first_object(record.get("assessments")) if isinstance(record.get("assessments"), list) else {}
    return "assessment_name" in record or "assessment_name" in inner


def is_mlflow_table(columns: Sequence[str]) -> bool:
    """Tell whether columns are those of `search_traces`, or of `result_df`."""
    return "trace_id" in columns and ("assessments" in columns or any(name.endswith(VALUE) for name in columns))


def is_mlflow_classic(content: object) -> bool:
    """Tell whether parsed JSON is `eval_results_table.json`, as pandas splits a frame."""
    columns = part({"": content}, "", "columns")
    return isinstance(columns, list) and any(str(name).endswith(SCORE) for name in columns)


def read_mlflow_table(name: str, frame: pl.DataFrame, choice: LogChoice) -> LogTable:
    """Read a saved frame of traces; as text, its assessments may be none of JSON, but the whole trace is."""
    if "assessments" not in frame.columns:
        raise InputError(
            f"{name} is a result_df of MLflow, where a second person's value replaces the first; write the frame of "
            "mlflow.search_traces() instead."
        )
    wanted = [
        key for key in ("trace_id", "client_request_id", "request", "assessments", "trace") if key in frame.columns
    ]
    return read_mlflow(name, [_row_of_frame(name, row) for row in records_of(frame.select(wanted))], choice)


def _row_of_frame(name: str, row: Mapping[str, Any]) -> dict[str, Any]:
    whole, given = row.get("trace"), row["assessments"]
    try:
        trace = _trace(loads_json(whole)) if isinstance(whole, str) else {}
        said = trace.get("assessments") or (loads_json(given) if isinstance(given, str) and not trace else given)
    except ValueError:
        raise InputError(
            f"{name}: the column assessments is no JSON; save the frame with to_json(orient='records'), or keep its "
            "column trace."
        ) from None
    return {**trace, **{key: cell for key, cell in row.items() if cell is not None}, "assessments": said}


def read_mlflow(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read one assessment of every trace; people and judges are raters, told apart by a group."""
    given = packed(
        (_assessments(_trace(each)) for each in each_object(content)), "system", "question", "source_type", LEFT_OUT
    )
    rows = told_apart(given.filter(pl.col(LEFT_OUT).is_null()), "source_type")
    dropped = [DroppedRows(reason, int((given[LEFT_OUT] == reason).sum())) for reason in (EDITED, GOLD)]
    of_runs = rows["system"].null_count() < rows.height
    return log_table(name, OF_RUNS if of_runs else RATINGS, rows, choice, dropped)


def read_mlflow_classic(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read one metric of every row; equal inputs are one item."""
    columns = [str(column) for column in content["columns"]]
    asked = next((column for column in ASKED if column in columns), None)
    if asked is None:
        raise InputError(
            f"{name} is an evaluation table of MLflow that does not say what was asked (inputs); check it."
        )
    cells = [dict(zip(columns, row, strict=True)) for row in content["data"]]
    scores = [column for column in columns if column.endswith(SCORE)]
    rows = packed(
        (
            [
                {"item": digest(row[asked]), "question": score.removesuffix(SCORE), "response": grade(row[score])}
                for score in scores
            ]
            for row in cells
        ),
        "item",
    )
    return log_table(name, CLASSIC, numbered(rows, "item"), choice)


def _trace(record: dict[str, Any]) -> dict[str, Any]:
    """Return a trace as `search_traces` lays it out, also of one written whole by itself."""
    info = record.get("info")
    if not isinstance(info, dict):
        return record
    roots = [span for span in objects(part(record, "data", "spans") or []) if not span.get("parent_span_id")]
    asked = part(first_object(roots), "attributes", INPUTS)
    return {**info, "request": asked or info.get("request_preview")}


def _assessments(record: dict[str, Any]) -> Iterator[Row]:
    given = [record] if "assessment_name" in record else objects(record.get("assessments") or [])
    return (_row(record, each) for each in given)


def _row(trace: Mapping[str, Any], assessment: Mapping[str, Any]) -> Row:
    asked, feedback = trace.get("request"), assessment.get("feedback")
    gold = None if isinstance(feedback, dict) else GOLD
    item = text(trace.get("client_request_id")) or (digest(asked) if asked else text(trace.get("trace_id")))
    return {
        "item": item,
        "rater": text(part(assessment, "source", "source_id")),
        "system": text(part(assessment, "metadata", RUN)) or text(part(trace, "trace_metadata", TRACE_RUN)),
        "question": text(assessment.get("assessment_name")),
        "response": grade(part(assessment, "feedback", "value")),
        "source_type": text(part(assessment, "source", "source_type")),
        LEFT_OUT: EDITED if assessment.get("valid") is False else gold,
    }
