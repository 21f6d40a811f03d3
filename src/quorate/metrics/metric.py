"""A metric – a score with its direction, its level, and what it estimates – and what metrics read from a summary.

Two answer distributions F and G on a line are compared through the gaps between neighbouring points
and the two cumulative shares on each gap: ``E|X − Y| = Σ gap (F (1 − G) + G (1 − F))`` and
``EMD = Σ gap |F − G|``.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Protocol

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array
from quorate.data.summaries import Counts, Means, Probabilities, Summary, ordered_levels

CATEGORIES = frozenset({"nominal", "ordinal"})
NUMBERS = frozenset({"ordinal", "interval"})
"""Scales whose answers are categories, and those whose answers are numbers."""

Better = Literal["high", "low"]
Variant = Literal["default", "paper"]

Comparable = Literal["any", "rarefy", "equal"]
"""Systems with unequal numbers of answers: no matter, brought down to the smaller number, or refused."""


Influence = Callable[[Array, Array], Array]
"""From items, by position, and other readings of their raters to influences, up to a constant per item."""


class RankScore(Protocol):
    """A score of the whole set taken apart: what is read of the raters, of a system, and how both make the score.

    `ordered` says that items are told apart by what raters say of them, so that items alike to raters show nothing.
    """

    ordered: ClassVar[bool]

    def __call__(self, raters: Summary, system: Summary, weights: Array | None = None) -> Array:
        """Score the set, ``(...)``, with item weights ``(..., item)``."""

    def of_raters(self, raters: Summary) -> Array:
        """What is read of the raters, ``(..., item)``."""

    def of_system(self, system: Summary) -> Array:
        """What is read of a system, ``(..., item)``; comparable between systems, which may be swapped within items."""

    def evaluate(self, raters: Array, system: Array) -> tuple[Array, Array]:
        """Return the score, ``(...)``, and the influence of each item, ``(..., item)``, from what is read."""

    def moved(self, raters: Array, system: Array) -> Influence:
        """Return the influence if the raters of one item had said something else; one data set, ``(item,)``."""


@dataclass(frozen=True)
class Metric:
    """How close a system is to the raters, and how to read the number.

    Parameters
    ----------
    name, title
        The name in commands and output, and the words for people.
    better
        Whether high or low scores are good.
    scales
        The scales on which the metric makes sense.
    score
        From raters and system to the score; see `level`.
    level
        ``"item"``: ``score(raters, system)`` is ``(..., item)``. ``"set"``:
        ``score(raters, system, weights=None)`` is ``(...)``, with item weights ``(..., item)``.
    comparable
        What happens to systems with unequal numbers of answers per item.
    meaning
        The estimand in words, where it depends on no number of raters or answers.
    credit
        For linear metrics, from a system's counts or probabilities to ``(..., item, category)``:
        the score a rater who answered that category gives, so that ``score = Σ share × credit``.
    answer_credit
        For linear metrics of numbers, from a system and raters' answers ``(..., item, answer)`` to
        their scores.
    expected_score
        From raters, the probabilities of a system's answers and their number to the score expected
        of so many single answers, ``(..., item)``, where that has a closed form.
    category_terms
        Where the score is a sum over categories, from numbers of categories, raters and answers to
        f with ``score = Σ_m f[g_m, x_m]`` in the raters' and the system's counts g and x.
    terms, combine
        For smooth set scores: ``score = combine(Σ_i w_i terms_i)``, terms ``(..., item, term)``.
    ranked
        For set scores that sort items: the score taken apart.
    contest_of
        For wins: the metric that decides who wins an item.
    answers_averaged
        The score of several single answers is the mean of their scores.
    reads_means
        Of numbers, nothing is read but their mean per item.
    reads_ranks
        Of the items' means, nothing is read but their ranks.
    compares_labels
        Single labels are compared, not their distributions.
    long_tailed
        The spread of the score comes from rare terms.
    lifts_zeros
        A system is charged for no probability below 1e-6.
    reads_votes
        Answers are votes between two systems: what one says of them is what its items vary by.
    needs_positive
        One category must be named as the positive one.
    rates_systems
        The system's own outputs were rated: each system's summary is the ratings it got.
    excess
        The score less what the raters' own spread costs any system, ``(..., item)``; nan on items
        of one rater.
    settle_for
        Where the score depends on all the systems compared: from the metric and their summaries to
        the one to use.
    reach
        How far apart two systems can be on an item: 1, 2, the span of the answers or its square, or
        what the least probability costs.
    shown
        From differences of scores to what people read, where that is something else.
    """

    name: str
    title: str
    better: Better
    scales: frozenset[str]
    score: Callable[..., Array]
    level: Literal["item", "set"] = "item"
    comparable: Comparable = "rarefy"
    meaning: str = ""
    credit: Callable[[Summary], Array] | None = None
    answer_credit: Callable[[Summary, Array], Array] | None = None
    expected_score: Callable[[Summary, Probabilities, int], Array] | None = None
    category_terms: Callable[[int, int, int], Array] | None = None
    terms: Callable[[Summary, Summary], Array] | None = None
    combine: Callable[[Array], Array] | None = None
    ranked: RankScore | None = None
    contest_of: "Metric | None" = None
    answers_averaged: bool = False
    reads_means: bool = False
    reads_ranks: bool = False
    compares_labels: bool = False
    long_tailed: bool = False
    lifts_zeros: bool = False
    reads_votes: bool = False
    needs_positive: bool = False
    rates_systems: bool = False
    excess: Callable[[Summary, Summary], Array] | None = None
    settle_for: "Callable[[Metric, Sequence[Summary]], Metric] | None" = None
    reach: Literal["one", "two", "span", "square", "surprise"] = "one"
    shown: Callable[[Array], Array] | None = None

    @property
    def linear(self) -> bool:
        """True if the item score is the mean over the item's raters of a score per rater."""
        return self.credit is not None

    @property
    def base(self) -> "Metric":
        """The metric that scores one system: for wins the one that decides them."""
        return self if self.contest_of is None else self.contest_of

    def estimand(self, raters: Summary, *systems: Summary) -> str:
        """Say what the score estimates, with the numbers of raters and answers it depends on."""
        base = self.contest_of
        of_answers = self.comparable != "any" and bool(systems)
        if self.linear and not of_answers:
            return self.meaning
        title = f"share of items won minus share lost by {base.title}" if base is not None else self.title
        panels = systems if base is not None and base.rates_systems else (raters,)
        at = [] if self.linear else [_range_of([panel.size for panel in panels], "rater")]
        if of_answers and all(isinstance(s, Probabilities) for s in systems):
            title += " of probabilities"
        elif of_answers:
            at.append(_range_of([common_size(systems)], "answer"))
        return f"{title} at {' and '.join(at)} per item" if at else title


