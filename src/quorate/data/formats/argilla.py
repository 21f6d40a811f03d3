"""Argilla 2: records with responses, nested (`to_json`, `to_disk`) or flat (`to_list(flatten=True)`, `to_datasets`).

Only the flat form says which responses were submitted; in the nested one drafts and discarded answers look alike.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from quorate.data.formats.log_table import (
    Dropped,
    LogRows,
    LogTable,
    Row,
    first_object,
    groups_of,
    log_table,
    objects,
    text,
)
from quorate.data.reading import LogChoice

TOOL = "records of Argilla"
MAPPING = {"item": "id", "rater": "user_id", "response": "NAME"}
ENDING, OWN = ".responses", ("id", "status", "_server_id")
SUBMITTED = "submitted"
UNSAID = "the export does not say which responses were only drafts or discarded; write it flat: to_list(flatten=True)"


def is_argilla(content: object) -> bool:
    """Tell whether parsed JSON holds nested records."""
    record = first_object(content)
    return isinstance(record.get("responses"), dict) and {"id", "fields", "suggestions"} <= record.keys()


def is_flat_argilla(content: object) -> bool:
    """Tell whether parsed JSON holds flat records."""
    record = first_object(content)
    return any(key.endswith(ENDING) and f"{key}.users" in record for key in record)


def read_argilla(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read nested records, and say that their status is unknown."""
    rows = [row for record in objects(content) for row in _nested(record)]
    return log_table(name, LogRows(rows, TOOL, "ratings", MAPPING, notes=[UNSAID], called="questions"), choice)


def read_flat_argilla(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read flat records: the responses that were submitted."""
    found = [each for record in objects(content) for each in _flat(record)]
    rows = [row for row, status in found if status in (None, SUBMITTED)]
    dropped = [Dropped("a draft, or discarded by the rater", len(found) - len(rows))]
    mapping = {**MAPPING, "rater": "responses.users"}
    return log_table(name, LogRows(rows, TOOL, "ratings", mapping, dropped, called="questions"), choice)


def _nested(record: Mapping[str, Any]) -> Iterator[Row]:
    groups = groups_of(record.get("metadata"))
    for question, responses in record["responses"].items():
        for response in objects(responses):
            rater, said = text(response.get("user_id")), _value(response.get("value"))
            yield {"item": text(record["id"]), "rater": rater, "question": question, "response": said, **groups}


def _flat(record: Mapping[str, Any]) -> Iterator[tuple[Row, str | None]]:
    asked = [key.removesuffix(ENDING) for key in record if key.endswith(ENDING)]
    inside = tuple(f"{question}." for question in asked)
    groups = groups_of({key: value for key, value in record.items() if not key.startswith(inside) and key not in OWN})
    for question in asked:
        values = record[question + ENDING] or []
        users = record.get(f"{question}{ENDING}.users") or [None] * len(values)
        states = record.get(f"{question}{ENDING}.status") or [None] * len(values)
        for value, user, status in zip(values, users, states, strict=True):
            base: Row = {"item": text(record["id"]), "rater": text(user), "question": question}
            yield base | {"response": _value(value)} | groups, text(status)


def _value(value: object) -> str | None:
    """Write an answer; several labels are joined, a ranking is written from the best down."""
    if isinstance(value, list):
        cells = [text(each.get("value") if isinstance(each, dict) else each) for each in value]
        ranked = any(isinstance(each, dict) and "rank" in each for each in value)
        return (">" if ranked else "+").join(cell for cell in cells if cell) or None
    return text(value)
