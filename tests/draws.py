"""What a drawn summary holds, for tests that know which kind it is."""

from quorate._typing import Array
from quorate.data.summaries import Counts, Probabilities, Summary, Values
from quorate.populations.population import Draw, Panel

__all__ = ["counts_of", "panel_of", "shares_of", "values_of"]


def counts_of(summary: Summary) -> Array:
    """Return the counts of answers per category."""
    assert isinstance(summary, Counts)
    return summary.counts


def shares_of(summary: Summary) -> Array:
    """Return the probability of every answer."""
    assert isinstance(summary, Probabilities)
    return summary.share


def values_of(summary: Summary) -> Array:
    """Return the sorted answers."""
    assert isinstance(summary, Values)
    return summary.values


def panel_of(study: Draw) -> Panel:
    """Return who gave which answer."""
    assert study.panel is not None
    return study.panel
