"""Empirical populations: real ratings, resampled by unit and perturbed by replacing answers [multilevel].

=====================  ======================================================================================
items                  items with replacement, each with answers it has: the raters are taken as they are
items+answers          items, then answers of the item, with replacement
raters-within-items    items, then raters of the item, with replacement (S2): rater effects average out
items+raters           items and raters, crossed (S1): one rater's habits hit all items
batches                whole batches, then raters of the batch, crossed within it (S3)
=====================  ======================================================================================

A and B answer like raters of the same scheme, each on a draw of raters of its own, with replacement
(with ``items``, only where more raters are asked for than an item has).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, TypeAlias, cast, get_args

import numpy as np

from quorate._errors import InputError
from quorate._random import generator
from quorate._text import count, percent
from quorate._typing import Array
from quorate.data.ratings import Ratings
from quorate.data.scale import format_number
from quorate.data.summaries import Counts
from quorate.data.topology import find_batches
from quorate.populations.crossed import (
    RaterBlocks,
    block_ratings,
    draw_crossed,
    draw_full,
    draw_replacements,
    filled_share,
)
from quorate.populations.population import AnswerLaws, Draw, Population, Request, draw_from_laws

ResampleUnit: TypeAlias = Literal["items", "items+answers", "raters-within-items", "items+raters", "batches"]
"""What is drawn anew in every replicate."""

_ALIASES = {"s1": "items+raters", "s2": "raters-within-items", "s3": "batches"}
CROSSED = 0.5  # raters are crossed if this share of cells is filled; below it, most answers would be stand-ins


@dataclass(frozen=True, eq=False)
class EmpiricalPopulation(Population):
    """Ratings to resample by a unit, which is drawn anew in every replicate.

    With ``anew`` a system answers like a rater drawn anew on each item, not like raters of the same
    scheme. Without ``panels`` draws do not say who gave which answer, and full ratings are drawn
    many times faster.
    """

    kind: ClassVar[str] = "empirical"
    max_effect = 1.0  # every answer replaced by noise

    ratings: Ratings
    unit: ResampleUnit = "raters-within-items"
    anew: bool = False
    panels: bool = True

    def __post_init__(self) -> None:
        if self.unit not in get_args(ResampleUnit):
            raise InputError(f"unit must be one of {', '.join(get_args(ResampleUnit))}, not '{self.unit}'")
        if self.ratings.rater is None and self.unit not in ("items", "items+answers"):
            raise InputError(f"the ratings do not say who the raters are, so '{self.unit}' cannot be resampled")
        if self.unit == "batches" and self._block.max() == 0:
            raise InputError(
                f"every two items are linked by raters, so there is only one batch: use {_auto(self.ratings)}"
            )
        if self.raters_return and (share := filled_share(self.ratings, self._block)) < CROSSED:
            raise InputError(
                f"{self.unit} needs raters crossed with items, but only {share:.1%} of the cells have a response:"
                f" resample {_auto(self.ratings)}"
            )

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the categories, or of the numbers."""
        scale = self.ratings.scale
        return scale.categories or tuple(map(format_number, np.asarray(scale.levels)))

    @property
    def levels(self) -> Sequence[float] | None:
        """The number each category stands for; None on a nominal scale."""
        levels = self.ratings.scale.levels
        return None if levels is None else tuple(levels.tolist())

    @property
    def raters_return(self) -> bool:
        """Whether raters are crossed with items, or with those of a batch."""
        return self.unit in ("items+raters", "batches")

    @property
    def crossed_ratings(self) -> "EmpiricalPopulation | None":
        """Itself, where raters come back."""
        return self if self.raters_return else None

    @property
    def full(self) -> bool:
        """Whether every rater rated every item once."""
        cells = self.ratings.n_items * (self.ratings.n_raters or 0)
        return len(self.ratings.pair_starts) == self.ratings.n_responses == cells

    @property
    def block_items(self) -> float | None:
        """Items per batch where whole batches are drawn, else None."""
        return float(self._blocks.n_items.mean()) if self.unit == "batches" else None

    @property
    def most_people(self) -> int:
        """Most different raters an item can have: those of the ratings, or of the largest batch."""
        return int(self._blocks.n_raters.max()) if self.unit == "batches" else self.ratings.n_raters or 0

    def effect_words(self, effect: float) -> str:
        """Say which share of B's answers is replaced."""
        return f"if {percent(effect)} of system B's answers are replaced at random"

    def words(self) -> str:
        """Name the size of the ratings, and what is resampled."""
        ratings = self.ratings
        people = f" by {count(ratings.n_raters, 'rater')}" if ratings.n_raters else ""
        size = f"{count(ratings.n_responses, 'rating')} of {count(ratings.n_items, 'item')}{people}"
        return f"{size}, resampled by {self.unit}"

    def parameters(self) -> dict[str, Any]:
        """Return kind, unit and size: the ratings themselves are data."""
        ratings = self.ratings
        sizes = {"items": ratings.n_items, "raters": ratings.n_raters, "responses": ratings.n_responses}
        return {"kind": self.kind, "unit": self.unit, **sizes}

    def to_dict(self) -> dict[str, Any]:
        """Return the population as plain data."""
        ratings = self.ratings

        def single(codes: Array) -> list[int]:
            """Return a code for every response."""
            return np.repeat(codes, ratings.count).tolist()

        return {
            "kind": self.kind,
            "unit": self.unit,
            "categories": list(self.labels),
            "levels": None if self.levels is None else list(self.levels),
            "item": single(ratings.item),
            "rater": None if ratings.rater is None else single(ratings.rater),
            "response": single(ratings.response),
        }

    @cached_property
    def _block(self) -> Array:
        """The block of every item, ``(item,)``: its batch, or the one of all items."""
        if self.unit == "batches":
            return find_batches(self.ratings)
        return np.zeros(self.ratings.n_items, dtype=np.int64)

    @cached_property
    def _blocks(self) -> RaterBlocks:
        return block_ratings(self.ratings, self._block)

    @cached_property
    def _responses(self) -> Array | None:
        """Responses as 0 and 1, ``(rater, item, category)``, where counts alone are drawn."""
        ratings = self.ratings
        if self.panels or self.unit != "items+raters" or not self.full or ratings.rater is None:
            return None
        shape = (ratings.n_raters or 0, ratings.n_items, ratings.scale.n_levels)
        responses = np.zeros(shape, dtype=np.float32)
        responses[ratings.rater, ratings.item, ratings.response] = 1.0
        return responses

    @cached_property
    def _laws(self) -> Array:
        """The probability of each answer to an item, ``(item, category)``."""
        return answer_shares(self.ratings, by_rater=self.unit == "raters-within-items")

    def _draw(self, request: Request, rng: np.random.Generator) -> Draw:
        levels = self.ratings.scale.levels
        a, b = draw_replacements(request, self.ratings.scale.n_levels, rng=rng)
        if self._responses is not None:
            responses, shares = self._responses, self._laws
            return draw_full(responses, shares, levels, request, (a, b), anew=self.anew, rng=rng)
        if self.raters_return:
            whole = self.unit == "batches"
            return draw_crossed(
                self._blocks, self._laws, levels, request, (a, b), whole_blocks=whole, anew=self.anew, rng=rng
            )
        item = rng.integers(self.ratings.n_items, size=request.shape)
        law = self._laws[item]
        laws = AnswerLaws(law, a.perturbed(law), b.perturbed(law), levels)
        study = draw_from_laws(laws, request, rng=rng)  # the replacements already know the null world
        if self.unit == "items":
            raters = subsets(answer_counts(self.ratings)[item], request.n_raters, rng)
            return Draw(Counts(raters, levels), study.a, study.b)
        return study


