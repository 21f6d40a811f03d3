"""Votes between several systems: how well neighbours are known, and what a pilot shows of tastes."""

import numpy as np
import pytest

from quorate.data.evaluation import read_evaluation
from quorate.inference.bradley_terry import fit_strengths
from quorate.planning.sources.vote_boards import pilot_board, single_confidence, tastes, typed_board
from quorate.populations.side_by_side import BoardDesign, SideBySide, draw_board
from quorate.simulating.long_tables import votes_table

STUDIES = 150


def test_between_equal_systems_a_vote_tells_a_closed_form() -> None:
    """(S − 1) V of the margin, four times that in strengths, V = 1 − t."""
    for size in (2, 3, 6):
        board = typed_board(SideBySide(ties=0.2), size, 1e-9)
        np.testing.assert_allclose(board.single, 4 * (size - 1) * 0.8, rtol=1e-6)


def test_all_pairs_count_by_tukeys_range() -> None:
    assert single_confidence(0.95, 2) == pytest.approx(0.95, abs=1e-9)
    # q of 6 means and endless degrees of freedom is 4.030 in any table of the studentised range.
    from scipy.special import ndtr

    assert single_confidence(0.95, 6) == pytest.approx(2 * ndtr(4.030 / np.sqrt(2)) - 1, abs=2e-5)


def test_neighbours_are_known_as_well_as_planned() -> None:
    world, size, n_items, n_raters, margin = SideBySide(pool=25), 5, 60, 10, 0.1
    board, rng = typed_board(world, size, margin), np.random.default_rng(1)
    apart = []
    for _ in range(STUDIES):
        drawn = draw_board(world, BoardDesign(size), n_items, n_raters, margin, rng)
        fit = fit_strengths(drawn.first, drawn.second, drawn.vote, np.ones(len(drawn.vote)), size)
        apart.append(fit.strength[:-2] - fit.strength[1:-1])
    rest = board.single - board.item - board.rater
    planned = board.item / n_items + board.rater / 25 + rest / (n_items * n_raters)
    # The mean of four variances with n − 1 degrees of freedom each, which go together: as if there were two.
    ratio, error = float((np.var(apart, 0, ddof=1) / planned).mean()), np.sqrt(2 / (2 * STUDIES))
    assert abs(ratio - 1) < 5 * error
    alone = board.single / (n_items * n_raters)  # control: votes counted as if each stood alone
    assert float((np.var(apart, 0, ddof=1) / alone).mean()) - 1 > 5 * error


def test_a_pilot_shows_tastes_and_who_is_next_to_whom() -> None:
    world = SideBySide(item_share=0.2, rater_share=0.1, pool=60)
    board = draw_board(world, BoardDesign(4), 150, 20, 0.2, np.random.default_rng(2))
    votes = read_evaluation(votes_table(board)).votes
    assert votes is not None
    found = pilot_board(votes)
    assert found.names == ("s1", "s2", "s3", "s4")
    typed = typed_board(world, 4, 0.2)
    fit = fit_strengths(votes.first, votes.second, votes.vote, votes.times, 4)
    item, rater = tastes(votes, fit)
    # Variances of 3 × 149 and 3 × 59 tastes, and the noise of votes beside them, which is as large again.
    assert abs(item / typed.item - 1) < 5 * np.sqrt(2 / (3 * 149)) * 2
    assert abs(rater / typed.rater - 1) < 5 * np.sqrt(2 / (3 * 59)) * 2
    none = draw_board(
        SideBySide(item_share=0.0, rater_share=0.0), BoardDesign(4), 150, 20, 0.2, np.random.default_rng(2)
    )
    bare = read_evaluation(votes_table(none)).votes
    assert bare is not None
    assert pilot_board(bare).item < 0.3 * typed.item  # control: without tastes none are found
