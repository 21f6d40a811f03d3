"""What being shown first is worth: least squares by hand."""

import numpy as np
import pytest

from quorate.inference.position import side_effect

VOTE, SIDE = np.array([1, 0, -1, 1, 0, -1]), np.array([1, 1, 1, -1, -1, -1])


def test_the_effect_is_half_of_what_changing_sides_changes() -> None:
    # A shown first: mean 0.4; second: 0.0; as often on both sides.
    weight = np.array([0.3, 0.1, 0.1, 0.1, 0.3, 0.1])
    found = side_effect(VOTE, SIDE, weight, 1000)
    assert found.effect == pytest.approx((0.4 - 0.0) / 2)
    assert not found.unbalanced
    assert found.margins.tolist() == VOTE.tolist()
    assert weight @ found.values == pytest.approx(found.effect)


def test_unbalanced_sides_are_taken_out() -> None:
    # The same laws on each side, A first in four of five votes: the plain mean would be 0.32.
    weight = np.array([0.6, 0.2, 0.2, 0.2, 0.6, 0.2]) * np.array([0.8, 0.8, 0.8, 0.2, 0.2, 0.2])
    found = side_effect(VOTE, SIDE, weight, 1000)
    assert weight @ VOTE == pytest.approx(0.32)
    assert found.unbalanced
    assert found.effect == pytest.approx(0.2)
    assert weight @ found.margins == pytest.approx(0.2)
    # What each vote moves is what least squares says: leave a little of one kind out and fit again.
    moved = weight.copy()
    moved[0] -= 1e-6
    again = side_effect(VOTE, SIDE, moved, 1000)
    change = (moved / moved.sum()) @ again.margins - 0.2
    assert change == pytest.approx(-1e-6 * (found.margins[0] - 0.2), rel=1e-3)


def test_few_votes_are_unbalanced_by_chance_and_one_side_tells_nothing() -> None:
    weight = np.array([0.2, 0.2, 0.2, 0.2, 0.1, 0.1])
    assert not side_effect(VOTE, SIDE, weight, 30).unbalanced
    assert side_effect(VOTE, SIDE, weight, 1000).unbalanced
    one_side = side_effect(VOTE, np.ones(6), weight, 1000)
    assert not one_side.told
    assert one_side.known
    assert np.isnan(one_side.effect)
