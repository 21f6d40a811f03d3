"""Habits of raters and of groups of them: which way they lean, how far they go along with others, who never varies.

On items with other answers, with g the shares of the other answers to the item: a rater's leaning
is the mean of ``y − mean of the others`` on a scale of numbers, and ``own share − mean of g`` of
the category with the largest excess on a nominal one. Going along is the correlation of y with the
mean of the others, or the mean share of the others who gave the same answer.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

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


def rater_habits(ratings: Ratings, *, most: int | None = None) -> Habits | None:
    """Return the habits of every rater, or None where raters are unknown; `most` rows are looked at together."""
    if ratings.rater is None or ratings.n_raters is None:
        return None
    levels = ratings.scale.levels
    counts = ratings.summary.counts if isinstance(ratings.summary, Counts) else None
    usual, share, responses = _usual(ratings, ratings.n_raters, most)
    means = _means(ratings, ratings.n_raters, usual, counts, most)
    if levels is not None:
        leaning, error, correlation = _of_numbers(means)
        towards = None
    else:
        leaning, error, towards = _of_categories(means, ratings.scale.n_levels)
        correlation = None
    agreement = None if counts is None else means["agreement"]
    always = (share >= NEARLY_ALL) & (responses >= FEWEST_ANSWERS) & _unlike_others(means, share)
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

    def weighted(self, values: Array) -> Array:
        """Values as often as they occurred."""
        return values if self.times is None else self.times * values


def _rows(ratings: Ratings, size: Array) -> _Rows:
    response, times = ratings.response, ratings.count
    item: Array = ratings.item.astype(np.intp)  # once, not in every sum
    rater: Array = np.asarray(ratings.rater).astype(np.intp)
    others: Array = size[item] - 1.0
    shared = others > 0
    if not shared.all():
        item, rater, response, times, others = (x[shared] for x in (item, rater, response, times, others))
    return _Rows(item, rater, response, None if (times == 1).all() else times, others)


def _means(ratings: Ratings, n_raters: int, usual: Array, counts: Array | None, most: int | None) -> dict[str, Array]:
    """Return the means over the answers of each rater, by name; their `number` too, which is a sum.

    Rows come a few million at a time, all of an item together; sums add up.
    """
    sums: dict[str, Array] = {"number": np.zeros(n_raters)}
    for part in ratings.blocks(most):
        rows = _rows(part, ratings.size)
        sums["number"] += np.bincount(rows.rater, rows.times, n_raters)
        if ratings.scale.levels is None and counts is not None:
            _add_own(sums, rows, counts.shape[1])
        for name, values in _values(rows, ratings.scale.levels, counts, usual):
            total = np.bincount(rows.rater, rows.weighted(values), n_raters)
            sums[name] = sums[name] + total if name in sums else total
    return {name: total if name == "number" else ratio(total, sums["number"]) for name, total in sums.items()}


def _add_own(sums: dict[str, Array], rows: _Rows, n_categories: int) -> None:
    """Add how often each rater gave each answer."""
    n_raters = len(sums["number"])
    own = np.bincount(rows.rater * n_categories + rows.response, rows.times, n_raters * n_categories)
    for m, given in enumerate(own.reshape(n_raters, n_categories).T):
        sums[f"own {m}"] = sums.get(f"own {m}", 0.0) + given


def _values(rows: _Rows, levels: Array | None, counts: Array | None, usual: Array) -> Iterator[tuple[str, Array]]:
    """Yield what is averaged over the answers of a rater, row by row; g is the share of the others."""
    if levels is not None:
        y, first = levels[rows.response], rows.item[0] if len(rows.item) else 0
        total = np.bincount(rows.item - first, rows.weighted(y))
        x = (total[rows.item - first] - y) / rows.others
        yield from (("x", x), ("y", y), ("xx", x * x), ("yy", y * y), ("xy", x * y))
    if counts is None:
        return
    if levels is None:
        for m in range(counts.shape[1]):
            yield f"others {m}", (counts[rows.item, m] - (rows.response == m)) / rows.others
    yield "agreement", (counts[rows.item, rows.response] - 1) / rows.others
    own = usual[rows.rater]
    yield "expected", (counts[rows.item, own] - (rows.response == own)) / rows.others


def _of_numbers(means: Mapping[str, Array]) -> tuple[Array, Array, Array]:
    """Leaning, its standard error and the correlation with the mean of the others."""
    mean_x, mean_y = means["x"], means["y"]
    var_x, var_y = means["xx"] - mean_x**2, means["yy"] - mean_y**2
    both = means["xy"] - mean_x * mean_y
    spread = np.sqrt(np.maximum(var_x * var_y, 0.0))
    error = np.sqrt(ratio(np.maximum(var_x + var_y - 2 * both, 0.0), means["number"] - 1.0))
    return mean_y - mean_x, error, np.where(spread > 1e-12, ratio(both, spread), np.nan)


def _of_categories(means: Mapping[str, Array], n_categories: int) -> tuple[Array, Array, Array]:
    """Largest excess over the others' shares, its standard error and the category."""
    own = [means[f"own {m}"] for m in range(n_categories)]
    excess = [own[m] - means[f"others {m}"] for m in range(n_categories)]
    towards = np.argmax(np.nan_to_num(excess), axis=0)
    share, leaning = (np.take_along_axis(np.array(x), towards[None], 0)[0] for x in (own, excess))
    n = means["number"]
    # A rater who always says one thing has no spread of that kind; one answer more or less is the least error.
    return leaning, np.sqrt(np.maximum(ratio(share * (1 - share), n), ratio(np.ones(len(n)), n) ** 2)), towards


def _usual(ratings: Ratings, n_raters: int, most: int | None) -> tuple[Array, Array, Array]:
    """The most frequent answer of each rater, its share, and the number of answers."""
    n_levels, cells = ratings.scale.n_levels, n_raters * ratings.scale.n_levels
    if cells <= 1 << 24:
        table: Array = np.zeros(cells)
        for part in ratings.blocks(most):
            table += np.bincount(_rater_level(part), part.count, cells)
        table = table.reshape(n_raters, -1)
        return table.argmax(1), table.max(1) / table.sum(1), table.sum(1).astype(np.int64)
    pairs, back = np.unique(_rater_level(ratings), return_inverse=True)
    times, rater = np.bincount(back, ratings.count), pairs // n_levels
    order = np.lexsort((-times, rater))
    first = order[np.flatnonzero(np.diff(rater[order], prepend=-1))]
    responses = np.bincount(rater, times)
    return pairs[first] % n_levels, times[first] / responses, responses.astype(np.int64)


def _rater_level(ratings: Ratings) -> Array:
    """One number for rater and response, row by row."""
    assert ratings.rater is not None
    return np.asarray(ratings.rater.astype(np.int64) * ratings.scale.n_levels + ratings.response)


def _unlike_others(means: Mapping[str, Array], share: Array) -> Array:
    """Tell whether the others' shares on the same items make such constancy unlikely."""
    from scipy.special import betainc

    n = means["number"]
    if "expected" not in means:
        return n > 0
    expected = np.nan_to_num(means["expected"], nan=1.0)
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
