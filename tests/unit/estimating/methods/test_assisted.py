"""Assisted estimates and experts alone: against ppi's mean, against plain metrics, and in odd worlds."""

from dataclasses import replace

import numpy as np
import pytest

from quorate._typing import Array
from quorate.estimating.assistance import Assistance
from quorate.estimating.evidence import Evidence
from quorate.estimating.intervals import MeasuredNumber, interval
from quorate.estimating.label_metrics import METRICS, choose_metrics, class_metrics, default_metrics
from quorate.estimating.methods import ASSISTED, EXPERTS_ALONE, tabulate
from quorate.estimating.methods.assisted import CLEARLY, measure_alone, measure_assisted, rarer
from quorate.estimating.methods.method import Estimate
from quorate.estimating.study import Study


def _rows(evidence: Evidence, names: list[str]) -> dict[tuple[str, str, str | None], Estimate]:
    study = Study(evidence, threshold=1.0)
    metrics = [metric for name in names for metric in choose_metrics(name, evidence)]
    rows = tabulate(study, {}, [ASSISTED, EXPERTS_ALONE], metrics, 0.95)
    return {(row.metric, row.method, row.system): row for row in rows}


def test_the_share_of_positives_is_ppis_with_lambda_one(evidence: Evidence) -> None:
    # mean(g) over all items + mean(Y - g_(-i)) over experts' [angelopoulos2023]; residuals' variance with 1 - m/n
    items = Assistance(evidence, 1.0)
    found = measure_assisted(items, METRICS["prevalence"], ("a",))
    guess, sample = items.guess(), items.sample
    rest = ~evidence.has_label
    gold, proxy = sample.label[:, 1], guess.own[:, 1]
    value = (guess.chance[rest, 1].sum() + proxy.sum()) / len(rest) + (gold - proxy).mean()
    assert found.value == pytest.approx(value)


def test_with_every_label_known_both_give_the_plain_metric_and_no_interval(
    evidence: Evidence,
) -> None:
    every = replace(evidence, has_label=np.ones(600, dtype=bool))
    score, label = every.scores["a"], every.label
    wins = (score[label == 1][:, None] > score[label == 0]).mean()
    for method in ("assisted", "gt"):
        row = _rows(every, ["auc", "accuracy"])["auc", method, "a"]
        assert row.value == pytest.approx(wins)
        assert row.width == pytest.approx(0.0, abs=1e-9)


def test_a_difference_is_that_of_the_systems_and_narrower_than_both(evidence: Evidence) -> None:
    rows = _rows(evidence, ["auc", "delta_auc"])
    for method in ("assisted", "gt"):
        a, b = (rows["auc", method, name] for name in "ab")
        gap = rows["delta_auc", method, "a - b"]
        assert a.value is not None
        assert b.value is not None
        assert gap.value == pytest.approx(a.value - b.value)
        assert gap.width is not None
        assert a.width is not None
        assert gap.width < 1.5 * a.width


def test_every_metric_of_two_classes_is_told_with_an_interval_around_it(evidence: Evidence) -> None:
    for row in _rows(evidence, [*METRICS, "macro_f1", "human_accuracy"]).values():
        assert row.value is not None
        assert row.low is not None
        assert row.high is not None
        assert row.low <= row.value <= row.high
        assert row.rests_on is not None
        assert row.rests_on >= 1


def test_items_experts_and_names_of_classes_may_be_swapped(evidence: Evidence) -> None:
    # the positive class called negative: tpr and tnr change places, the AUC of the reversed score stays
    turned = replace(
        evidence,
        votes=evidence.votes[:, ::-1],
        label=1 - evidence.label,
        scores={name: 2.0 - score for name, score in evidence.scores.items()},
        named_votes=None,
    )
    plain = _rows(replace(evidence, named_votes=None), ["auc", "human_tpr", "prevalence"])
    other = _rows(turned, ["auc", "human_tnr", "prevalence"])
    one, two = (rows["auc", "assisted", "a"] for rows in (plain, other))
    assert (two.value, two.low, two.high) == pytest.approx((one.value, one.low, one.high))
    assert other["human_tnr", "assisted", "a"].value == pytest.approx(plain["human_tpr", "assisted", "a"].value)
    share = plain["prevalence", "assisted", "a"].value
    assert share is not None
    assert other["prevalence", "assisted", "a"].value == pytest.approx(1 - share)


def test_two_named_classes_give_what_a_positive_one_gives(evidence: Evidence) -> None:
    named = replace(evidence, classes=("no", "yes"), named=True, scores={}, outputs=_as_outputs(evidence))
    plain, other = (
        _rows(evidence, ["accuracy", "recall", "tnr"]),
        _rows(named, ["accuracy", "recall"]),
    )
    assert other["recall:yes", "gt", "a"].value == pytest.approx(plain["recall", "gt", "a"].value)
    assert other["recall:no", "gt", "a"].value == pytest.approx(plain["tnr", "gt", "a"].value)
    assert other["accuracy", "gt", "a"].value == pytest.approx(plain["accuracy", "gt", "a"].value)


