"""Braintrust: events of experiments; root spans are the items' outputs, scored from 0 to 1 there or in spans below.

What failed, an answer or a scorer, is scored 0 there where it is so asked, beside the error; it is no score.
"""

from collections.abc import Mapping, Sequence
from typing import Any

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
    text,
)
from quorate.data.formats.packed_rows import Row, numbered, packed
from quorate.data.reading import LogChoice

LAYOUT = Layout(
    "an experiment of Braintrust",
    "scores",
    {
        "item": "origin.id (hash of input where there is none)",
        "system": "experiment_id",
        "run": "order among equal items",
        "response": "scores.NAME",
    },
)
SCORE = "score"
"""The type of a span in which a scorer wrote what it found."""


def is_braintrust(content: object) -> bool:
    """Tell whether parsed JSON holds events of an experiment."""
    return {"experiment_id", "root_span_id", "span_id", "input"} <= first_object(content).keys()


def read_braintrust(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read one score of every root span."""
    events = objects(content)
    roots = [event for event in events if _is_root(event)]
    scorers = [event for event in events if not _is_root(event) and part(event, "span_attributes", "type") == SCORE]
    good = [event for event in roots if not event.get("error")]
    below: dict[str, list[Mapping[str, Any]]] = {}
    for event in scorers:
        below.setdefault(str(event["root_span_id"]), []).append(event)
    rows, failed = [], 0
    for event in good:
        errors = part(event, "metadata", "scorer_errors") or {}
        scores = _scores([*below.get(str(event["root_span_id"]), []), event])
        rows.append(
            [{**_place(event), "question": key, "response": scores[key]} for key in scores if key not in errors]
        )
        failed += len(errors)
    dropped = [
        DroppedRows("a part of an output, not the output (no root span)", len(events) - len(roots) - len(scorers)),
        DroppedRows("the output failed with an error; it is not scored 0", len(roots) - len(good)),
        DroppedRows("the scorer failed with an error; it is not 0", failed),
    ]
    return log_table(name, LAYOUT, numbered(packed(rows, "item", "system"), "item", "system"), choice, dropped)


def _is_root(event: Mapping[str, Any]) -> bool:
    """Tell whether an event is a whole output; one that the client sent does not say so, but has no parents."""
    said = event.get("is_root")
    if said is not None:
        return bool(said)
    return not event["span_parents"] if "span_parents" in event else event["span_id"] == event["root_span_id"]


def _scores(events: Sequence[Mapping[str, Any]]) -> Row:
    """Return the scores of an output by name; what the root says, which comes last, stands."""
    found = [(key, grade(value)) for event in events for key, value in (event.get("scores") or {}).items()]
    return dict(found)


def _place(event: Mapping[str, Any]) -> Row:
    return {"item": text(part(event, "origin", "id")) or digest(event["input"]), "system": text(event["experiment_id"])}
