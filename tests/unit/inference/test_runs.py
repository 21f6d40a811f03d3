"""Runs crossed with items: the analysis of variance on full tables, each run left out by hand, holes, no names."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import ArrayLike

from quorate import compare
from quorate._typing import Array
from quorate.data.answers import Answers
from quorate.data.summaries import Counts, Summary, Values
from quorate.inference.runs import run_part, satterthwaite
from quorate.inference.scored_systems import score_systems
from quorate.metrics import find_metric

RATERS = Counts(np.array([[4, 0], [0, 4], [4, 0], [0, 4]]))
TRUTH = np.array([0, 1, 0, 1])


def answers(right: ArrayLike) -> Answers:
    """Answers of runs; `right[r][i]` says whether run r is right on item i."""
    said = np.where(np.asarray(right, dtype=bool), TRUTH, 1 - TRUTH)
    item, run = np.tile(np.arange(4), len(said)), np.repeat(np.arange(len(said)), 4)
    counts = np.stack([(said == m).sum(0) for m in (0, 1)], axis=-1)
    return Answers(Counts(counts), item, run, said.reshape(-1))


def item_scores(metric: str) -> Callable[[Summary], Array]:
    """Item values of a system against the raters above."""
    return lambda system: score_systems(find_metric(metric), RATERS, [system]).values[0]


def test_the_part_equals_the_two_way_analysis_of_variance() -> None:
    right = np.array([[1, 1, 1, 0], [1, 0, 0, 0], [1, 1, 0, 1]], dtype=float)
    runs, items = right.shape
    rest = right - right.mean(1, keepdims=True) - right.mean(0) + right.mean()
    ms_run = items * ((right.mean(1) - right.mean()) ** 2).sum() / (runs - 1)
    ms_rest = (rest**2).sum() / ((runs - 1) * (items - 1))
    part = run_part(item_scores("agreement"), answers(right))
    assert part is not None
    assert float(part.variance) == pytest.approx(ms_run / (items * runs))
    assert part.less == pytest.approx(ms_rest / (items * runs))
    assert part.df == runs - 1
    assert float(part.added) == pytest.approx(max(ms_run - ms_rest, 0) / (items * runs))  # σ_run² / R


def test_runs_that_differ_by_chance_only_add_nothing() -> None:
    part = run_part(item_scores("agreement"), answers([[1, 0, 1, 0], [0, 1, 0, 1]]))  # both right on half of the items
    assert part is not None
    assert float(part.added) == 0.0


def test_any_score_leaves_out_each_run() -> None:
    # Total variation to raters who all say the same: the share of wrong answers among the runs that are left.
    right = np.array([[1, 1, 1, 0], [1, 0, 0, 0], [1, 1, 0, 1]], dtype=float)
    without = np.stack([1 - np.delete(right, run, axis=0).mean(0) for run in range(3)])
    part = run_part(item_scores("total_variation"), answers(right))
    assert part is not None
    assert float(part.variance) == pytest.approx((2 * without).mean(1).var(ddof=1) / 3)


def test_numbers_and_runs_with_holes() -> None:
    # Item by item the answers of runs 0, 1 and 2; run 2 did not answer item 1, and item 2 has only run 0.
    table = [[3.0, 1.0, 2.0], [5.0, 4.0], [7.0]]
    item = np.array([0, 0, 0, 1, 1, 2])
    run, said = np.array([0, 1, 2, 0, 1, 0]), np.array([3.0, 1.0, 2.0, 5.0, 4.0, 7.0])
    values = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 0.0], [7.0, 0.0, 0.0]])
    system = Answers(Values(values, np.array([3, 2, 1])), item, run, np.argsort(np.argsort(said)))
    kept = [[[x for r, x in enumerate(row) if r != out or len(row) == 1] for row in table] for out in range(3)]
    scores = -2 * np.array([[np.mean(row) for row in rows] for rows in kept])

    def mean(summary: Summary) -> Array:
        assert isinstance(summary, Values)
        return np.asarray((summary.values * summary.present).sum(-1) / summary.size)

    part = run_part(mean, system)
    assert part is not None
    assert float(part.variance) == pytest.approx(scores.mean(1).var(ddof=1) / 3)


def test_one_run_or_runs_without_names_have_nothing_to_say() -> None:
    whole = answers([[1, 1, 1, 1], [0, 0, 0, 0]])
    assert run_part(item_scores("agreement"), answers([[1, 1, 0, 1]])) is None
    nameless = Answers(whole.summary, whole.item, None, whole.response)
    assert run_part(item_scores("agreement"), nameless) is None


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


@pytest.mark.parametrize("size", [1e-250, 1e200])
def test_degrees_of_freedom_are_those_of_variances_of_any_size(size: float) -> None:
    assert satterthwaite([1.0, 0.25], [3, 4]) == pytest.approx(1.25**2 / (1 / 3 + 0.25**2 / 4))
    assert satterthwaite([size, size / 4], [3, 4]) == pytest.approx(satterthwaite([1.0, 0.25], [3, 4]))
    assert satterthwaite([0.0, 0.0], [3, 4]) == np.inf