def _as_outputs(evidence: Evidence) -> dict[str, Array]:
    return {name: np.eye(2)[(score >= 1.0).astype(int)] for name, score in evidence.scores.items()}


@pytest.mark.parametrize("what", ["constant votes", "no votes", "separated", "two positives", "one voter"])
def test_odd_worlds_keep_honest_ends(evidence: Evidence, what: str) -> None:
    plain = replace(evidence, named_votes=None)
    positive = np.flatnonzero(evidence.label == 1)
    known = np.zeros(600, dtype=bool)
    known[np.concatenate([positive[:2], np.flatnonzero(evidence.label == 0)[:38]])] = True
    worlds = {
        "constant votes": replace(plain, votes=np.tile([0, 3], (600, 1))),
        "no votes": replace(plain, votes=np.zeros((600, 2), int)),
        "separated": replace(plain, scores={"a": evidence.label + 0.1 * evidence.scores["a"]}),
        "two positives": replace(plain, has_label=known),
        "one voter": replace(plain, votes=np.eye(2, dtype=int)[(evidence.positive > 1).astype(int)]),
    }
    names = ["auc", "accuracy", "prevalence", "f1"]
    for row in _rows(worlds[what], names).values():
        assert row.value is not None
        assert row.low is not None
        assert row.high is not None
        assert 0 <= row.low <= row.value <= row.high <= 1
        assert row.low < row.high


def test_a_lead_over_voters_who_never_err_stays_possible(evidence: Evidence) -> None:
    """At no false positives scores find next to nothing: the lead is near -1, and no interval goes below."""
    votes = np.eye(2, dtype=int)[(evidence.label == 1).astype(int)] * 3
    row = _rows(replace(evidence, votes=votes, named_votes=None), ["delta_tpr"])["delta_tpr", "assisted", "a"]
    assert row.value is not None
    assert row.low is not None
    assert -1 <= row.low <= row.value < -0.5


def test_ten_items_are_enough_to_say_how_little_is_known() -> None:
    label = np.array([0, 1, 0, 1, 0, 1, 0, 0, 1, 0])
    evidence = Evidence.binary(label * 2, np.full(10, 3), label, np.arange(10) < 4, {"s": label + np.arange(10) / 10})
    row = _rows(evidence, ["accuracy"])["accuracy", "assisted", "s"]
    assert row.low is not None
    assert row.high is not None
    assert row.high - row.low > 0.2


def test_a_users_function_of_plain_labels_is_the_metric_it_computes(evidence: Evidence) -> None:
    def accuracy(scores: Array, labels: Array) -> float:
        return float(((scores >= 1.0) == (labels == 1)).mean())

    study = Study(evidence, threshold=1.0)
    mine = choose_metrics(accuracy, evidence)[0]
    for method in (ASSISTED, EXPERTS_ALONE):
        own = next(iter(method.estimates(study, mine, {}, 0.95)))
        plain = next(iter(method.estimates(study, METRICS["accuracy"], {}, 0.95)))
        assert own.value is not None
        assert plain.value is not None
        assert own.width is not None
        assert plain.width is not None
        drawn = 5 * 0.5 / np.sqrt(600 * 40)  # 40 draws of 600 labels
        assert own.value == pytest.approx(plain.value, abs=drawn)
        assert own.width == pytest.approx(plain.width, rel=0.15)


def test_a_users_function_is_no_wider_than_with_experts_alone_where_they_leave_less_doubt(evidence: Evidence) -> None:
    # scores that say the label: the guess, learnt from a hundred labels, is less sure than the labels are
    def missed(scores: Array, labels: Array) -> float:
        return float(((scores - labels) ** 2).mean())

    clear = replace(evidence, scores={"s": 0.98 * evidence.label + 0.02 * evidence.scores["a"] / 9})
    mine = choose_metrics(missed, clear)[0]
    ours, alone = (next(iter(m.estimates(Study(clear), mine, {}, 0.95))) for m in (ASSISTED, EXPERTS_ALONE))
    assert ours.width is not None
    assert alone.width is not None
    assert 0 < ours.width <= 1.05 / CLEARLY * alone.width


def test_a_users_function_of_experts_alone_knows_that_another_label_may_say_otherwise(evidence: Evidence) -> None:
    # every positive of the experts is called: leaving some out shows no spread of recall
    def recall(scores: Array, labels: Array) -> float:
        return float((scores >= 0)[labels == 1].mean())

    called = replace(evidence, scores={"s": evidence.label - 0.5})
    found = next(iter(EXPERTS_ALONE.estimates(Study(called), choose_metrics(recall, called)[0], {}, 0.95)))
    assert found.value == 1.0
    assert found.width is not None
    assert found.width > 0.02
    few = replace(called, has_label=called.has_label & ((called.label == 0) | (np.cumsum(called.has_label) < 5)))
    none = next(iter(EXPERTS_ALONE.estimates(Study(few), choose_metrics(recall, few)[0], {}, 0.95)))
    assert none.width is None


