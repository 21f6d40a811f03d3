"""Planning on resampled tables whose raters come back: spreads against brute force, and S1, S2 and S3 on real data."""

import itertools
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import quorate
from quorate._random import generator
from quorate.data.ratings import Ratings
from quorate.data.summaries import Counts
from quorate.metrics import find_metric
from quorate.planning.laws.draws import differences
from quorate.planning.laws.rater_law import CrossedLaw, crossed_law
from quorate.planning.promises.small_studies import StudyDraws
from quorate.planning.scenario import Scenario
from quorate.planning.search import StudySize
from quorate.planning.verb import plan
from quorate.populations.files import coded_ratings
from quorate.populations.resampled import EmpiricalPopulation, resampled
from tests.studies import large, pick

Z = 5.0
DICES = [("accuracy", 125, 40), ("mae", 25, 40), ("mae", 10, 100)]
PAPER: dict[str, Any] = {"effect": 0.3, "variant": "paper"}


def leaning_table(n_items: int = 40, people: int = 12) -> Ratings:
    """Items of three answers, raters who lean: the spread over raters is as large as that over items."""
    rng = np.random.default_rng(1)
    latent = (
        rng.normal(size=n_items)[:, None] + 1.2 * rng.normal(size=people) + 0.5 * rng.normal(size=(n_items, people))
    )
    item, rater = np.divmod(np.arange(n_items * people), people)
    answer = np.digitize(latent, [-0.7, 0.7]).reshape(-1)
    return coded_ratings(item, answer, rater, ("low", "mid", "high"), (0.0, 0.5, 1.0))


def brute(population: EmpiricalPopulation, metric: str, n: int, k: int, *, null: bool, studies: int) -> np.ndarray:
    """Differences of whole studies, answer by answer: these draws keep who said what."""
    rng = generator(5, "brute crossed", metric, int(null))
    study = population.draw(
        n_replicates=studies, n_items=n, n_raters=k, answers="raters", effect=0.5, null=null, rng=rng
    )
    means: np.ndarray = differences(find_metric(metric, variant="paper"), study).mean(-1)
    return means


def law_of(population: EmpiricalPopulation, metric: str, k: int) -> CrossedLaw:
    setting = Scenario(population, find_metric(metric, variant="paper"), 0.5, answers="raters", seed=2)
    return crossed_law(setting, k, target=0.001)


def spreads_agree(law: CrossedLaw, alternative: np.ndarray, null: np.ndarray, n: int) -> bool:
    """Whether means and variances of both worlds agree within 5 Monte-Carlo errors."""
    at, size = law.pivot(n), len(alternative)
    close = abs(at.mean - alternative.mean()) <= Z * np.hypot(at.mean_error, alternative.std() / np.sqrt(size))
    for variance, seen in ((at.se**2, alternative.var(ddof=1)), (at.null_se**2, np.mean(null**2))):
        relative = np.hypot(2 * at.se_error, np.sqrt(2 / size))  # a variance of nearly normal numbers
        close &= abs(variance - seen) <= Z * relative * seen
    return bool(close)


@pytest.mark.parametrize("metric", pick(["accuracy"], ["accuracy", "mae"]))
@pytest.mark.parametrize(("n", "k"), pick([(64, 8)], [(12, 3), (64, 8), (200, 5)]))
def test_the_spread_at_any_number_of_items_is_that_of_whole_studies(metric: str, n: int, k: int) -> None:
    population = EmpiricalPopulation(leaning_table(), "items+raters")
    law = law_of(population, metric, k)
    alternative, null = (brute(population, metric, n, k, null=null, studies=1500) for null in (False, True))
    assert spreads_agree(law, alternative, null, n)
    share = (null[None] >= alternative[:, None] - 1e-12).mean(1)
    other = (alternative[None] <= null[:, None] + 1e-12).mean(1)
    error = np.sqrt((share.var() + other.var()) / len(share))
    p, p_error = law.expected_p(n, studies=StudyDraws())
    stated = 0.01  # normal limit, half a step for ties
    assert abs(p - share.mean()) <= Z * np.hypot(error, p_error) + stated


@pytest.mark.parametrize(
    ("metric", "k", "span"),
    pick([("accuracy", 8, 1.0), ("mae", 8, 1 / 16)], [("accuracy", 4, 1.0), ("mae", 4, 1 / 8), ("mae", 5, 1 / 10)]),
)
def test_ties_are_as_far_apart_as_they_are(metric: str, k: int, span: float) -> None:
    # Levels 0, ½, 1: means of K answers lie on a lattice of 1/(2K), and so do differences of their distances.
    assert law_of(EmpiricalPopulation(leaning_table(), "items+raters"), metric, k).span == pytest.approx(span)


