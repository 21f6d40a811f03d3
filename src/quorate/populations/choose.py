"""One way to name a population, shared by plan, simulate and audit: a preset, a file, an alpha, or data."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from quorate._errors import InputError
from quorate._random import generator
from quorate.data.ratings import Ratings
from quorate.populations.dirichlet import DirichletPopulation
from quorate.populations.files import population_from_dict, read_population
from quorate.populations.population import Population
from quorate.populations.preset import PRESETS, find_preset
from quorate.populations.resampled.blocks import batches, fill
from quorate.populations.resampled.population import CROSSED, EmpiricalPopulation, ResampleUnit, resample_unit
from quorate.populations.resampled.table import RatedTable, limit_raters, table_of

__all__ = ["NamedPopulation", "as_population", "choose_population", "parse_alpha", "resampled"]

NamedPopulation: TypeAlias = Population | str | Path | Mapping[str, Any] | Sequence[float]
"""A population, the name of a preset, a population file, its content, or a Dirichlet's alpha."""


def choose_population(
    *,
    preset: str | None = None,
    population: NamedPopulation | None = None,
    alpha: str | Sequence[float] | None = None,
    source: Ratings | None = None,
    resample: Ratings | None = None,
    resample_unit: str = "auto",
    pool: int | None = None,
    seed: int = 0,
) -> Population:
    """Return the one population that is named; exactly one of the first five must be.

    Parameters
    ----------
    preset
        Name of a preset.
    population
        A population file, or a population.
    alpha
        Concentrations of a Dirichlet, or a text such as ``"5.22,0.86,2.75"``.
    source
        Ratings to fit a population to.
    resample, resample_unit
        Ratings to resample, and by what unit.
    pool
        Limit the raters of the resampled ratings to so many, drawn at random.
    seed
        Seed of what is random about the choice.

    Examples
    --------
    >>> choose_population(alpha="2,1").alpha
    (2.0, 1.0)
    >>> choose_population(alpha="2,1", preset="dices")
    Traceback (most recent call last):
    quorate._errors.InputError: name one population, not 2 (--preset and --alpha)
    """
    named = {"--preset": preset, "--population": population, "--alpha": alpha, "--from": source, "--resample": resample}
    given = [option for option, value in named.items() if value is not None]
    if len(given) != 1:
        which = f"not {len(given)} ({' and '.join(given)})" if given else f"with one of {', '.join(named)}"
        raise InputError(f"name one population, {which}")
    if pool is not None and resample is None:
        raise InputError("a pool of raters can be limited only with --resample")
    if preset is not None:
        return find_preset(preset).population
    if population is not None:
        return as_population(population)
    if alpha is not None:
        return DirichletPopulation(parse_alpha(alpha))
    if source is not None:
        from quorate.populations.fit_population import fit_population

        return fit_population(source, seed=seed).population
    assert resample is not None
    return resampled(resample, resample_unit, pool=pool, seed=seed)


def as_population(named: NamedPopulation) -> Population:
    """Return the population a person means: an object, a preset's name, a file, its content, or an alpha.

    Examples
    --------
    >>> as_population("dices").alpha == as_population([5.22, 0.86, 2.75]).alpha
    True
    """
    if isinstance(named, Population):
        return named
    if isinstance(named, Mapping):
        return population_from_dict(named.get("population", named))
    if isinstance(named, Path) or (isinstance(named, str) and (named.endswith(".json") or Path(named).is_file())):
        return read_population(named)
    if isinstance(named, str):
        return find_preset(named).population if named.strip().lower() in PRESETS else _alpha_or_preset(named)
    return DirichletPopulation(tuple(named))


def parse_alpha(alpha: str | Sequence[float]) -> tuple[float, ...]:
    """Return the concentrations a text such as ``5.22,0.86,2.75`` names.

    Examples
    --------
    >>> parse_alpha("5.22, 0.86, 2.75")
    (5.22, 0.86, 2.75)
    """
    parts = alpha.split(",") if isinstance(alpha, str) else alpha
    try:
        return tuple(float(part) for part in parts)
    except (TypeError, ValueError):
        raise InputError(f"alpha must be numbers with commas, such as 5.22,0.86,2.75, not '{alpha}'") from None


def resampled(ratings: Ratings, unit: str = "auto", *, pool: int | None = None, seed: int = 0) -> EmpiricalPopulation:
    """Return ratings as a population to resample.

    ``auto`` resamples items+raters where raters are crossed with items, batches where groups of items share their
    raters, raters-within-items otherwise, and items+answers where raters are unknown.

    Examples
    --------
    >>> from quorate.data.read_ratings import read_ratings
    >>> votes = {"item": ["a", "a", "b", "b"], "rater": ["x", "y", "x", "y"], "response": ["no", "no", "no", "yes"]}
    >>> resampled(read_ratings(votes)).unit
    'items+raters'
    """
    table = table_of(ratings)
    if pool is not None:
        table = limit_raters(table, pool, rng=generator(seed, "pool"))
    return EmpiricalPopulation(table, _auto(table) if unit == "auto" else resample_unit(unit))


def _auto(table: RatedTable) -> ResampleUnit:
    if table.rater is None:
        return "items+answers"
    if fill(table) >= CROSSED:
        return "items+raters"
    n_batches = int(batches(table).max()) + 1
    return "batches" if 1 < n_batches <= table.n_items / 2 else "raters-within-items"


def _alpha_or_preset(name: str) -> Population:
    if "," in name:
        return DirichletPopulation(parse_alpha(name))
    return find_preset(name).population
