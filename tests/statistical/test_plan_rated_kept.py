"""A plan for rated outputs is kept: studies whose ratings vary as the pilot's have the power promised.

A pilot is made whose variance components are exactly those of a world: effects are centred and scaled, and the rest is
centred over items and over raters, so that what the plan reads is the world and no error of the pilot comes in.
"""

from typing import Any

import numpy as np
import pytest

from quorate import compare, plan
from quorate._typing import Array
from quorate.inference.crossed import Crossing, crossed_pivot
from quorate.inference.means import mean_pivot
from tests.studies import pick

STUDIES = 1000
ERROR = float(np.sqrt(0.8 * 0.2 / STUDIES))
ITEM, RATER, REST = 0.20, 0.06, 0.30
"""Variances of one rater's difference between two outputs."""


def scaled(x: Array, variance: float) -> Array:
    """Centre numbers and give them this variance, n − 1 in the denominator."""
    x = x - x.mean()
    return np.asarray(x * np.sqrt(variance / x.var(ddof=1)))


def crossed_pilot(n_items: int, n_raters: int, rng: np.random.Generator) -> Array:
    """Differences of everybody on every item, ``(item, rater)``, whose mean squares are those of the world."""
    rest = rng.standard_normal((n_items, n_raters))
    rest = rest - rest.mean(0) - rest.mean(1)[:, None] + rest.mean()
    rest *= np.sqrt(REST * (n_items - 1) * (n_raters - 1) / (rest**2).sum())
    items = scaled(rng.standard_normal(n_items), ITEM + REST / n_raters)
    raters = scaled(rng.standard_normal(n_raters), RATER + REST / n_items)
    return np.asarray(items[:, None] + raters + rest)


def as_table(differences: Array, raters: Array | None = None) -> dict[str, list[Any]]:
    """Outputs of two systems, a and b, rated by the same people: half the difference up, and down."""
    n_items, n_raters = differences.shape
    rater = np.broadcast_to(np.arange(n_raters), differences.shape) if raters is None else raters
    item = np.repeat(np.arange(n_items), n_raters).tolist()
    half = (0.5 * differences).ravel()
    return {
        "item": item * 2,
        "rater": [f"p{j}" for j in rater.ravel()] * 2,
        "system": ["a"] * half.size + ["b"] * half.size,
        "response": [*half.tolist(), *(-half).tolist()],
    }


def told(differences: Array, item: Array, rater: Array, n_items: int, pool: int) -> float:
    """Share of studies, ``(study, cell)``, that tell a to be better, items and raters drawn."""
    crossing = Crossing(item, rater, np.full(len(item), 1 / len(item)), n_items, pool)
    pivot = crossed_pivot(differences, crossing)
    return float(((pivot.p_value(np.zeros(len(differences))) <= 0.05) & (pivot.estimate > 0)).mean())


def drawn(difference: float, item: Array, rater: Array, studies: int, rng: np.random.Generator) -> Array:
    """Draw differences of cells, ``(study, cell)``."""
    effects = difference + np.sqrt(ITEM) * rng.standard_normal((studies, int(item.max()) + 1))[:, item]
    effects += np.sqrt(RATER) * rng.standard_normal((studies, int(rater.max()) + 1))[:, rater]
    return np.asarray(effects + np.sqrt(REST) * rng.standard_normal((studies, len(item))))


@pytest.mark.parametrize(("raters", "pool", "difference"), pick([(3, 14, 0.3)], [(3, 14, 0.3), (1, 40, 0.2)]))
def test_the_same_people_for_both_outputs(raters: int, pool: int, difference: float) -> None:
    rng = np.random.default_rng(1)
    pilot = as_table(crossed_pilot(60, 12, rng))
    question: dict[str, Any] = {"from_ratings": pilot, "rated_system": "system", "difference": difference}
    best = plan(**question, raters=raters, pool=pool).best
    item = np.repeat(np.arange(best.n_items), raters)
    rater = np.arange(len(item)) % pool
    power = told(drawn(difference, item, rater, STUDIES, rng), item, rater, best.n_items, pool)
    assert abs(power - best.power) < 5 * ERROR
    # Control: a plan that takes raters for new on every item promises as much of fewer items.
    alone = plan(**question, raters=raters, unit="items").best
    item = np.repeat(np.arange(alone.n_items), raters)
    rater = np.arange(len(item)) % pool
    assert told(drawn(difference, item, rater, STUDIES, rng), item, rater, alone.n_items, pool) < 0.8 - 5 * ERROR


def test_the_differences_of_raters_are_what_compare_tests() -> None:
    rng = np.random.default_rng(2)
    item, rater = np.repeat(np.arange(40), 3), np.arange(120) % 14
    differences = drawn(0.3, item, rater, 1, rng)
    found = compare(as_table(differences.reshape(40, 3), rater.reshape(40, 3)), rated_system="system").pairs[0]
    halves = 0.5 * differences
    reach = float(max(halves.max(), -halves.min()) - min(halves.min(), -halves.max()))  # of all ratings
    pivot = crossed_pivot(differences, Crossing(item, rater, np.full(120, 1 / 120), 40, 14), reach=reach)
    assert found.unit == "items+raters"
    assert found.p_value == pytest.approx(float(pivot.p_value(np.zeros(1))[0]), rel=1e-6)


def test_other_people_for_each_output() -> None:
    """Nobody comes back: an item's difference varies by ``σ_item² + 2 σ² / K``."""
    rng, n, k, noise, difference = np.random.default_rng(3), 80, 3, 0.5, 0.25
    within = rng.standard_normal((2, n, k))
    within -= within.mean(-1, keepdims=True)
    within *= np.sqrt(noise * n * (k - 1) / (within**2).sum((1, 2)))[:, None, None]
    apart = scaled(rng.standard_normal(n), ITEM + 2 * noise / k)
    values = np.stack([0.5 * apart, -0.5 * apart])[..., None] + within
    pilot = {
        "item": np.tile(np.repeat(np.arange(n), k), 2).tolist(),
        "rater": [f"p{j}" for j in range(values.size)],
        "system": ["a"] * n * k + ["b"] * n * k,
        "response": values.ravel().tolist(),
    }
    best = plan(from_ratings=pilot, rated_system="system", difference=difference, raters=2).best
    spread = np.sqrt(ITEM + 2 * noise / 2)
    pivot = mean_pivot(difference + spread * rng.standard_normal((STUDIES, best.n_items)))
    power = float(((pivot.p_value(np.zeros(STUDIES)) <= 0.05) & (pivot.estimate > 0)).mean())
    assert abs(power - best.power) < 5 * ERROR
    half = mean_pivot(difference + spread * rng.standard_normal((STUDIES, best.n_items // 2)))  # control: half of it
    assert float((half.p_value(np.zeros(STUDIES)) <= 0.05).mean()) < best.power - 5 * ERROR


def test_one_scorer() -> None:
    rng, difference = np.random.default_rng(4), 0.2
    apart = scaled(rng.standard_normal(80), ITEM + REST)
    marks = {
        "item": [*range(80)] * 2,
        "model": ["a"] * 80 + ["b"] * 80,
        "score": [*(0.5 * apart).tolist(), *(-0.5 * apart).tolist()],
    }
    best = plan(from_ratings=marks, rated_system="model", difference=difference).best
    pivot = mean_pivot(difference + np.sqrt(ITEM + REST) * rng.standard_normal((STUDIES, best.n_items)))
    power = float(((pivot.p_value(np.zeros(STUDIES)) <= 0.05) & (pivot.estimate > 0)).mean())
    assert abs(power - best.power) < 5 * ERROR
