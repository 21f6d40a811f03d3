"""Who gave which answer, so that values of answers become values in the eyes of raters."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from quorate._typing import Array
from quorate.data.ratings import Ratings, item_slices
from quorate.inference.crossed import (
    CellValues,
    CrossedDesign,
    Crossing,
    crossed_pivot,
    effective_number,
    two_way_variance,
)
from quorate.inference.means import mean_pivot
from quorate.inference.pivot import Pivot
from quorate.inference.scored_systems import ScoredSystems
from quorate.inference.uncertain_variance import Part, UncertainVariance
from quorate.populations.population import Panel

if TYPE_CHECKING:
    import polars as pl

AT_ONCE = 1 << 17
"""Answers looked at together, of very many: so few that what is made of them stays small, in the processor's cache."""


@dataclass(frozen=True)
class Roster:
    """Answers with their givers, one row each.

    Parameters
    ----------
    item, rater
        Codes from 0, ``(..., row)``.
    place
        Category of the answer, or its position among the item's sorted answers, ``(..., row)``.
    count
        How often the row occurred, ``(row,)``; None means once.
    units
        Group of each item that was drawn as a whole, ``(item,)``; None if items were.
    paired
        Whether an (item, rater) pair may have several rows; groups of items always may.
    of_items
        Of so many items these are a piece; 0 for a whole.
    at_once
        Answers looked at together; more are read a piece at a time.
    names
        What the raters are called, by code; None where nobody asked.
    """

    item: Array
    rater: Array
    place: Array
    n_items: int
    n_raters: int
    count: Array | None = None
    units: Array | None = None
    paired: bool = False
    of_items: int = 0
    at_once: int = AT_ONCE
    names: "pl.Series | None" = None

    @cached_property
    def crossing(self) -> Crossing:
        """Cells (item or group, rater): items weigh alike, and so do the answers of an item."""
        cell, first = self._cells
        weight = self._row_weight if cell is None else np.bincount(cell, self._row_weight)
        item = self.item if self.units is None else self.units[self.item]
        n_units = self.n_items if self.units is None else int(self.units.max()) + 1
        return Crossing(item[..., first], self.rater[..., first], weight, n_units, self.n_raters)

    def read(self, table: Array) -> Array:
        """Return values of cells, ``(..., cell)``, from those of answers, ``(..., item,
        place)``."""
        width = table.shape[-1]
        flat, index = table.reshape(*table.shape[:-2], -1), self.item.astype(np.int64) * width + self.place
        if flat.ndim == 1:
            values: Array = flat[index]
        else:
            values = np.take_along_axis(flat, np.broadcast_to(index, (*flat.shape[:-1], index.shape[-1])), -1)
        cell, _ = self._cells
        if cell is None:
            return values
        return np.asarray(np.bincount(cell, self._row_weight * values) / self.crossing.weight)

    @cached_property
    def long(self) -> bool:
        """Whether answers are so many, of one study and sorted by item, that they are read a piece at a time."""
        if self.units is not None or self.item.ndim > 1 or len(self.item) <= self.at_once:
            return False
        return bool((self.item[1:] >= self.item[:-1]).all())

    @cached_property
    def crossed(self) -> CrossedDesign:
        """The same cells, in pieces if there are very many."""
        return LongCrossing(self, self.n_items, self.n_raters) if self.long else self.crossing

    def cells(self, table: Callable[[slice], Array]) -> CellValues:
        """Return the values of the cells `crossed` from those of the answers to some items, ``(..., item, place)``."""
        return LongValues(self, table) if self.long else self.read(table(slice(None)))

    def pieces(self) -> "Iterator[tuple[slice, Roster]]":
        """Yield consecutive items and the answers to them, a piece at a time, items numbered from 0."""
        done = 0
        for rows in item_slices(self.item, self.at_once):
            end = int(self.item[rows.stop - 1]) + 1 if rows.stop < len(self.item) else self.n_items
            count = None if self.count is None else self.count[rows]
            item = self.item[rows] - self.item.dtype.type(done)
            part = Roster(item, self.rater[rows], self.place[rows], end - done, self.n_raters, count, None, self.paired)
            yield slice(done, end), replace(part, of_items=self.n_items)
            done = end

    def take(self, items: Array) -> "Roster":
        """Return the answers to some items, in the order given; raters keep their numbers."""
        place = np.full(self.n_items, -1, dtype=np.int64)
        place[items] = np.arange(len(items))
        rows = np.flatnonzero(place[self.item] >= 0)
        units = None if self.units is None else np.unique(self.units[items], return_inverse=True)[1]
        return Roster(
            place[self.item[rows]],
            self.rater[rows],
            self.place[rows],
            len(items),
            self.n_raters,
            None if self.count is None else self.count[rows],
            units,
            self.paired,
        )

    @cached_property
    def _row_weight(self) -> Array:
        count = np.ones(self.item.shape[-1]) if self.count is None else self.count.astype(float)
        size = np.bincount(self.item, count, self.n_items)
        return np.asarray(count / ((self.of_items or self.n_items) * size[self.item]))

    @cached_property
    def _cells(self) -> tuple[Array | None, Array | slice]:
        """Cell of each row, None if each row is one, and a row of each cell."""
        if self.units is None and not self.paired:
            return None, slice(None)
        item = self.item if self.units is None else self.units[self.item]
        key = item.astype(np.int64) * self.n_raters + self.rater
        step = np.diff(key)
        if (step >= 0).all():  # as ratings are read: no need to sort
            first = np.flatnonzero(np.concatenate([[1], step]))
            return np.repeat(np.arange(len(first)), np.diff(first, append=len(key))), first
        _, first, cell = np.unique(key, return_index=True, return_inverse=True)
        return cell, first


