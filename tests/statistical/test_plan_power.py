"""Power beyond few items stays within its stated error, over skewed lattice laws, against drawn studies."""

import numpy as np
import pytest

from quorate._typing import Array
from quorate.inference.uncertain_variance import t_quantile
from quorate.planning.laws.item_law import exact_law
from quorate.planning.promises.closed_forms import share_needed, tilt_passes
from quorate.planning.promises.small_studies import StudyDraws
from tests.studies import pick

STATED = 0.003
STUDIES = pick(20_000, 60_000)

SHAPES = {
    "skewed": ([-0.2, 0.0, 0.2, 0.6, 1.0], [0.45, 0.4, 0.09, 0.04, 0.02]),
    "skewed the other way": ([0.2, 0.0, -0.2, -0.6, -1.0], [0.45, 0.4, 0.09, 0.04, 0.02]),
    "long tail": (np.arange(14) / 4 - 0.5, np.exp(-np.arange(14) / 2)),
    "two raters": ([-1.0, -0.5, 0.0, 0.5, 1.0], [0.05, 0.1, 0.7, 0.1, 0.05]),
    "rarely different": ([-1.0, -0.5, 0.0, 0.5, 1.0], [0.01, 0.01, 0.95, 0.02, 0.01]),
    "two values": ([-2 / 3, 1 / 3], [0.33, 0.67]),
    "three values": ([-1.0, 0.0, 1.0], [0.02, 0.93, 0.05]),
}


def tilted(shape: str, n: int, signal: float) -> tuple[Array, Array]:
    """Tilt the weights so that the mean lies so many standard errors above 0."""
    values, weights = (np.array(x, dtype=float) for x in SHAPES[shape])
    weights = weights / weights.sum()
    mean = values @ weights
    variance = (values - mean) ** 2 @ weights
    weights = weights * np.maximum(1 + (signal * np.sqrt(variance / n) - mean) * (values - mean) / variance, 0.0)
    return values, weights / weights.sum()


def simulated(values: Array, weights: Array, n: int, rng: np.random.Generator) -> float:
    """Share of studies whose t interval lies above 0; the counts of the values are all a study needs."""
    counts = rng.multinomial(n, weights, size=STUDIES)
    mean = counts @ values / n
    variance = np.maximum(counts @ values**2 / n - mean**2, 0.0) * n / (n - 1)
    low = mean - t_quantile(n - 1.0, 0.95) * np.sqrt(variance / n)
    student = np.where(counts.max(-1) == n, mean > 0, low > 0)
    tilted = tilt_passes(values, counts / n, 0.0, share_needed(n, 0.95))  # beside the pivot itself in the unit tests
    return float((student & tilted).mean())


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", pick([65, 400], [65, 150, 400, 1500]))
def test_power_is_within_its_stated_error(shape: str, n: int) -> None:
    rng = np.random.default_rng([n, len(shape)])
    for signal in (1.2, 2.8):
        values, weights = tilted(shape, n, signal)
        law = exact_law(values, weights)
        promise = law.promise(n, 0.95, studies=StudyDraws())
        power = simulated(values, weights, n, rng)
        error = np.hypot(np.sqrt(power * (1 - power) / STUDIES), promise.power_error)
        assert abs(promise.power - power) <= STATED + 5 * error


def test_the_normal_limit_alone_would_not_do() -> None:
    """Negative control: without skewness and lattice the error is seen."""
    from scipy.special import ndtr

    values, weights = tilted("three values", 150, 1.2)
    law = exact_law(values, weights)
    plain = float(ndtr(law.mean / law.sd * np.sqrt(150) - 1.96))
    power = simulated(values, weights, 150, np.random.default_rng(0))
    assert abs(plain - power) > STATED + 5 * np.sqrt(power * (1 - power) / STUDIES)
