"""Argilla 2: records with responses, nested (`to_json`, `to_disk`) or flat (`to_list(flatten=True)`, `to_datasets`).

Only the flat form says which responses were submitted; in the nested one drafts and discarded answers look alike. A
ranking is a vote between any two of its options.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
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
    log_table,
    objects,
    ranked_votes,
    records_of,
    text,
)
from quorate.data.formats.packed_rows import ASIDE, Row, packed
from quorate.data.reading import LogChoice

NESTED = Layout("records of Argilla", "ratings", {"item": "id", "rater": "user_id", "response": "NAME"}, "questions")
FLAT = replace(NESTED, mapping={**NESTED.mapping, "rater": "responses.users"})
VOTES = {"system_a": "an option of NAME", "system_b": "another", "winner": "the better place in NAME"}
RANKED, STATUS = f"{ASIDE}ranked", f"{ASIDE}status"
"""Where the places of a ranking wait until it is known which question is read."""
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


def is_argilla_table(columns: Sequence[str]) -> bool:
    """Tell whether columns are those of a data set (`to_datasets`)."""
    return is_flat_argilla(dict.fromkeys(columns))


def read_argilla_table(name: str, frame: pl.DataFrame, choice: LogChoice) -> LogTable:
    """Read a saved data set as the flat records it holds."""
    return read_flat_argilla(name, records_of(frame), choice)


def read_argilla(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read nested records, and say that their status is unknown."""
    rows = packed(_nested(record) for record in each_object(content))
    return log_table(name, *_of_kind(NESTED, rows, choice), choice, notes=[UNSAID])


def read_flat_argilla(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read flat records: the responses that were submitted."""
    found = packed((_flat(record) for record in each_object(content)), STATUS)
    rows = found.filter(pl.col(STATUS).fill_null(SUBMITTED) == SUBMITTED)
    dropped = [DroppedRows("a draft, or discarded by the rater", found.height - rows.height)]
    return log_table(name, *_of_kind(FLAT, rows, choice), choice, dropped)


def _of_kind(layout: Layout, rows: pl.DataFrame, choice: LogChoice) -> tuple[Layout, pl.DataFrame]:
    """Return ratings, or votes if the question asked for, or the only one, is a ranking."""
    if RANKED not in rows.columns:  # no question is a ranking
        return layout, rows
    ranked = set(rows.filter(pl.col(RANKED).is_not_null())["question"])
    asked = {choice.score} if choice.score is not None else set(rows["question"])
    if not asked <= ranked:
        return layout, rows
    votes = packed(_votes(row) for row in rows.filter(pl.col("question").is_in(list(asked))).iter_rows(named=True))
    return replace(layout, kind="preferences", mapping={**layout.mapping, **VOTES}), votes


def _votes(row: Row) -> Iterator[Row]:
    """The votes a ranking stands for; what is alike of all of them stands beside each."""
    alike = {key: cell for key, cell in row.items() if key != "response" and not key.startswith(ASIDE)}
    places = [tuple(each) for each in json.loads(row[RANKED] or "[]")]
    yield from (alike | vote for vote in ranked_votes(places))


def _nested(record: Mapping[str, Any]) -> Iterator[Row]:
    groups = groups_of(record.get("metadata"))
    for question, responses in record["responses"].items():
        for response in objects(responses):
            place: Row = {"item": text(record["id"]), "rater": text(response.get("user_id")), "question": question}
            yield place | _answer(response.get("value")) | groups


def _flat(record: Mapping[str, Any]) -> Iterator[Row]:
    asked = [key.removesuffix(ENDING) for key in record if key.endswith(ENDING)]
    inside = tuple(f"{question}." for question in asked)
    groups = groups_of({key: value for key, value in record.items() if not key.startswith(inside) and key not in OWN})
    for question in asked:
        values = record[question + ENDING] or []
        users = record.get(f"{question}{ENDING}.users") or [None] * len(values)
        states = record.get(f"{question}{ENDING}.status") or [None] * len(values)
        for value, user, status in zip(values, users, states, strict=True):
            base: Row = {"item": text(record["id"]), "rater": text(user), "question": question}
            yield base | _answer(value) | groups | {STATUS: text(status)}


def _answer(value: object) -> Row:
    """Write an answer; several labels are joined, a ranking is written from the best down, with its places."""
    if not isinstance(value, list):
        return {"response": text(value)}
    cells = [text(each.get("value") if isinstance(each, dict) else each) for each in value]
    places = [text(each.get("rank")) for each in value if isinstance(each, dict)]
    if not value or len(places) < len(value) or None in places:
        return {"response": "+".join(cell for cell in cells if cell) or None}
    order = sorted(zip(cells, places, strict=True), key=lambda each: float(each[1] or 0))
    return {"response": ">".join(str(cell) for cell, _ in order), RANKED: json.dumps(order)}
