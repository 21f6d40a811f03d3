"""The crossed variance: the analysis of variance on a full table, dense quadratic forms on a ragged one, and edges."""

import numpy as np
import pytest

from quorate._typing import Array
from quorate.inference.crossed import Crossing, crossed_test, effective_number, two_way_variance, variance_over_raters
from quorate.inference.outcome import mean_test


def full(values: Array) -> tuple[Array, Crossing]:
    """A full table, item by rater."""
    item, rater = (x.reshape(-1) for x in np.indices(values.shape))
    return values.reshape(-1), Crossing(item, rater, np.full(values.size, 1 / values.size), *values.shape)


def ragged(seed: int = 3, n_items: int = 12, n_raters: int = 5) -> tuple[Array, Crossing]:
    """Items with one to four raters; items weigh alike."""
    rng = np.random.default_rng(seed)
    pairs = [(i, int(j)) for i in range(n_items) for j in rng.permutation(n_raters)[: rng.integers(1, 5)]]
    item, rater = (np.array(x) for x in zip(*pairs, strict=True))
    weight = 1 / (n_items * np.bincount(item)[item])
    effects = rng.normal(size=n_items)[item] + rng.normal(size=n_raters)[rater]
    return effects + rng.normal(size=len(item)), Crossing(item, rater, weight, n_items, n_raters)


def mean_squares(y: Array) -> tuple[float, float, float]:
    n, r = y.shape
    rest = y - y.mean(1, keepdims=True) - y.mean(0) + y.mean()
    return r * y.mean(1).var(ddof=1), n * y.mean(0).var(ddof=1), float((rest**2).sum() / ((n - 1) * (r - 1)))


