"""Metrics of imputed labels: every number is computed once per draw, from counts by score level and by vote set.

Items scored at or above the threshold are called positive. Tied scores are one level, half a win
against each other.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import FunctionType
from typing import Any, TypeAlias

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array
from quorate.estimating.imputation import LabelCounts

UserFunction: TypeAlias = Callable[[Array, Array], float]
"""A metric of the user's own: from scores and labels, both ``(item,)``."""


@dataclass(frozen=True)
class LabelDraws:
    """Labels of many draws with what they are judged against."""

    counts: LabelCounts
    score: Array  # lowest score of each level, (level,)
    vote_share: Array  # share of positive votes in each vote set, (set,); nan without votes
    threshold: float = 0.5  # scores from here on are called positive
    voter_rate: Array | None = None  # a_y by draw, (draw, 2), where vote shares mislead (best of k)

    @cached_property
    def flagged(self) -> Array:
        """Whether a level counts as positive, ``(level,)``."""
        return np.asarray(self.score >= self.threshold)

    @cached_property
    def table(self) -> tuple[Array, Array, Array, Array]:
        """True positives, false positives, false negatives, true negatives, each ``(draw,)``."""
        positive, total = self.counts.level_positive, self.counts.level_total
        hits, called = positive[:, self.flagged].sum(1), total[:, self.flagged].sum(1)
        n_positive, n_items = positive.sum(1), total.sum(1)
        return hits, called - hits, n_positive - hits, n_items - called - n_positive + hits

    @cached_property
    def rates(self) -> tuple[Array, Array]:
        """TPR and TNR of cutting below each level, ``(draw, level + 1)`` each: from calling all positive to none."""
        positive = self.counts.level_positive
        return 1 - _shares_below(positive), _shares_below(self.counts.level_total - positive)

    def voters(self, label: int) -> Array:
        """Mean share of positive votes on items with this label, ``(draw,)``; items weigh equally."""
        if self.voter_rate is not None:
            return np.asarray(self.voter_rate[:, label])
        counts = self.counts.set_positive if label else self.counts.set_total - self.counts.set_positive
        voted = ~np.isnan(self.vote_share)
        return _ratio(counts[:, voted] @ self.vote_share[voted], counts[:, voted].sum(1))


@dataclass(frozen=True)
class LabelMetric:
    """A metric of labels, and what it needs.

    ``item_value`` is, of a metric that is a mean over items, its value on each, from the chance that
    the label is positive and whether the system calls it so; ``function`` is a user's own.
    """

    name: str
    measure: Callable[[LabelDraws], Array] | None = None  # by draw; nan if not defined
    phrase: str = ""  # what a sentence calls it; empty for its name
    needs_scores: bool = False
    needs_threshold: bool = False
    pairwise: bool = False  # the difference of two systems, draw by draw
    item_value: Callable[[Array, Array], Array] | None = None
    function: UserFunction | None = None

    def __call__(self, draws: LabelDraws) -> Array:
        """Return one number per draw of labels."""
        assert self.measure is not None, "a user's function needs the labels item by item"
        return self.measure(draws)


def auc(draws: LabelDraws) -> Array:
    """Chance that a positive outranks a negative, ties half."""
    positive = draws.counts.level_positive
    negative = draws.counts.level_total - positive
    below = np.cumsum(negative, 1) - negative / 2
    return _ratio((positive * below).sum(1), positive.sum(1) * negative.sum(1).astype(float))


def accuracy(draws: LabelDraws) -> Array:
    """Share of items called rightly."""
    hits, _, _, rejected = draws.table
    return _ratio(hits + rejected, draws.counts.level_total.sum(1))


def prevalence(draws: LabelDraws) -> Array:
    """Share of positives."""
    return _ratio(draws.counts.set_positive.sum(1), draws.counts.set_total.sum(1))


def human_tpr(draws: LabelDraws) -> Array:
    """Chance that a voter calls a positive positive."""
    return draws.voters(1)


def human_tnr(draws: LabelDraws) -> Array:
    """Chance that a voter calls a negative negative."""
    return 1 - draws.voters(0)


def delta_tpr(draws: LabelDraws) -> Array:
    """TPR of the system where its TNR is the voters', less the voters' TPR [maven, sec. 4.1]; ROC linear in between."""
    return roc(draws, 1 - human_tnr(draws)[:, None])[:, 0] - human_tpr(draws)


def _item_positive(chance: Array, called: Array) -> Array:
    """Prevalence on each item."""
    return chance


def _item_right(chance: Array, called: Array) -> Array:
    """Accuracy on each item."""
    return np.where(called, chance, 1 - chance)


def _of_calls(name: str, measure: Callable[[LabelDraws], Array], phrase: str = "", **more: Any) -> LabelMetric:
    """Make a metric of what the system calls positive."""
    return LabelMetric(name, measure, phrase, needs_scores=True, needs_threshold=True, **more)