def settle(metric: Metric, raters: Summary | None, systems: Sequence[Summary]) -> Metric:
    """Return the metric with everything decided that depends on all the systems; refuse what cannot be compared.

    ``crps`` subtracts the answers' own spread only if every system gave two or more, or
    probabilities. Use the result for credits and estimands.
    """
    if metric.contest_of is not None:
        if metric.comparable != "any":
            _check_answers(metric, systems)
        return replace(metric, contest_of=settle(metric.contest_of, raters, systems))
    _check_aligned(systems if metric.rates_systems or raters is None else [raters, *systems])
    if metric.comparable != "any":
        _check_answers(metric, systems)
    return metric if metric.settle_for is None else metric.settle_for(metric, systems)


def oriented(metric: Metric, score_a: Array, score_b: Array, raters: Summary) -> Array:
    """Return the difference of two scores, positive where A is better, exactly 0 within rounding error."""
    difference = score_a - score_b if metric.better == "high" else score_b - score_a
    noise = 1e-12 * (np.abs(score_a) + np.abs(score_b) + _magnitude(metric, raters))
    # nan differences (a score that is not defined) stay nan.
    return np.where(np.abs(difference) <= noise, 0.0, difference)


def _magnitude(metric: Metric, raters: Summary) -> float:
    """The size of the numbers a score was computed from: its rounding error is a multiple of it."""
    if "nominal" in metric.scales or metric.level == "set":
        return 1e-3
    if isinstance(raters, Counts | Probabilities):
        return float(np.max(np.abs(raters.levels))) if raters.levels is not None else 1.0
    return float(np.max(np.abs(raters.mean)))


