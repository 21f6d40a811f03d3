"""What a plan of votes says of several systems: votes for each pair, and what tells neighbours of a pilot apart."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil, comb

from quorate._text import count, number, percent
from quorate.planning.question import PlanQuestion
from quorate.planning.search import Search, StudySize, StudySource
from quorate.results.table import Column, Table, table_of

LEAST = 0.501
"""Neighbours who are closer than this are as good as equal: millions of votes would not tell."""
NEIGHBOURS = {
    "a": Column("system"),
    "b": Column("next"),
    "win_rate": Column("preferred", percent),
    "enough": Column("votes per pair"),
}


@dataclass(frozen=True)
class Neighbours:
    """Two neighbours on a pilot's board: how often the first is preferred, and what a vote tells of them."""

    a: str
    b: str
    win_rate: float
    source: Callable[[int | None], StudySource]
    """From a number of people to the laws of studies with them."""


@dataclass(frozen=True)
class NeighbourRow:
    """What it takes to tell two neighbours apart if they differ as they seem to; None where nothing is enough."""

    a: str
    b: str
    win_rate: float
    votes_per_pair: int | None


@dataclass(frozen=True)
class PlannedBoard:
    """Several systems on one board: how many, their pairs, and the votes that each pair gets.

    `neighbours` are those of a pilot, the best system first.
    """

    systems: int
    pairs: int
    votes_per_pair: int
    neighbours: tuple[NeighbourRow, ...] = ()

    def words(self) -> str:
        """Say how votes are spread."""
        return f", about {count(self.votes_per_pair, 'vote')} for each of the {self.pairs} pairs"

    def table(self) -> Table | None:
        """Return the neighbours of a pilot."""
        if not self.neighbours:
            return None
        rows = [
            {
                **vars(row),
                "enough": "not with these people" if row.votes_per_pair is None else number(row.votes_per_pair, 0),
            }
            for row in self.neighbours
        ]
        return table_of(
            "Votes per pair that tell neighbours apart, if they differ as the pilot shows", rows, NEIGHBOURS
        )


def joint(question: PlanQuestion, n_systems: int) -> PlanQuestion:
    """Return the question with the level at which one pair is tested where all pairs count."""
    from quorate.planning.sources.vote_boards import single_confidence

    return replace(question, confidence=single_confidence(question.confidence, n_systems))


def plan_board(
    search: Search, best: StudySize, n_systems: int, neighbours: Sequence[Neighbours], people: int | None
) -> PlannedBoard:
    """Return the board of the recommended study, with so many people, or whoever comes."""
    pairs = comb(n_systems, 2)

    def per_pair(items: int) -> int:
        return ceil(items * best.n_raters / pairs)

    rows = []
    for each in neighbours:
        known = Search(search.question, each.source(people))
        items = known.fewest_items(best.n_raters) if each.win_rate > LEAST else None
        rows.append(NeighbourRow(each.a, each.b, each.win_rate, None if items is None else per_pair(items)))
    return PlannedBoard(n_systems, pairs, per_pair(best.n_items), tuple(rows))
