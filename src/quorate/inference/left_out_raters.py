"""Raters scored like systems: each left out in turn, against the others on the items he rated.

The score of rater j on item i is that of a system that gave his response, read against the other
raters of the item; a system is read against the same others, S(f, i, −j). Both are averaged over an
item's raters, so that an item's value depends on its counts n alone:
``h(n) = Σ_m n_m / K · s(n − e_m, m)`` for raters and ``f(n) = Σ_m n_m / K · s(n − e_m, x)`` for a
system that answered x. For agreement h is the chance that two of an item's raters agree.
"""

from collections.abc import Iterator

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array
from quorate.data.summaries import Counts, Summary, Values
from quorate.inference.influence import by_distinct_items
from quorate.metrics.contests import scores
from quorate.metrics.metric import Metric


def check_left_out(metric: Metric) -> None:
    """Refuse a score that a rater cannot have on a single item."""
    if metric.level == "set" or metric.contest_of is not None or metric.rates_systems:
        raise InputError(
            f"{metric.name} has no value for one rater on one item, so raters cannot be scored like systems; use "
            "agreement, crps, brier, accuracy or mae."
        )


def left_out_scores(metric: Metric, raters: Summary, system: Summary | None = None) -> Array:
    """Return the mean over an item's raters of a system's score against the others, ``(item,)``.

    Without a system it is the score of the rater who is left out. nan on items with one rater. The metric is settled.
    """
    total, known = np.zeros(raters.size.shape), raters.size > 1
    for _, items, share, others, response in _left_out(raters):
        answers = response if system is None else system.take(items)
        total[items] += share * scores(metric, others, [answers])[0]
    return np.where(known, total, np.nan)


def own_scores(metric: Metric, raters: Summary) -> Array:
    """Return the score of each answer of an item against the others, ``(item, place)``; nan where nobody gave it."""
    assert isinstance(raters, Counts | Values)
    width = (raters.counts if isinstance(raters, Counts) else raters.values).shape[-1]
    table = np.full((*raters.size.shape, width), np.nan)
    for place, items, _, others, response in _left_out(raters):
        table[items, place] = scores(metric, others, [response])[0]
    return table


def left_out_answer_values(metric: Metric, raters: Summary, system: Summary | None = None) -> Array:
    """Return what every answer of an item adds to its left-out score, ``(item, place)``, as `answer_values` does.

    An answer counts twice among raters: as the one who is left out, and as one of those he is compared with.
    """
    systems = [] if system is None else [system]
    return by_distinct_items(raters, systems, lambda panels, answers: [left_out_scores(metric, panels, *answers)])[0]


def single_answers(raters: Summary) -> Summary:
    """Return a summary with one answer per item, as one rater gives."""
    if isinstance(raters, Counts):
        width = raters.counts.shape[-1]
        return Counts(np.eye(width, dtype=np.int64)[raters.counts.argmax(-1)], raters.levels)
    assert isinstance(raters, Values)
    return Values(raters.values[..., :1], np.ones_like(raters.size))


def _left_out(raters: Summary) -> Iterator[tuple[int, Array, Array, Summary, Summary]]:
    """Yield a place, the items with an answer there and its share of them, the others' answers, and the answer."""
    if isinstance(raters, Counts):
        unit = np.eye(raters.counts.shape[-1], dtype=np.int64)
        for place, response in enumerate(unit):
            items = np.flatnonzero((raters.counts[:, place] > 0) & (raters.size > 1))
            if len(items):
                share = raters.counts[items, place] / raters.size[items]
                answers = np.broadcast_to(response, (len(items), len(response)))
                others = Counts(raters.counts[items] - response, raters.levels)
                yield place, items, share, others, Counts(answers, raters.levels)
        return
    assert isinstance(raters, Values)
    for place in range(raters.values.shape[-1]):
        items = np.flatnonzero((raters.size > place) & (raters.size > 1))
        if len(items):
            values, size = raters.values[items], raters.size[items]
            rest, left = np.delete(values, place, axis=-1), values[:, place : place + 1]
            yield place, items, 1 / size, Values(rest, size - 1), Values(left, np.ones_like(size))
