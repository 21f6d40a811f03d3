"""Samples of Every Eval Ever, by its schema 0.2.2 of single samples, of which no package is on the index."""

from typing import Any

import pytest

from quorate._errors import InputError
from tests.formats.reading import lines, read, reasons


def whole(number: str, score: float, **more: Any) -> dict[str, Any]:
    """A sample with all fields that the schema requires."""
    return {
        "schema_version": "0.2.2",
        "evaluation_id": "gsm8k/org_m/1",
        "model_id": "org/m",
        "evaluation_name": "gsm8k",
        "sample_id": number,
        "sample_hash": f"hash of {number}",
        "interaction_type": "single_turn",
        "input": {"raw": f"{number} + 1 =", "reference": ["5"]},
        "output": {"raw": ["5"]},
        "answer_attribution": [],
        "evaluation": {"score": score, "is_correct": score > 0},
        "error": None,
        **more,
    }


def test_a_sample_with_an_error_is_not_scored_0_and_equal_samples_are_repeats() -> None:
    """The schema requires a score of every sample; the converter from Inspect writes a row for every epoch."""
    failed = whole("4", 0.0, error="late")
    log = read(lines(whole("4", 1.0), whole("5", 0.0), whole("5", 1.0), failed))
    rows = [("hash of 4", "org/m", "1", "1"), ("hash of 5", "org/m", "1", "0"), ("hash of 5", "org/m", "2", "1")]
    assert log.frame.select("item", "system", "repeat", "response").rows() == rows
    assert reasons(log) == {"an error is noted; the score beside it does not count": 1}


def test_results_of_one_evaluation_are_not_mixed() -> None:
    """The schema writes a row for every metric of a sample, under one name of the evaluation."""
    samples = [whole(n, score, evaluation_result_id=each) for n in "45" for each, score in (("em", 1.0), ("f1", 0.4))]
    with pytest.raises(InputError, match=r"gsm8k \(em\), gsm8k \(f1\)"):
        read(lines(*samples))
    assert read(lines(*samples), "gsm8k (f1)").frame["response"].to_list() == ["0.4", "0.4"]


def test_samples_name_their_model() -> None:
    def sample(number: str, model: str, score: float) -> dict[str, Any]:
        common = {"schema_version": "0.3.0", "evaluation_name": "gsm8k", "sample_hash": None}
        return {**common, "model_id": model, "sample_id": number, "evaluation": {"score": score, "is_correct": True}}

    log = read(lines(sample("4", "org/m", 1.0), sample("4", "org/n", 0.0)))
    assert log.frame.rows() == [("4", "org/m", "1"), ("4", "org/n", "0")]
    assert log.scope == "gsm8k"