@dataclass(frozen=True)
class LongCrossing(CrossedDesign):
    """The cells of very many answers, made anew a piece at a time."""

    roster: Roster
    n_items: int
    n_raters: int

    def pieces(self) -> Iterator[Crossing]:
        """Yield the cells of consecutive items."""
        return (part.crossing for _, part in self.roster.pieces())


@dataclass(frozen=True)
class LongValues:
    """Values of cells, read a piece at a time from those of answers: of some items, ``(item, place)``."""

    roster: Roster
    table: Callable[[slice], Array]
    less: float = 0.0

    def pieces(self) -> Iterator[tuple[Crossing, Array]]:
        """Yield the cells of consecutive items and their values."""
        for items, part in self.roster.pieces():
            yield part.crossing, part.read(self.table(items)) - self.less

    def __sub__(self, number: float) -> "LongValues":
        """Return the values less a number."""
        return replace(self, less=self.less + number)


def roster_of(ratings: Ratings, units: Array | None = None) -> Roster | None:
    """Return who gave which answer, or None where raters are unknown."""
    if ratings.rater is None or ratings.n_raters is None:
        return None
    count = None if ratings.n_responses == len(ratings.count) else ratings.count
    item, rater, place = ratings.item, ratings.rater, ratings.response
    if not ratings.scale.counted:  # one row per answer, in the order of the item's sorted values
        repeats = ratings.count
        item, rater, level = (np.repeat(x, repeats) for x in (item, rater, place))
        order = np.lexsort((level, item))
        item, rater, count = item[order], rater[order], None
        size = np.bincount(item, minlength=ratings.n_items)
        place = np.arange(len(item)) - (np.cumsum(size) - size)[item]
        by_rater = np.lexsort((rater, item))  # so that the same people's ratings of two systems are the same cells
        item, rater, place = item[by_rater], rater[by_rater], place[by_rater]
    paired, n_raters = ratings.n_pairs < len(item), ratings.n_raters
    at_once = max(AT_ONCE, n_raters)  # or sums of raters cost the most
    return Roster(
        item, rater, place, ratings.n_items, n_raters, count, units, paired, at_once=at_once, names=ratings.raters
    )


def rosters_of_rated(rated: Mapping[str, Ratings], units: Array | None = None) -> dict[str, Roster]:
    """Return who rated the outputs of each system, with one numbering of raters for all."""
    import polars as pl

    rosters = {name: roster_of(part, units) for name, part in rated.items()}
    known = {name: part.raters for name, part in rated.items() if part.raters is not None}
    everyone = pl.concat(list(known.values())).unique().sort()
    return {
        name: replace(
            roster,
            rater=everyone.search_sorted(known[name]).to_numpy().astype(np.int64)[roster.rater],
            n_raters=len(everyone),
            names=everyone,
        )
        for name, roster in rosters.items()
        if roster is not None
    }


def pair_by_raters(
    systems: ScoredSystems, a: int, b: int, rosters: Sequence[Roster], *, items_fixed: bool = False, **known: Any
) -> Pivot:
    """Return the pivot of A minus B where raters count as drawn.

    `rosters` says by position of the system who answered the items, or who rated its outputs;
    `known` is what else a `Pivot` must know.
    """
    if systems.raters is not None:
        values, votes = rosters[a].cells(partial(systems.differences_on, a, b)), systems.metric.reads_votes
        return crossed_pivot(values, rosters[a].crossed, items_fixed=items_fixed, votes=votes, **known)
    sign = 1.0 if systems.metric.better == "high" else -1.0
    tables = sign * systems.answer_values[a], sign * systems.answer_values[b]
    return rated_pivot((rosters[a], rosters[b]), tables, items_fixed=items_fixed, **known)


