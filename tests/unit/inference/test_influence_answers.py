"""Values of single answers: credits for linear scores, exchanges for panels, against panels rewritten one by one."""

from collections.abc import Callable

import numpy as np
import pytest

from quorate._typing import Array
from quorate.data.summaries import Counts, Probabilities, Summary, Values
from quorate.inference.influence import answer_values, contest_values, item_values, splits_by_rater
from quorate.metrics import find_metric
from quorate.metrics.contests import contest, scores
from quorate.metrics.metric import settle

LEVELS = np.array([0.0, 1.0, 2.0])
ITEM_METRICS = ("accuracy", "total_variation", "kl", "jensen_shannon", "mae", "mse", "emd", "cross_entropy")


def summaries(seed: int = 0, n: int = 7) -> tuple[Counts, Counts, Counts]:
    """Raters, one to five each, and two systems that answered twice."""
    rng = np.random.default_rng(seed)
    law = rng.dirichlet(np.ones(3), size=n)
    raters = np.array([rng.multinomial(k, p) for k, p in zip(rng.integers(1, 6, n), law, strict=True)])
    return Counts(raters, LEVELS), Counts(rng.multinomial(2, law), LEVELS), Counts(rng.multinomial(2, law), LEVELS)


def answers_of(counts: Array) -> list[int]:
    return [m for m, k in enumerate(counts) for _ in range(k)]


def rewritten(score: float, panel: list[int], again: Callable[[list[int]], float]) -> Array:
    """The definition, rater by rater: f + ½ Σ_j' [f(both as j) − f(both as j')]."""
    values = []
    for j, mine in enumerate(panel):
        moved = 0.0
        for k, other in enumerate(panel):
            if k != j:
                both = [mine if x in (j, k) else y for x, y in enumerate(panel)]
                neither = [other if x in (j, k) else y for x, y in enumerate(panel)]
                moved += 0.5 * (again(both) - again(neither))
        values.append(score + moved)
    return np.array(values)


@pytest.mark.parametrize("name", ITEM_METRICS)
def test_exchange_follows_its_definition(name: str) -> None:
    raters, a, b = summaries()
    metric = find_metric(name)
    tables = answer_values(metric, raters, [a, b])
    for i, counts in enumerate(raters.counts):
        panel = answers_of(counts)
        for table, system in zip(tables, (a, b), strict=True):

            def again(answers: list[int], system: Summary = system, i: int = i) -> float:
                panels = Counts(np.bincount(answers, minlength=3)[None], LEVELS)
                return float(scores(metric, panels, [system.take(np.array([i]))])[0][0])

            expected = rewritten(again(panel), panel, again)
            np.testing.assert_allclose(table[i, panel], expected, atol=1e-12)


@pytest.mark.parametrize("name", [*ITEM_METRICS, "agreement", "brier", "crps", "rmse", "cosine"])
def test_the_mean_over_an_items_answers_is_its_value(name: str) -> None:
    raters, a, b = summaries(1)
    metric = settle(find_metric(name), raters, [a, b])
    expected = item_values(metric, raters, [a, b])
    for table, (_, values) in zip(answer_values(metric, raters, [a, b]), expected, strict=True):
        np.testing.assert_allclose((table * raters.share).sum(-1), values, atol=1e-12)


def test_linear_scores_by_exchange_are_their_credits() -> None:
    # cross_entropy goes through exchanges; its credit is −log q.
    raters, a, _ = summaries(2)
    metric = find_metric("cross_entropy")
    assert metric.credit is not None
    table, seen = answer_values(metric, raters, [a])[0], raters.counts > 0
    np.testing.assert_allclose(table[seen], metric.credit(a)[seen], atol=1e-12)


def test_f1_moves_by_what_one_panel_changes() -> None:
    # N times the change of the whole score when two raters of an item both answer yes instead of no.
    raters = Counts(np.array([[1, 2], [2, 1], [0, 3], [3, 0]]))
    system = Counts(np.eye(2, dtype=int)[[1, 1, 1, 0]])
    metric = find_metric("f1", positive=1)
    table = answer_values(metric, raters, [system])[0]

    def score(counts: Array) -> float:
        return float(scores(metric, Counts(counts), [system])[0])

    up, down = raters.counts.copy(), raters.counts.copy()
    up[0] += [-1, 1]
    down[0] += [1, -1]
    gain = 4 * 0.5 * (score(up) - score(down))
    _, values = item_values(metric, raters, [system])[0]
    np.testing.assert_allclose(table[0], values[0] + gain * np.array([-2.0, 1.0]))


