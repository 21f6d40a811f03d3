"""DeepEval's test runs, by the layout its code writes."""

from pathlib import Path
from typing import Any

from tests.formats.reading import read, read_file, reasons


def test_the_item_is_what_was_asked_not_the_order() -> None:
    def case(order: int, asked: str, score: float | None, error: str | None = None) -> dict[str, Any]:
        return {"input": asked, "order": order, "metricsData": [{"name": "faith", "score": score, "error": error}]}

    cases = [case(0, "a", 0.5), case(1, "b", 1.0), case(2, "a", 0.75), case(3, "c", None, "late")]
    log = read({"testCases": cases, "identifier": "new"})
    assert log.frame["item"].n_unique() == 2
    assert log.frame["repeat"].to_list() == ["1", "1", "2"]
    assert log.frame["system"].unique().to_list() == ["new"]
    assert reasons(log) == {"the metric failed with an error; it is not 0": 1}


def test_what_deepeval_wrote_is_read_and_a_score_that_failed_is_none(logs: Path) -> None:
    log = read_file(logs / "deepeval.json", "Right [GEval]")
    assert log.frame["response"].to_list() == ["0", "0.25", "0.5", "0.75", "1"]
    assert log.frame["repeat"].to_list() == ["1", "1", "1", "1", "2"]  # case 4 asks what case 0 asked
    assert log.frame["item"].n_unique() == 4
    tone = read_file(logs / "deepeval.json", "Tone")
    assert tone.frame["response"].to_list() == ["0.5"] * 3
    assert reasons(tone)["the metric failed with an error; it is not 0"] == 1


def test_conversations_are_cases_too() -> None:
    talk = {"scenario": "a refund", "metricsData": [{"name": "kept", "score": 0.5}]}
    log = read({"testCases": [], "conversationalTestCases": [talk], "metricsScores": []})
    assert log.frame["response"].to_list() == ["0.5"]
