"""Braintrust's events, as its client sends them, and by its generated types."""

import json
from pathlib import Path
from typing import Any

import pytest

from quorate._errors import InputError
from tests.formats.reading import read, read_file, reasons


def test_root_spans_are_outputs_and_equal_inputs_are_runs() -> None:
    def event(span: str, root: str, asked: str, score: float | None) -> dict[str, Any]:
        scores = {} if score is None else {"right": score}
        common = {"experiment_id": "e", "root_span_id": root, "span_id": span, "is_root": span == root}
        return {**common, "input": asked, "scores": scores, "error": None}

    log = read([event("s", "s", "a", 1.0), event("t", "s", "a", None), event("u", "u", "a", 0.0)])
    assert log.frame["repeat"].to_list() == ["1", "2"]
    assert log.frame["item"].n_unique() == 1
    assert reasons(log) == {"a part of an output, not the output (no root span)": 1}


def test_what_braintrust_wrote_is_read_without_what_failed(logs: Path) -> None:
    """Scores stand in spans below the output's; of two that failed the root says 0."""
    path = logs / "braintrust.jsonl"
    events = [json.loads(line) for line in path.read_text().splitlines()]
    naive = [event["scores"] for event in events if not event["span_parents"] and event.get("scores")]
    assert naive == [{"length": 0}, {"right": 0, "length": 0}]
    with pytest.raises(InputError, match="several scores: length, right"):
        read_file(path)
    log = read_file(path, "right")
    cells = log.frame.select("system", "repeat", "response").rows()
    old = [("1", "1"), ("2", "1"), ("1", "1"), ("2", "1"), ("1", "0"), ("2", "0")]  # by the rule of `make_fixtures`
    assert cells == [("new", *each) for each in old[:5]] + [("old", *each) for each in old]
    assert log.frame["item"].n_unique() == 3
    assert reasons(log)["the output failed with an error; it is not scored 0"] == 1
    length = read_file(path, "length")
    assert set(length.frame["response"]) == {"0.25"}
    assert reasons(length)["the scorer failed with an error; it is not 0"] == 1


def test_the_row_of_a_data_set_is_the_item_whatever_was_asked() -> None:
    """The same row in two experiments, whose inputs differ by a time stamp in them."""
    events = [
        {
            "experiment_id": name,
            "root_span_id": name,
            "span_id": name,
            "is_root": True,
            "input": asked,
            "scores": {"s": 1},
        }
        | {"origin": {"object_type": "dataset", "id": "row1"}}
        for name, asked in (("new", "at 10:00"), ("old", "at 11:00"))
    ]
    assert read(events).frame.rows() == [("row1", "new", "1", "1"), ("row1", "old", "1", "1")]