def _check_aligned(summaries: Sequence[Summary]) -> None:
    items = {s.size.shape[-1] for s in summaries}
    if len(items) > 1:
        raise InputError(f"raters and systems must cover the same items, not {sorted(items)} of them")
    counted = {s.counts.shape[-1] for s in summaries if isinstance(s, Counts)}
    categories = counted | {s.share.shape[-1] for s in summaries if isinstance(s, Probabilities)}
    if len(categories) > 1:
        raise InputError(f"raters and systems must use the same categories, not {sorted(categories)} of them")


def _check_answers(metric: Metric, systems: Sequence[Summary]) -> None:
    mixed = len({isinstance(s, Probabilities) for s in systems}) > 1
    if mixed:
        raise InputError(
            f"{metric.name} cannot compare probabilities with single answers, because it moves with their number: "
            "use agreement, brier or crps, or give both systems in the same form"
        )
    target = common_size(systems) if systems else np.zeros(())
    unequal = any(bool(np.any(s.size != target)) for s in systems)
    if unequal and (metric.comparable == "equal" or any(isinstance(s, Means) for s in systems)):
        raise InputError(
            f"{metric.name} cannot compare systems that gave different numbers of answers per item: "
            "give every system the same number, or use agreement, brier or crps"
        )


def largest_difference(metric: Metric, answers: Iterable[Summary]) -> float:
    """Return how far apart two systems can be on one item, given all answers that are known."""
    fixed = fixed_reach(metric)
    if fixed is not None:
        return fixed
    low, high = answer_ends(answers)
    span = high - low
    return span if metric.reach == "span" else span**2


def fixed_reach(metric: Metric) -> float | None:
    """Return how far apart two systems can be on one item whatever is answered; None where answers say it."""
    if metric.contest_of is not None:
        return 1.0
    return {"one": 1.0, "two": 2.0, "surprise": float(-np.log(1e-6))}.get(metric.reach)


def answer_ends(answers: Iterable[Summary]) -> tuple[float, float]:
    """Return the least and the largest answer there is or could be in any of them.

    Numbers that were seen may hide others: within 0 and 1 both may come, and where all are equal, 0 may.
    """
    ends = [_ends(summary) for summary in answers]
    low, high = min(low for low, _ in ends), max(high for _, high in ends)
    if low >= 0 and high <= 1:
        return 0.0, 1.0
    return (min(low, 0.0), max(high, 0.0)) if low == high else (low, high)


def _ends(summary: Summary) -> tuple[float, float]:
    """Return the least and the largest answer there is or could be."""
    if isinstance(summary, Counts | Probabilities):
        values = ordered_levels(summary)
    else:
        values = summary.mean if isinstance(summary, Means) else summary.values[summary.present]
    return float(np.min(values)), float(np.max(values))


def common_size(systems: Iterable[Summary]) -> Array:
    """Return the smallest number of answers any system gave, per item, ``(..., item)``; infinite for probabilities."""
    sizes = [system.size for system in systems]
    smallest = sizes[0]
    for size in sizes[1:]:
        smallest = np.minimum(smallest, size)
    return smallest


