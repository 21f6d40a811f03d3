"""What is known about the items: votes, experts' labels, scores – arrays over the same items."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from quorate._typing import Array

__all__ = ["Evidence", "NamedVotes", "is_best_of"]


@dataclass(frozen=True)
class NamedVotes:
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
    label, has_label
        The experts' label (0 or 1) and whether there is one, ``(item,)``.
    scores
        Scores by system, ``(item,)`` each; empty for votes and experts alone.
    weight
        Weights of the experts' labels, ``(item,)``; None if experts are a random sample.
    named_votes
        Single votes, if voters have names.
    truth
        The true label of every item, ``(item,)``, in simulations.
    """

    positive: Array
    total: Array
    label: Array
    has_label: Array
    scores: Mapping[str, Array] = field(default_factory=dict)
    weight: Array | None = None
    named_votes: NamedVotes | None = None
    truth: Array | None = None

    @property
    def n_items(self) -> int:
        """How many items there are."""
        return len(self.positive)

    @property
    def n_experts(self) -> tuple[int, int]:
        """Items an expert called negative, and positive."""
        called = self.label[self.has_label]
        return int((called == 0).sum()), int((called == 1).sum())

    def keep(self, kept: Array) -> "Evidence":
        """Return some items only; ``kept`` is True for those."""
        votes = self.named_votes
        if votes is not None:
            rows, place = kept[votes.item], np.cumsum(kept) - 1
            votes = NamedVotes(place[votes.item[rows]], votes.rater[rows], votes.vote[rows])
        return replace(
            self,
            positive=self.positive[kept],
            total=self.total[kept],
            label=self.label[kept],
            has_label=self.has_label[kept],
            scores={name: score[kept] for name, score in self.scores.items()},
            weight=None if self.weight is None else self.weight[kept],
            named_votes=votes,
            truth=None if self.truth is None else self.truth[kept],
        )


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
