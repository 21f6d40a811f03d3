"""Metrics of imputed labels: every number is computed once per draw, from counts by score level and by vote set.

Items scored at or above the threshold are called positive. Tied scores are one level, half a win against each other.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array
from quorate.estimating.imputation import Labels

__all__ = ["METRICS", "NEED_SCORES", "NEED_THRESHOLD", "Outcome", "calibration", "precision_recall", "roc"]


@dataclass(frozen=True)
class Outcome:
    """Labels of many draws with what they are judged against.

    Parameters
    ----------
    labels
        Counts by level and by set.
    score
        Lowest score of each level, ``(level,)``.
    vote_share
        Share of positive votes in each vote set, ``(set,)``; nan without votes.
    threshold
        Scores from here on count as positive.
    voter_rate
        a_y by draw, ``(draw, 2)``, where shares of votes would mislead (best-of-k voting); otherwise None.
    """

    labels: Labels
    score: Array
    vote_share: Array
    threshold: float = 0.5
    voter_rate: Array | None = None

    @cached_property
    def flagged(self) -> Array:
        """Whether a level counts as positive, ``(level,)``."""
        return np.asarray(self.score >= self.threshold)

    @cached_property
    def table(self) -> tuple[Array, Array, Array, Array]:
        """True positives, false positives, false negatives, true negatives, each ``(draw,)``."""
        positive, total = self.labels.level_positive, self.labels.level_total
        hits, called = positive[:, self.flagged].sum(1), total[:, self.flagged].sum(1)
        n_positive, n_items = positive.sum(1), total.sum(1)
        return hits, called - hits, n_positive - hits, n_items - called - n_positive + hits

    @cached_property
    def rates(self) -> tuple[Array, Array]:
        """TPR and TNR of cutting below each level, ``(draw, level + 1)`` each: from calling all positive to none."""
        positive = self.labels.level_positive
        return 1 - _shares_below(positive), _shares_below(self.labels.level_total - positive)

    def voters(self, label: int) -> Array:
        """Mean share of positive votes on items with this label, ``(draw,)``; items weigh equally."""
        if self.voter_rate is not None:
            return np.asarray(self.voter_rate[:, label])
        counts = self.labels.set_positive if label else self.labels.set_total - self.labels.set_positive
        voted = ~np.isnan(self.vote_share)
        return _ratio(counts[:, voted] @ self.vote_share[voted], counts[:, voted].sum(1))


def auc(outcome: Outcome) -> Array:
    """Chance that a positive outranks a negative, ties half."""
    positive = outcome.labels.level_positive
    negative = outcome.labels.level_total - positive
    below = np.cumsum(negative, 1) - negative / 2
    return _ratio((positive * below).sum(1), positive.sum(1) * negative.sum(1).astype(float))


def accuracy(outcome: Outcome) -> Array:
    """Share of items called rightly."""
    hits, _, _, rejected = outcome.table
    return _ratio(hits + rejected, outcome.labels.level_total.sum(1))


def precision(outcome: Outcome) -> Array:
    """Share of positives among items called positive."""
    hits, alarms, _, _ = outcome.table
    return _ratio(hits, hits + alarms)


def tpr(outcome: Outcome) -> Array:
    """Share of positives called positive."""
    hits, _, missed, _ = outcome.table
    return _ratio(hits, hits + missed)


def tnr(outcome: Outcome) -> Array:
    """Share of negatives called negative."""
    _, alarms, _, rejected = outcome.table
    return _ratio(rejected, rejected + alarms)


def f1(outcome: Outcome) -> Array:
    """Harmonic mean of precision and recall."""
    hits, alarms, missed, _ = outcome.table
    return _ratio(2 * hits, 2 * hits + alarms + missed)


def prevalence(outcome: Outcome) -> Array:
    """Share of positives."""
    return _ratio(outcome.labels.set_positive.sum(1), outcome.labels.set_total.sum(1))


def human_tpr(outcome: Outcome) -> Array:
    """Chance that a voter calls a positive positive."""
    return outcome.voters(1)


def human_tnr(outcome: Outcome) -> Array:
    """Chance that a voter calls a negative negative."""
    return 1 - outcome.voters(0)


def delta_tpr(outcome: Outcome) -> Array:
    """TPR of the system where its TNR is the voters', less the voters' TPR [maven, sec. 4.1]; ROC linear in between."""
    return roc(outcome, 1 - human_tnr(outcome)[:, None])[:, 0] - human_tpr(outcome)


METRICS: dict[str, Callable[[Outcome], Array]] = {
    "auc": auc,
    "accuracy": accuracy,
    "precision": precision,
    "recall": tpr,
    "f1": f1,
    "tpr": tpr,
    "tnr": tnr,
    "human_tpr": human_tpr,
    "human_tnr": human_tnr,
    "delta_tpr": delta_tpr,
    "prevalence": prevalence,
}
"""Each takes an `Outcome` and returns one number per draw, nan where it is not defined."""
NEED_THRESHOLD = ("accuracy", "precision", "recall", "f1", "tpr", "tnr")
NEED_SCORES = (*NEED_THRESHOLD, "auc", "delta_tpr", "delta_auc")


def roc(outcome: Outcome, at: Array) -> Array:
    """TPR at false-positive rates ``(point,)`` or ``(draw, point)``: linear between levels, the best at a step.

    Examples
    --------
    >>> labels = Labels(np.array([[0, 1, 1]]), np.array([[1, 2, 1]]), np.array([[2]]), np.array([[4]]))
    >>> roc(Outcome(labels, np.array([0.1, 0.5, 0.9]), np.array([0.5])), np.array([0.0, 0.5, 1.0])).tolist()
    [[0.5, 1.0, 1.0]]
    """
    sensitive, specific = outcome.rates
    wanted = np.broadcast_to(at, (len(sensitive), at.shape[-1]))
    # reversed, false-positive rates increase, and of equal ones np.interp takes the last, which has the higher TPR
    rows = zip(wanted, 1 - specific[:, ::-1], sensitive[:, ::-1], strict=True)
    return np.stack([np.interp(w, x, y) for w, x, y in rows])


def precision_recall(outcome: Outcome, at: Array) -> Array:
    """Precision at the given recalls, ``(draw, point)``: counts are interpolated, so that the curve stays achievable.

    Examples
    --------
    >>> labels = Labels(np.array([[0, 1, 1]]), np.array([[1, 2, 1]]), np.array([[2]]), np.array([[4]]))
    >>> outcome = Outcome(labels, np.array([0.1, 0.5, 0.9]), np.array([0.5]))
    >>> precision_recall(outcome, np.array([0.5, 1.0])).round(3).tolist()
    [[1.0, 0.667]]
    """
    positive = outcome.labels.level_positive[:, ::-1]
    hits = np.cumsum(positive, 1)
    called = np.cumsum(outcome.labels.level_total[:, ::-1], 1)
    curves = []
    for h, c in zip(np.pad(hits, ((0, 0), (1, 0))), np.pad(called, ((0, 0), (1, 0))), strict=True):
        wanted = at * h[-1]
        curves.append(_ratio(wanted, np.interp(-wanted, -h[::-1], c[::-1])))  # the fewest calls with so many hits
    return np.stack(curves)


def calibration(outcome: Outcome, *, n_bins: int = 10) -> tuple[Array, Array, Array]:
    """Share of positives in bins of about equally many items: lowest scores, items, and shares ``(draw, bin)``.

    Examples
    --------
    >>> labels = Labels(np.array([[0, 1, 1]]), np.array([[1, 2, 1]]), np.array([[2]]), np.array([[4]]))
    >>> low, size, share = calibration(Outcome(labels, np.array([0.1, 0.5, 0.9]), np.array([0.5])), n_bins=2)
    >>> low.tolist(), size.tolist(), share.round(2).tolist()
    ([0.1, 0.5], [1.0, 3.0], [[0.0, 0.67]])
    """
    total = outcome.labels.level_total.mean(0)
    reached = np.cumsum(total) / total.sum()
    first = np.unique(np.searchsorted(reached, np.arange(n_bins) / n_bins + 1e-9, side="left"))
    first = np.unique(np.append(0, first[first < len(total)]))
    positive = np.add.reduceat(outcome.labels.level_positive, first, axis=1)
    size = np.add.reduceat(outcome.labels.level_total, first, axis=1)
    return outcome.score[first], size.mean(0), _ratio(positive, size)


def check_metric(name: str) -> None:
    """Refuse a metric nobody knows."""
    if name not in METRICS and name != "delta_auc":
        raise InputError(f"'{name}' is not a metric of estimate; use one of {', '.join([*METRICS, 'delta_auc'])}.")


def _shares_below(counts: Array) -> Array:
    below = np.pad(np.cumsum(counts, 1), ((0, 0), (1, 0)))
    return _ratio(below, below[:, -1:])


def _ratio(part: Array, whole: Array) -> Array:
    """Divide; nothing of nothing is nan."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(whole > 0, part / whole, np.nan)
