"""Do the experts' labels follow the vote model? Where they do not, its intervals should not be believed.

For items with the same votes the model says which share is positive. Ballots are joined, in order of that share, into
a few groups; each group's experts have a known mean and variance of positives, and the squares add up to a chi².
"""

from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc

from quorate.crowd.maven import VoteFit
from quorate.crowd.wins import join_neighbours

__all__ = ["Misfit", "doubt_votes", "vote_misfit"]

GROUPS, FEWEST = 8, 10  # groups of ballots, and experts in each
DOUBTFUL = 0.01  # p below which to warn


class Misfit(NamedTuple):
    """P of the test; and in the worst group the experts' items, their positives, and the positives expected."""

    p_value: float
    items: int
    positive: int
    expected: float


def vote_misfit(votes: VoteFit) -> Misfit:
    """Compare the experts' labels with what the vote model expects of items with the same votes.

    The posterior has seen these labels, so the test is cautious: it says p too large rather than too small.

    Examples
    --------
    >>> from quorate.crowd.evidence import Evidence
    >>> from quorate.crowd.generators import maven_crowd
    >>> from quorate.crowd.maven import fit_votes
    >>> crowd = maven_crowd(3000, rng=np.random.default_rng(0))
    >>> known = np.arange(3000) < 600
    >>> wrong = np.isin(crowd.positive, [0, 2]).astype(int)          # experts who do not care for the number of votes
    >>> [vote_misfit(fit_votes(Evidence(crowd.positive, crowd.total, label, known), n_draws=100)).p_value < 0.001
    ...  for label in (crowd.truth, wrong)]
    [False, True]
    """
    sets = votes.sets
    ballot = sets.ballots[2]
    experts = np.bincount(ballot, sets.size * sets.known)
    positive = np.bincount(ballot, sets.size * (sets.known & sets.possible[:, 1]))
    share = np.exp(votes.law.label[:, ~sets.known, 1])  # sets without a label are in the order of ballots
    order = np.argsort(share.mean(0), kind="stable")
    joined = join_neighbours(experts[order], GROUPS, FEWEST)
    member = np.eye(joined.max() + 1)[joined][np.argsort(order)]
    expected = (share * experts) @ member
    spread = (share.mean(0) * (1 - share.mean(0)) * experts) @ member + expected.var(0)
    away = positive @ member - expected.mean(0)
    squares = away**2 / np.maximum(spread, 1e-9)
    worst = int(squares.argmax())
    found = int((experts @ member)[worst]), int((positive @ member)[worst]), float(expected.mean(0)[worst])
    return Misfit(float(chdtrc(len(squares), squares.sum())), *found)


def doubt_votes(votes: VoteFit) -> list[str]:
    """Say so where the vote model does not describe the experts' labels."""
    found = vote_misfit(votes)
    if found.p_value >= DOUBTFUL:
        return []
    return [
        f"the experts' labels do not follow the vote model (p {found.p_value:.1g}): of {found.items:,} items with "
        f"similar votes experts called {found.positive:,} positive, where it expects {found.expected:.1f}; its "
        "intervals may miss, so trust --method gt or get more expert labels."
    ]
