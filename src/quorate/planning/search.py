"""The cheapest purchase: for each number of raters the fewest items that meet the goal, then prices decide."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from quorate._errors import InputError
from quorate._random import generator
from quorate.inference.sample_size import POWER
from quorate.planning.laws.law import Law
from quorate.planning.study_size import StudySize

__all__ = ["Goal", "Plan", "Prices", "parse_goal"]

MOST_ITEMS = 10_000_000
"""A plan of more items than this is called out of reach."""


@dataclass(frozen=True)
class Prices:
    """What an item, a rating and an expert label cost; a rating counts 1 if nobody says otherwise."""

    item: float = 0.0
    rating: float = 1.0
    expert: float = 0.0

    def cost(self, n_items: int, n_raters: int) -> float:
        """Return the price of N items with K raters each."""
        return n_items * (self.item + n_raters * self.rating)


@dataclass(frozen=True)
class Goal:
    """What the study must reach: ``power``, ``equivalence``, ``width`` or ``p``, and the value."""

    kind: str
    value: float

    @property
    def power(self) -> float:
        """The wanted chance of a verdict, 0.8 for goals that are none."""
        return self.value if self.kind in ("power", "equivalence") else POWER


@dataclass(frozen=True)
class Plan:
    """Everything the search needs: item laws by number of raters, the goal, prices and limits.

    Parameters
    ----------
    law
        From raters per item to the law of one item's difference, or of a study in which raters come back.
    goal, prices, min_items, margin, confidence
        What must be reached, at what price, with at least how many items, for which margin, at which level.
    seed
        Seed of what is drawn at few items.
    paper_widths
        Widths between quantiles of the difference [forest, alg. 3] instead of the test's interval.
    most_items, most_raters
        From raters per item to the most items that can be rated at all; most raters per item worth a look.
    """

    law: Callable[[int], Law]
    goal: Goal
    prices: Prices
    min_items: int
    margin: float | None
    confidence: float
    seed: int = 0
    paper_widths: bool = False
    most_items: Callable[[int], int] = lambda _: MOST_ITEMS
    most_raters: int = 1000

    def row(self, n_items: int, n_raters: int) -> StudySize:
        """Return the full row of one size; `power` is the chance of the wanted verdict."""
        law, rng = self.law(n_raters), self._rng(n_raters)
        promise = law.promise(n_items, self.confidence, margin=self.margin, rng=rng)
        return StudySize(
            n_items=n_items,
            n_raters=n_raters,
            responses=n_items * n_raters,
            cost=self.prices.cost(n_items, n_raters),
            power=self._wanted(promise.power, promise.worse, promise.equivalent),
            power_error=promise.power_error,
            expected_p=promise.expected_p,
            expected_p_error=promise.expected_p_error,
            difference=law.mean,
            ci_width=self._width(law, n_items, rng),
            detectable=self.detectable(n_items, n_raters),
        )

    def met(self, n_items: int, n_raters: int) -> bool:
        """Tell whether a size meets the goal."""
        law, rng = self.law(n_raters), self._rng(n_raters)
        match self.goal.kind:
            case "width":
                return self._width(law, n_items, rng) <= self.goal.value
            case "p":
                p, _ = law.expected_p(n_items, self.confidence, margin=self.margin, rng=rng)
                return p <= self.goal.value
            case _:
                chances = law.chances(n_items, self.confidence, margin=self.margin, rng=rng)
                return self._wanted(*chances) >= self.goal.value

    def _wanted(self, power: float, worse: float, equivalent: float) -> float:
        if self.margin is None:
            return power
        return equivalent if self.goal.kind == "equivalence" else worse

    def _width(self, law: Law, n_items: int, rng: np.random.Generator) -> float:
        if self.paper_widths:
            return law.quantile_width(n_items, self.confidence, rng=rng)
        return law.ci_width(n_items, self.confidence, margin=self.margin, rng=rng)

    def _rng(self, n_raters: int) -> np.random.Generator:
        """The same for every N: an item law keeps what it draws at few items."""
        return generator(self.seed, "promise", n_raters)

    def detectable(self, n_items: int, n_raters: int) -> float:
        """Return the smallest difference seen with the goal's power (0.8 for other goals), at today's spread."""
        return self.law(n_raters).smallest_seen(n_items, self.confidence, self.goal.power)

    def lost(self, n_items: int, n_raters: int) -> float:
        """Return the chance of the verdict that B is better."""
        return self.law(n_raters).lost_chance(n_items, self.confidence, self.margin or 0.0)

    def fewest_items(self, n_raters: int) -> int | None:
        """Return the fewest items that meet the goal, not below the floor; None if out of reach.

        Promises improve with N, so the search brackets the answer around the normal theory's guess and bisects.
        """
        met = lru_cache(maxsize=None)(lambda n: self.met(n, n_raters))
        floor, most = max(self.min_items, 1), self.most_items(n_raters)
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

        law, z = self.law(n_raters), float(ndtri(0.5 + self.confidence / 2))
        match self.goal.kind:
            case "width":
                wanted = self.goal.value / (2 * z)
            case "p":  # the null world spreads about as much
                wanted = law.mean / float(-ndtri(min(self.goal.value, 0.499)) * np.sqrt(2))
            case _:
                wanted = (law.mean + (self.margin or 0.0)) / max(z + float(ndtri(self.goal.value)), 1e-3)
        return int(np.clip(np.ceil(law.items_at(wanted, MOST_ITEMS)), floor, max(MOST_ITEMS, floor)))

    def cheapest(self, raters: Iterable[int]) -> list[StudySize]:
        """Return, for each number of raters, the cheapest study that meets the goal."""
        found = [(k, self.fewest_items(k)) for k in raters]
        return [self.row(n, k) for k, n in found if n is not None]

    def affordable(self, budget: float, raters: Iterable[int]) -> list[StudySize]:
        """Return, for each number of raters, what a budget buys."""
        rows = []
        for k in raters:
            n = min(int(budget / max(self.prices.cost(1, k), 1e-12) + 1e-9), self.most_items(k))
            if n >= 1:
                rows.append(self.row(n, k))
        return rows


def parse_goal(text: str | None) -> Goal:
    """Return the goal a text such as ``power=.8`` names.

    Examples
    --------
    >>> parse_goal("width=.05"), parse_goal(None)
    (Goal(kind='width', value=0.05), Goal(kind='power', value=0.8))
    """
    kind, _, value = ("power=.8" if text is None else text).partition("=")
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if kind not in ("power", "equivalence", "width", "p") or not 0 < number < (np.inf if kind == "width" else 1):
        raise InputError(
            f"--goal {text} is not a goal; use power=.8, width=.05, p=.05 or, with --margin, equivalence=.8."
        )
    return Goal(kind, number)