def _range_of(sizes: list[Array], word: str) -> str:
    low, high = min(np.min(size) for size in sizes), max(np.max(size) for size in sizes)
    if np.isinf(low):
        return f"endless {word}s"
    span = f"{low:g}" if low == high else f"{low:g} to {high:g}"
    return f"{span} {word}{'' if low == high == 1 else 's'}"


def shares(summary: Summary) -> Array:
    """Return the share of each category, ``(..., item, category)``."""
    if isinstance(summary, Counts | Probabilities):
        return summary.share
    raise InputError(
        "this metric compares categories, but these answers are plain numbers: "
        "use crps, mae, mse or emd, or declare the scale nominal or ordinal"
    )


def plurality(summary: Summary, *, ties: str = "shared") -> Array:
    """Return the most frequent category as an indicator, ``(..., item, category)``.

    Tied categories share the one (the expectation under random ties).
    Deviates: [forest] gives ties to the first category; that is ``ties="first"``.
    """
    height = summary.counts if isinstance(summary, Counts) else shares(summary)
    if ties == "first":
        return np.asarray(np.arange(height.shape[-1]) == height.argmax(-1)[..., None], dtype=float)
    # Probabilities that should be equal (thirds, say) may differ in the last bits.
    top = height >= height.max(-1, keepdims=True) * (1 - 1e-12)
    return np.asarray(top / top.sum(-1, keepdims=True))


def weighted_points(summary: Summary) -> tuple[Array, Array]:
    """Return answers as positions and weights, both ``(..., item, point)``; an item's weights sum to one."""
    if isinstance(summary, Counts | Probabilities):
        return np.broadcast_to(ordered_levels(summary), summary.share.shape), summary.share
    if isinstance(summary, Means):
        raise InputError("this metric needs every single answer, but only item means are known: use mae, mse or rmse")
    # What stands behind an item's answers gets no weight, and a harmless place.
    positions = np.where(summary.present, summary.values, summary.values[..., :1])
    return positions, summary.present / summary.size[..., None]


def gaps_and_cumulatives(raters: Summary, system: Summary) -> tuple[Array, Array, Array]:
    """Return the gaps between neighbouring points and both cumulative shares on them, each ``(..., item, gap)``."""
    if isinstance(raters, Counts | Probabilities) and isinstance(system, Counts | Probabilities):
        levels = ordered_levels(raters)
        if np.array_equal(levels, ordered_levels(system)):
            return _on_levels(levels, raters.share, system.share)
    return _merged(*weighted_points(raters), *weighted_points(system))


def _on_levels(levels: Array, share_r: Array, share_s: Array) -> tuple[Array, Array, Array]:
    order = np.argsort(levels)
    cumulative_r = np.cumsum(share_r[..., order], axis=-1)[..., :-1]
    cumulative_s = np.cumsum(share_s[..., order], axis=-1)[..., :-1]
    return np.diff(levels[order]), cumulative_r, cumulative_s


def _merged(place_r: Array, weight_r: Array, place_s: Array, weight_s: Array) -> tuple[Array, Array, Array]:
    lead = np.broadcast_shapes(place_r.shape[:-1], place_s.shape[:-1])
    place_r, weight_r = (np.broadcast_to(x, lead + x.shape[-1:]) for x in (place_r, weight_r))
    place_s, weight_s = (np.broadcast_to(x, lead + x.shape[-1:]) for x in (place_s, weight_s))
    places = np.concatenate([place_r, place_s], axis=-1)
    order = np.argsort(places, axis=-1)
    gaps = np.diff(np.take_along_axis(places, order, -1), axis=-1)
    weights_r = np.concatenate([weight_r, np.zeros_like(weight_s)], axis=-1)
    weights_s = np.concatenate([np.zeros_like(weight_r), weight_s], axis=-1)
    cumulatives = [np.cumsum(np.take_along_axis(w, order, -1), axis=-1)[..., :-1] for w in (weights_r, weights_s)]
    return gaps, cumulatives[0], cumulatives[1]
