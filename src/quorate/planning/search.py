"""The search for the fewest items that meet the goal; where its laws come from, and who rates."""

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from quorate._tasks import tell_progress
from quorate.inference.sample_size import items_to_see
from quorate.metrics.metric import Metric
from quorate.planning.laws.item_law import Law
from quorate.planning.promises.small_studies import StudyDraws
from quorate.planning.question import PlanQuestion
from quorate.populations.population import Answers

if TYPE_CHECKING:
    from quorate.planning.people import PeopleReport

MOST_ITEMS = 10_000_000
"""A plan of more items than this is called out of reach."""
RATERS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 30, 50)
"""Raters per item that are tried at first unless the user names others."""
MOST_RATERS = 1000
MOST_KEPT = 10_000
"""Promises that a source keeps for the next question about it."""
COARSE = 0.03
"""First relative error of the mean difference: tells which numbers of raters are worth a closer look."""
UNKNOWN = float("nan")
Promised = TypeVar("Promised")


def chance(estimate: float) -> float:
    """Return a chance for what draws, corrected by a known mean, estimate: noise may leave it a hair below nothing."""
    return min(max(estimate, 0.0), 1.0)


@dataclass(frozen=True)
class StudySize:
    """N items with K raters each, and what such a study promises.

    Parameters
    ----------
    n_items, n_raters, responses, cost
        Items, raters per item, ratings in all, and the price.
    power, power_error
        Chance of the wanted verdict, and its Monte-Carlo error.
    expected_p, expected_p_error
        The papers' expected p [forest, alg. 2], and its Monte-Carlo error.
    difference, ci_width
        Expected difference, and expected width of its interval.
    detectable
        Smallest difference seen with the goal's power, at today's spread.
    """

    n_items: int
    n_raters: int
    responses: int
    cost: float = UNKNOWN
    power: float = UNKNOWN
    power_error: float = UNKNOWN
    expected_p: float = UNKNOWN
    expected_p_error: float = UNKNOWN
    difference: float = UNKNOWN
    ci_width: float = UNKNOWN
    detectable: float = UNKNOWN


