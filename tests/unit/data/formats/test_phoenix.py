"""Phoenix's experiments as JSON, by the layout its code writes."""

import polars as pl
import pytest

from quorate._errors import InputError
from tests.formats.reading import read, read_frame, reasons


def test_repetitions_are_runs_and_failures_no_scores() -> None:
    score = [{"name": "correct", "annotator_kind": "CODE", "label": None, "score": 1.0}]
    runs = [{"example_id": "e", "repetition_number": n, "error": None, "annotations": score} for n in (1, 2)]
    log = read([*runs, {"example_id": "f", "repetition_number": 1, "error": "late", "annotations": score}])
    assert log.frame.rows() == [("e", "1", "1"), ("e", "2", "1")]
    assert reasons(log) == {"the run failed with an error; it is not scored 0": 1}


def test_the_csv_says_the_same_and_people_are_kept_apart_from_machines() -> None:
    cells = {"example_id": ["e", "f"], "repetition_number": [1, 1], "error": [None, "late"]}
    kinds = {
        "annotation_ok_score": [0.5, 1.0],
        "annotation_ok_label": ["x", "y"],
        "annotation_ok_annotator_kind": ["LLM"] * 2,
    }
    log = read_frame(pl.DataFrame(cells | kinds))
    assert log.frame.rows() == [("e", "1", "0.5")]
    assert reasons(log) == {"the run failed with an error; it is not scored 0": 1}
    both = [{"name": "ok", "annotator_kind": kind, "score": score} for kind, score in (("LLM", 0), ("HUMAN", 1))]
    runs = [{"example_id": "e", "repetition_number": 1, "annotations": both}]
    with pytest.raises(InputError, match=r"ok \(HUMAN\), ok \(LLM\)"):  # else the judge counts as a person
        read(runs)
    assert read(runs, "ok (HUMAN)").frame["response"].to_list() == ["1"]
