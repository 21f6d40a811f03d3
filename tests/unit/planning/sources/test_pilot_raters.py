"""A pilot's raters: differences answer by answer, components, and what other pilots would show."""

import numpy as np
import pytest

from quorate.agreement.variance_parts import VarianceParts, variance_components
from quorate.data.read_ratings import read_ratings
from quorate.data.summaries import Counts
from quorate.metrics import find_metric
from quorate.planning.sources.pilot import find_groups, pilot_raters

VOTES = {
    "item": ["a", "a", "a", "b", "b", "c", "c", "c"],
    "rater": ["x", "y", "z", "x", "y", "x", "z", "z"],
    "response": ["no", "yes", "yes", "no", "no", "yes", "yes", "no"],
}
A, B = Counts(np.array([[1, 0], [1, 0], [0, 1]])), Counts(np.array([[0, 1], [1, 0], [1, 0]]))


def parts_of(metric: str, a: Counts = A, b: Counts = B, votes: dict[str, list[str]] = VOTES) -> VarianceParts | None:
    found = pilot_raters(find_metric(metric), read_ratings(votes), a, b)
    return None if found is None else found.parts


def test_components_are_those_of_single_answers() -> None:
    # a: A says no, B yes; b: both no; c: A yes, B no. z answered c with yes and no: 1 and −1, on average 0.
    values = np.array([1.0, -1, -1, 0, 0, 1, 0])
    found = variance_components(np.array([0, 0, 0, 1, 1, 2, 2]), np.array([0, 1, 2, 0, 1, 0, 2]), values)
    parts = parts_of("agreement")
    assert parts is not None
    assert (parts.item, parts.rater, parts.residual) == pytest.approx((found.item, found.rater, found.residual))


def test_components_of_two_raters_by_hand() -> None:
    # x: 1, 1, 1 and y: 1, −1, −1, on average 1 and −1/3. Mean squares: raters 3 · 2 · (2/3)² = 8/3, rest 2/3.
    votes = {"item": list("112233"), "rater": list("xyxyxy"), "response": list("nnnyny")}
    parts = parts_of("agreement", Counts(np.array([[1, 0]] * 3)), Counts(np.array([[0, 1]] * 3)), votes)
    assert parts is not None
    assert parts.rater == pytest.approx((8 / 3 - 2 / 3) / 3)


def test_items_with_raters_in_common_are_one_group() -> None:
    votes = {"item": [1, 2, 3], "rater": ["x", "x", "y"], "response": [1, 0, 1]}
    assert find_groups(read_ratings(votes), "batches").tolist() == [0, 0, 1]


def test_swapped_systems_and_losses_change_nothing() -> None:
    assert parts_of("agreement", A, B) == parts_of("agreement", B, A)
    assert parts_of("brier") == parts_of("agreement")  # for labels brier is 1 − agreement


def test_what_does_not_tell_has_no_components() -> None:
    assert parts_of("accuracy") is None  # three, two and three raters
    ratings = read_ratings({key: VOTES[key] for key in ("item", "response")})
    assert pilot_raters(find_metric("agreement"), ratings, A, B) is None
    assert parts_of("agreement", votes=VOTES | {"rater": list("abcdefgh")}) is None


def test_a_panel_score_is_known_at_the_pilots_raters() -> None:
    votes = {"item": ["a"] * 3 + ["b"] * 3 + ["c"] * 3, "rater": list("xyz") * 3, "response": list("nynnyyynn")}
    found = pilot_raters(find_metric("accuracy"), read_ratings(votes), A, B)
    assert found is not None
    assert found.only == 3
    linear = pilot_raters(find_metric("agreement"), read_ratings(votes), A, B)
    assert linear is not None
    assert linear.only is None


def test_one_rater_per_item_counts_all_but_the_raters_as_items() -> None:
    votes = {"item": [1, 2, 3, 4], "rater": ["x", "x", "y", "y"], "response": ["no", "no", "yes", "no"]}
    a, b = Counts(np.array([[1, 0]] * 4)), Counts(np.array([[0, 1]] * 4))
    found = pilot_raters(find_metric("agreement"), read_ratings(votes), a, b)
    assert found is not None
    assert found.one_rater
    assert found.parts.residual == 0.0
    # x: 1, 1; y: −1, 1. Mean square within raters (0 + 2) / 2 = 1: all that is not the raters'.
    assert found.parts.item == pytest.approx(1.0)
    assert found.parts.rater == pytest.approx(0.0)  # MS between = 2 · ((1 − ½)² + (0 − ½)²) = 1, less 1, over 2


def test_what_raters_add_is_read_off_the_table() -> None:
    # y − 1/3 of x: 2/3 on each item, of y: 2/3, −4/3, −4/3; a cell weighs 1/6, so x adds 1/3 and y −1/3.
    votes = {"item": list("112233"), "rater": list("xyxyxy"), "response": list("nnnyny")}
    a, b = Counts(np.array([[1, 0]] * 3)), Counts(np.array([[0, 1]] * 3))
    found = pilot_raters(find_metric("agreement"), read_ratings(votes), a, b)
    assert found is not None
    assert found.square.amount == pytest.approx(2 / 9)
    # full 3 × 2 table: items cancel, a rater's mean less that of both has variance σ_r²/2 + σ²/6, a quarter of it each
    assert (found.square.of_item, found.square.of_rater) == pytest.approx((0.0, 2 / 8))
    assert found.square.of_rest == pytest.approx(2 / 24)
    assert found.square.df == 1.0
