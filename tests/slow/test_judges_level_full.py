"""A rater cloned as a judge is hardly ever called better or worse than a rater, by the verdict itself; 1000 studies.

The control is a clone that answers most items at random, and is called worse. Honest judges, good ones too, are rarely
taken for clones: where they are, they gave all answers of a rater by chance, and no rule could tell.
"""

import numpy as np
import polars as pl
import pytest

from quorate import compare
from quorate._typing import Array
from quorate.comparing.judges import repeated_rater
from quorate.data.evaluation import read_evaluation

STUDIES, ITEMS, RATERS = 1000, 60, 6


def tables(said: Array, judge: Array) -> tuple[pl.DataFrame, pl.DataFrame]:
    n, k = said.shape
    ratings = pl.DataFrame(
        {"item": np.repeat(np.arange(n), k), "rater": np.tile(np.arange(k), n), "response": said.ravel()}
    )
    return ratings, pl.DataFrame({"item": np.arange(n), "system": ["judge"] * n, "response": judge})


def alike(rng: np.random.Generator) -> Array:
    """Raters who answer by the item's own chances of three categories, ``(item, rater)``."""
    chance = rng.dirichlet([0.6, 0.6, 0.6], ITEMS).cumsum(1)
    return np.asarray((rng.random((ITEMS, RATERS, 1)) > chance[:, None, :-1]).sum(-1))


def leaning(rng: np.random.Generator) -> Array:
    """Raters who lean towards one of two answers."""
    lean = 0.7 * rng.standard_normal(RATERS)
    return np.asarray((rng.standard_normal((ITEMS, 1)) + lean + rng.standard_normal((ITEMS, RATERS)) > 0).astype(int))


def called(said: Array, judge: Array) -> tuple[str, str | None]:
    found = compare(*tables(said, judge), baseline="raters", scale="nominal").judges[0]
    return found.verdict, found.repeats


@pytest.mark.parametrize("world", [alike, leaning])
def test_a_clone_is_hardly_ever_called_better_or_worse(world: object) -> None:
    assert callable(world)
    rng = np.random.default_rng(21)
    verdicts = [called(said := world(rng), said[:, 0]) for _ in range(STUDIES)]
    assert {repeats for _, repeats in verdicts} <= {"0", None}  # nobody else; not known where two raters lean alike
    assert np.mean([repeats == "0" for _, repeats in verdicts]) > 0.95
    assert np.mean([verdict in ("a_better", "b_better") for verdict, _ in verdicts]) <= 0.06


def test_a_clone_with_noise_is_called_worse() -> None:
    """The control: the verdict can be had at this size."""
    rng, worse = np.random.default_rng(23), []
    for _ in range(STUDIES // 10):
        said = alike(rng)
        judge = np.where(rng.random(ITEMS) < 0.6, rng.integers(0, 3, ITEMS), said[:, 0])
        worse.append(called(said, judge)[0] == "b_better")
    assert np.mean(worse) > 0.06 + 5 * np.sqrt(0.06 * 0.94 / len(worse))


@pytest.mark.parametrize(
    ("raters", "judge"),
    [([0.8] * 6, 0.8), ([0.95] * 6, 0.99), ([0.7] * 6, 0.99), ([0.99, 0.7, 0.7, 0.7, 0.7, 0.7], 0.99)],
)
def test_honest_judges_are_taken_for_clones_by_chance_at_most(raters: list[float], judge: float) -> None:
    """The chance that a judge gives all answers of the best rater: both right, or both wrong and in the same way."""
    rng, taken, studies, best = np.random.default_rng(22), 0, STUDIES // 4, max(raters)
    chance = (best * judge + 0.5 * (1 - best) * (1 - judge)) ** ITEMS if raters.count(best) == 1 else 0.0
    for _ in range(studies):
        truth = rng.integers(0, 3, ITEMS)
        right = rng.random((ITEMS, len(raters) + 1)) < [*raters, judge]
        said = np.where(right, truth[:, None], (truth[:, None] + rng.integers(1, 3, right.shape)) % 3)
        taken += repeated_rater(read_evaluation(*tables(said[:, :-1], said[:, -1])), "judge") is not None
    assert taken / studies <= chance + 5 * np.sqrt(chance * (1 - chance) / studies)
