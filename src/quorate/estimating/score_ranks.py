"""Items in order of a score, ties as one level: all that ranks, areas and curves need of a score."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtri

from quorate._typing import Array


@dataclass(frozen=True)
class ScoreRanks:
    """The level of every item, 0 for the lowest score, the score of every level, and the items in that order."""

    level: Array  # (item,)
    score: Array  # (level,), increasing
    order: Array  # items, from the lowest score up, (item,)

    @classmethod
    def of(cls, scores: Array) -> "ScoreRanks":
        """Sort scores ``(item,)``."""
        order = np.argsort(scores)
        ranked = scores[order]
        fresh = np.concatenate([[True], ranked[1:] > ranked[:-1]])
        level = np.empty(len(scores), dtype=np.int64)
        level[order] = np.cumsum(fresh) - 1
        return cls(level, ranked[fresh], order)

    def shuffled(self, rng: np.random.Generator) -> Array:
        """Items from the lowest score up, ties in random order, ``(item,)``."""
        if len(self.score) == len(self.level):
            return self.order
        mixed = rng.permutation(len(self.level))
        return np.asarray(mixed[np.argsort(self.level[mixed], kind="stable")])

    def total(self, values: Array) -> Array:
        """Add up values ``(item,)`` by level."""
        return np.bincount(self.level, values, minlength=len(self.score))

    @cached_property
    def normal_scores(self) -> Array:
        """Normal quantile of every item's mid-rank, ``(item,)``."""
        size = np.bincount(self.level, minlength=len(self.score))
        middle = np.cumsum(size) - size / 2
        return np.asarray(ndtri(middle / len(self.level))[self.level])
