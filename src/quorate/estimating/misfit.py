"""Do experts and model say the same? Where they do not, the model's intervals should not be believed.

Of labels: for items with the same votes the model says which share is positive. Ballots are joined, in order of that
share, into a few groups; each group's experts have a known mean and variance of positives, and the squares add up to a
chi². Of estimates: those of the model and of experts alone must not lie further apart than chance explains.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc, ndtri

from quorate.estimating.intervals import Estimate
from quorate.estimating.methods.maven import VoteFit
from quorate.estimating.wins import join_neighbours

__all__ = ["Misfit", "doubt_estimates", "doubt_votes", "vote_misfit"]

GROUPS, FEWEST = 8, 10  # groups of ballots, and experts in each
DOUBTFUL = 0.01  # p below which to warn
APART = 3.0  # standard errors between the model's estimate and the experts' own at which to warn


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
    >>> from quorate.estimating.evidence import Evidence
    >>> from quorate.populations.crowds import maven_crowd
    >>> from quorate.estimating.methods.maven import fit_votes
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


def doubt_estimates(
    rows: Sequence[Estimate], alone: Mapping[tuple[str | None, str], Estimate], confidence: float
) -> list[str]:
    """Say of every system which of MAVEN's estimates lies furthest from the experts' own, if too far for chance.

    If the model is right it is the more precise of two unbiased estimators, so Var(ours - theirs) = Var(theirs) -
    Var(ours) [hausman1978]; less than a quarter of Var(theirs) is not believed.

    Examples
    --------
    >>> alone = {("m", "auc"): Estimate("m", "auc", "gt", 0.92, 0.88, 0.96)}
    >>> [len(doubt_estimates([Estimate("m", "auc", "maven", value, value - 0.03, value + 0.03)], alone, 0.95))
    ...  for value in (0.90, 0.85)]
    [0, 1]
    """
    worst: dict[str | None, tuple[float, Estimate]] = {}
    for row in rows:
        theirs = alone.get((row.system, row.metric))
        if row.method == "maven" and theirs is not None and row.width is not None and theirs.width:
            spread = np.sqrt(max(theirs.width**2 - row.width**2, theirs.width**2 / 4)) / (
                2 * ndtri(0.5 + confidence / 2)
            )
            apart = abs((row.value or 0.0) - (theirs.value or 0.0)) / spread
            worst[row.system] = max(worst.get(row.system, (APART, row)), (apart, row), key=lambda found: found[0])
    return [
        f"the model's {row.metric}{f' of {system}' if system else ''} ({row.value:.2f}) lies {apart:.1f} standard "
        f"errors from what the experts' items alone say ({alone[system, row.metric].value:.2f}): it may not describe "
        "these data, so trust --method gt or get more expert labels."
        for system, (apart, row) in worst.items()
        if apart > APART
    ]
