"""lighteval: `details_<task>_<date>.parquet`, a row per document with nested columns.

The document's id was taken out before writing, so the item is its query.
"""

from collections.abc import Sequence

import polars as pl

from quorate.data.formats.log_table import Layout, LogTable, digest, grade, log_table, part, records_of, text
from quorate.data.formats.packed_rows import numbered, packed
from quorate.data.reading import LogChoice

LAYOUT = Layout(
    "details of lighteval",
    "scores",
    {"item": "hash of doc.query", "run": "order among equal items", "response": "metric.NAME"},
    "metrics",
)


def is_lighteval(columns: Sequence[str]) -> bool:
    """Tell whether columns are those of details."""
    return {"doc", "metric", "model_response"} <= set(columns)


def read_lighteval(name: str, frame: pl.DataFrame, choice: LogChoice) -> LogTable:
    """Read one metric of every document."""
    records = records_of(frame.select("doc", "metric"))
    rows = packed(
        (
            [
                {"item": digest(part(each, "doc", "query")), "question": metric, "response": grade(value)}
                for metric, value in each["metric"].items()
            ]
            for each in records
        ),
        "item",
    )
    task = next((text(part(each, "doc", "task_name")) for each in records), None)
    return log_table(name, LAYOUT, numbered(rows, "item"), choice, scope=task or "")
