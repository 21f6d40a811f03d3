"""The likelihood of items under a normal population, by summing over a grid of means and sds.

P(answers of item i) = Σ_g Σ_h w_g v_h P(answers | mean g, sd h), with w_g and v_h the mass the two families put
around the nodes of the grid. Equal items are scored once.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from quorate._errors import InputError
from quorate._typing import Array
from quorate.data.summaries import Counts, Values
from quorate.populations.normal.answers import Cut, level_probabilities, thresholds
from quorate.populations.normal.families import Family

__all__ = [
    "ItemTable",
    "NodeGrid",
    "grid_for",
    "item_table",
    "likelihoods",
    "node_weights",
    "sample_items",
    "total_log_likelihood",
]

_MEANS, _SDS = 61, 41  # nodes for means and sds: a fine resolution beside the noise of single items
_ROWS = 500  # items scored at once


@dataclass(frozen=True)
class NodeGrid:
    """Nodes for item means and sds, and the answers' scale: levels with their thresholds, or None."""

    means: Array
    sds: Array
    cuts: Array | None

    @property
    def range(self) -> tuple[float, float]:
        """Lowest and highest mean."""
        return float(self.means[0]), float(self.means[-1])


@dataclass(frozen=True)
class ItemTable:
    """Distinct items as what the likelihood needs, ``(row, …)``, and how often each occurs, ``(row,)``.

    With levels a row holds counts per level; with continuous answers it holds size, mean and mean square deviation.
    """

    rows: Array
    weight: Array


def grid_for(summary: Counts | Values, cut: Cut = "nearest") -> NodeGrid:
    """Return the grid that suits the raters' answers."""
    if isinstance(summary, Counts):
        if summary.levels is None:
            raise InputError("a normal population needs numbers, but the scale is nominal: name --order or --scale")
        # A level stands for the values around it, so means reach half a step beyond the outer levels.
        levels, step = summary.levels, np.diff(summary.levels)
        means = np.linspace(levels[0] - step[0] / 2, levels[-1] + step[-1] / 2, _MEANS)
        return NodeGrid(means, np.linspace(0.0, levels[-1] - levels[0], _SDS), thresholds(levels, cut))
    size, mean, square = item_table(summary).rows.T
    widest = np.sqrt((square * size / np.maximum(size - 1, 1)).max())
    if not (mean.max() > mean.min() and widest > 0):
        raise InputError("a normal population needs items that differ and raters who differ; these do not")
    sds = 1.2 * widest * np.linspace(0.0, 1.0, _SDS + 1)[1:] ** 1.5  # denser near 0, where the likelihood is steep
    return NodeGrid(np.linspace(mean.min(), mean.max(), _MEANS), sds, None)


def item_table(summary: Counts | Values) -> ItemTable:
    """Reduce items to distinct rows with weights."""
    if isinstance(summary, Counts):
        rows, weight = np.unique(summary.counts, axis=0, return_counts=True)
        return ItemTable(rows, weight)
    mean = summary.mean
    square = np.where(summary.present, (summary.values - mean[:, None]) ** 2, 0.0).sum(-1) / summary.size
    return ItemTable(np.column_stack([summary.size, mean, square]), np.ones(len(mean), dtype=np.int64))


def sample_items(table: ItemTable, most: int, *, rng: np.random.Generator) -> ItemTable:
    """Return at most that many distinct items, drawn at random with their weights as chances."""
    if len(table.weight) <= most:
        return table
    times = rng.multinomial(most, table.weight / table.weight.sum())
    return ItemTable(table.rows[times > 0], times[times > 0])


def likelihoods(table: ItemTable, grid: NodeGrid) -> tuple[Array, Array]:
    """Return the likelihood of each row at each node, ``(row, mean, sd)``, scaled, and the logarithm of the scale."""
    if grid.cuts is not None:
        mean, sd = np.meshgrid(grid.means, grid.sds, indexing="ij")
        level = np.log(np.maximum(level_probabilities(mean, sd, grid.cuts), 1e-300))
        logs = np.tensordot(table.rows.astype(float), level, axes=(1, 2))
    else:
        logs = _continuous(table.rows, grid)
    scale = logs.max(axis=(1, 2))
    return np.exp(logs - scale[:, None, None]), scale


def _continuous(rows: Array, grid: NodeGrid) -> Array:
    """Log-likelihood of normal answers, averaged over the cell around each mean: it may be narrower than the cell.

    With n answers of mean m and mean square deviation q it is, but for the average over the cell,
    −n log σ − (n/2) log 2π − n (q + (m − μ)²) / 2σ².
    """
    size, centre, square = (column[:, None, None] for column in rows.T)
    sd = grid.sds[None, None, :]
    edges = np.concatenate([grid.means[:1], (grid.means[1:] + grid.means[:-1]) / 2, grid.means[-1:]])
    below = ndtr((edges[None, :, None] - centre) * np.sqrt(size) / sd)
    cell = np.diff(below, axis=1) / np.diff(edges)[None, :, None]
    rest = -(size - 1) * (0.5 * np.log(2 * np.pi) + np.log(sd)) - 0.5 * np.log(size) - size * square / (2 * sd**2)
    return np.asarray(np.log(np.maximum(cell, 1e-300)) + rest)


def node_weights(family: Family, nodes: Array) -> Array:
    """Return the mass a family puts around each node; all that lies beyond the ends counts to the end nodes."""
    below = family.cdf((nodes[1:] + nodes[:-1]) / 2)
    return np.diff(np.concatenate([[0.0], below, [1.0]]))


def total_log_likelihood(table: ItemTable, grid: NodeGrid, means: Array, sds: Array) -> float:
    """Return the log-likelihood of all items, given the weights of the nodes."""
    total = 0.0
    for start in range(0, len(table.weight), _ROWS):
        part = ItemTable(table.rows[start : start + _ROWS], table.weight[start : start + _ROWS])
        likelihood, scale = likelihoods(part, grid)
        total += float(part.weight @ (np.log(np.maximum(likelihood @ sds @ means, 1e-300)) + scale))
    return total