def _of_table(share: Callable[[Array, Array, Array, Array], tuple[Array, Array]]) -> Callable[[LabelDraws], Array]:
    """Make a measure of a part and a whole of true and false positives, false and true negatives."""
    return lambda draws: _ratio(*share(*draws.table))


METRICS: Mapping[str, LabelMetric] = {
    metric.name: metric
    for metric in (
        LabelMetric("auc", auc, "AUC", needs_scores=True),
        _of_calls("accuracy", accuracy, item_value=_item_right),
        _of_calls("precision", _of_table(lambda tp, fp, fn, tn: (tp, tp + fp))),
        _of_calls("recall", _of_table(lambda tp, fp, fn, tn: (tp, tp + fn))),
        _of_calls("f1", _of_table(lambda tp, fp, fn, tn: (2 * tp, 2 * tp + fp + fn)), "F1"),
        _of_calls("tpr", _of_table(lambda tp, fp, fn, tn: (tp, tp + fn)), "TPR"),
        _of_calls("tnr", _of_table(lambda tp, fp, fn, tn: (tn, tn + fp)), "TNR"),
        LabelMetric("human_tpr", human_tpr, "the voters' TPR"),
        LabelMetric("human_tnr", human_tnr, "the voters' TNR"),
        LabelMetric("delta_tpr", delta_tpr, "TPR ahead of the voters at their TNR", needs_scores=True),
        LabelMetric("prevalence", prevalence, item_value=_item_positive),
        LabelMetric("delta_auc", auc, "AUC difference", needs_scores=True, pairwise=True),
    )
}
"""Every metric of `estimate` by name."""


def choose_metric(metric: str | UserFunction) -> LabelMetric:
    """Find a metric by name, or make one of a user's function."""
    if callable(metric):
        name = metric.__name__ if isinstance(metric, FunctionType) else type(metric).__name__
        return LabelMetric(name, function=metric, needs_scores=True)
    if metric not in METRICS:
        raise InputError(f"'{metric}' is not a metric of estimate; use one of {', '.join(METRICS)}.")
    return METRICS[metric]


def default_metrics(n_systems: int, *, at_threshold: bool) -> list[LabelMetric]:
    """All metrics that apply to so many systems, those at a threshold only where it means something."""
    names = ["human_tpr", "human_tnr", "prevalence"]
    if n_systems:
        called = ["accuracy", "precision", "recall", "f1", "tnr"] if at_threshold else []
        names = ["auc", *(["delta_auc"] if n_systems > 1 else []), *called, "delta_tpr", *names]
    return [METRICS[name] for name in names]


def roc(draws: LabelDraws, at: Array) -> Array:
    """TPR at false-positive rates ``(point,)`` or ``(draw, point)``: linear between levels, the best at a step."""
    sensitive, specific = draws.rates
    wanted = np.broadcast_to(at, (len(sensitive), at.shape[-1]))
    # reversed, false-positive rates increase, and of equal ones np.interp takes the last, which has the higher TPR
    rows = zip(wanted, 1 - specific[:, ::-1], sensitive[:, ::-1], strict=True)
    return np.stack([np.interp(w, x, y) for w, x, y in rows])


def precision_recall(draws: LabelDraws, at: Array) -> Array:
    """Precision at the given recalls, ``(draw, point)``; counts are interpolated: the curve stays achievable."""
    positive = draws.counts.level_positive[:, ::-1]
    hits = np.cumsum(positive, 1)
    called = np.cumsum(draws.counts.level_total[:, ::-1], 1)
    curves = []
    for h, c in zip(np.pad(hits, ((0, 0), (1, 0))), np.pad(called, ((0, 0), (1, 0))), strict=True):
        wanted = at * h[-1]
        curves.append(_ratio(wanted, np.interp(-wanted, -h[::-1], c[::-1])))  # the fewest calls with so many hits
    return np.stack(curves)


def calibration(draws: LabelDraws, *, n_bins: int = 10) -> tuple[Array, Array, Array]:
    """Share of positives in bins of about equally many items: lowest scores, items, and shares ``(draw, bin)``."""
    total = draws.counts.level_total.mean(0)
    reached = np.cumsum(total) / total.sum()
    first = np.unique(np.searchsorted(reached, np.arange(n_bins) / n_bins + 1e-9, side="left"))
    first = np.unique(np.append(0, first[first < len(total)]))
    positive = np.add.reduceat(draws.counts.level_positive, first, axis=1)
    size = np.add.reduceat(draws.counts.level_total, first, axis=1)
    return draws.score[first], size.mean(0), _ratio(positive, size)


def _shares_below(counts: Array) -> Array:
    below = np.pad(np.cumsum(counts, 1), ((0, 0), (1, 0)))
    return _ratio(below, below[:, -1:])


def _ratio(part: Array, whole: Array) -> Array:
    """Divide; nothing of nothing is nan."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(whole > 0, part / whole, np.nan)
