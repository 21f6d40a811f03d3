"""The covariance of win rates against simulated studies; taking pairs as independent, as the paper does, must fail."""

import numpy as np
import pytest

from quorate._typing import Array
from quorate.estimating.score_model import group_sets, win_counts, win_covariance, win_excess, win_kernel
from quorate.estimating.vote_model import VoteParameters, vote_law, vote_sets

SHIFT, SLOPE, STUDIES = 0.8, 1.5, 4000
THETA = VoteParameters(np.array([0.3]), np.array([[0.2, 0.7]]), np.array([[2.0, 3.0]]))


def win_rates(kernel: Array, shift: Array, slope: Array) -> Array:
    """Expected win rates w_kl = 1/2 + kernel (Phi - 1/2), ``(..., point, pair)``."""
    return 0.5 + win_excess(shift, slope) @ np.swapaxes(kernel, -1, -2)


@pytest.fixture(scope="module")
def simulated() -> tuple[Array, Array, Array]:
    """Observed win rates of many studies with fixed vote sets, ``(study, pair)``, and what the model says of them."""
    rng = np.random.default_rng(11)
    positive = np.repeat([0, 1, 2, 0, 2], [40, 25, 30, 12, 8])
    known = np.repeat([False, False, False, True, True], [40, 25, 30, 12, 8])
    label = np.repeat([0, 0, 0, 0, 1], [40, 25, 30, 12, 8])
    sets, member = vote_sets(positive, np.full(115, 2), label, known)
    groups = group_sets(sets, sets.size)
    law = vote_law(THETA, sets)
    chance = np.exp(law.label[0, member, 1])
    pairs, rates = groups.pairs, []
    for _ in range(STUDIES):
        y = (rng.random(115) < chance).astype(int)
        a, d = THETA.rate[0][y], THETA.scale[0][y]
        p = rng.beta(a * d + positive, (1 - a) * d + 2 - positive)
        counts = win_counts(rng.normal(SHIFT * y + SLOPE * p, 1.0), groups.of_set[member], len(groups.size))
        rates.append(counts[pairs] / (groups.size[pairs[0]] * groups.size[pairs[1]]))
    weights = law.mixed(groups.mix)
    expected = win_rates(win_kernel(weights, pairs), np.array([[SHIFT]]), np.array([[SLOPE]]))[0, 0]
    return np.array(rates), expected, win_covariance(weights[0], groups, SHIFT, SLOPE)


def test_expected_win_rates(simulated: tuple[Array, Array, Array]) -> None:
    rates, expected, covariance = simulated
    error = np.sqrt(np.diagonal(covariance) / STUDIES)
    assert (np.abs(rates.mean(0) - expected) < 5 * error + 1e-4).all()


def _misses(rates: Array, covariance: Array) -> float:
    """Largest difference from the sampled covariance in its standard errors, sqrt((V_ii V_jj + V_ij²) / R)."""
    sampled = np.cov(rates, rowvar=False)
    variance = np.diagonal(sampled)
    error = np.sqrt((np.outer(variance, variance) + sampled**2) / len(rates))
    return float(np.abs((sampled - covariance) / error).max())


def test_covariance(simulated: tuple[Array, Array, Array]) -> None:
    rates, _, covariance = simulated
    assert _misses(rates, covariance) < 5


def test_control_independent_pairs_are_told_apart(simulated: tuple[Array, Array, Array]) -> None:
    rates, _, covariance = simulated
    assert _misses(rates, np.diag(np.diagonal(covariance))) > 5
