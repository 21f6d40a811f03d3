"""A plan of votes is kept: studies in worlds with these ties, win rates, items and raters have the power promised.

Votes come from thresholds on ``μ + item + rater + rest``, all normal; the four numbers of a world are solved so that
its margin, its ties and the shares of items and raters in a vote's variance are those the plan assumes.
"""

import numpy as np
import pytest
from scipy.optimize import least_squares
from scipy.stats import norm

from quorate._typing import Array
from quorate.inference.crossed import Crossing, crossed_pivot
from quorate.inference.means import mean_pivot
from quorate.planning.verb import plan
from quorate.populations.side_by_side import ITEM_SHARE, RATER_SHARE

STUDIES = 1000
POINTS, HEIGHTS = np.polynomial.hermite_e.hermegauss(60)
WEIGHTS = HEIGHTS / HEIGHTS.sum()


def moments(mean: float, cut: float, item: float, rater: float) -> Array:
    """Margin, ties, and the shares of items and raters in the variance, where the rest has variance 1."""

    def margin(shift: Array, spread: float) -> Array:
        return np.asarray(norm.cdf((shift - cut) / spread) - norm.cdf((-shift - cut) / spread))

    whole = np.sqrt(1 + item**2 + rater**2)
    centre = float(margin(np.asarray(mean), whole))
    ties = float(norm.cdf((cut - mean) / whole) - norm.cdf((-cut - mean) / whole))
    variance = 1 - ties - centre**2
    of_item = WEIGHTS @ (margin(mean + item * POINTS, np.sqrt(1 + rater**2)) - centre) ** 2
    of_rater = WEIGHTS @ (margin(mean + rater * POINTS, np.sqrt(1 + item**2)) - centre) ** 2
    return np.array([centre, ties, of_item / variance, of_rater / variance])


def world(margin: float, ties: float) -> tuple[float, ...]:
    """Mean, cut, and spreads of items and raters of a world."""
    target = np.array([margin, ties, ITEM_SHARE, RATER_SHARE])

    def miss(numbers: Array) -> Array:
        return np.asarray(moments(*(float(x) for x in numbers)) - target)

    solved = least_squares(miss, [0.2, 0.3, 0.4, 0.3], xtol=1e-12).x
    np.testing.assert_allclose(moments(*solved), target, atol=1e-8)
    return tuple(float(x) for x in solved)


def votes(law: tuple[float, ...], item: Array, rater: Array, rng: np.random.Generator) -> Array:
    mean, cut, of_item, of_rater = law
    leaning = of_item * rng.standard_normal((STUDIES, int(item.max()) + 1))[:, item]
    habit = of_rater * rng.standard_normal((STUDIES, int(rater.max()) + 1))[:, rater]
    noisy = mean + leaning + habit + rng.standard_normal((STUDIES, len(item)))
    return np.asarray((noisy > cut).astype(float) - (noisy < -cut))


def seen(law: tuple[float, ...], n_items: int, n_raters: int, pool: int | None, rng: np.random.Generator) -> float:
    """Share of studies that tell A to be better."""
    item = np.repeat(np.arange(n_items), n_raters)
    if pool is None:
        y = votes(law, item, np.arange(len(item)), rng).reshape(STUDIES, n_items, n_raters).mean(-1)
        pivot = mean_pivot(y, reach=1.0)
    else:
        rater = np.arange(len(item)) % pool  # each of the pool as often, others together on every item
        crossing = Crossing(item, rater, np.full(len(item), 1 / len(item)), n_items, pool)
        pivot = crossed_pivot(votes(law, item, rater, rng), crossing, reach=1.0, votes=True)
    return float(((pivot.p_value(np.zeros(STUDIES)) <= 0.05) & (pivot.estimate > 0)).mean())


@pytest.mark.parametrize(
    ("win_rate", "ties", "raters", "pool"),
    [(0.6, 0.2, 1, None), (0.575, 0.4, 5, None), (0.6, 0.1, 3, 40), (0.65, 0.3, 2, 14)],
)
def test_promised_power_is_had(win_rate: float, ties: float, raters: int, pool: int | None) -> None:
    rng = np.random.default_rng(0)
    best = plan(preset="preference", win_rate=win_rate, tie_share=ties, raters=raters, pool=pool).best
    law = world(2 * win_rate - 1, ties)
    power = seen(law, best.n_items, raters, pool, rng)
    error = np.sqrt(0.8 * 0.2 / STUDIES)
    assert abs(power - best.power) < 5 * error
    # Votes counted as if each stood alone would promise the same of fewer, and that is not had.
    alone = int((1 - ties) * ((1.96 + 0.8416) / (2 * win_rate - 1)) ** 2 / raters) + 1
    if raters > 1:
        assert seen(law, alone, raters, pool, rng) < 0.8 - 5 * error
