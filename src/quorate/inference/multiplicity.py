"""Several comparisons at once: max-T, ranks that hold together, and groups compared.

Comparisons share items, raters and systems, so their errors go together; the law of the largest
among them bounds the chance of any false alarm [westfall1993; hothorn2008]. Every statistic is put
on one scale by a Student's t of its own degrees of freedom, so that comparisons with few and with
many items stand in one family.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from quorate._typing import Array
from quorate.inference.joint_errors import ErrorColumns
from quorate.inference.pivot import Pivot, stacks

DRAWS, BATCH = 20_000, 1000
"""Draws of all errors together, and how many at a time; the 95 % bound is then known to about 0.3 %
of coverage."""


@dataclass(frozen=True)
class JointErrors:
    """How all comparisons on the same items err together, by one metric or several.

    `blocks` hold the comparisons in order, `df` the degrees of freedom of the items and `scale` the
    variance of the items' part over the sum of squares of what units add.
    """

    blocks: Sequence[ErrorColumns]
    df: float
    scale: float = 1.0

    @property
    def contrasts(self) -> list[Array]:
        """What each comparison reads of its block's columns."""
        return [row for block in self.blocks for row in block.contrasts]

    def draw(self, draws: int, rng: np.random.Generator) -> Array:
        """Draw the errors of all comparisons, ``(draw, comparison)``."""
        noise = rng.standard_normal((draws, self._root.shape[1])) @ self._root.T
        if np.isfinite(self.df) and self.df > 0:
            noise *= np.sqrt(self.df / rng.chisquare(self.df, draws))[:, None]
        errors, start = [], 0
        for block in self.blocks:
            columns = noise[:, start : start + len(block.items)]
            start += len(block.items)
            of_raters = 0.0 if block.raters is None else block.raters.errors(draws, rng)
            errors.append((columns + of_raters) @ block.contrasts.T)
        return np.concatenate(errors, axis=1)

    @cached_property
    def _root(self) -> Array:
        """Root of the covariance of what items add to all columns, less what raters hold of it
        already."""
        items = np.concatenate([block.items for block in self.blocks])
        covariance, start = self.scale * items @ items.T, 0
        for block in self.blocks:
            columns = slice(start, start + len(block.items))
            covariance[columns, columns] -= block.shared
            start = columns.stop
        values, vectors = np.linalg.eigh(covariance)
        return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


@dataclass(frozen=True)
class Family:
    """Comparisons judged together, ``(comparison,)`` each; nan where nothing varies and there is none to judge.

    Parameters
    ----------
    p_adjusted
        p-values that hold for all comparisons at once.
    confidence
        The level each single interval needs for all to hold at once.
    """

    p_adjusted: Array
    confidence: Array


def max_t(
    pivots: Sequence[Pivot],
    blocks: Sequence[JointErrors],
    *,
    confidence: float,
    rng: np.random.Generator,
    draws: int = DRAWS,
) -> Family:
    """Judge comparisons together: ``p_adjusted = P(any error as far out as this one)``.

    Blocks, which hold the comparisons in order, count as independent; if they are not, the bound is
    only larger [royen2014]. Comparisons in which nothing varies are left out.

    Deviates: Hothorn's multivariate t has one scale for all; here every comparison has its own
    variance and degrees of freedom.
    """
    from scipy.special import stdtr, stdtrit

    se = np.array([float(np.sqrt(pivot.variance.total)) for pivot in pivots])
    df = np.maximum([float(pivot.variance.df) for pivot in pivots], 1.0)
    judged = np.isfinite(se) & (se > 0) & ~np.array([bool(pivot.still) for pivot in pivots])
    p, alone = np.full(len(se), np.nan), np.full(len(se), np.nan)
    if not judged.any():
        return Family(p, alone)
    lone = np.repeat([len(block.contrasts) == 1 for block in blocks], [len(block.contrasts) for block in blocks])
    smallest = np.sort(smallest_tails(blocks, se, df, judged, lone, draws, rng))
    bound = smallest[max(int((1 - confidence) * (draws + 1)) - 1, 0)]
    kept = np.flatnonzero(judged)
    for places, together in stacks([pivots[int(i)] for i in kept]):
        rows = kept[places]
        single = lone[rows]
        seen = 0.5 * together.p_value(np.zeros(len(rows)))
        far = -stdtrit(df[rows], bound) * se[rows]
        level = np.full(len(rows), 2.0 * bound)
        if not single.all():
            seen = np.where(single, seen, stdtr(df[rows], -together.statistic()))
            level = np.where(single, level, together.variance.tail(far))
        p[rows] = (np.searchsorted(smallest, seen, side="right") + 1.0) / (draws + 1.0)
        alone[rows] = np.maximum(confidence, 1 - level)
    return Family(p, alone)


