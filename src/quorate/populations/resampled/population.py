"""Empirical populations: a real ratings table, resampled by unit and perturbed by replacing answers [multilevel].

=====================  ======================================================================================
items                  items with replacement, each with answers it has: the raters are taken as they are
items+answers          items, then answers of the item, with replacement
raters-within-items    items, then raters of the item, with replacement (S2): rater effects average out
items+raters           items and raters, crossed (S1): one rater's habits hit all items
batches                whole batches, then raters of the batch, crossed within it (S3)
=====================  ======================================================================================

A and B answer like raters of the same scheme, each on a draw of raters of its own. Small blocks: where more raters are
asked for than an item, a batch or the table has, they are drawn with replacement (outside ``items`` they always are).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, TypeAlias, cast, get_args

import numpy as np

from quorate._errors import InputError
from quorate._random import generator
from quorate._text import count, percent
from quorate._typing import Array
from quorate.data.ratings import Ratings
from quorate.data.summaries import Counts
from quorate.populations.answer_laws import AnswerLaws, draw_from_laws
from quorate.populations.perturbation import draw_replacements
from quorate.populations.population import Draw, Population, Request
from quorate.populations.resampled.blocks import Blocks, batches, block_table, fill
from quorate.populations.resampled.crossed import draw_crossed
from quorate.populations.resampled.full_table import draw_full, indicators
from quorate.populations.resampled.table import RatedTable, limit_raters, table_of

__all__ = ["CROSSED", "EmpiricalPopulation", "ResampleUnit", "resample_unit", "resampled", "subsets"]

ResampleUnit: TypeAlias = Literal["items", "items+answers", "raters-within-items", "items+raters", "batches"]
"""What is drawn anew in every replicate."""

_ALIASES = {"s1": "items+raters", "s2": "raters-within-items", "s3": "batches"}
CROSSED = 0.5  # items+raters needs at least this share of cells filled; below it, most answers would be stand-ins


@dataclass(frozen=True, eq=False)
class EmpiricalPopulation(Population):
    """A ratings table to resample.

    Parameters
    ----------
    table
        The responses.
    unit
        What is drawn anew in every replicate.
    anew
        Whether a system answers like a rater drawn anew on each item, instead of a draw of raters of the same scheme.
    panels
        Whether draws say who gave which answer; without it, full tables are drawn by counts, many times faster.

    Notes
    -----
    A system's answer is replaced, with probability ε, by a draw from the item's noise ϱ_i ~ Dirichlet(1/M); in the
    null world both systems are replaced with probability ε/2.

    Examples
    --------
    >>> table = RatedTable(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]), np.array([0, 1, 0, 1]), ("no", "yes"))
    >>> world = EmpiricalPopulation(table, "items+raters")
    >>> study = world.draw(n_replicates=3, n_items=4, n_raters=2, rng=np.random.default_rng(0))
    >>> study.raters.counts.shape, study.panel.rater[0].tolist()
    ((3, 4, 2), [[0, 1], [0, 1], [0, 1], [0, 1]])
    """

    kind: ClassVar[str] = "empirical"

    table: RatedTable
    unit: ResampleUnit = "raters-within-items"
    anew: bool = False
    panels: bool = True

    def __post_init__(self) -> None:
        if self.unit not in get_args(ResampleUnit):
            raise InputError(f"unit must be one of {', '.join(get_args(ResampleUnit))}, not '{self.unit}'")
        if self.table.rater is None and self.unit in ("raters-within-items", "items+raters", "batches"):
            raise InputError(f"the ratings do not say who the raters are, so '{self.unit}' cannot be resampled")
        if self.unit == "items+raters" and (share := fill(self.table)) < CROSSED:
            raise InputError(
                f"items+raters needs raters crossed with items, but only {share:.1%} of the cells have a response:"
                " resample raters-within-items or batches"
            )
        if self.unit == "batches" and len(self._blocks.n_items) == 1:
            raise InputError("all items were rated by the same raters, so there is only one batch: use items+raters")

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the categories."""
        return tuple(self.table.categories)

    @property
    def max_effect(self) -> float:
        """1: every answer replaced by noise."""
        return 1.0

    @property
    def levels(self) -> Sequence[float] | None:
        """The number each category stands for; None on a nominal scale."""
        return self.table.levels

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
        return self.table.n_raters > 0 and len(self.table.item) == self.table.n_items * self.table.n_raters

    @property
    def block_items(self) -> float | None:
        """Items per batch where whole batches are drawn, else None."""
        return float(self._blocks.n_items.mean()) if self.unit == "batches" else None

    @property
    def most_people(self) -> int:
        """Most different raters an item can have: those of the table, or of the largest batch."""
        return int(self._blocks.n_raters.max()) if self.unit == "batches" else self.table.n_raters

    def effect_words(self, effect: float) -> str:
        """Say which share of B's answers is replaced."""
        return f"if {percent(effect)} of system B's answers are replaced at random"

    def words(self) -> str:
        """Name the size of the ratings, and what is resampled."""
        people = f" by {count(self.table.n_raters, 'rater')}" if self.table.n_raters else ""
        size = f"{count(len(self.table.item), 'rating')} of {count(self.table.n_items, 'item')}{people}"
        return f"{size}, resampled by {self.unit}"

    def parameters(self) -> dict[str, Any]:
        """Return the kind: the ratings themselves are data."""
        return {"kind": self.kind}

    def to_dict(self) -> dict[str, Any]:
        """Return the population as plain data."""
        table = self.table
        return {
            "kind": self.kind,
            "unit": self.unit,
            "categories": list(table.categories),
            "levels": None if table.levels is None else list(table.levels),
            "item": table.item.tolist(),
            "rater": None if table.rater is None else table.rater.tolist(),
            "response": table.response.tolist(),
        }

    @cached_property
    def _blocks(self) -> Blocks:
        one = np.zeros(self.table.n_items, dtype=np.int64)
        return block_table(self.table, batches(self.table) if self.unit == "batches" else one)

    @cached_property
    def _said(self) -> Array | None:
        return indicators(self.table) if self.unit == "items+raters" and not self.panels else None

    @cached_property
    def _laws(self) -> Array:
        """The law one answer of an item is drawn from, ``(item, category)``."""
        return self.table.rater_shares if self.unit == "raters-within-items" else self.table.response_shares

    def _draw(self, request: Request, rng: np.random.Generator) -> Draw:
        levels = None if self.table.levels is None else np.array(self.table.levels)
        a, b = draw_replacements(request, len(self.table.categories), rng=rng)
        said = self._said
        if said is not None:
            return draw_full(said, self._laws, levels, request, (a, b), anew=self.anew, rng=rng)
        if self.raters_return:
            whole = self.unit == "batches"
            return draw_crossed(
                self._blocks, self._laws, levels, request, (a, b), whole_blocks=whole, anew=self.anew, rng=rng
            )
        item = rng.integers(self.table.n_items, size=request.shape)
        law = self._laws[item]
        laws = AnswerLaws(law, a.perturbed(law), b.perturbed(law), levels)
        study = draw_from_laws(laws, request, rng=rng)  # the replacements already know the null world
        if self.unit == "items":
            raters = subsets(self.table.counts[item], request.n_raters, rng)
            return Draw(Counts(raters, levels), study.a, study.b)
        return study


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


