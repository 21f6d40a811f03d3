"""Label Studio: JSON, JSON_MIN and CSV exports of choices, ratings, numbers and comparisons.

Cancelled annotations are none, and the ground truth is no rating; a ranking is a vote between any two. One question
(`from_name`) is read. In CSV a choice is plain text, but a rating is the JSON text
``[{"rating": 4}]``: lists of one value are unwrapped.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from quorate.data.formats.log_table import (
    Dropped,
    Layout,
    LogTable,
    Row,
    first_object,
    groups_of,
    log_table,
    objects,
    part,
    ranked_votes,
    text,
    text_cells,
)
from quorate.data.json_table import loads_json
from quorate.data.reading import LogChoice

RATINGS = Layout(
    "a Label Studio export", "ratings", {"item": "id", "rater": "completed_by", "response": "NAME"}, "questions"
)
FLAT = replace(RATINGS, mapping={**RATINGS.mapping, "rater": "annotator"})
VOTES = replace(
    RATINGS,
    kind="preferences",
    mapping={**RATINGS.mapping, "winner": "NAME", "system_a": "left", "system_b": "right"},
)
FIXED = {"id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement"}
VALUES = ("choices", "rating", "number", "text", "selected", "taxonomy", "ranker")
"""The key of a control's value, by kind of control."""
SIDES, SIDE_COLUMNS = ("left", "right"), ("winner", "system_a", "system_b")
NAMES = (("model_a", "model_b"), ("system_a", "system_b"), ("left_model", "right_model"), ("model_left", "model_right"))
"""Fields of a task that may say which system's output stood left and right."""
SKIPPED = "cancelled or skipped by the rater"
GOLD = "marked as ground truth, which is an expert's label"


def is_label_studio(content: object) -> bool:
    """Tell whether parsed JSON holds tasks with annotations."""
    task = first_object(content)
    given = task.get("annotations", task.get("completions"))
    return isinstance(task.get("data"), dict) and isinstance(given, list) and "id" in task


def is_label_studio_min(content: object) -> bool:
    """Tell whether parsed JSON is the short export, a row per annotation."""
    return isinstance(content, list) and {"id", "annotator", "annotation_id"} <= first_object(content).keys()


def is_label_studio_table(columns: Sequence[str]) -> bool:
    """Tell whether columns are those of the CSV export."""
    return {"id", "annotator", "annotation_id", "lead_time"} <= set(columns)


