"""Counts drawn directly have the law of answers drawn one by one, as Algorithms 1 and 2 of forest state them.

Every metric's contest is computed on both samples; means and variances are compared at z = 5, whole distributions by a
two-sample chi-square at the same level. The same comparisons must reject two laws that are subtly wrong.
"""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from quorate._random import generator
from quorate._typing import Array
from quorate.comparing.question import Variant
from quorate.data.summaries import Counts
from quorate.metrics.contests import contest
from quorate.metrics.registry import find_metric, metric_names
from quorate.populations.dirichlet import DirichletPopulation
from quorate.populations.population import Draw

ALPHA, LEVELS = (1.6, 0.5, 0.9), (0.0, 1.0, 3.0)
N, K, EFFECT, REPLICATES = 10, 4, 0.9, 2000
FAR = 2 * stats.norm.sf(5)  # the level of z = 5
METRICS = [name for name in metric_names() if name != "mean_rating"]


def one_answer(law: Array, rng: np.random.Generator) -> int:
    u, total = rng.random(), 0.0
    for category, probability in enumerate(law):
        total += probability
        if u < total:
            return category
    return len(law) - 1


def one_by_one(null: str | None, effect: float, rng: np.random.Generator) -> Draw:
    """Algorithm 1, or 2 if ``null`` is "answer"; "item" chooses β or γ once per item, which is wrong."""
    counts = np.zeros((3, REPLICATES, N, 3), dtype=int)
    for r in range(REPLICATES):
        beta, noise = rng.dirichlet(ALPHA, N), rng.dirichlet((1 / 3,) * 3, N)
        for i in range(N):
            gamma = (1 - effect) * beta[i] + effect * noise[i]
            laws = beta[i], beta[i], gamma
            for system in range(3):
                coin = rng.random() < 0.5
                for _ in range(K):
                    law = laws[system]
                    if null == "answer" and system > 0:
                        law = gamma if rng.random() < 0.5 else beta[i]
                    if null == "item" and system > 0:
                        law = gamma if coin else beta[i]
                    counts[system, r, i, one_answer(law, rng)] += 1
    raters, a, b = (Counts(c, np.array(LEVELS)) for c in counts)
    return Draw(raters, a, b)


@pytest.fixture(scope="module")
def reference() -> dict[str, Draw]:
    worlds = {"alternative": (None, EFFECT), "null": ("answer", EFFECT), "item": ("item", EFFECT), "far": (None, 0.7)}
    return {name: one_by_one(*world, generator(0, "laws", "one", name)) for name, world in worlds.items()}


@pytest.fixture(scope="module")
def direct() -> dict[str, Draw]:
    world = DirichletPopulation(ALPHA, levels=LEVELS)
    sizes: dict[str, Any] = {"n_replicates": REPLICATES, "n_items": N, "n_raters": K, "effect": EFFECT}
    return {
        name: world.draw(**sizes, answers="raters", null=name == "null", rng=generator(0, "laws", "direct", name))
        for name in ("alternative", "null")
    }


def results(name: str, study: Draw, variant: Variant = "default") -> Array:
    metric = find_metric(name, variant=variant, positive=0 if name in ("precision", "recall", "f1", "auc") else None)
    with np.errstate(invalid="ignore"):
        value = contest(metric, study.raters, study.a, study.b)
    value = value.mean(-1) if value.ndim == 2 else value
    return np.nan_to_num(value, nan=-9.0)  # undefined correlations are a result like any other


def chi_square_p(first: Array, second: Array) -> float:
    """Two samples of equal size, cut at pooled quantiles: Σ (o₁ − o₂)² / (o₁ + o₂)."""
    edges = np.unique(np.quantile(np.concatenate([first, second]).round(9), np.linspace(0, 1, 13)))
    bins = [np.bincount(np.searchsorted(edges, x.round(9)), minlength=len(edges)) for x in (first, second)]
    total = bins[0] + bins[1]
    kept = total > 0
    statistic = ((bins[0] - bins[1])[kept] ** 2 / total[kept]).sum()
    return float(stats.chi2.sf(statistic, kept.sum() - 1))


def z_of_means(first: Array, second: Array) -> float:
    error = np.sqrt(first.var(ddof=1) / len(first) + second.var(ddof=1) / len(second))
    return float(abs(first.mean() - second.mean()) / error)


def z_of_variances(first: Array, second: Array) -> float:
    squares = [(x - x.mean()) ** 2 for x in (first, second)]
    return z_of_means(*squares)


@pytest.mark.parametrize("world", ["alternative", "null"])
@pytest.mark.parametrize("name", METRICS)
def test_every_metric_has_the_same_law(
    name: str, world: str, direct: dict[str, Draw], reference: dict[str, Draw]
) -> None:
    ours, theirs = results(name, direct[world]), results(name, reference[world])
    assert chi_square_p(ours, theirs) > FAR
    assert z_of_means(ours, theirs) < 5
    assert z_of_variances(ours, theirs) < 5


@pytest.mark.parametrize("name", ["accuracy", "total_variation", "kl"])
def test_the_papers_variants_have_the_same_law(name: str, direct: dict[str, Draw], reference: dict[str, Draw]) -> None:
    for world in ("alternative", "null"):
        ours, theirs = results(name, direct[world], "paper"), results(name, reference[world], "paper")
        assert chi_square_p(ours, theirs) > FAR


def test_control_choosing_the_law_once_per_item_is_found_out(
    direct: dict[str, Draw], reference: dict[str, Draw]
) -> None:
    ours, theirs = (results("total_variation", study) for study in (direct["null"], reference["item"]))
    assert chi_square_p(ours, theirs) < FAR
    assert z_of_variances(ours, theirs) > 5


def test_control_another_effect_is_found_out(direct: dict[str, Draw], reference: dict[str, Draw]) -> None:
    for name in ("agreement", "total_variation", "wins", "mae"):
        ours, theirs = (results(name, study) for study in (direct["alternative"], reference["far"]))
        assert chi_square_p(ours, theirs) < FAR
        assert z_of_means(ours, theirs) > 5


def test_the_null_contest_is_centred_and_the_alternative_is_not(direct: dict[str, Draw]) -> None:
    for name in ("agreement", "total_variation", "accuracy"):
        for world, centred in (("null", True), ("alternative", False)):
            values = results(name, direct[world])
            z = abs(values.mean()) / (values.std(ddof=1) / np.sqrt(len(values)))
            assert (z < 5) == centred


def test_equal_effects_give_equal_scores_to_unlike_systems() -> None:
    world = DirichletPopulation(ALPHA)
    study = world.draw(
        n_replicates=2000, n_items=20, n_raters=K, effect=0.5, effect_a=0.5, rng=generator(0, "laws", "both")
    )
    values = contest(find_metric("agreement"), study.raters, study.a, study.b)
    assert abs(values.mean()) < 5 * values.std(ddof=1) / np.sqrt(values.size)
    worse = world.draw(n_replicates=2000, n_items=20, n_raters=K, effect=0.5, rng=generator(0, "laws", "one-sided"))
    control = contest(find_metric("agreement"), worse.raters, worse.a, worse.b)
    assert control.mean() > 5 * control.std(ddof=1) / np.sqrt(control.size)
