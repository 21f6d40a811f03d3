"""From an interval to a verdict, by one rule for every test: better, and with a margin no worse or equivalent."""

from math import isnan
from typing import Literal, TypeAlias

__all__ = ["Verdict", "verdict"]

Verdict: TypeAlias = Literal["a_better", "b_better", "equivalent", "not_worse", "inconclusive", "identical"]


def verdict(
    difference: float, low: float, high: float, p: float, *, level: float, margin: float | None, identical: bool
) -> Verdict:
    """Return the first verdict that holds, from the two-sided interval of A minus B (positive = A better).

    Without an interval (every item has the same difference) the p-value decides between better and inconclusive.

    Examples
    --------
    >>> verdict(0.01, -0.01, 0.03, 0.3, level=0.05, margin=0.02, identical=False)
    'not_worse'
    """
    if identical:
        return "identical"
    if isnan(low):
        decided = p <= level
        return "inconclusive" if not decided else "a_better" if difference > 0 else "b_better"
    if low > 0:
        return "a_better"
    if margin is None:
        return "b_better" if high < 0 else "inconclusive"
    if high < -margin:
        return "b_better"
    if -margin < low:
        return "equivalent" if high < margin else "not_worse"
    return "inconclusive"
