"""The vote model against the paper's formulas written out item by item."""

from functools import partial

import numpy as np
import pytest
from scipy import integrate, stats

from quorate._typing import Array
from quorate.estimating.vote_model import (
    NODES,
    VoteParameters,
    beta_weights,
    label_log_probability,
    log_joint,
    vote_log_posterior,
    vote_sets,
)

THETA = VoteParameters(np.array(0.3), np.array([0.2, 0.7]), np.array([1.5, 4.0]))


@pytest.fixture
def votes() -> tuple[Array, Array, Array, Array]:
    rng = np.random.default_rng(4)
    total = rng.integers(0, 5, 60)
    return rng.binomial(total, 0.4), total, rng.integers(0, 2, 60), rng.random(60) < 0.4


def _by_item(theta: VoteParameters, positive: Array, total: Array, label: Array, known: Array) -> float:
    """Sum over items of log P(V, T), response by response: every label the expert leaves open, f_BB from scipy."""
    log_likelihood = 0.0
    for v, c, t, expert in zip(positive, total, label, known, strict=True):
        chance = 0.0
        for y in (0, 1):
            if expert and t != y:
                continue
            prior = theta.prevalence if y else 1 - theta.prevalence
            a, d = theta.rate[y], theta.scale[y]
            chance += prior * stats.betabinom.pmf(v, c, a * d, (1 - a) * d) / stats.binom.pmf(v, c, 0.5) / 2**c
        log_likelihood += np.log(chance)
    return log_likelihood


def test_likelihood_is_the_papers_item_by_item(votes: tuple[Array, Array, Array, Array]) -> None:
    sets, _ = vote_sets(*votes)
    others = VoteParameters(np.array(0.6), np.array([0.1, 0.5]), np.array([3.0, 0.8]))
    ours = [vote_log_posterior(theta.free, sets) - _log_prior(theta.free) for theta in (THETA, others)]
    assert ours == pytest.approx([_by_item(theta, *votes) for theta in (THETA, others)], rel=1e-10)


def _log_prior(free: Array) -> float:
    """The log prior density of the free numbers, up to a constant, by differentiating the map to the uniform ones."""
    s = 1 / (1 + np.exp(-free))
    return float(np.log(s * (1 - s)).sum() + np.log(s[1]))


def test_free_numbers_and_parameters_are_the_same_thing() -> None:
    back = VoteParameters.from_free(THETA.free)
    assert back.rate == pytest.approx(THETA.rate)
    assert back.scale == pytest.approx(THETA.scale)
    assert back.correlation == pytest.approx(1 / (1 + THETA.scale))


def test_prior_is_uniform_on_the_triangle() -> None:
    # without evidence the posterior is the prior: P(a_1 < 1/2) = 1/4 on the triangle, as an integral over free_1
    sets, _ = vote_sets(np.array([0]), np.array([0]), np.array([0]), np.array([False]))

    def density(x: float) -> float:
        return float(np.exp(vote_log_posterior(np.array([0.0, x, 0.0, 0.0, 0.0]), sets)))

    below, above = integrate.quad(density, -40, 0)[0], integrate.quad(density, 0, 40)[0]
    assert below / (below + above) == pytest.approx(1 / 4, rel=1e-6)


def _sequence(p: float, v: int, c: int) -> float:
    """Chance of one sequence of votes, v of c positive."""
    return float(p**v * (1 - p) ** (c - v))


def test_best_of_three_votes_give_the_same_posterior_shape(votes: tuple[Array, Array, Array, Array]) -> None:
    # stopping rules change the binomial coefficient only: differences between parameters do not see it
    positive, total = np.array([2, 2, 0, 1]), np.array([2, 3, 2, 3])
    sets, _ = vote_sets(positive, total, np.zeros(4), np.zeros(4, dtype=bool))
    paths = log_joint(THETA, positive, total)  # probability of one sequence of votes, whatever their order
    alpha, beta = THETA.rate * THETA.scale, (1 - THETA.rate) * THETA.scale
    for row, (v, c) in zip(paths, zip(positive, total, strict=True), strict=True):
        for y in (0, 1):
            law = stats.beta(alpha[y], beta[y])
            moment = law.expect(partial(_sequence, v=v, c=c))
            prior = THETA.prevalence if y else 1 - THETA.prevalence
            assert np.exp(row[y]) == pytest.approx(prior * moment, rel=1e-6)
    assert sets.size.sum() == 4


def test_order_of_items_does_not_matter(votes: tuple[Array, Array, Array, Array]) -> None:
    order = np.random.default_rng(0).permutation(60)
    one, two = vote_sets(*votes)[0], vote_sets(*(column[order] for column in votes))[0]
    assert one.size.tolist() == two.size.tolist()
    assert vote_log_posterior(THETA.free, one) == pytest.approx(vote_log_posterior(THETA.free, two))


def test_every_ballot_has_a_set_without_a_label(votes: tuple[Array, Array, Array, Array]) -> None:
    positive, total, label, _ = votes
    sets, member = vote_sets(positive, total, label, np.ones(60, dtype=bool))
    assert (sets.size[~sets.has_label] == 0).all()
    assert (~sets.has_label).sum() == len(set(zip(positive.tolist(), total.tolist(), strict=True)))
    assert sets.positive[member].tolist() == positive.tolist()


def test_experts_labels_are_certain(votes: tuple[Array, Array, Array, Array]) -> None:
    sets, _ = vote_sets(*votes)
    chance = np.exp(label_log_probability(THETA, sets))
    assert chance.sum(-1) == pytest.approx(np.ones(len(chance)))
    assert chance[sets.has_label] == pytest.approx(sets.possible[sets.has_label].astype(float))


def test_equal_weights_change_nothing_and_unequal_ones_count_their_effective_number(
    votes: tuple[Array, Array, Array, Array],
) -> None:
    *_, known = votes
    plain, _ = vote_sets(*votes)
    equal, _ = vote_sets(*votes, weight=np.full(60, 3.0))
    assert equal.evidence == pytest.approx(plain.evidence)
    weight = np.where(np.arange(60) % 2, 1.0, 4.0)
    uneven, _ = vote_sets(*votes, weight=weight)
    effective = weight[known].sum() ** 2 / (weight[known] ** 2).sum()
    assert uneven.evidence.sum() == pytest.approx(60)  # every item still speaks once for the votes
    assert uneven.evidence[uneven.has_label].sum() <= effective + 1e-9


def test_beta_weights_have_the_mass_and_mean_of_every_interval() -> None:
    theta = VoteParameters(np.array([0.2]), np.array([[0.02, 0.95]]), np.array([[0.05, 0.3]]))  # infinite at both ends
    weights = beta_weights(theta, np.array([0, 2]), np.array([3, 3]))[0]
    for ballot, (v, c) in enumerate([(0, 3), (2, 3)]):
        for y in (0, 1):
            a, d = theta.rate[0, y], theta.scale[0, y]
            law = stats.beta(a * d + v, (1 - a) * d + c - v)
            assert weights[ballot, y].sum() == pytest.approx(1, abs=1e-12)
            assert weights[ballot, y] @ NODES == pytest.approx(law.mean(), abs=1e-10)
