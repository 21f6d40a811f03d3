"""How much raters disagree: on one item, and, as Krippendorff's alpha, on all of them.

On an item it is the chance that two raters differ, ``1 − Σ_c n_c (n_c − 1) / (n (n − 1))``,
unbiased at any number of raters from two up, and the spread of their numbers.

Alpha is ``1 − D_observed / D_expected``: D_observed is the mean difference δ between two answers to
the same item, D_expected between any two answers; δ is ``1[c ≠ k]`` (nominal), ``(c − k)²``
(interval), or ``(Σ_{g=c..k} n_g − (n_c + n_k) / 2)²`` (ordinal), with n_g the answers in category g
[krippendorff2018, ch. 12]. Items with fewer than two answers pair with nothing: left out. Alpha is
a smooth function of sums over items, so what an item says of it is a derivative. Items are counted
by *kinds* (equal counts); with too many kinds, in a few thousand random blocks, whose sums have the
mean and variance of those of items.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array
from quorate.data.summaries import Counts, Means, Probabilities, Summary, Values, ordered_levels, ratio

MOST_KINDS = 5000
"""Most kinds of items that are counted one by one."""
BLOCKS = 2000
"""Random blocks of items otherwise; the variance is then known to about sqrt(2 / 2000) = 3 %."""
STEP = 1e-3
"""Share of an item by which sums are moved to take a derivative."""


def item_disagreement(ratings: Summary) -> Array:
    """Return the chance that two of the item's raters gave different answers, ``(..., item)``; nan below two raters."""
    size = ratings.size
    return 1 - ratio(2 * _equal_pairs(ratings), np.asarray(size * (size - 1.0)))


def item_spread(ratings: Summary) -> Array:
    """Return the standard deviation of the item's answers, ``(..., item)``; nan below two raters."""
    if isinstance(ratings, Counts):
        distance = np.square(ordered_levels(ratings) - ratings.mean[..., None])
        squares = (ratings.counts * distance).sum(-1)
    elif isinstance(ratings, Values):
        squares = np.where(ratings.present, np.square(ratings.values - ratings.mean[..., None]), 0.0).sum(-1)
    else:
        raise InputError("the spread of an item's answers needs counts or values, not means or probabilities")
    return np.sqrt(ratio(squares, np.asarray(ratings.size - 1.0)))


def most_disputed(ratings: Summary, top: int = 10, *, by: Array | None = None) -> Array:
    """Return the positions of the most disputed items, most disputed first; items below two raters never appear.

    Items are ranked by disagreement × (n − 1) / n, which is how evenly their n raters split: two
    raters who differ shall not outrank twenty split in half. Among equals more raters come first,
    then item order. ``by`` is another measure per item, such as :func:`item_spread`. One data set
    only, no leading axes.
    """
    measure = item_disagreement(ratings) if by is None else by
    known = np.flatnonzero(~np.isnan(measure))
    if len(known) == 0 or top < 1:
        return known[:0]
    raters = ratings.size[known]
    split = np.round(measure[known] * (raters - 1) / raters, 12)  # rounded, so that equal splits tie
    # Only items that can be among the first are sorted: there may be millions.
    top = min(top, len(known))
    candidates = np.flatnonzero(split >= np.partition(split, -top)[-top])
    order = np.lexsort((-raters[candidates], -split[candidates]))
    return np.asarray(known[candidates[order]][:top])


def _equal_pairs(ratings: Summary) -> Array:
    """Unordered pairs of equal answers per item."""
    if isinstance(ratings, Counts):
        return np.asarray((ratings.counts * (ratings.counts - 1)).sum(-1) / 2)
    if not isinstance(ratings, Values):
        raise InputError("disagreement needs the raters' counts or values, not means or probabilities")
    # Sorted answers: an answer equals as many earlier ones as its place in its run of equals.
    place = np.arange(ratings.values.shape[-1])
    fresh = np.ones(ratings.values.shape, dtype=bool)
    fresh[..., 1:] = ratings.values[..., 1:] != ratings.values[..., :-1]
    run_start = np.maximum.accumulate(np.where(fresh, place, 0), axis=-1)
    return np.asarray(np.where(ratings.present, place - run_start, 0).sum(-1))


@dataclass(frozen=True)
class AnswerMoments:
    """Number, sum and sum of squares of an item's answers, each ``(item,)``: all that interval alpha needs.

    Values far from zero lose digits in the squares: subtract a constant first, alpha does not
    change.
    """

    size: Array
    total: Array
    squares: Array

    def take(self, items: Array) -> "AnswerMoments":
        """Pick items, by position or mask."""
        return AnswerMoments(self.size[items], self.total[items], self.squares[items])


