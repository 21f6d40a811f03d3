"""Arena's and MT-bench's votes, by their columns."""

import polars as pl

from quorate.data.formats.registry import read_table_log
from quorate.data.reading import LogChoice
from tests.formats.reading import read

VOTE = {"question_id": 81, "model_a": "x", "model_b": "y", "winner": "model_a", "judge": "expert_1", "turn": 1}


def test_another_turn_is_another_item() -> None:
    log = read([VOTE, {**VOTE, "turn": 2, "winner": "tie (bothbad)"}])
    assert log.kind == "preferences"
    assert log.frame.select("item", "rater", "winner").rows() == [
        ("81 | 1", "expert_1", "model_a"),
        ("81 | 2", "expert_1", "tie (bothbad)"),
    ]


def test_a_table_of_votes_says_the_same() -> None:
    log = read_table_log("votes.csv", pl.DataFrame([VOTE]), LogChoice())
    assert log is not None
    assert log.frame.rows() == [("81", "expert_1", "x", "y", "model_a")]
