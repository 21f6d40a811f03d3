"""Habits of raters and of groups of them: which way they lean, how far they go along with others, who never varies.

On items with other answers, with g the shares of the other answers to the item: a rater's leaning
is the mean of ``y − mean of the others`` on a scale of numbers, and ``own share − mean of g`` of
the category with the largest excess on a nominal one. Going along is the correlation of y with the
mean of the others, or the mean share of the others who gave the same answer.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from quorate._typing import Array
from quorate.data.ratings import Grouping, Ratings
from quorate.data.summaries import Counts, ratio

NEARLY_ALL = 0.98
FEWEST_ANSWERS = 10
"""Below this many answers a rater's habits cannot be told from chance; a rule of thumb, and ours."""
UNLIKELY = 0.001


@dataclass(frozen=True)
class Habits:
    """Habits of each rater, ``(rater,)`` each; nan where nobody else answered the same items.

    Parameters
    ----------
    responses
        Answers given.
    leaning, leaning_error
        How far the answers are from those of the others, and its standard error.
    towards
        The category leaned to, by its code, on a nominal scale; None on one of numbers.
    agreement
        Mean share of the others who gave the same answer; None where answers are not counted by
        category.
    correlation
        Correlation of the answers with the mean of the others; None on a nominal scale.
    usual, usual_share
        The most frequent answer, by its code, and its share.
    always
        Gave (nearly) always the usual answer where the others did not.
    """

    responses: Array
    leaning: Array
    leaning_error: Array
    towards: Array | None
    agreement: Array | None
    correlation: Array | None
    usual: Array
    usual_share: Array
    always: Array

    @property
    def strongest(self) -> Array:
        """Positions of the raters with enough answers, by how surely they lean, the surest first."""
        surely = np.abs(ratio(self.leaning, self.leaning_error))
        known = np.flatnonzero((self.responses >= FEWEST_ANSWERS) & ~np.isnan(surely))
        return known[np.argsort(-surely[known], kind="stable")]


@dataclass(frozen=True)
class GroupHabits:
    """Habits of a group of raters: its size, its leaning against all others, and how often pairs agree.

    `agree_within` is the share of pairs of its raters who gave the same answer to an item,
    `agree_across` that of pairs of one rater inside and one outside; nan where there are none.
    """

    name: str
    raters: int
    responses: int
    leaning: float
    towards: int | None
    agree_within: float
    agree_across: float


def rater_habits(ratings: Ratings) -> Habits | None:
    """Return the habits of every rater, or None where raters are unknown."""
    if ratings.rater is None or ratings.n_raters is None:
        return None
    n_raters, levels = ratings.n_raters, ratings.scale.levels
    rows = _rows(ratings, ratings.rater, n_raters)
    counts = ratings.summary.counts if isinstance(ratings.summary, Counts) else None
    if levels is not None:
        leaning, error, correlation = _of_numbers(rows, levels[rows.response], ratings.n_items)
        towards = None
    else:
        assert counts is not None
        leaning, error, towards = _of_categories(rows, counts)
        correlation = None
    agreement = None if counts is None else rows.mean((counts[rows.item, rows.response] - 1) / rows.others)
    responses = np.bincount(ratings.rater, ratings.count, n_raters).astype(np.int64)
    usual, share = _usual(ratings, n_raters)
    always = (share >= NEARLY_ALL) & (responses >= FEWEST_ANSWERS) & _unlike_others(rows, counts, usual, share)
    return Habits(responses, leaning, error, towards, agreement, correlation, usual, share, always)


def group_habits(ratings: Ratings, grouping: Grouping) -> list[GroupHabits]:
    """Return the habits of each group of raters, by name; needs answers counted by category."""
    summary = ratings.summary
    if ratings.rater is None or not isinstance(summary, Counts):
        return []
    found, shape = [], summary.counts.shape
    for code, name in enumerate(grouping.names):
        rows = grouping.code[ratings.rater] == code
        cell = ratings.item[rows].astype(np.int64) * shape[1] + ratings.response[rows]
        own = np.bincount(cell, ratings.count[rows], shape[0] * shape[1]).reshape(shape)
        if own.any():
            raters = int(np.count_nonzero(grouping.code == code))
            found.append(_group(name, raters, own, summary.counts - own, summary.levels))
    return found


@dataclass(frozen=True)
class _Rows:
    """Answers to items that others answered too; `others` is how many other answers the item has.

    `times` is how often a row occurred, None if always once.
    """

    item: Array
    rater: Array
    response: Array
    times: Array | None
    others: Array
    n_raters: int

    @cached_property
    def number(self) -> Array:
        """Answers of each rater."""
        return np.bincount(self.rater, self.times, self.n_raters).astype(float)

    def mean(self, values: Array) -> Array:
        """Mean over the answers of each rater."""
        weighted = values if self.times is None else self.times * values
        return ratio(np.bincount(self.rater, weighted, self.n_raters), self.number)


