"""Prodigy: JSON lines, an answer each; a choice among options, or yes and no to one label.

The session is called like the data set, a hyphen and the rater's name; an answer that was ignored is missing. Two
outputs A and B to choose from are a comparison.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from quorate.data.formats.log_table import (
    DroppedRows,
    Layout,
    LogTable,
    digest,
    first_object,
    groups_of,
    log_table,
    objects,
    text,
)
from quorate.data.formats.packed_rows import Row, one_each, packed
from quorate.data.reading import LogChoice

RATINGS = Layout(
    "answers of Prodigy",
    "ratings",
    {"item": "_input_hash", "rater": "_annotator_id", "response": "accept, or answer"},
    "questions",
)
VOTES = Layout(
    "comparisons of Prodigy",
    "preferences",
    {
        "item": "_input_hash",
        "rater": "_annotator_id",
        "system_a": "option A",
        "system_b": "option B",
        "winner": "accept",
        "shown_first": "the first of options",
    },
)
SIDES = ("A", "B")
"""The ids of two outputs that are compared; they are shown in any order."""


def is_prodigy(content: object) -> bool:
    """Tell whether parsed JSON lines are Prodigy's."""
    return {"_input_hash", "_task_hash", "answer"} <= first_object(content).keys()


def read_prodigy(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read the options people chose, or whether they accepted a label."""
    lines = objects(content)
    said = [line for line in lines if line.get("answer") != "ignore"]
    people = [text(line.get("_annotator_id")) or text(line.get("_session_id")) for line in lines]
    prefix = _prefix([person for person in people if person])
    answered = [line for line in said if "options" not in line or line.get("answer") != "reject"]
    dropped = [
        DroppedRows("ignored by the rater", len(lines) - len(said)),
        DroppedRows("rejected by the rater: none of the options was chosen", len(said) - len(answered)),
    ]
    if _compares(answered):
        return log_table(name, VOTES, packed(one_each(_vote(line, prefix) for line in answered)), choice, dropped)
    rows = packed(one_each(_row(line, prefix) for line in answered), "question")
    labelled = rows["question"].n_unique() > 1
    return log_table(name, RATINGS, rows if labelled else rows.drop("question"), choice, dropped)


def _compares(lines: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether two outputs, another two for each item, were shown to be chosen from."""
    shown = [sorted(objects(line.get("options") or []), key=lambda each: str(each.get("id"))) for line in lines]
    sided = bool(shown) and all([each.get("id") for each in options] == list(SIDES) for options in shown)
    return sided and len({digest(options) for options in shown}) > 1


def _vote(line: Mapping[str, Any], prefix: str) -> Row:
    row = _row(line, prefix)
    first = text(objects(line["options"])[0]["id"])
    winner = row.pop("response")
    row.pop("question")
    return row | {"system_a": SIDES[0], "system_b": SIDES[1], "winner": winner, "shown_first": first}


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