def resampled(ratings: Ratings, unit: str = "auto", *, pool: int | None = None, seed: int = 0) -> EmpiricalPopulation:
    """Return ratings as a population to resample.

    ``auto`` resamples items+raters where raters are crossed with items, batches where groups of
    items share their raters, raters-within-items otherwise, and items+answers where raters are
    unknown.
    """
    if pool is not None:
        ratings = limit_raters(ratings, pool, rng=generator(seed, "pool"))
    return EmpiricalPopulation(ratings, _auto(ratings) if unit == "auto" else resample_unit(unit))


def averaged_raters(population: EmpiricalPopulation) -> tuple[str, ...]:
    """Warn where raters who come back on other items are drawn anew on each: their habits average out."""
    ratings = population.ratings
    if population.unit != "raters-within-items" or ratings.rater is None:
        return ()
    if np.bincount(ratings.rater[ratings.pair_starts]).max() < 2:
        return ()
    return (
        "raters come back on other items, but too few cells are filled to resample them as they are: drawn anew on "
        "every item, their habits average out, and less is said to be needed than is.",
    )


def limit_raters(ratings: Ratings, n_raters: int, *, rng: np.random.Generator) -> Ratings:
    """Keep the responses of so many raters drawn at random; items they did not rate drop out."""
    if ratings.rater is None or ratings.n_raters is None:
        raise InputError("the pool of raters cannot be limited: the ratings do not say who the raters are")
    if not 1 <= n_raters <= ratings.n_raters:
        raise InputError(f"the pool can be limited to between 1 and {ratings.n_raters} raters, not {n_raters}")
    chosen = rng.choice(ratings.n_raters, n_raters, replace=False)
    rows = np.isin(ratings.rater, chosen)
    named = ("item", "rater", "response", "count")
    kept = replace(ratings, **{name: getattr(ratings, name)[rows] for name in named})
    return kept.keep(np.bincount(kept.item, minlength=ratings.n_items) > 0)


