"""The t pivot with its quantile, as in scipy, and outcomes picked row by row."""

import numpy as np
import pytest
from scipy.stats import t

from quorate.inference.outcome import Outcome, from_t, where
from quorate.inference.uncertain_variance import t_quantile


def test_from_t_and_quantile_equal_scipy() -> None:
    outcome = from_t(np.array(1.5), np.array(0.6), 7.0, 0.9)
    assert float(outcome.p_value) == pytest.approx(2 * t.sf(2.5, 7), rel=1e-12)
    assert float(t_quantile(7.0, 0.9)) == pytest.approx(t.ppf(0.95, 7), rel=1e-12)
    assert float(outcome.high) == pytest.approx(1.5 + 0.6 * t.ppf(0.95, 7), rel=1e-12)


def test_where_picks_whole_outcomes() -> None:
    one, two = (Outcome(*(np.full(2, float(x)) for _ in range(6))) for x in (1, 2))
    picked = where(np.array([True, False]), one, two)
    assert picked.se.tolist() == [1.0, 2.0]
    assert picked.df.tolist() == [1.0, 2.0]
