"""Ratings as a sorted tally, so that the order of a file never matters."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from quorate._typing import Array
from quorate.data.scale import Scale, interval_scale
from quorate.data.summaries import Counts, Values

if TYPE_CHECKING:
    import polars as pl

BLOCK, MOST = 1 << 17, 1 << 22
"""Rows looked at together, of tables that have very many, so that what is made of them stays in the processor's cache;
and if raters are so many that their sums do not."""


@dataclass(frozen=True)
class Grouping:
    """A column that sorts items or raters into groups: group `code[i]` of the sorted `names`."""

    names: tuple[str, ...]
    code: Array

    def keep(self, kept: Array) -> "Grouping":
        """Return the groups of some items or raters only."""
        return Grouping(self.names, self.code[kept])


@dataclass(frozen=True)
class Ratings:
    """What the raters said: rater `rater` gave `response` on `item` `count` times, row by row.

    Rows are sorted by item, rater and response and are distinct; codes point into the sorted names.

    Parameters
    ----------
    items
        Names of the items, sorted.
    raters
        Names of the raters, sorted, or None if the data do not say who answered.
    scale
        What a response can be.
    item, rater, response
        Codes, ``(row,)``; `rater` is None for anonymous data. Those of raters and responses are as short as can be.
    count
        How often this rater gave this response on this item, ``(row,)``.
    item_groups, rater_groups
        Further columns that describe items or raters, such as a domain or a country.
    name, n_rows, columns, notes
        For the load report: what to call the data, the rows they had, which column played which
        role, and what was guessed or dropped on the way.
    other_columns
        Columns of a long table that played no role.

    Examples
    --------
    >>> from quorate.data.read_ratings import read_ratings
    >>> ratings = read_ratings({"item": ["a", "a", "b"], "rater": ["x", "y", "x"], "response": ["yes", "no", "no"]})
    >>> ratings.summary.counts.tolist(), ratings.scale.categories
    ([[1, 1], [1, 0]], ('no', 'yes'))
    """

    items: "pl.Series"
    raters: "pl.Series | None"
    scale: Scale
    item: Array
    rater: Array | None
    response: Array
    count: Array
    item_groups: Mapping[str, Grouping] = field(default_factory=dict)
    rater_groups: Mapping[str, Grouping] = field(default_factory=dict)
    name: str = "ratings"
    n_rows: int = 0
    columns: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    other_columns: tuple[str, ...] = ()

    @property
    def n_items(self) -> int:
        """How many items were rated."""
        return len(self.items)

    @property
    def n_raters(self) -> int | None:
        """How many raters answered, None if unknown."""
        return None if self.raters is None else len(self.raters)

    @cached_property
    def n_responses(self) -> int:
        """How many responses there are in all."""
        return int(self.count.sum())

    @cached_property
    def size(self) -> Array:
        """Responses per item, ``(item,)``."""
        return _sums(self.item, self.count, self.n_items)

    @cached_property
    def pair_starts(self) -> Array:
        """Row at which each distinct (item, rater) pair starts; empty if raters are unknown."""
        if self.rater is None:
            return np.array([], dtype=np.int64)
        changes = np.ones(len(self.item), dtype=bool)
        changes[1:] = (self.item[1:] != self.item[:-1]) | (self.rater[1:] != self.rater[:-1])
        return np.flatnonzero(changes)

    @property
    def at_once(self) -> int:
        """Rows to look at together: no fewer than raters have sums, or adding these up costs more than making them."""
        return max(BLOCK, min((self.n_raters or 0) * self.scale.n_levels, MOST))

    def blocks(self, most: int | None = None) -> Iterator["Ratings"]:
        """Yield the rows of consecutive items, about `most` at a time; names and codes are those of the whole."""
        for rows in item_slices(self.item, most or self.at_once):
            if rows.stop - rows.start == len(self.item):
                yield self
            else:
                rater = None if self.rater is None else self.rater[rows]
                response, count = self.response[rows], self.count[rows]
                yield replace(self, item=self.item[rows], rater=rater, response=response, count=count)

    @cached_property
    def n_pairs(self) -> int:
        """How many distinct (item, rater) pairs there are; 0 if raters are unknown."""
        return int(self.items_per_rater.sum())

    @cached_property
    def items_per_rater(self) -> Array:
        """Items each rater answered, ``(rater,)``; empty if raters are unknown."""
        sums = np.zeros(self.n_raters or 0, dtype=np.int64)
        for part in self.blocks() if self.rater is not None else ():
            assert part.rater is not None
            sums += np.bincount(part.rater[part.pair_starts], minlength=len(sums))
        return sums

    @cached_property
    def repeated_pairs(self) -> int:
        """How many distinct (item, rater) pairs answered more than once."""
        if self.rater is None:
            return 0
        return sum(int((np.add.reduceat(part.count, part.pair_starts) > 1).sum()) for part in self.blocks())

    @cached_property
    def summary(self) -> Counts | Values:
        """What every metric reads: counts, or sorted values if there are very many levels."""
        return summarise(self.scale, self.n_items, self.item, self.response, self.count)

    @cached_property
    def response_share(self) -> Array:
        """Share of all responses in each category, ``(category,)``."""
        share: Array = _sums(self.response, self.count, self.scale.n_levels) / self.n_responses
        return share

    def keep(self, kept: Array) -> "Ratings":
        """Return the ratings of the items kept, ``(item,)``; raters left idle go too."""
        rows = kept[self.item]
        rater, busy = None, np.array([], dtype=bool)
        if self.rater is not None:
            busy = np.bincount(self.rater[rows], minlength=self.n_raters or 0) > 0
            rater = _places(busy)[self.rater[rows]]
        return replace(
            self,
            items=self.items.filter(kept),
            raters=None if self.raters is None else self.raters.filter(busy),
            item=_places(kept)[self.item[rows]],
            rater=rater,
            response=self.response[rows],
            count=self.count[rows],
            item_groups={name: group.keep(kept) for name, group in self.item_groups.items()},
            rater_groups={name: group.keep(busy) for name, group in self.rater_groups.items()},
        )

    def without_rater(self, rater: int) -> "Ratings":
        """Return the ratings of all others; items and raters keep their numbers, though some may have none."""
        if self.rater is None:
            return self
        rows = self.rater != rater
        parts = {name: getattr(self, name)[rows] for name in ("item", "rater", "response", "count")}
        return replace(self, **parts)

    def on_levels(self, levels: Array) -> "Ratings":
        """Return the same ratings on an interval scale that also holds other levels."""
        old = self.scale.levels
        if self.scale.kind != "interval" or old is None:
            raise TypeError("only an interval scale takes further levels")
        scale = interval_scale(np.union1d(old, levels))
        assert scale.levels is not None
        code = smallest_codes(scale.n_levels)
        return replace(self, scale=scale, response=np.searchsorted(scale.levels, old[self.response]).astype(code))


def summarise(scale: Scale, n_items: int, item: Array, response: Array, count: Array) -> Counts | Values:
    """Reduce responses to counts per category, or sorted values if levels are very many.

    Codes of item and response and how often are ``(row,)``, sorted by item.
    """
    if scale.counted:
        cells = n_items * scale.n_levels
        counts = np.zeros(cells, dtype=np.int64)
        for rows in row_slices(len(item)):
            add_by_code(counts, item[rows].astype(np.int64) * scale.n_levels + response[rows], _times(count[rows]))
        return Counts(counts.reshape(n_items, scale.n_levels), scale.levels)
    item, level = np.repeat(item, count), np.repeat(np.asarray(scale.levels)[response], count)
    size = np.bincount(item, minlength=n_items)
    start = np.cumsum(size) - size
    values = np.zeros((n_items, int(size.max())))
    values[item, np.arange(len(item)) - start[item]] = level[np.lexsort((level, item))]
    return Values(values, size)


def _places(kept: Array) -> Array:
    """Return the new place of each one that is kept."""
    places: Array = np.cumsum(kept, dtype=np.int32) - 1
    return places


def smallest_codes(n: int) -> type[np.signedinteger]:
    """Return the smallest numbers that count so many."""
    return np.int8 if n < 2**7 else np.int16 if n < 2**15 else np.int32


def row_slices(n_rows: int, most: int = BLOCK) -> Iterator[slice]:
    """Yield the rows of a table, at most so many at a time."""
    return (slice(start, min(start + most, n_rows)) for start in range(0, n_rows, most))


def item_slices(item: Array, most: int = BLOCK) -> Iterator[slice]:
    """Yield rows sorted by item, about so many at a time, so that no item is in two slices."""
    start = 0
    while start < len(item):
        end = len(item)
        if start + most < end:
            code = item[start + most : start + most + 1]  # of the same type, or all items are copied
            end = int(np.searchsorted(item, code)[0])
            end = end if end > start else int(np.searchsorted(item, code, side="right")[0])
        yield slice(start, end)
        start = end


def add_by_code(sums: Array, code: Array, values: Array | None) -> None:
    """Add values, or ones, to the sums their codes name; only those between the least and the largest are touched."""
    if len(code):
        low = int(code.min())
        part = np.bincount(code - low, values)
        sums[low : low + len(part)] += part.astype(sums.dtype, copy=False)


def _sums(code: Array, count: Array, length: int) -> Array:
    """Sum counts by code; float weights are exact up to 2**53."""
    sums = np.zeros(length, dtype=np.int64)
    for rows in row_slices(len(code)):
        add_by_code(sums, code[rows], _times(count[rows]))
    return sums


def _times(count: Array) -> Array | None:
    """Return how often rows occurred, None for once each."""
    return None if count.max(initial=1) == 1 else count
