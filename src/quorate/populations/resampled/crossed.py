"""Studies in which a rater answers many items: draws from blocks of raters × items [multilevel, S1 and S3].

S1 draws items one by one and one set of raters for all of them; S3 draws whole blocks, each with a set of raters of its
own that answers all its items. Only here are single responses gathered: a rater's habits do not reduce to counts.
"""

from dataclasses import dataclass

import numpy as np

from quorate._typing import Array
from quorate.data.summaries import Counts, Probabilities
from quorate.populations.perturbation import Replacement, answers_anew
from quorate.populations.population import Draw, Panel, Request
from quorate.populations.resampled.blocks import Blocks

__all__ = ["draw_crossed"]


@dataclass(frozen=True)
class _Slots:
    """Which item stands in each place of a study, and in which occurrence of which block.

    ``item`` and ``occurrence`` are ``(replicate, place)``, ``block`` is ``(replicate, occurrence)``.
    """

    item: Array
    occurrence: Array
    block: Array


def draw_crossed(
    blocks: Blocks,
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

    Parameters
    ----------
    blocks
        The arranged table.
    laws
        The answer distribution of each item, ``(item, category)``: what a system with probabilities tells.
    levels
        The number each category stands for, or None.
    request
        Sizes of the draw.
    replacements
        What happens to the answers of A and of B.
    whole_blocks
        Draw whole blocks (S3) rather than single items (S1).
    anew
        Draw the systems' answers item by item, not from a set of raters.
    rng
        The generator to draw from.

    Examples
    --------
    >>> from quorate.populations.resampled.blocks import block_table
    >>> from quorate.populations.resampled.table import RatedTable
    >>> table = RatedTable(np.array([0, 0]), np.array([1, 1]), np.array([0, 1]), ("no", "yes"))
    >>> unchanged = Replacement(0.0, np.full((1, 3, 2), 0.5))
    >>> request = Request(1, 3, 2, 1, 1, 0.0, 0.0, False, "values")
    >>> study = draw_crossed(
    ...     block_table(table, np.array([0])), table.rater_shares, None, request,
    ...     (unchanged, unchanged), whole_blocks=False, rng=np.random.default_rng(0),
    ... )
    >>> study.raters.counts.tolist()
    [[[0, 2], [0, 2], [0, 2]]]
    """
    slots = (_whole_blocks if whole_blocks else _single_items)(blocks, request.shape, rng)
    response, seat = _responses(blocks, slots, request.n_raters, rng)
    n_categories = laws.shape[-1]

    def system(n_answers: int | None, replacement: Replacement) -> Counts | Probabilities:
        if n_answers is None:
            return Probabilities(replacement.perturbed(laws[slots.item]), levels)
        if anew:
            return answers_anew(replacement, laws[slots.item], n_answers, levels, rng=rng)
        answers, _ = _responses(blocks, slots, n_answers, rng)
        kept = rng.random(answers.shape) >= replacement.rate
        replaced = rng.multinomial(n_answers - kept.sum(-1), replacement.noise)
        return Counts(_counts(answers, n_categories, kept) + replaced, levels)

    return Draw(
        raters=Counts(_counts(response, n_categories), levels),
        a=system(request.answers_a, replacements[0]),
        b=system(request.answers_b, replacements[1]),
        panel=Panel(response, seat),
    )


def _single_items(blocks: Blocks, shape: tuple[int, int], rng: np.random.Generator) -> _Slots:
    """S1: items with replacement, all in one occurrence of the one block there is."""
    item = rng.integers(len(blocks.row), size=shape)
    return _Slots(item, np.zeros(shape, dtype=np.int64), np.zeros((shape[0], 1), dtype=np.int64))


def _whole_blocks(blocks: Blocks, shape: tuple[int, int], rng: np.random.Generator) -> _Slots:
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


def _random_orders(block: Array, blocks: Blocks, rng: np.random.Generator) -> Array:
    """A random order of the items of one block per replicate, ``(replicate, largest block)``."""
    width = int(blocks.n_items.max())
    keys = rng.random((len(block), width)) + (np.arange(width) >= blocks.n_items[block][:, None])
    return np.argsort(keys, axis=1)


def _responses(blocks: Blocks, slots: _Slots, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Draw n raters per occurrence, with replacement, and gather what they said of its items.

    Returns responses and the raters' seats, both ``(replicate, place, answer)``; a seat is a person of its own, even
    where two seats were filled by the same rater.
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