def test_rare_classes_and_classes_without_experts() -> None:
    rng = np.random.default_rng(3)
    truth = rng.choice(3, 300, p=(0.6, 0.35, 0.05))
    known = (np.arange(300) < 100) & (truth < 2)
    votes = np.eye(4, dtype=int)[np.where(rng.random(300) < 0.8, truth, 3)]
    evidence = Evidence(votes, truth, known, classes=tuple("abcd"), named=True, outputs={"m": np.eye(4)[truth]})
    study = Study(evidence)
    rows = tabulate(study, {}, [ASSISTED], default_metrics(evidence, at_threshold=False), 0.95)
    told = {row.metric: row.value for row in rows}
    assert told["recall:c"] is None
    assert told["macro_recall"] is not None
    assert told["prevalence:d"] == pytest.approx(0.0, abs=0.05)
    sample = study.assistance.sample
    assert rarer(sample, class_metrics(tuple("abcd"))["recall:c"]) == 1.0
    assert rarer(sample, class_metrics(tuple("abcd"))["accuracy"]) == sample.size


def test_equal_weights_are_no_weights(evidence: Evidence) -> None:
    even = replace(evidence, weight=np.full(600, 7.0))
    for metric in ("auc", "recall", "prevalence"):
        for measure in (measure_assisted, measure_alone):
            one, two = (measure(Assistance(e, 1.0), METRICS[metric], ("a",)) for e in (evidence, even))
            assert two.value == pytest.approx(one.value)
            assert two.variance == pytest.approx(one.variance)


@pytest.mark.parametrize(("negatives", "told"), [(4, False), (5, True)])
def test_a_lead_over_voters_needs_a_few_negatives(evidence: Evidence, negatives: int, told: bool) -> None:
    truth = evidence.truth
    assert truth is not None
    few = np.concatenate([np.flatnonzero(truth == 1)[:40], np.flatnonzero(truth == 0)[:negatives]])
    known = np.isin(np.arange(evidence.n_items), few)
    rows = _rows(replace(evidence, label=truth, has_label=known), ["delta_tpr", "auc"])
    for (metric, _, _), row in rows.items():
        assert row.value is not None
        assert (row.low is not None) == (told or metric == "auc")


@pytest.mark.parametrize(("positives", "negatives"), [(4, 25), (5, 25), (9, 20), (9, 19)])
def test_a_difference_is_held_against_that_of_experts_who_know_enough_of_each_class(
    evidence: Evidence, positives: int, negatives: int
) -> None:
    truth = evidence.truth
    assert truth is not None
    known = np.concatenate([np.flatnonzero(truth == 1)[-positives:], np.flatnonzero(truth == 0)[:negatives]])
    items = Assistance(replace(evidence, label=truth, has_label=np.isin(np.arange(evidence.n_items), known)), 1.0)
    found = measure_assisted(items, METRICS["delta_tpr"], ("a",))
    alone = measure_alone(items, METRICS["delta_tpr"], ("a",))
    assert alone.variance > 0
    freedom = min(alone.freedom, positives - 1)  # no more than the rarer class leaves
    enough = positives >= 5 and negatives >= 20
    assert found.alone == (None if not enough else replace(alone, freedom=freedom, clearly=0.7))


@pytest.mark.parametrize(("variance", "kept"), [(0.01, True), (0.02, False)])
def test_of_two_differences_that_are_nearly_alike_the_assisted_one_is_kept(variance: float, kept: bool) -> None:
    # widths go with the root of the variance: 0.9 of the one, less than 0.7 of the other
    alone = MeasuredNumber(0.1, 0.0081, 20.0, 20.0, clearly=0.7)
    found = MeasuredNumber(0.2, variance, 20.0, 20.0)
    own, others, both = (interval(each, 0.95, bounded=False) for each in (found, alone, replace(found, alone=alone)))
    assert both == (own if kept else (others[0], max(others[1], 0.2)))


def test_in_a_group_a_difference_is_no_wider_than_with_experts_alone() -> None:
    # a voter who is right on nearly all items, and wrong on nearly all of the group
    rng = np.random.default_rng(2)
    truth, group, known = (rng.random(2000) < share for share in (0.3, 0.12, 0.4))
    vote = np.where(rng.random(2000) < np.where(group, 0.85, 0.06), ~truth, truth)
    scores = {"a": 2 * np.where(group, 0.3 * truth, vote) + rng.normal(size=2000)}
    crowd = Evidence.binary(vote.astype(int), np.ones(2000, int), truth.astype(int), known, scores)
    items = Assistance(crowd, 1.0)
    items.guess()
    part = items.keep(group)
    widths = [
        np.diff(interval(way(part, METRICS["delta_tpr"], ("a",)), 0.95, bounded=False))[0]
        for way in (measure_assisted, measure_alone)
    ]
    assert widths[0] < 1.05 * widths[1]
