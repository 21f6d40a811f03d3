"""Runs crossed with items: the variance component by hand, and when there is nothing to say."""

import numpy as np
import pytest
from numpy.typing import ArrayLike

from quorate import compare
from quorate.data.answers import Answers
from quorate.data.summaries import Counts
from quorate.inference.outcome import from_t
from quorate.inference.runs import RunVariance, run_variance, with_runs
from quorate.metrics import find_metric

RATERS = Counts(np.array([[4, 0], [0, 4], [4, 0], [0, 4]]))
TRUTH = np.array([0, 1, 0, 1])


def answers(right: ArrayLike) -> Answers:
    """Answers of runs; `right[r][i]` says whether run r is right on item i."""
    said = np.where(np.asarray(right, dtype=bool), TRUTH, 1 - TRUTH)
    item, run = np.tile(np.arange(4), len(said)), np.repeat(np.arange(len(said)), 4)
    counts = np.stack([(said == m).sum(0) for m in (0, 1)], axis=-1)
    return Answers(Counts(counts), item, run, said.reshape(-1))


def test_the_component_equals_the_two_way_analysis_of_variance() -> None:
    right = np.array([[1, 1, 1, 0], [1, 0, 0, 0], [1, 1, 0, 1]], dtype=float)
    runs, items = right.shape
    rest = right - right.mean(1, keepdims=True) - right.mean(0) + right.mean()
    ms_run = items * ((right.mean(1) - right.mean()) ** 2).sum() / (runs - 1)
    ms_rest = (rest**2).sum() / ((runs - 1) * (items - 1))
    expected = max((ms_run - ms_rest) / items, 0.0) / runs  # σ_run² / R
    found = run_variance(find_metric("agreement"), RATERS, answers(right))
    assert found is not None
    assert found.variance == pytest.approx(expected)


def test_runs_that_differ_by_chance_only_add_nothing() -> None:
    right = [[1, 0, 1, 0], [0, 1, 0, 1]]  # both runs are right on half of the items
    assert run_variance(find_metric("agreement"), RATERS, answers(right)) == RunVariance(0.0, 1.0)


@pytest.mark.parametrize("metric", ["total_variation", "kl"])
def test_metrics_that_are_not_means_over_runs_have_nothing_to_say(metric: str) -> None:
    assert run_variance(find_metric(metric), RATERS, answers([[1, 1, 1, 1], [0, 0, 0, 0]])) is None


def test_one_run_or_runs_with_holes_have_nothing_to_say() -> None:
    whole = answers([[1, 1, 1, 1], [0, 0, 0, 0]])
    assert run_variance(find_metric("agreement"), RATERS, answers([[1, 1, 0, 1]])) is None
    assert isinstance(whole.summary, Counts)
    assert whole.run is not None
    counts = whole.summary.counts.copy()
    counts[0] = [1, 0]
    holed = Answers(Counts(counts), whole.item[1:], whole.run[1:], whole.response[1:])
    assert run_variance(find_metric("agreement"), RATERS, holed) is None
    assert (
        run_variance(find_metric("agreement"), RATERS, Answers(whole.summary, whole.item, None, whole.response)) is None
    )


def test_variances_add_up_and_degrees_of_freedom_follow_satterthwaite() -> None:
    items = from_t(np.array(0.2), np.array(0.1), 50.0, 0.95)
    both = with_runs(items, [RunVariance(0.02, 2.0), RunVariance(0.01, 3.0)], 0.95)
    assert float(both.se) == pytest.approx(np.sqrt(0.01 + 0.03))
    assert float(both.df) == pytest.approx(0.04**2 / (0.01**2 / 50 + 0.02**2 / 2 + 0.01**2 / 3))


def test_compare_counts_named_runs_and_says_so() -> None:
    rng = np.random.default_rng(1)
    items = [f"i{i}" for i in range(40)]
    votes = {"item": items * 2, "response": list(rng.choice(["y", "n"], 80, p=[0.8, 0.2]))}
    rows = [(i, s, r, "y" if (r == 0) == (s == "a") else "n") for i in items for s in "ab" for r in range(3)]
    named = dict(zip(("item", "system", "run", "response"), zip(*rows, strict=True), strict=True))
    nameless = {column: cells for column, cells in named.items() if column != "run"}
    with_names, without = compare(votes, named), compare(votes, nameless)
    assert with_names.pairs[0].difference == pytest.approx(without.pairs[0].difference)
    assert with_names.pairs[0].se > without.pairs[0].se
    assert any("drawn at random" in warning for warning in with_names.warnings)
    assert not any("drawn at random" in warning for warning in without.warnings)
