"""Langfuse: scores of traces, as its API lists them; those of source ANNOTATION are people's."""

from collections.abc import Mapping
from typing import Any

from quorate.data.formats.log_table import LogRows, LogTable, Row, first_object, grade, log_table, objects, text
from quorate.data.reading import LogChoice

TOOL = "scores of Langfuse"
MAPPING = {"item": "traceId", "rater": "authorUserId", "response": "value of NAME"}
CATEGORICAL = "CATEGORICAL"


def is_langfuse(content: object) -> bool:
    """Tell whether parsed JSON holds scores, or a page of them."""
    score = first_object(_scores(content))
    return {"name", "dataType", "source"} <= score.keys() and ("traceId" in score or "datasetRunId" in score)


def read_langfuse(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read one score of every trace, with its author."""
    rows = [_row(each) for each in objects(_scores(content))]
    return log_table(name, LogRows(rows, TOOL, "ratings", MAPPING), choice)


def _scores(content: object) -> object:
    return content["data"] if isinstance(content, dict) and isinstance(content.get("data"), list) else content


def _row(score: Mapping[str, Any]) -> Row:
    word = score.get("dataType") == CATEGORICAL and text(score.get("stringValue"))
    return {
        "item": text(score.get("observationId")) or text(score.get("traceId")) or text(score.get("sessionId")),
        "rater": text(score.get("authorUserId")),
        "question": text(score["name"]),
        "response": word or grade(score.get("value")),
        "source": text(score["source"]),
    }
