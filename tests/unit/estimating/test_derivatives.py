"""Metrics against definitions written out item by item, their derivatives against numerical ones."""

from collections.abc import Callable

import numpy as np
import pytest

from quorate._typing import Array
from quorate.estimating.derivatives import (
    Derivative,
    Labels,
    area,
    climb,
    combine,
    f1,
    lead,
    mean_of,
    precision,
    precision_at,
    ratio,
    recall,
    roc_at,
    roc_point,
    share_of,
)
from quorate.estimating.score_ranks import ScoreRanks

N = 60


class Case:
    """Items with three levels of ties in their scores, two or three classes, soft votes."""

    def __init__(self, n_classes: int = 2) -> None:
        rng = np.random.default_rng(n_classes)
        self.code = rng.integers(0, n_classes, N)
        self.score = np.round(rng.normal(size=N) + self.code, 1)
        self.ranks = ScoreRanks.of(self.score)
        self.called = np.eye(n_classes)[rng.integers(0, n_classes, N)]
        self.votes = rng.dirichlet(np.ones(n_classes), N)
        self.voted = (rng.random(N) < 0.8).astype(float)
        self.soft = 0.3 * np.eye(n_classes)[self.code] + 0.7 * rng.dirichlet(np.ones(n_classes), N)
        self.weight = rng.uniform(0.5, 2.0, N)

    def form(self, name: str) -> Callable[[Labels], Derivative]:
        c, v = self.called, self.votes
        forms: dict[str, Callable[[Labels], Derivative]] = {
            "share": lambda y: share_of(y, 1),
            "accuracy": lambda y: mean_of(y, dict(enumerate(c.T))),
            "recall": lambda y: recall(y, c[:, 1], 1),
            "tnr": lambda y: recall(y, c[:, 0], 0),
            "precision": lambda y: precision(y, c[:, 1], 1),
            "f1": lambda y: f1(y, c[:, 1], 1),
            "human": lambda y: recall(Labels(y.share, y.weight * self.voted), v[:, 1], 1),
            "auc": lambda y: area(y, self.ranks, 1),
            "macro": lambda y: combine([(0.5, recall(y, c[:, k], k)) for k in (0, 1)]),
        }
        return forms[name]


NAMES = ["share", "accuracy", "recall", "tnr", "precision", "f1", "human", "auc", "macro"]


def _by_hand(case: Case, label: Array) -> dict[str, float]:
    """Values on labels that are certain, from their definitions (scikit-learn's, with its names)."""
    y, called = label == 1, case.called[:, 1] == 1
    hits = [(a > b) + 0.5 * (a == b) for a in case.score[y] for b in case.score[~y]]
    tp, fp, fn = (y & called).sum(), (~y & called).sum(), (y & ~called).sum()
    voted = case.voted == 1
    return {
        "share": y.mean(),
        "accuracy": (case.called.argmax(1) == label).mean(),
        "recall": tp / (tp + fn),
        "tnr": (case.called[label == 0].argmax(1) == 0).mean(),
        "precision": tp / (tp + fp),
        "f1": 2 * tp / (2 * tp + fp + fn),
        "human": case.votes[y & voted, 1].mean(),
        "auc": float(np.mean(hits)),
        "macro": np.mean([(case.called[label == k].argmax(1) == k).mean() for k in (0, 1)]),
    }


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", NAMES)
def test_on_certain_labels_metrics_are_the_plain_ones(name: str, n_classes: int) -> None:
    case = Case(n_classes)
    labels = Labels(np.eye(n_classes)[case.code], np.ones(N))
    assert case.form(name)(labels).value == pytest.approx(_by_hand(case, case.code)[name], abs=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", NAMES)
def test_slopes_are_numerical_derivatives_by_labels_and_by_weights(name: str, n_classes: int) -> None:
    case, step = Case(n_classes), 1e-5
    form = case.form(name)
    found = form(Labels(case.soft, case.weight))

    def value(soft: Array, weight: Array) -> float:
        return form(Labels(soft, weight)).value

    for i in range(0, N, 7):
        for k in range(n_classes):
            turn = np.zeros_like(case.soft)
            turn[i, k] = step
            numeric = (value(case.soft + turn, case.weight) - value(case.soft - turn, case.weight)) / (2 * step)
            ours = np.broadcast_to(found.slope.get(k, np.zeros(1)), N)[i]
            assert ours == pytest.approx(numeric, abs=1e-8)
        one = np.eye(N)[i] * step
        numeric = (value(case.soft, case.weight + one) - value(case.soft, case.weight - one)) / (2 * step)
        slopes = {k: np.broadcast_to(s, N)[i] / case.weight[i] for k, s in found.slope.items()}
        ours = np.broadcast_to(found.base, N)[i] + sum(s * case.soft[i, k] for k, s in slopes.items())
        assert ours == pytest.approx(numeric, abs=1e-8)


def test_the_lead_over_voters_by_hand() -> None:
    # negatives score 1, 2, 3, 4, positives 2.5, 5; voters: TNR 1 - (0 + 0 + 0 + 2/3) / 4 = 5/6, TPR (1/3 + 1) / 2.
    # TNR 3/4 is reached with all of 4, 5 called positive (TPR 1/2), TNR 1 with 5 alone (TPR 1/2): at 5/6 it is 1/2
    score, label = np.array([1.0, 2.0, 3.0, 4.0, 2.5, 5.0]), np.array([0, 0, 0, 0, 1, 1])
    share = np.array([0, 0, 0, 2 / 3, 1 / 3, 1.0])
    labels = Labels(np.eye(2)[label], np.ones(6))
    found = lead(labels, ScoreRanks.of(score), (labels, share, 1 - share), 1)
    assert found.value == pytest.approx(1 / 2 - 2 / 3)


def test_the_lead_moves_with_labels_as_its_slopes_say() -> None:
    # a smooth ROC of many items: slopes over chords follow its own to a few per cent
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 4000)
    ranks = ScoreRanks.of(truth + rng.normal(size=4000))
    share = np.clip(0.25 + 0.5 * truth + 0.1 * rng.normal(size=4000), 0, 1)
    chance = 0.1 + 0.8 * truth

    def found(y: Array) -> Derivative:
        labels = Labels(np.stack([1 - y, y], 1), np.ones(4000))
        return lead(labels, ranks, (labels, share, 1 - share), 1)

    start, turn = found(chance), 0.01 * rng.normal(size=4000)
    moved = found(chance + turn).value - start.value
    promised = turn @ (start.slope[1] - start.slope[0])
    assert moved == pytest.approx(promised, rel=0.25)
    assert abs(promised) > 1e-4