@dataclass(frozen=True)
class AlphaScores:
    """Krippendorff's alpha taken apart by items, so that the true value a can be tested.

    What an item says of ``α − a`` is ``(1 − a) expected − observed``, by its derivatives of the two
    disagreements over the expected one; the mean over items is ``α − a``. Where all gave the
    commonest of unlike categories, it is next to nothing.

    Parameters
    ----------
    value
        Alpha; nan where nothing varies (only one category was ever answered): agreement beyond
        chance is not defined.
    observed, expected
        Of each kind of items, ``(kind,)``.
    times
        How many items there are of each kind, ``(kind,)``.
    unseen
        The same two numbers of kinds that may come, ``(2, kind)``.
    least
        The smallest alpha possible with so many raters.
    """

    value: float
    n_items: int
    observed: Array = field(default_factory=lambda: np.zeros(0))
    expected: Array = field(default_factory=lambda: np.zeros(0))
    times: Array = field(default_factory=lambda: np.zeros(0, dtype=int))
    unseen: Array = field(default_factory=lambda: np.zeros((2, 0)))
    least: float = -1.0

    def at(self, alpha: Array) -> tuple[Array, Array]:
        """Return what items, ``(..., kind)``, and unseen kinds say of alpha less a value, ``(...)``."""
        share = 1 - alpha[..., None]
        return share * self.expected - self.observed, share * self.unseen[1] - self.unseen[0]


def krippendorff_alpha(
    ratings: Summary | AnswerMoments, scale: str, *, rng: np.random.Generator, most_kinds: int = MOST_KINDS
) -> AlphaScores:
    """Return Krippendorff's alpha, taken apart by items.

    The ratings are counts ``(item, category)``, on an interval scale also values or moments; on an
    ordinal one the categories stand in order.
    """
    pairable, sums = _pairable(_reduced(ratings, scale)), _SUMS[scale]
    n_items = pairable.size.shape[-1]
    if n_items == 0:
        return AlphaScores(np.nan, 0)
    totals, times = _groups(pairable, sums, most_kinds, rng)
    whole = times @ totals
    within, anywhere = sums.parts(whole)
    if not anywhere > 0:
        return AlphaScores(np.nan, n_items)
    rows = sums.derivatives(whole, totals)
    n = int(times.sum())
    shift = (rows @ times - np.array([within, anywhere]))[:, None] / n  # alpha is a ratio of products of sums
    unseen = np.zeros((2, 0))
    if isinstance(pairable, Counts) and n == n_items:
        unseen = n / anywhere * (sums.derivatives(whole, sums.of_items(_possible_kinds(pairable))) - shift)
    observed, expected = n / anywhere * (rows - shift)
    least = -1.0 / (int(pairable.size.min()) - 1)
    return AlphaScores(float(sums.alpha(whole)), n_items, observed, expected, times, unseen, least)


@dataclass(frozen=True)
class _Sums:
    """What alpha needs of items, ``(item, sum)``, and its two parts, ``(...)`` each, of totals, ``(..., sum)``."""

    of_items: Callable[[Any], Array]
    parts: Callable[[Array], tuple[Array, Array]]
    total: Callable[[Any], Array] | None = None

    def alpha(self, totals: Array) -> Array:
        """Return alpha, ``(...)``: one less the part within items over the part anywhere."""
        return 1 - ratio(*self.parts(totals))

    def derivatives(self, whole: Array, rows: Array) -> Array:
        """Return how both parts grow with items of each kind, ``(2, kind)``."""
        up, down = (np.stack(self.parts(whole + side * STEP * rows)) for side in (1, -1))
        return np.asarray((up - down) / (2 * STEP))

    def over(self, ratings: Counts | AnswerMoments) -> Array:
        """Total over all items, ``(sum,)``."""
        return self.total(ratings) if self.total is not None else np.asarray(self.of_items(ratings).sum(0))


def _reduced(ratings: Summary | AnswerMoments, scale: str) -> Counts | AnswerMoments:
    if scale not in _SUMS:
        raise InputError(f"unknown scale {scale!r}: use nominal, ordinal or interval")
    if isinstance(ratings, Means | Probabilities):
        raise InputError("alpha needs the raters' counts or values: means and probabilities do not show their spread")
    if isinstance(ratings, Counts):
        return ratings
    if scale != "interval":
        raise InputError(f"alpha on a {scale} scale needs counts per category; plain numbers need --scale interval")
    if isinstance(ratings, AnswerMoments):
        return ratings
    x = np.where(ratings.present, ratings.values - np.mean(ratings.mean), 0.0)
    return AnswerMoments(ratings.size, x.sum(-1), np.square(x).sum(-1))


def _nominal_sums(ratings: Counts) -> Array:
    """(n_c, pairs that differ / (n_u − 1)): ``Σ_{c≠k} n_c n_k = n_u² − Σ n_c²``."""
    counts = ratings.counts.astype(float)
    size = counts.sum(-1)
    differ = (size**2 - np.square(counts).sum(-1)) / (size - 1)
    return np.column_stack([counts, differ])


