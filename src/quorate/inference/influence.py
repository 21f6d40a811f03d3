"""Every score as a mean over items, and over single answers: what each adds to it.

A score of the whole set (F1, Spearman …) is, up to terms of order 1/N, the mean of
``v_i = θ + ψ_i``, ψ the empirical influence function [hampel1974; efron1982, ch. 2]; an item score
is its own value. Pairs of systems, clusters, groups and families then all work on one table of item
values, and the standard error of any difference is that of a mean.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from quorate._typing import Array
from quorate.data.summaries import Counts, Means, Probabilities, Summary, Values
from quorate.metrics.contests import contest, item_terms, scores
from quorate.metrics.metric import Metric, RankScore, settle

ROWS = 1 << 19
"""Changed panels scored at a time; bounds memory."""

Score = Callable[[Array, Summary], list[Array]]
"""From items, by position, and changed panels of theirs to the scores of every system, ``(row,)``
each."""


@dataclass(frozen=True)
class SetForm:
    """A set score taken apart: what raters fix, what systems carry, and how both make it.

    Parameters
    ----------
    evaluate
        From the fixed part and what a system carries to its score, ``(...)``, and influences,
        ``(..., item)``.
    fixed
        What the raters fix, ``(..., item)``.
    carried
        What each system carries, ``(..., item, term)``; swapping two systems on an item swaps these
        rows.
    ranked
        Whether ranks are scored, so that every item bears on every other.
    ordered
        Whether items are told apart by what raters say of them: those alike to raters say nothing of each other.
    combine
        From the totals of terms to the score, where that is all a score knows.
    """

    evaluate: Callable[[Array, Array], tuple[Array, Array]]
    fixed: Array
    carried: list[Array]
    ranked: bool = False
    ordered: bool = False
    combine: Callable[[Array], Array] | None = None

    @cached_property
    def carrying(self) -> Array:
        """Whether an item carries weight: swapping the two systems on it may change their
        difference, ``(..., item)``."""
        a, b = self.carried
        return np.asarray((np.abs(a - b) > 1e-12 * (np.abs(a) + np.abs(b))).any(-1))

    @property
    def n_counted(self) -> Array:
        """How many items count in the score at all, as only positives do in recall, ``(...)``; at least 1.

        Where items are told apart, those that raters do not say the commonest of: of AUC, the fewer of positives and
        negatives.
        """
        if self.ordered:
            return np.asarray(np.maximum(np.apply_along_axis(_uncommon, -1, self.fixed), 1))
        if self.ranked:
            return np.full(self.fixed.shape[:-1], self.fixed.shape[-1])
        counted = np.any([(carried != 0).any(-1) for carried in self.carried], axis=0)
        return np.asarray(np.maximum(counted.sum(-1), 1))

    def swapped_rows(self) -> tuple[Array, Array]:
        """Return the items on which swaps change something and one of each kind of the others, by position, and how
        many items each stands for, ``(row,)``; all items where ranks are scored."""
        if self.combine is None:
            return np.arange(self.fixed.shape[-1]), np.ones(self.fixed.shape[-1])
        moved, others = np.flatnonzero(self.carrying), np.flatnonzero(~self.carrying)
        _, first, times = np.unique(self.carried[0][others], axis=0, return_index=True, return_counts=True)
        return np.concatenate([moved, others[first]]), np.concatenate([np.ones(len(moved)), times])

    def study(self, index: int) -> "SetForm":
        """Return one data set of many, by its position on the first axis."""
        return replace(self, fixed=self.fixed[index], carried=[carried[index] for carried in self.carried])


def item_values(metric: Metric, raters: Summary | None, systems: Sequence[Summary]) -> list[tuple[Array, Array]]:
    """Return each system's score, ``(...)``, and item values whose mean it is, ``(..., item)``."""
    metric = settle(metric, raters, systems)
    if metric.level == "item":
        return [(values.mean(-1), values) for values in scores(metric, raters, systems)]
    form = set_form(metric, raters, systems)
    evaluated = [form.evaluate(form.fixed, carried) for carried in form.carried]
    return [(score, score[..., None] + influence) for score, influence in evaluated]


def set_form(metric: Metric, raters: Summary | None, systems: Sequence[Summary]) -> SetForm:
    """Take a set score apart, so that it can be recomputed after swapping systems within items."""
    metric = settle(metric, raters, systems)
    if metric.combine is not None:
        combine, terms = metric.combine, item_terms(metric, raters, systems)
        fixed = np.zeros(terms[0].shape[:-1])
        return SetForm(lambda _, carried: combined(combine, carried), fixed, terms, combine=combine)
    ranked = metric.ranked
    if raters is None or ranked is None:
        raise TypeError(f"{metric.name} is not a score of a whole set of rated items")
    read = [ranked.of_system(system)[..., None] for system in systems]
    fixed = ranked.of_raters(raters)
    return SetForm(
        lambda raters, carried: ranked.evaluate(raters, carried[..., 0]),
        fixed,
        read,
        ranked=True,
        ordered=ranked.ordered,
    )


