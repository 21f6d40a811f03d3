"""W&B Weave: results of evaluations, rows with trials; every scalar leaf of a score is one, by its dotted path."""

from collections.abc import Iterator
from typing import Any

from quorate.data.formats.log_table import LogRows, LogTable, grade, groups_of, log_table, objects, part, text
from quorate.data.reading import LogChoice

TOOL = "evaluations of Weave"
MAPPING = {"item": "row_digest", "system": "evaluation_call_id", "run": "place among trials", "response": "scores.NAME"}
DEEPEST = 10
"""Levels of a score that are looked into."""


def is_weave(content: object) -> bool:
    """Tell whether parsed JSON holds rows with evaluations."""
    rows = objects(part({"": content}, "", "rows") or [])
    return bool(rows) and {"row_digest", "evaluations"} <= rows[0].keys()


def read_weave(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read one score of every trial."""
    rows = [
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
    ]
    if len({row["run"] for row in rows}) < 2:
        rows = [{key: cell for key, cell in row.items() if key != "run"} for row in rows]
    return log_table(name, LogRows(rows, TOOL, "scores", MAPPING), choice)


def _leaves(score: object, path: str, depth: int = 0) -> Iterator[tuple[str, str | None]]:
    if isinstance(score, dict) and depth < DEEPEST:
        for key, inner in score.items():
            yield from _leaves(inner, f"{path}.{key}" if path else key, depth + 1)
    elif path and not isinstance(score, list | dict):
        yield path, grade(score)
