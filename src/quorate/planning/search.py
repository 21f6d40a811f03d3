"""The cheapest purchase: for each number of raters the fewest items that meet the goal, then prices decide."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from quorate.planning.laws.law import Law
from quorate.planning.promises.small_studies import StudyDraws
from quorate.planning.question import PlanQuestion
from quorate.planning.sources.study_source import MOST_ITEMS, People, StudySource
from quorate.planning.study_size import StudySize

__all__ = ["Search"]

COARSE = 0.03
"""First relative error of the mean difference: enough to tell which numbers of raters are worth a closer look."""


@dataclass(frozen=True)
class Search:
    """What is wanted and where the laws come from; laws are kept by number of raters, and sharpened on request."""

    question: PlanQuestion
    source: StudySource
    _kept: dict[int, tuple[float, Law]] = field(default_factory=dict, repr=False, compare=False)

    def law(self, n_raters: int, target: float = COARSE) -> Law:
        """Return the law of studies with K raters per item, with at most this relative error of its mean."""
        kept = self._kept.get(n_raters)
        if kept is None or (kept[0] > target and kept[1].draws > 0):
            kept = target, self.source.law(n_raters, target)
            self._kept[n_raters] = kept
        return kept[1]

    def with_people(self, people: People) -> "Search":
        """Return the same search with other people."""
        return Search(self.question, replace(self.source, people=people))

    def most_items(self, n_raters: int) -> int:
        """Return the most items that the people can rate."""
        return self.source.people.most_items(n_raters)

    def size(self, n_items: int, n_raters: int) -> StudySize:
        """Return what one size promises; `power` is the chance of the wanted verdict."""
        law, asked = self.law(n_raters), self.question
        promise = law.promise(n_items, asked.confidence, margin=asked.margin, studies=self._studies)
        return StudySize(
            n_items=n_items,
            n_raters=n_raters,
            responses=n_items * n_raters,
            cost=asked.cost(n_items, n_raters),
            power=self._wanted(promise.power, promise.worse, promise.equivalent),
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
                return (
                    law.expected_p(n_items, asked.confidence, margin=asked.margin, studies=self._studies)[0]
                    <= goal.value
                )
            case _:
                chances = law.chances(n_items, asked.confidence, margin=asked.margin, studies=self._studies)
                return self._wanted(*chances) >= goal.value

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
        """Return the smallest difference seen with the goal's power (0.8 for other goals), at today's spread."""
        return self.law(n_raters).smallest_seen(n_items, self.question.confidence, self.question.wanted.power)

    def lost(self, n_items: int, n_raters: int) -> float:
        """Return the chance of the verdict that B is better."""
        return self.law(n_raters).lost_chance(n_items, self.question.confidence, self.question.margin or 0.0)

    def fewest_items(self, n_raters: int) -> int | None:
        """Return the fewest items that meet the goal, not below the floor; None if out of reach.

        Promises improve with N, so the search brackets the answer around the normal theory's guess and bisects.
        """
        met = lru_cache(maxsize=None)(lambda n: self.met(n, n_raters))
        floor, most = self.question.floor, self.most_items(n_raters)
        if most < floor:
            return None
        low = high = min(self._guess(n_raters, floor), most)
        while not met(high):
            if high >= most:
                return None
            low, high = high, min(max(high + 1, high * 5 // 4), most)
        while low > floor and met(low):
            low, high = max(floor, min(low - 1, low * 4 // 5)), low
        if met(low):
            return low
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if met(middle) else (middle, high)
        return high

    def _guess(self, n_raters: int, floor: int) -> int:
        """How many items the normal theory asks for: those that make the standard error small enough."""
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
        bought = [
            (min(int(budget / max(self.question.cost(1, k), 1e-12) + 1e-9), self.most_items(k)), k) for k in raters
        ]
        return [self.size(n, k) for n, k in bought if n >= 1]
