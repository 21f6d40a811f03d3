"""The loosened cut: a vote draw weighs its evidence to the power of 0.3, found for few, then read off a surface."""

import numpy as np
import pytest
from scipy.special import logsumexp

from quorate.estimating.evidence import Evidence
from quorate.estimating.posterior.cut import INFLUENCE, log_evidence, sample_votes, weigh_by_scores
from quorate.estimating.score_model import Wins, calibrate, observe_wins, win_kernel
from quorate.estimating.study import Study
from quorate.estimating.vote_model import VoteParameters, VoteSets, vote_law, vote_sets
from quorate.populations.crowds import choose_experts, irt_crowd

N_ITEMS, POOL = 5000, 1200


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    rng = np.random.default_rng(3)
    crowd = irt_crowd(N_ITEMS, rng=rng)
    known = choose_experts(N_ITEMS, 0.04, rng=rng)
    return Evidence.binary(crowd.positive, crowd.total, crowd.truth, known, {"one": crowd.scores[:, 0]})


@pytest.fixture(scope="module")
def heard(evidence: Evidence) -> tuple[VoteSets, VoteParameters, Wins]:
    sets, member = vote_sets(evidence.positive, evidence.total, evidence.label, evidence.has_label)
    pool = sample_votes(sets, size=POOL, rng=np.random.default_rng(0)).parameters
    return sets, pool, observe_wins(evidence.scores["one"], member, sets)


def test_evidence_is_the_integral_over_the_score_model(heard: tuple[VoteSets, VoteParameters, Wins]) -> None:
    sets, pool, wins = heard
    law = vote_law(pool[np.arange(12)], sets)
    model = calibrate(law, wins)
    axes = np.linspace(-3, 5, 161), np.linspace(-3, 8, 221)  # sixteen standard deviations and more, steps of a sixth
    points = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 2)
    exact = logsumexp(model.density(win_kernel(law.mixed(wins.groups.mix), wins.groups.pairs))(points), axis=-1)
    ours = log_evidence(law, wins, model)
    away = (ours - ours.mean()) - (exact - exact.mean())
    assert np.abs(INFLUENCE * away).max() < 0.1  # of a log weight: Laplace's method is not exact
    assert np.ptp(INFLUENCE * exact) > 1  # which would show: the weights differ by far more


def test_heeded_draws_are_the_pool_weighted_by_its_evidence(heard: tuple[VoteSets, VoteParameters, Wins]) -> None:
    sets, pool, wins = heard
    found = log_evidence(vote_law(pool, sets), wins, calibrate(vote_law(pool, sets), wins))
    weight = np.exp(INFLUENCE * (found - found.max()))
    weight /= weight.sum()
    ours, share = weigh_by_scores(pool, sets, [wins], size=POOL, rng=np.random.default_rng(1))
    assert share == pytest.approx(1 / (weight**2).sum() / POOL, rel=0.15)
    exact = weight @ pool.free
    spread = np.sqrt(weight @ (pool.free - exact) ** 2)
    error = spread / np.sqrt(share * POOL)
    assert (np.abs(ours.free.mean(0) - exact) < error).all()  # one pool: far less apart than two pools would be
    assert (np.abs(pool.free.mean(0) - exact) > 3 * error).any()  # control: the cut is told apart


def test_a_system_asked_twice_speaks_once(heard: tuple[VoteSets, VoteParameters, Wins]) -> None:
    sets, pool, wins = heard
    once, twice = (weigh_by_scores(pool, sets, [wins] * n, size=200, rng=np.random.default_rng(2))[0] for n in (1, 2))
    np.testing.assert_allclose(once.free, twice.free)


def test_without_influence_the_cut_is_left(heard: tuple[VoteSets, VoteParameters, Wins]) -> None:
    sets, pool, wins = heard
    ours, share = weigh_by_scores(pool, sets, [wins], size=POOL, influence=0.0, rng=np.random.default_rng(1))
    assert share == pytest.approx(1)
    np.testing.assert_allclose(np.sort(ours.free, axis=0), np.sort(pool.free, axis=0))


def test_the_paper_keeps_the_cut(evidence: Evidence) -> None:
    published = Study(evidence, mode="paper", n_draws=200).votes
    alone = Evidence.binary(evidence.positive, evidence.total, evidence.label, evidence.has_label)
    silent = Study(alone, n_draws=200).votes
    np.testing.assert_array_equal(published.draws.parameters.free, silent.draws.parameters.free)
    ours = Study(evidence, n_draws=200).votes
    assert ours.draws.parameters.rate[:, 1].std() < published.draws.parameters.rate[:, 1].std()


def test_noise_says_nothing_about_the_votes(heard: tuple[VoteSets, VoteParameters, Wins]) -> None:
    sets, pool, _ = heard
    noise = np.random.default_rng(4).normal(size=N_ITEMS)
    member = np.repeat(np.arange(len(sets.size)), sets.size.astype(int))
    _, share = weigh_by_scores(pool, sets, [observe_wins(noise, member, sets)], size=200, rng=np.random.default_rng(5))
    assert share > 0.9
