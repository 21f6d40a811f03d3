"""Impute the missing labels given ranks and votes: one set of labels per draw of the parameters, as counts per block.

P(Y = y | U, k) ~ q_k(y) int f_N(U; mu y + delta p, 1) f_k(p, y) dp, with U the utility at the item's rank [maven, sec. 3.4].
"""

from dataclasses import dataclass

import numpy as np

from quorate._typing import Array
from quorate.crowd.blocks import Blocks
from quorate.crowd.laws import NODES, VoteLaw
from quorate.crowd.scores import ScoreDraws
from quorate.crowd.votes import VoteSets

__all__ = ["Labels", "impute", "label_probabilities"]

BATCH = 25
GRID = 192  # utilities on which densities are tabled; between them the log odds are all but linear


@dataclass(frozen=True)
class Labels:
    """Imputed labels of many draws, as counts.

    Parameters
    ----------
    level_positive, level_total
        Positives and items by score level, ``(draw, level)``.
    set_positive, set_total
        Positives and items by vote set, ``(draw, set)``.
    """

    level_positive: Array
    level_total: Array
    set_positive: Array
    set_total: Array


def impute(
    law: VoteLaw,
    scores: ScoreDraws,
    sets: VoteSets,
    blocks: Blocks,
    *,
    resample_items: bool = False,
    rng: np.random.Generator,
) -> Labels:
    """Draw the missing labels once per parameter draw."""
    parts = []
    for low in range(0, len(law), BATCH):
        part = slice(low, low + BATCH)
        chance = label_probabilities(law[part], scores.shift[part], scores.slope[part], sets, blocks, rng=rng)
        size = np.broadcast_to(blocks.cell_size, chance.shape)
        if resample_items:
            share = blocks.cell_size / blocks.cell_size.sum()
            size = rng.multinomial(int(blocks.cell_size.sum()), share, size=len(chance))
        parts.append(count_labels(rng.binomial(size, chance), size, blocks))
    return Labels(*(np.concatenate([getattr(part, name) for part in parts]) for name in Labels.__dataclass_fields__))


def label_probabilities(
    law: VoteLaw, shift: Array, slope: Array, sets: VoteSets, blocks: Blocks, *, rng: np.random.Generator
) -> Array:
    """P(Y = 1 | votes, rank) in every cell and draw, ``(draw, cell)``; 0 or 1 where an expert spoke."""
    ends = np.stack([0 * shift, shift, slope, shift + slope])
    low, high = ends.min(0) - 7, ends.max(0) + 7
    utility = low[:, None] + (high - low)[:, None] * np.linspace(0, 1, GRID)
    density = _densities(law, shift, slope, utility)[:, law.ballot]
    share = (sets.size / sets.size.sum())[:, None] * np.exp(law.label)
    place = _places(np.einsum("dsy,dsyu->du", share, density, optimize=True), blocks, rng)
    odds = law.label[..., 1, None] - law.label[..., 0, None] + np.log(density[..., 1, :] / density[..., 0, :])
    odds = np.clip(odds, -700, 700)  # an expert's label has infinite odds
    below = np.minimum(place.astype(int), GRID - 2)[:, blocks.cell_block]
    rest = place[:, blocks.cell_block] - below
    draw = np.arange(len(odds))[:, None]
    logit = odds[draw, blocks.cell_set, below] * (1 - rest) + odds[draw, blocks.cell_set, below + 1] * rest
    chance: Array = 1 / (1 + np.exp(-logit))
    return chance


def count_labels(positive: Array, size: Array, blocks: Blocks) -> Labels:
    """Add up cells ``(draw, cell)`` by score level and by vote set."""
    starts = np.flatnonzero(np.diff(blocks.level[blocks.cell_block], prepend=-1))
    member = np.eye(blocks.n_sets)[blocks.cell_set]
    return Labels(
        np.add.reduceat(positive, starts, axis=1),
        np.add.reduceat(size, starts, axis=1),
        positive @ member,
        size @ member,
    )


def _densities(law: VoteLaw, shift: Array, slope: Array, utility: Array) -> Array:
    """Density of U given ballot and label on the grid, ``(draw, ballot, 2, grid)``."""
    mean = shift[:, None, None] * np.array([[0.0], [1.0]]) + slope[:, None, None] * NODES
    kernel = np.exp(-0.5 * (utility[:, None, None, :] - mean[..., None]) ** 2)
    density = np.swapaxes(law.weights, 1, 2) @ kernel
    return np.maximum(np.swapaxes(density, 1, 2), 1e-300)


def _places(law: Array, blocks: Blocks, rng: np.random.Generator) -> Array:
    """Where on the utility grid each block lies, ``(draw, block)``, in grid steps: F_U^-1 of random order statistics.

    The spacings of n ordered uniforms are n + 1 exponentials over their sum; over many ranks they add up to gammas.
    """
    n_items = blocks.cell_size.sum()
    steps = np.diff(np.concatenate([[0.0], blocks.position, [n_items + 1.0]]))
    spacings = np.cumsum(rng.standard_gamma(steps, (len(law), len(steps))), axis=1)
    quantile = spacings[:, :-1] / spacings[:, -1:]
    cumulative = np.cumsum((law[:, 1:] + law[:, :-1]) / 2, axis=1)
    cumulative = np.concatenate([np.zeros((len(law), 1)), cumulative / cumulative[:, -1:]], axis=1)
    grid = np.arange(GRID)
    return np.stack([np.interp(q, c, grid) for q, c in zip(quantile, cumulative, strict=True)])