def _uncommon(values: Array) -> int:
    """Return how many values are not the commonest one; all where none comes twice."""
    most = int(np.unique(values.round(9), return_counts=True)[1].max())
    return len(values) - most if most > 1 else len(values)


def combined(combine: Callable[[Array], Array], terms: Array, times: Array | None = None) -> tuple[Array, Array]:
    """Score and jackknife influence of ``combine(Σ terms)``: ψ_i = (N − 1)(mean θ_(j) − θ_(i)).

    `times` is how many items each row of the terms stands for, one if not given.
    """
    times = np.ones(terms.shape[-2]) if times is None else times
    total, n = (times[:, None] * terms).sum(-2, keepdims=True), times.sum()
    left_out = combine(total - terms)
    influence = (n - 1) * ((times * left_out).sum(-1, keepdims=True) / n - left_out)
    return combine(total[..., 0, :]), influence


def splits_by_rater(metric: Metric) -> bool:
    """Tell whether a score splits into single answers; wins by ratings of others do not."""
    return metric.contest_of is None or not metric.contest_of.rates_systems


def answer_values(metric: Metric, raters: Summary, systems: Sequence[Summary]) -> list[Array]:
    """Return for each system the value of every answer the raters gave, ``(..., item, place)``.

    A place is a category where raters are counted, else the position among the item's sorted
    answers. The mean over an item's answers is the item's value: its score, or what it adds to a
    score of the whole set. The metric is settled and has a score for one system; `contest_values`
    is for wins.
    """
    if metric.linear and metric.comparable == "any":
        if isinstance(raters, Counts) and metric.credit is not None:
            return [metric.credit(system) for system in systems]
        if isinstance(raters, Values) and metric.answer_credit is not None:
            return [metric.answer_credit(system, raters.values) for system in systems]
    if metric.level == "set":
        base = [values.reshape(-1) for _, values in item_values(metric, raters, systems)]
        ranked = metric.ranked
        of_panel = _set_score(metric, raters, systems) if ranked is None else _rank_score(ranked, raters, systems)
        return _exchanged(raters, base, of_panel)
    return by_distinct_items(raters, systems, lambda panels, answers: scores(metric, panels, answers))


def contest_values(metric: Metric, raters: Summary, a: Summary, b: Summary) -> Array:
    """Return the value of every answer in a contest of two systems: wins."""
    return by_distinct_items(raters, [a, b], lambda panels, answers: [contest(metric, panels, answers[0], answers[1])])[
        0
    ]


def by_distinct_items(
    raters: Summary, systems: Sequence[Summary], score: Callable[[Summary, list[Summary]], list[Array]]
) -> list[Array]:
    """Exchange answers of item scores, once for all items with the same answers."""
    shape = raters.size.shape
    panels, *answers = (_flat(summary, shape) for summary in (raters, *systems))
    distinct = _distinct([panels, *answers])
    if distinct is not None:
        panels, *answers = (summary.take(distinct[0]) for summary in (panels, *answers))

    def of_items(items: Array, changed: Summary) -> list[Array]:
        return score(changed, [each.take(items) for each in answers])

    tables = _exchanged(panels, score(panels, answers), of_items)
    every = tables if distinct is None else [table[distinct[1]] for table in tables]
    return [table.reshape(*shape, -1) for table in every]


def _distinct(summaries: Sequence[Summary]) -> tuple[Array, Array] | None:
    """Return an item of each kind and the kind of each item; None if not counts, or too many."""
    columns = []
    for summary in summaries:
        if not isinstance(summary, Counts):
            return None
        single = (summary.size == 1).all()
        columns += [summary.counts.argmax(-1)] if single else list(np.moveaxis(summary.counts, -1, 0))
    key, kinds = np.zeros(len(columns[0]), dtype=np.int64), 1
    for column in columns:
        width = int(column.max()) + 1
        key, kinds = key * width + column, kinds * width
    if kinds >= 2**62:
        return None
    _, first, back = np.unique(key, return_index=True, return_inverse=True)
    return first, back


