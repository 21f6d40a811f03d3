"""How many people to ask: what a study promises with a smaller or larger pool of raters [multilevel, down-sampling]."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from quorate._errors import InputError
from quorate.planning.laws.law import Law
from quorate.planning.laws.rater_law import RaterModel, people_needed
from quorate.planning.search import MOST_ITEMS, Plan
from quorate.planning.staffing import Limits
from quorate.planning.study_size import StudySize

__all__ = [
    "PoolRow",
    "Staff",
    "by_limit",
    "by_pool",
    "limited_staff",
    "pool_row",
    "recruits",
    "staff_of",
    "staffed",
]

LADDER = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 300, 500, 1000, 2000, 5000)
"""Pools that are looked at, beside the one asked for."""
ROWS = 8
COARSE = 0.03
"""Relative error of a resampled table's laws, pool by pool."""
PATIENCE = 2.0
"""People are enough when at most so many times the items of an endless crowd will do."""
ENDLESS = 1_000_000


@dataclass(frozen=True)
class PoolRow:
    """One size of pool: what the recommended study promises with it, and what it would take.

    Parameters
    ----------
    pool, items_each
        People, and items per person.
    n_items, n_raters
        The study; fewer items than recommended if the people cannot do more.
    power, expected_p, ci_width, detectable
        As in a row of the plan.
    smallest_ever
        Smallest difference seen with the goal's power, however many items are bought.
    items_needed
        Fewest items that meet the goal with these people; None if no number does.
    """

    pool: int
    items_each: float
    n_items: int
    n_raters: int
    power: float
    expected_p: float
    ci_width: float
    detectable: float
    smallest_ever: float
    items_needed: int | None


@dataclass(frozen=True)
class Staff:
    """Who rates the recommended study: people asked for, and used if those cannot reach the goal; how far they reach.

    `smallest_ever` is the smallest difference the people asked for can show, however many items are bought; `recruit`
    is how many people reach the goal without many more items than an endless crowd needs.
    """

    asked: int
    used: int
    smallest_ever: float
    recruit: int
    by_pool: tuple[PoolRow, ...]


def staffed(search: Plan, model: RaterModel) -> Plan:
    """Return the same search with the people of a model."""
    return replace(
        search, law=model.law, most_items=lambda k: model.most_items(k, MOST_ITEMS), most_raters=min(model.pool, 1000)
    )


def pool_row(search: Plan, pool: int, n_items: int, n_raters: int, *, all_items: bool = False) -> PoolRow:
    """Return what a study promises with the people of a search; fewer items where they cannot do more.

    With `all_items` every rater of the study rates all its items; otherwise the people share them evenly.
    """
    most = search.most_items(n_raters)
    row = search.row(max(min(n_items, most), 1), n_raters)
    law = search.law(n_raters)
    ever = law.smallest_seen(most, search.confidence, search.goal.power) if law.raters_return else np.nan
    return PoolRow(
        pool=pool,
        items_each=float(row.n_items) if all_items else row.responses / min(pool, row.responses),
        n_items=row.n_items,
        n_raters=n_raters,
        power=row.power,
        expected_p=row.expected_p,
        ci_width=row.ci_width,
        detectable=row.detectable,
        smallest_ever=float(ever),
        items_needed=search.fewest_items(n_raters),
    )


def staff_of(asked: RaterModel, used: RaterModel, search: Plan, best: StudySize) -> Staff:
    """Say how far the people asked for reach, how many would be enough, and what each number of people promises."""
    first, k = staffed(search, asked), min(best.n_raters, asked.pool)
    ever = first.law(k).smallest_seen(first.most_items(k), search.confidence, search.goal.power)
    try:
        recruit = used.pool if used.pool > asked.pool else recruits(search, asked, best.n_raters)
    except InputError:  # nothing to see but a width or a margin that no crowd reaches
        recruit = used.pool
    return Staff(asked.pool, used.pool, ever, recruit, by_pool(search, asked, best, (used.pool, recruit)))


def limited_staff(limits: Limits, search: Plan, best: StudySize) -> Staff:
    """Say what smaller and larger pools of a resampled table's raters promise."""
    rows = by_limit(search, lambda r, k: limits.law(r, k, COARSE), best, limits.pool, limits.people)
    here = next(row for row in rows if row.pool == limits.pool)
    return Staff(limits.pool, limits.pool, here.smallest_ever, limits.pool, rows)


def by_limit(
    search: Plan, law: Callable[[int, int], Law], best: StudySize, pool: int, people: int
) -> tuple[PoolRow, ...]:
    """Return what the recommended study promises if the raters of a table are limited to fewer of its people.

    A pool smaller than the raters per item gives so many raters per item.

    Parameters
    ----------
    search, best
        The search, and the recommended study.
    law
        From a pool and raters per item to a law.
    pool, people
        The pool asked for, and all there are.
    """
    pools = sorted({max(2, pool // 4), max(2, pool // 2), pool, min(2 * pool, people), people})
    limited = [replace(search, law=lambda k, r=r: law(r, k), most_raters=r) for r in pools]  # type: ignore[misc]
    return tuple(
        pool_row(each, r, best.n_items, min(best.n_raters, r), all_items=True)
        for r, each in zip(pools, limited, strict=True)
    )


def by_pool(search: Plan, model: RaterModel, best: StudySize, also: Iterable[int] = ()) -> tuple[PoolRow, ...]:
    """Return what the recommended study promises with fewer and with more people.

    Parameters
    ----------
    search, model
        The search, and the components with the pool asked for.
    best
        The recommended study.
    also
        Further pools to look at.
    """
    wanted = {model.pool, *also}
    near = [r for r in LADDER if r >= max(best.n_raters, 2) and min(wanted) / 4 <= r <= 6 * max(wanted)]
    pools = sorted({*near, *(r for r in wanted if r >= best.n_raters)})
    pools = [r for r in pools if r in wanted or r in _spread_out(pools)]
    return tuple(pool_row(staffed(search, model.with_pool(r)), r, best.n_items, best.n_raters) for r in pools)


def recruits(search: Plan, model: RaterModel, n_raters: int) -> int:
    """Return how many people make the goal reachable without many more items than an endless crowd would need."""
    endless = staffed(search, model.with_pool(ENDLESS)).fewest_items(n_raters)
    if endless is None:
        raise InputError(
            f"The goal {search.goal.kind}={search.goal.value:g} is out of reach with any number of people and items; "
            "ask for a larger difference or a lower goal."
        )
    limit = int(np.ceil(PATIENCE * endless))
    needed = people_needed(model, _within(search, n_raters, limit))
    assert needed is not None  # an endless crowd is enough
    return needed


def _within(search: Plan, n_raters: int, limit: int) -> Callable[[RaterModel], bool]:
    """Tell whether a model meets the goal with at most so many items."""

    def enough(model: RaterModel) -> bool:
        most = model.most_items(n_raters, limit)
        return most >= max(search.min_items, 1) and staffed(search, model).met(most, n_raters)

    return enough


def _spread_out(pools: list[int]) -> set[int]:
    """A handful of them, the ends included."""
    places = np.unique(np.linspace(0, len(pools) - 1, min(ROWS, len(pools))).round().astype(int))
    return {pools[place] for place in places}
