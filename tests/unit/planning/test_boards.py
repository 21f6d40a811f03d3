"""Votes between several systems, planned: how many go to each pair, and what a pilot's neighbours take."""

from typing import Any

import pytest

from quorate import InputError, plan


def test_more_systems_take_more_votes_but_fewer_for_each_pair() -> None:
    few, many = (plan("preference", win_rate=0.6, n_systems=n) for n in (3, 8))
    assert few.board is not None
    assert many.board is not None
    assert (few.board.pairs, many.board.pairs) == (3, 28)
    assert many.best.responses > few.best.responses
    assert many.board.votes_per_pair < few.board.votes_per_pair
    assert f"about {many.board.votes_per_pair} votes for each of the 28 pairs" in many.sentence()
    assert many.to_dict()["board"]["votes_per_pair"] == many.board.votes_per_pair


def test_two_systems_are_no_board() -> None:
    plain = plan("preference", win_rate=0.6)
    assert plain.board is None
    assert plan("preference", win_rate=0.6, n_systems=2).to_dict()["best"] == plain.to_dict()["best"]
    assert "board" not in plain.to_dict()


def test_a_pilot_s_neighbours_take_what_their_difference_takes() -> None:
    found = plan(from_ratings="example:preferences", win_rate=0.6, unit="items")
    assert found.board is not None
    near, far = sorted(found.board.neighbours, key=lambda row: row.win_rate)
    assert [(row.a, row.b) for row in found.board.neighbours] == [("atlas", "birch"), ("birch", "cedar")]
    assert near.votes_per_pair is not None
    assert far.votes_per_pair is not None
    assert near.votes_per_pair > far.votes_per_pair
    assert "neighbours" in found.tables()


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({"preset": "dices", "difference": 0.1, "n_systems": 3}, "belongs to --preset preference"),
        ({"preset": "preference", "win_rate": 0.6, "n_systems": 1}, "from 2 to"),
        ({"from_ratings": "example:preferences", "win_rate": 0.6, "n_systems": 3}, "shows its own"),
        ({"from_ratings": "example:preferences", "win_rate": 0.6, "unit": "cluster:topic"}, "name them with --systems"),
    ],
)
def test_what_a_board_cannot_be_asked_is_refused(question: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        plan(**question)
