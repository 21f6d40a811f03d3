"""A ratings table as codes: what the empirical populations resample."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array
from quorate.data.ratings import Ratings
from quorate.data.scale import format_number

__all__ = ["RatedTable", "limit_raters", "table_of"]


@dataclass(frozen=True, eq=False)
class RatedTable:
    """Responses as flat arrays of codes, one entry per response.

    Parameters
    ----------
    item, response
        Item and category codes, from 0.
    rater
        Rater codes, from 0; None where raters are unknown.
    categories
        Names of the categories.
    levels
        The number each category stands for; None on a nominal scale.

    Examples
    --------
    >>> table = RatedTable(np.array([0, 0, 1]), np.array([1, 1, 0]), np.array([0, 1, 0]), ("no", "yes"))
    >>> table.counts.tolist(), table.n_raters
    ([[0, 2], [1, 0]], 2)
    """

    item: Array
    response: Array
    rater: Array | None
    categories: Sequence[str]
    levels: Sequence[float] | None = None

    def __post_init__(self) -> None:
        if len(self.item) == 0:
            raise InputError("there is no response to resample")
        if self.response.min() < 0 or self.response.max() >= len(self.categories):
            raise InputError(f"response codes must lie between 0 and {len(self.categories) - 1}, one per category")
        if (np.bincount(self.item) == 0).any():
            raise InputError("every item code from 0 up must have at least one response")

    @cached_property
    def n_items(self) -> int:
        """Number of items."""
        return int(self.item.max()) + 1

    @cached_property
    def n_raters(self) -> int:
        """Number of raters; 0 where they are unknown."""
        return 0 if self.rater is None else len(np.unique(self.rater))

    @cached_property
    def counts(self) -> Array:
        """Responses per item and category, ``(item, category)``."""
        return self._tally(np.ones(len(self.item))).astype(np.int64)

    @cached_property
    def rater_shares(self) -> Array:
        """Share of each category per item when every rater of the item weighs the same, ``(item, category)``."""
        if self.rater is None:
            return self.response_shares
        _, pair, repeats = np.unique(
            self.item.astype(np.int64) * (self.rater.max() + 1) + self.rater, return_inverse=True, return_counts=True
        )
        return _normalised(self._tally(1.0 / repeats[pair]))

    @cached_property
    def response_shares(self) -> Array:
        """Share of each category per item when every response weighs the same, ``(item, category)``."""
        return _normalised(self.counts)

    def _tally(self, weights: Array) -> Array:
        m = len(self.categories)
        return np.bincount(self.item * m + self.response, weights, self.n_items * m).reshape(-1, m)


def table_of(ratings: Ratings) -> RatedTable:
    """Return ratings as codes, one entry per response.

    Examples
    --------
    >>> from quorate.data.read_ratings import read_ratings
    >>> table_of(read_ratings({"item": ["a", "a", "b"], "response": ["no", "no", "yes"]})).counts.tolist()
    [[2, 0], [0, 1]]
    """
    repeat, levels = ratings.count, ratings.scale.levels
    names = ratings.scale.categories or tuple(map(format_number, np.asarray(levels)))
    return RatedTable(
        item=np.repeat(ratings.item.astype(np.int64), repeat),
        response=np.repeat(ratings.response.astype(np.int64), repeat),
        rater=None if ratings.rater is None else np.repeat(ratings.rater.astype(np.int64), repeat),
        categories=names,
        levels=None if levels is None else tuple(levels.tolist()),
    )


def limit_raters(table: RatedTable, n_raters: int, *, rng: np.random.Generator) -> RatedTable:
    """Keep the responses of ``n_raters`` raters drawn at random; items they did not rate drop out.

    Examples
    --------
    >>> table = RatedTable(np.array([0, 0, 1]), np.array([1, 1, 0]), np.array([0, 1, 1]), ("no", "yes"))
    >>> limit_raters(table, 1, rng=np.random.default_rng(0)).n_raters
    1
    """
    if table.rater is None:
        raise InputError("the pool of raters cannot be limited: the ratings do not say who the raters are")
    raters = np.unique(table.rater)
    if not 1 <= n_raters <= len(raters):
        raise InputError(f"the pool can be limited to between 1 and {len(raters)} raters, not {n_raters}")
    kept = np.isin(table.rater, rng.choice(raters, n_raters, replace=False))
    item = np.unique(table.item[kept], return_inverse=True)[1]
    return replace(table, item=item, response=table.response[kept], rater=table.rater[kept])


def _normalised(weights: Array) -> Array:
    shares: Array = weights / weights.sum(-1, keepdims=True)
    return shares