def test_curves_pass_through_plain_points_and_climb_where_labels_do_not() -> None:
    case = Case()
    labels = Labels(np.eye(2)[case.code], np.ones(N))
    for threshold in (0.3, 1.0):
        called = case.score >= threshold
        false, true = called[case.code == 0].mean(), called[case.code == 1].mean()
        best = max(
            (case.score >= t)[case.code == 1].mean()
            for t in case.score
            if (case.score >= t)[case.code == 0].mean() == false
        )
        assert roc_at(labels, case.ranks, false, 1).value == pytest.approx(best)
        assert precision_at(labels, case.ranks, true, 1).value >= case.code[called].mean() - 1e-12
    beyond = Labels(np.stack([1 - 3 * case.soft[:, 1], 3 * case.soft[:, 1]], 1), np.ones(N))
    for path in climb(beyond, case.ranks, 1):
        assert (np.diff(path) >= 0).all()
        assert (path[0] >= 0, path[-1] <= 1) == (True, True)


def test_nothing_of_nothing_is_not_a_number() -> None:
    labels = Labels(np.eye(2)[np.zeros(N, dtype=int)], np.ones(N))
    case = Case()
    assert np.isnan(recall(labels, case.called[:, 1], 1).value)
    assert np.isnan(area(labels, case.ranks, 1).value)
    assert np.isnan(ratio(labels, {1: np.ones(1)}, {}, 0.0).value)


def test_the_slope_of_tied_scores_is_that_of_their_step() -> None:
    # two levels: the ROC rises from (0, 0) to (0.2, 0.8) and on to (1, 1); a chord of 0.15 about 0.1 would reach beyond
    truth = np.repeat([1.0, 0.0], [50, 50])
    score = np.concatenate([np.repeat([1.0, 0.0], [40, 10]), np.repeat([1.0, 0.0], [10, 40])])
    labels = Labels(np.stack([1 - truth, truth], 1), np.ones(100))
    value, slope, _ = roc_point(labels, ScoreRanks.of(score), 0.1, 1)
    assert (value, slope) == pytest.approx((0.4, 4.0))


def test_many_labels_tell_the_slope_of_a_short_steep_part() -> None:
    # of the negatives, scores 0 to 39, those at 14 to 17 count half; 80 of 100 positives are there, 20 above
    truth = np.repeat([1.0, 0.0], [100, 40])
    score = np.concatenate([np.repeat(np.arange(14.0, 18.0), 20), np.arange(18.0, 38.0), np.arange(40.0)])
    ranks = ScoreRanks.of(score)
    bend = Labels(
        np.stack([1 - truth, truth], 1), np.concatenate([np.ones(100), np.repeat([1.0, 0.5, 1.0], [14, 4, 22])])
    )
    long, short = (roc_point(bend, ranks, 23 / 38, 1, near=near)[1] for near in (1.0, 0.02))
    assert short > 1.2 * long
    voters = Labels(bend.share, bend.weight), np.full(140, 23 / 38), np.full(140, 15 / 38)
    few, many = (lead(bend, ranks, voters, 1, blur) for blur in (0.5 / 40, 0.5 / 4000))
    assert many.slope[0] != pytest.approx(few.slope[0])


@pytest.mark.parametrize("rate", [-0.3, 0.0, 1.0, 1.4])
def test_voters_whom_pseudo_labels_put_beyond_a_roc_stand_at_its_end(rate: float) -> None:
    rng = np.random.default_rng(1)
    label = rng.integers(0, 2, 60)
    labels, ranks = Labels(np.eye(2)[label], np.ones(60)), ScoreRanks.of(label + rng.normal(size=60))
    value, slope, _ = roc_point(labels, ranks, rate, 1)
    assert value == roc_point(labels, ranks, float(np.clip(rate, 0, 1)), 1)[0]
    assert np.isfinite(slope)
