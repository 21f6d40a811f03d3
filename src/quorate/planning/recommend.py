"""From item laws, a goal, prices and limits to the study to buy, its rivals, and what should not be trusted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import isfinite

import numpy as np

from quorate._errors import InputError
from quorate._random import generator
from quorate._text import count, number, percent
from quorate.inference.procedures import SWAPPED_ITEMS
from quorate.planning.laws.law import Law
from quorate.planning.laws.rater_law import RaterModel
from quorate.planning.laws.set_scores import enumerated_kinds, kinds_power
from quorate.planning.people import Staff, limited_staff, recruits, staff_of, staffed
from quorate.planning.promises.brute_force import simulated_power
from quorate.planning.scenario import Scenario
from quorate.planning.search import MOST_ITEMS, Goal, Plan, Prices
from quorate.planning.sources.choose import Laws, Source
from quorate.planning.study_size import StudySize

__all__ = ["GRID_ITEMS", "GRID_RATERS", "Ask", "Found", "recommend"]

RATERS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20, 30, 50)
"""Raters per item that are tried at first unless the user names others."""
CLOSE = 1.15
"""Numbers of raters whose cost comes this close to the cheapest are looked at again, with smaller error."""
SHARP, ASKED = 3, 0.009
"""Up to so many numbers of raters asked for, every law is known with this relative error of its mean."""
GRID_ITEMS, GRID_RATERS = (30, 50, 100, 200, 500, 1000, 2000, 5000, 10_000), (1, 2, 3, 5, 10)
"""Sizes of the table that is written when the user asked for no other."""


@dataclass(frozen=True)
class Ask:
    """What is wanted, whatever the source of the item laws; the fields are `quorate.plan`'s."""

    goal: Goal
    goal_given: bool
    prices: Prices
    budget: float | None
    items: Sequence[int] | None
    raters: Sequence[int] | None
    have: tuple[int, int] | None
    min_items: int
    margin: float | None
    confidence: float
    precision: float
    paper: bool
    seed: int

    def check(self) -> None:
        """Refuse what cannot be asked."""
        if not 0 < self.confidence < 1:
            raise InputError(f"--confidence {self.confidence:g} is not between 0 and 1; 0.95 is usual.")
        if self.margin is not None and not 0 < self.margin < float("inf"):
            raise InputError(f"--margin {self.margin:g} must be a number above 0.")
        if self.goal.kind == "equivalence" and self.margin is None:
            raise InputError("--goal equivalence needs --margin: differences up to which systems count as equal.")
        if not 0 < self.precision < 1:
            raise InputError(f"--precision {self.precision:g} must lie between 0 and 1.")
        if self.min_items < 1:
            raise InputError(f"--min-items {self.min_items} must be at least 1.")
        for flag, sizes in (("--items", self.items), ("--raters", self.raters), ("--have", self.have)):
            if sizes is not None and min(sizes, default=0) < 1:
                raise InputError(f"{flag} must be whole numbers from 1 up.")
        one = self.prices.cost(1, min(self.raters or (1,)))
        if self.budget is not None and not self.budget >= one:
            raise InputError(f"--budget {self.budget:g} buys nothing: one item with its raters costs {one:g}.")
        if self.budget is not None and not isfinite(self.budget):
            raise InputError("--budget must be a finite number; leave it out if there is no limit.")


@dataclass(frozen=True)
class Found:
    """The study to buy, the cheapest (or best affordable) for each number of raters, and every size asked for."""

    search: Plan
    best: StudySize
    by_raters: tuple[StudySize, ...]
    grid: tuple[StudySize, ...]
    warnings: tuple[str, ...]
    staff: Staff | None = None


def recommend(source: Source, ask: Ask) -> Found:
    """Return the cheapest study that meets the goal, or the best one that can be had."""
    if source.raters is None:
        found, limits = _recommend(source, ask), source.limits
        return found if limits is None else replace(found, staff=limited_staff(limits, found.search, found.best))
    model = _enough_people(source, source.raters, ask)
    found = _recommend(source.staffed(model), ask)
    return replace(found, staff=staff_of(source.raters, model, found.search, found.best))


def _recommend(source: Source, ask: Ask) -> Found:
    laws = Laws(source)
    search = _search(source, ask, laws)
    tried = _tried(source, ask)
    if search.law(tried[0]).mean <= 0 and ask.margin is None:
        raise InputError(
            "System A is not the better one here, so there is nothing to see; lower --score or raise --effect."
        )
    grid: tuple[StudySize, ...] = ()
    if ask.items is not None:
        for k in tried if len(tried) <= SHARP else ():
            laws.at_least(k, ASKED)
        _refuse_overwork(search, tried, ask.items)
        grid = tuple(search.row(n, k) for k in tried for n in ask.items)
        rows = [_pick([row for row in grid if row.n_raters == k], search) for k in tried]
        best = _pick(list(grid), search)
    elif ask.budget is not None and not ask.goal_given:
        rows = search.affordable(ask.budget, tried)
        best = _most_for_the_money(rows, ask)
    else:
        rows, best = _cheapest(search, laws, tried, ask)
    best, warnings = _checked(source, search, best, ask)
    return Found(search, best, tuple(rows), grid, tuple(warnings))


