"""LangSmith's table of an experiment and its feedback, by the layout its code writes."""

import polars as pl
import pytest

from quorate._errors import InputError
from quorate.data.formats.registry import read_table_log
from quorate.data.reading import LogChoice
from tests.formats.reading import read


def test_further_rows_of_an_example_are_runs() -> None:
    frame = pl.DataFrame(
        {
            "id": ["r1", "r2", "r3"],
            "example_id": ["e1", "e1", "e2"],
            "feedback.correct": [True, False, None],
            "feedback.tone": [0.5, 0.25, 1.0],
        }
    )
    with pytest.raises(InputError, match="several feedback keys: correct, tone"):
        read_table_log("x.csv", frame, LogChoice())
    log = read_table_log("x.csv", frame, LogChoice("correct"))
    assert log is not None
    assert log.frame.rows() == [("e1", "1", "1"), ("e1", "2", "0")]  # by `id` each row would be an item


def test_feedback_names_the_person() -> None:
    feedback = {
        "run_id": "r",
        "key": "ok",
        "score": 1,
        "value": None,
        "feedback_source": {"type": "app", "user_id": "u"},
    }
    assert read([feedback]).frame.select("item", "rater", "response").rows() == [("r", "u", "1")]
