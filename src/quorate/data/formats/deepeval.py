"""DeepEval: test cases with their metrics; the item is what was asked, for `order` is renumbered when runs add up."""

from typing import Any

from quorate.data.formats.log_table import (
    Dropped,
    Layout,
    LogTable,
    digest,
    first_object,
    grade,
    log_table,
    numbered,
    objects,
    part,
    text,
)
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


def is_deepeval(content: object) -> bool:
    """Tell whether parsed JSON is a test run."""
    cases = part({"": content}, "", "testCases")
    return isinstance(cases, list) and (
        "metricsData" in first_object(cases) or "metricsScores" in dict(first_object(content))
    )


def read_deepeval(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read one metric of every test case."""
    cases = objects(content["testCases"]) + objects(content.get("conversationalTestCases") or [])
    places = numbered([{"item": digest(case.get("input") or case.get("scenario"))} for case in cases], "item")
    system = text(content.get("identifier"))
    found = [
        ({**place, "system": system, "question": text(each.get("name"))}, each)
        for place, case in zip(places, cases, strict=True)
        for each in objects(case.get("metricsData") or [])
    ]
    rows = [row | {"response": grade(each.get("score"))} for row, each in found if not each.get("error")]
    dropped = [Dropped("the metric failed with an error; it is not 0", len(found) - len(rows))]
    return log_table(name, LAYOUT, rows, choice, dropped)
