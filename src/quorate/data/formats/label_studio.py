"""Label Studio: JSON, JSON_MIN and CSV exports of choices, ratings, numbers and comparisons.

Cancelled annotations are none, and the ground truth is no rating; a ranking is a vote between any two. One question
(`from_name`) is read. In CSV a choice is plain text, but a rating is the JSON text
``[{"rating": 4}]``: lists of one value are unwrapped.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import polars as pl

from quorate.data.formats.log_table import (
    DroppedRows,
    Layout,
    LogTable,
    each_object,
    first_object,
    groups_of,
    is_list,
    log_table,
    objects,
    part,
    ranked_votes,
    text,
    text_cells,
)
from quorate.data.formats.packed_rows import ASIDE, Row, packed, records_in
from quorate.data.json_values import loads_json
from quorate.data.reading import LogChoice

RATINGS = Layout(
    "a Label Studio export", "ratings", {"item": "id", "rater": "completed_by", "response": "NAME"}, "questions"
)
FLAT = replace(RATINGS, mapping={**RATINGS.mapping, "rater": "annotator"})
VOTE = {"winner": "NAME", "system_a": "left", "system_b": "right"}
FIXED = {"id", "annotator", "annotation_id", "created_at", "updated_at", "lead_time", "agreement"}
VALUES = ("choices", "rating", "number", "text", "selected", "taxonomy", "ranker")
"""The key of a control's value, by kind of control."""
SIDES = ("left", "right")
SEVERAL, STATE = f"{ASIDE}several", f"{ASIDE}state"
COLUMNS = ("question", "response", "winner", "system_a", "system_b", SEVERAL)
NAMES = (("model_a", "model_b"), ("system_a", "system_b"), ("left_model", "right_model"), ("model_left", "model_right"))
"""Fields of a task that may say which system's output stood left and right."""
SKIPPED = "cancelled or skipped by the rater"
GOLD = "marked as ground truth, which is an expert's label"
SILENT = "nothing was answered"


def is_label_studio(content: object) -> bool:
    """Tell whether parsed JSON holds tasks with annotations."""
    task = first_object(content)
    given = task.get("annotations", task.get("completions"))
    return isinstance(task.get("data"), dict) and isinstance(given, list) and "id" in task


def is_label_studio_min(content: object) -> bool:
    """Tell whether parsed JSON is the short export, a row per annotation."""
    return is_list(content) and {"id", "annotator", "annotation_id"} <= first_object(content).keys()


def is_label_studio_table(columns: Sequence[str]) -> bool:
    """Tell whether columns are those of the CSV export."""
    return {"id", "annotator", "annotation_id", "lead_time"} <= set(columns)


