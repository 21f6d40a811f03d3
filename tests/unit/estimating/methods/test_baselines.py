"""Experts only, majority, oracle and prediction-powered means against definitions written out."""

import numpy as np
import pytest

from quorate._errors import InputError
from quorate.estimating.evidence import Evidence
from quorate.estimating.label_metrics import METRICS
from quorate.estimating.methods.baselines import (
    expert_draws,
    majority,
    majority_or_experts,
    oracle,
    powered_mean,
)
from quorate.estimating.vote_model import vote_sets


def test_experts_only_is_the_plain_metric_on_their_items(evidence: Evidence) -> None:
    plain, draws = expert_draws(evidence, evidence.scores["a"], threshold=1.0, rng=np.random.default_rng(0))
    score, label = evidence.scores["a"][evidence.has_label], evidence.label[evidence.has_label]
    wins = (score[label == 1][:, None] > score[label == 0]).mean()
    assert METRICS["auc"](plain)[0] == pytest.approx(wins)
    assert METRICS["accuracy"](plain)[0] == pytest.approx(((score >= 1.0) == label).mean())
    assert draws.counts.level_total.sum(1).tolist() == [200.0] * 500


def test_equal_weights_of_experts_change_nothing(evidence: Evidence) -> None:
    from dataclasses import replace

    heavy = replace(evidence, weight=np.full(600, 2.5))
    values = [
        METRICS["auc"](expert_draws(e, evidence.scores["a"], threshold=1.0, rng=np.random.default_rng(0))[1])
        for e in (evidence, heavy)
    ]
    assert values[0] == pytest.approx(values[1])


def test_two_systems_are_resampled_together(evidence: Evidence) -> None:
    draws = [
        expert_draws(evidence, evidence.scores[name], threshold=0.5, rng=np.random.default_rng(0))[1] for name in "ab"
    ]
    assert METRICS["prevalence"](draws[0]) == pytest.approx(METRICS["prevalence"](draws[1]))


def test_majority_needs_more_than_half_and_experts_go_before() -> None:
    votes, total = np.array([1, 1, 2]), np.array([2, 3, 3])
    for experts, rule, wanted in (
        ([False] * 3, majority, [0.0, 0.0, 1.0]),
        (
            [True, False, True],
            majority_or_experts,
            [0.0, 1.0, 0.0, 1.0, 0.0],
        ),  # a set without a label, then the expert's
    ):
        evidence = Evidence.binary(votes, total, np.array([1, 0, 0]), np.array(experts))
        sets, member = vote_sets(votes, total, evidence.label, evidence.has_label)
        assert rule(evidence, sets, member).tolist() == wanted


def test_oracle_knows_the_share_of_positives_by_votes(evidence: Evidence) -> None:
    sets, member = vote_sets(evidence.positive, evidence.total, evidence.label, evidence.has_label)
    assert evidence.truth is not None
    chance = oracle(evidence, sets, member)
    for k in np.flatnonzero(~sets.has_label):
        same = evidence.positive == sets.positive[k]
        assert chance[k] == pytest.approx(evidence.truth[same].mean())
    with pytest.raises(InputError, match="true label"):
        oracle(
            Evidence.binary(evidence.positive, evidence.total, evidence.label, evidence.has_label),
            sets,
            member,
        )


def test_powered_mean_by_the_formula() -> None:
    rng = np.random.default_rng(3)
    gold = rng.integers(0, 2, 40).astype(float)
    proxy, rest = 0.3 * gold + 0.7 * rng.random(40), rng.random(400)
    found = powered_mean(gold, proxy, rest, confidence=0.9)
    # lambda = Cov(y, f) / ((1 + n/N) Var f), the covariance over n, the variance of both samples over n + N - 1
    power = np.cov(gold, proxy, ddof=0)[0, 1] / ((1 + 40 / 400) * np.var(np.append(proxy, rest), ddof=1))
    value = power * rest.mean() + np.mean(gold - power * proxy)
    error = np.sqrt(np.var(power * rest) / 400 + np.var(gold - power * proxy) / 40)
    assert found == pytest.approx((value, value - 1.6448536 * error, value + 1.6448536 * error, power), rel=1e-6)


def test_a_useless_proxy_leaves_the_plain_mean_and_a_perfect_one_its_own() -> None:
    gold = np.array([0.0, 1.0, 1.0, 0.0])
    assert powered_mean(gold, np.ones(4), np.ones(9)).value == 0.5
    perfect = powered_mean(gold, gold, np.full(1000, 0.6))
    assert (perfect.value, perfect.power) == pytest.approx((0.6, 1.0))
