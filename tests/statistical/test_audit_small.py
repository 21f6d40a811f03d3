"""A small calibration table: the default keeps its level under sharp and weak nulls, the published procedure does not.

Rates are compared with the level by their binomial standard error at z = 5: with R studies and level 0.05 that is
5 sqrt(0.05 · 0.95 / R).
"""

from math import sqrt
from pathlib import Path
from typing import Literal

import pytest

from quorate import audit
from quorate.auditing.question import Null
from tests.studies import pick


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("QUORATE_CACHE", str(tmp_path))


STUDIES = pick(100, 300)


def tolerance(replicates: int, rate: float = 0.05) -> float:
    return 5 * sqrt(rate * (1 - rate) / replicates)


@pytest.mark.parametrize("answers", ["raters", 1])
@pytest.mark.parametrize(
    ("population", "metric"),
    pick(
        [("dices", "agreement")],
        [
            ("uniform-normal", "mae"),
            ("uniform-normal", "wins"),
            ("dices", "agreement"),
            ("dices", "kl"),
            ("dices", "jensen_shannon"),
        ],
    ),
)
def test_the_default_keeps_its_level_on_item_scores(
    population: str, metric: str, answers: int | Literal["raters"]
) -> None:
    row = audit(population, items=100, raters=5, metric=metric, null="sharp", answers=answers, replicates=2000).rows[0]
    assert abs(row.rejection_rate - 0.05) <= tolerance(2000)
    assert row.coverage is not None
    assert abs(row.coverage - 0.95) <= tolerance(2000)


@pytest.mark.parametrize(("population", "metric"), [("uniform-normal", "spearman"), ("toxicity", "f1")])
def test_few_items_and_set_scores_are_judged_by_swaps(population: str, metric: str) -> None:
    row = audit(
        population, metric=metric, items=30, raters=5, null="sharp", answers="raters", replicates=200, resamples=99
    ).rows[0]
    assert row.rejection_rate <= 0.05 + tolerance(200)


@pytest.mark.parametrize(
    ("null", "population", "metric"),
    [("variance", "uniform-normal", "mae"), ("tail", "uniform-normal", "mae"), ("threshold", "toxicity", "f1")],
)
def test_unlike_systems_with_equal_scores_are_not_called_different(null: Null, population: str, metric: str) -> None:
    studies = pick(20, 100) if metric == "f1" else 1000  # a score of the whole set is tested study by study
    row = audit(population, items=400, raters=5, metric=metric, null=null, answers=1, replicates=studies).rows[0]
    assert row.rejection_rate <= 0.05 + tolerance(studies)


def test_a_bad_tail_fools_wilcoxon() -> None:
    """Negative control: with equal means but a bad tail, ranks claim a difference far above the level."""
    rows = audit(
        "uniform-normal",
        items=200,
        raters=5,
        metric="mae",
        null="tail",
        test=["default", "wilcoxon"],
        replicates=STUDIES,
    ).rows
    assert rows[1].rejection_rate > 0.05 + tolerance(STUDIES)
    assert rows[0].rejection_rate <= 0.05 + tolerance(STUDIES)


def test_the_published_procedure_is_caught() -> None:
    """Negative control: rejects about 10 % of equal systems, five errors above the level."""
    row = audit(
        "uniform-normal",
        items=100,
        raters=5,
        metric="mae",
        null="sharp",
        answers="raters",
        test="published:bootstrap:all",
        replicates=800,
        resamples=200,
    ).rows[0]
    assert row.rejection_rate > 0.05 + tolerance(800)


def test_the_default_sees_as_much_as_the_permutation_test() -> None:
    rows = audit(
        "uniform-normal",
        items=200,
        raters=5,
        metric="mae",
        answers="raters",
        effect=0.1,
        test=["default", "permutation"],
        replicates=1000,
        resamples=400,
    ).rows
    # The same studies: the difference of two rates is at most the share of studies on which they disagree.
    assert rows[0].rejection_rate >= rows[1].rejection_rate - tolerance(1000, 0.05)


@pytest.mark.parametrize(("population", "metric"), [("dices", "agreement"), ("uniform-normal", "crps")])
def test_power_grows_with_the_effect(population: str, metric: str) -> None:
    small, large = (
        audit(population, items=100, raters=3, metric=metric, effect=effect, replicates=500).rows[0].rejection_rate
        for effect in (0.05, 0.6)
    )
    assert large > small + tolerance(500, 0.5)