def rated_pivot(
    rosters: tuple[Roster, Roster], tables: tuple[Array, Array], *, items_fixed: bool = False, **known: Any
) -> Pivot:
    """Return the pivot of A minus B where each system has its own ratings.

    A rater of both outputs is one cell with both ratings. Where raters rate outputs of one system
    on an item, items and raters are taken apart: what A minus B varies by over items, and what each
    person's ratings of A less those of B add. Two teams that share nobody are known each on its own
    degrees of freedom.

    `tables` are the values of ratings of A and of B, the larger the better, ``(item, place)``.
    """
    values = [roster.read(table) for roster, table in zip(rosters, tables, strict=True)]
    both = [roster.crossing for roster in rosters]
    if _same_cells(*both):
        return crossed_pivot(values[0] - values[1], both[0], items_fixed=items_fixed, **known)
    means = [(crossing.weight * value).sum(-1) for crossing, value in zip(both, values, strict=True)]
    moved = [c.weight * (value - mean) for c, value, mean in zip(both, values, means, strict=True)]
    estimate, n_items = np.asarray(means[0] - means[1]), both[0].n_items
    parts = both[0].by_item(moved[0]) - both[1].by_item(moved[1])
    items = Part(np.asarray((parts**2).sum() * n_items / (n_items - 1)), n_items - 1.0)
    people = _teams(both, values) if _apart(*both) else (_people(both, moved),)
    if items_fixed:
        items = Part(np.zeros(()), np.inf)
    variance = UncertainVariance(items, people)
    drawn = variance.df + 1 if items_fixed else None
    return Pivot(estimate, estimate + n_items * parts, variance, units_given=items_fixed, n_raters=drawn, **known)


def split_pivot(
    systems: ScoredSystems, a: int, b: int, roster: Roster | None, *, clusters: Array | None = None, **known: Any
) -> Pivot:
    """Return the pivot of A minus B where each item has one system: ``V_A + V_B``, and what raters add to both.

    What items differ by does not cancel. Known on the degrees of freedom of the system with fewer items; raters of both
    systems add what each one's answers move the difference by.
    """
    assert systems.items is not None
    items, units = (systems.items[a], systems.items[b]), systems.pair(a, b).differences
    own = [None if clusters is None else np.unique(clusters[each], return_inverse=True)[1] for each in items]
    parts = [mean_pivot(systems.values[k], code).variance.items for k, code in zip((a, b), own, strict=True)]
    of_items = Part(parts[0].variance + parts[1].variance, np.minimum(parts[0].df, parts[1].df))
    people: tuple[Part, ...] = ()
    if roster is not None:
        rosters = [roster.take(each) for each in items]
        values = [each.read(systems.answer_values[k]) for each, k in zip(rosters, (a, b), strict=True)]
        both = [each.crossing for each in rosters]
        moved = [c.weight * (value - (c.weight * value).sum()) for c, value in zip(both, values, strict=True)]
        people = _teams(both, values) if _apart(*both) else (_people(both, moved),)
    few = min(map(len, items))
    return Pivot(units.mean(), units, UncertainVariance(of_items, people), n_units=few, **known)


def _same_cells(a: Crossing, b: Crossing) -> bool:
    return np.array_equal(a.item, b.item) and np.array_equal(a.rater, b.rater)


def _apart(a: Crossing, b: Crossing) -> bool:
    """Tell whether nobody rated both systems."""
    return not np.intersect1d(a.rater, b.rater).size


def _teams(both: Sequence[Crossing], values: Sequence[Array]) -> tuple[Part, ...]:
    """What each system's own raters add to its mean."""
    return tuple(two_way_variance(value, crossing).others[0] for crossing, value in zip(both, values, strict=True))


def _people(both: Sequence[Crossing], moved: Sequence[Array]) -> Part:
    """What people who rated outputs of both systems add: the squares of their sums less those of
    single ratings."""
    by_rater = both[0].by_rater(moved[0]) - both[1].by_rater(moved[1])
    load = 0.5 * (both[0].rater_weight + both[1].rater_weight)
    people = float(effective_number(load))
    cells = sum((each**2).sum() for each in moved)
    more = people / max(people - 1, 1e-9)
    return Part(np.asarray((by_rater**2).sum() * more), people - 1, np.asarray(cells))


def roster_of_panel(panel: Panel) -> Roster:
    """Return who gave which answer in drawn studies, ``(replicate, row)``."""
    n_items, n_answers = panel.response.shape[-2:]
    rater, place = (x.reshape(*x.shape[:-2], -1) for x in (panel.rater, panel.response))
    seats = rater[0] if len(rater) == 1 else rater  # the same in all replicates: one design for all
    return Roster(np.repeat(np.arange(n_items), n_answers), seats, place, n_items, int(rater.max()) + 1)
