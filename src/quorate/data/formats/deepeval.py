"""DeepEval: test cases with their metrics; the item is what was asked, for `order` is renumbered when runs add up."""

from typing import Any

from quorate.data.formats.log_table import (
    Dropped,
    LogRows,
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

TOOL = "a test run of DeepEval"
MAPPING = {
    "item": "hash of input",
    "run": "order among equal items",
    "system": "identifier",
    "response": "score of NAME",
}


def is_deepeval(content: object) -> bool:
    """Tell whether parsed JSON is a test run."""
    cases = part({"": content}, "", "testCases")
    return isinstance(cases, list) and "metricsData" in first_object(cases)


def read_deepeval(name: str, content: Any, choice: LogChoice) -> LogTable:
    """Read one metric of every test case."""
    cases = objects(content["testCases"])
    places = numbered([{"item": digest(case.get("input"))} for case in cases], "item")
    system = text(content.get("identifier"))
    found = [
        ({**place, "system": system, "question": text(each.get("name"))}, each)
        for place, case in zip(places, cases, strict=True)
        for each in objects(case["metricsData"] or [])
    ]
    rows = [row | {"response": grade(each.get("score"))} for row, each in found if not each.get("error")]
    dropped = [Dropped("the metric failed with an error; it is not 0", len(found) - len(rows))]
    return log_table(name, LogRows(rows, TOOL, "scores", MAPPING, dropped, called="metrics"), choice)