def read_label_studio(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read what people annotated, task by task."""
    given = ((task, each) for task in each_object(content) for each in objects(_given(task)))
    found = packed((_rows(task, each) for task, each in given), *COLUMNS, STATE)
    rated = found.filter(pl.col(STATE).is_null())
    if rated.is_empty():  # nobody but the experts
        rated = found.filter(pl.col(STATE) == GOLD)
    left = [(reason, found.filter(pl.col(STATE) == reason)) for reason in (SKIPPED, GOLD, SILENT)]
    dropped = [DroppedRows(reason, records_in(rows)) for reason, rows in left if not rated[STATE].eq(reason).any()]
    return _laid_out(name, RATINGS, rated, choice, dropped)


def _given(task: Mapping[str, Any]) -> object:
    return task.get("annotations", task.get("completions", []))


def _laid_out(
    name: str, layout: Layout, rows: pl.DataFrame, choice: LogChoice, dropped: Sequence[DroppedRows] = ()
) -> LogTable:
    """Lay answers out as ratings, or as votes if the question that is read is a comparison."""
    asked = rows["question"].unique().to_list()
    chosen = choice.score or (asked[0] if len(asked) == 1 else None)
    read = rows.filter(pl.col("question").eq_missing(chosen))
    notes = ["several choices in one answer are read as one label, joined by +"] if read[SEVERAL].count() else []
    if read["winner"].count():
        votes = replace(layout, kind="preferences", mapping={**layout.mapping, **VOTE})
        return log_table(name, votes, rows, choice, dropped, notes)
    rows = rows.with_columns(pl.coalesce("response", "winner").alias("response"))
    return log_table(name, layout, rows.drop(VOTE), choice, dropped, notes)


def _rows(task: Mapping[str, Any], annotation: Mapping[str, Any]) -> Iterator[Row]:
    """The answers of an annotation; of one that is left out, why."""
    state = SKIPPED if annotation.get("was_cancelled") or annotation.get("skipped") else None
    state = state or (GOLD if annotation.get("ground_truth") else None)
    state = state or (None if annotation.get("result") else SILENT)
    answers = list(_of_person(task, annotation))
    if state is not None and not answers:
        yield {STATE: state}
    yield from (row | {STATE: state} for row in answers)


def _of_person(task: Mapping[str, Any], annotation: Mapping[str, Any]) -> Iterator[Row]:
    groups = groups_of(task.get("data"))
    for result in objects(annotation.get("result", [])):
        base: Row = {"item": text(task["id"]), "rater": _person(annotation.get("completed_by"))}
        value = result.get("value")
        if isinstance(value, dict):
            yield from _answers(base | {"question": text(result.get("from_name"))} | groups, value, task["data"])


def _answers(base: Row, value: Mapping[str, Any], data: Mapping[str, Any]) -> Iterator[Row]:
    """What the value of a control says: a response, a vote, or as many as a ranking stands for."""
    key = next((key for key in VALUES if key in value), None)
    if key == "ranker":
        yield from (base | vote for vote in ranked_votes(_places(value[key])))
    elif key is not None:
        cell, several = _single(value[key])
        row = base | {"response": cell, **({SEVERAL: "yes"} if several else {})}
        yield _vote(row, data) if key == "selected" else row


def _places(ranker: object) -> list[tuple[str, str]]:
    """The members of a ranked list with their places; sorted into several buckets they have no order."""
    lists = [each for each in ranker.values() if isinstance(each, list)] if isinstance(ranker, dict) else []
    return [(str(each), str(place)) for place, each in enumerate(lists[0])] if len(lists) == 1 else []


def _vote(row: Row, data: Mapping[str, Any]) -> Row:
    """Turn a side that was selected into a vote; the task's data may say whose output stood there."""
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
    steady = [key for key in keys if _says_one_thing(records, key)]  # a field of the task, the same for every rater
    questions = [key for key in keys if key not in steady] or keys
    questions += [choice.score] if choice.score in steady else []
    found = ([row for key in questions for row in _flat_rows(each, key, steady, choice)] for each in records)
    return _laid_out(name, FLAT, packed(found, *COLUMNS), choice)


def _flat_rows(record: Mapping[str, Any], key: str, steady: Sequence[str], choice: LogChoice) -> list[Row]:
    base: Row = {"item": text(record.get("id")), "rater": _person(record.get("annotator")), "question": key}
    base |= groups_of({group: record.get(group) for group in steady if group != choice.score})
    return list(_answers(base, _opened(record.get(key)), record)) or [base | {"response": None}]


def _says_one_thing(records: Sequence[Mapping[str, Any]], key: str) -> bool:
    """Tell whether a key says the same in all annotations of a task, and tasks have several of them."""
    said: dict[str | None, set[str]] = {}
    for each in records:
        said.setdefault(text(each.get("id")), set()).add(json.dumps(each.get(key), default=str))
    return len(said) < len(records) and all(len(values) == 1 for values in said.values())


def _opened(cell: object) -> Mapping[str, Any]:
    """Return the value of a control as the long export has it, from ``[{"rating": 4}]``, its text, or a bare label."""
    if isinstance(cell, str) and cell[:1] in ("[", "{"):
        with suppress(ValueError):
            cell = loads_json(cell)
    if isinstance(cell, list) and len(cell) == 1:
        [cell] = cell
    return cell if isinstance(cell, dict) else {"text": cell}
