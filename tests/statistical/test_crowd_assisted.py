"""Assisted intervals cover what they promise in unlike worlds, and ways that do not hold are caught.

Coverage may fall below 95 % by five binomial standard errors; each control ignores what the world does – weights,
clusters, that items are drawn, that a guess is not the truth – and must fall further.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import polars as pl
import pytest
from scipy.special import expit

from quorate._typing import Array
from quorate.estimating.assistance import Assistance
from quorate.estimating.choice import choose_items
from quorate.estimating.curves import AssistedCurves, CurveKind
from quorate.estimating.derivatives import Labels
from quorate.estimating.evidence import Evidence, correct_labels, share_labels
from quorate.estimating.intervals import interval
from quorate.estimating.label_metrics import METRICS, choose_metrics, class_metrics
from quorate.estimating.methods import ASSISTED, EXPERTS_ALONE
from quorate.estimating.methods.assisted import derive_metric, measure_assisted, rarer
from quorate.estimating.study import Study
from quorate.populations.crowds import choose_experts, irt_crowd

STUDIES = 150
LOWEST = 0.95 - 5 * np.sqrt(0.95 * 0.05 / STUDIES)
POINTS: dict[CurveKind, tuple[int, ...]] = {
    "roc": (1, 3, 6),
    "precision-recall": (4, 7),
    "calibration": (5, 9),
}
NAMES = ("auc", "recall", "prevalence", "human_tnr")


def _irt(rng: np.random.Generator, n: int = 2000) -> Evidence:
    crowd = irt_crowd(n, rng=rng, scores=((1.0, 1.5),))
    every = np.ones(n, dtype=bool)
    return Evidence.binary(
        crowd.positive,
        crowd.total,
        crowd.truth,
        every,
        {"s": crowd.scores[:, 0]},
        truth=crowd.truth,
    )


def _truth(evidence: Evidence, name: str) -> float:
    assert evidence.truth is not None
    labels = Labels(np.eye(2)[evidence.truth], np.ones(evidence.n_items))
    return derive_metric(METRICS[name], Assistance(evidence, 1.0), ("s",), labels).value


def _inside(evidence: Evidence, name: str, truth: float, *, population: bool = False) -> bool:
    items = Assistance(evidence, 1.0)
    found = measure_assisted(items, METRICS[name], ("s",), population=population)
    low, high = interval(found, 0.95, bounded=True, rare=rarer(items.sample, METRICS[name]))
    return bool(low <= truth <= high)


def _by_score(evidence: Evidence, rng: np.random.Generator) -> Evidence:
    chance = np.where(np.abs(evidence.scores["s"] - 1.5) < 1.0, 0.35, 0.05)
    return replace(evidence, has_label=rng.random(evidence.n_items) < chance, weight=1 / chance)


def _coverage(rows: list[list[bool]]) -> Array:
    return np.asarray(np.mean(rows, axis=0))


def test_a_random_sample_of_experts() -> None:
    rows = []
    for number in range(STUDIES):
        rng = np.random.default_rng([number, 1])
        everything = _irt(rng)
        hidden = replace(everything, has_label=choose_experts(2000, 0.1, rng=rng))
        rows.append([_inside(hidden, name, _truth(everything, name)) for name in NAMES])
    assert (_coverage(rows) >= LOWEST).all()


def test_control_the_guess_taken_for_the_truth_does_not_cover() -> None:
    rows = []
    for number in range(STUDIES):
        rng = np.random.default_rng([number, 1])
        everything = _irt(rng)
        majority = (2 * everything.positive > everything.total).astype(np.int64)
        rows.append([_inside(replace(everything, label=majority), n, _truth(everything, n)) for n in NAMES])
    assert (_coverage(rows)[:2] < LOWEST).all()


def test_experts_chosen_by_score_with_weights_and_the_control_without() -> None:
    rows, naive = [], []
    for number in range(STUDIES):
        rng = np.random.default_rng([number, 2])
        everything = _irt(rng)
        hidden = _by_score(everything, rng)
        rows.append([_inside(hidden, name, _truth(everything, name)) for name in NAMES])
        naive.append([_inside(replace(hidden, weight=None), n, _truth(everything, n)) for n in NAMES])
    assert (_coverage(rows) >= LOWEST).all()
    assert _coverage(naive).min() < LOWEST


def test_a_population_and_the_control_that_takes_its_items_for_all() -> None:
    everyone = _irt(np.random.default_rng(9), 100_000)
    target = {name: _truth(everyone, name) for name in NAMES}
    rows, naive = [], []
    for number in range(STUDIES):
        rng = np.random.default_rng([number, 3])
        part = everyone.keep(choose_experts(100_000, 0.008, rng=rng))
        hidden = replace(part, has_label=choose_experts(800, 0.5, rng=rng))
        rows.append([_inside(hidden, name, target[name], population=True) for name in NAMES])
        naive.append([_inside(hidden, name, target[name]) for name in NAMES])
    assert (_coverage(rows) >= LOWEST).all()
    assert _coverage(naive).min() < LOWEST


def _documents(rng: np.random.Generator) -> Evidence:
    """Documents of 1 to 40 items that lean one way; votes and scores know little of it."""
    size = rng.integers(1, 41, 150)
    cluster = np.repeat(np.arange(150), size)
    n, lean = len(cluster), rng.normal(0, 2.0, 150)[cluster]
    truth = (rng.random(n) < 1 / (1 + np.exp(-lean))).astype(np.int64)
    votes, score = rng.binomial(3, 0.4 + 0.2 * truth), truth + 2 * rng.normal(size=n)
    return Evidence.binary(votes, np.full(n, 3), truth, np.ones(n, bool), {"s": score}, truth=truth, cluster=cluster)


def test_experts_who_take_whole_documents_and_the_control_that_counts_items() -> None:
    rows, naive = [], []
    for number in range(STUDIES):
        rng = np.random.default_rng([number, 4])
        everything = _documents(rng)
        assert everything.cluster is not None
        hidden = replace(everything, has_label=choose_experts(150, 0.2, rng=rng)[everything.cluster])
        truth = _truth(everything, "prevalence")
        rows.append([_inside(hidden, "prevalence", truth)])
        naive.append([_inside(replace(hidden, cluster=None), "prevalence", truth)])
    assert _coverage(rows)[0] >= LOWEST
    assert _coverage(naive)[0] < LOWEST


def test_experts_who_err_corrected_by_labels_given_twice_and_the_control_without() -> None:
    # 5 % errors among 20 % positives move the share of positives by 0.05 (1 - 0.4) = 0.03
    rows, naive, moved = [], [], []
    for number in range(STUDIES):
        rng = np.random.default_rng([number, 6])
        everything = _irt(rng)
        known = choose_experts(2000, 0.4, rng=rng)
        times = np.where(known, 1 + (rng.random(2000) < 0.5), 0)
        wrong = rng.binomial(times, 0.05)
        assert everything.truth is not None
        positive = np.where(everything.truth == 1, times - wrong, wrong)
        said = np.stack([times - positive, positive], 1).astype(float)
        hidden = replace(everything, has_label=known, label=(2 * positive > times).astype(int), label_share=said)
        truth = _truth(everything, "prevalence")
        mended, plain = correct_labels(hidden)[0], share_labels(hidden)
        rows.append([_inside(mended, "prevalence", truth)])
        naive.append([_inside(plain, "prevalence", truth)])
        moved.append(measure_assisted(Assistance(plain, 1.0), METRICS["prevalence"], ("s",)).value - truth)
    assert _coverage(rows)[0] >= LOWEST
    assert _coverage(naive)[0] < LOWEST
    assert np.mean(moved) == pytest.approx(0.03, abs=5 * np.std(moved) / np.sqrt(STUDIES))


def test_items_chosen_for_their_doubt_cover_and_are_narrower_than_random_ones() -> None:
    rows, widths = [], []
    for number in range(STUDIES):
        rng = np.random.default_rng([number, 7])
        everything = _irt(rng)
        first = choose_experts(2000, 0.05, rng=rng)
        start, names = (
            replace(everything, has_label=first),
            pl.Series([f"i{i:04d}" for i in range(2000)]),
        )
        width = []
        for at_random in (False, True):
            again, study = np.random.default_rng([number, 8]), Study(start, threshold=1.0)
            metric = METRICS["prevalence"]
            chosen = choose_items(study, names, metric, ("s",), 200, at_random=at_random, rng=again)
            place = chosen["item"].str.slice(1).cast(pl.Int64).to_numpy()
            weight = np.zeros(2000)
            weight[place] = chosen["weight"].to_numpy()
            items = Assistance(replace(everything, has_label=weight > 0, weight=weight), 1.0)
            found = measure_assisted(items, METRICS["prevalence"], ("s",))
            low, high = interval(found, 0.95, bounded=True, rare=rarer(items.sample, METRICS["prevalence"]))
            width.append(high - low)
            if not at_random:
                rows.append([low <= _truth(everything, "prevalence") <= high])
        widths.append(np.log(width[0] / width[1]))
    assert _coverage(rows)[0] >= LOWEST
    assert np.mean(widths) < -5 * np.std(widths) / np.sqrt(STUDIES)


def _top_tenth(scores: Array, labels: Array) -> float:
    """Share of the positives among the highest tenth of scores."""
    below = np.partition(scores, place := int(0.9 * (len(scores) - 1)))[
        place
    ]  # called so often that a quantile is slow
    return float(labels[scores > below].sum() / labels.sum())


def test_points_of_curves_and_a_users_function() -> None:
    rows, function = [], []
    for number in range(STUDIES):
        rng = np.random.default_rng([number, 9])
        everything = _irt(rng)
        hidden = replace(everything, has_label=choose_experts(2000, 0.1, rng=rng))
        every = AssistedCurves(Assistance(everything), "s", alone=True)
        ours = AssistedCurves(Assistance(hidden), "s")
        inside = []
        for kind, points in POINTS.items():
            curve, truth = (each.curve(kind, 0.95, 11) for each in (ours, every))
            inside += [curve["low"][i] <= truth["value"][i] <= curve["high"][i] for i in points]
        rows.append(inside)
        if number % 3:  # a function of one's own is moved label by label
            continue
        study = Study(hidden, threshold=1.0, seed=number)
        mine = next(iter(ASSISTED.estimates(study, choose_metrics(_top_tenth, hidden)[0], {}, 0.95)))
        assert mine.low is not None
        assert mine.high is not None
        off = abs(_top_tenth(everything.scores["s"], everything.label) - 0.5 * (mine.low + mine.high))
        half = 0.5 * (mine.high - mine.low)
        function.append([off <= half, off <= 0.3 * half])
    assert (_coverage(rows) >= LOWEST).all()
    lowest = 0.95 - 5 * np.sqrt(0.95 * 0.05 / len(function))
    assert _coverage(function)[0] >= lowest > _coverage(function)[1]  # the control is three tenths as wide


@cache
def _three_classes() -> list[tuple[Assistance, Assistance]]:
    """Studies of three classes: with all labels, and with those of a tenth of the items."""
    studies = []
    for number in range(STUDIES):
        rng = np.random.default_rng([number, 5])
        truth = rng.choice(3, 1500, p=(0.6, 0.3, 0.1))
        votes = np.eye(3, dtype=int)[
            np.where(rng.random((1500, 3)) < 0.6, truth[:, None], rng.integers(0, 3, (1500, 3)))
        ]
        output = np.eye(3)[truth] + rng.normal(size=(1500, 3))
        everything = Evidence(
            votes.sum(1),
            truth,
            np.ones(1500, bool),
            classes=tuple("abc"),
            named=True,
            outputs={"s": output},
        )
        hidden = replace(everything, has_label=choose_experts(1500, 0.1, rng=rng))
        studies.append((Assistance(everything), Assistance(hidden)))
    return studies


@pytest.mark.parametrize("name", ["accuracy", "macro_recall", "recall:c", "auc:b", "prevalence:a", "human_recall:b"])
def test_three_classes(name: str) -> None:
    metric, rows = class_metrics(tuple("abc"))[name], []
    for every, items in _three_classes():
        labels = Labels(np.eye(3)[every.evidence.label], np.ones(1500))
        value = derive_metric(metric, every, ("s",), labels).value
        found = measure_assisted(items, metric, ("s",))
        low, high = interval(found, 0.95, bounded=True, rare=rarer(items.sample, metric))
        rows.append(low <= value <= high)
    assert np.mean(rows) >= LOWEST


def _recall_less_alarms(scores: Array, labels: Array) -> float:
    """How many more of the positives than of the negatives lie above the median score."""
    called = scores > np.median(scores)
    return float(called[labels == 1].mean() - called[labels == 0].mean())


def test_experts_alone_of_a_users_function_and_the_control_that_counts_items_for_documents() -> None:
    rows = []
    for number in range(STUDIES):
        rng = np.random.default_rng([number, 17])
        document = np.arange(2000) // 20
        topic, lean = rng.normal(size=(2, 100))[:, document]
        label = (rng.random(2000) < expit(4 * topic)).astype(np.int64)
        score, known = label + lean + 0.5 * rng.normal(size=2000), np.isin(document, rng.permutation(100)[:20])
        evidence = Evidence.binary(0 * label, 0 * label, label, known, {"s": score}, cluster=document)
        mine, truth = choose_metrics(_recall_less_alarms, evidence)[0], _recall_less_alarms(score, label)
        studies = [Study(each, seed=number) for each in (evidence, replace(evidence, cluster=None))]
        found = [next(iter(EXPERTS_ALONE.estimates(study, mine, {}, 0.95))) for study in studies]
        rows.append([(row.low or 0.0) <= truth <= (row.high or 0.0) for row in found])
    assert _coverage(rows)[0] >= LOWEST > _coverage(rows)[1]
