"""How often each system is preferred in votes side by side, whoever the other was."""

from dataclasses import dataclass

import numpy as np

from quorate.data.preferences import Votes


@dataclass(frozen=True)
class SystemVotes:
    """The votes on a system, and the shares of them for it, tied, and for the other."""

    system: str
    votes: int
    win: float
    tie: float
    loss: float


def system_votes(votes: Votes) -> tuple[SystemVotes, ...]:
    """Return the votes on every system, the most preferred first; a tie is half a win."""
    size, times = len(votes.systems), votes.times
    ties = times * (votes.vote == 0)
    for_first, for_second = times * (votes.vote > 0), times * (votes.vote < 0)
    win = np.bincount(votes.first, for_first, size) + np.bincount(votes.second, for_second, size)
    loss = np.bincount(votes.first, for_second, size) + np.bincount(votes.second, for_first, size)
    tie = np.bincount(votes.first, ties, size) + np.bincount(votes.second, ties, size)
    cast = win + tie + loss
    order = np.argsort(-(win + 0.5 * tie) / cast, kind="stable")
    return tuple(
        SystemVotes(votes.systems[k], int(cast[k]), *(float(part[k] / cast[k]) for part in (win, tie, loss)))
        for k in order.tolist()
    )