def _rows(ratings: Ratings, rater: Array, n_raters: int) -> _Rows:
    item, response, times = ratings.item, ratings.response, ratings.count
    rater = rater.astype(np.intp)  # once, not in every sum
    others = ratings.size[item] - 1.0
    if (ratings.size == 1).any():
        shared = others > 0
        item, rater, response, times, others = (x[shared] for x in (item, rater, response, times, others))
    return _Rows(item, rater, response, None if (times == 1).all() else times, others, n_raters)


def _of_numbers(rows: _Rows, y: Array, n_items: int) -> tuple[Array, Array, Array]:
    """Leaning, its standard error and the correlation with the mean of the others."""
    total = np.bincount(rows.item, y if rows.times is None else rows.times * y, n_items)
    x = (total[rows.item] - y) / rows.others
    mean_x, mean_y = rows.mean(x), rows.mean(y)
    var_x, var_y = rows.mean(x * x) - mean_x**2, rows.mean(y * y) - mean_y**2
    both = rows.mean(x * y) - mean_x * mean_y
    spread = np.sqrt(np.maximum(var_x * var_y, 0.0))
    error = np.sqrt(ratio(np.maximum(var_x + var_y - 2 * both, 0.0), rows.number - 1.0))
    return mean_y - mean_x, error, np.where(spread > 1e-12, ratio(both, spread), np.nan)


def _of_categories(rows: _Rows, counts: Array) -> tuple[Array, Array, Array]:
    """Largest excess over the others' shares, its standard error and the category."""
    own, excess = [], []
    for m in range(counts.shape[1]):
        said = (rows.response == m).astype(float)
        own.append(rows.mean(said))
        excess.append(own[-1] - rows.mean((counts[rows.item, m] - said) / rows.others))
    towards = np.argmax(np.nan_to_num(excess), axis=0)
    share, leaning = (np.take_along_axis(np.array(x), towards[None], 0)[0] for x in (own, excess))
    n = rows.number
    # A rater who always says one thing has no spread of that kind; one answer more or less is the least error.
    return leaning, np.sqrt(np.maximum(ratio(share * (1 - share), n), ratio(np.ones(len(n)), n) ** 2)), towards


def _usual(ratings: Ratings, n_raters: int) -> tuple[Array, Array]:
    """The most frequent answer of each rater and its share, from one sort of the answers given."""
    assert ratings.rater is not None
    key = ratings.rater.astype(np.int64) * ratings.scale.n_levels + ratings.response
    if n_raters * ratings.scale.n_levels <= 1 << 24:
        table = np.bincount(key, ratings.count, n_raters * ratings.scale.n_levels).reshape(n_raters, -1)
        return table.argmax(1), table.max(1) / table.sum(1)
    pairs, back = np.unique(key, return_inverse=True)
    times, rater = np.bincount(back, ratings.count), pairs // ratings.scale.n_levels
    order = np.lexsort((-times, rater))
    first = order[np.flatnonzero(np.diff(rater[order], prepend=-1))]
    return pairs[first] % ratings.scale.n_levels, times[first] / np.bincount(rater, times)


def _unlike_others(rows: _Rows, counts: Array | None, usual: Array, share: Array) -> Array:
    """Tell whether the others' shares on the same items make such constancy unlikely."""
    from scipy.special import betainc

    n = rows.number
    if counts is None:
        return n > 0
    m = usual[rows.rater]
    expected = np.nan_to_num(rows.mean((counts[rows.item, m] - (rows.response == m)) / rows.others), nan=1.0)
    times = np.clip(np.floor(share * n), 1, None)  # P(Bin(n, p) ≥ k) = I_p(k, n − k + 1)
    return np.asarray(betainc(times, np.maximum(n, 1) - times + 1, np.clip(expected, 0.0, 1.0)) < UNLIKELY)


def _group(name: str, raters: int, own: Array, others: Array, levels: Array | None) -> GroupHabits:
    k, rest = own.sum(1), others.sum(1)
    both = (k > 0) & (rest > 0)
    weight = k[both] / max(k[both].sum(), 1)
    gaps = weight @ (own[both] / k[both, None] - others[both] / rest[both, None])
    towards = None if levels is not None else int(gaps.argmax())
    leaning = float(gaps @ levels) if levels is not None else float(gaps.max())
    within = float(ratio(np.asarray((own * (own - 1)).sum()), np.asarray((k * (k - 1.0)).sum())))
    across = float(ratio(np.asarray((own * others).sum()), np.asarray((k * rest).sum())))
    return GroupHabits(name, raters, int(k.sum()), leaning if both.any() else np.nan, towards, within, across)
