"""MLflow 3: assessments of traces, by people, judges and code, in one file.

An edit makes a new assessment and marks the old one as not valid: only valid ones count. Traces have another id in each
run, so the item is what was asked. An expectation is a gold label, not a rating.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

from quorate.data.formats.log_table import (
    Dropped,
    Kind,
    LogRows,
    LogTable,
    Row,
    digest,
    first_object,
    grade,
    log_table,
    objects,
    part,
    text,
)
from quorate.data.json_table import loads_json
from quorate.data.reading import LogChoice

TOOL = "assessments of MLflow"
MAPPING = {
    "item": "client_request_id (hash of request where there is none)",
    "rater": "source.source_id",
    "system": "mlflow.assessment.sourceRunId",
    "response": "feedback.value of NAME",
}
RUN = "mlflow.assessment.sourceRunId"


def is_mlflow(content: object) -> bool:
    """Tell whether parsed JSON holds traces with assessments, or assessments alone."""
    record = first_object(content)
    inner = first_object(record.get("assessments")) if isinstance(record.get("assessments"), list) else {}
    return "assessment_name" in record or "assessment_name" in inner


def is_mlflow_table(columns: Sequence[str]) -> bool:
    """Tell whether columns are those of `search_traces`."""
    return {"trace_id", "request", "assessments"} <= set(columns)


def read_mlflow_table(name: str, frame: pl.DataFrame, choice: LogChoice) -> LogTable:
    """Read a saved frame of traces, whose assessments may be JSON text."""
    traces = [
        {key: loads_json(cell) if key == "assessments" and isinstance(cell, str) else cell for key, cell in row.items()}
        for row in frame.select("trace_id", "request", "assessments", pl.col("^client_request_id$")).to_dicts()
    ]
    return read_mlflow(name, traces, choice)


def read_mlflow(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read one assessment of every trace; people and judges are raters, told apart by a group."""
    given = list(_assessments(objects(content)))
    kept = [(trace, each) for trace, each in given if each.get("valid") is not False]
    scored = [(trace, each) for trace, each in kept if isinstance(each.get("feedback"), dict)]
    rows = [_row(trace, each) for trace, each in scored]
    kind: Kind = "rated" if any(row["system"] for row in rows) else "ratings"
    dropped = [
        Dropped("superseded by an edit (valid is false)", len(given) - len(kept)),
        Dropped("an expectation, which is a gold label", len(kept) - len(scored)),
    ]
    return log_table(name, LogRows(rows, TOOL, kind, MAPPING, dropped, called="assessments"), choice)


def _assessments(records: list[dict[str, Any]]) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    for record in records:
        if "assessment_name" in record:
            yield record, record
        else:
            yield from ((record, each) for each in objects(record.get("assessments") or []))


def _row(trace: Mapping[str, Any], assessment: Mapping[str, Any]) -> Row:
    asked = trace.get("request")
    item = text(trace.get("client_request_id")) or (digest(asked) if asked else text(trace.get("trace_id")))
    metadata = assessment.get("metadata")
    return {
        "item": item,
        "rater": text(part(assessment, "source", "source_id")),
        "system": text(metadata.get(RUN)) if isinstance(metadata, dict) else None,
        "question": text(assessment.get("assessment_name")),
        "response": grade(assessment["feedback"].get("value")),
        "source_type": text(part(assessment, "source", "source_type")),
    }
