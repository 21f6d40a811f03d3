"""Walkers that stretch towards each other [goodman2010]: slower than importance sampling, but hard to fool."""

import numpy as np

from quorate._typing import Array
from quorate.estimating.posterior.mode import LogDensity

__all__ = ["walk"]

STRETCH = 2.0  # the a of [goodman2010]: moves are scaled by z between 1/a and a, with density ~ 1 / sqrt z


def walk(log_density: LogDensity, start: Array, *, steps: int = 300, rng: np.random.Generator) -> Array:
    """Let walkers settle into a density and return where they end.

    Parameters
    ----------
    log_density
        Takes ``(point, variable)``.
    start
        One walker per row, ``(walker, variable)``, an even number of at least 4; equal walkers are shaken apart.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> ends = walk(lambda x: -0.5 * ((x - 1) ** 2).sum(-1) / 9, rng.normal(size=(2000, 2)), rng=rng)
    >>> ends.mean(0).round(), ends.std(0).round()
    (array([1., 1.]), array([3., 3.]))
    """
    spread = start.std(0) + 1e-6
    walkers: Array = start + 0.05 * spread * rng.standard_normal(start.shape)
    heights = log_density(walkers)
    half = len(walkers) // 2
    sides = (slice(None, half), slice(half, None))
    for _ in range(steps):
        for mine, theirs in (sides, sides[::-1]):
            moved, log_ratio = _stretch(walkers[mine], walkers[theirs], rng)
            proposed = log_density(moved)
            accepted = np.log(rng.random(len(moved))) < log_ratio + proposed - heights[mine]
            walkers[mine] = np.where(accepted[:, None], moved, walkers[mine])
            heights[mine] = np.where(accepted, proposed, heights[mine])
    return walkers


def _stretch(mine: Array, theirs: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Move each walker along the line to a random other: x_other + z (x - x_other); log ratio (d - 1) log z."""
    z = ((STRETCH - 1) * rng.random(len(mine)) + 1) ** 2 / STRETCH
    other = theirs[rng.integers(len(theirs), size=len(mine))]
    moved: Array = other + z[:, None] * (mine - other)
    return moved, (mine.shape[1] - 1) * np.log(z)