def test_control_raters_new_on_every_item_would_be_found_out() -> None:
    population = EmpiricalPopulation(leaning_table(), "items+raters")
    law = law_of(population, "mae", 8)
    within = replace(population, unit="raters-within-items")
    alternative, null = (brute(within, "mae", 64, 8, null=null, studies=1500) for null in (False, True))
    assert not spreads_agree(law, alternative, null, 64)


def test_counts_alone_have_the_enumerated_law() -> None:
    said = np.array([[0, 0, 1], [1, 0, 1]])  # 2 items × 3 raters
    item, rater = np.divmod(np.arange(6), 3)
    table = coded_ratings(item, said.ravel(), rater, ("no", "yes"))
    fast = EmpiricalPopulation(table, "items+raters", panels=False)
    study = fast.draw(n_replicates=40_000, n_items=2, n_raters=2, rng=generator(0, "counts alone"))
    pairs = itertools.product(itertools.product(range(2), repeat=2), itertools.product(range(3), repeat=2))
    outcomes = Counter(tuple(int(said[i, list(r)].sum()) for i in items) for items, r in pairs)
    assert isinstance(study.raters, Counts)
    seen = Counter(map(tuple, study.raters.counts[..., 1].tolist()))
    expected = np.array(list(outcomes.values())) / 36 * 40_000
    assert set(seen) <= set(outcomes)
    assert stats.chisquare([seen[key] for key in outcomes], expected).pvalue > 2 * stats.norm.sf(Z)
    assert study.panel is None


def test_counts_alone_replace_as_many_answers_as_one_by_one() -> None:
    slow = EmpiricalPopulation(leaning_table(), "items+raters")
    sizes: dict[str, Any] = {"n_replicates": 4000, "n_items": 5, "n_raters": 4, "answers": "raters", "effect": 0.6}

    def replaced(panels: bool) -> np.ndarray:
        b = replace(slow, panels=panels).draw(**sizes, rng=generator(0, "replaced", int(panels))).b
        assert isinstance(b, Counts)
        means: np.ndarray = b.counts.mean(1)
        return means

    fast, plain = replaced(False), replaced(True)
    error = np.sqrt((fast.var(0) + plain.var(0)) / 4000)
    assert (np.abs(fast.mean(0) - plain.mean(0)) < Z * error).all()
    spread = np.cov(fast.T) - np.cov(plain.T)
    scale = np.sqrt(np.outer(np.diag(np.cov(plain.T)), np.diag(np.cov(plain.T))))
    assert (np.abs(spread) < Z * 2 / np.sqrt(4000) * scale).all()  # Var of a covariance ≤ 2 σ² σ'² / n, twice


@cache
def dices(shared: Path) -> Ratings:
    return quorate.read_ratings(shared / "dices_350" / "annotations.csv.gz", order=["No", "Unsure", "Yes"])


@cache
def best(shared: Path, unit: str, metric: str, n: int, k: int) -> StudySize:
    return plan(resampled(dices(shared), unit), metric=metric, items=(n,), raters=(k,), **PAPER).best


@large
@pytest.mark.parametrize(("metric", "n", "k"), DICES)
def test_raters_who_come_back_raise_p_on_dices(metric: str, n: int, k: int, shared: Path) -> None:
    crossed, within = (best(shared, unit, metric, n, k) for unit in ("S1", "S2"))
    error = np.hypot(crossed.expected_p_error, within.expected_p_error)
    assert crossed.expected_p >= within.expected_p - Z * error


@large
def test_the_published_cells_on_dices(shared: Path) -> None:
    # Found by brute force over single answers, 3000 to 4000 studies a world: 0.080, 0.037, 0.041, 0.037 (± 0.002 each).
    cells = [("S1", "accuracy", 125, 40, 0.080), ("S2", "accuracy", 125, 40, 0.037)]
    cells += [("S1", "mae", 10, 100, 0.041), ("S2", "mae", 25, 40, 0.037)]
    for unit, metric, n, k, value in cells:
        row = best(shared, unit, metric, n, k)
        assert abs(row.expected_p - value) <= Z * np.hypot(row.expected_p_error, 0.002)


@large
def test_whole_batches_need_more_than_raters_within_items(shared: Path) -> None:
    ratings = quorate.read_ratings(shared / "csc_devtest" / "annotations.csv")
    found = {
        unit: plan(resampled(ratings, unit), metric="mae", goal="p=.05", raters=(5,), **PAPER).best
        for unit in ("S2", "S3")
    }
    # p moves by about φ(z) z / 2 · ΔN / N = 0.085 ΔN / N at p = 0.05: the error of p in items
    errors = [row.expected_p_error / 0.085 * row.responses for row in found.values()]
    assert found["S3"].responses - found["S2"].responses > Z * np.hypot(errors[0], errors[1])
