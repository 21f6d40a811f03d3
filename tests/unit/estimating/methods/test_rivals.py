"""Baselines against definitions written out: experts only, majority, oracle, Dawid-Skene, prediction-powered means."""

import numpy as np
import pytest
from scipy import integrate, stats

from quorate._errors import InputError
from quorate.estimating.evidence import Ballots, Evidence
from quorate.estimating.label_metrics import METRICS
from quorate.estimating.methods.baselines import expert_outcomes, majority, oracle
from quorate.estimating.methods.choose import METHODS, Study
from quorate.estimating.methods.dawid_skene import fit_voters, sample_confusion
from quorate.estimating.methods.ppi import powered_mean, proxy_of
from quorate.estimating.methods.rivals import DawidSkeneScores, HumanAI
from quorate.estimating.vote_model import vote_sets
from quorate.populations.crowds import irt_crowd


@pytest.fixture(scope="module")
def crowd():
    return irt_crowd(600, rng=np.random.default_rng(1))


@pytest.fixture(scope="module")
def evidence(crowd):
    ballots = Ballots(np.repeat(np.arange(600), 3), crowd.rater.ravel(), crowd.vote.ravel())
    known = np.arange(600) % 3 == 0
    scores = {"a": crowd.scores[:, 0], "b": crowd.scores[:, 1]}
    return Evidence(crowd.positive, crowd.total, crowd.truth, known, scores, ballots=ballots, truth=crowd.truth)


def test_experts_only_is_the_plain_metric_on_their_items(evidence):
    plain, draws = expert_outcomes(evidence, evidence.scores["a"], threshold=1.0, rng=np.random.default_rng(0))
    score, label = evidence.scores["a"][evidence.known], evidence.label[evidence.known]
    wins = (score[label == 1][:, None] > score[label == 0]).mean()
    assert METRICS["auc"](plain)[0] == pytest.approx(wins)
    assert METRICS["accuracy"](plain)[0] == pytest.approx(((score >= 1.0) == label).mean())
    assert draws.labels.level_total.sum(1).tolist() == [200.0] * 500


def test_equal_weights_of_experts_change_nothing(evidence):
    from dataclasses import replace

    heavy = replace(evidence, weight=np.full(600, 2.5))
    values = [
        METRICS["auc"](expert_outcomes(e, evidence.scores["a"], threshold=1.0, rng=np.random.default_rng(0))[1])
        for e in (evidence, heavy)
    ]
    assert values[0] == pytest.approx(values[1])


def test_two_systems_are_resampled_together(evidence):
    draws = [
        expert_outcomes(evidence, evidence.scores[name], threshold=0.5, rng=np.random.default_rng(0))[1]
        for name in "ab"
    ]
    assert METRICS["prevalence"](draws[0]) == pytest.approx(METRICS["prevalence"](draws[1]))


def test_majority_needs_more_than_half():
    sets, _ = vote_sets(np.array([1, 1, 2]), np.array([2, 3, 3]), np.zeros(3), np.zeros(3, dtype=bool))
    assert majority(sets, experts=False).tolist() == [0.0, 0.0, 1.0]


def test_oracle_knows_the_share_of_positives_by_votes(evidence):
    sets, member = vote_sets(evidence.positive, evidence.total, evidence.label, evidence.known)
    chance = oracle(evidence, sets, member)
    for k in np.flatnonzero(~sets.known):
        same = evidence.positive == sets.positive[k]
        assert chance[k] == pytest.approx(evidence.truth[same].mean())
    with pytest.raises(InputError, match="true label"):
        oracle(Evidence(evidence.positive, evidence.total, evidence.label, evidence.known), sets, member)


def test_one_confusion_matrix_posterior_by_integration():
    # 6 items with 4 votes, no experts: integrate over the prior on a grid of (phi, a_1, a_0)
    positive = np.array([4, 4, 3, 0, 0, 1])
    sets, _ = vote_sets(positive, np.full(6, 4), np.zeros(6), np.zeros(6, dtype=bool))
    grid = (np.arange(60) + 0.5) / 60
    phi, high, low = np.meshgrid(grid, grid, grid, indexing="ij")
    like = np.ones_like(phi)
    joint = {}
    for v in set(positive.tolist()):
        joint[v] = [(1 - phi) * low**v * (1 - low) ** (4 - v), phi * high**v * (1 - high) ** (4 - v)]
    for v in positive.tolist():
        like *= joint[v][0] + joint[v][1]
    like *= low <= high
    draws = sample_confusion(sets, size=4000, rng=np.random.default_rng(0)).mean(0)
    for k, v in enumerate(sets.positive.tolist()):
        expected = (like * joint[v][1] / (joint[v][0] + joint[v][1])).sum() / like.sum()
        assert draws[k] == pytest.approx(expected, abs=0.02)  # grid of 1/60, and 5 x 0.25 / sqrt(effective 4000)


