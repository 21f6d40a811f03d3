"""Student's t of a variance with several uncertain parts."""

import numpy as np
import pytest
from scipy.special import stdtr, stdtrit

from quorate.inference.mixed_t import MANY, MixedT, inverse_chi_squares


@pytest.mark.parametrize("df", [1.0, 2.0, 3.5, 5.0, 30.0, 300.0])
def test_one_part_is_students_t(df: float) -> None:
    law = MixedT(*inverse_chi_squares(df))
    for level in (0.05, 0.01, 0.001):
        t = np.asarray(stdtrit(df, 1 - level / 2))
        assert float(law.p_value(t)) == pytest.approx(level, rel=1e-3)
    assert float(law.quantile(0.95)) == pytest.approx(float(stdtrit(df, 0.975)), rel=1e-3)


def test_a_known_variance_is_normal() -> None:
    law = MixedT(*inverse_chi_squares(np.inf))
    assert float(law.p_value(np.asarray(1.959964))) == pytest.approx(0.05, abs=1e-6)


def test_two_parts_lie_between_their_ts() -> None:
    few, few_weight = inverse_chi_squares(2.0)
    many, many_weight = inverse_chi_squares(99.0, MANY)
    ratio = (0.5 * few[:, None] + 0.5 * many).reshape(-1)
    law = MixedT(ratio, (few_weight[:, None] * many_weight).reshape(-1))
    p = float(law.p_value(np.asarray(3.0)))
    assert 2 * stdtr(99.0, -3.0) < p < 2 * stdtr(2.0, -3.0)
    # the same by drawing both variances, which shares no code with the sums above
    rng = np.random.default_rng(0)
    true = 0.5 * 2 / rng.chisquare(2, 200_000) + 0.5 * 99 / rng.chisquare(99, 200_000)
    drawn = (np.abs(rng.standard_normal(200_000)) * np.sqrt(true) > 3.0).mean()
    assert p == pytest.approx(drawn, abs=5 * np.sqrt(p / 200_000))
