"""Win rates as they are observed, decorrelated and weighted."""

import numpy as np
import pytest

from quorate._typing import Array
from quorate.estimating.score_model import Calibrated, calibrate, hanley_mcneil, observe_wins
from quorate.estimating.vote_law import vote_law
from quorate.estimating.vote_model import VoteParameters, VoteSets, vote_sets

THETA = [
    VoteParameters(np.array([0.3]), np.array([[0.13, 0.7]]), np.array([[4.6, 3.2]])),
    VoteParameters(np.array([0.2]), np.array([[0.02, 0.95]]), np.array([[0.05, 0.3]])),  # infinite at both ends
    VoteParameters(np.array([0.7]), np.array([[0.4, 0.6]]), np.array([[90.0, 60.0]])),  # nearly independent votes
]


@pytest.fixture(scope="module")
def sets() -> tuple[VoteSets, Array]:
    positive = np.tile(np.arange(4), 30)
    label, known = np.arange(120) % 2, np.arange(120) % 3 == 0
    return vote_sets(positive, np.full(120, 3), label, known)


def test_any_increasing_transformation_of_the_scores_gives_the_same_wins(sets: tuple[VoteSets, Array]) -> None:
    rng = np.random.default_rng(1)
    scores = rng.normal(size=120)
    one, two = (observe_wins(x, sets[1], sets[0]).rate for x in (scores, np.exp(3 * scores)))
    assert one.tolist() == two.tolist()


def test_calibrated_rows_decorrelate_the_win_rates(sets: tuple[VoteSets, Array]) -> None:
    rng = np.random.default_rng(3)
    law = vote_law(THETA[0], sets[0])
    model = calibrate(law, observe_wins(rng.normal(size=120) + np.tile(np.arange(4), 30), sets[1], sets[0]))
    assert isinstance(model, Calibrated)
    # R'R is the inverse of the covariance with 1 % of each variance added, so R cov R' is the identity
    covariance = np.linalg.inv(model.root.T @ model.root)
    assert model.root @ covariance @ model.root.T == pytest.approx(np.eye(len(covariance)), abs=1e-6)


def test_hanley_mcneil_by_hand() -> None:
    # w = 0.8, n_1 = 3, n_2 = 5: Q_1 = 2/3, Q_2 = 32/45; (0.16 + 2 (2/3 - 0.64) + 4 (32/45 - 0.64)) / 15
    expected = (0.16 + 2 * (2 / 3 - 0.64) + 4 * (32 / 45 - 0.64)) / 15
    assert float(hanley_mcneil(np.array(0.8), np.array(3.0), np.array(5.0))) == pytest.approx(expected)


def test_weighted_experts_stand_for_all_items_with_their_votes() -> None:
    rng = np.random.default_rng(6)
    scores, votes = rng.normal(size=400), rng.integers(0, 2, 400)
    known = rng.random(400) < 0.3
    weight = np.where(known, 2.0, 0.0)
    sets, member = vote_sets(votes, np.ones(400, dtype=int), votes, known, weight=weight)
    wins = observe_wins(scores, member, sets, weight=weight)
    blind = np.flatnonzero(~sets.has_label)
    wanted = set(wins.groups.of_set[blind])
    pair = next(i for i, both in enumerate(zip(*wins.groups.pairs, strict=True)) if set(both) == wanted)
    first = sets.positive[blind[wins.groups.of_set[blind] == wins.groups.pairs[0][pair]][0]]
    above = scores[votes == first][:, None] > scores[votes == 1 - first]
    assert wins.rate[pair] == pytest.approx(above.mean())
