"""Crossed variance components of numbers that raters gave to items: ``y = μ + item + rater + residual``, all random.

The residual holds item × rater and the rater's own noise. The moment equations are Henderson's method I, one pass over
the numbers; on a full table they are the analysis of variance [henderson1953; searle1992, ch. 5].
"""

from dataclasses import dataclass

import numpy as np

from quorate._typing import Array
from quorate.agreement.variance_parts import variance_components
from quorate.inference.crossed import effective_number

__all__ = ["Components", "components"]


@dataclass(frozen=True)
class Components:
    """Where the variance of single ratings comes from, and how many items and raters say so.

    Parameters
    ----------
    item, rater, residual
        Variance components, each at least 0; None where the table cannot tell (raters who answered once, say).
    mean
        Mean of all numbers.
    n_items, n_raters, n_values
        Sizes of the table.
    raters_per_item
        Numbers per item on average.
    effective_raters
        Raters who would weigh as much if all answered equally often, ``(Σ n_j)² / Σ n_j²``.
    """

    item: float | None
    rater: float | None
    residual: float | None
    mean: float
    n_items: int
    n_raters: int
    n_values: int
    raters_per_item: float
    effective_raters: float

    def of_mean(self, n_items: int, n_raters: int, raters_per_item: float | None = None) -> float:
        """Return the variance of the mean of another study: ``σ_item²/N + σ_rater²/R + σ_residual²/(N K)``.

        Without `raters_per_item` every rater answers every item. Components that are not known count as 0.
        """
        item, rater, residual = (part or 0.0 for part in (self.item, self.rater, self.residual))
        k = n_raters if raters_per_item is None else raters_per_item
        return item / n_items + rater / n_raters + residual / (n_items * k)


def components(values: Array, items: Array, raters: Array) -> Components:
    """Return the crossed variance components of one table, one row per number.

    Parameters
    ----------
    values
        The numbers, such as a rater's score of A minus B on an item, ``(row,)``.
    items, raters
        Codes 0, 1, 2 … of each number's item and rater, ``(row,)``.
    """
    parts = variance_components(items, raters, values)
    load, n_items = np.bincount(raters), int(np.count_nonzero(np.bincount(items)))
    return Components(
        item=parts.item,
        rater=parts.rater,
        residual=parts.residual,
        mean=float(values.mean()),
        n_items=n_items,
        n_raters=int(np.count_nonzero(load)),
        n_values=len(values),
        raters_per_item=len(values) / n_items,
        effective_raters=float(effective_number(load)),
    )
