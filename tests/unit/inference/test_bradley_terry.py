"""Strengths: as evalica has them where both exist, finite where nobody lost, apart where nobody compared."""

from pathlib import Path

import numpy as np
import pytest

from quorate._typing import Array
from quorate.data.evaluation import read_evaluation
from quorate.inference.bradley_terry import fit_strengths

evalica = pytest.importorskip("evalica")


def theirs(left: list[str], right: list[str], vote: Array) -> dict[str, float]:
    """Log scores by evalica, ties half, less their mean."""
    winners = [{1: evalica.Winner.X, -1: evalica.Winner.Y, 0: evalica.Winner.Draw}[int(v)] for v in vote]
    scores = evalica.bradley_terry(left, right, winners, tolerance=1e-14, limit=100_000).scores
    logs = np.log(scores)
    return dict((logs - logs.mean()).items())


def test_strengths_are_those_of_evalica_on_votes_at_random() -> None:
    rng = np.random.default_rng(0)
    pair = np.array([rng.choice(7, 2, replace=False) for _ in range(400)])
    vote = rng.choice([1, 0, -1], 400, p=[0.45, 0.2, 0.35])
    fit = fit_strengths(pair[:, 0], pair[:, 1], vote, np.ones(400), 7)
    other = theirs([f"s{k}" for k in pair[:, 0]], [f"s{k}" for k in pair[:, 1]], vote)
    np.testing.assert_allclose(fit.strength[:-1], [other[f"s{k}"] for k in range(7)], atol=1e-6)
    assert not fit.held
    # Not those of votes without ties.
    decided = vote != 0
    without = fit_strengths(pair[decided, 0], pair[decided, 1], vote[decided], np.ones(int(decided.sum())), 7)
    assert np.abs(fit.strength - without.strength).max() > 1e-3


def test_strengths_are_those_of_evalica_on_llmfao(shared: Path) -> None:
    votes = read_evaluation(shared / "llmfao" / "votes.csv").votes
    assert votes is not None
    fit = fit_strengths(votes.first, votes.second, votes.vote, votes.times, len(votes.systems))
    rows = np.repeat(np.arange(len(votes.vote)), votes.times.astype(int))
    names = np.array(votes.systems)
    other = theirs(list(names[votes.first[rows]]), list(names[votes.second[rows]]), votes.vote[rows])
    np.testing.assert_allclose(fit.strength[:-1], [other[name] for name in votes.systems], atol=1e-6)


def test_two_systems_have_the_log_odds_of_their_win_rate() -> None:
    # 6 wins, 2 ties, 2 losses: a win rate of 0.7.
    fit = fit_strengths(np.zeros(3, int), np.ones(3, int), np.array([1, 0, -1]), np.array([6, 2, 2]), 2)
    assert fit.strength[0] - fit.strength[1] == pytest.approx(np.log(0.7 / 0.3))
    # The variance of log odds is 1 / (n p q).
    assert np.array([1, -1, 0]) @ fit.inverse @ np.array([1, -1, 0]) == pytest.approx(1 / (10 * 0.7 * 0.3))


def test_who_never_lost_stays_finite_and_first() -> None:
    first, second, vote = np.array([0, 0, 1, 1]), np.array([1, 2, 2, 2]), np.array([1, 1, 1, -1])
    fit = fit_strengths(first, second, vote, np.array([3, 3, 2, 2]), 3)
    assert fit.held
    assert np.isfinite(fit.strength).all()
    assert fit.strength[0] == fit.strength[:-1].max() > 1


def test_systems_that_were_never_compared_are_apart() -> None:
    first, second, vote = np.array([0, 0, 2, 2]), np.array([1, 1, 3, 3]), np.array([1, -1, 1, -1])
    fit = fit_strengths(first, second, vote, np.array([2, 1, 1, 1]), 4)
    assert fit.part.tolist() == [0, 0, 1, 1]
    assert fit.strength[:2].sum() == pytest.approx(0)


def test_being_shown_first_is_told_from_strength() -> None:
    # Exact shares of θ = 0.4, γ = 0.3: nothing is left over.
    side, share = np.array([1, -1]), 1 / (1 + np.exp(-(0.4 + 0.3 * np.array([1, -1]))))
    times = np.concatenate([1000 * share, 1000 * (1 - share)])
    zeros = np.zeros(4, int)
    fit = fit_strengths(zeros, zeros + 1, np.array([1, 1, -1, -1]), times, 2, np.tile(side, 2))
    np.testing.assert_allclose([fit.strength[0] - fit.strength[1], fit.strength[2]], [0.4, 0.3])


@pytest.mark.parametrize("told", [True, False])
def test_sides_that_decide_every_vote_stay_finite(told: bool) -> None:
    """Whoever is shown first always wins, or the same system is shown first always: γ has no maximum by itself."""
    first, second = np.array([0, 0]), np.array([1, 1])
    vote, side = (np.array([1, -1]), np.array([1, -1])) if told else (np.array([1, -1]), np.array([1, 1]))
    fit = fit_strengths(first, second, vote, np.array([3, 3]), 2, side)
    assert np.isfinite(fit.strength).all()
    assert np.isfinite(fit.inverse).all()
    assert (fit.strength[-1] > 1) == told
    assert abs(fit.strength[0]) < 1e-9
