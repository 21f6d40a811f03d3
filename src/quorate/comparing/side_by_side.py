"""What a reader of votes side by side must know: what being shown first did, and where strengths are not known."""

from collections.abc import Iterator, Sequence

import numpy as np

from quorate._text import number, percent
from quorate.data.preferences import Votes
from quorate.inference.bradley_terry import StrengthFit
from quorate.inference.outcome import Outcome
from quorate.inference.scored_systems import ScoredSystems
from quorate.inference.vote_scores import mean_sides, pair_side_effect


def side_words(votes: Votes, effect: Outcome | None, confidence: float) -> str:
    """Say what being shown first is worth, and whether that is in the differences."""
    if effect is None:
        return ""
    low, high = number(float(effect.low), 3), number(float(effect.high), 3)
    worth = f"{number(float(effect.difference), 3)} of the margin ({percent(confidence)} interval {low} to {high})"
    if not _unbalanced(votes):
        return f"Being shown first is worth {worth}; sides are balanced, so it is left in."
    return f"Being shown first is worth {worth}; sides are unbalanced, so it is taken out of the differences."


def vote_warnings(votes: Votes, scored: ScoredSystems) -> Iterator[str]:
    """Say what votes cannot tell."""
    if len(votes.systems) == 2:
        effect = pair_side_effect(votes)
        if effect.known and not effect.told:
            shown = votes.systems[0] if effect.mean_side > 0 else votes.systems[1]
            yield (
                f"{shown} was always shown first, so what being shown first is worth cannot be told from the "
                "difference; swap the sides in half of the votes."
            )
    if scored.strengths is not None:
        yield from _part_words(votes.systems, scored.strengths.fit)
        yield from _held_words(votes, scored.strengths.fit)


def _unbalanced(votes: Votes) -> bool:
    return pair_side_effect(votes).unbalanced if len(votes.systems) == 2 else mean_sides(votes).unbalanced


def _part_words(systems: Sequence[str], fit: StrengthFit) -> Iterator[str]:
    parts = int(fit.part.max()) + 1
    if parts == 1:
        return
    groups = [", ".join(np.array(systems)[fit.part == part][:4]) for part in range(min(parts, 4))]
    yield (
        f"The votes fall apart: {parts} groups of systems were never compared with each other ({' | '.join(groups)}"
        f"{' | …' if parts > 4 else ''}). Only systems of one group are told apart; add votes that link them."
    )


def _held_words(votes: Votes, fit: StrengthFit) -> Iterator[str]:
    """Name systems that won everything, or lost everything, and what that does."""
    if not fit.held:
        return
    size, times = len(votes.systems), votes.times
    won = np.bincount(votes.first, times * (votes.vote >= 0), size) + np.bincount(
        votes.second, times * (votes.vote <= 0), size
    )
    lost = np.bincount(votes.first, times * (votes.vote <= 0), size) + np.bincount(
        votes.second, times * (votes.vote >= 0), size
    )
    for names, word in ((np.array(votes.systems)[lost == 0], "lost"), (np.array(votes.systems)[won == 0], "won")):
        if len(names):
            yield f"{', '.join(names[:6])} never {word} a vote: strengths are held finite, so read ranks, not scores."
    if (won > 0).all() and (lost > 0).all():
        yield "Some systems never lost to any of the others: strengths are held finite, so read ranks, not scores."
