"""Design effects: how much larger a variance is if groups of items are drawn at random, not single items.

``deff = (se of the mean with clusters / se with independent items)²`` [kish1965].
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from quorate._typing import Array
from quorate.inference.outcome import mean_test

__all__ = ["DesignEffect", "design_effects"]


@dataclass(frozen=True)
class DesignEffect:
    """What drawing whole groups would do to the variance of a difference: the median pair and the worst one."""

    groups: int
    median: float
    largest: float


def design_effects(differences: Sequence[Array], groupings: Mapping[str, Array]) -> dict[str, DesignEffect]:
    """Return the design effect of each grouping of the items.

    Parameters
    ----------
    differences
        Of each pair of systems the differences per item, ``(item,)``.
    groupings
        Group of each item by name of the grouping, codes from 0, ``(item,)``; one group, or as many as items, is none.
    """
    plain = np.array([float(mean_test(d).se) for d in differences])
    effects = {}
    for name, codes in groupings.items():
        groups = int(codes.max()) + 1
        if 2 <= groups < len(codes) and np.any(plain > 0):
            clustered = np.nan_to_num([float(mean_test(d, clusters=codes).se) for d in differences])
            effect = (clustered[plain > 0] / plain[plain > 0]) ** 2
            effects[name] = DesignEffect(groups, round(float(np.median(effect)), 12), round(float(effect.max()), 12))
    return effects
