"""Populations as plain data: what `fit` writes and `plan`, `simulate` and `audit` read."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from quorate._errors import InputError
from quorate._typing import Array
from quorate.data.ratings import Ratings
from quorate.data.scale import Scale
from quorate.populations.dirichlet import DirichletPopulation
from quorate.populations.families import FAMILIES, Family
from quorate.populations.normal import NormalPopulation
from quorate.populations.population import Population
from quorate.populations.resampled import EmpiricalPopulation, resample_unit
from quorate.populations.shared_raters import SharedRaters


def population_from_dict(data: Mapping[str, Any]) -> Population:
    """Return the population that plain data describe; keys it does not know are refused."""
    kind = data.get("kind")
    build = _BUILDERS.get(kind) if isinstance(kind, str) else None
    if build is None:
        raise InputError(f"a population needs a kind, one of {', '.join(_BUILDERS)}, not {kind!r}")
    return build(data)


def read_population(path: str | Path) -> Population:
    """Read a population file: what `fit -o` wrote, or the population alone."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"there is no population file {path}: check the path") from None
    except (OSError, UnicodeDecodeError, json.JSONDecodeError):
        raise InputError(f"{path} cannot be read as JSON: give a file that `quorate fit -o` wrote") from None
    if isinstance(data, dict) and "population" in data:
        data = data["population"]
    if not isinstance(data, dict):
        raise InputError(f"{path} holds no population: give a file that `quorate fit -o` wrote")
    try:
        return population_from_dict(data)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def coded_ratings(
    item: Array,
    response: Array,
    rater: Array | None,
    categories: Sequence[str],
    levels: Sequence[float] | None = None,
) -> Ratings:
    """Return ratings from codes, one entry per response: items, categories and raters (None if unknown) from 0."""
    if len(item) == 0:
        raise InputError("there is no response to resample")
    if response.min() < 0 or response.max() >= len(categories):
        raise InputError(f"response codes must lie between 0 and {len(categories) - 1}, one per category")
    if (np.bincount(item) == 0).any():
        raise InputError("every item code from 0 up must have at least one response")
    people, who = np.unique(np.zeros_like(item) if rater is None else rater, return_inverse=True)
    rows, count = np.unique(np.column_stack([item, who.reshape(-1), response]), axis=0, return_counts=True)
    numbers = None if levels is None else np.array(levels, dtype=float)
    return Ratings(
        items=pl.Series(map(str, range(int(item.max()) + 1)), dtype=pl.String),
        raters=None if rater is None else pl.Series(map(str, people.tolist()), dtype=pl.String),
        scale=Scale("nominal" if levels is None else "ordinal", tuple(categories), numbers),
        item=rows[:, 0],
        rater=None if rater is None else rows[:, 1],
        response=rows[:, 2],
        count=count,
        n_rows=len(item),
    )


def _dirichlet(data: Mapping[str, Any]) -> Population:
    _check_keys(data, "a dirichlet population", needed=("alpha",), optional=("categories", "levels", "noise"))
    return DirichletPopulation(
        _numbers(data, "alpha") or (),
        categories=tuple(map(str, _list(data, "categories") or ())),
        levels=_numbers(data, "levels"),
        noise=_numbers(data, "noise") or (),
    )


def _normal(data: Mapping[str, Any]) -> Population:
    ends = ("bounds", "mean_bounds")
    _check_keys(data, "a normal population", needed=("means", "sds"), optional=("levels", "cut", *ends))
    bounds, mean_bounds = (_pair(data, name) for name in ends)
    return NormalPopulation(
        _family(data, "means"),
        _family(data, "sds"),
        levels=_numbers(data, "levels"),
        cut=data.get("cut", "nearest"),
        bounds=bounds,
        mean_bounds=mean_bounds,
    )


def _empirical(data: Mapping[str, Any]) -> Population:
    needed = ("unit", "categories", "item", "response")
    _check_keys(data, "an empirical population", needed=needed, optional=("levels", "rater"))
    item, response, rater = (_codes(data, name) for name in ("item", "response", "rater"))
    if item is None or response is None:
        raise InputError("an empirical population needs item and response codes")
    names, levels = tuple(map(str, _list(data, "categories") or ())), _numbers(data, "levels")
    ratings = coded_ratings(item, response, rater, names, levels)
    return EmpiricalPopulation(ratings, resample_unit(str(data["unit"])))


def _shared_raters(data: Mapping[str, Any]) -> Population:
    _check_keys(data, "a shared-raters population", needed=(), optional=("lean", "item", "pool", "load"))
    sizes = {name: _number(data, name) for name in ("lean", "item") if name in data}
    return SharedRaters(**sizes, pool=data.get("pool"), load=data.get("load", "even"))


_BUILDERS: dict[str, Callable[[Mapping[str, Any]], Population]] = {
    "dirichlet": _dirichlet,
    "normal": _normal,
    "empirical": _empirical,
    "shared-raters": _shared_raters,
}


def _family(data: Mapping[str, Any], name: str) -> Family:
    value = data[name]
    families = ", ".join(FAMILIES)
    if not isinstance(value, dict) or value.get("family") not in FAMILIES:
        raise InputError(f"{name} needs a family, one of {families}")
    cls = FAMILIES[value["family"]]
    parameters = [field.name for field in fields(cls)]
    needed = [field for field in parameters if field != "fold" and not field.startswith("clip")]
    optional = [field for field in parameters if field not in needed]
    _check_keys(value, f"a {cls.family} family", needed, optional, tag="family")
    return cls(**{field: _number(value, field) for field in parameters if field in value})


def _check_keys(
    data: Mapping[str, Any], what: str, needed: Sequence[str], optional: Sequence[str], tag: str = "kind"
) -> None:
    allowed = (tag, *needed, *optional)
    unknown = next((key for key in data if key not in allowed), None)
    if unknown is not None:
        raise InputError(f"{what} has no '{unknown}': remove it (known are {', '.join(allowed)})")
    missing = next((key for key in needed if data.get(key) is None), None)
    if missing is not None:
        raise InputError(f"{what} needs '{missing}'")


def _list(data: Mapping[str, Any], name: str) -> list[Any] | None:
    value = data.get(name)
    if value is not None and not isinstance(value, list | tuple):
        raise InputError(f"{name} must be a list, not {value!r}")
    return None if value is None else list(value)


def _numbers(data: Mapping[str, Any], name: str) -> tuple[float, ...] | None:
    values = _list(data, name)
    return None if values is None else tuple(_number({name: value}, name) for value in values)


def _pair(data: Mapping[str, Any], name: str) -> tuple[float, float] | None:
    values = _numbers(data, name)
    if values is not None and len(values) != 2:
        raise InputError(f"{name} must be two numbers, low and high")
    return None if values is None else (values[0], values[1])


def _number(data: Mapping[str, Any], name: str) -> float:
    value = data[name]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{name} must hold numbers, not {value!r}")
    return float(value)


def _codes(data: Mapping[str, Any], name: str) -> Array | None:
    values = _list(data, name)
    if values is None:
        return None
    if not all(isinstance(value, int) and not isinstance(value, bool) and value >= 0 for value in values):
        raise InputError(f"{name} must hold codes, whole numbers from 0")
    return np.array(values, dtype=np.int64)
