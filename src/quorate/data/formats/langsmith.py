"""LangSmith: the table of an experiment (`to_pandas`), and feedback as `list_feedback` gives it.

In the table the item is `example_id`, further rows of it are runs, and the experiment is not named: the file names the
system.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from quorate.data.formats.log_table import (
    LogRows,
    LogTable,
    Row,
    first_object,
    grade,
    log_table,
    numbered,
    objects,
    part,
    text,
)
from quorate.data.reading import LogChoice

TOOL = "an experiment of LangSmith"
MAPPING = {"item": "example_id", "run": "order among equal items", "response": "feedback.NAME"}
FEEDBACK = "feedback of LangSmith"
FEEDBACK_MAPPING = {"item": "run_id", "rater": "feedback_source.user_id", "response": "score (else value) of NAME"}
PREFIX = "feedback."


def is_langsmith_table(columns: Sequence[str]) -> bool:
    """Tell whether columns are those of an experiment."""
    return "example_id" in columns and any(name.startswith(PREFIX) for name in columns)


def is_langsmith_feedback(content: object) -> bool:
    """Tell whether parsed JSON holds feedback."""
    return {"run_id", "key", "score", "feedback_source"} <= first_object(content).keys()


def read_langsmith_table(name: str, frame: pl.DataFrame, choice: LogChoice) -> LogTable:
    """Read one feedback of every row."""
    keys = [column for column in frame.columns if column.startswith(PREFIX)]
    cells = frame.select("example_id", *(pl.col(key).cast(pl.String) for key in keys)).to_dicts()
    base = numbered([{"item": str(row["example_id"])} for row in cells], "item")
    rows = [
        {**place, "question": key.removeprefix(PREFIX), "response": _number(row[key])}
        for place, row in zip(base, cells, strict=True)
        for key in keys
    ]
    return log_table(name, LogRows(rows, TOOL, "scores", MAPPING, called="feedback keys"), choice)


def read_langsmith_feedback(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read one key of the feedback, with the person who gave it where it was one."""
    rows = [_row(each) for each in objects(content)]
    return log_table(name, LogRows(rows, FEEDBACK, "ratings", FEEDBACK_MAPPING, called="feedback keys"), choice)


def _row(feedback: Mapping[str, Any]) -> Row:
    score = feedback.get("score")
    source = feedback.get("feedback_source")
    return {
        "item": text(feedback["run_id"]),
        "rater": text(part(feedback, "feedback_source", "user_id")),
        "question": text(feedback["key"]),
        "response": grade(score) if score is not None else grade(feedback.get("value")),
        "source": text(source.get("type")) if isinstance(source, dict) else None,
    }


def _number(cell: str | None) -> str | None:
    return {"true": "1", "True": "1", "false": "0", "False": "0", "NaN": None, "nan": None}.get(cell or "", cell)
