"""Samples of Every Eval Ever, by its schema."""

from typing import Any

from tests.formats.reading import lines, read


def test_samples_name_their_model() -> None:
    def sample(number: str, model: str, score: float) -> dict[str, Any]:
        common = {"schema_version": "0.3.0", "evaluation_name": "gsm8k", "sample_hash": None}
        return {**common, "model_id": model, "sample_id": number, "evaluation": {"score": score, "is_correct": True}}

    log = read(lines(sample("4", "org/m", 1.0), sample("4", "org/n", 0.0)))
    assert log.frame.rows() == [("4", "org/m", "1"), ("4", "org/n", "0")]
    assert log.scope == "gsm8k"
