"""Every Eval Ever: `<uuid>_samples.jsonl`, a shared layout that converters write from several harnesses."""

from typing import Any

from quorate.data.formats.log_table import (
    Dropped,
    Layout,
    LogTable,
    first_object,
    grade,
    log_table,
    numbered,
    objects,
    part,
    text,
    told_apart,
)
from quorate.data.reading import LogChoice

LAYOUT = Layout(
    "samples of Every Eval Ever",
    "scores",
    {
        "item": "sample_hash (sample_id where there is none)",
        "system": "model_id",
        "run": "order among equal items",
        "response": "evaluation.score",
    },
    "evaluations",
)
RESULT = "evaluation_result_id"
"""What tells several results of one evaluation apart, such as metrics."""


def is_every_eval_ever(content: object) -> bool:
    """Tell whether parsed JSON lines are samples of the layout."""
    return {"schema_version", "model_id", "sample_id", "evaluation"} <= first_object(content).keys()


def read_every_eval_ever(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read the score of every sample; where a file holds several evaluations or results of one, of one of them."""
    samples = objects(content)
    hashed = all(text(sample.get("sample_hash")) for sample in samples)
    good = [sample for sample in samples if not sample.get("error")]
    rows = [
        {
            "item": text(sample["sample_hash"] if hashed else sample["sample_id"]),
            "system": text(sample["model_id"]),
            "response": grade(part(sample, "evaluation", "score")),
            "question": text(sample.get("evaluation_name")),
            RESULT: text(sample.get(RESULT)),
        }
        for sample in good
    ]
    rows = [{key: cell for key, cell in row.items() if key != RESULT} for row in told_apart(rows, RESULT)]
    repeats = numbered(rows, "item", "system", "question")
    if any(row["run"] != "1" for row in repeats):
        rows = repeats
    names = {row["question"] for row in rows}
    if len(names) == 1:
        rows = [{key: cell for key, cell in row.items() if key != "question"} for row in rows]
    scope = next(iter(names)) if len(names) == 1 else None
    dropped = [Dropped("an error is noted; the score beside it does not count", len(samples) - len(good))]
    return log_table(name, LAYOUT, rows, choice, dropped, scope=scope or "")
