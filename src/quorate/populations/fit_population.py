"""Fit a population to ratings: a Dirichlet, a normal population, or whichever describes the answers better."""

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from quorate._errors import InputError
from quorate._random import generator
from quorate._typing import Array
from quorate.data.ratings import Ratings
from quorate.data.scale import Scale
from quorate.data.summaries import Counts, Values
from quorate.populations.dirichlet import DirichletPopulation, Method, fit_dirichlet, log_likelihood, tail_counts
from quorate.populations.fit_normal import FamilyFit, fit_normal, normal_log_likelihood
from quorate.populations.population import Population

Kind: TypeAlias = Literal["dirichlet", "normal", "auto"]

_MOST_CATEGORIES = 20  # beyond this `auto` does not try a Dirichlet: one free number per level describes nothing


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
    if kind == "dirichlet" or (kind == "auto" and not numeric):
        return _dirichlet(ratings, method)
    if kind == "normal" or not counted or ratings.scale.n_levels > _MOST_CATEGORIES:
        return _normal(ratings, seed)
    fits = sorted((_dirichlet(ratings, method), _normal(ratings, seed)), key=lambda fitted: -fitted.merit)
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
    if set(names) != set(wanted):
        if not dirichlet.unnamed:
            raise InputError(f"the categories {', '.join(names)} of the population are not those of the ratings")
        return population
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


def _normal(ratings: Ratings, seed: int) -> FittedPopulation:
    summary: Counts | Values = ratings.summary
    fitted = fit_normal(summary, rng=generator(seed, "fit", "normal"))
    used = fitted.n_items_used if fitted.n_items_used < ratings.n_items else None
    return FittedPopulation(
        fitted.population,
        fitted.log_likelihood,
        fitted.n_parameters,
        method="ml",
        families=fitted.alternatives,
        n_items_used=used,
    )
