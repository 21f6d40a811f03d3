"""LangSmith: the table of an experiment (`to_pandas`), and feedback as `list_feedback` gives it.

In the table the item is `example_id`, further rows of it are repeats, and the experiment is not named: the file names
the system. Feedback on two runs that share a `feedback_group_id` is a vote between their experiments.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import polars as pl

from quorate._errors import InputError
from quorate.data.formats.log_table import (
    DroppedRows,
    Layout,
    LogTable,
    digest,
    first_object,
    grade,
    log_table,
    objects,
    part,
    ranked_votes,
    text,
    text_cells,
)
from quorate.data.formats.packed_rows import Row, numbered, one_each, packed, told_apart
from quorate.data.reading import LogChoice

TABLE = Layout(
    "an experiment of LangSmith",
    "scores",
    {"item": "example_id", "run": "order among equal items", "response": "feedback.NAME"},
    "feedback keys",
)
FEEDBACK = Layout(
    "feedback of LangSmith",
    "ratings",
    {"item": "run_id", "rater": "feedback_source.user_id", "response": "score (else value) of NAME"},
    "feedback keys",
)
VOTES = Layout(
    "comparisons of LangSmith",
    "preferences",
    {
        "item": "the runs that were compared",
        "rater": "feedback_source.user_id",
        "system_a": "session_id",
        "system_b": "session_id",
        "winner": "the higher score of NAME",
    },
    "feedback keys",
)
PREFIX = "feedback."


def is_langsmith_table(columns: Sequence[str]) -> bool:
    """Tell whether columns are those of an experiment."""
    return "example_id" in columns and any(name.startswith(PREFIX) for name in columns)


def is_langsmith_feedback(content: object) -> bool:
    """Tell whether parsed JSON holds feedback."""
    return {"run_id", "key", "score", "feedback_source"} <= first_object(content).keys()


def read_langsmith_table(name: str, frame: pl.DataFrame, choice: LogChoice) -> LogTable:
    """Read one feedback of every row whose run did not fail."""
    keys = [column for column in frame.columns if column.startswith(PREFIX)]
    there = [column for column in ("example_id", "error", *keys) if column in frame.columns]
    cells = text_cells(name, frame.select(there))
    good = [row for row in cells if not row.get("error")]
    rows = packed(
        (
            [
                {"item": row["example_id"], "question": key.removeprefix(PREFIX), "response": _number(row[key])}
                for key in keys
            ]
            for row in good
        ),
        "item",
    )
    dropped = [DroppedRows("the run failed with an error; it is not scored 0", len(cells) - len(good))]
    return log_table(name, TABLE, numbered(rows, "item"), choice, dropped)


def read_langsmith_feedback(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read one key of the feedback, with the person who gave it where it was one; or the votes between runs."""
    given = objects(content)
    compared = [each for each in given if text(each.get("feedback_group_id"))]
    if not compared:
        return log_table(name, FEEDBACK, told_apart(packed(one_each(map(_row, given))), "source"), choice)
    if not all(text(each.get("session_id")) for each in compared):
        raise InputError(f"{name} compares runs, but not all say of which experiment they are (session_id); check it.")
    groups = groupby(sorted(compared, key=_group), _group)
    rows = packed(_votes(list(group)) for _, group in groups)
    dropped = [DroppedRows("feedback on one run, in a file of comparisons", len(given) - len(compared))]
    return log_table(name, VOTES, rows, choice, dropped)


def _group(feedback: Mapping[str, Any]) -> tuple[str, str]:
    return str(feedback["feedback_group_id"]), str(feedback["key"])


def _votes(group: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
    """A vote between any two runs that were scored together; the higher score wins."""
    item = digest(sorted(str(each["run_id"]) for each in group))
    place: Row = {
        "item": item,
        "rater": text(part(group[0], "feedback_source", "user_id")),
        "question": text(group[0]["key"]),
    }
    scored = [(str(each["session_id"]), str(-float(each["score"]))) for each in group if each.get("score") is not None]
    yield from (place | vote for vote in ranked_votes(sorted(scored)))


def _row(feedback: Mapping[str, Any]) -> Row:
    score = feedback.get("score")
    return {
        "item": text(feedback["run_id"]),
        "rater": text(part(feedback, "feedback_source", "user_id")),
        "question": text(feedback["key"]),
        "response": grade(score) if score is not None else grade(feedback.get("value")),
        "source": text(part(feedback, "feedback_source", "type")),
    }


def _number(cell: str | None) -> str | None:
    return {"true": "1", "True": "1", "false": "0", "False": "0", "NaN": None, "nan": None}.get(cell or "", cell)