@pytest.mark.parametrize("shape", [(30, 6), (12, 3), (40, 2)])
def test_full_table_is_the_analysis_of_variance(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(1)
    y = 0.3 + rng.normal(size=(shape[0], 1)) + rng.normal(size=(1, shape[1])) + rng.normal(size=shape)
    ms_item, ms_rater, ms_rest = mean_squares(y)
    cells = y.size
    outcome, found = crossed_test(*full(y))
    assert outcome.difference == pytest.approx(y.mean())
    assert found.item == pytest.approx(ms_item / cells)
    assert found.rater == pytest.approx(ms_rater / cells)
    expected = max(ms_item + ms_rater - ms_rest, ms_item, ms_rater) / cells
    assert found.variance == pytest.approx(expected)
    # Satterthwaite: V² / (MS_items² / (N − 1) + MS_raters² / (R − 1)), all over N R.
    df = expected**2 / ((ms_item / cells) ** 2 / (shape[0] - 1) + (ms_rater / cells) ** 2 / (shape[1] - 1))
    assert found.df == pytest.approx(df)
    assert variance_over_raters(*full(y)).variance == pytest.approx(max(ms_rater, ms_rest) / cells)


def test_never_below_items_or_raters_alone() -> None:
    # Rows that cancel exactly: raters agree on average (MS_raters = 0), items do not; the sum would fall below items.
    y = np.array([[1.0, -1.0], [-1.0, 1.0], [2.0, 0.0], [0.0, 2.0]])
    ms_item, ms_rater, ms_rest = mean_squares(y)
    assert ms_item + ms_rater - ms_rest < ms_item
    assert two_way_variance(*full(y)).variance == pytest.approx(ms_item / y.size)


def test_ragged_tables_solve_the_moment_equations() -> None:
    # Reference: E[y'Ay] = Σ_k σ²_k tr(A Z_k Z_k') with dense matrices, weights solved from them.
    values, crossing = ragged()
    n, w = len(values), crossing.weight
    centre = np.diag(w) @ (np.eye(n) - np.outer(np.ones(n), w))  # e = centre @ y
    sums = [(crossing.item[:, None] == np.arange(12)).T, (crossing.rater[:, None] == np.arange(5)).T, np.eye(n)]
    forms = [(s @ centre).T @ (s @ centre) for s in sums]
    expected = np.array([[np.trace(form @ (z.T @ z)) for z in sums] for form in forms])
    truth = np.array([w @ (z.T @ z) @ w for z in sums])
    got_expected, got_truth = crossing.expectations
    np.testing.assert_allclose(got_expected, expected, rtol=1e-10)
    np.testing.assert_allclose(got_truth, truth, rtol=1e-10)
    weights = np.linalg.solve(expected.T, truth)
    q = np.array([values @ form @ values for form in forms])
    one_way = [q[k] * truth[k] / expected[k, k] for k in (0, 1)]
    assert two_way_variance(values, crossing).variance == pytest.approx(max(weights @ q, *one_way))


def test_many_studies_at_once_are_single_ones() -> None:
    tables = [ragged(seed) for seed in (3, 3, 3)]
    crossing = tables[0][1]
    values = np.stack([values + k * np.arange(len(values)) for k, (values, _) in enumerate(tables)])
    together = two_way_variance(values, crossing)
    item, rater, weight = (np.stack([x] * 3) for x in (crossing.item, crossing.rater, crossing.weight))
    again = Crossing(item, rater, weight, 12, 5)
    apart = [two_way_variance(row, crossing) for row in values]
    for name in ("variance", "item", "rater", "df"):
        expected = [float(getattr(each, name)) for each in apart]
        np.testing.assert_allclose(getattr(together, name), expected)
        np.testing.assert_allclose(getattr(two_way_variance(values, again), name), expected)


def test_relabelling_changes_nothing() -> None:
    values, crossing = ragged()
    rng = np.random.default_rng(0)
    rows, items, raters = rng.permutation(len(values)), rng.permutation(12), rng.permutation(5)
    other = Crossing(items[crossing.item][rows], raters[crossing.rater][rows], crossing.weight[rows], 12, 5)
    assert two_way_variance(values[rows], other).variance == pytest.approx(two_way_variance(values, crossing).variance)


def test_raters_of_one_item_each_leave_the_item_test() -> None:
    rng = np.random.default_rng(5)
    y = rng.normal(size=(20, 3))
    crossing = Crossing(np.repeat(np.arange(20), 3), np.arange(60), np.full(60, 1 / 60), 20, 60)
    outcome, found = crossed_test(y.reshape(-1), crossing)
    items = mean_test(y.mean(1))
    assert not crossing.solvable
    assert np.sqrt(found.item) == pytest.approx(items.se)
    assert outcome.se == pytest.approx(items.se)


def test_items_of_one_rater_each_are_clusters_of_raters() -> None:
    # One answer per item: what items vary by is within raters, so raters are the clusters, (Σ_j (Σ_i e)²) R / (R − 1).
    rng = np.random.default_rng(6)
    rater = np.repeat(np.arange(4), 5)
    y = rng.normal(size=4)[rater] + rng.normal(size=20)
    crossing = Crossing(np.arange(20), rater, np.full(20, 0.05), 20, 4)
    assert two_way_variance(y, crossing).variance == pytest.approx(mean_test(y, clusters=rater).se ** 2)
    assert np.isnan(variance_over_raters(y, crossing).variance)


def test_equal_values_leave_only_the_signs() -> None:
    outcome, _ = crossed_test(*full(np.full((6, 3), 0.5)))
    assert (float(outcome.p_value), float(outcome.se)) == (2.0**-5, 0.0)
    assert np.isnan(outcome.low)
    nothing, _ = crossed_test(*full(np.zeros((6, 3))))
    assert (float(nothing.low), float(nothing.high), float(nothing.p_value)) == (0.0, 0.0, 1.0)


def test_effective_number() -> None:
    # (3 + 1)² / (9 + 1) = 1.6; equal weights count in full; leading axes are kept.
    np.testing.assert_allclose(effective_number(np.array([[3.0, 1.0], [2.0, 2.0]])), [1.6, 2.0])
