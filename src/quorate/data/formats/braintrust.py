"""Braintrust: events of experiments; root spans are the items' outputs, each with its scores from 0 to 1."""

from collections.abc import Mapping
from typing import Any

from quorate.data.formats.log_table import (
    Dropped,
    Layout,
    LogTable,
    Row,
    digest,
    first_object,
    grade,
    log_table,
    numbered,
    objects,
    part,
    text,
)
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


def is_braintrust(content: object) -> bool:
    """Tell whether parsed JSON holds events of an experiment."""
    return {"experiment_id", "root_span_id", "scores", "input"} <= first_object(content).keys()


def read_braintrust(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read one score of every root span."""
    events = objects(content)
    roots = [event for event in events if event.get("is_root", event.get("span_id") == event["root_span_id"])]
    good = [event for event in roots if not event.get("error")]
    places = numbered([_place(event) for event in good], "item", "system")
    rows = [
        {**place, "question": key, "response": grade(value)}
        for place, event in zip(places, good, strict=True)
        for key, value in (event["scores"] or {}).items()
    ]
    dropped = [
        Dropped("a part of an output, not the output (no root span)", len(events) - len(roots)),
        Dropped("the output failed with an error; it is not scored 0", len(roots) - len(good)),
    ]
    return log_table(name, LAYOUT, rows, choice, dropped)


def _place(event: Mapping[str, Any]) -> Row:
    return {"item": text(part(event, "origin", "id")) or digest(event["input"]), "system": text(event["experiment_id"])}
