"""The study to buy, the purchases beside it, and what should not be trusted."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from quorate._errors import InputError
from quorate._text import count, number, percent
from quorate.planning.question import PlanQuestion
from quorate.planning.search import MOST_ITEMS, RATERS, Search, StudySize, StudySource

CLOSE = 1.15
"""Numbers of raters with a cost this close to the cheapest are looked at again, with smaller error."""
SHARP, ASKED = 3, 0.009
"""Up to so many numbers of raters asked for, laws are known with this relative error of the mean."""
GRID_ITEMS, GRID_RATERS = (30, 50, 100, 200, 500, 1000, 2000, 5000, 10_000), (1, 2, 3, 5, 10)
"""Sizes of the table that is written when the user asked for no other."""

COMMON = (1, 3, 5, 10)
"""Numbers of raters per item that people buy by habit."""
NOTHING = StudySize(n_items=0, n_raters=0, responses=0, cost=0.0, power=0.0)


@dataclass(frozen=True)
class Recommendation:
    """The study to buy, the best for each number of raters, and every size asked for."""

    search: Search
    best: StudySize
    by_raters: tuple[StudySize, ...]
    grid: tuple[StudySize, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class PurchaseOption:
    """One purchase to choose from."""

    name: str
    size: StudySize
    """The study it leads to."""
    cost: float
    """What it costs from here."""
    inconclusive: float
    """Chance that the study tells nobody apart."""
    assumption: str
    """What would break it."""


def recommend(source: StudySource, question: PlanQuestion) -> Recommendation:
    """Return the cheapest study that meets the goal, or the best one that can be had."""
    search = Search(question, source)
    tried = source.raters_to_try(question.rater_numbers)
    if not question.sizes_given:
        search = search.with_people(source.people.enough(search, min(tried)))
        tried = search.source.raters_to_try(question.rater_numbers)
    if search.law(tried[0]).mean <= 0 and question.margin is None:
        raise InputError(
            "System A is not the better one here, so there is nothing to see; lower --score or raise --effect."
        )
    grid: tuple[StudySize, ...] = ()
    if question.item_numbers is not None:
        grid = _sizes_asked(search, tried, question.item_numbers)
        rows = [_pick([size for size in grid if size.n_raters == k], search) for k in tried]
        best = _pick(grid, search)
    elif question.budget is not None and question.goal is None:
        rows = search.affordable(question.budget, tried)
        best = _most_for_the_money(rows, question)
    else:
        rows, best = _cheapest(search, tried)
    best, warnings = search.source.confirm(search, best)
    return Recommendation(search, best, tuple(rows), grid, (*warnings, *_warnings(search, best)))


def purchases(recommendation: Recommendation) -> tuple[PurchaseOption, ...]:
    """Return the recommended purchase, two common ones, and buying nothing; or the next purchases."""
    best, search = recommendation.best, recommendation.search
    if search.question.there is not None:
        return _next_purchases(search, *search.question.there)
    usual = set(COMMON) - {best.n_raters}
    common = [size for size in recommendation.by_raters if size.n_raters in usual]
    return (
        _purchase("as asked" if _one_size(search) else "recommended", best, search),
        *(_purchase(f"{size.n_raters} per item", size, search) for size in common[:2]),
        PurchaseOption("buy nothing", NOTHING, 0.0, 1.0, "a decision is due: there is no evidence"),
    )


def _one_size(search: Search) -> bool:
    """Whether a single size was asked for, so that there was nothing to choose."""
    items, raters = search.question.item_numbers, search.question.rater_numbers
    return items is not None and raters is not None and len(items) == len(raters) == 1


def usual_sizes(search: Search) -> tuple[StudySize, ...]:
    """Return what usual sizes promise, for a table or a map when the user asked for no sizes."""
    raters = [k for k in GRID_RATERS if search.source.knows(k)]
    for k in raters:
        search.prepare(GRID_ITEMS, k)
    return tuple(search.size(n, k) for k in raters for n in GRID_ITEMS if n <= search.most_items(k))


def _sizes_asked(search: Search, raters: Sequence[int], items: Sequence[int]) -> tuple[StudySize, ...]:
    over = [(n, k) for k in raters for n in items if n > search.most_items(k)]
    if over:
        n, k = over[0]
        raise InputError(
            f"{count(n, 'item')} with {count(k, 'rater')} each are more than the people can do: with --max-per-rater "
            f"at most {count(search.most_items(k), 'item')} fit; raise it, or --pool."
        )
    for k in raters if len(raters) <= SHARP else ():
        search.law(k, ASKED)
    return tuple(search.size(n, k) for k in raters for n in items)


def _cheapest(search: Search, tried: Sequence[int]) -> tuple[list[StudySize], StudySize]:
    """Find the cheapest study for each number of raters, and of all."""
    question = search.question
    rows = search.cheapest(tried)
    if rows and question.raters is None and max(tried) == RATERS[-1]:
        rows = _between(search, rows)
    rows = _sharpened(search, rows)
    if not rows:
        raise _out_of_reach(search, tried)
    best = min(rows, key=_by_cost)
    if question.budget is not None and best.cost > question.budget:
        best = _most_for_the_money(search.affordable(question.budget, tried), question)
    return rows, best


def _between(search: Search, rows: list[StudySize]) -> list[StudySize]:
    """Where many raters are cheapest (items are dear), also try the numbers in between and beyond."""
    most = search.source.people.most_raters
    while True:
        rows = sorted(rows, key=lambda size: size.n_raters)
        place = int(np.argmin([size.cost for size in rows]))
        raters = [size.n_raters for size in rows]
        if place == len(rows) - 1 and raters[-1] < most:
            new = [min(2 * raters[-1], most)]
        else:
            around = raters[max(place - 1, 0) : place + 2]
            new = [(a + b) // 2 for a, b in pairwise(around) if b - a > 1]
        more = search.cheapest([k for k in new if search.source.knows(k)])
        if not more:
            return rows
        rows += more


def _sharpened(search: Search, rows: list[StudySize]) -> list[StudySize]:
    """Look again, with a smaller error, at numbers of raters that come close to the cheapest."""
    seen: set[int] = set()
    while near := {size.n_raters for size in rows if size.cost <= CLOSE * min(each.cost for each in rows)} - seen:
        for k in near:
            known = search.law(k)
            if search.law(k, 0.7 * search.question.precision) is known:
                continue
            place = [size.n_raters for size in rows].index(k)
            rows[place : place + 1] = search.cheapest([k])
        seen |= near
    return rows


def _out_of_reach(search: Search, tried: Sequence[int]) -> InputError:
    question, k = search.question, tried[-1]
    start = f"The goal {question.wanted} is out of reach with up to ten million items"
    if not search.law(k).raters_return:
        return InputError(f"{start}; ask for a larger difference or a lower goal.")
    ever = search.detectable(MOST_ITEMS, k)
    floor = f", and {k} of them see no difference below {number(ever)}" if np.isfinite(ever) else ""
    return InputError(
        f"{start}: raters who come back leave a spread that items do not lower{floor}; ask for more raters per item, "
        "or a larger difference."
    )


def _most_for_the_money(sizes: Sequence[StudySize], question: PlanQuestion) -> StudySize:
    return max(sizes, key=lambda size: (size.n_items >= question.floor, size.power))


def _pick(sizes: Sequence[StudySize], search: Search) -> StudySize:
    met = [size for size in sizes if search.met(size.n_items, size.n_raters)]
    return min(met, key=_by_cost) if met else max(sizes, key=lambda size: size.power)


def _by_cost(size: StudySize) -> tuple[float, int]:
    return size.cost, size.n_raters


def _warnings(search: Search, best: StudySize) -> list[str]:
    """Say what should not be trusted."""
    question, goal, warnings = search.question, search.question.wanted, []
    if best.n_items < 30:
        warnings.append("below 30 items the verdict rests on few items, whatever the number of raters.")
    if goal.chance is None:
        if not search.met(best.n_items, best.n_raters):
            warnings.append(f"the goal {goal} is not met.")
    elif best.power < goal.value - 3 * best.power_error - 1e-9:
        warnings.append(f"the goal is not met: power is {percent(best.power)}, not {percent(goal.value)}.")
    warnings += search.source.warnings
    if best.power_error > question.precision * 1.05:
        warnings.append(f"power is known to ± {number(best.power_error)} only, for want of simulated items.")
    return warnings


def _next_purchases(search: Search, n: int, k: int) -> tuple[PurchaseOption, ...]:
    """With N × K there already: more items, more raters on them, or nothing; the best first."""
    now, question = search.size(n, k), search.question
    nothing = replace(_purchase("buy nothing", now, search), cost=0.0, assumption="the true difference is smaller")
    chosen = [nothing]
    needed = search.fewest_items(k)
    if question.budget is not None:
        affordable = n + int(question.budget / question.cost(1, k) + 1e-9)
        needed = affordable if needed is None else min(needed, affordable)
    if needed is not None and needed > n:
        more = search.size(needed, k)
        chosen.append(replace(_purchase("more items", more, search), cost=more.cost - now.cost))
    raters = _more_raters(search, n, k)
    if raters is not None:
        fuller = _purchase("more raters", search.size(n, raters), search)
        chosen.append(replace(fuller, cost=n * (raters - k) * question.rating_price))
    goal = question.wanted.power - 1e-9

    def order(purchase: PurchaseOption) -> tuple[bool, float]:
        short = purchase.size.power < goal
        return short, -purchase.size.power if short else purchase.cost

    return tuple(sorted(chosen, key=order))


def _more_raters(search: Search, n: int, k: int) -> int | None:
    """The fewest raters with whom the items there are enough; None if too dear or not known."""
    for raters in (x for x in RATERS if x > k and search.source.knows(x)):
        extra = n * (raters - k) * search.question.rating_price
        if search.question.budget is not None and extra > search.question.budget:
            return None
        if search.met(n, raters):
            return raters
    return None


def _purchase(name: str, size: StudySize, search: Search) -> PurchaseOption:
    asked = search.question
    if size.n_raters == 1:
        breaks = "raters are careless: one per item shows no disagreement"
    elif asked.item_price > 0:
        breaks = "items turn out cheaper: more of them would tell more"
    else:
        breaks = "items are easy to get: more of them would tell more"
    lost = search.law(size.n_raters).lost_chance(size.n_items, asked.confidence, asked.margin or 0.0)
    return PurchaseOption(name, size, size.cost, max(1.0 - size.power - lost, 0.0), breaks)
