"""Every Eval Ever: `<uuid>_samples.jsonl`, a shared layout that converters write from several harnesses."""

from typing import Any

from quorate.data.formats.log_table import Layout, LogTable, first_object, grade, log_table, objects, part, text
from quorate.data.reading import LogChoice

LAYOUT = Layout(
    "samples of Every Eval Ever",
    "scores",
    {"item": "sample_hash (sample_id where there is none)", "system": "model_id", "response": "evaluation.score"},
    "evaluations",
)


def is_every_eval_ever(content: object) -> bool:
    """Tell whether parsed JSON lines are samples of the layout."""
    return {"schema_version", "model_id", "sample_id", "evaluation"} <= first_object(content).keys()


def read_every_eval_ever(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read the score of every sample; where a file holds several evaluations, of one of them."""
    samples = objects(content)
    hashed = all(text(sample.get("sample_hash")) for sample in samples)
    names = {text(sample.get("evaluation_name")) for sample in samples}
    rows = [
        {
            "item": text(sample["sample_hash"] if hashed else sample["sample_id"]),
            "system": text(sample["model_id"]),
            "response": grade(part(sample, "evaluation", "score")),
            **({"question": text(sample.get("evaluation_name"))} if len(names) > 1 else {}),
        }
        for sample in samples
    ]
    scope = next(iter(names)) if len(names) == 1 else None
    return log_table(name, LAYOUT, rows, choice, scope=scope or "")
