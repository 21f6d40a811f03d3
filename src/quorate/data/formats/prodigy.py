"""Prodigy: JSON lines, an answer each; a choice among options, or yes and no to one label.

The session is called like the data set, a hyphen and the rater's name; an answer that was ignored is missing.
"""

from collections.abc import Mapping, Sequence
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

TOOL = "answers of Prodigy"
MAPPING = {"item": "_input_hash", "rater": "_annotator_id", "response": "accept, or answer"}


def is_prodigy(content: object) -> bool:
    """Tell whether parsed JSON lines are Prodigy's."""
    return {"_input_hash", "_task_hash", "answer"} <= first_object(content).keys()


def read_prodigy(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read the options people chose, or whether they accepted a label."""
    lines = objects(content)
    said = [line for line in lines if line.get("answer") != "ignore"]
    people = [text(line.get("_annotator_id")) or text(line.get("_session_id")) for line in lines]
    prefix = _prefix([person for person in people if person])
    rows = [_row(line, prefix) for line in said]
    labelled = len({row.get("question") for row in rows}) > 1
    dropped = [Dropped("ignored by the rater", len(lines) - len(said))]
    log = LogRows(
        rows if labelled else [{key: cell for key, cell in row.items() if key != "question"} for row in rows],
        TOOL,
        "ratings",
        MAPPING,
        dropped,
        called="questions",
    )
    return log_table(name, log, choice)


def _row(line: Mapping[str, Any], prefix: str) -> Row:
    person = text(line.get("_annotator_id")) or text(line.get("_session_id"))
    accepted = line.get("accept")
    chosen = "+".join(sorted(filter(None, map(text, accepted)))) if isinstance(accepted, list) else None
    response = chosen or None if isinstance(accepted, list) and "options" in line else text(line["answer"])
    return {
        "item": text(line["_input_hash"]),
        "rater": person.removeprefix(prefix) if person else None,
        "question": text(line.get("label")),
        "response": response,
        **groups_of(line.get("meta")),
    }


def _prefix(people: Sequence[str]) -> str:
    """The data set before the raters' names, up to the last hyphen, if all sessions share it."""
    sets = {person.rpartition("-")[0] for person in people}
    return f"{sets.pop()}-" if len(sets) == 1 and "" not in sets else ""
