"""DeepEval: test cases with their metrics; the item is what was asked, for `order` is renumbered when runs add up."""

from typing import Any

import polars as pl

from quorate.data.formats.log_table import (
    DroppedRows,
    Layout,
    LogTable,
    digest,
    first_object,
    grade,
    log_table,
    objects,
    part,
    text,
)
from quorate.data.formats.packed_rows import ASIDE, numbered, packed
from quorate.data.reading import LogChoice

LAYOUT = Layout(
    "a test run of DeepEval",
    "scores",
    {
        "item": "hash of input (of a conversation, its scenario)",
        "run": "order among equal items",
        "system": "identifier",
        "response": "score of NAME",
    },
    "metrics",
)
FAILED = f"{ASIDE}failed"


def is_deepeval(content: object) -> bool:
    """Tell whether parsed JSON is a test run."""
    cases = part({"": content}, "", "testCases")
    return isinstance(cases, list) and (
        "metricsData" in first_object(cases) or "metricsScores" in dict(first_object(content))
    )


def read_deepeval(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read one metric of every test case."""
    cases = objects(content["testCases"]) + objects(content.get("conversationalTestCases") or [])
    system = text(content.get("identifier"))
    found = packed(
        (
            [
                {
                    "item": digest(case.get("input") or case.get("scenario")),
                    "system": system,
                    "question": text(each.get("name")),
                    "response": grade(each.get("score")),
                    FAILED: text(str(each.get("error") or "")),
                }
                for each in objects(case.get("metricsData") or [])
            ]
            for case in cases
        ),
        "item",
        FAILED,
    )
    rows = numbered(found, "item").filter(pl.col(FAILED).is_null())
    dropped = [DroppedRows("the metric failed with an error; it is not 0", found.height - rows.height)]
    return log_table(name, LAYOUT, rows, choice, dropped)
