"""How many people to ask: what a study promises with fewer or more [multilevel, down-sampling]."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from quorate._errors import InputError
from quorate.agreement.variance_parts import VarianceParts
from quorate.planning.laws.rater_law import RaterLaw, people_needed
from quorate.planning.search import MOST_ITEMS, MOST_RATERS, People, Search, StudySize

LADDER = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 300, 500, 1000, 2000, 5000)
"""Pools that are looked at, beside the one asked for."""
LISTED = 8
PATIENCE = 2.0
"""People are enough when at most so many times the items of an endless crowd will do."""
ENDLESS = 1_000_000


@dataclass(frozen=True)
class PoolSize:
    """One size of pool: what the recommended study promises with it, and what it would take.

    The study has fewer items than recommended if the people cannot do more; no number of items
    shows less than `smallest_ever`, and None are needed where none are enough.
    """

    pool: int
    items_each: float
    size: StudySize
    smallest_ever: float
    items_needed: int | None


@dataclass(frozen=True)
class PeopleReport:
    """Who rates the recommended study, and how far these people reach.

    Parameters
    ----------
    pool, used
        People asked for, and used if those cannot reach the goal.
    max_per_rater, items_each
        Most items one person can do, and how many each does; every rater does all of them if `all_items`.
    smallest_ever
        Smallest difference the people asked for can show, however many items are bought.
    recruit
        How many people reach the goal without many more items than an endless crowd needs.
    variance
        Where the spread of one rater's difference comes from, if that is known.
    by_pool
        What fewer and more people promise.
    """

    pool: int
    used: int
    max_per_rater: int | None
    items_each: float
    smallest_ever: float
    recruit: int
    by_pool: tuple[PoolSize, ...]
    variance: VarianceParts | None = None
    all_items: bool = False


@dataclass(frozen=True)
class SharedPool(People):
    """People who share all items evenly: those of the law, where so many were `asked` for."""

    law: RaterLaw
    asked: int

    @property
    def most_raters(self) -> int:
        """Most raters per item worth a look."""
        return min(self.law.pool, MOST_RATERS)

    def most_items(self, n_raters: int) -> int:
        """Return the most items that fit: N K ≤ R L."""
        return self.law.most_items(n_raters, MOST_ITEMS)

    def check_raters(self, wanted: Sequence[int]) -> list[int]:
        """Return those numbers of raters per item that are not more than the people."""
        return _at_most(wanted, self.law.pool)

    def with_pool(self, pool: int) -> "SharedPool":
        """Return the same with another number of people."""
        return replace(self, law=replace(self.law, pool=pool))

    def enough(self, search: Search, n_raters: int) -> "SharedPool":
        """Keep the people asked for if they can reach the goal; else recruit.

        One rater per item is the test: nothing tells more with the same people and answers.
        """
        most = self.most_items(n_raters)
        if most >= search.floor and search.met(most, n_raters):
            return self
        return self.with_pool(self._recruits(search, n_raters))

    def _recruits(self, search: Search, n_raters: int) -> int:
        """How many people reach the goal without many more items than an endless crowd."""
        endless = search.with_people(self.with_pool(ENDLESS)).fewest_items(n_raters)
        if endless is None:
            raise InputError(
                f"The goal {search.question.wanted} is out of reach with any number of people and items; ask for a "
                "larger difference or a lower goal."
            )
        limit = ceil(PATIENCE * endless)

        def reaches(law: RaterLaw) -> bool:
            most = law.most_items(n_raters, limit)
            there = search.with_people(replace(self, law=law))
            return most >= search.floor and there.met(most, n_raters)

        needed = people_needed(self.law, reaches)
        assert needed is not None  # an endless crowd is enough
        return needed

    def report(self, search: Search, best: StudySize) -> PeopleReport:
        """Say how far the people asked for reach, and how many would be enough."""
        asked, used = self.with_pool(self.asked), self.law.pool
        ever = _smallest_ever(search.with_people(asked), min(best.n_raters, self.asked))
        try:
            recruit = used if used > self.asked else asked._recruits(search, best.n_raters)
        except InputError:  # nothing to see but a width or a margin that no crowd reaches
            recruit = used
        return PeopleReport(
            pool=self.asked,
            used=used,
            max_per_rater=self.law.max_per_rater,
            items_each=_items_each(best, used),
            smallest_ever=ever,
            recruit=recruit,
            by_pool=tuple(
                _pool_size(search.with_people(self.with_pool(pool)), pool, best.n_items, best.n_raters)
                for pool in _pools({self.asked, used, recruit}, best.n_raters)
            ),
            variance=self.law.parts,
        )


@dataclass(frozen=True)
class TablePool(People):
    """Some of the raters of a resampled table, `pool` of `everybody`, who rate all items."""

    pool: int
    everybody: int
    max_per_rater: int | None = None

    @property
    def most_raters(self) -> int:
        """Most raters per item worth a look."""
        return self.pool

    @property
    def limited(self) -> bool:
        """Whether not everybody is asked."""
        return self.pool < self.everybody

    def most_items(self, n_raters: int) -> int:
        """Return how many items one of them can do, for all rate all."""
        return MOST_ITEMS if self.max_per_rater is None else self.max_per_rater

    def check_raters(self, wanted: Sequence[int]) -> list[int]:
        """Return those numbers of raters per item that are not more than the people."""
        return _at_most(wanted, self.pool)

    def report(self, search: Search, best: StudySize) -> PeopleReport:
        """Say what smaller and larger pools promise, with as many raters per item as they have."""
        pool, everybody = self.pool, self.everybody
        pools = sorted({max(2, pool // 4), max(2, pool // 2), pool, min(2 * pool, everybody), everybody})
        sizes = {
            each: _pool_size(
                search.with_people(replace(self, pool=each)),
                each,
                best.n_items,
                min(best.n_raters, each),
                all_items=True,
            )
            for each in pools
        }
        return PeopleReport(
            pool=pool,
            used=pool,
            max_per_rater=self.max_per_rater,
            items_each=best.n_items,
            smallest_ever=sizes[pool].smallest_ever,
            recruit=pool,
            by_pool=tuple(sizes.values()),
            all_items=True,
        )


def _items_each(size: StudySize, people: int) -> float:
    """How many items each of the people rates, with the load shared evenly."""
    places = size.n_items * size.n_raters
    return places / min(people, places)


def _at_most(wanted: Sequence[int], pool: int) -> list[int]:
    possible = [k for k in wanted if k <= pool]
    if not possible:
        raise InputError(f"{min(wanted)} raters per item cannot come from {pool} people; raise --pool.")
    return possible


def _smallest_ever(search: Search, n_raters: int) -> float:
    return search.detectable(search.most_items(n_raters), n_raters)


def _pool_size(search: Search, pool: int, n_items: int, n_raters: int, *, all_items: bool = False) -> PoolSize:
    """What a study promises with the people of a search; fewer items where they cannot do more."""
    size = search.size(max(min(n_items, search.most_items(n_raters)), 1), n_raters)
    return PoolSize(
        pool=pool,
        items_each=float(size.n_items) if all_items else _items_each(size, pool),
        size=size,
        smallest_ever=_smallest_ever(search, n_raters),
        items_needed=search.fewest_items(n_raters),
    )


def _pools(wanted: set[int], n_raters: int) -> list[int]:
    """Fewer and more people than those wanted: a handful, spread out, the ends included."""
    near = [r for r in LADDER if r >= max(n_raters, 2) and min(wanted) / 4 <= r <= 6 * max(wanted)]
    pools = sorted({*near, *(r for r in wanted if r >= n_raters)})
    places = np.unique(np.linspace(0, len(pools) - 1, min(LISTED, len(pools))).round().astype(int))
    return [r for place, r in enumerate(pools) if r in wanted or place in places]
