"""lighteval's details, as its own records are written: nested columns, no id."""

from pathlib import Path

import polars as pl
import pytest

from quorate._errors import InputError
from tests.formats.reading import read_file, read_frame, reasons


def test_the_item_is_the_query_and_a_metric_is_chosen() -> None:
    docs = [{"query": asked, "task_name": "sums", "choices": ["1", "2"]} for asked in ("a", "b", "a")]
    metrics = [{"em": score, "f1": 0.5} for score in (1.0, 0.0, None)]
    frame = pl.DataFrame({"doc": docs, "metric": metrics, "model_response": [{"text": ["1"]}] * 3})
    log = read_frame(frame, "em")
    assert log.scope == "sums"
    assert log.frame["response"].to_list() == ["1", "0"]
    assert log.frame["item"].n_unique() == 2
    repeats = read_frame(frame, "f1").frame["repeat"].to_list()
    assert repeats == ["1", "1", "2"]


def test_what_lighteval_wrote_has_a_question_once_though_it_was_asked_twice(logs: Path) -> None:
    """By rows four of six answers are right; of five questions three are."""
    with pytest.raises(InputError, match="has several metrics: em, f1, long; choose"):
        read_file(logs / "lighteval.parquet")
    log = read_file(logs / "lighteval.parquet", "em")
    assert log.frame["response"].to_list() == ["0", "1", "1", "0", "1", "1"]
    assert log.frame["repeat"].to_list() == ["1"] * 5 + ["2"]
    right = log.frame.filter(response="1")["item"]
    assert (right.len(), right.n_unique(), log.frame["item"].n_unique()) == (4, 3, 5)
    assert read_file(logs / "lighteval.parquet", "long").frame["response"].to_list() == ["0", "0", "1", "1", "1", "0"]
    assert reasons(log) == {"another of the metrics, not em": 12}
    assert log.scope == "sums|0"