def _search(source: Source, ask: Ask, laws: Callable[[int], Law]) -> Plan:
    search = Plan(laws, ask.goal, ask.prices, ask.min_items, ask.margin, ask.confidence, ask.seed, ask.paper)
    if source.raters is not None:
        return staffed(search, source.raters)
    if source.limits is None:
        return search if source.most_people is None else replace(search, most_raters=source.most_people)
    most = MOST_ITEMS if source.limits.max_per_rater is None else source.limits.max_per_rater  # of whom all rate all
    return replace(search, most_items=lambda _: most, most_raters=source.limits.pool)


def _refuse_overwork(search: Plan, raters: Sequence[int], items: Sequence[int]) -> None:
    over = [(n, k) for k in raters for n in items if n > search.most_items(k)]
    if over:
        n, k = over[0]
        raise InputError(
            f"{count(n, 'item')} with {count(k, 'rater')} each are more than the people can do: with --max-per-rater "
            f"at most {count(search.most_items(k), 'item')} fit; raise it, or --pool."
        )


def _tried(source: Source, ask: Ask) -> list[int]:
    """Return the numbers of raters per item to look at; refuse what neither a pilot nor a pool allows."""
    wanted = ask.raters or (RATERS if source.only is None else (source.only,))
    if source.only is not None and set(wanted) != {source.only}:
        raise InputError(
            f"How raters differ in {source.metric.title} is known for {source.only} raters per item, as in the pilot: "
            f"say --raters {source.only}, or --unit items to forget the raters."
        )
    tried = [k for k in wanted if source.most_raters is None or k <= source.most_raters]
    if not tried:
        raise InputError(
            f"The pilot has {source.most_raters} raters per item, and {source.metric.title} cannot be planned for "
            "more; ask for fewer with --raters."
        )
    pool = (
        source.raters.pool if source.raters is not None else source.limits.pool if source.limits is not None else None
    )
    if pool is not None:
        tried = [k for k in tried if k <= pool]
        if not tried:
            raise InputError(f"{min(wanted)} raters per item cannot come from {pool} people; raise --pool.")
    return tried


def _enough_people(source: Source, model: RaterModel, ask: Ask) -> RaterModel:
    """Keep the people asked for if they can reach the goal, or if sizes or a budget are given; else recruit."""
    if ask.items is not None or (ask.budget is not None and not ask.goal_given):
        return model
    fewest = min(_tried(source, ask))  # one rater per item: nothing tells more with the same people and answers
    search = _search(source, ask, model.law)
    most = search.most_items(fewest)
    if most >= ask.min_items and search.met(most, fewest):
        return model
    return model.with_pool(recruits(search, model, fewest))


def _cheapest(search: Plan, laws: Laws, tried: Sequence[int], ask: Ask) -> tuple[list[StudySize], StudySize]:
    """Find the cheapest study; numbers of raters that come close are looked at again with a smaller error."""
    rows = search.cheapest(tried)
    if not rows:
        raise _out_of_reach(search, tried, ask)
    if ask.raters is None and max(tried) == RATERS[-1]:
        rows = _between(search, rows)
    rows = _sharpened(search, laws, rows, ask)
    if not rows:
        raise _out_of_reach(search, tried, ask)
    best = min(rows, key=lambda row: (row.cost, row.n_raters))
    if ask.budget is not None and best.cost > ask.budget:
        best = _most_for_the_money(search.affordable(ask.budget, tried), ask)
    return rows, best


def _sharpened(search: Plan, laws: Laws, rows: list[StudySize], ask: Ask) -> list[StudySize]:
    """Look again, with a smaller error, at numbers of raters that come close to the cheapest, until none is left."""
    known: set[int] = set()
    while near := {row.n_raters for row in rows if row.cost <= _close(rows)} - known:
        for k in near:
            laws.at_least(k, 0.7 * ask.precision)
            place = [row.n_raters for row in rows].index(k)
            rows[place : place + 1] = search.cheapest([k])
        known |= near
    return rows


def _close(rows: Sequence[StudySize]) -> float:
    return CLOSE * min(row.cost for row in rows)


