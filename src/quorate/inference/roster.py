"""Who gave which answer, so that values of answers become values in the eyes of raters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from quorate._typing import Array
from quorate.data.ratings import Ratings
from quorate.inference.crossed import Crossing
from quorate.inference.scored_systems import ScoredSystems
from quorate.populations.population import Panel


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
    """

    item: Array
    rater: Array
    place: Array
    n_items: int
    n_raters: int
    count: Array | None = None
    units: Array | None = None
    paired: bool = False

    @cached_property
    def crossing(self) -> Crossing:
        """Cells (item or group, rater): items weigh alike, and so do the answers of an item."""
        cell, first = self._cells
        weight = self._row_weight if cell is None else np.bincount(cell, self._row_weight)
        item = self.item if self.units is None else self.units[self.item]
        n_units = self.n_items if self.units is None else int(self.units.max()) + 1
        return Crossing(item[..., first], self.rater[..., first], weight, n_units, self.n_raters)

    def read(self, table: Array) -> Array:
        """Return values of cells, ``(..., cell)``, from those of answers, ``(..., item, place)``."""
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
        return np.asarray(count / (self.n_items * size[self.item]))

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
    paired = len(ratings.pair_starts) < len(item)
    return Roster(item, rater, place, ratings.n_items, ratings.n_raters, count, units, paired)


def rosters_of_rated(rated: Mapping[str, Ratings], units: Array | None = None) -> dict[str, Roster]:
    """Return who rated the outputs of each system, with one numbering of raters for all."""
    rosters = {name: roster_of(part, units) for name, part in rated.items()}
    known = {name: part.raters for name, part in rated.items() if part.raters is not None}
    everyone = pl.concat(list(known.values())).unique().sort()
    return {
        name: replace(
            roster,
            rater=everyone.search_sorted(known[name]).to_numpy()[roster.rater],
            n_raters=len(everyone),
        )
        for name, roster in rosters.items()
        if roster is not None
    }


def differences_by_rater(systems: ScoredSystems, a: int, b: int, rosters: Sequence[Roster]) -> tuple[Array, Crossing]:
    """Return what each rater of an item says of A minus B, ``(cell,)``, and who rated what.

    `rosters` says by position of the system who answered the items, or who rated its outputs.
    """
    if systems.raters is not None:
        return rosters[a].read(systems.answer_differences(a, b)), rosters[a].crossing
    sign = 1.0 if systems.metric.better == "high" else -1.0
    return paired((rosters[a], rosters[b]), (sign * systems.answer_values[a], sign * systems.answer_values[b]))


def paired(rosters: tuple[Roster, Roster], tables: tuple[Array, Array]) -> tuple[Array, Crossing]:
    """Return A minus B in the eyes of each rater, where each system has its own ratings.

    A rater of both outputs is one cell with both ratings. A rater of one counts by how far the
    rating is from the mean of its system: ``y = θ + e / w`` with e the weighted distances and w
    half the weights of a cell. `tables` are the values of ratings of A and of B, the larger the
    better, ``(item, place)``.
    """
    values = [roster.read(table) for roster, table in zip(rosters, tables, strict=True)]
    seen = [roster.crossing for roster in rosters]
    means = [float((each.weight * value).sum()) for each, value in zip(seen, values, strict=True)]
    item, rater, weight = (np.concatenate([getattr(each, x) for each in seen]) for x in ("item", "rater", "weight"))
    moved = np.concatenate([values[0] - means[0], means[1] - values[1]]) * weight
    n_raters = seen[0].n_raters
    _, first, cell = np.unique(item.astype(np.int64) * n_raters + rater, return_index=True, return_inverse=True)
    halves = 0.5 * np.bincount(cell, weight)
    crossing = Crossing(item[first], rater[first], halves, seen[0].n_items, n_raters)
    return means[0] - means[1] + np.bincount(cell, moved) / halves, crossing


def roster_of_panel(panel: Panel) -> Roster:
    """Return who gave which answer in drawn studies, ``(replicate, row)``."""
    n_items, n_answers = panel.response.shape[-2:]
    rater, place = (x.reshape(*x.shape[:-2], -1) for x in (panel.rater, panel.response))
    seats = rater[0] if len(rater) == 1 else rater  # the same in all replicates: one design for all
    return Roster(np.repeat(np.arange(n_items), n_answers), seats, place, n_items, int(rater.max()) + 1)
