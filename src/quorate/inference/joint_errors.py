"""How the scores of all systems err together, because they share items and raters.

A pair's difference is a contrast of two columns, the scores of two systems; a contest of two
systems, which is no difference of scores, is a column of its own. What each item adds to a column,
and what each rater does, gives the covariance of all differences, and lets a pair's few raters
borrow from those of other pairs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np

from quorate._typing import Array
from quorate.inference.crossed import CellSums, CellValues, CrossedDesign, Crossing, added, moved, moves
from quorate.inference.means import mean_pivot
from quorate.inference.moderation import RaterSpread
from quorate.inference.pivot import Pivot
from quorate.inference.roster import Roster
from quorate.inference.scored_systems import ScoredSystems
from quorate.inference.strengths import Strengths

KNOWN = 1e6
"""Degrees of freedom from which a variance counts as known; more have no end where nothing varies."""


@dataclass(frozen=True)
class ErrorColumns:
    """What items and raters add to every column, by one metric.

    Parameters
    ----------
    contrasts
        What each pair reads of the columns, ``(pair, column)``.
    items
        What each unit adds, ``(column, unit)``.
    shared
        Covariance of single answers, which items and raters both hold, ``(column, column)``.
    raters
        What raters do to the columns; None where they do not count as drawn.
    """

    contrasts: Array
    items: Array = field(repr=False)
    shared: Array | float = field(default=0.0, repr=False)
    raters: RaterSpread | None = None

    def moderated(self, pivot: Pivot, pair: int) -> Pivot:
        """Return a pair's pivot with what its raters add moderated by those of all pairs."""
        if self.raters is None or not self.raters.moderated:
            return pivot
        own, *rest = pivot.variance.others
        part = replace(self.raters.part(self.contrasts[pair]), less=own.less)
        return replace(pivot, variance=replace(pivot.variance, others=(part, *rest)))


def error_columns(
    systems: ScoredSystems,
    pairs: Sequence[tuple[int, int]],
    pivots: Sequence[Pivot],
    rosters: Sequence[Roster] | None,
    *,
    clusters: Array | None = None,
    items_fixed: bool = False,
) -> ErrorColumns:
    """Return how several pairs, by position of the systems, with their pivots, err together.

    `rosters` says who answered, or rated each system, where raters count as drawn. Systems whose score is not defined
    have no column, and their pairs read nothing.
    """
    if systems.strengths is not None:
        return _of_strengths(systems.strengths, pairs)
    if systems.metric.contest_of is not None:
        return _contests(systems, pairs, pivots, rosters)
    known = [k for k, values in enumerate(systems.values) if np.isfinite(values).all()]
    contrasts = _contrasts(pairs, known, 1.0 if systems.metric.better == "high" else -1.0)
    if rosters is None or not known:
        scores = [mean_pivot(systems.values[k], clusters, mirrored=False) for k in known]
        return ErrorColumns(contrasts, _units(scores))
    columns = [_Column(rosters[k].crossed, rosters[k].cells(partial(systems.values_on, k))) for k in known]
    together = all(column.crossing is columns[0].crossing or column.alike(columns[0]) for column in columns)
    moves = np.stack([column.moves for column in columns])
    df = float(np.mean([np.mean(column.crossing.rater_df) for column in columns]))
    known_raters = bool(np.isfinite(moves).all())  # one rater is no sample
    spread = RaterSpread(moves, df, moderated=_same_people(columns) and len(columns) > 2) if known_raters else None
    items = np.stack([column.sums.by_item for column in columns])
    if items_fixed:
        return ErrorColumns(contrasts, 0.0 * items, 0.0, spread)
    return ErrorColumns(contrasts, items, _shared(columns, together), spread)


def _contrasts(pairs: Sequence[tuple[int, int]], known: Sequence[int], sign: float) -> Array:
    """Return what each pair reads of the columns of the systems known, ``(pair, column)``."""
    contrasts = np.zeros((len(pairs), len(known)))
    for row, (a, b) in zip(contrasts, pairs, strict=True):
        if a in known and b in known:
            row[known.index(a)], row[known.index(b)] = sign, -sign
    return contrasts


def lone_columns(pivot: Pivot) -> ErrorColumns:
    """Return the one column of a pair that stands alone on its items; its raters' part is drawn as
    it is known."""
    others = pivot.variance.others
    spread = None
    if others:
        df = [min(float(np.mean(part.df)), KNOWN) for part in others]
        moves = np.sqrt([[float(part.added) * each for part, each in zip(others, df, strict=True)]])
        spread = RaterSpread(moves, min(df), False)
    return ErrorColumns(np.eye(1), _units([pivot]), 0.0, spread)


