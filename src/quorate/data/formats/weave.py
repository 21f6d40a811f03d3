"""W&B Weave: results of evaluations, exported calls, and what people annotated.

Results are rows with trials, calls one `predict_and_score` each; every scalar leaf of a score is one, by its path.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from quorate.data.formats.log_table import (
    DroppedRows,
    Layout,
    LogTable,
    digest,
    each_object,
    first_object,
    grade,
    groups_of,
    log_table,
    objects,
    part,
    text,
)
from quorate.data.formats.packed_rows import ASIDE, Row, numbered, one_each, packed
from quorate.data.reading import LogChoice

RESULTS = Layout(
    "evaluations of Weave",
    "scores",
    {"item": "row_digest", "system": "evaluation_call_id", "run": "place among trials", "response": "scores.NAME"},
)
CALLS = Layout(
    "calls of Weave",
    "scores",
    {
        "item": "row of inputs.example (hash of an example written whole)",
        "system": "inputs.model",
        "run": "order among equal items",
        "response": "output.scores.NAME",
    },
)
ANNOTATIONS = Layout(
    "annotations of Weave",
    "ratings",
    {"item": "call_ref (weave_ref where there is none)", "rater": "creator", "response": "payload.value of NAME"},
    "annotations",
)
SCORING, ANNOTATION = ("predict_and_score", "predictAndScore"), "wandb.annotation."
ROW = "/rows/id/"
"""What stands before the hash of a row, in a reference to it."""
LEFT_OUT = f"{ASIDE}left out"
REASONS = (
    "a part of an evaluation, not an output that was scored",
    "the call failed with an exception; it is not scored 0",
    "no score was given, as where the model failed; it is not scored 0",
)
DEEPEST = 10
"""Levels of a score that are looked into."""


def is_weave(content: object) -> bool:
    """Tell whether parsed JSON holds rows with evaluations."""
    rows = objects(part({"": content}, "", "rows") or [])
    return bool(rows) and {"row_digest", "evaluations"} <= rows[0].keys()


def is_weave_calls(content: object) -> bool:
    """Tell whether parsed JSON lines are calls."""
    return {"op_name", "inputs", "output"} <= first_object(content).keys()


def is_weave_feedback(content: object) -> bool:
    """Tell whether parsed JSON holds feedback."""
    return {"feedback_type", "payload", "creator"} <= first_object(content).keys()


def read_weave(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read one score of every trial."""
    rows = (
        {
            "item": text(row["row_digest"]),
            "system": text(evaluation.get("display_name")) or text(evaluation.get("evaluation_call_id")),
            "run": str(place),
            "question": path,
            "response": value,
            **groups_of(row.get("raw_data_row")),
        }
        for row in objects(content["rows"])
        for evaluation in objects(row["evaluations"])
        for place, trial in enumerate(objects(evaluation.get("trials") or []), start=1)
        for path, value in _leaves(trial.get("scores"), "")
    )
    return log_table(name, RESULTS, packed(one_each(rows)), choice)


def read_weave_calls(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read one score of every call that scored an output; the other calls are its parts."""
    found = packed((_call(call) for call in each_object(content)), "item", "system", LEFT_OUT)
    dropped = [DroppedRows(reason, int((found[LEFT_OUT] == reason).sum())) for reason in REASONS]
    scored = found.filter(pl.col(LEFT_OUT).is_null())
    return log_table(name, CALLS, numbered(scored, "item", "system"), choice, dropped)


def _call(call: Mapping[str, Any]) -> list[Row]:
    """The scores of a call, or why it has none."""
    part_of, failed, unscored = REASONS
    if not any(word in str(call["op_name"]) for word in SCORING):
        return [{LEFT_OUT: part_of}]
    if call.get("exception") or not isinstance(call.get("output"), dict):
        return [{LEFT_OUT: failed}]
    place = {"item": _example(call), "system": _model(call), **groups_of(part(call, "inputs", "example"))}
    rows = [{**place, "question": path, "response": value} for path, value in _leaves(call["output"].get("scores"), "")]
    return rows or [{LEFT_OUT: unscored}]


def _example(call: Mapping[str, Any]) -> str:
    """Name a row as every version of its data set does, by the end of its reference."""
    example = part(call, "inputs", "example")
    return example.rpartition(ROW)[2] if isinstance(example, str) and ROW in example else digest(example)


def _model(call: Mapping[str, Any]) -> str | None:
    """The model's name and version, the end of its reference; a model written whole has a name, or is hashed."""
    model = part(call, "inputs", "model") or part(call, "inputs", "self")
    if isinstance(model, dict):
        return text(model.get("name")) or digest(model)
    return text(model.rpartition("/")[2]) if isinstance(model, str) else None


def read_weave_feedback(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read what people annotated; notes and reactions are no ratings."""
    given = objects(content)
    kept = [each for each in given if str(each["feedback_type"]).startswith(ANNOTATION)]
    rows = (
        {
            "item": text(each.get("call_ref")) or text(each.get("weave_ref")),
            "rater": text(each["creator"]),
            "question": str(each["feedback_type"]).removeprefix(ANNOTATION),
            "response": text(part(each, "payload", "value")),
        }
        for each in kept
    )
    return log_table(
        name, ANNOTATIONS, packed(one_each(rows)), choice, [DroppedRows("a note or reaction", len(given) - len(kept))]
    )


def _leaves(score: object, path: str, depth: int = 0) -> Iterator[tuple[str, str | None]]:
    if isinstance(score, dict) and depth < DEEPEST:
        for key, inner in score.items():
            yield from _leaves(inner, f"{path}.{key}" if path else key, depth + 1)
    elif path and not isinstance(score, list | dict):
        yield path, grade(score)
