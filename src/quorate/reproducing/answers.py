"""Single answers of many test sets, in the order they were given: what flattened metrics and resampling need."""

from dataclasses import dataclass

import numpy as np

from quorate._typing import Array
from quorate.populations.normal.levels import thresholds
from quorate.populations.normal.population import NormalPopulation

__all__ = ["AnswerSets", "draw_answers"]


@dataclass(frozen=True)
class AnswerSets:
    """The answers of the raters, of A and of B, each ``(..., item, answer)``."""

    raters: Array
    a: Array
    b: Array


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

    Examples
    --------
    >>> from quorate.populations.preset import find_preset
    >>> likert = find_preset("toxicity-likert").population
    >>> drawn = draw_answers(likert, (2, 3), 5, effect=0.1, rng=np.random.default_rng(0))
    >>> drawn.a.shape, set(np.unique(drawn.b)) <= {0.0, 0.2, 0.4, 0.6, 0.8}
    ((2, 3, 5), True)
    """
    items = population.item_normals(shape, effect=effect, rng=rng)
    of_a, of_b = ((items.a, items.b),) * 2 if null else ((items.a, items.a), (items.b, items.b))
    systems = ((items.raters, items.raters), of_a, of_b)
    return AnswerSets(*(_answers(population, centres, items.sd, n_answers, rng) for centres in systems))


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
