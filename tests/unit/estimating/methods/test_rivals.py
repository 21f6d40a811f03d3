"""The rivals by integration, by hand and against scipy's laws."""

import numpy as np
import pytest
from scipy import integrate, stats

from quorate.estimating.methods.rivals import DawidSkeneScores, HumanAI, sample_confusion
from quorate.estimating.vote_model import vote_sets


def test_one_confusion_matrix_posterior_by_integration() -> None:
    # 6 items with 4 votes, no experts: integrate over the prior on a grid of (phi, a_1, a_0)
    positive = np.array([4, 4, 3, 0, 0, 1])
    sets, _ = vote_sets(positive, np.full(6, 4), np.zeros(6), np.zeros(6, dtype=bool))
    grid = (np.arange(60) + 0.5) / 60
    phi, high, low = np.meshgrid(grid, grid, grid, indexing="ij")
    like = np.ones_like(phi)
    joint = {}
    for v in set(positive.tolist()):
        joint[v] = [
            (1 - phi) * low**v * (1 - low) ** (4 - v),
            phi * high**v * (1 - high) ** (4 - v),
        ]
    for v in positive.tolist():
        like *= joint[v][0] + joint[v][1]
    like *= low <= high
    draws = sample_confusion(sets, size=4000, rng=np.random.default_rng(0)).mean(0)
    for k, v in enumerate(sets.positive.tolist()):
        expected = (like * joint[v][1] / (joint[v][0] + joint[v][1])).sum() / like.sum()
        assert draws[k] == pytest.approx(expected, abs=0.02)  # grid of 1/60, and 5 x 0.25 / sqrt(effective 4000)


def test_human_ai_integrates_the_latent_vote_probability() -> None:
    free = np.array([[0.2, -0.4, 0.1, 0.3, 0.2, 0.8, -0.3]])
    sets, _ = vote_sets(np.array([2]), np.array([3]), np.zeros(1), np.zeros(1, dtype=bool))
    ours = HumanAI().log_joint(free, np.array([0.7]), sets)[0, 0, 0]
    rho, sigma = 0.98 * (2 / (1 + np.exp(-0.8)) - 1), np.exp(-0.3)
    label = [1 - 1 / (1 + np.exp(-0.2)), 1 / (1 + np.exp(-0.2))]
    for y in (0, 1):
        human, model = -0.4 + y * np.exp(0.1), 0.3 + y * np.exp(0.2)
        z = (0.7 - model) / sigma
        law = stats.norm(human + rho * z, np.sqrt(1 - rho**2))
        votes = integrate.quad(
            lambda x, law=law: law.pdf(x) * stats.norm.cdf(x) ** 2 * stats.norm.sf(x),
            -10,
            10,
            points=[law.mean()],
        )[0]
        # constants that do not depend on the parameters (the normal's, the quadrature's) cancel in the difference below
        expected = np.log(label[y] * votes) - 0.5 * z**2 - np.log(sigma)
        assert ours[y] - np.log(np.sqrt(2 * np.pi)) == pytest.approx(expected, abs=1e-4)


def test_scores_of_dawid_skene_are_a_normal_mixture() -> None:
    free = np.array([[0.0, 0.0, 0.0, -1.0, 1.5, np.log(0.7)]])
    sets, _ = vote_sets(np.array([1]), np.array([1]), np.zeros(1), np.zeros(1, dtype=bool))
    ours = DawidSkeneScores().log_joint(free, np.array([0.2]), sets)[0, 0, 0]
    for y, (mean, rate) in enumerate([(-1.0, 0.25), (1.5, 0.5)]):
        expected = np.log(0.5 * rate) + stats.norm(mean, 0.7).logpdf(0.2) + 0.5 * np.log(2 * np.pi)
        assert ours[y] == pytest.approx(expected)
