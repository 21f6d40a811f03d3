"""What is told of a pair beyond its outcome: the excess of a Brier score over the raters' own spread."""

import pytest

from quorate import compare

RATINGS = {"item": ["i", "i", "j", "j", "k"], "response": ["yes", "no", "yes", "yes", "no"]}
ANSWERS = {
    "item": ["i", "j", "k"] * 2,
    "system": ["a"] * 3 + ["b"] * 3,
    "yes": [0.5, 1.0, 0.0, 1.0, 0.5, 1.0],
    "no": [0.5, 0.0, 1.0, 0.0, 0.5, 0.0],
}


def test_the_excess_of_a_brier_score_leaves_out_the_raters_spread() -> None:
    [pair] = compare(RATINGS, ANSWERS).pairs
    # Item i: two raters differ, so ½ of it is theirs; a scores ¼, b ½: excess −¼ and 0. Item j: they agree; a 0, b ¼.
    # Item k has one rater, and no spread that could be known.
    assert pair.metric == "brier"
    assert pair.excess_a == pytest.approx((-0.25 + 0.0) / 2)
    assert pair.excess_b == pytest.approx((0.0 + 0.25) / 2)


def test_there_is_none_for_other_metrics_or_one_rater_each() -> None:
    [other] = compare(RATINGS, ANSWERS, metric="cross_entropy").pairs
    assert (other.excess_a, other.excess_b) == (None, None)
    once = {"item": ["i", "j", "k"], "response": ["yes", "yes", "no"]}
    [single] = compare(once, ANSWERS).pairs
    assert (single.excess_a, single.excess_b) == (None, None)


def test_the_excess_stands_in_json_and_in_the_table() -> None:
    result = compare(RATINGS, ANSWERS)
    assert result.to_dict()["pairs"][0]["excess_a"] == pytest.approx(-0.125)
    assert result.to_frame()["excess_b"].to_list() == pytest.approx([0.125])
    assert "excess a" in str(result)
    assert "excess a" not in str(compare(RATINGS, ANSWERS, metric="cross_entropy"))
