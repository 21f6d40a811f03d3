"""Phoenix: an experiment as JSON, runs of examples with their annotations; raters have no name there."""

from typing import Any

from quorate.data.formats.log_table import Dropped, LogRows, LogTable, first_object, grade, log_table, objects, text
from quorate.data.reading import LogChoice

TOOL = "an experiment of Phoenix"
MAPPING = {"item": "example_id", "run": "repetition_number", "response": "score (else label) of NAME"}


def is_phoenix(content: object) -> bool:
    """Tell whether parsed JSON holds runs of an experiment."""
    return {"example_id", "repetition_number", "annotations"} <= first_object(content).keys()


def read_phoenix(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read one annotation of every run."""
    runs = objects(content)
    good = [run for run in runs if not run.get("error")]
    rows = [
        {
            "item": text(run["example_id"]),
            "run": text(run["repetition_number"]),
            "question": text(each.get("name")),
            "response": grade(each.get("score")) or text(each.get("label")),
        }
        for run in good
        for each in objects(run["annotations"])
    ]
    dropped = [Dropped("the run failed with an error; it is not scored 0", len(runs) - len(good))]
    return log_table(name, LogRows(rows, TOOL, "scores", MAPPING, dropped, called="annotations"), choice)
