"""From an interval to a verdict, by one rule for every test: better, and with a margin no worse or equivalent."""

from math import inf, isnan
from typing import Literal, TypeAlias

__all__ = ["Verdict", "decisive_ends", "verdict"]

Verdict: TypeAlias = Literal["a_better", "b_better", "equivalent", "not_worse", "inconclusive", "identical"]


def verdict(
    difference: float, low: float, high: float, p: float, *, level: float, margin: float | None, identical: bool
) -> Verdict:
    """Return the first verdict that holds, from the two-sided interval of A minus B (positive = A better)."""
    if identical:
        return "identical"
    low, high = decisive_ends(difference, low, high, p, level)
    if low > 0:
        return "a_better"
    if margin is None:
        return "b_better" if high < 0 else "inconclusive"
    if high < -margin:
        return "b_better"
    if -margin < low:
        return "equivalent" if high < margin else "not_worse"
    return "inconclusive"


def decisive_ends(difference: float, low: float, high: float, p: float, level: float) -> tuple[float, float]:
    """Return the interval that decides.

    Without one (every item has the same difference) the sign test decides: if p is at most the level the difference
    itself stands for both ends, else nothing is known.
    """
    if not isnan(low):
        return low, high
    return (-inf, inf) if isnan(difference) or p > level + 1e-9 else (difference, difference)
