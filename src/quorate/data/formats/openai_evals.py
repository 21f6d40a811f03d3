"""OpenAI evals: the framework's log, a specification and then events; and output items of its API."""

from collections.abc import Iterator, Mapping
from typing import Any

from quorate.data.formats.log_table import (
    DroppedRows,
    Layout,
    LogTable,
    each_object,
    first_object,
    grade,
    is_list,
    log_table,
    objects,
    part,
    text,
)
from quorate.data.formats.packed_rows import Row, one_each, packed
from quorate.data.reading import LogChoice

LOG = Layout(
    "a log of OpenAI evals",
    "scores",
    {"item": "sample_id", "system": "spec.completion_fns", "response": "data of NAME"},
)
ITEMS = Layout(
    "output items of OpenAI evals",
    "scores",
    {"item": "datasource_item_id", "system": "sample.model", "response": "score of NAME"},
)
SCORED = ("match", "metrics")


def is_openai_evals(content: object) -> bool:
    """Tell whether parsed JSON lines are a log of the framework."""
    return is_list(content) and isinstance(part(first_object(content), "spec", "completion_fns"), list)


def is_openai_items(content: object) -> bool:
    """Tell whether parsed JSON holds output items of the API."""
    return {"datasource_item_id", "results", "sample"} <= first_object(_items(content)).keys()


def read_openai_evals(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read whether samples matched, or one of their metrics."""
    spec = first_object(content)["spec"]
    system, scope = text(spec["completion_fns"][0]), text(spec.get("eval_name")) or ""
    rows = packed(_events(event, system) for event in each_object(content))
    return log_table(name, LOG, rows, choice, scope=scope)


def _events(event: Mapping[str, Any], system: str | None) -> Iterator[Row]:
    if event.get("type") in SCORED and isinstance(event.get("data"), dict):
        place: Row = {"item": text(event.get("sample_id")), "system": system}
        scores = {key: grade(value) for key, value in event["data"].items() if _is_score(value)}
        yield from (place | {"question": key, "response": cell} for key, cell in scores.items())


def _is_score(value: object) -> bool:
    """Tell a number or a verdict from the text that was expected or picked."""
    if isinstance(value, str):
        try:
            return bool(float(value) == float(value))
        except ValueError:
            return False
    return isinstance(value, bool)


def read_openai_items(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read one grader of every item."""
    items = objects(_items(content))
    good = [item for item in items if item.get("status") not in ("error", "fail_error")]
    rows = (
        {
            "item": text(item["datasource_item_id"]),
            "system": text(part(item, "sample", "model")),
            "question": text(each.get("name")),
            "response": grade(each.get("score")),
        }
        for item in good
        for each in objects(item["results"])
    )
    dropped = [DroppedRows("the item failed with an error; it is not scored 0", len(items) - len(good))]
    return log_table(name, ITEMS, packed(one_each(rows)), choice, dropped)


def _items(content: object) -> object:
    return content["data"] if isinstance(content, dict) and isinstance(content.get("data"), list) else content