class People(ABC):
    """Who rates, how much they can do, and what more people would bring."""

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
        """Say how far these people reach; None where that is no question."""


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
    reach
        How far apart the systems can be on one item.
    """

    metric: Metric
    assumption: str
    effect: float | None = None
    answers: Answers | None = None
    people: People = Anyone()
    warnings: tuple[str, ...] = ()
    reach: float = 1.0
    _laws: dict[tuple[int, float], Law] = field(default_factory=dict, init=False, repr=False, compare=False)

    _promises: dict[tuple[object, ...], Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    raters_return: ClassVar[bool] = False
    """Whether the same raters answer many items."""

    @abstractmethod
    def law(self, n_raters: int, target: float) -> Law:
        """Return the law of studies with K raters per item; `target` is the relative error of its mean."""

    def known_law(self, n_raters: int, target: float) -> Law:
        """Return the law of so many raters at this error, worked out once."""
        if (n_raters, target) not in self._laws:
            self._laws[n_raters, target] = self.law(n_raters, target)
            tell_progress(len(self._laws), max(len(RATERS), len(self._laws) + 1))
        return self._laws[n_raters, target]

    def known_promise(self, asked: tuple[object, ...], work_out: Callable[[], Promised]) -> Promised:
        """Return what was promised for the same before, or what is worked out now."""
        if asked not in self._promises:
            if len(self._promises) >= MOST_KEPT:
                self._promises.clear()
            self._promises[asked] = work_out()
        promised: Promised = self._promises[asked]
        return promised

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
        """Say what a pilot leaves open; None where there is none."""
        return None

    def assurance(self, search: "Search", n_items: int, n_raters: int, power: float) -> float:
        """Return the power that counts what a pilot cannot know: all of it where there is none."""
        return power

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


@dataclass(frozen=True)
class Search:
    """What is wanted and where laws come from; these are kept, and sharpened on request."""

    question: PlanQuestion
    source: StudySource
    _kept: dict[int, tuple[float, Law]] = field(default_factory=dict, repr=False, compare=False)

    def law(self, n_raters: int, target: float = COARSE) -> Law:
        """Return the law with K raters per item, with at most this relative error of its mean."""
        kept = self._kept.get(n_raters)
        if kept is None or (kept[0] > target and kept[1].draws > 0):
            kept = target, self.source.known_law(n_raters, target)
            self._kept[n_raters] = kept
        return kept[1]

    @property
    def floor(self) -> int:
        """Fewest items worth a study; with a margin, below which a failure as large could not have shown."""
        asked = self.question
        if asked.margin is None or asked.paper or self.source.metric.level == "set":
            return asked.floor
        return max(asked.floor, items_to_see(asked.margin / self.source.reach, asked.confidence))

    def with_people(self, people: People) -> "Search":
        """Return the same search with other people."""
        if people is self.source.people:
            return self
        return Search(self.question, replace(self.source, people=people))

    def most_items(self, n_raters: int) -> int:
        """Return the most items that the people can rate."""
        return self.source.people.most_items(n_raters)

    def prepare(self, sizes: Sequence[int], n_raters: int) -> None:
        """Let the law of K raters get ready for these numbers of items, ascending."""
        asked = self.question
        self.law(n_raters).prepared(sizes, asked.confidence, asked.margin, self._studies)

    @cached_property
    def _asked(self) -> tuple[object, ...]:
        """What a promise depends on: all but the prices, so that these can be dragged."""
        asked = self.question
        return asked.confidence, asked.margin, asked.wanted, asked.paper, asked.outputs, asked.seed, self.floor

    def _known(self, what: str, place: tuple[int, ...], work_out: Callable[[], Promised]) -> Promised:
        """Return a promise by the law that is known now for K raters, the last of the place."""
        self.law(place[-1])
        return self.source.known_promise((what, *place, self._kept[place[-1]][0], *self._asked), work_out)

    def size(self, n_items: int, n_raters: int) -> StudySize:
        """Return what one size promises, and costs; `power` is the chance of the wanted verdict."""
        size = self._known("size", (n_items, n_raters), lambda: self._size(n_items, n_raters))
        return replace(size, cost=self.question.cost(n_items, n_raters))

    def _size(self, n_items: int, n_raters: int) -> StudySize:
        law, asked = self.law(n_raters), self.question
        promise = law.promise(n_items, asked.confidence, margin=asked.margin, studies=self._studies)
        return StudySize(
            n_items=n_items,
            n_raters=n_raters,
            responses=n_items * n_raters * asked.outputs,
            power=chance(self._wanted(promise.power, promise.worse, promise.equivalent)),
            power_error=promise.power_error,
            expected_p=promise.expected_p,
            expected_p_error=promise.expected_p_error,
            difference=law.mean,
            ci_width=self._width(law, n_items),
            detectable=self.detectable(n_items, n_raters),
        )

    def met(self, n_items: int, n_raters: int) -> bool:
        """Tell whether a size meets the goal."""
        law, asked, goal = self.law(n_raters), self.question, self.question.wanted
        match goal.kind:
            case "width":
                return self._width(law, n_items) <= goal.value
            case "p":
                p, _ = law.expected_p(n_items, asked.confidence, margin=asked.margin, studies=self._studies)
                return p <= goal.value
            case _:
                chances = law.chances(n_items, asked.confidence, margin=asked.margin, studies=self._studies)
                power = self._wanted(*chances)
                if goal.kind == "assurance":
                    power = self.source.assurance(self, n_items, n_raters, power)
                return power >= goal.value

    def _wanted(self, power: float, worse: float, equivalent: float) -> float:
        if self.question.margin is None:
            return power
        return equivalent if self.question.wanted.kind == "equivalence" else worse

    def _width(self, law: Law, n_items: int) -> float:
        """Width of the test's interval, or by the papers' habit between quantiles [forest, alg. 3]."""
        asked = self.question
        if asked.paper:
            return law.quantile_width(n_items, asked.confidence, studies=self._studies)
        return law.ci_width(n_items, asked.confidence, margin=asked.margin, studies=self._studies)

    @property
    def _studies(self) -> StudyDraws:
        """The same for every size: an item law keeps what it draws at few items."""
        return StudyDraws(self.question.seed)

    def detectable(self, n_items: int, n_raters: int) -> float:
        """Return the smallest difference seen with the goal's power, at today's spread."""
        return self.law(n_raters).smallest_seen(n_items, self.question.confidence, self.question.wanted.power)

    def fewest_items(self, n_raters: int) -> int | None:
        """Return the fewest items that meet the goal, not below the floor; None if out of reach."""
        return self._known("fewest items", (n_raters,), lambda: self._fewest_items(n_raters))

    def _fewest_items(self, n_raters: int) -> int | None:
        """Promises improve with N: bracket the answer around the normal theory's guess, then bisect."""
        met = lru_cache(maxsize=None)(lambda n: self.met(n, n_raters))
        floor, most = self.floor, self.most_items(n_raters)
        if most < floor:
            return None
        low = high = min(self._guess(n_raters, floor), most)
        while not met(high):
            if high >= most:
                return None
            low, high = high, min(max(high + 1, high * 5 // 4), most)
        while low > floor and met(low):
            low, high = max(floor, min(low - 1, low * 4 // 5)), low
        return low + bisect_left(range(low, high), True, key=met)

    def _guess(self, n_raters: int, floor: int) -> int:
        """How many items make the standard error small enough, by normal theory."""
        from scipy.special import ndtri

        law, goal = self.law(n_raters), self.question.wanted
        z = float(ndtri(0.5 + self.question.confidence / 2))
        match goal.kind:
            case "width":
                enough = goal.value / (2 * z)
            case "p":  # the null world spreads about as much
                enough = law.mean / float(-ndtri(min(goal.value, 0.499)) * np.sqrt(2))
            case _:
                enough = (law.mean + (self.question.margin or 0.0)) / max(z + float(ndtri(goal.value)), 1e-3)
        return int(np.clip(np.ceil(law.items_at(enough, MOST_ITEMS)), floor, max(MOST_ITEMS, floor)))

    def cheapest(self, raters: Iterable[int]) -> list[StudySize]:
        """Return, for each number of raters, the cheapest study that meets the goal."""
        fewest = [(k, self.fewest_items(k)) for k in raters]
        return [self.size(n, k) for k, n in fewest if n is not None]

    def affordable(self, budget: float, raters: Iterable[int]) -> list[StudySize]:
        """Return, for each number of raters, what a budget buys."""
        bought = [(k, int(budget / max(self.question.cost(1, k), 1e-12) + 1e-9)) for k in raters]
        doable = [(k, min(n, self.most_items(k))) for k, n in bought]
        return [self.size(n, k) for k, n in doable if n >= 1]
