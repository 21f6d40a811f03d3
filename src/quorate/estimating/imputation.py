"""Impute the missing labels given ranks and votes: one set of labels per draw of the parameters, as counts per block.

P(Y = y | U, k) ~ q_k(y) int f_N(U; mu y + delta p, 1) f_k(p, y) dp, with U the utility at the
item's rank [maven, sec. 3.4]. Items of one block share a utility, so their labels are one binomial
draw.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from quorate._typing import Array
from quorate.estimating.posterior.cut import ScoreDraws
from quorate.estimating.vote_model import NODES, VoteLaw, VoteSets

BATCH = 25  # draws per step, bounds memory
GRID = 192  # utilities on which densities are tabled; between them the log odds are all but linear


@dataclass(frozen=True)
class RankBlocks:
    """Items in order of score as cells (block, vote set): all that metrics need of a million items.

    Levels are what metrics see: distinct scores, neighbours joined down to about a thousand, ties
    never split, a cut at every threshold. Blocks are what imputation sees: a level of many tied
    items is split, its ranks broken at random.
    """

    position: Array  # mean rank of each block's items, 1 for the lowest score, (block,)
    level: Array  # of each block, (block,)
    score: Array  # lowest score in each level, (level,)
    cell_block: Array  # block of each cell, (cell,), increasing
    cell_set: Array  # its vote set, (cell,)
    cell_size: Array  # its items, (cell,)
    item_cell: Array  # the cell of every item, (item,)
    n_sets: int

    @cached_property
    def level_starts(self) -> Array:
        """The first cell of every level, ``(level,)``."""
        return np.flatnonzero(np.diff(self.level[self.cell_block], prepend=-1))


class LabelCounts(NamedTuple):
    """Labels of many draws: positives and items by score level, ``(draw, level)``, and by vote set, ``(draw, set)``."""

    level_positive: Array
    level_total: Array
    set_positive: Array
    set_total: Array


def rank_blocks(
    scores: Array,
    member: Array,
    n_sets: int,
    *,
    cuts: tuple[float, ...] = (),
    most: int = 1000,
    rng: np.random.Generator,
) -> RankBlocks:
    """Sort items by score and cut them into at most about ``most`` blocks of neighbours.

    No level spans one of ``cuts``; a score equal to a cut lies above it.
    """
    mixed = rng.permutation(len(scores))
    order = mixed[np.argsort(scores[mixed], kind="stable")]
    ranked = scores[order]
    width = max(1, -(-len(scores) // most))
    levels = _level_starts(ranked, width, cuts)
    starts = _block_starts(levels, len(scores), width)
    sizes = np.diff(np.append(starts, len(scores)))
    level = np.searchsorted(levels, starts, side="right") - 1
    block = np.repeat(np.arange(len(starts)), sizes)
    key = block * n_sets + member[order]
    counts = np.bincount(key, minlength=len(starts) * n_sets)
    filled = np.flatnonzero(counts)
    item_cell = np.empty(len(scores), dtype=np.int64)
    item_cell[order] = (np.cumsum(counts > 0) - 1)[key]
    cells = (filled // n_sets, filled % n_sets, counts[filled])
    return RankBlocks(starts + (sizes + 1) / 2, level, ranked[levels], *cells, item_cell, n_sets)


def draw_labels(
    chances: Iterator[Array], blocks: RankBlocks, *, resample_items: bool = False, rng: np.random.Generator
) -> LabelCounts:
    """Draw the labels of every cell once per parameter draw, from batches of P(Y = 1), ``(draw, cell)``.

    ``resample_items`` draws the items anew too (bootstrap): for the population they came from.
    """
    parts = []
    for chance in chances:
        size = np.broadcast_to(blocks.cell_size, chance.shape)
        if resample_items:
            n_items = int(blocks.cell_size.sum())
            size = rng.multinomial(n_items, blocks.cell_size / n_items, size=len(chance))
        parts.append(count_labels(rng.binomial(size, chance), size, blocks))
    return LabelCounts(*map(np.concatenate, zip(*parts, strict=True)))


def label_chances(
    law: VoteLaw, scores: ScoreDraws | None, sets: VoteSets, blocks: RankBlocks, *, rng: np.random.Generator
) -> Iterator[Array]:
    """P(Y = 1 | votes, rank) in every cell, in batches ``(draw, cell)``; 0 or 1 where an expert spoke.

    Without scores the votes alone speak: q_k(1).
    """
    for low in range(0, len(law), BATCH):
        part = slice(low, low + BATCH)
        if scores is None:
            yield np.exp(law.label[part][:, blocks.cell_set, 1])
        else:
            yield _with_ranks(law[part], scores.shift[part], scores.slope[part], sets, blocks, rng)


def count_labels(positive: Array, size: Array, blocks: RankBlocks) -> LabelCounts:
    """Add up cells ``(draw, cell)`` by score level and by vote set."""
    member = np.eye(blocks.n_sets)[blocks.cell_set]
    return LabelCounts(
        np.add.reduceat(positive, blocks.level_starts, axis=1),
        np.add.reduceat(size, blocks.level_starts, axis=1),
        positive @ member,
        size @ member,
    )


def count_items(labels: Array, level: Array, ballot: Array) -> LabelCounts:
    """Add up labels ``(draw, item)`` by level and by ballot, both ``(item,)`` and counted from 0."""
    once = np.ones((len(labels), labels.shape[1]))
    by_level, by_ballot = np.argsort(level, kind="stable"), np.argsort(ballot, kind="stable")

    def total(weights: Array, order: Array, code: Array) -> Array:
        starts = np.flatnonzero(np.diff(code[order], prepend=-1))
        return np.asarray(np.add.reduceat(weights[:, order], starts, axis=1))

    positive = once * labels
    return LabelCounts(
        total(positive, by_level, level),
        total(once, by_level, level),
        total(positive, by_ballot, ballot),
        total(once, by_ballot, ballot),
    )


def _level_starts(ranked: Array, width: int, cuts: tuple[float, ...]) -> Array:
    """First ranks of the levels: a new score begins, and ``width`` ranks are full or a cut is crossed."""
    fresh = np.concatenate([[0], np.flatnonzero(ranked[1:] > ranked[:-1]) + 1])
    full = np.concatenate([[True], np.diff(fresh // width) > 0])
    crossed = np.isin(fresh, np.searchsorted(ranked, np.array(cuts), side="left"))
    return fresh[full | crossed]


def _block_starts(levels: Array, n: int, width: int) -> Array:
    """Split levels longer than ``width`` into equal blocks."""
    sizes = np.diff(np.append(levels, n))
    parts = -(-sizes // width)
    inner = np.arange(parts.sum()) - np.repeat(np.cumsum(parts) - parts, parts)
    starts: Array = np.repeat(levels, parts) + inner * np.repeat(sizes, parts) // np.repeat(parts, parts)
    return starts


def _with_ranks(
    law: VoteLaw, shift: Array, slope: Array, sets: VoteSets, blocks: RankBlocks, rng: np.random.Generator
) -> Array:
    ends = np.stack([0 * shift, shift, slope, shift + slope])
    low, high = ends.min(0) - 7, ends.max(0) + 7
    utility = low[:, None] + (high - low)[:, None] * np.linspace(0, 1, GRID)
    density = _densities(law, shift, slope, utility)
    place = _places(_utility_law(law, sets, density), blocks, rng)
    below = np.minimum(place.astype(int), GRID - 2)[:, blocks.cell_block]
    rest = place[:, blocks.cell_block] - below
    draw, ballot = np.arange(len(law))[:, None], law.ballot[blocks.cell_set]
    ratio = np.log(density[:, :, 1] / density[:, :, 0])
    evidence = ratio[draw, ballot, below] * (1 - rest) + ratio[draw, ballot, below + 1] * rest
    prior = np.clip(law.label[..., 1] - law.label[..., 0], -700, 700)  # an expert's label has infinite odds
    return np.asarray(1 / (1 + np.exp(-np.clip(prior[:, blocks.cell_set] + evidence, -700, 700))))


def _densities(law: VoteLaw, shift: Array, slope: Array, utility: Array) -> Array:
    """Density of U given ballot and label on the grid, up to a constant, ``(draw, ballot, 2, grid)``."""
    mean = shift[:, None, None] * np.array([[0.0], [1.0]]) + slope[:, None, None] * NODES
    kernel = np.exp(-0.5 * (utility[:, None, None, :] - mean[..., None]) ** 2)
    density: Array = np.swapaxes(law.weights, 1, 2) @ kernel
    return np.maximum(np.swapaxes(density, 1, 2), 1e-300)


def _utility_law(law: VoteLaw, sets: VoteSets, density: Array) -> Array:
    """Density of U over all items, ``(draw, grid)``.

    Deviates: the paper takes the unconditional law under the parameters; this is the mixture over
    the vote sets that are there, the same in expectation, and right for them.
    """
    member = np.eye(density.shape[1])[law.ballot] * sets.size[:, None]
    mixed: Array = np.einsum("sb,dsy,dbyu->du", member, np.exp(law.label), density, optimize=True)
    return mixed


def _places(law: Array, blocks: RankBlocks, rng: np.random.Generator) -> Array:
    """Where on the utility grid each block lies, ``(draw, block)``, in grid steps: F_U^-1 of random order statistics.

    The spacings of n ordered uniforms are n + 1 exponentials over their sum; over many ranks they
    add up to gammas.
    """
    n_items = blocks.cell_size.sum()
    steps = np.diff(np.concatenate([[0.0], blocks.position, [n_items + 1.0]]))
    spacings = np.cumsum(rng.standard_gamma(steps, (len(law), len(steps))), axis=1)
    quantile = spacings[:, :-1] / spacings[:, -1:]
    cumulative = np.cumsum((law[:, 1:] + law[:, :-1]) / 2, axis=1)
    cumulative = np.concatenate([np.zeros((len(law), 1)), cumulative / cumulative[:, -1:]], axis=1)
    grid = np.arange(GRID)
    return np.stack([np.interp(q, c, grid) for q, c in zip(quantile, cumulative, strict=True)])
