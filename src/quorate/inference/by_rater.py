"""A contest in the eyes of each rater: the crossed test of two systems, or of one system's score."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quorate._typing import Array
from quorate.inference.crossed import Crossing, Spread, crossed_test
from quorate.inference.outcome import Outcome
from quorate.inference.roster import Roster, paired
from quorate.inference.scored_systems import ScoredSystems

__all__ = ["ByRater", "difference_by_rater", "score_by_rater"]


@dataclass(frozen=True)
class ByRater:
    """What a crossed test found.

    Parameters
    ----------
    outcome, spread
        The outcome, and what items and raters vary by.
    influence
        What each item, if items were drawn, and each rater adds to the estimate.
    rater_weight
        What each rater's answers weigh, ``(rater,)``.
    """

    outcome: Outcome
    spread: Spread
    influence: Array
    rater_weight: Array


def difference_by_rater(
    field: ScoredSystems, a: int, b: int, rosters: Sequence[Roster], confidence: float, *, items_fixed: bool
) -> ByRater:
    """Test two systems, by position; `rosters` says who answered, or who rated the outputs of each system.

    Examples
    --------
    >>> from quorate.data.summaries import Counts
    >>> from quorate.inference.scored_systems import score_systems
    >>> from quorate.metrics import find_metric
    >>> votes, yes, no = (Counts(np.array(x)) for x in ([[2, 0], [1, 1]], [[1, 0], [1, 0]], [[0, 1], [0, 1]]))
    >>> field = score_systems(find_metric("agreement"), votes, [yes, no])
    >>> roster = Roster(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([0, 0, 0, 1]), 2, 2)
    >>> found = difference_by_rater(field, 0, 1, [roster, roster], 0.95, items_fixed=False)
    >>> float(found.outcome.difference), found.rater_weight
    (0.5, array([0.5, 0.5]))
    """
    if field.raters is not None:
        values, crossing = rosters[a].read(field.answer_differences(a, b)), rosters[a].crossing
    else:
        sign = 1.0 if field.metric.better == "high" else -1.0
        tables = sign * field.answer_values[a], sign * field.answer_values[b]
        values, crossing = paired((rosters[a], rosters[b]), tables)
    return _tested(values, crossing, confidence, items_fixed)


def score_by_rater(
    field: ScoredSystems, position: int, rosters: Sequence[Roster], confidence: float, *, items_fixed: bool
) -> ByRater:
    """Return one system's score with an interval that counts raters as drawn."""
    roster = rosters[position]
    return _tested(roster.read(field.answer_values[position]), roster.crossing, confidence, items_fixed)


def _tested(values: Array, crossing: Crossing, confidence: float, items_fixed: bool) -> ByRater:
    outcome, spread = crossed_test(values, crossing, confidence, items_fixed=items_fixed)
    parts = crossing.weight * (values - outcome.difference)
    raters = crossing.by_rater(parts)
    influence = raters if items_fixed else np.concatenate([crossing.by_item(parts), raters])
    return ByRater(outcome, spread, influence, crossing.rater_weight)
