"""Weave's evaluation results, by the layout its code writes."""

from tests.formats.reading import read


def test_leaves_are_scores_and_trials_are_runs() -> None:
    trials = [{"scores": {"judge": {"match": True, "tone": 0.5}}}, {"scores": {"judge": {"match": False, "tone": 1}}}]
    row = {
        "row_digest": "d",
        "raw_data_row": {"topic": "sums"},
        "evaluations": [{"evaluation_call_id": "c", "trials": trials}],
    }
    log = read({"rows": [row], "total_rows": 1}, "judge.match")
    assert log.frame.rows() == [("d", "c", "1", "1", "sums"), ("d", "c", "2", "0", "sums")]
