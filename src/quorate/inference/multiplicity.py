"""Several comparisons at once: max-T, ranks that hold together, and groups compared.

Comparisons share items, so their statistics are correlated; the law of the largest among them
bounds the chance of any false alarm [westfall1993; hothorn2008]. Every statistic is put on the
normal scale by its own p-value, so that comparisons with few and with many items stand in one
family.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quorate._typing import Array
from quorate.inference.outcome import t_quantile

DRAWS = 20_000
"""Draws of the largest |Z|; the 95 % bound is then known to about 0.3 % of coverage."""


@dataclass(frozen=True)
class Family:
    """Comparisons judged together.

    Parameters
    ----------
    p_adjusted
        p-values that hold for all comparisons at once, ``(comparison,)``.
    confidence
        The level each single interval needs for all to hold at once; nan if there is none to judge.
    low, high
        Intervals that hold all at once, ``(comparison,)``.
    """

    p_adjusted: Array
    confidence: float
    low: Array
    high: Array


def max_t(
    difference: Array,
    se: Array,
    correlations: Sequence[Array],
    df: Array | float,
    *,
    confidence: float,
    rng: np.random.Generator,
) -> Family:
    """Judge correlated comparisons together.

    Comparison i has ``z_i = Φ⁻¹`` of its own t distribution function at ``|difference| / se``, and
    ``p_adjusted = P(max_j |Z_j| ≥ z_i)`` with Z normal with the correlation of the estimates.
    Blocks of comparisons count as independent; if they are not, the bound is only larger
    [royen2014].

    Deviates: Hothorn's multivariate t has one scale for all; here every comparison has its own
    degrees of freedom.

    Parameters
    ----------
    difference, se
        Estimates and standard errors, ``(comparison,)``; a standard error of 0 or nan is left out
        of the family.
    correlations
        Correlation of the estimates of each block of comparisons, in order; one matrix if all share
        their items.
    df
        Degrees of freedom of the standard errors, one or ``(comparison,)``.
    """
    from scipy.special import ndtr, ndtri, stdtr

    judged, df = np.isfinite(se) & (se > 0), np.broadcast_to(np.asarray(df, float), se.shape)
    if not judged.any():
        return Family(np.ones(len(se)), np.nan, np.full(len(se), np.nan), np.full(len(se), np.nan))
    largest = np.sort(_largest(correlations, judged, rng))
    bound = largest[min(int(np.ceil(confidence * (DRAWS + 1))), DRAWS) - 1]
    with np.errstate(invalid="ignore", divide="ignore"):
        z = np.where(judged, -ndtri(stdtr(df, -np.abs(difference / se))), 0.0)
    beyond = DRAWS - np.searchsorted(largest, z, side="left")
    alone = float(1.0 - 2.0 * ndtr(-bound))
    half = np.where(judged, t_quantile(df, alone) * se, np.nan)
    return Family((beyond + 1.0) / (DRAWS + 1.0), alone, difference - half, difference + half)


def _largest(correlations: Sequence[Array], judged: Array, rng: np.random.Generator) -> Array:
    """Draw the largest |Z| over all blocks; the root by eigenvalues bears perfect correlations."""
    largest, start = np.zeros(DRAWS), 0
    for correlation in correlations:
        kept = judged[start : start + len(correlation)]
        start += len(correlation)
        if kept.any():
            values, vectors = np.linalg.eigh(correlation[np.ix_(kept, kept)])
            root = (vectors * np.sqrt(np.maximum(values, 0.0)))[:, values > 1e-10 * values.max()]
            for rows in (slice(first, first + 1000) for first in range(0, DRAWS, 1000)):
                z = np.abs(rng.standard_normal((1000, root.shape[1])) @ root.T).max(-1)
                np.maximum(largest[rows], z, out=largest[rows])
    return largest


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