@dataclass(frozen=True)
class _Column:
    """One system's values in the eyes of each rater on each item."""

    crossing: CrossedDesign
    values: CellValues

    @cached_property
    def sums(self) -> CellSums:
        return moved(self.values, self.crossing)

    def parts(self) -> Iterator[Array]:
        """Yield what single answers add, a piece at a time, ``(cell,)``."""
        return (part for _, part in moves(self.values, self.crossing, self.sums.mean))

    @property
    def moves(self) -> Array:
        """What each rater does to the score, so that the sum of squares over n is the variance
        raters bring."""
        scale = np.sqrt(self.crossing.rater_scale * self.crossing.rater_df)
        return np.asarray(self.sums.by_rater * scale)

    def alike(self, other: "_Column") -> bool:
        """Tell whether the same raters rated the same items."""
        mine, its = self.crossing, other.crossing
        if (mine.n_items, mine.n_raters) != (its.n_items, its.n_raters):
            return False
        return all(a.like(b) for a, b in zip(mine.pieces(), its.pieces(), strict=False))


def _same_people(columns: Sequence[_Column]) -> bool:
    """Tell whether everybody rated something of every system, if not on the same items."""
    known = [column.crossing.rater_weight > 0 for column in columns]
    return all(np.array_equal(each, known[0]) for each in known)


def _shared(columns: Sequence[_Column], together: bool) -> Array:
    """The covariance of single answers; answers of different people on an item have none."""
    if not together:
        return _of_common_cells(columns)
    pieces = zip(*(column.parts() for column in columns), strict=True)
    return added([np.array([[float(a @ b) for b in parts] for a in parts]) for parts in pieces])


def _of_common_cells(columns: Sequence[_Column]) -> Array:
    """The covariance of single answers where not all systems have the same cells; of very many cells, without it."""
    crossings = [column.crossing for column in columns]
    whole = [each for each in crossings if isinstance(each, Crossing)]
    if len(whole) < len(columns):
        return np.diag([float(column.sums.squares) for column in columns])
    keys = [each.item.astype(np.int64) * each.n_raters + each.rater for each in whole]
    cells = np.unique(np.concatenate(keys))
    parts = np.zeros((len(columns), len(cells)))
    for row, key, column in zip(parts, keys, columns, strict=True):
        row[np.searchsorted(cells, key)] = np.concatenate(list(column.parts()))
    return np.asarray(parts @ parts.T)


def _of_strengths(strengths: Strengths, pairs: Sequence[tuple[int, int]]) -> ErrorColumns:
    """Return how pairs of systems that were voted on err together; each strength is a column.

    Where being shown first is taken out it is one more column, and systems borrow nothing from each other.
    """
    size = len(strengths.strength) + strengths.sided
    contrasts, items, moves = strengths.contrasts(pairs)[:, :size], strengths.of_items.T[:size], strengths.of_raters
    spread = None
    if moves is not None:
        df = strengths.rater_df(pairs)
        spread = RaterSpread(moves.T[:size] * np.sqrt(df), df, moderated=not strengths.sided and size > 2)
    if strengths.items_fixed:
        return ErrorColumns(contrasts, 0.0 * items, 0.0, spread)
    return ErrorColumns(contrasts, items, strengths.shared[:size, :size], spread)


def _contests(
    systems: ScoredSystems, pairs: Sequence[tuple[int, int]], pivots: Sequence[Pivot], rosters: Sequence[Roster] | None
) -> ErrorColumns:
    """Every contest is a column; its raters stand for themselves."""
    items = _units(pivots)
    if rosters is None:
        return ErrorColumns(np.eye(len(pairs)), items)
    columns = [_Column(rosters[a].crossed, rosters[a].cells(partial(systems.differences_on, a, b))) for a, b in pairs]
    spread = RaterSpread(np.stack([column.moves for column in columns]), float(columns[0].crossing.rater_df), False)
    return ErrorColumns(np.eye(len(pairs)), items, _shared(columns, together=True), spread)


def _units(pivots: Sequence[Pivot]) -> Array:
    """What each unit adds to each estimate, ``(column, unit)``."""
    return np.asarray([(pivot.units - pivot.estimate) / pivot.units.shape[-1] for pivot in pivots])