def test_wins_by_exchange() -> None:
    raters, a, b = summaries(3)
    metric = find_metric("wins:mae")
    table = contest_values(metric, raters, a, b)
    for i, counts in enumerate(raters.counts):
        panel = answers_of(counts)

        def again(answers: list[int], i: int = i) -> float:
            counts = Counts(np.bincount(answers, minlength=3)[None], LEVELS)
            return float(contest(metric, counts, a.take(np.array([i])), b.take(np.array([i])))[0])

        np.testing.assert_allclose(table[i, panel], rewritten(again(panel), panel, again), atol=1e-12)


def test_sorted_values_are_counts_by_another_name() -> None:
    raters, a, _ = summaries(4)
    width = int(raters.size.max())
    values = np.array([[*answers_of(c), *[99] * (width - c.sum())] for c in raters.counts], dtype=float)
    sorted_form = Values(values, raters.size)
    for name in ("mae", "emd", "crps"):
        by_place = answer_values(find_metric(name), sorted_form, [a])[0]
        by_category = answer_values(find_metric(name), raters, [a])[0]
        for i, counts in enumerate(raters.counts):
            np.testing.assert_allclose(by_place[i, : counts.sum()], by_category[i, answers_of(counts)], atol=1e-12)


def test_many_studies_at_once_are_single_ones() -> None:
    studies = [summaries(seed) for seed in (5, 6)]
    raters, a = (Counts(np.stack([study[k].counts for study in studies]), LEVELS) for k in (0, 1))
    for name in ("accuracy", "f1", "agreement"):
        metric = find_metric(name, positive=2)
        together = answer_values(metric, raters, [a])[0]
        for k, study in enumerate(studies):
            np.testing.assert_allclose(together[k], answer_values(metric, study[0], [study[1]])[0], atol=1e-12)


def test_probabilities_and_what_cannot_be_split() -> None:
    raters, _, _ = summaries(7)
    share = np.random.default_rng(7).dirichlet(np.ones(3), size=7)
    table = answer_values(find_metric("brier"), raters, [Probabilities(share)])[0]
    np.testing.assert_allclose(table[0, 1], 0.5 * ((share[0] - [0, 1, 0]) ** 2).sum())
    assert splits_by_rater(find_metric("wins:kl"))
    assert not splits_by_rater(find_metric("wins:mean_rating"))


@pytest.mark.parametrize("name", ["spearman", "emd_of_means"])
def test_rank_scores_of_many_studies_are_those_of_single_ones(name: str) -> None:
    studies = [summaries(seed) for seed in (10, 11)]
    raters, a = (Counts(np.stack([study[k].counts for study in studies]), LEVELS) for k in (0, 1))
    metric = find_metric(name)
    together = answer_values(metric, raters, [a])[0]
    for k, study in enumerate(studies):
        alone = answer_values(metric, study[0], [study[1]])[0]
        np.testing.assert_allclose(together[k], alone, atol=1e-12)
        _, values = item_values(metric, study[0], [study[1]])[0]
        np.testing.assert_allclose((alone * study[0].share).sum(-1), values, atol=1e-12)


def test_auc_moves_with_the_plurality_of_one_item() -> None:
    # The influence of an item is linear in its truth; with others fixed, exchanging two of three raters turns truth 1
    # into truth 0: f(3 yes) − f(1 yes) = slope as positive − slope as negative.
    raters = Counts(np.array([[1, 2], [2, 1], [0, 3], [3, 0]]))
    system = Probabilities(np.array([[0.3, 0.7], [0.4, 0.6], [0.2, 0.8], [0.35, 0.65]]))
    metric = find_metric("auc", positive=1)
    table = answer_values(metric, raters, [system])[0]
    (_, values), *_ = item_values(metric, raters, [system])
    np.testing.assert_allclose((table * raters.share).sum(-1), values, atol=1e-12)
    # Positives score 0.7 and 0.8, negatives 0.6 and 0.65: AUC 1. Item 0 as a negative would be beaten by 0.8 and tie
    # with itself, W = ¾, influence 4 (¾ − 1) / 2 = −½; as a positive V = 1, influence 0. So gain = ½ (0 + ½).
    np.testing.assert_allclose(table[0], values[0] + 0.25 * np.array([-2.0, 1.0]))
