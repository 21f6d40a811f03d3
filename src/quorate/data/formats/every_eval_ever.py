"""Every Eval Ever: `<uuid>_samples.jsonl`, a shared layout that converters write from several harnesses."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from quorate.data.formats.log_table import (
    DroppedRows,
    Layout,
    LogTable,
    each_object,
    first_object,
    grade,
    log_table,
    part,
    text,
)
from quorate.data.formats.packed_rows import ASIDE, Row, numbered, one_each, packed, told_apart
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
HASH, FAILED = f"{ASIDE}hash", f"{ASIDE}failed"
RESULT = "evaluation_result_id"
"""What tells several results of one evaluation apart, such as metrics."""


def is_every_eval_ever(content: object) -> bool:
    """Tell whether parsed JSON lines are samples of the layout."""
    return {"schema_version", "model_id", "sample_id", "evaluation"} <= first_object(content).keys()


def read_every_eval_ever(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read the score of every sample; where a file holds several evaluations or results of one, of one of them."""
    samples = packed(one_each(_row(sample) for sample in each_object(content)), HASH, FAILED)
    if not samples[HASH].null_count():
        samples = samples.with_columns(pl.col(HASH).alias("item"))
    rows = told_apart(samples.filter(pl.col(FAILED).is_null()), RESULT)
    repeats = numbered(rows, "item", "system", "question")
    if (repeats["run"] != "1").any():
        rows = repeats
    names = rows["question"].unique().to_list()
    if len(names) == 1:
        rows = rows.drop("question")
    scope = names[0] if len(names) == 1 else None
    dropped = [DroppedRows("an error is noted; the score beside it does not count", samples.height - rows.height)]
    return log_table(name, LAYOUT, rows, choice, dropped, scope=scope or "")


def _row(sample: Mapping[str, Any]) -> Row:
    return {
        "item": text(sample["sample_id"]),
        HASH: text(sample.get("sample_hash")),
        "system": text(sample["model_id"]),
        "response": grade(part(sample, "evaluation", "score")),
        "question": text(sample.get("evaluation_name")),
        RESULT: text(sample.get(RESULT)),
        FAILED: "failed" if sample.get("error") else None,
    }
