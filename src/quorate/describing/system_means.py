"""The mean rating of each system's outputs, with an interval that counts items, and raters who come back."""

from dataclasses import dataclass, replace

from quorate.data.ratings import Ratings
from quorate.inference.crossed import crossed_pivot
from quorate.inference.influence import answer_values
from quorate.inference.means import mean_pivot
from quorate.inference.units import choose_unit
from quorate.metrics.registry import find_metric


@dataclass(frozen=True)
class SystemMean:
    """A system's mean rating over its items, each item weighing alike, and the unit its interval is for."""

    system: str
    items: int
    responses: int
    mean: float
    low: float
    high: float
    unit: str


def system_mean(name: str, ratings: Ratings, confidence: float) -> SystemMean:
    """Return the mean of the ratings a system's outputs got; no interval of one item."""
    unit, summary, metric = choose_unit(ratings), ratings.summary, find_metric("mean_rating")
    if unit.roster is None:
        pivot = mean_pivot(summary.mean, unit.clusters, mirrored=False)
    else:
        cells = unit.roster.cells(answer_values(metric, summary, [summary])[0].__getitem__)
        pivot = replace(crossed_pivot(cells, unit.roster.crossed), mirrored=False)
    outcome = pivot.outcome(confidence)
    ends = float(outcome.difference), float(outcome.low), float(outcome.high)
    return SystemMean(name, ratings.n_items, ratings.n_responses, *ends, unit.name)
