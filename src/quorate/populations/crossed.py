"""Studies in which a rater answers many items: draws from blocks of raters × items [multilevel, S1 and S3].

S1 draws items one by one and one set of raters for all of them; S3 draws whole blocks, each with a
set of raters of its own. Only here are single responses gathered: a rater's habits do not reduce to
counts.
"""

from dataclasses import dataclass

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array
from quorate.data.ratings import Ratings
from quorate.data.summaries import Counts, Probabilities
from quorate.populations.population import Draw, Panel, Request, draw_answers, mixed


@dataclass(frozen=True, eq=False)
class RaterBlocks:
    """Responses arranged for gathering by (item, position of the rater in the item's block).

    A block is a set of items and a set of raters: all of them where raters are crossed over all
    items, else a batch.

    Parameters
    ----------
    response
        Category codes, sorted by item and rater.
    cell_start, cell_size
        Where the responses of one (item, rater) cell stand in ``response``, and how many there are.
    item_start, item_size
        Where the cells of an item start, and how many raters it has.
    row
        Where the row of an item starts in ``grid``.
    grid
        Cell number by row and position of the rater in the block; −1 where that rater skipped that
        item.
    members
        Items block by block; those of block b stand from ``member_start[b]``, ``n_items[b]`` of
        them.
    n_raters
        Raters per block.
    """

    response: Array
    cell_start: Array
    cell_size: Array
    item_start: Array
    item_size: Array
    row: Array
    grid: Array
    members: Array
    member_start: Array
    n_items: Array
    n_raters: Array

    def respond(self, item: Array, position: Array, *, rng: np.random.Generator) -> Array:
        """Return the responses of raters, given by their position in the item's block, to items.

        Where that rater skipped that item, a rater of the item drawn at random stands in; of
        several responses of one rater to one item, one is drawn at random.
        """
        cell = self.grid[self.row[item] + position]
        skipped = np.nonzero(cell < 0)
        if len(skipped[0]):
            lost = np.broadcast_to(item, cell.shape)[skipped]
            cell[skipped] = self.item_start[lost] + rng.integers(self.item_size[lost])
        where = self.cell_start[cell]
        if self.cell_size.max() > 1:
            where = where + rng.integers(self.cell_size[cell])
        response: Array = self.response[where]
        return response


def filled_share(ratings: Ratings, block: Array | None = None) -> float:
    """Return the share of (item, rater) cells, within blocks if items have any, with a response."""
    item, rater = _pairs(ratings)
    block = np.zeros(ratings.n_items, dtype=np.int64) if block is None else block
    first = np.unique(rater, return_index=True)[1]  # one cell of each rater, who has one block
    cells = np.bincount(block) * np.bincount(block[item[first]])
    return len(item) / int(cells.sum())


