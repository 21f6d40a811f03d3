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
from quorate.populations.normal.families import Family
from quorate.populations.normal.levels import Cut, level_probabilities, thresholds

__all__ = [
    "Grid",
    "ItemTable",
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
class Grid:
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


def grid_for(summary: Counts | Values, cut: Cut = "nearest") -> Grid:
    """Return the grid that suits the raters' answers.

    Examples
    --------
    >>> grid = grid_for(Counts(np.array([[1, 2, 0]]), levels=np.array([1.0, 2.0, 3.0])))
    >>> grid.range, float(grid.sds[-1]), grid.cuts.tolist()
    ((0.5, 3.5), 2.0, [1.5, 2.5])
    """
    if isinstance(summary, Counts):
        if summary.levels is None:
            raise InputError("a normal population needs numbers, but the scale is nominal: name --order or --scale")
        # A level stands for the values around it, so means reach half a step beyond the outer levels.
        levels, step = summary.levels, np.diff(summary.levels)
        means = np.linspace(levels[0] - step[0] / 2, levels[-1] + step[-1] / 2, _MEANS)
        return Grid(means, np.linspace(0.0, levels[-1] - levels[0], _SDS), thresholds(levels, cut))
    size, mean, square = item_table(summary).rows.T
    widest = np.sqrt((square * size / np.maximum(size - 1, 1)).max())
    if not (mean.max() > mean.min() and widest > 0):
        raise InputError("a normal population needs items that differ and raters who differ; these do not")
    sds = 1.2 * widest * np.linspace(0.0, 1.0, _SDS + 1)[1:] ** 1.5  # denser near 0, where the likelihood is steep
    return Grid(np.linspace(mean.min(), mean.max(), _MEANS), sds, None)


def item_table(summary: Counts | Values) -> ItemTable:
    """Reduce items to distinct rows with weights.

    Examples
    --------
    >>> item_table(Counts(np.array([[1, 2], [3, 0], [1, 2]]))).weight.tolist()
    [2, 1]
    """
    if isinstance(summary, Counts):
        rows, weight = np.unique(summary.counts, axis=0, return_counts=True)
        return ItemTable(rows, weight)
    mean = summary.mean
    square = np.where(summary.present, (summary.values - mean[:, None]) ** 2, 0.0).sum(-1) / summary.size
    return ItemTable(np.column_stack([summary.size, mean, square]), np.ones(len(mean), dtype=np.int64))


def sample_items(table: ItemTable, most: int, *, rng: np.random.Generator) -> ItemTable:
    """Return at most that many distinct items, drawn at random with their weights as chances.

    Examples
    --------
    >>> table = ItemTable(np.array([[1, 0], [0, 1], [2, 0]]), np.array([5, 1, 1]))
    >>> len(sample_items(table, 2, rng=np.random.default_rng(0)).weight) <= 2
    True
    """
    if len(table.weight) <= most:
        return table
    drawn = rng.multinomial(most, table.weight / table.weight.sum())
    return ItemTable(table.rows[drawn > 0], drawn[drawn > 0])


def likelihoods(table: ItemTable, grid: Grid) -> tuple[Array, Array]:
    """Return the likelihood of each row at each node, ``(row, mean, sd)``, scaled, and the logarithm of the scale.

    Examples
    --------
    >>> votes = Counts(np.array([[3, 0], [1, 2]]), levels=np.array([0.0, 1.0]))
    >>> likelihoods(item_table(votes), grid_for(votes))[0].shape
    (2, 61, 41)
    """
    if grid.cuts is not None:
        mean, sd = np.meshgrid(grid.means, grid.sds, indexing="ij")
        level = np.log(np.maximum(level_probabilities(mean, sd, grid.cuts), 1e-300))
        logs = np.tensordot(table.rows.astype(float), level, axes=(1, 2))
    else:
        logs = _continuous(table.rows, grid)
    scale = logs.max(axis=(1, 2))
    return np.exp(logs - scale[:, None, None]), scale


def _continuous(rows: Array, grid: Grid) -> Array:
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
    """Return the mass a family puts around each node; all that lies beyond the ends counts to the end nodes.

    Examples
    --------
    >>> from quorate.populations.normal.families import Uniform
    >>> node_weights(Uniform(0, 1), np.array([0.0, 0.5, 1.0]))
    array([0.25, 0.5 , 0.25])
    """
    below = family.cdf((nodes[1:] + nodes[:-1]) / 2)
    return np.diff(np.concatenate([[0.0], below, [1.0]]))


def total_log_likelihood(table: ItemTable, grid: Grid, means: Array, sds: Array) -> float:
    """Return the log-likelihood of all items, given the weights of the nodes.

    Examples
    --------
    >>> votes = Counts(np.array([[1, 0]]), levels=np.array([0.0, 1.0]))
    >>> grid = grid_for(votes)
    >>> even = np.full(len(grid.means), 1 / len(grid.means)), np.full(len(grid.sds), 1 / len(grid.sds))
    >>> round(float(np.exp(total_log_likelihood(item_table(votes), grid, *even))), 3)
    0.5
    """
    total = 0.0
    for start in range(0, len(table.weight), _ROWS):
        part = ItemTable(table.rows[start : start + _ROWS], table.weight[start : start + _ROWS])
        likelihood, scale = likelihoods(part, grid)
        total += float(part.weight @ (np.log(np.maximum(likelihood @ sds @ means, 1e-300)) + scale))
    return total