def _em_by_hand(item, rater, vote, n_items, iterations):
    """Dawid and Skene with dictionaries, vote by vote."""
    chance = {}
    for i in range(n_items):
        own = [v for j, v in zip(item, vote, strict=True) if j == i]
        chance[i] = sum(own) / len(own)
    for step in range(iterations + 1):
        prior = sum(chance.values()) / n_items
        rate = {}
        for r in set(rater):
            for y in (0, 1):
                yes = no = 0.0
                for j, who, v in zip(item, rater, vote, strict=True):
                    if who == r:
                        weight = chance[j] if y else 1 - chance[j]
                        yes, no = yes + weight * v, no + weight * (1 - v)
                yes, no = max(yes, 1e-10), max(no, 1e-10)
                rate[r, y] = yes / (yes + no)
        if step == iterations:
            return chance, rate
        for i in range(n_items):
            joint = [1 - prior, prior]
            for j, who, v in zip(item, rater, vote, strict=True):
                if j == i:
                    joint = [joint[y] * (rate[who, y] if v else 1 - rate[who, y]) for y in (0, 1)]
            chance[i] = joint[1] / sum(joint)
    raise AssertionError


def test_dawid_skene_by_hand():
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 30)
    item = np.repeat(np.arange(30), 4)
    rater = np.concatenate([rng.permutation(7)[:4] for _ in range(30)])
    vote = np.where(rng.random(120) < 0.75, truth[item], 1 - truth[item])
    chance, rate = _em_by_hand(item.tolist(), rater.tolist(), vote.tolist(), 30, 6)
    fit = fit_voters(Ballots(item, rater, vote), 30, iterations=6)
    assert fit.chance == pytest.approx([chance[i] for i in range(30)], abs=1e-9)
    assert fit.rate == pytest.approx(np.array([[rate[r, 0], rate[r, 1]] for r in range(7)]), abs=1e-9)


def test_dawid_skene_holds_experts_labels():
    item, rater = np.repeat(np.arange(10), 3), np.tile([0, 1, 2], 10)
    fit = fit_voters(
        Ballots(item, rater, np.ones(30, dtype=int)), 10, label=np.zeros(10), known=np.arange(10) < 2, iterations=20
    )
    assert fit.chance[:2].tolist() == [0.0, 0.0]


def test_powered_mean_by_the_formula():
    rng = np.random.default_rng(3)
    gold = rng.integers(0, 2, 40).astype(float)
    proxy, rest = 0.3 * gold + 0.7 * rng.random(40), rng.random(400)
    found = powered_mean(gold, proxy, rest, confidence=0.9)
    # lambda = Cov(y, f) / ((1 + n/N) Var f), the covariance over n, the variance of both samples over n + N - 1
    power = np.cov(gold, proxy, ddof=0)[0, 1] / ((1 + 40 / 400) * np.var(np.append(proxy, rest), ddof=1))
    value = power * rest.mean() + np.mean(gold - power * proxy)
    error = np.sqrt(np.var(power * rest) / 400 + np.var(gold - power * proxy) / 40)
    assert found == pytest.approx((value, value - 1.6448536 * error, value + 1.6448536 * error, power), rel=1e-6)


def test_useless_proxy_leaves_the_plain_mean():
    gold = np.array([0.0, 1.0, 1.0, 0.0])
    assert powered_mean(gold, np.ones(4), np.ones(9)).value == 0.5
    with pytest.raises(InputError, match="means over items"):
        proxy_of("auc", gold, None)


def test_human_ai_integrates_the_latent_vote_probability():
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
            lambda x, law=law: law.pdf(x) * stats.norm.cdf(x) ** 2 * stats.norm.sf(x), -10, 10, points=[law.mean()]
        )[0]
        # constants that do not depend on the parameters (the normal's, the quadrature's) cancel in the difference below
        expected = np.log(label[y] * votes) - 0.5 * z**2 - np.log(sigma)
        assert ours[y] - np.log(np.sqrt(2 * np.pi)) == pytest.approx(expected, abs=1e-4)


def test_scores_of_dawid_skene_are_a_normal_mixture():
    free = np.array([[0.0, 0.0, 0.0, -1.0, 1.5, np.log(0.7)]])
    sets, _ = vote_sets(np.array([1]), np.array([1]), np.zeros(1), np.zeros(1, dtype=bool))
    ours = DawidSkeneScores().log_joint(free, np.array([0.2]), sets)[0, 0, 0]
    for y, (mean, rate) in enumerate([(-1.0, 0.25), (1.5, 0.5)]):
        expected = np.log(0.5 * rate) + stats.norm(mean, 0.7).logpdf(0.2) + 0.5 * np.log(2 * np.pi)
        assert ours[y] == pytest.approx(expected)


def test_every_method_gives_every_metric(evidence):
    study = Study(evidence, threshold=1.0, n_draws=50)
    for method in METHODS:
        outcome = study.judge(method, "a").draws
        for name, metric in METRICS.items():
            values = metric(outcome)
            assert values.shape == (50,), (method, name)
            assert np.isfinite(values).all(), (method, name)
