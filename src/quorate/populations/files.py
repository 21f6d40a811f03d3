"""Populations as plain data: what `fit` writes and `plan`, `simulate` and `audit` read."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from quorate._errors import InputError
from quorate._text import printable
from quorate._typing import Array
from quorate.data.content import read_content
from quorate.data.ratings import Ratings
from quorate.data.scale import LARGEST, Scale
from quorate.populations.dirichlet import DirichletPopulation
from quorate.populations.families import FAMILIES, Family
from quorate.populations.normal import NormalPopulation
from quorate.populations.population import Population
from quorate.populations.resampled import EmpiricalPopulation, resample_unit
from quorate.populations.shared_raters import SharedRaters
from quorate.populations.side_by_side import SideBySide

Reader: TypeAlias = Callable[[str, Any], Any]
"""Reads the value of a key; what it cannot read is refused by the key's name."""

MOST_CODES = 10_000_000
"""Items, raters or people of a population."""


def population_from_dict(data: Mapping[str, Any]) -> Population:
    """Return the population that plain data describe; keys it does not know are refused."""
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in _KINDS:
        raise InputError(f"a population needs a kind, one of {', '.join(_KINDS)}, not {_shown(kind)}")
    make, readers = _KINDS[kind]
    what = f"{'an' if kind[0] in 'aeiou' else 'a'} {kind} population"
    return make(**_arguments(data, "kind", what, make, readers))


def read_population(path: str | Path) -> tuple[Population, tuple[str, ...]]:
    """Read a population file, what `fit -o` wrote or the population alone; return what the fit warned of beside it."""
    content = read_content(str(path), Path(path))
    try:
        data = json.loads(content)
    except (ValueError, RecursionError):
        raise InputError(f"{path} cannot be read as JSON: give a file that `quorate fit -o` wrote") from None
    described = data.get("population", data) if isinstance(data, dict) else None
    if not isinstance(described, dict):
        raise InputError(f"{path} holds no population: give a file that `quorate fit -o` wrote")
    try:
        return population_from_dict(described), warned(data)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def warned(fitted: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what a fit warned of, of its JSON; nothing of a population alone."""
    said = fitted.get("warnings")
    return tuple(each for each in said if isinstance(each, str)) if isinstance(said, list) else ()


def coded_ratings(
    item: Array,
    response: Array,
    rater: Array | None,
    categories: Sequence[str],
    levels: Sequence[float] | None = None,
) -> Ratings:
    """Return ratings from codes, one entry per response: items, categories and raters (None if unknown) from 0."""
    import polars as pl

    if len(item) == 0:
        raise InputError("there is no response to resample")
    if any(len(codes) != len(item) for codes in (response, item if rater is None else rater)):
        raise InputError("item, response and rater must hold as many codes each, one per response")
    if item.max() >= len(item):
        raise InputError("every item code from 0 up must have at least one response")
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


def _arguments(
    data: Mapping[str, Any], tag: str, what: str, make: Callable[..., Any], readers: Mapping[str, Reader]
) -> dict[str, Any]:
    """Read what is made of plain data from its keys; refuse one that is not known, or missing."""
    allowed = (tag, *readers)
    unknown = next((key for key in data if key not in allowed), None)
    if unknown is not None:
        raise InputError(f"{what} has no '{unknown}': remove it (known are {', '.join(allowed)})")
    for name, parameter in signature(make).parameters.items():
        if parameter.default is Parameter.empty and data.get(name) is None:
            raise InputError(f"{what} needs '{name}'")
    return {name: read(name, data[name]) for name, read in readers.items() if data.get(name) is not None}


def _family(name: str, value: Any) -> Family:
    if not isinstance(value, dict) or str(value.get("family")) not in FAMILIES:
        raise InputError(f"{name} needs a family, one of {', '.join(FAMILIES)}")
    make = FAMILIES[str(value["family"])]
    readers = {field.name: _number for field in fields(make)}
    return make(**_arguments(value, "family", f"a {make.family} family", make, readers))


def _empirical(
    unit: str,
    categories: Sequence[str],
    item: Array,
    response: Array,
    rater: Array | None = None,
    levels: Sequence[float] | None = None,
) -> EmpiricalPopulation:
    return EmpiricalPopulation(coded_ratings(item, response, rater, categories, levels), resample_unit(str(unit)))


def _list(name: str, value: Any) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise InputError(f"{name} must be a list, not {_shown(value)}")
    return list(value)


def _words(name: str, value: Any) -> tuple[str, ...]:
    return tuple(map(str, _list(name, value)))


def _numbers(name: str, value: Any) -> tuple[float, ...]:
    return tuple(_number(name, each) for each in _list(name, value))


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not -LARGEST < value < LARGEST:
        raise InputError(f"{name} must hold numbers, not {_shown(value)}")
    return float(value)


def _people(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value < MOST_CODES:
        raise InputError(f"{name} must be a number of people, not {_shown(value)}")
    return value


def _shown(value: object) -> str:
    """Write a value of a file, not at any length."""
    try:
        return printable(repr(value), 40)
    except ValueError:  # a whole number of thousands of digits
        return "so long a number"


def _codes(name: str, value: Any) -> Array:
    values = _list(name, value)
    if not all(isinstance(code, int) and not isinstance(code, bool) and 0 <= code < MOST_CODES for code in values):
        raise InputError(f"{name} must hold codes, whole numbers from 0")
    return np.array(values, dtype=np.int64)


def _as_given(name: str, value: Any) -> Any:
    return value


_KINDS: dict[str, tuple[Callable[..., Population], dict[str, Reader]]] = {
    "dirichlet": (
        DirichletPopulation,
        {"alpha": _numbers, "categories": _words, "levels": _numbers, "noise": _numbers},
    ),
    "normal": (
        NormalPopulation,
        {"means": _family, "sds": _family, "levels": _numbers, "cut": _as_given}
        | {"bounds": _numbers, "mean_bounds": _numbers},
    ),
    "empirical": (
        _empirical,
        {"unit": _as_given, "categories": _words, "item": _codes, "response": _codes}
        | {"levels": _numbers, "rater": _codes},
    ),
    "shared-raters": (
        SharedRaters,
        {"lean": _number, "item": _number, "pool": _people, "load": _as_given},
    ),
    "side-by-side": (
        SideBySide,
        {"ties": _number, "item_share": _number, "rater_share": _number, "first_shown": _number}
        | {"pool": _people, "load": _as_given},
    ),
}
"""How each kind of population is made, and how what it is made of is read."""
