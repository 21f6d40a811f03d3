"""The crossed variance: the analysis of variance on a full table, dense quadratic forms on a ragged one, and edges."""

import numpy as np
import pytest

from quorate._typing import Array
from quorate.inference.crossed import Crossing, crossed_pivot, crossed_test, effective_number, two_way_variance
from quorate.inference.means import mean_pivot


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
    found = two_way_variance(*full(y))
    [raters] = found.others
    assert crossed_test(*full(y)).difference == pytest.approx(y.mean())
    assert found.items.variance == pytest.approx(ms_item / cells)
    assert raters.variance == pytest.approx(ms_rater / cells)
    assert raters.less == pytest.approx(min(ms_rest, ms_item) / cells)
    assert found.total == pytest.approx(max(ms_item + ms_rater - ms_rest, ms_item, ms_rater) / cells)
    assert (float(found.items.df), float(raters.df)) == (shape[0] - 1, shape[1] - 1)
    fixed = crossed_pivot(*full(y), items_fixed=True).variance
    assert fixed.total == pytest.approx(max(ms_rater, ms_rest) / cells)
    assert fixed.df == shape[1] - 1


def test_never_below_items_or_raters_alone() -> None:
    # Rows that cancel exactly: raters agree on average (MS_raters = 0), items do not; the sum would fall below items.
    y = np.array([[1.0, -1.0], [-1.0, 1.0], [2.0, 0.0], [0.0, 2.0]])
    ms_item, ms_rater, ms_rest = mean_squares(y)
    assert ms_item + ms_rater - ms_rest < ms_item
    assert two_way_variance(*full(y)).total == pytest.approx(ms_item / y.size)


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
    assert two_way_variance(values, crossing).total == pytest.approx(max(weights @ q, *one_way))


def test_many_studies_at_once_are_single_ones() -> None:
    tables = [ragged(seed) for seed in (3, 3, 3)]
    crossing = tables[0][1]
    values = np.stack([values + k * np.arange(len(values)) for k, (values, _) in enumerate(tables)])
    together = two_way_variance(values, crossing)
    item, rater, weight = (np.stack([x] * 3) for x in (crossing.item, crossing.rater, crossing.weight))
    again = Crossing(item, rater, weight, 12, 5)
    apart = [two_way_variance(row, crossing) for row in values]
    for found in (together, two_way_variance(values, again)):
        np.testing.assert_allclose(found.total, [float(each.total) for each in apart])
        np.testing.assert_allclose(found.others[0].variance, [float(each.others[0].variance) for each in apart])
        np.testing.assert_allclose(np.broadcast_to(found.df, 3), [float(each.df) for each in apart])


def test_relabelling_changes_nothing() -> None:
    values, crossing = ragged()
    rng = np.random.default_rng(0)
    rows, items, raters = rng.permutation(len(values)), rng.permutation(12), rng.permutation(5)
    other = Crossing(items[crossing.item][rows], raters[crossing.rater][rows], crossing.weight[rows], 12, 5)
    assert two_way_variance(values[rows], other).total == pytest.approx(two_way_variance(values, crossing).total)


def test_raters_of_one_item_each_leave_the_item_test() -> None:
    rng = np.random.default_rng(5)
    y = rng.normal(size=(20, 3))
    crossing = Crossing(np.repeat(np.arange(20), 3), np.arange(60), np.full(60, 1 / 60), 20, 60)
    found, items = two_way_variance(y.reshape(-1), crossing), mean_pivot(y.mean(1)).variance
    assert not crossing.solvable
    assert found.items.variance == pytest.approx(items.total)
    assert found.total == pytest.approx(items.total)


def test_items_of_one_rater_each_are_clusters_of_raters() -> None:
    # One answer per item: what items vary by is within raters, so raters are the clusters, (Σ_j (Σ_i e)²) R / (R − 1).
    rng = np.random.default_rng(6)
    rater = np.repeat(np.arange(4), 5)
    y = rng.normal(size=4)[rater] + rng.normal(size=20)
    crossing = Crossing(np.arange(20), rater, np.full(20, 0.05), 20, 4)
    means = y.reshape(4, 5).mean(1)
    assert two_way_variance(y, crossing).total == pytest.approx(means.var(ddof=1) / 4)
    unknown = crossed_pivot(y, crossing, items_fixed=True).outcome(0.95)
    assert np.isnan(unknown.se)
    assert float(unknown.p_value) == pytest.approx(1.0)


def test_raters_of_given_items_who_agree_show_what_so_many_of_them_can() -> None:
    # Ten raters see 0.2 on average: 0 needs unseen ones who see -1, on a share 0.2 / 1.2, and none came: 2 (5/6)^10.
    y = np.repeat(np.array([0.0, 1.0, 0.0, 1.0, -1.0])[:, None], 10, axis=1)
    pivot = crossed_pivot(*full(y), items_fixed=True, reach=1.0)
    outcome = pivot.outcome(0.95)
    assert float(outcome.p_value) == pytest.approx(2 * (5 / 6) ** 10)
    assert float(outcome.low) < 0 < float(outcome.high)
    assert pivot.still
    y[0, 0] = 1.0  # one of them sees another thing
    assert not crossed_pivot(*full(y), items_fixed=True, reach=1.0).still


def test_equal_values_leave_what_has_not_shown() -> None:
    # Six items: as many as half of all may lie as far on the other side, 2 · 2^−6; raters are no votes.
    outcome = crossed_test(*full(np.full((6, 3), 0.5)))
    assert (float(outcome.p_value), float(outcome.se)) == (2.0**-5, 0.0)
    nothing = crossed_pivot(*full(np.zeros((6, 3))), reach=1.0).outcome(0.95)
    assert float(nothing.p_value) == 1.0
    assert float(nothing.high) == pytest.approx(1 - 0.025 ** (1 / 6), rel=1e-6)


def test_effective_number() -> None:
    # (3 + 1)² / (9 + 1) = 1.6; equal weights count in full; leading axes are kept.
    np.testing.assert_allclose(effective_number(np.array([[3.0, 1.0], [2.0, 2.0]])), [1.6, 2.0])
