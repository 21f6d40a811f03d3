"""The interval of alpha: where p is the level, what few positives leave open, and bounds of what is possible."""

import numpy as np
import pytest

from quorate.agreement.disagreement import AlphaScores, krippendorff_alpha
from quorate.data.summaries import Counts
from quorate.inference.alpha_interval import alpha_interval, alpha_p


def scores(kinds: list[list[int]], times: list[int], scale: str = "nominal") -> AlphaScores:
    votes = np.repeat(kinds, times, axis=0)
    return krippendorff_alpha(Counts(votes, np.arange(2.0)), scale, rng=np.random.default_rng(0))


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
def test_the_ends_are_where_p_is_the_level(confidence: float, scale: str) -> None:
    seen = scores([[3, 0], [2, 1], [1, 2], [0, 3]], [40, 25, 20, 30], scale)
    found = alpha_interval(seen, confidence)
    assert found.value == seen.value
    np.testing.assert_allclose(alpha_p(seen, np.array([found.low, found.high])), 1 - confidence, rtol=1e-4)
    assert float(alpha_p(seen, np.asarray(seen.value))) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("n", [2, 5, 40])
def test_rare_positives_on_which_all_agree_leave_room_below_1(n: int) -> None:
    # Alpha is 1, and no item varies; of n positives some might have been disputed.
    found = alpha_interval(scores([[3, 0], [0, 3]], [1000, n]))
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low < {2: 0.3, 5: 0.75, 40: 0.98}[n]
    if n == 40:
        assert found.low > 0.8


def test_rare_positives_that_nobody_shares_leave_room_above_0() -> None:
    few = alpha_interval(scores([[3, 0], [2, 1]], [300, 3]))
    many = alpha_interval(scores([[3, 0], [2, 1]], [3000, 60]))
    assert few.value == pytest.approx(0.0, abs=0.01)
    assert few.high > 0.5
    assert many.high < 0.2
    assert few.low == pytest.approx(few.value, abs=0.01)  # rare answers cannot disagree more


def test_nothing_that_varies_has_no_interval() -> None:
    found = alpha_interval(scores([[3, 0]], [5]))
    assert np.isnan([found.value, found.low, found.high]).all()
