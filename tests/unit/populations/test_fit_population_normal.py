"""The normal fit: its likelihood against numerical integration, and its choices on clear cases."""

import numpy as np
import pytest
from scipy import integrate, stats

from quorate import InputError
from quorate.data.summaries import Counts, Values
from quorate.populations.families import Family, FoldedNormal, Triangular, TruncatedNormal, Uniform
from quorate.populations.fit_population import (
    fit_normal,
    grid_for,
    item_table,
    node_weights,
    normal_log_likelihood,
    sample_items,
)
from quorate.populations.normal import NormalPopulation
from tests.draws import counts_of

LEVELS = (1.0, 2.0, 3.0, 4.0, 5.0)


def test_node_weights_are_a_distribution_with_the_family_mean() -> None:
    nodes = np.linspace(0.0, 1.0, 61)
    for family in (Uniform(0.2, 0.7), TruncatedNormal(0.1, 0.4, 0.0, 1.0), Triangular(0.0, 0.3, 1.0)):
        weights = node_weights(family, nodes)
        assert weights.sum() == pytest.approx(1.0, abs=1e-12)
        exact = integrate.quad(lambda x, family=family: 1.0 - float(family.cdf(np.array(x))), 0.0, 1.0)[0]
        assert abs(weights @ nodes - exact) <= 1 / 120  # no mass is moved by more than half a step
    # The last node takes all beyond 0.475, the clipped mass with it.
    last = node_weights(FoldedNormal(0.0, 0.28, clip_high=0.5), np.linspace(0, 0.5, 11))[-1]
    assert last == pytest.approx(2 * stats.norm.sf(0.475 / 0.28), rel=1e-12)


def test_likelihood_of_levels_equals_a_double_integral() -> None:
    world = NormalPopulation(Uniform(1.0, 5.0), Uniform(0.2, 1.5), levels=LEVELS)
    counts = np.array([0, 1, 2, 2, 0])
    cuts = np.array([1.5, 2.5, 3.5, 4.5])

    def density(sd: float, mean: float) -> float:
        below = stats.norm.cdf(cuts, mean, sd)
        return float(np.prod(np.diff([0.0, *below, 1.0]) ** counts)) / (4.0 * 1.3)

    exact = integrate.dblquad(density, 1.0, 5.0, 0.2, 1.5, epsabs=1e-10)[0]
    got = normal_log_likelihood(world, Counts(counts[None], np.array(LEVELS)))
    assert abs(got - np.log(exact)) < 0.01  # 1 % of an item's likelihood; families are told apart by whole units


def test_likelihood_of_continuous_answers_equals_a_double_integral() -> None:
    world = NormalPopulation(Uniform(0.0, 1.0), Uniform(0.05, 0.5))
    first, second = np.array([0.1, 0.3, 0.35]), np.array([0.0, 0.9, 1.0])  # the second spans the grid
    summary = Values(np.sort([first, second]), np.array([3, 3]))

    def log_integral(answers: np.ndarray, low: float, high: float) -> float:
        def density(sd: float, mean: float) -> float:
            return float(np.prod(stats.norm.pdf(answers, mean, sd))) / 0.45 / (high - low)

        return float(np.log(integrate.dblquad(density, low, high, 0.05, 0.5, epsabs=1e-10)[0]))

    low, high = grid_for(summary).range
    limited = NormalPopulation(Uniform(low, high), world.sds)
    exact = log_integral(first, low, high) + log_integral(second, low, high)
    assert abs(normal_log_likelihood(limited, summary) - exact) < 2 * 0.01


def test_equal_items_are_scored_once() -> None:
    rng = np.random.default_rng(0)
    counts = rng.multinomial(3, rng.dirichlet((1.0,) * 5, 300))
    table = item_table(Counts(counts))
    assert table.weight.sum() == 300
    assert len(table.weight) <= 35  # C(7, 3) ways to give three answers on five levels
    np.testing.assert_array_equal((table.rows * table.weight[:, None]).sum(0), counts.sum(0))


def test_sampled_items_keep_the_total() -> None:
    table = item_table(Counts(np.random.default_rng(0).multinomial(30, [0.2] * 5, 500)))
    assert sample_items(table, 100, rng=np.random.default_rng(1)).weight.sum() == 100
    assert sample_items(table, 10_000, rng=np.random.default_rng(1)) is table


@pytest.mark.parametrize("truth", [Uniform(1.5, 4.5), TruncatedNormal(4.0, 0.5, 0.5, 5.5), Triangular(0.6, 1.0, 5.0)])
def test_the_fit_is_no_worse_than_the_truth_and_shows_every_family(truth: Family) -> None:
    world = NormalPopulation(truth, Uniform(0.2, 0.8), levels=LEVELS)
    votes = world.draw(n_replicates=1, n_items=1500, n_raters=8, rng=np.random.default_rng(2)).raters
    summary = Counts(counts_of(votes)[0], np.array(LEVELS))
    fitted = fit_normal(summary, rng=np.random.default_rng(3))
    # The truth can be fitted, so the optimum is above it; a family that is chosen instead may lose one per parameter.
    assert fitted.log_likelihood > normal_log_likelihood(world, summary) - 1.0
    assert sum(tried.chosen for tried in fitted.families) == 2
    for role in ("means", "sds"):
        tried = {fit.family.family: fit for fit in fitted.families if fit.role == role}
        assert set(tried) == {"uniform", "truncated-normal", "folded-normal", "triangular"}
        assert max(tried.values(), key=lambda fit: fit.merit).chosen


def test_unusable_answers_are_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(InputError, match="the scale is nominal"):
        fit_normal(Counts(np.array([[2, 1], [1, 2]])), rng=rng)
    with pytest.raises(InputError, match="every item has one answer"):
        fit_normal(Counts(np.eye(5, dtype=int), np.array(LEVELS)), rng=rng)
    with pytest.raises(InputError, match="items that differ"):
        fit_normal(Values(np.ones((4, 3)), np.full(4, 3)), rng=rng)