def block_ratings(ratings: Ratings, block: Array) -> RaterBlocks:
    """Arrange ratings by blocks, given the block of every item, ``(item,)``."""
    item, rater = _pairs(ratings)
    stride = int(rater.max()) + 1
    seats, seat = np.unique(block[item] * stride + rater, return_inverse=True)
    n_raters = np.bincount(seats // stride)
    width = n_raters[block]
    row = _starts(width)
    grid = np.full(int(width.sum()), -1)
    grid[row[item] + seat - _starts(n_raters)[block[item]]] = np.arange(len(item))
    cell_size = np.add.reduceat(ratings.count, ratings.pair_starts)
    item_size, n_items = np.bincount(item), np.bincount(block)
    return RaterBlocks(
        response=np.repeat(ratings.response, ratings.count).astype(np.int64),
        cell_start=_starts(cell_size),
        cell_size=cell_size,
        item_start=_starts(item_size),
        item_size=item_size,
        row=row,
        grid=grid,
        members=np.argsort(block, kind="stable"),
        member_start=_starts(n_items),
        n_items=n_items,
        n_raters=n_raters,
    )


def _pairs(ratings: Ratings) -> tuple[Array, Array]:
    """Items and raters of the cells with a response, sorted."""
    if ratings.rater is None:
        raise InputError("the ratings do not say who the raters are: resample items, or items+answers")
    cells = ratings.pair_starts
    return ratings.item[cells].astype(np.int64), ratings.rater[cells].astype(np.int64)


def _starts(sizes: Array) -> Array:
    """Where each of consecutive parts of these sizes starts."""
    return np.asarray(np.cumsum(sizes) - sizes)


@dataclass(frozen=True)
class Replacement:
    """The share ε of a system's answers that are replaced, and what by: the item's noise, ``(..., item, category)``."""

    rate: float
    noise: Array

    def perturbed(self, law: Array) -> Array:
        """Return (1 − ε) · law + ε · noise."""
        return mixed(law, self.noise, self.rate)

    def answers(
        self, law: Array, n_answers: int | None, levels: Array | None, *, rng: np.random.Generator
    ) -> Counts | Probabilities:
        """Draw a system's answers from each item's own law, replaced as they should be."""
        return draw_answers(self.perturbed(law), n_answers, levels, rng=rng)

    def filled(self, kept: Array, n_answers: int, levels: Array | None, *, rng: np.random.Generator) -> Counts:
        """Add noise to the counts of the answers that are kept, up to so many answers."""
        return Counts(kept + rng.multinomial(n_answers - kept.sum(-1), self.noise), levels)


def draw_replacements(
    request: Request, n_categories: int, *, rng: np.random.Generator
) -> tuple[Replacement, Replacement]:
    """Draw the noise ϱ_i ~ Dirichlet(1/M) of every item and return what happens to the answers of A and of B.

    In the null world both are replaced at the mean of the two rates [multilevel: ε/2 when only B is
    perturbed].
    """
    rho = (1.0 / n_categories,) * n_categories
    b = Replacement(request.effect, rng.dirichlet(rho, request.shape))
    a = Replacement(request.effect_a, rng.dirichlet(rho, request.shape) if request.effect_a > 0 else b.noise)
    if not request.null:
        return a, b
    total = request.effect + request.effect_a
    share_b = request.effect / total if total > 0 else 1.0
    middle = Replacement(total / 2, share_b * b.noise + (1.0 - share_b) * a.noise)
    return middle, middle


@dataclass(frozen=True)
class _Slots:
    """Which item stands in each place of a study, and in which occurrence of which block.

    ``item`` and ``occurrence`` are ``(replicate, place)``, ``block`` is
    ``(replicate, occurrence)``.
    """

    item: Array
    occurrence: Array
    block: Array


def draw_crossed(
    blocks: RaterBlocks,
    laws: Array,
    levels: Array | None,
    request: Request,
    replacements: tuple[Replacement, Replacement],
    *,
    whole_blocks: bool,
    anew: bool = False,
    rng: np.random.Generator,
) -> Draw:
    """Draw studies whose raters, and the raters A and B answer like, are crossed with the items of a block.

    ``laws`` are the answer distributions of items, ``(item, category)``: what a system with
    probabilities tells. Whole blocks are drawn (S3) or single items (S1); with ``anew`` the
    systems' answers are drawn item by item, not from a set of raters.
    """
    slots = (_whole_blocks if whole_blocks else _single_items)(blocks, request.shape, rng)
    response, seat = _responses(blocks, slots, request.n_raters, rng)
    n_categories = laws.shape[-1]

    def system(n_answers: int | None, replacement: Replacement) -> Counts | Probabilities:
        if n_answers is None or anew:
            return replacement.answers(laws[slots.item], n_answers, levels, rng=rng)
        answers, _ = _responses(blocks, slots, n_answers, rng)
        kept = rng.random(answers.shape) >= replacement.rate
        return replacement.filled(_counts(answers, n_categories, kept), n_answers, levels, rng=rng)

    return Draw(
        raters=Counts(_counts(response, n_categories), levels),
        a=system(request.answers_a, replacements[0]),
        b=system(request.answers_b, replacements[1]),
        panel=Panel(response, seat),
    )


def draw_full(
    responses: Array,
    laws: Array,
    levels: Array | None,
    request: Request,
    replacements: tuple[Replacement, Replacement],
    *,
    anew: bool = False,
    rng: np.random.Generator,
) -> Draw:
    """Draw studies whose raters, and the raters A and B answer like, rate all items; see `draw_crossed`.

    ``responses`` is 1 where a rater gave that answer to an item, ``(rater, item, category)``. With
    w_r the times rater r was drawn, ``counts_im = Σ_r w_r responses_rim``, one matrix product. A
    system's answers are kept with probability 1 − ε whatever they are, so the kept ones are
    Binomial(counts_im, 1 − ε): the same law as answer by answer.
    """
    item = rng.integers(responses.shape[1], size=request.shape)

    def system(n_answers: int | None, replacement: Replacement) -> Counts | Probabilities:
        if n_answers is None or anew:
            return replacement.answers(laws[item], n_answers, levels, rng=rng)
        answers = _rater_counts(responses, item, n_answers, rng)
        if replacement.rate == 0:
            return Counts(answers, levels)
        kept = rng.binomial(answers, 1.0 - replacement.rate)
        return replacement.filled(kept, n_answers, levels, rng=rng)

    return Draw(
        raters=Counts(_rater_counts(responses, item, request.n_raters, rng), levels),
        a=system(request.answers_a, replacements[0]),
        b=system(request.answers_b, replacements[1]),
    )


def _single_items(blocks: RaterBlocks, shape: tuple[int, int], rng: np.random.Generator) -> _Slots:
    """S1: items with replacement, all in one occurrence of the one block there is."""
    item = rng.integers(len(blocks.row), size=shape)
    return _Slots(item, np.zeros(shape, dtype=np.int64), np.zeros((shape[0], 1), dtype=np.int64))


def _whole_blocks(blocks: RaterBlocks, shape: tuple[int, int], rng: np.random.Generator) -> _Slots:
    """S3: blocks with replacement until the places are full; of the last one, a random part of its items."""
    n_replicates, n_places = shape
    n_occurrences = -(-n_places // int(blocks.n_items.min()))
    block = rng.integers(len(blocks.n_items), size=(n_replicates, n_occurrences))
    end = np.cumsum(blocks.n_items[block], axis=1)
    occurrence = _count_below(end, n_places)
    start = end - blocks.n_items[block]
    place = np.arange(n_places) - np.take_along_axis(start, occurrence, axis=1)
    order = _random_orders(np.take_along_axis(block, occurrence[:, -1:], axis=1)[:, 0], blocks, rng)
    cut = occurrence == occurrence[:, -1:]
    place = np.where(cut, np.take_along_axis(order, place, axis=1), place)
    item = blocks.members[blocks.member_start[np.take_along_axis(block, occurrence, axis=1)] + place]
    return _Slots(item, occurrence, block)


def _count_below(end: Array, n_places: int) -> Array:
    """For every place 0 … n − 1, the number of occurrences that end at or before it, ``(replicate, place)``."""
    marks = np.zeros((len(end), n_places + 1), dtype=np.int64)
    rows = np.broadcast_to(np.arange(len(end))[:, None], end.shape)
    np.add.at(marks, (rows, np.minimum(end, n_places)), 1)
    return np.cumsum(marks[:, :n_places], axis=1)


def _random_orders(block: Array, blocks: RaterBlocks, rng: np.random.Generator) -> Array:
    """A random order of the items of one block per replicate, ``(replicate, largest block)``."""
    width = int(blocks.n_items.max())
    keys = rng.random((len(block), width)) + (np.arange(width) >= blocks.n_items[block][:, None])
    return np.argsort(keys, axis=1)


def _responses(blocks: RaterBlocks, slots: _Slots, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Draw n raters per occurrence, with replacement, and gather what they said of its items.

    Returns responses and the raters' seats, both ``(replicate, place, answer)``; a seat is a person
    of its own, even where two seats were filled by the same rater.
    """
    position = rng.integers(blocks.n_raters[slots.block][..., None], size=(*slots.block.shape, n))
    position = np.take_along_axis(position, slots.occurrence[..., None], axis=1)
    response = blocks.respond(slots.item[..., None], position, rng=rng)
    return response, slots.occurrence[..., None] * n + np.arange(n)


def _counts(response: Array, n_categories: int, kept: Array | None = None) -> Array:
    """Count responses per category, ``(..., category)``, those marked as kept only."""
    n_rows = response.size // response.shape[-1]
    cell = response + (np.arange(n_rows) * n_categories).reshape(*response.shape[:-1], 1)
    cells = cell.ravel() if kept is None else cell[kept]
    return np.bincount(cells, minlength=n_rows * n_categories).reshape(*response.shape[:-1], n_categories)


def _rater_counts(responses: Array, item: Array, n: int, rng: np.random.Generator) -> Array:
    """Counts of what n raters, drawn with replacement once per replicate, say of its items."""
    n_raters, n_items, n_categories = responses.shape
    times = rng.multinomial(n, np.full(n_raters, 1.0 / n_raters), size=len(item)).astype(np.float32)
    every = (times @ responses.reshape(n_raters, -1)).reshape(len(item), n_items, n_categories)
    return np.rint(every[np.arange(len(item))[:, None], item]).astype(np.int64)
