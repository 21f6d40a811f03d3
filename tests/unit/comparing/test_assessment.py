"""One system alone: its score with an interval, and a bar."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from quorate import InputError, compare


def marks(right: list[int]) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    """One rater who always says yes, and a system that is right where `right` is 1."""
    n = len(right)
    ratings: dict[str, list[Any]] = {"item": list(range(n)), "response": ["yes", "no"] + ["yes"] * (n - 2)}
    said = [
        ("yes", "no")[truth == "no"] if ok else ("no", "yes")[truth == "no"]
        for ok, truth in zip(right, ratings["response"], strict=True)
    ]
    return ratings, {"item": list(range(n)), "system": ["s"] * n, "response": said}


def test_one_system_has_its_score_with_student_s_interval_or_wider() -> None:
    rng = np.random.default_rng(2)
    right = (rng.random(80) < 0.8).astype(int)
    result = compare(*marks(right.tolist()))
    [score] = result.scores
    low, high = stats.t.interval(0.95, 79, right.mean(), stats.sem(right))
    assert (score.system, score.metric, score.n_items) == ("s", "agreement", 80)
    assert score.score == pytest.approx(right.mean())
    assert score.low <= low + 1e-6
    assert high - 1e-6 <= score.high <= 1
    assert result.to_dict()["pairs"] == []


def test_a_bar_is_tested_by_the_law_of_the_interval() -> None:
    rng = np.random.default_rng(3)
    data = marks((rng.random(100) < 0.8).astype(int).tolist())
    [score] = compare(*data).scores
    for bar, verdict in (
        (score.low - 0.001, "passes"),
        (score.low + 0.001, "inconclusive"),
        (score.high - 0.001, "inconclusive"),
        (score.high + 0.001, "fails"),
    ):
        [tested] = compare(*data, target_score=bar).scores
        assert tested.verdict == verdict
        assert tested.p_value is not None
        assert (tested.p_value <= 0.05) == (verdict != "inconclusive")


def test_all_items_right_leaves_open_what_n_items_can_hide() -> None:
    # A share π of failures shows in none of 40 items with chance (1 − π)^40: the interval ends where twice that is 5 %.
    [score] = compare(*marks([1] * 40)).scores
    assert score.score == 1
    assert score.low == pytest.approx(0.025 ** (1 / 40), abs=1e-4)
    assert score.high == 1


def test_a_bar_counts_failures_that_have_not_shown() -> None:
    rng = np.random.default_rng(3)
    ones, shares = [1] * 5, (0.93 + 0.04 * rng.random(30)).tolist()
    for found, at, bar in ((ones, 1.0, 0.9), (shares, 0.95, 0.9)):
        table = {"item": [*range(len(found))], "system": ["s"] * len(found), "response": found}
        [score] = compare(table, rated_system="system", target_score=bar).scores
        assert score.score == pytest.approx(at, abs=0.005)
        assert (score.verdict, score.low < bar) == ("inconclusive", True)
    many = {"item": [*range(100)], "system": ["s"] * 100, "response": [*shares] * 3 + [0.95] * 10}
    assert compare(many, rated_system="system", target_score=0.9).scores[0].verdict == "passes"


def test_low_scores_are_good_for_a_loss() -> None:
    ratings = {"item": list(range(40)) * 2, "response": [3, 4] * 40, "rater": ["u"] * 40 + ["v"] * 40}
    answers = {"item": list(range(40)), "system": ["s"] * 40, "response": [3, 4] * 19 + [1, 4]}
    assert compare(ratings, answers, target_score=1.0, scale="interval").scores[0].verdict == "passes"
    assert compare(ratings, answers, target_score=0.01, scale="interval").scores[0].verdict == "inconclusive"


def test_several_systems_meet_the_bar_together() -> None:
    rng = np.random.default_rng(4)
    ratings, first = marks((rng.random(100) < 0.9).astype(int).tolist())
    _, second = marks((rng.random(100) < 0.5).astype(int).tolist())
    both = {key: first[key] + second[key] for key in first} | {"system": ["a"] * 100 + ["b"] * 100}
    result = compare(ratings, both, target_score=0.7)
    assert [score.verdict for score in result.scores] == ["passes", "fails"]
    p = sorted(score.p_value or 0 for score in result.scores)
    adjusted = sorted(score.p_adjusted or 0 for score in result.scores)
    assert adjusted == pytest.approx([2 * p[0], max(2 * p[0], p[1])])


def test_a_rated_system_alone_has_its_mean() -> None:
    table = {"item": [1, 1, 2, 2, 3, 3], "rater": list("uvuvuv"), "model": ["m"] * 6, "score": [1, 2, 3, 4, 5, 5]}
    [score] = compare(table, rated_system="model").scores
    assert score.score == pytest.approx(20 / 6)
    assert score.metric == "mean_rating"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target_score": 0.5, "margin": 0.1}, "leave --margin out"),
        ({"target_score": float("nan")}, "is not a score"),
        ({"margin": 0.1}, "Ask for a bar"),
        ({"test": "wilcoxon"}, "default test"),
        ({"baseline": "s"}, "a baseline takes another"),
    ],
)
def test_what_one_system_cannot_be_asked_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        compare(*marks([1, 0] * 20), **options)


def test_a_data_sheet_of_one_system_names_score_interval_and_bar() -> None:
    rng = np.random.default_rng(3)
    data = marks((rng.random(100) < 0.8).astype(int).tolist())
    said = compare(*data, target_score=0.5).data_sheet()
    assert said.startswith(
        "Scored s on 100 items by agreement (share of raters who gave the system's answer), unit items"
    )
    assert "tested two-sided against a bar of 0.5" in said
    assert "95 % interval" in said


def test_scores_and_judges_are_in_the_json() -> None:
    score = compare("example:claims", "example:claims-judges", systems="larch", target_score=0.6)
    assert score.to_dict()["scores"][0]["system"] == "larch"
    assert score.to_dict()["scores"][0]["low"] == score.scores[0].low
    judged = compare("example:claims", "example:claims-judges", systems="larch", baseline="raters").to_dict()
    named = "system agreement rater_agreement difference low high p_value verdict winning_rate advantage worth_raters"
    assert set(named.split()) <= set(judged["judges"][0])
    assert len(judged["rater_scores"]) > 2
    assert "scores" not in judged
