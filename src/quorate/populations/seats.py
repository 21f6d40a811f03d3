"""Who answers which item: a few of a pool of people for each, who share the work evenly or by rank."""

from typing import Literal, TypeAlias, get_args

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array

Load: TypeAlias = Literal["even", "unequal"]
"""How work is spread over the pool: evenly, or by rank, the second rater half as often as the first, and so on."""


def check_load(load: str) -> None:
    """Refuse a load nobody knows."""
    if load not in get_args(Load):
        raise InputError(f"the load is {' or '.join(get_args(Load))}, not {load!r}")


def draw_seats(n_items: int, k: int, pool: int | None, load: Load, rng: np.random.Generator) -> Array:
    """Draw k different raters for each item, ``(item, answer)``; a pool of None has k people."""
    people = k if pool is None else pool
    if people < k:
        raise InputError(f"a pool of {people} cannot give {k} different raters per item; take --pool {k} or more")
    rate = np.ones(people) if load == "even" else 1 / np.arange(1, people + 1)
    arrival = rng.exponential(size=(n_items, people)) / rate
    return np.asarray(np.argpartition(arrival, k - 1, axis=1)[:, :k])
