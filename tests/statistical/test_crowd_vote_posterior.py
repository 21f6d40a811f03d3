"""Simulation-based calibration of the vote model: the truth's rank among posterior draws must be uniform.

Parameters are drawn from the prior, votes and experts from the parameters, the posterior from both; the rank of each
true parameter among 49 draws is then uniform on 0 … 49. A posterior that counts its evidence four times must fail.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from quorate._typing import Array
from quorate.estimating.posterior.cut import sample_votes
from quorate.estimating.vote_model import VoteParameters, VoteSets, vote_sets
from tests.studies import large

pytestmark = large
STUDIES, DRAWS, BINS = 100, 49, 10


def _study(rng: np.random.Generator) -> tuple[VoteParameters, VoteSets]:
    free = rng.logistic(size=5)
    free[1] = np.log(np.sqrt(rng.random()))  # a_1 has density 2a on the triangle
    free[1] = free[1] - np.log1p(-np.exp(free[1]))
    theta = VoteParameters.from_free(free)
    truth = (rng.random(400) < theta.prevalence).astype(int)
    a, d = theta.rate[truth], theta.scale[truth]
    votes = rng.binomial(3, rng.beta(np.maximum(a * d, 1e-9), np.maximum((1 - a) * d, 1e-9)))
    return theta, vote_sets(votes, np.full(400, 3), truth, np.arange(400) < 150)[0]


def _ranks(sets: VoteSets, theta: VoteParameters, rng: np.random.Generator) -> Array:
    draws = sample_votes(sets, size=DRAWS, rng=rng).parameters
    truth = np.concatenate([theta.prevalence[None], theta.rate, theta.scale])
    drawn = np.concatenate([draws.prevalence[:, None], draws.rate, draws.scale], 1)
    return np.asarray((drawn < truth).sum(0))


@pytest.fixture(scope="module")
def ranks() -> tuple[Array, Array]:
    """Ranks of the five parameters, ``(study, 5)``; for every other study also with its evidence counted four times."""
    rng = np.random.default_rng(23)
    honest, sure = [], []
    for number in range(STUDIES):
        theta, sets = _study(rng)
        honest.append(_ranks(sets, theta, rng))
        if number % 2:
            sure.append(_ranks(replace(sets, evidence=4 * sets.evidence), theta, rng))
    return np.array(honest), np.array(sure)


def _p_values(ranks: Array) -> list[float]:
    """Chi² test of a uniform rank histogram, one p-value per parameter."""
    counts = [np.bincount(column * BINS // (DRAWS + 1), minlength=BINS) for column in ranks.T]
    return [stats.chisquare(count).pvalue for count in counts]


def test_ranks_are_uniform(ranks: tuple[Array, Array]) -> None:
    assert min(_p_values(ranks[0])) > 5.7e-7 / 5  # z = 5, five parameters


def test_control_a_posterior_that_counts_evidence_four_times_fails(ranks: tuple[Array, Array]) -> None:
    assert min(_p_values(ranks[1])) < 5.7e-7 / 5
