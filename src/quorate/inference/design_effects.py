"""Design effects: how much larger a variance is if groups of items are drawn at random, not single items.

``deff = (se of the mean with clusters / se with independent items)²`` [kish1965].
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from quorate._typing import Array
from quorate.inference.outcome import mean_test
from quorate.inference.scored_systems import ScoredSystems

__all__ = ["DesignEffect", "design_effects"]


@dataclass(frozen=True)
class DesignEffect:
    """What drawing whole groups would do to the variance of a difference: the median pair and the worst one."""

    groups: int
    median: float
    largest: float


def design_effects(
    field: ScoredSystems, pairs: list[tuple[int, int]], groupings: Mapping[str, Array]
) -> dict[str, DesignEffect]:
    """Return the design effect of each grouping of the items.

    Parameters
    ----------
    field
        The systems, scored.
    pairs
        Positions of the systems compared.
    groupings
        Group of each item by name of the grouping, codes from 0, ``(item,)``; one group, or as many as items, is none.

    Examples
    --------
    >>> from quorate.data.summaries import Counts
    >>> from quorate.inference.scored_systems import score_systems
    >>> from quorate.metrics import find_metric
    >>> yes, no = [1, 0], [0, 1]
    >>> raters, a, b = (Counts(np.array(x)) for x in ([yes] * 4, [yes] * 4, [yes, yes, no, no]))
    >>> systems = score_systems(find_metric("agreement"), raters, [a, b])
    >>> design_effects(systems, [(0, 1)], {"page": np.array([0, 0, 1, 1])})
    {'page': DesignEffect(groups=2, median=3.0, largest=3.0)}
    """
    differences = [field.pair(a, b).differences for a, b in pairs]
    plain = np.array([float(mean_test(d).se) for d in differences])
    found = {}
    for name, codes in groupings.items():
        groups = int(codes.max()) + 1
        if 2 <= groups < len(codes) and np.any(plain > 0):
            clustered = np.array([float(mean_test(d, clusters=codes).se) for d in differences])
            effect = (clustered[plain > 0] / plain[plain > 0]) ** 2
            found[name] = DesignEffect(groups, round(float(np.median(effect)), 12), round(float(effect.max()), 12))
    return found
