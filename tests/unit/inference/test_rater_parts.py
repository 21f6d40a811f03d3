"""Crossed components as inference reads them: the analysis of variance on a full table, sizes, other studies."""

import numpy as np
import pytest

from quorate.inference.rater_parts import components


def test_full_table_equals_anova() -> None:
    rng = np.random.default_rng(5)
    y = 3 + rng.normal(size=(20, 1)) + 0.7 * rng.normal(size=(1, 5)) + rng.normal(size=(20, 5))
    items, raters = (x.reshape(-1) for x in np.indices(y.shape))
    found = components(y.reshape(-1), items, raters)
    ms_item, ms_rater = 5 * y.mean(1).var(ddof=1), 20 * y.mean(0).var(ddof=1)
    rest = y - y.mean(1, keepdims=True) - y.mean(0) + y.mean()
    ms_rest = (rest**2).sum() / (19 * 4)
    expected = [(ms_item - ms_rest) / 5, (ms_rater - ms_rest) / 20, ms_rest]
    assert (found.item, found.rater, found.residual) == pytest.approx(tuple(expected), rel=1e-10)
    assert (found.n_items, found.n_raters, found.n_values, found.raters_per_item) == (20, 5, 100, 5.0)
    assert found.mean == pytest.approx(y.mean())
    # The variance of the same study's mean is the analysis of variance's (MS_items + MS_raters − MS_rest) / (N R).
    assert found.of_mean(20, 5) == pytest.approx((ms_item + ms_rater - ms_rest) / 100)


def test_other_studies_and_what_is_not_known() -> None:
    # Three raters answered once each: their variance is in the residual, and counts there.
    found = components(np.array([1.0, 3.0, 2.0, 6.0]), np.array([0, 0, 1, 1]), np.array([0, 1, 2, 3]))
    assert found.rater is None
    assert found.item is not None
    assert found.residual is not None
    assert found.of_mean(10, 4, raters_per_item=2) == pytest.approx(found.item / 10 + found.residual / 20)
