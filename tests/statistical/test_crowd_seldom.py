"""Intervals hold where little is seen: few calls, heavy weights, rare classes, perfect voters, items without votes.

Each control leaves out what mends it – how many items a share is taken over, what classes are by themselves, that a
step cannot be told, that other items have no votes either – and must fall further.
"""

from dataclasses import replace
from math import inf

import numpy as np
import pytest

import quorate
from quorate._typing import Array
from quorate.estimating.assistance import Assistance
from quorate.estimating.derivatives import Labels, lead
from quorate.estimating.evidence import Evidence
from quorate.estimating.intervals import MeasuredNumber, interval, measure_experts
from quorate.estimating.label_metrics import METRICS, LabelMetric, class_metrics
from quorate.estimating.methods.assisted import derive_metric, measure_alone, measure_assisted, rarer

STUDIES = 150
LOWEST = 0.95 - 5 * np.sqrt(0.95 * 0.05 / STUDIES)


def _crowd(rng: np.random.Generator, n: int = 1500, *, positive: float = 0.5, apart: float = 2.0) -> Evidence:
    label = (rng.random(n) < positive).astype(np.int64)
    votes = rng.binomial(3, 0.2 + 0.6 * label)
    score = apart * (label - 0.5) + rng.normal(size=n)
    return Evidence.binary(votes, np.full(n, 3), label, np.ones(n, bool), {"s": score}, truth=label)


def _some(everything: Evidence, experts: int, rng: np.random.Generator) -> Evidence:
    known = np.isin(np.arange(everything.n_items), rng.choice(everything.n_items, experts, replace=False))
    return replace(everything, has_label=known)


def _truth(everything: Evidence, metric: LabelMetric, threshold: float) -> float:
    assert everything.truth is not None
    labels = Labels(np.eye(everything.n_classes)[everything.truth], np.ones(everything.n_items))
    return derive_metric(metric, Assistance(everything, threshold), ("s",), labels).value


def _inside(found: MeasuredNumber, truth: float, rare: float) -> bool:
    low, high = interval(found, 0.95, bounded=True, rare=rare)
    return bool(low - 1e-9 <= truth <= high + 1e-9)


def _by_class_only(items: Assistance, metric: LabelMetric) -> MeasuredNumber:
    """Experts alone, with as many coins as the rarer class has labels, whatever the share is taken over."""
    sample = items.sample
    found = derive_metric(metric, items.alone, ("s",), Labels(sample.label, sample.weight))
    own = replace(sample, experts=np.arange(sample.size))
    return measure_experts(own, replace(found, coins=lambda: inf), rare=rarer(sample, metric))


def test_precision_of_a_few_calls_and_the_control_that_counts_the_class() -> None:
    metric, rows = METRICS["precision"], []
    for number in range(STUDIES):
        rng = np.random.default_rng([number, 1])
        everything = _crowd(rng, apart=1.0)
        items = Assistance(_some(everything, 150, rng), 2.0)
        if items.alone.calls("s")[:, 1].sum():
            truth, rare = _truth(everything, metric, 2.0), rarer(items.sample, metric)
            tried = (measure_assisted(items, metric, ("s",)), measure_alone(items, metric, ("s",)))
            rows.append([_inside(each, truth, rare) for each in (*tried, _by_class_only(items, metric))])
    assisted, alone, control = np.mean(rows, axis=0)
    assert min(assisted, alone) >= LOWEST > control


def _by_score(everything: Evidence, rng: np.random.Generator) -> Evidence:
    """Experts look at high scores eight times as often, so a positive with a low one stands for eight."""
    chance = np.where(everything.scores["s"] > 0.4, 0.2, 0.025)
    return replace(everything, has_label=rng.random(everything.n_items) < chance, weight=1 / chance)


def test_heavy_weights_on_what_is_seldom_seen_and_the_control_that_counts_labels() -> None:
    rows = []
    for number in range(STUDIES):
        rng = np.random.default_rng([number, 2])
        everything = _crowd(rng, positive=0.2)
        items = Assistance(_by_score(everything, rng), 0.0)
        for metric in (METRICS["recall"], METRICS["auc"]):
            truth, rare = _truth(everything, metric, 0.0), rarer(items.sample, metric)
            tried = (measure_assisted(items, metric, ("s",)), _by_class_only(items, metric))
            rows.append([_inside(each, truth, rare) for each in tried])
    covered = np.array(rows, float).reshape(STUDIES, 2, 2).mean(0)
    assert covered[:, 0].min() >= LOWEST > covered[:, 1].min()


