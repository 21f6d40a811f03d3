"""Test sets of single answers, in the order they were given: what flattened metrics and resampling need."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from quorate._typing import Array
from quorate.populations.choice import find_preset
from quorate.populations.normal import NormalPopulation, thresholds

__all__ = ["AnswerSets", "draw_answers", "find_normal", "two_worlds"]


@dataclass(frozen=True)
class AnswerSets:
    """The answers of the raters, of A and of B, each ``(..., item, answer)``."""

    raters: Array
    a: Array
    b: Array

    def apart(self) -> list["AnswerSets"]:
        """Return the sets along the first axis, one by one."""
        return [AnswerSets(*each) for each in zip(self.raters, self.a, self.b, strict=True)]


def find_normal(name: str) -> NormalPopulation:
    """Return a preset whose answers are normal."""
    population = find_preset(name).population.normals
    assert population is not None
    return population


def draw_answers(
    population: NormalPopulation,
    shape: tuple[int, ...],
    n_answers: int,
    *,
    effect: float,
    null: bool = False,
    rng: np.random.Generator,
) -> AnswerSets:
    """Draw test sets with as many answers of each system as there are raters [leaderboard, alg. 3].

    Parameters
    ----------
    population
        Where items come from.
    shape
        Leading axes, the last of them the item.
    n_answers
        Answers per item, of the raters and of each system.
    effect
        Perturbation of B.
    null
        Draw both systems from the same law: per answer, A's or B's mean with probability ½.
    rng
        Randomness.
    """
    items = population.item_normals(shape, effect=effect, rng=rng)
    of_a, of_b = ((items.a, items.b),) * 2 if null else ((items.a, items.a), (items.b, items.b))
    systems = ((items.raters, items.raters), of_a, of_b)
    return AnswerSets(*(_answers(population, centres, items.sd, n_answers, rng) for centres in systems))


def two_worlds(draw: Callable[[int, bool], dict[str, Array]], draws: int, batch: int) -> dict[str, tuple[Array, Array]]:
    """Collect the draws of every statistic in the alternative and in the null world.

    Parameters
    ----------
    draw
        From a number of test sets, and whether the world is the null one, to statistics by name, ``(test set,)``.
    draws, batch
        Test sets in each world, and how many at a time.
    """
    worlds = []
    for null in (False, True):
        batches = [draw(min(batch, draws - start), null) for start in range(0, draws, batch)]
        worlds.append({name: np.concatenate([part[name] for part in batches]) for name in batches[0]})
    alternative, null_world = worlds
    return {name: (values, null_world[name]) for name, values in alternative.items()}


def _answers(
    population: NormalPopulation, centres: tuple[Array, Array], sd: Array, n: int, rng: np.random.Generator
) -> Array:
    shape, (first, second) = (*sd.shape, n), (centre[..., None] for centre in centres)
    centre = first if centres[0] is centres[1] else np.where(rng.random(shape) < 0.5, first, second)
    values: Array = centre + sd[..., None] * rng.standard_normal(shape)
    if population.levels is None:
        return values
    levels = np.array(population.levels)
    cut: Array = levels[np.searchsorted(thresholds(levels, population.cut), values, side="right")]
    return cut