def _out_of_reach(search: Plan, tried: Sequence[int], ask: Ask) -> InputError:
    told = f"The goal {ask.goal.kind}={ask.goal.value:g} is out of reach with up to ten million items"
    law = search.law(tried[-1])
    if law.raters_return:
        ever = law.smallest_seen(MOST_ITEMS, ask.confidence, ask.goal.power)
        floor = f", and {tried[-1]} of them see no difference below {number(ever)}" if np.isfinite(ever) else ""
        return InputError(
            f"{told}: raters who come back leave a spread that items do not lower{floor}; ask for more raters per "
            "item, or a larger difference."
        )
    return InputError(f"{told}; ask for a larger difference or a lower goal.")


def _between(search: Plan, rows: list[StudySize]) -> list[StudySize]:
    """Where many raters are cheapest (items are dear), also try the numbers in between and beyond."""
    while True:
        rows = sorted(rows, key=lambda row: row.n_raters)
        place = int(np.argmin([row.cost for row in rows]))
        sizes = [row.n_raters for row in rows]
        if place == len(rows) - 1 and sizes[-1] < search.most_raters:
            new = [min(2 * sizes[-1], search.most_raters)]
        else:
            around = sizes[max(place - 1, 0) : place + 2]
            new = [(a + b) // 2 for a, b in pairwise(around) if b - a > 1]
        found = search.cheapest(new)
        if not found:
            return rows
        rows = rows + found


def _most_for_the_money(rows: Sequence[StudySize], ask: Ask) -> StudySize:
    return max(rows, key=lambda row: (row.n_items >= ask.min_items, row.power))


def _pick(rows: Sequence[StudySize], search: Plan) -> StudySize:
    met = [row for row in rows if search.met(row.n_items, row.n_raters)]
    return min(met, key=lambda row: (row.cost, row.n_raters)) if met else max(rows, key=lambda row: row.power)


def _checked(source: Source, search: Plan, best: StudySize, ask: Ask) -> tuple[StudySize, list[str]]:
    """Check by brute force what is no mean over independent items; say what should not be trusted."""
    warnings = []
    if source.setting is not None and source.metric.level == "set" and not source.crossed and best.n_items > 1:
        best = _simulated(source, search, best, ask)
        warnings.append(
            f"{source.metric.title} scores the whole set: the power of the recommended study is the share of simulated "
            "studies."
        )
    if best.n_items < 30:
        warnings.append("below 30 items the verdict rests on few items, whatever the number of raters.")
    if ask.goal.kind in ("power", "equivalence") and best.power < ask.goal.value - 3 * best.power_error - 1e-9:
        warnings.append(f"the goal is not met: power is {percent(best.power)}, not {percent(ask.goal.value)}.")
    elif ask.goal.kind in ("width", "p") and not search.met(best.n_items, best.n_raters):
        warnings.append(f"the goal {ask.goal.kind}={ask.goal.value:g} is not met.")
    if source.pilot is not None and source.pilot.components is None and source.metric.linear:
        warnings.append("the pilot has one rater per item, so it cannot tell what more raters would bring.")
    warnings += source.notes
    if best.power_error > ask.precision * 1.05:
        warnings.append(f"power is known to ± {number(best.power_error)} only, for want of simulated items.")
    return best, warnings


def _simulated(source: Source, search: Plan, best: StudySize, ask: Ask) -> StudySize:
    """Replace the promised power by that of simulated studies; add items once if a set score needs them."""
    from scipy.special import ndtri

    assert source.setting is not None
    for _ in range(2):
        power, error, width = _set_power(source.setting, best, ask)
        found = replace(best, power=power, power_error=error, ci_width=width)
        short = ask.goal.kind == "power" and power < ask.goal.value - 2 * error
        if not short or ask.items is not None or ask.budget is not None:
            break
        z = float(ndtri(0.5 + ask.confidence / 2))
        more = (z + float(ndtri(ask.goal.value))) / max(z + float(ndtri(np.clip(power, 0.01, 0.99))), 0.3)
        best = search.row(int(np.ceil(best.n_items * min(more, 2.0) ** 2)), best.n_raters)
    return found


def _set_power(setting: Scenario, best: StudySize, ask: Ask) -> tuple[float, float, float]:
    """Power, its error and the width of the interval, from simulated studies: of kinds of items where these are few."""
    kinds = enumerated_kinds(setting, best.n_raters) if best.n_items > SWAPPED_ITEMS else None
    if kinds is not None:
        rng = generator(ask.seed, "set studies", best.n_items, best.n_raters)
        return kinds_power(kinds, best.n_items, ask.confidence, -(ask.margin or 0.0), rng=rng)
    studies = 400 if best.n_items <= SWAPPED_ITEMS else 1000
    sizes = best.n_items, best.n_raters
    return simulated_power(setting, *sizes, ask.confidence, margin=ask.margin, studies=studies)