def read_label_studio(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read what people annotated, task by task."""
    tasks = objects(content)
    given = [(task, each) for task in tasks for each in objects(task.get("annotations", task.get("completions", [])))]
    kept = [(task, each) for task, each in given if not each.get("was_cancelled") and not each.get("skipped")]
    rated = [(task, each) for task, each in kept if not each.get("ground_truth")] or kept
    rows = [row for task, annotation in rated for row in _rows(task, annotation)]
    several = [row for row in rows if row.pop("several", None)]
    sided = {row["question"] for row in rows if row.get("winner")}
    chosen = choice.score or (rows[0]["question"] if len({row["question"] for row in rows}) == 1 else None)
    votes = bool(rows) and chosen in sided
    if not votes:
        rows = [{**row, "response": row.get("response") or row.get("winner")} for row in rows]
        rows = [{key: cell for key, cell in row.items() if key not in SIDE_COLUMNS} for row in rows]
    notes = ["several choices in one answer are read as one label, joined by +"] if several else []
    dropped = [Dropped(SKIPPED, len(given) - len(kept)), Dropped(GOLD, len(kept) - len(rated))]
    return log_table(name, VOTES if votes else RATINGS, rows, choice, dropped, notes)


def _rows(task: Mapping[str, Any], annotation: Mapping[str, Any]) -> Iterator[Row]:
    groups = groups_of(task.get("data"))
    for result in objects(annotation.get("result", [])):
        value = result.get("value")
        key = next((key for key in VALUES if isinstance(value, dict) and key in value), None)
        if key is None or not isinstance(value, dict):
            continue
        base: Row = {"item": text(task["id"]), "rater": _person(annotation.get("completed_by"))}
        base |= {"question": text(result.get("from_name"))} | groups
        if key == "ranker":
            yield from (base | vote for vote in ranked_votes(_places(value[key])))
            continue
        cell, several = _single(value[key])
        row = base | {"response": cell, **({"several": "yes"} if several else {})}
        yield _vote(row, task) if key == "selected" else row


def _places(ranker: object) -> list[tuple[str, str]]:
    """The members of a ranked list with their places; sorted into several buckets they have no order."""
    lists = [each for each in ranker.values() if isinstance(each, list)] if isinstance(ranker, dict) else []
    return [(str(each), str(place)) for place, each in enumerate(lists[0])] if len(lists) == 1 else []


def _vote(row: Row, task: Mapping[str, Any]) -> Row:
    """Turn a side that was selected into a vote; the task may say whose output stood there."""
    data = task["data"]
    names = next((pair for pair in NAMES if all(text(data.get(each)) for each in pair)), None)
    left, right = (text(data[each]) for each in names) if names else SIDES
    winner = left if row.pop("response") == "left" else right
    aside = {key: cell for key, cell in row.items() if names is None or key not in names}
    return aside | {"system_a": left, "system_b": right, "winner": winner}


def _single(value: object) -> tuple[str | None, bool]:
    """Unwrap a list of one; several labels become one, in the order of their names."""
    if not isinstance(value, list):
        return text(value), False
    cells = sorted({cell for each in value if (cell := text(each)) is not None})
    return ("+".join(cells) or None), len(cells) > 1


def _person(who: object) -> str | None:
    return text(part({"": who}, "", "email") or part({"": who}, "", "id")) if isinstance(who, dict) else text(who)


def read_label_studio_min(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read the short export; which keys are questions is seen by which were asked of everybody."""
    return _flat(name, objects(content), choice)


def read_label_studio_table(name: str, frame: pl.DataFrame, choice: LogChoice) -> LogTable:
    """Read the CSV export."""
    return _flat(name, text_cells(name, frame), choice)


def _flat(name: str, records: Sequence[Mapping[str, Any]], choice: LogChoice) -> LogTable:
    keys = [key for key in dict.fromkeys(key for each in records for key in each) if key not in FIXED]
    steady = {key for key in keys if _says_one_thing(records, key)}  # a field of the task, the same for every rater
    questions = [key for key in keys if key not in steady] or keys
    rows = [
        {
            "item": text(each.get("id")),
            "rater": _person(each.get("annotator")),
            "question": key,
            "response": _unwrapped(each.get(key)),
            **groups_of({group: each.get(group) for group in steady if group != choice.score}),
        }
        for each in records
        for key in ([*questions, choice.score] if choice.score in steady else questions)
    ]
    return log_table(name, FLAT, rows, choice)


def _says_one_thing(records: Sequence[Mapping[str, Any]], key: str) -> bool:
    """Tell whether a key says the same in all annotations of a task, and tasks have several of them."""
    said: dict[str | None, set[str]] = {}
    for each in records:
        said.setdefault(text(each.get("id")), set()).add(json.dumps(each.get(key), default=str))
    return len(said) < len(records) and all(len(values) == 1 for values in said.values())


def _unwrapped(value: object) -> str | None:
    """Return the one value of a list such as ``[{"rating": 4}]``, as JSON or as its text."""
    if isinstance(value, str) and value[:2] in ("[{", '["'):
        try:
            value = loads_json(value)
        except ValueError:
            return text(value)
    if isinstance(value, list) and len(value) == 1:
        [only] = value
        value = next((only[key] for key in VALUES if key in only), None) if isinstance(only, dict) else only
    if isinstance(value, dict):
        value = value.get("choices")
    return _single(value)[0]
