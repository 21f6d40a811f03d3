"""Ratings as a sorted tally – item, rater, response, how often – so that the order of a file never matters."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl

from quorate._typing import Array
from quorate.data.scale import Scale
from quorate.data.summaries import Counts, Values

__all__ = ["Grouping", "Ratings"]


@dataclass(frozen=True)
class Grouping:
    """A column that sorts items or raters into groups: group `code[i]` of the sorted `names`."""

    names: tuple[str, ...]
    code: Array


@dataclass(frozen=True)
class Ratings:
    """What the raters said: `count` responses `response` by rater `rater` on item `item`, row by row.

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
        Codes, ``(row,)``; `rater` is None for anonymous data.
    count
        How often this rater gave this response on this item, ``(row,)``.
    item_groups, rater_groups
        Further columns that describe items or raters, such as a domain or a country.
    name, n_rows, columns, notes
        For the load report: what to call the data, the rows they had, which column played which role, and what was
        guessed or dropped on the way.

    Examples
    --------
    >>> from quorate.data.read import read_ratings
    >>> ratings = read_ratings({"item": ["a", "a", "b"], "rater": ["x", "y", "x"], "response": ["yes", "no", "no"]})
    >>> ratings.summary.counts.tolist(), ratings.scale.categories
    ([[1, 1], [1, 0]], ('no', 'yes'))
    """

    items: pl.Series
    raters: pl.Series | None
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
        return _tally(self.item, self.count, self.n_items)

    @cached_property
    def pair_starts(self) -> Array:
        """Row at which each distinct (item, rater) pair starts; empty if raters are unknown."""
        if self.rater is None:
            return np.array([], dtype=np.int64)
        changes = (np.diff(self.item, prepend=-1) != 0) | (np.diff(self.rater, prepend=-1) != 0)
        return np.flatnonzero(changes)

    @cached_property
    def repeated_pairs(self) -> int:
        """How many distinct (item, rater) pairs answered more than once."""
        starts = self.pair_starts
        return int((np.add.reduceat(self.count, starts) > 1).sum()) if len(starts) else 0

    @cached_property
    def summary(self) -> Counts | Values:
        """The item summaries every metric reads: counts, or sorted values if there are very many levels."""
        if self.scale.counted:
            n_categories = self.scale.n_levels
            cell = self.item.astype(np.int64) * n_categories + self.response
            counts = _tally(cell, self.count, self.n_items * n_categories)
            return Counts(counts.reshape(self.n_items, n_categories), self.scale.levels)
        return self._values()

    @cached_property
    def response_share(self) -> Array:
        """Share of all responses in each category, ``(category,)``."""
        share: Array = _tally(self.response, self.count, self.scale.n_levels) / self.n_responses
        return share

    def _values(self) -> Values:
        level = np.repeat(np.asarray(self.scale.levels)[self.response], self.count)
        item = np.repeat(self.item, self.count)
        order = np.lexsort((level, item))
        start = np.cumsum(self.size) - self.size
        values = np.zeros((self.n_items, int(self.size.max())))
        values[item, np.arange(len(item)) - start[item]] = level[order]
        return Values(values, self.size)


def _tally(code: Array, count: Array, length: int) -> Array:
    """Sum counts by code; exact in integers (bincount's float weights are exact up to 2**53)."""
    return np.bincount(code, weights=count, minlength=length).astype(np.int64)
