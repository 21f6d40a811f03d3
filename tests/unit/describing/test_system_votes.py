"""How often each system is preferred in votes, and what an item is."""

from typing import Any

import pytest

from quorate import describe

VOTES: dict[str, list[Any]] = {
    "item": [1, 1, 1, 2, 2, 2],
    "rater": list("uvuvuv"),
    "model_a": list("ppqppq"),
    "model_b": list("qqrrqr"),
    "winner": ["a", "b", "tie", "a", "tie", "b"],
}


def test_every_system_has_its_votes_and_shares() -> None:
    # p: for, against, for, tie; q: against, for, tie, tie, against; r: tie, against, for.
    found = describe(VOTES)
    shares = {row.system: (row.votes, row.win, row.tie, row.loss) for row in found.votes}
    assert shares == {
        "p": (4, 0.5, 0.25, 0.25),
        "q": (5, pytest.approx(0.2), pytest.approx(0.4), pytest.approx(0.4)),
        "r": (3, pytest.approx(1 / 3), pytest.approx(1 / 3), pytest.approx(1 / 3)),
    }
    assert [row.system for row in found.votes] == ["p", "r", "q"]
    assert found.to_dict()["asked_items"] == 2
    assert str(found.sentence()).startswith("5 pairs of outputs of 2 items")
    assert "votes" in found.tables()


def test_votes_between_two_systems_are_on_items() -> None:
    two = {name: column[:2] for name, column in VOTES.items()} | {"item": [1, 2]}
    assert str(describe(two).sentence()).startswith("2 items")
