"""What votes side by side are read by: how often a system is preferred, and its strength among several."""

import numpy as np

from quorate._typing import Array
from quorate.data.summaries import Summary
from quorate.metrics.item_scores import Linear
from quorate.metrics.metric import CATEGORIES, Metric, shares


def vote_credit(system: Summary) -> Array:
    """What each kind of vote is worth to a system, ``(..., item, kind)``: its summary is that table."""
    return shares(system)


def margin_of(strength: Array) -> Array:
    """Return the win margin to expect of a difference in strength: ``2 / (1 + exp(−x)) − 1``."""
    return np.asarray(np.tanh(0.5 * np.asarray(strength, dtype=float)))


WIN_RATE = Metric(
    "win_rate",
    "win rate",
    "high",
    CATEGORIES,
    Linear(vote_credit),
    comparable="any",
    meaning="share of votes for the system, a tie half for each, mean over items",
    credit=vote_credit,
    reads_votes=True,
)
STRENGTH = Metric(
    "strength",
    "Bradley–Terry strength",
    "high",
    CATEGORIES,
    Linear(vote_credit),
    comparable="any",
    meaning="strength by Bradley and Terry, a tie half a win for each; differences are win margins to expect of it",
    credit=vote_credit,
    shown=margin_of,
)
