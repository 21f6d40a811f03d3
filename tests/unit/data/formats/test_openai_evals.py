"""OpenAI's evals: the log the framework wrote, and the API's output items."""

from pathlib import Path

from tests.formats.reading import lines, read, read_file, reasons


def test_matches_are_scores_and_texts_are_not() -> None:
    head = {"spec": {"completion_fns": ["m"], "eval_name": "qa.dev", "run_id": "r"}}
    events = [
        {"sample_id": "qa.0", "type": "sampling", "data": {"prompt": "x"}},
        {"sample_id": "qa.0", "type": "match", "data": {"correct": True, "expected": "four", "picked": "four"}},
        {"sample_id": "qa.1", "type": "match", "data": {"correct": False, "expected": "five", "picked": "six"}},
    ]
    log = read(lines(head, *events, {"final_report": {}}))
    assert log.frame.rows() == [("qa.0", "m", "1"), ("qa.1", "m", "0")]


def test_output_items_are_read_by_grader() -> None:
    item = {"datasource_item_id": 3, "run_id": "r", "sample": {"model": "m"}, "results": [{"name": "g", "score": 0.5}]}
    assert read({"data": [item]}).frame.rows() == [("3", "m", "0.5")]


def test_what_the_framework_wrote_is_read(logs: Path) -> None:
    log = read_file(logs / "openai-evals.jsonl", "correct")
    assert log.frame.rows() == [(f"qa.dev.{k}", "new", str(int(k > 1))) for k in range(4)]
    assert read_file(logs / "openai-evals.jsonl", "bleu").frame["response"].to_list() == ["0", "0.25", "0.5", "0.75"]


def test_an_item_that_failed_is_not_scored_0() -> None:
    def item(number: int, status: str, score: float) -> dict[str, object]:
        graded = [{"name": "g", "score": score}]
        return {"datasource_item_id": number, "status": status, "sample": {"model": "m"}, "results": graded}

    log = read([item(1, "pass", 1.0), item(2, "error", 0.0)])
    assert log.frame.rows() == [("1", "m", "1")]
    assert reasons(log) == {"the item failed with an error; it is not scored 0": 1}
