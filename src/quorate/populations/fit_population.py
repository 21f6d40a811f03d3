"""Fit a population to ratings: a Dirichlet, a normal population, or whichever describes the answers better.

A normal population has one family for the item means and one for the item sds, chosen by
likelihood: P(answers of item i) = Σ_g Σ_h w_g v_h P(answers | mean g, sd h), with w_g and v_h the
mass the families put around the nodes of a grid. Deviates: ratings fits families to observed item
means and sds, which few raters make too wide.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from scipy.special import ndtr

from quorate._errors import InputError
from quorate._random import generator
from quorate._typing import Array
from quorate.data.ratings import Ratings
from quorate.data.scale import Scale
from quorate.data.summaries import Counts, Values
from quorate.populations.dirichlet import DirichletPopulation, Method, fit_dirichlet, log_likelihood, tail_counts
from quorate.populations.families import SHAPES, Family, Shape
from quorate.populations.normal import Cut, NormalPopulation, level_probabilities, thresholds
from quorate.populations.population import Population

Kind: TypeAlias = Literal["dirichlet", "normal", "auto"]

_MOST_CATEGORIES = 20  # beyond this `auto` does not try a Dirichlet: one free number per level describes nothing
_MEANS, _SDS = 61, 41  # nodes for means and sds: a fine resolution beside the noise of single items
_ROWS = 500  # items scored at once
_CELLS = 4_000_000  # items × nodes the optimiser looks at; where there are more items, some are sampled
_EM_STEPS, _ROUNDS = 60, 4


@dataclass(frozen=True)
class FamilyFit:
    """A family fitted to the item means or to the item sds, beside the others.

    ``log_likelihood`` is that of the items looked at, with the other distribution left free.
    """

    role: str
    family: Family
    log_likelihood: float
    n_parameters: int
    shape: Shape
    theta: tuple[float, ...]
    chosen: bool = False

    @property
    def merit(self) -> float:
        """Log-likelihood less one per parameter: half of −AIC."""
        return self.log_likelihood - self.n_parameters


@dataclass(frozen=True)
class FittedPopulation:
    """A fitted population, the log-likelihood of the answers, its free parameters, and what else was tried.

    ``method`` is how it was fitted, None where it was given; ``n_items_used`` is set where families
    were searched for on a random part of the items only.
    """

    population: Population
    log_likelihood: float
    n_parameters: int
    method: Method | None = None
    families: tuple[FamilyFit, ...] = ()
    n_items_used: int | None = None
    rivals: tuple["FittedPopulation", ...] = ()

    @property
    def merit(self) -> float:
        """Log-likelihood less one per parameter: half of −AIC."""
        return self.log_likelihood - self.n_parameters


def fit_population(ratings: Ratings, *, method: Method = "map", kind: Kind = "auto", seed: int = 0) -> FittedPopulation:
    """Fit the population that ratings look like.

    ``auto`` fits a Dirichlet to nominal answers, a normal population to answers with very many
    levels, and both to the others, where the one with the better log-likelihood less one per
    parameter is returned.
    """
    if kind not in ("dirichlet", "normal", "auto"):
        raise InputError(f"family must be 'dirichlet', 'normal' or 'auto', not '{kind}'")
    numeric, counted = ratings.scale.levels is not None, ratings.scale.counted
    rng = generator(seed, "fit", "normal")
    if kind == "dirichlet" or (kind == "auto" and not numeric):
        return _dirichlet(ratings, method)
    if kind == "normal" or not counted or ratings.scale.n_levels > _MOST_CATEGORIES:
        return fit_normal(ratings.summary, rng=rng)
    both = _dirichlet(ratings, method), fit_normal(ratings.summary, rng=rng)
    fits = sorted(both, key=lambda fitted: -fitted.merit)
    return replace(fits[0], rivals=(fits[1],))


def population_log_likelihood(population: Population, ratings: Ratings) -> float:
    """Return the log-probability of the answers under a population (a density for continuous answers)."""
    summary = ratings.summary
    if population.normals is not None:
        return normal_log_likelihood(population.normals, summary)
    if population.enumerable is not None and isinstance(summary, Counts):
        return log_likelihood(np.array(population.enumerable.alpha), tail_counts(summary.counts))
    raise InputError(f"a population of kind {population.kind} cannot be held against these ratings")


def on_scale(population: Population, scale: Scale) -> Population:
    """Return the population with its categories in the order of a scale; refuse one that does not match it."""
    if population.normals is not None:
        levels = None if not scale.counted or scale.levels is None else tuple(scale.levels.tolist())
        if levels != population.levels:
            raise InputError("the levels of the population are not those of the ratings: name all levels with --order")
        return population
    dirichlet = population.enumerable
    if dirichlet is None:
        return population
    names, wanted = list(dirichlet.categories), list(scale.categories)
    if len(names) != len(wanted):
        raise InputError(f"the population has {len(names)} categories, the ratings have {len(wanted)}: they must match")
    if dirichlet.unnamed:
        names = wanted
    if set(names) != set(wanted):
        alpha_words = ",".join(f"{value:g}" for value in dirichlet.alpha)
        raise InputError(
            f"the categories {', '.join(names)} of the population are not those of the ratings, {', '.join(wanted)}: "
            f"its alpha alone, {alpha_words} in the order of the ratings' categories, is taken without names"
        )
    order = [names.index(name) for name in wanted]
    alpha, noise = ([values[i] for i in order] for values in (dirichlet.alpha, dirichlet.noise))
    levels = None if scale.levels is None else tuple(scale.levels.tolist())
    return DirichletPopulation(alpha, wanted, levels, noise)


def _dirichlet(ratings: Ratings, method: Method) -> FittedPopulation:
    summary = ratings.summary
    if not isinstance(summary, Counts):
        raise InputError("a Dirichlet needs categories, but the answers are continuous: use --family normal")
    if summary.counts.shape[1] < 2:
        raise InputError("all answers are the same, so there is nothing to fit: name the other categories with --order")
    fitted = fit_dirichlet(summary.counts, method=method)
    levels: Array | None = ratings.scale.levels
    population = DirichletPopulation(
        tuple(fitted.alpha.tolist()),
        categories=ratings.scale.categories,
        levels=None if levels is None else tuple(levels.tolist()),
    )
    return FittedPopulation(population, fitted.log_likelihood, len(fitted.alpha), method)


def fit_normal(summary: Counts | Values, *, rng: np.random.Generator) -> FittedPopulation:
    """Fit families of item means and sds to numeric answers.

    First the two distributions are estimated freely on a grid (EM); then every family is fitted to
    the means with the free sds held fixed, and to the sds with the free means; the best of each are
    then refined in turn.
    """
    if summary.size.max() < 2:
        raise InputError(
            "every item has one answer, so the spread within items cannot be told from the data:"
            " collect a second answer for some of them"
        )
    grid, table = grid_for(summary), item_table(summary)
    used = sample_items(table, _CELLS // (len(grid.means) * len(grid.sds)), rng=rng)
    likelihood, scale = likelihoods(used, grid)
    base = float(used.weight @ scale)
    free_means, free_sds = _free_weights(likelihood, used.weight)
    means = _candidates("means", likelihood @ free_sds, used.weight, grid.means, free_means, base)
    sds = _candidates("sds", _by_sd(likelihood, free_means), used.weight, grid.sds, free_sds, base)
    best_means, best_sds = _refined(_chosen(means), _chosen(sds), likelihood, used.weight, grid)
    levels = tuple(summary.levels.tolist()) if isinstance(summary, Counts) and summary.levels is not None else None
    population = NormalPopulation(best_means.family, best_sds.family, levels=levels, mean_bounds=grid.range)
    weights = node_weights(best_means.family, grid.means), node_weights(best_sds.family, grid.sds)
    n_used, n_items = int(used.weight.sum()), int(table.weight.sum())
    return FittedPopulation(
        population,
        total_log_likelihood(table, grid, *weights),
        best_means.n_parameters + best_sds.n_parameters,
        method="ml",
        families=(*means, *sds),
        n_items_used=n_used if n_used < n_items else None,
    )


def normal_log_likelihood(population: NormalPopulation, summary: Counts | Values) -> float:
    """Return the log-likelihood of answers under a normal population."""
    grid = grid_for(summary, population.cut)
    weights = node_weights(population.means, grid.means), node_weights(population.sds, grid.sds)
    return total_log_likelihood(item_table(summary), grid, *weights)


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

    With levels a row holds counts per level; with continuous answers it holds size, mean and mean
    square deviation.
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


def _free_weights(likelihood: Array, weight: Array) -> tuple[Array, Array]:
    """EM for two independent distributions on the nodes, without any family."""
    _, n_means, n_sds = likelihood.shape
    means, sds = np.full(n_means, 1.0 / n_means), np.full(n_sds, 1.0 / n_sds)
    for _ in range(_EM_STEPS):
        means = _em_step(means, likelihood @ sds, weight)
        sds = _em_step(sds, _by_sd(likelihood, means), weight)
    return means, sds


def _em_step(mass: Array, likelihood: Array, weight: Array) -> Array:
    updated: Array = mass * ((weight / (likelihood @ mass)) @ likelihood) / weight.sum()
    return updated


def _by_sd(likelihood: Array, means: Array) -> Array:
    """Sum the means out: ``(item, mean, sd)`` becomes ``(item, sd)``."""
    return np.asarray(np.matmul(means, likelihood))


def _candidates(role: str, likelihood: Array, weight: Array, nodes: Array, free: Array, base: float) -> list[FamilyFit]:
    """Fit every family to one of the two distributions; likelihood is ``(item, node)``."""
    place = (nodes - nodes[0]) / (nodes[-1] - nodes[0])
    mean = float(free @ place)
    sd = max(float(np.sqrt(free @ (place - mean) ** 2)), 0.02)
    fits = []
    for shape in SHAPES:
        searches = (_maximised(shape, start, likelihood, weight, nodes) for start in shape.starts(mean, sd))
        theta, value = max(searches, key=lambda search: search[1])
        fits.append(FamilyFit(role, _made(shape, theta, nodes), value + base, len(theta), shape, theta))
    best = max(fits, key=lambda fit: fit.merit)
    return [replace(fit, chosen=fit is best) for fit in fits]


def _chosen(fits: list[FamilyFit]) -> FamilyFit:
    return next(fit for fit in fits if fit.chosen)


def _refined(
    means: FamilyFit, sds: FamilyFit, likelihood: Array, weight: Array, grid: NodeGrid
) -> tuple[FamilyFit, FamilyFit]:
    """Improve the two chosen families in turn, each given the other."""
    for _ in range(_ROUNDS):
        by_mean = likelihood @ node_weights(sds.family, grid.sds)
        means = _improved(means, by_mean, weight, grid.means)
        by_sd = _by_sd(likelihood, node_weights(means.family, grid.means))
        sds = _improved(sds, by_sd, weight, grid.sds)
    return means, sds


def _improved(fit: FamilyFit, likelihood: Array, weight: Array, nodes: Array) -> FamilyFit:
    theta, _ = _maximised(fit.shape, fit.theta, likelihood, weight, nodes)
    return replace(fit, family=_made(fit.shape, theta, nodes), theta=theta)


def _made(shape: Shape, theta: Sequence[float], nodes: Array) -> Family:
    return shape.make(theta, float(nodes[0]), float(nodes[-1]))


def _maximised(
    shape: Shape, start: Sequence[float], likelihood: Array, weight: Array, nodes: Array
) -> tuple[tuple[float, ...], float]:
    """Maximise Σ_i weight_i log(likelihood_i · node weights) over the shape's parameters."""
    from scipy.optimize import minimize

    def loss(theta: Array) -> float:
        mass = node_weights(_made(shape, theta.tolist(), nodes), nodes)
        return -float(weight @ np.log(np.maximum(likelihood @ mass, 1e-300)))

    corners = np.array(start) + 0.5 * np.vstack([np.zeros(len(start)), np.eye(len(start))])
    best = minimize(
        loss,
        np.array(start),
        method="Nelder-Mead",
        options={"xatol": 1e-3, "fatol": 1e-3, "initial_simplex": corners},
    )
    return tuple(best.x.tolist()), -float(best.fun)
