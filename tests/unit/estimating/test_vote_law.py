"""The law of the vote probability on its nodes."""

import numpy as np
import pytest
from scipy import stats

from quorate.estimating.vote_law import NODES, beta_weights
from quorate.estimating.vote_model import VoteParameters

THETA = [
    VoteParameters(np.array([0.3]), np.array([[0.13, 0.7]]), np.array([[4.6, 3.2]])),
    VoteParameters(np.array([0.2]), np.array([[0.02, 0.95]]), np.array([[0.05, 0.3]])),  # infinite at both ends
    VoteParameters(np.array([0.7]), np.array([[0.4, 0.6]]), np.array([[90.0, 60.0]])),  # nearly independent votes
]


def test_beta_weights_have_the_mass_and_mean_of_every_interval() -> None:
    weights = beta_weights(THETA[1], np.array([0, 2]), np.array([3, 3]))[0]
    for ballot, (v, c) in enumerate([(0, 3), (2, 3)]):
        for y in (0, 1):
            a, d = THETA[1].rate[0, y], THETA[1].scale[0, y]
            law = stats.beta(a * d + v, (1 - a) * d + c - v)
            assert weights[ballot, y].sum() == pytest.approx(1, abs=1e-12)
            assert weights[ballot, y] @ NODES == pytest.approx(law.mean(), abs=1e-10)