def resample_unit(unit: str) -> ResampleUnit:
    """Return the unit of that name; S1, S2 and S3 are accepted too."""
    name = _ALIASES.get(unit.strip().lower(), unit.strip().lower())
    if name not in get_args(ResampleUnit):
        raise InputError(f"'{unit}' is not a unit to resample: use {', '.join(get_args(ResampleUnit))}")
    return cast(ResampleUnit, name)


def _auto(ratings: Ratings) -> ResampleUnit:
    if ratings.rater is None:
        return "items+answers"
    if filled_share(ratings) >= CROSSED:
        return "items+raters"
    batch = find_batches(ratings)
    several = 1 < int(batch.max()) + 1 <= ratings.n_items / 2
    return "batches" if several and filled_share(ratings, batch) >= CROSSED else "raters-within-items"


def answer_shares(ratings: Ratings, *, by_rater: bool) -> Array:
    """Return the share of each category per item, ``(item, category)``; if asked, with equal raters."""
    counts = answer_counts(ratings)
    if by_rater and ratings.rater is not None:
        sizes = np.add.reduceat(ratings.count, ratings.pair_starts)
        rows = np.diff(ratings.pair_starts, append=len(ratings.item))
        cell = np.repeat(np.arange(len(sizes)), rows)
        counts = _tally(ratings, ratings.count / sizes[cell])
    shares: Array = counts / counts.sum(-1, keepdims=True)
    return shares


def answer_counts(ratings: Ratings) -> Array:
    """Responses per item and category, ``(item, category)``."""
    return _tally(ratings, ratings.count).astype(np.int64)


def subsets(counts: Array, n: int, rng: np.random.Generator) -> Array:
    """Draw n of each item's answers without replacement, ``(item, category)``; with it where the item has fewer."""
    size = counts.sum(-1)
    enough = size >= n
    subset = np.empty_like(counts)
    subset[~enough] = rng.multinomial(n, counts[~enough] / size[~enough][:, None])
    left, rest = np.full(int(enough.sum()), n), size[enough]
    for m, column in enumerate(counts[enough].T):  # hypergeometric, one category after the other
        rest = rest - column
        subset[enough, m] = rng.hypergeometric(column, rest, left)
        left = left - subset[enough, m]
    return subset


def _tally(ratings: Ratings, weights: Array) -> Array:
    m = ratings.scale.n_levels
    cell = ratings.item.astype(np.int64) * m + ratings.response
    return np.bincount(cell, weights, ratings.n_items * m).reshape(-1, m)
