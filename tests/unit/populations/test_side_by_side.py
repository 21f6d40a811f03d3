"""Votes drawn from a world of tastes: ties, margins and shares of variance are those asked for."""

from typing import Any

import numpy as np
import pytest

from quorate._errors import InputError
from quorate.data.summaries import Counts
from quorate.populations.side_by_side import BoardDesign, SideBySide, draw_board

STUDIES, ITEMS, RATERS = 400, 20, 10


def votes(world: SideBySide, margin: float, *, null: bool = False) -> np.ndarray:
    """Votes of many studies, ``(study, item, rater)``; everybody votes on everything."""
    drawn = world.draw(
        n_replicates=STUDIES, n_items=ITEMS, n_raters=RATERS, effect=margin, null=null, rng=np.random.default_rng(3)
    )
    assert drawn.panel is not None
    assert isinstance(drawn.raters, Counts)
    by_item = drawn.raters.counts @ np.array([-1, 0, 1])
    np.testing.assert_array_equal(by_item, (drawn.panel.response - 1).sum(-1))
    order = np.argsort(drawn.panel.rater[0], axis=-1)
    return np.take_along_axis(drawn.panel.response - 1, np.broadcast_to(order, drawn.panel.response.shape), -1)


@pytest.mark.parametrize(("ties", "item", "rater", "margin"), [(0.2, 0.1, 0.05, 0.2), (0.0, 0.2, 0.15, 0.4)])
def test_ties_margin_and_shares_are_those_asked_for(ties: float, item: float, rater: float, margin: float) -> None:
    y = votes(SideBySide(ties, item, rater), margin)
    of_study = y.mean((1, 2))
    assert abs(of_study.mean() - margin) < 5 * of_study.std() / np.sqrt(STUDIES)
    tied = (y == 0).mean((1, 2))
    assert abs(tied.mean() - ties) <= 5 * tied.std() / np.sqrt(STUDIES)
    variance, centred = 1 - ties - margin**2, y - margin
    # Two raters of an item share what the item holds, two items of a rater what the rater holds.
    for axis, share in ((2, item), (1, rater)):
        total = centred.sum(axis)
        n = y.shape[axis]
        together = ((total**2 - (centred**2).sum(axis)) / (n * (n - 1))).mean(1)
        assert abs(together.mean() / variance - share) < 5 * together.std() / variance / np.sqrt(STUDIES)


def test_without_a_difference_neither_is_preferred() -> None:
    of_study = votes(SideBySide(), 0.3, null=True).mean((1, 2))
    assert abs(of_study.mean()) < 5 * of_study.std() / np.sqrt(STUDIES)
    seen = votes(SideBySide(), 0.3).mean((1, 2))
    assert seen.mean() > 5 * seen.std() / np.sqrt(STUDIES)  # a difference would be seen


def test_a_board_links_all_systems_and_favours_the_first() -> None:
    design, rng = BoardDesign(6, 0.4), np.random.default_rng(0)
    asked = {tuple(pair) for pair in design.asked(rng).tolist()}
    assert len(asked) == 6
    assert {(k, k + 1) for k in range(5)} <= asked
    board = draw_board(SideBySide(first_shown=0.2), BoardDesign(3), 3000, 6, 0.3, rng)
    near, far = board.second - board.first == 1, board.second - board.first == 2
    error = 5 * np.sqrt(0.8 / near.sum()) + 5 * np.sqrt(0.08 / 3000)
    assert abs(board.vote[near].mean() - 0.3) < error
    assert board.vote[far].mean() > 0.3 + error
    shown = (board.side * board.vote)[near].mean()
    assert abs(shown - 0.2) < error + 0.02  # the margin of 0.3 takes a little of it


@pytest.mark.parametrize("bad", [{"ties": 1.0}, {"item_share": -0.1}, {"item_share": 0.6, "rater_share": 0.5}])
def test_impossible_shares_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        SideBySide(**bad)
    with pytest.raises(InputError, match="pool of 3"):
        SideBySide(pool=3).draw(n_replicates=1, n_items=5, n_raters=4, rng=np.random.default_rng(0))
