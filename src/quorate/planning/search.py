"""The cheapest purchase: for each number of raters the fewest items that meet the goal, then prices decide."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from quorate._errors import InputError
from quorate._random import generator
from quorate.planning.item_law import FEW, ItemLaw, Promise

__all__ = ["Goal", "Plan", "Prices", "Row", "parse_goal"]

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
    """What the study must reach: ``power``, ``width`` or ``p``, and the value."""

    kind: str
    value: float

    def met(self, promise: Promise, margin: float | None) -> bool:
        """Tell whether a promise meets the goal."""
        match self.kind:
            case "power":
                return self.chance(promise, margin) >= self.value
            case "width":
                return promise.ci_width <= self.value
            case _:
                return promise.expected_p <= self.value

    @staticmethod
    def chance(promise: Promise, margin: float | None) -> float:
        """Return the chance of the wanted verdict: better, or with a margin at least not worse."""
        return promise.power if margin is None else promise.worse


@dataclass(frozen=True)
class Row:
    """One size of study and what it promises; the columns of a sweep."""

    n_items: int
    n_raters: int
    responses: int
    cost: float
    power: float
    power_error: float
    expected_p: float
    expected_p_error: float
    difference: float
    ci_width: float
    detectable: float


@dataclass(frozen=True)
class Plan:
    """Everything the search needs: item laws by number of raters, the goal, prices and limits.

    Parameters
    ----------
    law
        From raters per item to the law of one item's difference.
    goal, prices, min_items, margin, confidence
        What must be reached, at what price, with at least how many items, for which margin, at which level.
    seed
        Seed of what is drawn at few items.
    """

    law: Callable[[int], ItemLaw]
    goal: Goal
    prices: Prices
    min_items: int
    margin: float | None
    confidence: float
    seed: int = 0

    def promise(self, n_items: int, n_raters: int) -> Promise:
        """Return what N items with K raters promise."""
        rng = generator(self.seed, "promise", n_items, n_raters)
        return self.law(n_raters).promise(n_items, self.confidence, margin=self.margin, rng=rng)

    def row(self, n_items: int, n_raters: int) -> Row:
        """Return the full row of one size."""
        promise, law = self.promise(n_items, n_raters), self.law(n_raters)
        return Row(
            n_items=n_items,
            n_raters=n_raters,
            responses=n_items * n_raters,
            cost=self.prices.cost(n_items, n_raters),
            power=Goal.chance(promise, self.margin),
            power_error=promise.power_error,
            expected_p=promise.expected_p,
            expected_p_error=promise.expected_p_error,
            difference=law.mean,
            ci_width=promise.ci_width,
            detectable=self.detectable(n_items, n_raters),
        )

    def detectable(self, n_items: int, n_raters: int) -> float:
        """Return the smallest difference seen with the goal's power (0.8 for other goals), at today's spread."""
        from scipy.special import ndtri

        if n_items < 2:
            return float("nan")
        from quorate.inference.outcome import t_quantile

        power = self.goal.value if self.goal.kind == "power" else 0.8
        t = float(t_quantile(n_items - 1.0, self.confidence))
        return float((t + ndtri(power)) * self.law(n_raters).sd / np.sqrt(n_items))

    def fewest_items(self, n_raters: int) -> int | None:
        """Return the fewest items that meet the goal, not below the floor; None if out of reach.

        Beyond the few items that are drawn, promises improve smoothly with N, so bisection finds the fewest.
        """
        met = lru_cache(maxsize=None)(lambda n: self.goal.met(self.promise(n, n_raters), self.margin))
        low = max(self.min_items, 2)
        if met(low):
            return low
        high = max(low, FEW + 1)
        while not met(high):
            low, high = high, high * 2
            if high > MOST_ITEMS:
                return None
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if met(middle) else (middle, high)
        return high

    def cheapest(self, raters: Iterable[int]) -> list[Row]:
        """Return, for each number of raters, the cheapest study that meets the goal."""
        found = [(k, self.fewest_items(k)) for k in raters]
        return [self.row(n, k) for k, n in found if n is not None]

    def affordable(self, budget: float, raters: Iterable[int]) -> list[Row]:
        """Return, for each number of raters, what a budget buys."""
        rows = []
        for k in raters:
            n = int(budget / max(self.prices.cost(1, k), 1e-12) + 1e-9)
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
    kind, _, value = (text or "power=.8").partition("=")
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if kind not in ("power", "width", "p") or not number > 0 or (kind != "width" and number >= 1):
        raise InputError(f"--goal {text} is not a goal; use power=.8, width=.05 or p=.05.")
    return Goal(kind, number)


def with_goal(plan: Plan, goal: Goal) -> Plan:
    """Return the same plan with another goal."""
    return replace(plan, goal=goal)
