"""Where a plan's laws come from, whatever that is: a population, resampled ratings, a pilot – and who can rate."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from quorate.metrics.metric import Metric
from quorate.planning.laws.law import Law
from quorate.planning.study_size import StudySize
from quorate.populations.population import Answers

if TYPE_CHECKING:
    from quorate.planning.people import PeopleReport
    from quorate.planning.search import Search

__all__ = ["MOST_ITEMS", "RATERS", "Anyone", "People", "StudySource"]

MOST_ITEMS = 10_000_000
"""A plan of more items than this is called out of reach."""
RATERS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 30, 50)
"""Raters per item that are tried at first unless the user names others."""
MOST_RATERS = 1000


class People(ABC):
    """Who rates: how many raters an item can have, how many items they can do, and what more people would bring."""

    @property
    @abstractmethod
    def most_raters(self) -> int:
        """Most raters per item worth a look."""

    @property
    def limited(self) -> bool:
        """Whether only some of those who could be asked are."""
        return False

    def most_items(self, n_raters: int) -> int:
        """Return the most items that can be rated by K raters each."""
        return MOST_ITEMS

    def check_raters(self, wanted: Sequence[int]) -> list[int]:
        """Return the numbers of raters per item that these people allow; refuse if none does."""
        return list(wanted)

    def enough(self, search: "Search", n_raters: int) -> "People":
        """Return as many people as reach the goal with K raters per item: these, or more."""
        return self

    @abstractmethod
    def report(self, search: "Search", best: StudySize) -> "PeopleReport | None":
        """Say how far these people reach, and what fewer or more of them promise; None where that is no question."""


@dataclass(frozen=True)
class Anyone(People):
    """Raters who are new on every item, or at least not limited to a pool."""

    most_raters: int = MOST_RATERS

    def report(self, search: "Search", best: StudySize) -> None:
        """Nobody is counted."""


@dataclass(frozen=True, kw_only=True)
class StudySource(ABC):
    """Laws by number of raters, and the words for what is assumed.

    Parameters
    ----------
    metric
        The score.
    assumption
        What the plan takes for granted, for its sentence.
    effect
        Perturbation ε of system B; None for a pilot.
    answers
        Answers per item of each system; None for a pilot, which shows them.
    people
        Who rates.
    warnings
        What should not be trusted.
    """

    metric: Metric
    assumption: str
    effect: float | None = None
    answers: Answers | None = None
    people: People = Anyone()
    warnings: tuple[str, ...] = ()

    raters_return: ClassVar[bool] = False
    """Whether the same raters answer many items."""

    @abstractmethod
    def law(self, n_raters: int, target: float) -> Law:
        """Return the law of studies with K raters per item, with this relative error of its mean if it is simulated."""

    def raters_to_try(self, wanted: Sequence[int] | None) -> list[int]:
        """Return the numbers of raters per item to look at; refuse what cannot be planned for."""
        return self.people.check_raters(wanted or RATERS)

    def knows(self, n_raters: int) -> bool:
        """Tell whether studies with K raters per item can be planned."""
        return n_raters <= self.people.most_raters

    def confirm(self, search: "Search", best: StudySize) -> tuple[StudySize, tuple[str, ...]]:
        """Check the recommended study by brute force where its law is only a limit, and say so."""
        return best, ()

    def doubt(self, search: "Search", best: StudySize) -> Mapping[str, Any] | None:
        """Say how far other pilots like this one would disagree; None where there is no pilot."""
        return None

    @property
    def why_raters(self) -> str:
        """Why more than one rater per item pays."""
        if self.answers == "raters":
            return "More raters per item pay here, because the systems answer as often as the raters, free of charge."
        if not self.metric.linear:
            return f"More raters per item pay here, because {self.metric.title} reads an item's whole panel."
        if self.raters_return:
            return "More than one rater per item pays here: with so few people it tells their leanings from the items'."
        return "More than one rater only because the numbers of items were given: a new item would tell more."