def _classes(rng: np.random.Generator, n: int = 1500) -> Evidence:
    """Three classes, one of them on two items of a hundred."""
    label = rng.choice(3, n, p=(0.9, 0.08, 0.02))
    said = np.where(rng.random((n, 4)) < 0.65, label[:, None], rng.integers(0, 3, (n, 4)))
    votes = (said[:, :3, None] == np.arange(3)).sum(1)
    outputs = {"s": np.eye(3)[said[:, 3]]}
    every = np.ones(n, bool)
    return Evidence(votes, label, every, truth=label, classes=("a", "b", "c"), named=True, outputs=outputs)


def test_a_mean_over_classes_one_of_them_rare_and_the_control_that_takes_them_together() -> None:
    metric, rows = class_metrics(("a", "b", "c"))["macro_recall"], []
    for number in range(2 * STUDIES):
        rng = np.random.default_rng([number, 3])
        everything = _classes(rng)
        items = Assistance(_some(everything, 100, rng))
        if all(items.evidence.n_experts):
            truth, rare = _truth(everything, metric, 0.5), rarer(items.sample, metric)
            found = measure_assisted(items, metric, ("s",))
            assert found.alone is not None
            plain = replace(found, parts=(), alone=replace(found.alone, parts=()))
            rows.append([_inside(each, truth, rare) for each in (found, plain)])
    covered, control = np.mean(rows, axis=0)
    assert covered >= LOWEST > control


def test_voters_and_a_system_without_errors_are_level_and_the_control_without_steps() -> None:
    metric, rows = METRICS["delta_tpr"], []
    for number in range(20):
        rng = np.random.default_rng([number, 4])
        everything = _crowd(rng, positive=0.3)
        assert everything.truth is not None
        votes = np.stack([3 - 3 * everything.truth, 3 * everything.truth], 1)
        everything = replace(everything, votes=votes, scores={"s": everything.truth + 0.1 * rng.random(1500)})
        items = Assistance(_some(everything, 60, rng), 0.5)
        found = measure_assisted(items, metric, ("s",))
        low, high = interval(found, 0.95, bounded=False)
        shares, labels = items.vote_shares, items.pseudo()
        control = lead(labels, items.ranks("s", 1), (labels, shares[:, 1], shares[:, 0]), 1).value
        rows.append([low <= 0 <= high, found.value, control])
    covered, value, control = np.mean(np.array(rows, float), axis=0)
    assert covered == 1
    assert value == pytest.approx(0, abs=0.1)
    assert control < -0.1


def _share(votes: Array, rng: np.random.Generator, *, listed: bool) -> tuple[bool, bool]:
    """Votes on items that are seldom positive, experts on all: is the share of positives within the interval?"""
    label = (rng.random(1500) < np.where(votes, 0.1, 0.6)).astype(int)
    item = np.array([f"i{k:04d}" for k in range(1500)])
    known = rng.choice(1500, 150, replace=False)
    there = np.ones(1500, bool) if listed else votes | np.isin(np.arange(1500), known)
    score = label + rng.normal(size=1500)
    result = quorate.estimate(
        {"item": item[votes], "positive": rng.binomial(3, 0.2 + 0.6 * label[votes]), "total": np.full(votes.sum(), 3)},
        {"item": item[known], "label": label[known]},
        {"item": item[there], "score": score[there]},
        metric="prevalence",
    )
    row = result.estimates[0]
    assert row.low is not None
    assert row.high is not None
    return row.low <= label.mean() <= row.high, result.n_items == 1500


def test_items_without_votes_are_judged_where_experts_label_such_items() -> None:
    rows, left = [], []
    for number in range(40):
        rng = np.random.default_rng([number, 5])
        votes = rng.random(1500) < 0.4
        rows.append(_share(votes, rng, listed=True))
        left.append(_share(votes, rng, listed=False)[0])
    assert np.mean(rows, axis=0).tolist() == [pytest.approx(0.95, abs=5 * np.sqrt(0.95 * 0.05 / 40)), 1]
    assert np.mean(left) < 0.5  # of the items that have votes, which is something else
