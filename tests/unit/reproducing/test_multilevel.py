"""Studies drawn from a table of ratings."""

from quorate.data.read_ratings import read_ratings
from quorate.populations.resampled import resampled
from quorate.reproducing.multilevel import study_p


def test_p_of_a_study_of_resampled_ratings() -> None:
    votes = {"item": ["a", "a", "b", "b"], "rater": ["x", "y", "x", "y"], "response": ["no", "no", "no", "yes"]}
    p, error = study_p(resampled(read_ratings(votes)), "accuracy", 40, 2, studies=100, key="", seed=0)
    assert 0 <= p <= 1
    assert error < 0.1
