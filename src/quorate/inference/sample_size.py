"""How many items settle a question, and how many more if groups of items are drawn.

The design effect of a grouping is ``(se of the mean with clusters / se with independent items)²``
[kish1965].
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from quorate._typing import Array
from quorate.inference.means import mean_pivot

POWER = 0.8
"""Chance of a verdict that a study should have; the usual planning convention."""
SUREST = 1 - 1e-15
"""Confidence beyond which none is told from certainty; a family of many comparisons may ask for more."""


def items_needed(sd: float, difference: float, confidence: float = 0.95, power: float = POWER) -> int:
    """Return how many items a two-sided t test needs to see a difference with the wanted power.

    ``N = (z_(1 − α/2) + z_power)² sd² / D² + z_(1 − α/2)² / 2``, the last term for estimating sd
    [guenther1981].
    """
    from scipy.special import ndtri

    z, z_power = ndtri(0.5 + min(confidence, SUREST) / 2), ndtri(power)
    return max(2, int(np.ceil(((z + z_power) * sd / difference) ** 2 + z**2 / 2)))


def items_beside_raters(
    variance: float, of_raters: float, n_items: int, difference: float, confidence: float = 0.95, power: float = POWER
) -> int | None:
    """Return how many items would do with the raters at hand; None if no number of items would.

    What raters add to the variance of the mean stays, however many items there are:
    ``(z_(1 − α/2) + z_power)² (V_raters + (V − V_raters) n / N) = D²``, with V the variance of the
    mean in a study of n items and V_raters the part of it that other raters would bring.
    """
    from scipy.special import ndtri

    z = ndtri(0.5 + min(confidence, SUREST) / 2) + ndtri(power)
    left = difference * difference - z**2 * of_raters  # a power would overflow, a product is infinite
    if left <= 0:
        return None
    spread = np.sqrt(max(variance - of_raters, 0.0) * n_items)
    return items_needed(spread, np.sqrt(left), confidence, power)


@dataclass(frozen=True)
class DesignEffect:
    """What drawing whole groups does to a variance: the median pair and the worst one."""

    groups: int
    median: float
    largest: float


def design_effects(differences: Sequence[Array], groupings: Mapping[str, Array]) -> dict[str, DesignEffect]:
    """Return the design effect of each grouping on the differences, ``(item,)``, of each pair.

    A grouping is a code from 0 for each item, ``(item,)``; one group, or as many as items, is none.
    """
    plain = np.array([_se(d) for d in differences])
    effects = {}
    for name, codes in groupings.items():
        groups = int(codes.max()) + 1
        if 2 <= groups < len(codes) and np.any(plain > 0):
            clustered = np.nan_to_num([_se(d, codes) for d in differences])
            effect = (clustered[plain > 0] / plain[plain > 0]) ** 2
            effects[name] = DesignEffect(groups, round(float(np.median(effect)), 12), round(float(effect.max()), 12))
    return effects


def _se(differences: Array, clusters: Array | None = None) -> float:
    return float(np.sqrt(mean_pivot(differences, clusters).variance.total))


def items_to_see(share: float, confidence: float = 0.95) -> int:
    """Return how many items must be alike before a failure on this share of all items would have shown.

    ``(1 − π)^N ≤ α / 2``: below this number nothing can be said within such a margin.
    """
    tail = (1 - min(confidence, SUREST)) / 2
    return max(2, int(np.ceil(np.log(tail) / np.log1p(-min(max(share, 1e-15), 1 - 1e-12)) - 1e-9)))