def _set_score(metric: Metric, raters: Summary, systems: Sequence[Summary]) -> Score:
    """Score the set with one item's panel changed, times N: in units of an item's value."""
    assert metric.combine is not None
    combine, n_items = metric.combine, raters.size.shape[-1]
    terms = item_terms(metric, raters, systems)
    totals = [each.sum(-2).reshape(-1, each.shape[-1]) for each in terms]
    flat = [each.reshape(-1, each.shape[-1]) for each in terms]
    answers = [_flat(system, raters.size.shape) for system in systems]

    def score(items: Array, panels: Summary) -> list[Array]:
        changed = item_terms(metric, panels, [system.take(items) for system in answers])
        rest = [total[items // n_items] - old[items] for total, old in zip(totals, flat, strict=True)]
        return [n_items * combine(new + others) for new, others in zip(changed, rest, strict=True)]

    return score


def _rank_score(ranked: RankScore, raters: Summary, systems: Sequence[Summary]) -> Score:
    """Value of an item in a score that sorts, as a function of its panel, others as is."""
    n_items, fixed = raters.size.shape[-1], ranked.of_raters(raters)
    studies = [[ranked.moved(*rows) for rows in _by_study(fixed, ranked.of_system(system))] for system in systems]

    def score(items: Array, panels: Summary) -> list[Array]:
        values, read = [np.empty(len(items)) for _ in studies], ranked.of_raters(panels)
        for study in np.unique(items // n_items):
            rows = np.flatnonzero(items // n_items == study)
            for of_system, moved in zip(values, studies, strict=True):
                of_system[rows] = moved[study](items[rows] % n_items, read[rows])
        return values

    return score


def _by_study(raters: Array, system: Array) -> Iterator[tuple[Array, Array]]:
    raters, system = np.broadcast_arrays(raters, system)
    n_items = raters.shape[-1]
    yield from zip(raters.reshape(-1, n_items), system.reshape(-1, n_items), strict=True)


def _exchanged(raters: Summary, base: list[Array], score: Score) -> list[Array]:
    """Add to each item's value what its answers move, by all exchanges of two different answers.

    For two raters who answered m and m', ``½ [f(both m) − f(both m')]`` is what answering m instead
    of m' moves: ``value(m) = f + ½ Σ_m' n_m' [f(n + e_m − e_m') − f(n − e_m + e_m')]``, n the
    item's counts. The panel keeps its size, so a score that moves with the number of raters stays
    what it is; on linear scores this is the credit.

    Deviates: the usual pseudo-values leave a rater out [efron1982]. With three raters per item a
    plurality of two is another score, and the variance between raters comes out too small by a
    third; by exchange it errs on the safe side.
    """
    shape, panels = raters.size.shape, _flat(raters, raters.size.shape)
    if not isinstance(panels, Counts | Values):
        raise TypeError("single answers are not known")
    cells = panels.counts if isinstance(panels, Counts) else panels.present.astype(np.int64)
    tables = [np.repeat(values[:, None], cells.shape[1], axis=1) for values in base]
    for item, m, other in _pairs(cells):
        up = score(item, _changed(panels, item, m, other))
        down = score(item, _changed(panels, item, other, m))
        for table, high, low in zip(tables, up, down, strict=True):
            gain = 0.5 * (high - low)
            table[item, m] += cells[item, other] * gain
            table[item, other] -= cells[item, m] * gain
    return [table.reshape(*shape, -1) for table in tables]


def _pairs(cells: Array) -> Iterator[tuple[Array, Array, Array]]:
    """Yield items and two places their answers hold, each item once per yield."""
    item, place = np.nonzero(cells)
    for lag in range(1, cells.shape[1]):
        left = np.flatnonzero(item[lag:] == item[:-lag])
        if not len(left):
            return
        for start in range(0, len(left), ROWS):
            first = left[start : start + ROWS]
            yield item[first], place[first], place[first + lag]


def _changed(panels: Counts | Values, item: Array, kept: Array, lost: Array) -> Summary:
    """Return the panels of some items in which one answer at `lost` has become one at `kept`."""
    row = np.arange(len(item))
    if isinstance(panels, Counts):
        counts = panels.counts[item]
        counts[row, kept] += 1
        counts[row, lost] -= 1
        return Counts(counts, panels.levels)
    values = np.where(panels.present[item], panels.values[item], np.inf)
    values[row, lost] = values[row, kept]
    values.sort(axis=-1)
    return Values(np.where(np.isinf(values), 0.0, values), panels.size[item])


def _flat(summary: Summary, shape: tuple[int, ...]) -> Summary:
    """Return a summary with all leading axes and the items in one, ``(item, …)``."""
    if len(shape) == 1:
        return summary
    match summary:
        case Counts(counts, levels):
            return Counts(_rows(counts, shape, 1), levels)
        case Probabilities(share, levels):
            return Probabilities(_rows(share, shape, 1), levels)
        case Values(values, size):
            return Values(_rows(values, shape, 1), _rows(size, shape, 0))
        case Means(mean, size):
            return Means(_rows(mean, shape, 0), _rows(size, shape, 0))


def _rows(array: Array, shape: tuple[int, ...], behind: int) -> Array:
    tail = array.shape[array.ndim - behind :]
    return np.broadcast_to(array, (*shape, *tail)).reshape(-1, *tail)
