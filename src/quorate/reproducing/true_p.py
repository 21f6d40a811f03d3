"""The p-value of a population by brute force: whole test sets drawn in both worlds [leaderboard, alg. 2].

``p = mean over alternative draws of the share of null draws at least as large``, on the side of the medians. With M
draws in each world its variance is (V_alt + V_null) / M, V the variances of the two shares it is a mean of.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from quorate._typing import Array
from quorate.inference.pvalues import expected_p

__all__ = ["PopulationP", "population_p", "two_worlds"]


@dataclass(frozen=True)
class PopulationP:
    """A p-value, its Monte-Carlo error, and the error it would have with one draw in each world."""

    p: float
    error: float
    spread: float

    def error_of(self, draws: int) -> float:
        """Return the Monte-Carlo error with this many draws."""
        return float(self.spread / np.sqrt(draws))


def two_worlds(draw: Callable[[int, bool], dict[str, Array]], draws: int, batch: int) -> dict[str, tuple[Array, Array]]:
    """Collect the draws of every statistic in the alternative and in the null world.

    Parameters
    ----------
    draw
        From a number of test sets, and whether the world is the null one, to statistics by name, ``(test set,)``.
    draws, batch
        Test sets in each world, and how many at a time.

    Examples
    --------
    >>> both = two_worlds(lambda n, null: {"x": np.full(n, float(not null))}, 3, batch=2)
    >>> [world.tolist() for world in both["x"]]
    [[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]]
    """
    worlds = []
    for null in (False, True):
        parts = [draw(min(batch, draws - start), null) for start in range(0, draws, batch)]
        worlds.append({name: np.concatenate([part[name] for part in parts]) for name in parts[0]})
    return {name: (worlds[0][name], worlds[1][name]) for name in worlds[0]}


def population_p(alternative: Array, null: Array) -> PopulationP:
    """Return p and its Monte-Carlo error from as many draws in each world.

    Examples
    --------
    >>> population_p(np.array([1.0, 3.0]), np.array([0.0, 1.0]))
    PopulationP(p=0.25, error=0.25, spread=0.3535533905932738)
    """
    side = 1.0 if np.median(alternative) >= np.median(null) else -1.0
    x, y = side * alternative, side * null
    tie = 1e-9 * max(np.abs(x).max(), np.abs(y).max())
    at_least = 1.0 - np.searchsorted(np.sort(y), x - tie) / len(y)
    at_most = np.searchsorted(np.sort(x), y + tie, side="right") / len(x)
    spread = float(np.sqrt(at_least.var() + at_most.var()))
    return PopulationP(float(expected_p(alternative, null)), spread / len(x) ** 0.5, spread)
