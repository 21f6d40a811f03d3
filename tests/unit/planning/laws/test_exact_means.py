"""Sums over categories: exact means by quadrature beside fractions, enumeration and many more nodes."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from quorate.data.summaries import Counts
from quorate.metrics.metric import Variant
from quorate.metrics.registry import find_metric
from quorate.planning.laws.exact import exact_laws
from quorate.planning.laws.exact_means import category_table, expected_sums, pair_expectations, pair_means
from quorate.populations.dirichlet import DirichletPopulation

JOBS = DirichletPopulation((1039.76, 38.24, 35.57, 310.29, 46.02))
DICES = DirichletPopulation((5.22, 0.86, 2.75))
METRICS: list[tuple[str, Variant]] = list(product(("total_variation", "kl"), ("default", "paper")))


@pytest.mark.parametrize(("name", "variant"), METRICS)
def test_terms_add_up_to_the_score(name: str, variant: Variant) -> None:
    metric = find_metric(name, variant=variant)
    rng = np.random.default_rng(0)
    raters, system = rng.multinomial(7, [0.5, 0.3, 0.2, 0.0], 50), rng.multinomial(4, [0.25] * 4, 50)
    table = category_table(metric, 4, 7, 4)
    assert table is not None
    np.testing.assert_allclose(table[raters, system].sum(-1), metric.score(Counts(raters), Counts(system)), atol=1e-12)


def test_other_scores_are_no_sums() -> None:
    assert category_table(find_metric("accuracy"), 3, 5, 5) is None
    assert category_table(find_metric("jensen_shannon"), 3, 5, 5) is None


def test_by_hand() -> None:
    # β ~ Beta(1, 1), ϱ ~ Beta(1/2, 1/2), ε = 1/2, two raters, one answer. P(g = 2, x = 1) = E[β² γ] with
    # γ = β/2 + ϱ/2: E β³ / 2 + E β² E ϱ / 2 = 1/8 + 1/12 = 5/24.
    table = np.zeros((1, 3, 2))
    table[0, 2, 1] = 1.0
    found = pair_expectations((1.0, 1.0), (0.5, 0.5), (0.5,), table)
    assert found[0, 0] == pytest.approx(float(Fraction(5, 24)), rel=1e-13)


@pytest.mark.parametrize(("world", "k", "r"), [(DICES, 1, 1), (DICES, 8, 8), (DICES, 6, 2), (JOBS, 3, 3)])
@pytest.mark.parametrize(("name", "variant"), METRICS)
def test_same_as_enumerated(world: DirichletPopulation, k: int, r: int, name: str, variant: Variant) -> None:
    metric = find_metric(name, variant=variant)
    table = category_table(metric, len(world.alpha), k, r)
    assert table is not None
    sums = expected_sums(world, (0.0, 0.2), table[None])[:, 0]
    assert sums[1] - sums[0] == pytest.approx(pair_means(world, [metric], k, r, 0.2)[name], rel=1e-9)


@pytest.mark.parametrize("world", [JOBS, DICES, DirichletPopulation((10.0, *(3.0,) * 11))])
def test_many_answers_need_no_more_nodes(world: DirichletPopulation) -> None:
    pair = [find_metric(name, variant="paper") for name in ("total_variation", "kl")]
    tables = np.array([category_table(metric, len(world.alpha), 500, 500) for metric in pair])
    both = np.concatenate([tables, tables[1:] ** 2])
    finer = expected_sums(world, (0.0, 0.1), both, finer=2.0)
    np.testing.assert_allclose(expected_sums(world, (0.0, 0.1), both), finer, rtol=1e-9)


def test_too_few_nodes_would_show() -> None:
    """Negative control: with a third of the Chebyshev terms and nodes the sum is visibly wrong."""
    table = category_table(find_metric("kl", variant="paper"), 3, 500, 500)
    assert table is not None
    enough, few = (expected_sums(DICES, (0.1,), table[None], finer=finer) for finer in (1.0, 0.0))
    assert abs(few / enough - 1).max() > 1e-6


@pytest.mark.parametrize("effect_a", [0.0, 0.3])
def test_means_from_pairs_are_those_of_the_law(effect_a: float) -> None:
    names = ("accuracy", "total_variation", "wins:total_variation", "kl")
    metrics = [find_metric(name, variant="paper") for name in names]
    laws = exact_laws(DICES, metrics, 4, 3, effect=0.2, effect_a=effect_a)
    means = pair_means(DICES, metrics, 4, 3, 0.2, effect_a)
    assert set(means) == {"accuracy", "total_variation", "kl"}
    for name, mean in means.items():
        assert mean == pytest.approx(laws[name].mean, abs=1e-12)
