"""Variance components: closed-form ANOVA on full tables, expectations worked out term by term, degenerate tables."""

import numpy as np
import pytest

from quorate._typing import Array
from quorate.agreement.variance_parts import VarianceParts, variance_components


def full_table(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values ``(item, rater, repeat)`` as flat columns."""
    items, raters, _ = np.indices(values.shape)
    return items.reshape(-1), raters.reshape(-1), values.reshape(-1)


def anova(values: np.ndarray) -> tuple[float, float, float]:
    """The closed form for a full table with n answers per cell, cells' own interaction pooled into the residual."""
    a, b, n = values.shape
    grand, item, rater = values.mean(), values.mean((1, 2)), values.mean((0, 2))
    ms_item = b * n * np.square(item - grand).sum() / (a - 1)
    ms_rater = a * n * np.square(rater - grand).sum() / (b - 1)
    rest = values - item[:, None, None] - rater[None, :, None] + grand
    ms_rest = np.square(rest).sum() / (a * b * n - a - b + 1)
    return (ms_item - ms_rest) / (b * n), (ms_rater - ms_rest) / (a * n), ms_rest


def simulated(seed: int, shape: tuple[int, int, int]) -> np.ndarray:
    draw = np.random.default_rng(seed)
    effects = 2 * draw.normal(size=(shape[0], 1, 1)) + draw.normal(size=(1, shape[1], 1))
    return 100 + effects + draw.normal(size=shape)


def parts_of(parts: VarianceParts) -> Array:
    """Item, rater and residual; nan where a part is not known."""
    return np.array([parts.item, parts.rater, parts.residual], dtype=float)


@pytest.mark.parametrize("shape", [(12, 4, 1), (30, 3, 1), (8, 5, 3)])
def test_equals_anova_on_a_full_table(shape: tuple[int, int, int]) -> None:
    values = simulated(1, shape)
    got = variance_components(*full_table(values))
    np.testing.assert_allclose(parts_of(got), np.array(anova(values)), rtol=1e-10)


def test_nominal_components_are_sums_over_indicators() -> None:
    draw = np.random.default_rng(2)
    answers = (draw.random((20, 1, 1)) + draw.random((1, 6, 1)) + draw.random((20, 6, 1))).astype(int)
    got = variance_components(*full_table(answers), n_categories=3)
    expected = np.sum([anova((answers == m).astype(float)) for m in range(3)], axis=0)
    np.testing.assert_allclose(parts_of(got), expected, rtol=1e-10)


def test_one_way_when_raters_are_unknown() -> None:
    values = simulated(3, (25, 4, 1))
    items, _, y = full_table(values)
    got = variance_components(items, None, y)
    within = np.square(values - values.mean(1, keepdims=True)).sum() / (25 * 3)
    between = 4 * values.mean((1, 2)).var(ddof=1)
    np.testing.assert_allclose(parts_of(got)[[0, 2]], np.array([(between - within) / 4, within]), rtol=1e-10)
    assert got.rater is None


def test_ragged_tables_solve_the_moment_equations() -> None:
    # Reference: expectations of quadratic forms y'Qy = Σ_k σ²_k tr(Q Z_k Z_k'), with dense matrices.
    draw = np.random.default_rng(4)
    items, raters = draw.integers(0, 9, size=60), draw.integers(0, 5, size=60)
    y = simulated(4, (9, 5, 1))[items, raters, 0] + 3 * draw.normal(size=60)
    one = np.ones((60, 1))
    z_item, z_rater = np.eye(9)[items], np.eye(5)[raters]

    def projection(z: np.ndarray) -> np.ndarray:
        return np.asarray(z @ np.linalg.pinv(z))

    forms = [np.eye(60) - projection(one), projection(z_item) - projection(one), projection(z_rater) - projection(one)]
    designs = [z_item @ z_item.T, z_rater @ z_rater.T, np.eye(60)]
    matrix = [[np.trace(q @ v) for v in designs] for q in forms]
    expected = np.linalg.solve(matrix, [y @ q @ y for q in forms])
    assert (expected > 0).all()
    got = variance_components(items, raters, y)
    np.testing.assert_allclose(parts_of(got), expected, rtol=1e-9)


def test_repeats_count_rows() -> None:
    draw = np.random.default_rng(5)
    items, raters, y = full_table(draw.integers(0, 3, size=(15, 4, 1)))
    times = draw.integers(1, 4, size=60)
    copied = [np.repeat(x, times) for x in (items, raters, y)]
    for categories in (None, 3):
        got = variance_components(items, raters, y, n_categories=categories, repeats=times)
        expected = variance_components(*copied, n_categories=categories)
        pairs = zip(
            (got.item, got.rater, got.residual), (expected.item, expected.rater, expected.residual), strict=True
        )
        assert all(a == pytest.approx(b, abs=1e-10) for a, b in pairs)


def test_order_of_rows_and_labels_changes_nothing() -> None:
    items, raters, y = full_table(simulated(6, (10, 5, 1)))
    order, names = np.random.default_rng(7).permutation(50), np.random.default_rng(8).permutation(10)
    first, again = (
        variance_components(items, raters, y),
        variance_components(names[items][order], raters[order], y[order]),
    )
    assert again.item == pytest.approx(first.item, rel=1e-10)
    assert again.rater == pytest.approx(first.rater, rel=1e-10)


def test_negative_estimates_become_zero() -> None:
    # Two items, two raters, answers 0 1 / 1 0: no item or rater differs, all is residual.
    got = variance_components(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([0.0, 1.0, 1.0, 0.0]))
    assert (got.item, got.rater) == (0.0, 0.0)
    assert got.residual == pytest.approx(1.0)


def test_what_the_table_cannot_tell_is_none() -> None:
    y = np.array([1.0, 2.0, 4.0, 8.0])
    four, pairs = np.arange(4), np.array([0, 0, 1, 1])
    nested = variance_components(pairs, four, y)  # every rater answered once
    assert nested.rater is None
    assert nested.item is not None
    once = variance_components(four, pairs, y)  # every item was answered once
    assert once.item is None
    assert once.rater is not None
    alone = variance_components(four, None, y)
    assert (alone.item, alone.rater) == (None, None)
    assert alone.residual == pytest.approx(float(y.var(ddof=1)))
    assert variance_components(np.array([0]), None, np.array([1.0])) == VarianceParts(None, None, None)


def test_a_mean_of_more_raters_is_more_dependable() -> None:
    # Φ(5) = 0.25 / (0.25 + 0.75 / 5) = 0.625; 0.8 takes 4 · 0.75 / 0.25 = 12 raters.
    parts = VarianceParts(0.25, 0.05, 0.70)
    assert parts.dependability(5) == pytest.approx(0.625)
    assert parts.raters_for(0.8) == 12
    assert parts.dependability(12) == pytest.approx(0.8)
    assert VarianceParts(0.0, 0.1, 0.9).raters_for(0.8) is None
    assert VarianceParts(None, None, 1.0).dependability(3) is None


def test_a_part_of_rounding_alone_is_none() -> None:
    """Two raters of six items whose items do not differ, but for the last digit: no number of raters is enough."""
    said = [(0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, 0), (2, 0, 1), (2, 1, 1), (3, 0, 1), (3, 1, 1)]
    said += [(4, 0, 1), (4, 1, 1), (5, 0, 1), (5, 1, 0)]
    items, raters, responses = (np.array(column) for column in zip(*said, strict=True))
    parts = variance_components(items, raters, responses, n_categories=2)
    assert parts.item == 0.0
    assert parts.raters_for(0.8) is None
