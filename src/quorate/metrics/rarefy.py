"""Expected score of a system asked fewer times: the exact mean over all sub-samples of its answers to an item.

A system that gave R answers is scored as if it had given r < R: ``Σ_s P(s) score(raters, s)`` over
the sub-multisets s of size r, P multivariate hypergeometric. Plug-in distances are then comparable
across numbers of answers. Items with equal answers share the work. [hurlbert1971] is the same idea
for counting species.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array
from quorate.data.summaries import Counts, Means, Probabilities, Summary, Values

LIMIT = 5_000_000
"""Most sub-samples scored for one system, a few seconds of work."""
BATCH = 1 << 17
"""Sub-samples scored at a time; bounds memory."""


def rarefied(
    score: Callable[..., Array], raters: Summary, system: Summary, target: Array, beside: Array | None = None
) -> Array:
    """Return the expected score when the system gives only ``target`` answers to each item.

    The score goes from raters and system to ``(..., item)`` or ``(..., item, term)``; ``beside`` is
    one more number per item that it may need, ``(..., item)``: a rival's score, say.
    """
    if isinstance(system, Probabilities) or not np.any(system.size != target):
        return score(raters, system) if beside is None else score(raters, system, beside)
    if isinstance(system, Means):
        raise InputError(
            "the systems gave different numbers of answers and only their means are known: "
            "give every system the same number of answers per item, or the single answers"
        )
    lead = np.broadcast_shapes(raters.size.shape, system.size.shape, target.shape)
    raters, system, target = _flat(raters, lead), _flat(system, lead), np.broadcast_to(target, lead).reshape(-1)
    more = np.zeros((len(target), 0)) if beside is None else np.broadcast_to(beside, lead).reshape(-1, 1)
    keep, back = _distinct(raters, system, target, more)

    def one_by_one(raters: Summary, system: Summary, more: Array) -> Array:
        return score(raters, system, *more.T)

    means = _expectations(one_by_one, raters.take(keep), system.take(keep), target[keep].astype(int), more[keep])
    return means[back].reshape(lead + means.shape[1:])


@dataclass(frozen=True)
class _Subsamples:
    """All sub-samples of each pattern of answers, one after another, and which pattern each item has."""

    pattern: Array
    table: Array
    chance: Array
    start: Array
    number: Array


def _expectations(
    score: Callable[[Summary, Summary, Array], Array], raters: Summary, system: Summary, target: Array, more: Array
) -> Array:
    subsamples = (
        _count_subsamples(system, target) if isinstance(system, Counts) else _value_subsamples(system.size, target)
    )
    number = subsamples.number[subsamples.pattern]
    parts = []
    for rows in _batches(number):
        item = np.repeat(rows, number[rows])
        starts = np.cumsum(number[rows]) - number[rows]
        within = np.arange(len(item)) - np.repeat(starts, number[rows])
        which = subsamples.start[subsamples.pattern[item]] + within
        result = score(raters.take(item), _taken(system, item, subsamples.table[which], target), more[item])
        chance = subsamples.chance[which].reshape((-1,) + (1,) * (result.ndim - 1))
        parts.append(np.add.reduceat(chance * result, starts, axis=0))
    return np.concatenate(parts)


def _batches(number: Array) -> Iterator[Array]:
    """Consecutive items with about BATCH sub-samples in all."""
    batch = np.cumsum(number) // BATCH
    yield from np.split(np.arange(len(number)), np.flatnonzero(np.diff(batch)) + 1)


def _count_subsamples(system: Counts, target: Array) -> _Subsamples:
    patterns, pattern = np.unique(np.column_stack([system.counts, target]), axis=0, return_inverse=True)
    pattern = pattern.reshape(-1)
    number = np.array([_number_below(row[:-1], row[-1]) for row in patterns.tolist()])
    _check(number[pattern].sum(), system.size, target)
    number = number.astype(int)
    tables = [_tables_below(row[:-1], row[-1]) for row in patterns.tolist()]
    table, chance = (np.concatenate(parts) for parts in zip(*tables, strict=True))
    return _Subsamples(pattern, table, chance, np.cumsum(number) - number, number)


def _value_subsamples(size: Array, target: Array) -> _Subsamples:
    sizes, pattern = np.unique(np.column_stack([size, target]), axis=0, return_inverse=True)
    pattern = pattern.reshape(-1)
    number = np.array([float(min(math.comb(n, r), 10**300)) for n, r in sizes.tolist()])
    _check(number[pattern].sum(), size, target)
    widest = int(target.max())
    picks = [_padded(list(combinations(range(n), r)), widest) for n, r in sizes.tolist()]
    number = number.astype(int)
    return _Subsamples(
        pattern, np.concatenate(picks), np.repeat(1 / number, number), np.cumsum(number) - number, number
    )


def _number_below(counts: list[int], r: int) -> float:
    """Sub-multisets of size r: the coefficient of x^r in Π_m (1 + x + … + x^c_m)."""
    ways = np.ones(1)
    for count in counts:
        ways = np.convolve(ways, np.ones(count + 1))[: r + 1]
    return float(ways[r])


def _tables_below(counts: list[int], r: int) -> tuple[Array, Array]:
    """All sub-multisets of size r, ``(sub-sample, category)``, and their chances Π_m C(c_m, k_m) / C(R, r)."""
    table, log_ways = np.zeros((1, 0), dtype=int), np.zeros(1)
    for m, count in enumerate(counts):
        taken, later = table.sum(1), sum(counts[m + 1 :])
        row, k = (x.reshape(-1) for x in np.indices((len(table), count + 1)))
        possible = (taken[row] + k <= r) & (taken[row] + k + later >= r)
        row, k = row[possible], k[possible]
        log_choose = np.array([math.log(math.comb(count, j)) for j in range(count + 1)])
        table, log_ways = np.column_stack([table[row], k]), log_ways[row] + log_choose[k]
    chance = np.exp(log_ways - log_ways.max())
    return table, chance / chance.sum()


def _check(total: float, size: Array, target: Array) -> None:
    if total > LIMIT:
        raise InputError(
            f"bringing up to {int(size.max())} answers per item down to {int(target.min())} needs {total:.1e} "
            f"sub-samples, more than {LIMIT:.0e}: give the systems equal numbers of answers, "
            "or use agreement, brier or crps, which need none"
        )


def _padded(picks: list[tuple[int, ...]], width: int) -> Array:
    table = np.asarray(picks)
    return np.pad(table, [(0, 0), (0, width - table.shape[1])], mode="edge")


def _taken(system: Summary, item: Array, table: Array, target: Array) -> Summary:
    if isinstance(system, Counts):
        return Counts(table, system.levels)
    assert isinstance(system, Values)
    return Values(np.take_along_axis(system.values[item], table, -1), target[item])


def _distinct(raters: Summary, system: Summary, target: Array, more: Array) -> tuple[Array, Array]:
    """Positions of one item of each kind, and the kind of each item."""
    table = np.column_stack([*_columns(raters), *_columns(system), target, more])
    _, keep, back = np.unique(table, axis=0, return_index=True, return_inverse=True)
    return keep, back.reshape(-1)


def _columns(summary: Summary) -> list[Array]:
    if isinstance(summary, Values):
        return [np.where(summary.present, summary.values, 0.0), summary.size]
    if isinstance(summary, Means):
        return [summary.mean, summary.size]
    return [summary.counts if isinstance(summary, Counts) else summary.share]


def _flat(summary: Summary, lead: tuple[int, ...]) -> Summary:
    """The same summary with one axis of items."""
    if isinstance(summary, Means):
        return Means(*(np.broadcast_to(x, lead).reshape(-1) for x in (summary.mean, summary.size)))
    if isinstance(summary, Values):
        values = np.broadcast_to(summary.values, lead + summary.values.shape[-1:])
        return Values(values.reshape(-1, values.shape[-1]), np.broadcast_to(summary.size, lead).reshape(-1))
    cells = summary.counts if isinstance(summary, Counts) else summary.share
    cells = np.broadcast_to(cells, lead + cells.shape[-1:]).reshape(-1, cells.shape[-1])
    return Counts(cells, summary.levels) if isinstance(summary, Counts) else Probabilities(cells, summary.levels)