def resample_unit(unit: str) -> ResampleUnit:
    """Return the unit of that name; S1, S2 and S3 are accepted too.

    Examples
    --------
    >>> resample_unit("S1"), resample_unit("items")
    ('items+raters', 'items')
    """
    name = _ALIASES.get(unit.strip().lower(), unit.strip().lower())
    if name not in get_args(ResampleUnit):
        raise InputError(f"'{unit}' is not a unit to resample: use {', '.join(get_args(ResampleUnit))}")
    return cast(ResampleUnit, name)


def _auto(table: RatedTable) -> ResampleUnit:
    if table.rater is None:
        return "items+answers"
    if fill(table) >= CROSSED:
        return "items+raters"
    n_batches = int(batches(table).max()) + 1
    return "batches" if 1 < n_batches <= table.n_items / 2 else "raters-within-items"


def subsets(counts: Array, n: int, rng: np.random.Generator) -> Array:
    """Draw n of each item's answers without replacement, ``(item, category)``; with it where the item has fewer.

    Examples
    --------
    >>> subsets(np.array([[2, 1]]), 3, np.random.default_rng(0)).tolist()
    [[2, 1]]
    """
    size = counts.sum(-1)
    enough = size >= n
    drawn = np.empty_like(counts)
    share = counts[~enough] / size[~enough][:, None]
    drawn[~enough] = rng.multinomial(n, share)
    drawn[enough] = _hypergeometric(counts[enough], n, rng)
    return drawn


def _hypergeometric(counts: Array, n: int, rng: np.random.Generator) -> Array:
    """Multivariate hypergeometric counts, one category after the other, ``(row, category)``."""
    drawn = np.zeros_like(counts)
    left, rest = np.full(len(counts), n), counts.sum(-1)
    for m in range(counts.shape[-1]):
        rest = rest - counts[:, m]
        drawn[:, m] = rng.hypergeometric(counts[:, m], rest, left)
        left = left - drawn[:, m]
    return drawn