def smallest_tails(
    blocks: Sequence[JointErrors],
    se: Array,
    df: Array,
    judged: Array,
    lone: Array,
    draws: int,
    rng: np.random.Generator,
) -> Array:
    """Draw the smallest tail over all comparisons, ``(draw,)``.

    A comparison alone on its items has its own p-value, uniform; the least of many such is drawn at once.
    """
    from scipy.special import stdtr

    smallest, start = np.ones(draws), 0
    if (judged & lone).any():
        smallest = -0.5 * np.expm1(np.log1p(-rng.random(draws)) / (judged & lone).sum())
    judged = judged & ~lone
    for block in blocks:
        columns = slice(start, start + len(block.contrasts))
        kept, start = judged[columns], columns.stop
        if kept.any():
            for rows in (slice(first, min(first + BATCH, draws)) for first in range(0, draws, BATCH)):
                t = np.abs(block.draw(rows.stop - rows.start, rng)[:, kept]) / se[columns][kept]
                for each in np.unique(df[columns][kept]):
                    tail = stdtr(each, -t[:, df[columns][kept] == each].max(-1))
                    np.minimum(smallest[rows], tail, out=smallest[rows])
    return smallest


def rank_bounds(low: Array, high: Array, pairs: list[tuple[int, int]], n_systems: int) -> tuple[Array, Array]:
    """Return the best and worst rank of each system, from intervals that hold at once.

    A system ranks behind all that beat it and before all that it beats [mogstad2024]. Intervals are
    ``(pair,)``, positive if the first of the pair is better.
    """
    beats = _beats(low, high, pairs, n_systems)
    return 1 + beats.sum(0), n_systems - beats.sum(1)


def tied_sets(low: Array, high: Array, pairs: list[tuple[int, int]], n_systems: int) -> list[list[int]]:
    """Return the largest sets of systems none of which is told apart; they may overlap."""
    beats = _beats(low, high, pairs, n_systems)
    alike = ~(beats | beats.T | np.eye(n_systems, dtype=bool))
    near = [set(np.flatnonzero(row).tolist()) for row in alike]
    return sorted(sorted(clique) for clique in _cliques(set(), set(range(n_systems)), set(), near) if len(clique) > 1)


def _beats(low: Array, high: Array, pairs: list[tuple[int, int]], n_systems: int) -> Array:
    """Tell who beats whom, ``(system, system)``; an interval that is missing decides nothing."""
    beats = np.zeros((n_systems, n_systems), dtype=bool)
    for (a, b), lowest, highest in zip(pairs, low, high, strict=True):
        beats[a, b], beats[b, a] = lowest > 0, highest < 0
    return beats


def _cliques(chosen: set[int], open_: set[int], done: set[int], near: list[set[int]]) -> list[set[int]]:
    """List the maximal cliques that hold `chosen` [bron1973]."""
    if not open_:
        return [] if done else [chosen]
    pivot = max(open_ | done, key=lambda v: len(near[v] & open_))
    cliques = []
    for v in sorted(open_ - near[pivot]):
        cliques += _cliques(chosen | {v}, open_ & near[v], done & near[v], near)
        open_, done = open_ - {v}, done | {v}
    return cliques


def heterogeneity(difference: Array, se: Array, n: Array) -> tuple[float, float]:
    """Test whether a difference is the same in all groups: Welch's F and its p-value [welch1951].

    With w = 1 / se²: ``F = Σ w (d − d̄_w)² / (G − 1) / (1 + 2 (G − 2) Λ)``, Λ = Σ (1 − w/W)² / (n −
    1) / (G² − 1), on G − 1 and 1 / (3 Λ) degrees of freedom, n the items of a group. Groups without
    variance or with one item say nothing and are left out.
    """
    from scipy.special import fdtrc

    kept = np.isfinite(se) & (se > 0) & (n > 1)
    d, w, n = difference[kept], 1 / se[kept] ** 2, n[kept]
    groups = len(d)
    if groups < 2:
        return 0.0, 1.0
    spread = (w * (d - (w * d).sum() / w.sum()) ** 2).sum() / (groups - 1)
    bend = ((1 - w / w.sum()) ** 2 / (n - 1)).sum() / (groups**2 - 1)
    f = spread / (1 + 2 * (groups - 2) * bend)
    return float(f), float(max(fdtrc(groups - 1, 1 / (3 * bend), f), np.finfo(float).tiny))
