"""OpenAI's evals: the framework's log and the API's output items."""

from tests.formats.reading import lines, read


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
