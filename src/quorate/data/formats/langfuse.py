"""Langfuse: scores of traces, as its API lists them; those of source ANNOTATION are people's.

A name that people and machines both scored is read for one of them.
"""

from collections.abc import Mapping
from typing import Any

from quorate.data.formats.log_table import (
    Layout,
    LogTable,
    each_object,
    first_object,
    grade,
    log_table,
    part,
    text,
)
from quorate.data.formats.packed_rows import Row, one_each, packed, told_apart
from quorate.data.reading import LogChoice

LAYOUT = Layout(
    "scores of Langfuse",
    "ratings",
    {"item": "traceId or subject", "rater": "authorUserId", "response": "value of NAME"},
)
CATEGORICAL = "CATEGORICAL"


def is_langfuse(content: object) -> bool:
    """Tell whether parsed JSON holds scores, or a page of them."""
    score = first_object(_scores(content))
    return {"name", "dataType", "source"} <= score.keys() and bool(
        {"traceId", "datasetRunId", "subject"} & score.keys()
    )


def read_langfuse(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read one score of every trace, with its author."""
    rows = told_apart(packed(one_each(_row(each) for each in each_object(_scores(content)))), "source")
    return log_table(name, LAYOUT, rows, choice)


def _scores(content: object) -> object:
    return content["data"] if isinstance(content, dict) and isinstance(content.get("data"), list) else content


def _row(score: Mapping[str, Any]) -> Row:
    word = score.get("dataType") == CATEGORICAL and text(score.get("stringValue"))
    about = (score.get("observationId"), score.get("traceId"), score.get("sessionId"), part(score, "subject", "id"))
    return {
        "item": next(filter(None, map(text, about)), None),
        "rater": text(score.get("authorUserId")),
        "question": text(score["name"]),
        "response": word or grade(score.get("value")),
        "source": text(score["source"]),
    }
