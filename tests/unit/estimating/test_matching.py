"""Items are matched by name; what does not match is said in one sentence."""

import polars as pl
import pytest

from quorate import InputError
from quorate.estimating.matching import match_labels, match_scores

VOTES = pl.DataFrame({"item": ["a", "b", "c"], "votes 0": [1, 0, 0], "votes 1": [1, 2, 0]})


def scores(*items: str) -> pl.DataFrame:
    return pl.DataFrame({"item": items, "system": ["m"] * len(items), "score": [0.5] * len(items)})


def test_scores_stand_beside_their_items() -> None:
    frame, systems, notes = match_scores(VOTES, scores("c", "b", "a", "z"), "error")
    assert (frame["item"].to_list(), frame["score of m"].to_list(), systems) == (["a", "b", "c"], [0.5] * 3, ["m"])
    assert notes == ["scores of 1 item without votes or an expert label left out"]


@pytest.mark.parametrize(
    ("there", "said"),
    [
        (("a", "c"), "m has no score for item 'b'; add it to --scores"),
        (("c",), "m has no score for item 'a' and 1 more; add them to --scores"),
        (("a", "b"), "--experts label item 'c', which m gave no score and nobody voted on"),
    ],
)
def test_an_item_without_a_score_is_named(there: tuple[str, ...], said: str) -> None:
    with pytest.raises(InputError) as error:
        match_scores(VOTES, scores(*there), "error")
    assert str(error.value).startswith(said)
    frame, _, notes = match_scores(VOTES, scores(*there), "drop")
    assert frame["item"].to_list() == list(there)
    assert "left out (--missing drop)" in notes[0]


def labels(*items: str) -> pl.DataFrame:
    return pl.DataFrame({"item": items, "label": [1] * len(items)})


def test_items_nobody_voted_on_come_last() -> None:
    assert match_labels(VOTES, labels("c", "a"), "e.csv")["label"].to_list() == [1, None, 1]
    matched = match_labels(VOTES, labels("z", "b"), "e.csv")
    assert matched["item"].to_list() == ["a", "b", "c", "z"]
    assert matched["label"].to_list() == [None, 1, None, 1]
    assert matched["votes 1"].to_list() == [1, 2, 0, None]


def test_experts_who_speak_of_other_items_are_refused() -> None:
    with pytest.raises(InputError, match=r"e\.csv: none of its 2 items has votes \(its first is 'x', the votes' 'a'\)"):
        match_labels(VOTES, labels("y", "x"), "e.csv")
