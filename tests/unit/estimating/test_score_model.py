"""Win counts by counting, win rates by high-order quadrature, their covariance by the theory of rank tests."""

import numpy as np
import pytest
from scipy.special import ndtr, roots_jacobi

from quorate._typing import Array
from quorate.estimating.score_model import (
    CalibratedWins,
    SetGroups,
    calibrate,
    group_sets,
    hanley_mcneil,
    observe_wins,
    win_counts,
    win_covariance,
    win_excess,
    win_kernel,
)
from quorate.estimating.vote_model import NODES, VoteParameters, VoteSets, vote_law, vote_sets

THETA = [
    VoteParameters(np.array([0.3]), np.array([[0.13, 0.7]]), np.array([[4.6, 3.2]])),
    VoteParameters(np.array([0.2]), np.array([[0.02, 0.95]]), np.array([[0.05, 0.3]])),  # infinite at both ends
    VoteParameters(np.array([0.7]), np.array([[0.4, 0.6]]), np.array([[90.0, 60.0]])),  # nearly independent votes
]


def win_rates(kernel: Array, shift: Array, slope: Array) -> Array:
    """Expected win rates w_kl = 1/2 + kernel (Phi - 1/2), ``(..., point, pair)``."""
    return 0.5 + win_excess(shift, slope) @ np.swapaxes(kernel, -1, -2)


@pytest.fixture(scope="module")
def sets() -> tuple[VoteSets, Array]:
    positive = np.tile(np.arange(4), 30)
    label, known = np.arange(120) % 2, np.arange(120) % 3 == 0
    return vote_sets(positive, np.full(120, 3), label, known)


def test_win_counts_are_counted_pairs_with_ties_as_half() -> None:
    rng = np.random.default_rng(0)
    scores, member, weight = rng.integers(0, 12, 80).astype(float), rng.integers(0, 3, 80), rng.random(80)
    expected, weighted = np.zeros((3, 3)), np.zeros((3, 3))
    for i in range(80):
        for j in range(80):
            win = (scores[i] > scores[j]) + 0.5 * (scores[i] == scores[j])
            expected[member[i], member[j]] += win
            weighted[member[i], member[j]] += win * weight[i] * weight[j]
    assert win_counts(scores, member, 3).tolist() == expected.tolist()
    assert win_counts(scores, member, 3, weight) == pytest.approx(weighted)


@pytest.mark.parametrize("theta", THETA, ids=["moderate", "infinite ends", "narrow"])
@pytest.mark.parametrize("point", [(0.5, 1.0), (1.0, -2.0), (0.0, 4.0)])
def test_win_rates_agree_with_high_order_quadrature(
    sets: tuple[VoteSets, Array], theta: VoteParameters, point: tuple[float, float]
) -> None:
    groups = group_sets(sets[0], sets[0].size)
    kernel = win_kernel(vote_law(theta, sets[0]).mixed(groups.mix), groups.pairs)
    ours = win_rates(kernel, np.array([[point[0]]]), np.array([[point[1]]]))[0, 0]
    assert ours == pytest.approx(_by_quadrature(theta, sets[0], groups, *point), abs=1e-4)


def _by_quadrature(theta: VoteParameters, sets: VoteSets, groups: SetGroups, shift: float, slope: float) -> Array:
    """w_kl as the paper writes it: sums over both labels and 60-point Gauss-Jacobi quadrature over both beta laws."""
    label = np.exp(vote_law(theta, sets).label[0])
    n_sets = groups.mix.shape[1]
    single = np.zeros((n_sets, n_sets))
    for s in range(n_sets):
        for t in range(n_sets):
            for y in (0, 1):
                for z in (0, 1):
                    (p, f), (q, g) = _jacobi(theta, sets, s, y), _jacobi(theta, sets, t, z)
                    chance = ndtr((shift * (y - z) + slope * (p[:, None] - q)) / np.sqrt(2))
                    single[s, t] += label[s, y] * label[t, z] * (f @ chance @ g)
    return (groups.mix @ single @ groups.mix.T)[groups.pairs]


def _jacobi(theta: VoteParameters, sets: VoteSets, s: int, y: int) -> tuple[Array, Array]:
    a, d = theta.rate[0, y], theta.scale[0, y]
    alpha, beta = a * d + sets.positive[s], (1 - a) * d + sets.total[s] - sets.positive[s]
    x, weight = roots_jacobi(60, beta - 1, alpha - 1)
    return (x + 1) / 2, weight / weight.sum()


def test_win_rates_of_a_pair_add_to_one_when_swapped(sets: tuple[VoteSets, Array]) -> None:
    groups = group_sets(sets[0], sets[0].size)
    weights = vote_law(THETA[0], sets[0]).mixed(groups.mix)
    there = win_rates(win_kernel(weights, groups.pairs), np.array([[0.7]]), np.array([[1.3]]))
    back = win_rates(win_kernel(weights, groups.pairs[::-1]), np.array([[0.7]]), np.array([[1.3]]))
    assert there + back == pytest.approx(np.ones_like(there), abs=1e-12)


def test_covariance_is_mann_whitneys_for_groups_of_equal_law() -> None:
    # equal laws: Var(w) = (n + m + 1) / (12 n m); two win rates that share group k covary 1 / (12 n_k)
    weights = np.zeros((3, 2, NODES.size))
    weights[:, 0, :] = 1 / NODES.size
    groups = SetGroups(np.arange(3), np.eye(3), np.array([7.0, 11.0, 30.0]))
    found = win_covariance(weights, groups, 0.4, 2.0) * 12
    assert np.diagonal(found) == pytest.approx([19 / 77, 38 / 210, 42 / 330], rel=2e-4)
    assert found[0, 1] == pytest.approx(1 / 7, rel=2e-4)
    assert found[0, 2] == pytest.approx(-1 / 11, rel=2e-4)
    assert found[1, 2] == pytest.approx(1 / 30, rel=2e-4)


def test_groups_are_few_and_large_and_never_mix_expert_labels() -> None:
    rng = np.random.default_rng(5)
    total = rng.integers(1, 15, 3000)
    positive = rng.binomial(total, rng.random(3000))
    sets, _ = vote_sets(positive, total, rng.integers(0, 2, 3000), rng.random(3000) < 0.1)
    groups = group_sets(sets, sets.size)
    kinds = sets.possible @ np.array([1, 2])
    assert groups.size.sum() == 3000
    assert groups.size.min() >= 5
    for group in range(len(groups.size)):
        assert len(set(kinds[groups.of_set == group])) == 1
    assert np.bincount([kinds[groups.of_set == g][0] for g in range(len(groups.size))])[1:].max() <= 5


def test_any_increasing_transformation_of_the_scores_gives_the_same_wins(sets: tuple[VoteSets, Array]) -> None:
    rng = np.random.default_rng(1)
    scores = rng.normal(size=120)
    one, two = (observe_wins(x, sets[1], sets[0]).rate for x in (scores, np.exp(3 * scores)))
    assert one.tolist() == two.tolist()


def test_calibrated_rows_decorrelate_the_win_rates(sets: tuple[VoteSets, Array]) -> None:
    rng = np.random.default_rng(3)
    law = vote_law(THETA[0], sets[0])
    model = calibrate(law, observe_wins(rng.normal(size=120) + np.tile(np.arange(4), 30), sets[1], sets[0]))
    assert isinstance(model, CalibratedWins)
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
