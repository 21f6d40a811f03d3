"""Whether a study passes a bound, beside the pivot of `compare` itself."""

import numpy as np
import pytest

from quorate.inference.means import mean_pivot
from quorate.inference.uncertain_variance import t_quantile
from quorate.planning.promises.closed_forms import share_needed, still_passes, tilt_passes

VALUES, WEIGHTS = np.array([-1.0, -0.1, 0.0, 0.1, 0.3]), np.array([0.03, 0.1, 0.3, 0.37, 0.2])


@pytest.mark.parametrize(("n", "bound"), [(20, 0.0), (60, 0.0), (60, -0.05), (200, 0.0)])
def test_one_sum_says_what_the_pivot_says_and_student_does_not(n: int, bound: float) -> None:
    values = np.random.default_rng(n).choice(VALUES, (600, n), p=WEIGHTS)
    pivot = mean_pivot(values, reach=1.0)
    asked = (pivot.p_value(np.full(600, bound)) <= 0.05) & (pivot.estimate > bound)
    varied = ~pivot.still
    passed = tilt_passes(values, np.full((1, n), 1 / n), bound, share_needed(n, 0.95))
    assert (passed[varied] == asked[varied]).all()
    low = values.mean(-1) - t_quantile(n - 1.0, 0.95) * values.std(-1, ddof=1) / np.sqrt(n)
    assert ((low > bound) != asked)[varied].any()  # control: Student's test passes more


@pytest.mark.parametrize("n", [5, 6, 36, 37])
def test_equal_values_are_judged_as_by_the_pivot(n: int) -> None:
    for value, bound in ((1.0, 0.0), (0.0, -0.1), (0.2, 0.0)):
        p = float(mean_pivot(np.full((1, n), value), reach=1.0).p_value(np.array([bound]))[0])
        assert still_passes(value, n, 0.95, bound, 1.0) == (p <= 0.05)
