"""What is known about the items: votes, experts' labels, scores – arrays over the same items."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array

__all__ = ["FEW_EXPERTS", "Ballots", "Evidence", "check_evidence", "is_best_of"]

FEW_EXPERTS = 10  # of either class: with fewer, intervals were seen to miss the truth


@dataclass(frozen=True)
class Ballots:
    """Single votes with their voters, ``(vote,)`` each: which item, which rater, positive or not."""

    item: Array
    rater: Array
    vote: Array


@dataclass(frozen=True)
class Evidence:
    """Items with what was said about them.

    Parameters
    ----------
    positive, total
        Positive votes and votes, ``(item,)``.
    label, known
        The experts' label (0 or 1) and whether there is one, ``(item,)``.
    scores
        Scores by system, ``(item,)`` each; empty for votes and experts alone.
    weight
        Weights of the experts' labels, ``(item,)``; None if experts are a random sample.
    ballots
        Single votes, if voters have names.
    truth
        The true label of every item, ``(item,)``, in simulations.
    """

    positive: Array
    total: Array
    label: Array
    known: Array
    scores: Mapping[str, Array] = field(default_factory=dict)
    weight: Array | None = None
    ballots: Ballots | None = None
    truth: Array | None = None

    @property
    def n_items(self) -> int:
        """How many items there are."""
        return len(self.positive)

    @property
    def n_experts(self) -> tuple[int, int]:
        """Items an expert called negative, and positive."""
        called = self.label[self.known]
        return int((called == 0).sum()), int((called == 1).sum())

    def keep(self, kept: Array) -> "Evidence":
        """Return some items only; ``kept`` is True for those."""
        ballots = None
        if self.ballots is not None:
            rows, place = kept[self.ballots.item], np.cumsum(kept) - 1
            item = place[self.ballots.item[rows]]
            ballots = Ballots(item, self.ballots.rater[rows], self.ballots.vote[rows])
        return replace(
            self,
            positive=self.positive[kept],
            total=self.total[kept],
            label=self.label[kept],
            known=self.known[kept],
            scores={name: score[kept] for name, score in self.scores.items()},
            weight=None if self.weight is None else self.weight[kept],
            ballots=ballots,
            truth=None if self.truth is None else self.truth[kept],
        )


def check_evidence(evidence: Evidence) -> list[str]:
    """Refuse evidence no method can use, and say what makes the rest doubtful.

    Examples
    --------
    >>> votes, label = np.array([0, 1, 1]), np.array([0, 1, 1])
    >>> check_evidence(Evidence(votes, np.ones(3, dtype=int), label, np.array([True, True, False])))[0][:48]
    'only 1 expert label is negative and 1 is positiv'
    """
    negative, positive = evidence.n_experts
    if negative + positive == 0:
        raise InputError(
            "there are no expert labels: votes alone do not tell good voters from bad ones; have some items, chosen at "
            "random, labelled by experts and name the file with --experts."
        )
    if min(negative, positive) == 0:
        only = "positive" if positive else "negative"
        raise InputError(
            f"all {negative + positive} expert labels are {only}: nothing is known of the other class; have more "
            "items, chosen at random, labelled by experts."
        )
    for name, score in evidence.scores.items():
        _check_scores(name, score)
    return [*_few_experts(negative, positive), *_separated(evidence)]


def is_best_of(positive: Array, total: Array) -> bool:
    """Tell whether votes were collected until a majority could no longer be lost: the winner always has as many.

    Examples
    --------
    >>> is_best_of(np.array([2, 2, 0, 1]), np.array([2, 3, 2, 3]))
    True
    """
    voted = total > 0
    winner = np.maximum(positive, total - positive)[voted]
    cast = np.unique(total[voted])
    return bool(len(cast) > 1 and (winner == winner[:1]).all())


def _check_scores(name: str, score: Array) -> None:
    missing = int((~np.isfinite(score)).sum())
    if missing:
        raise InputError(
            f"{missing:,} scores of {name} are not numbers (NaN or infinite): a rank cannot be given to them; remove "
            "the items or mend the scores."
        )
    if len(score) and (score == score[0]).all():
        raise InputError(f"all scores of {name} are equal: there is no ranking to judge.")


def _few_experts(negative: int, positive: int) -> list[str]:
    if min(negative, positive) >= FEW_EXPERTS:
        return []
    return [
        f"only {negative} expert label{'s are' if negative != 1 else ' is'} negative and {positive} "
        f"{'are' if positive != 1 else 'is'} positive: with fewer than {FEW_EXPERTS} of a class intervals have missed "
        "the truth; get more."
    ]


def _separated(evidence: Evidence) -> list[str]:
    called = evidence.label[evidence.known]
    return [
        f"the scores of {name} put every expert positive above every expert negative: how far above cannot be told, "
        "and intervals rest on the prior."
        for name, score in evidence.scores.items()
        if score[evidence.known][called == 1].min() > score[evidence.known][called == 0].max()
    ]
