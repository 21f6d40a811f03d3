"""lighteval's details, by the layout its code writes: nested columns, no id."""

import polars as pl

from tests.formats.reading import read_frame


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
