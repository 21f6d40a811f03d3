"""What people write for a vote."""

import pytest

from quorate.data.vote_words import vote_meanings

FOR_A = [
    "a",
    "A",
    "left",
    "model_a",
    "Model A",
    "[[A]]",
    "A>B",
    "[[A>>B]]",
    "A much better",
    "B is slightly worse",
    "1",
]
FOR_B = ["b", "right", "system_b", "Response B", "B>A", "a<<b", "B is better", "right much better", "second"]
TIES = ["tie", "Tie (bothbad)", "both_bad", "draw", "no preference", "About the same", "[[C]]", "A=B", "neither"]
NONE = ["", "skip", "N/A", "abstain", "Cannot judge", "not sure"]


@pytest.mark.parametrize(("labels", "meaning"), [(FOR_A, 1), (FOR_B, -1), (TIES, 0), (NONE, None)])
def test_the_words_people_use(labels: list[str], meaning: int | None) -> None:
    assert vote_meanings(labels) == dict.fromkeys(labels, meaning)


def test_words_that_name_both_sides_or_none_are_not_understood() -> None:
    assert vote_meanings(["a and b", "GPT-4", "better", "3"]) == {}


def test_a_vote_may_hold_the_name_of_a_column() -> None:
    assert vote_meanings(["baseline output", "ours"], ("ours", "baseline output")) == {"ours": 1, "baseline output": -1}
