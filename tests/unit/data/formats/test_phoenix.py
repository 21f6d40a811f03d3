"""Phoenix's experiments as JSON, by the layout its code writes."""

from tests.formats.reading import read, reasons


def test_repetitions_are_runs_and_failures_no_scores() -> None:
    score = [{"name": "correct", "annotator_kind": "CODE", "label": None, "score": 1.0}]
    runs = [{"example_id": "e", "repetition_number": n, "error": None, "annotations": score} for n in (1, 2)]
    log = read([*runs, {"example_id": "f", "repetition_number": 1, "error": "late", "annotations": score}])
    assert log.frame.rows() == [("e", "1", "1"), ("e", "2", "1")]
    assert reasons(log) == {"the run failed with an error; it is not scored 0": 1}
