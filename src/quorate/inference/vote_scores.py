"""Votes scored: of two systems how often each is preferred on each item, of several their strengths."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array
from quorate.data.preferences import Votes
from quorate.data.summaries import Counts, Probabilities
from quorate.inference.crossed import crossed_pivot
from quorate.inference.means import mean_pivot
from quorate.inference.outcome import Outcome
from quorate.inference.pivot import Pivot
from quorate.inference.position import CHANCE, LOPSIDED, SideEffect, side_effect
from quorate.inference.scored_systems import ScoredSystems, score_strengths, score_systems
from quorate.inference.strengths import strengths_of
from quorate.inference.units import Unit
from quorate.metrics.preferences import STRENGTH, WIN_RATE, margin_of


def score_votes(votes: Votes, metrics: Sequence[str | None] = (None,)) -> ScoredSystems:
    """Score the systems of votes; a tie is half a win for each."""
    if any(name not in (None, WIN_RATE.name, STRENGTH.name) for name in metrics):
        raise InputError("Votes side by side are compared by how often a system is preferred; leave --metric out.")
    if len(votes.systems) > 2:
        return score_strengths(STRENGTH, strengths_of(votes, sided=mean_sides(votes).unbalanced))
    counts, margins = pair_counts(votes), pair_side_effect(votes).margins
    shape = counts.counts.shape
    credits = [0.5 + 0.5 * margins, 0.5 - 0.5 * margins]
    return score_systems(WIN_RATE, counts, [Probabilities(np.broadcast_to(credit, shape)) for credit in credits])


def pair_counts(votes: Votes) -> Counts:
    """How often each kind of vote was cast on each item."""
    summary = votes.ratings.summary
    assert isinstance(summary, Counts)
    return summary


def pair_side_effect(votes: Votes) -> SideEffect:
    """Return what being shown first does to the votes between two systems; items weigh alike."""
    return side_effect(votes.vote, votes.side, pair_counts(votes).share.mean(0), float(votes.times.sum()))


@dataclass(frozen=True)
class Sides:
    """How unevenly systems were shown on both sides: the mean side of a typical one, and whether chance made it."""

    known: bool
    apart: float
    unbalanced: bool


def mean_sides(votes: Votes) -> Sides:
    """Return how unevenly several systems were shown first, by votes."""
    times, size = votes.times, len(votes.systems)
    shown = np.bincount(votes.first, times * votes.side, size) - np.bincount(votes.second, times * votes.side, size)
    cast = np.bincount(votes.first, times, size) + np.bincount(votes.second, times, size)
    apart = float(np.abs(shown).sum() / cast.sum())
    chance = float(np.sqrt(cast).sum() / cast.sum())
    return Sides(bool(np.any(votes.side)), apart, apart > max(LOPSIDED, CHANCE * chance))


@dataclass(frozen=True)
class VoteShares:
    """How votes between two systems fell: shares for a, ties, and for b; nan where nobody compared them."""

    win: float
    tie: float
    loss: float


def vote_shares(votes: Votes, a: str, b: str, counts: Counts | None = None) -> VoteShares:
    """Return how the votes between two systems fell: the mean over items of `counts`, or without them over votes."""
    pair = votes.systems.index(a), votes.systems.index(b)
    weight = votes.times.astype(float) if counts is None else counts.share.mean(0)
    own = np.where((votes.first == pair[0]) & (votes.second == pair[1]), 1, 0)
    own -= np.where((votes.first == pair[1]) & (votes.second == pair[0]), 1, 0)
    total = float(weight[own != 0].sum())
    if total == 0:
        return VoteShares(np.nan, np.nan, np.nan)
    shares = [float(weight[(own != 0) & (own * votes.vote == vote)].sum()) / total for vote in (1, 0, -1)]
    return VoteShares(*shares)


def first_shown_effect(votes: Votes, unit: Unit, confidence: float) -> Outcome | None:
    """Return what being shown first adds to the margin, with its interval; None if that cannot be told."""
    if len(votes.systems) == 2:
        effect = pair_side_effect(votes)
        return _mean_of_kinds(votes, effect.values, unit).outcome(confidence) if effect.told else None
    if not np.any(votes.side):
        return None
    sided = strengths_of(votes, sided=True)
    sided = sided.drawn(unit.clusters, by_rater=unit.roster is not None, items_fixed=unit.items_fixed)
    contrast = np.append(np.zeros(len(votes.systems)), 1.0)
    outcome = sided.pivot(contrast).outcome(confidence)
    ends = (margin_of(x) for x in (outcome.difference, outcome.low, outcome.high))
    difference, low, high = ends
    return Outcome(difference, outcome.se, low, high, outcome.p_value, outcome.df)


def _mean_of_kinds(votes: Votes, values: Array, unit: Unit) -> Pivot:
    """Return the pivot of a mean over items of values of kinds of vote, ``(kind,)``."""
    counts = pair_counts(votes)
    if unit.roster is None:
        return mean_pivot(counts.share @ values, unit.clusters)
    table = np.broadcast_to(values, counts.counts.shape)
    return crossed_pivot(unit.roster.cells(table.__getitem__), unit.roster.crossed, items_fixed=unit.items_fixed)
