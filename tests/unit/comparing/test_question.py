"""What `compare` may be asked: lists with commas, and requests it refuses once, before anything is read."""

from typing import Any

import pytest

from quorate import InputError
from quorate.comparing.question import CompareQuestion


def test_a_text_is_split_at_commas_and_a_list_is_not() -> None:
    question = CompareQuestion(
        "r.csv", "a.csv", metric="agreement, kl,agreement", systems=["a, or b", "c"], baseline="d"
    )
    assert question.metrics == ("agreement", "kl")
    assert question.wanted == ["a, or b", "c", "d"]
    assert CompareQuestion("r.csv").metrics == (None,)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"confidence": 1.0}, "--confidence 1 is not between 0 and 1"),
        ({"margin": -0.1}, "--margin -0.1 must be above 0"),
        ({"margin": float("inf")}, "--margin inf must be above 0"),
        ({"margin": 1e300}, r"--margin 1e\+300 must be above 0, at most 1e\+50"),
        ({"resamples": 0}, "--resamples 0 must be at least 1"),
        ({"better": "up"}, "--better is high or low"),
        ({"variant": "mine"}, "--variant is default or paper"),
        ({"systems": "a,b,a"}, "names a system twice"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_a_file_is_read(asked: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        CompareQuestion("no such file.csv", "nor this.csv", **asked)