def _nominal_parts(totals: Array) -> tuple[Array, Array]:
    n_c, observed = totals[..., :-1], totals[..., -1]
    n = n_c.sum(-1)
    return observed * (n - 1), n**2 - np.square(n_c).sum(-1)


def _interval_sums(ratings: Counts | AnswerMoments) -> Array:
    """(n_u, Σ x, Σ x², pair differences / (n_u − 1)): ``Σ_{i≠j} (x_i − x_j)² = 2 (n Σ x² − (Σ x)²)``."""
    if isinstance(ratings, Counts):
        levels = ordered_levels(ratings)
        x = levels - levels.mean()
        ratings = AnswerMoments(ratings.size, ratings.counts @ x, ratings.counts @ x**2)
    size, total, squares = ratings.size, ratings.total, ratings.squares
    return np.column_stack([size, total, squares, 2 * (size * squares - total**2) / (size - 1)])


def _interval_parts(totals: Array) -> tuple[Array, Array]:
    n, total, squares, observed = np.moveaxis(totals, -1, 0)
    return observed * (n - 1), 2 * (n * squares - total**2)


def _ordinal_sums(ratings: Counts) -> Array:
    """Coincidences ``(n_c n_k − 1[c = k] n_c) / (n_u − 1)``, flattened."""
    counts = _in_order(ratings)
    pairs = counts[:, :, None] * counts[:, None, :]
    diagonal = np.arange(counts.shape[-1])
    pairs[:, diagonal, diagonal] -= counts
    return np.asarray(pairs / (counts.sum(-1) - 1)[:, None, None]).reshape(len(counts), -1)


def _ordinal_total(ratings: Counts) -> Array:
    """The same summed over items, as one matrix product."""
    counts = _in_order(ratings)
    part = counts / (counts.sum(-1) - 1)[:, None]
    return np.asarray(part.T @ counts - np.diag(part.sum(0))).reshape(-1)


def _in_order(ratings: Counts) -> Array:
    counts = ratings.counts.astype(float)
    return counts if ratings.levels is None else counts[:, np.argsort(ratings.levels)]


def _ordinal_parts(totals: Array) -> tuple[Array, Array]:
    """With mid-ranks r the ordinal difference is ``(r_c − r_k)²``."""
    size = round(totals.shape[-1] ** 0.5)
    pairs = totals.reshape(*totals.shape[:-1], size, size)
    n_c = pairs.sum(-1)
    n = n_c.sum(-1)
    rank = np.cumsum(n_c, axis=-1) - n_c / 2
    own = (n_c * rank**2).sum(-1)
    observed = 2 * (own - np.einsum("...c,...ck,...k->...", rank, pairs, rank))
    return observed * (n - 1), 2 * (n * own - (n_c * rank).sum(-1) ** 2)


_SUMS = {
    "nominal": _Sums(_nominal_sums, _nominal_parts),
    "ordinal": _Sums(_ordinal_sums, _ordinal_parts, _ordinal_total),
    "interval": _Sums(_interval_sums, _interval_parts),
}


def _pairable(ratings: Counts | AnswerMoments) -> Counts | AnswerMoments:
    keep = ratings.size >= 2
    return ratings if bool(np.all(keep)) else ratings.take(keep)


def _possible_kinds(ratings: Counts) -> Counts:
    """Items all raters agree on, and with one answer against the commonest, for every category."""
    size, usual = int(np.median(ratings.size)), int(ratings.counts.sum(0).argmax())
    single = np.eye(ratings.counts.shape[-1], dtype=int)
    return Counts(np.concatenate([size * single, single + (size - 1) * single[usual]]), ratings.levels)


def _groups(
    ratings: Counts | AnswerMoments, sums: _Sums, most_kinds: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Sums of kinds of items and how often each occurs – or sums of random blocks, each once."""
    kinds = _kinds(ratings) if isinstance(ratings, Counts) else None
    if kinds is not None and len(kinds[1]) <= most_kinds:
        return sums.of_items(kinds[0]), kinds[1]
    n_items = ratings.size.shape[-1]
    blocks = np.array_split(rng.permutation(n_items), min(BLOCKS, n_items))
    return np.stack([sums.over(ratings.take(block)) for block in blocks]), np.ones(len(blocks), dtype=int)


def _kinds(ratings: Counts) -> tuple[Counts, Array] | None:
    """Distinct rows of counts and their numbers, through one integer per row; None if rows do not fit an integer."""
    counts, base = ratings.counts, int(ratings.counts.max()) + 1
    n_categories = counts.shape[-1]
    if base**n_categories > 2**62:
        return None
    place = base ** np.arange(n_categories, dtype=np.int64)
    code = counts.astype(np.int64, copy=False) @ place
    if base**n_categories <= 1 << 20:
        times = np.bincount(code)
        found = np.flatnonzero(times)
        times = times[found]
    else:
        found, times = np.unique(code, return_counts=True)
    return Counts(found[:, None] // place % base, ratings.levels), times
