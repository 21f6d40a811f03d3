"""Braintrust's events, by its generated types."""

from typing import Any

from tests.formats.reading import read, reasons


def test_root_spans_are_outputs_and_equal_inputs_are_runs() -> None:
    def event(span: str, root: str, asked: str, score: float | None) -> dict[str, Any]:
        scores = {} if score is None else {"right": score}
        common = {"experiment_id": "e", "root_span_id": root, "span_id": span, "is_root": span == root}
        return {**common, "input": asked, "scores": scores, "error": None}

    log = read([event("s", "s", "a", 1.0), event("t", "s", "a", None), event("u", "u", "a", 0.0)])
    assert log.frame["repeat"].to_list() == ["1", "2"]
    assert log.frame["item"].n_unique() == 1
    assert reasons(log) == {"a part of an output, not the output (no root span)": 1}
