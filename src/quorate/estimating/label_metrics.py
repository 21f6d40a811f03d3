"""Metrics of imputed labels: every number is computed once per draw, from counts by score level and by vote set.

Items scored at or above the threshold are called positive. Tied scores are one level, half a win
against each other.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from types import FunctionType
from typing import Any, Literal, TypeAlias

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array
from quorate.estimating.assistance import Assistance
from quorate.estimating.derivatives import (
    Derivative,
    Labels,
    area,
    combine,
    f1,
    lead,
    mean_of,
    precision,
    recall,
    share_of,
)
from quorate.estimating.evidence import Evidence
from quorate.estimating.imputation import LabelCounts

MOST_CLASSES = 6
"""Classes up to which each is told on its own unless asked otherwise."""

UserFunction: TypeAlias = Callable[[Array, Array], float]
"""A metric of the user's own: from scores and labels, both ``(item,)``."""
Derive: TypeAlias = Callable[[Assistance, str, Labels], Derivative]
"""From all items with what is said of them, a system ("" for the voters), and labels."""


About: TypeAlias = Literal["system", "confusion", "voters", "labels"]
"""What a metric judges: a system, which classes it mixes up, the voters, or nobody: what labels there are."""
Scale: TypeAlias = Literal["share", "difference", "number"]
"""Whether a metric lies between 0 and 1, is a difference of such, or any number."""


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

    ``derive`` gives its value and derivatives from labels of all items, for a system; ``measure`` its
    value on every draw of labels (two classes only); ``item_value`` is, of a metric that is a mean over
    items, its value on each, from the chance that the label is positive and whether the system calls it
    so; ``function`` is a user's own.
    """

    name: str
    measure: Callable[[LabelDraws], Array] | None = None  # by draw; nan if not defined
    phrase: str = ""  # what a sentence calls it; empty for its name
    about: About = "system"
    scale: Scale = "share"
    needs_threshold: bool = False
    pairwise: bool = False  # the difference of two systems
    label: int | None = 1  # the class whose items it is about, if it is about one
    fewest_others: int = 0  # expert labels of other classes without which it has no interval
    derive: Derive | None = None
    family: str | None = None  # whose metrics of single classes it is the mean of
    item_value: Callable[[Array, Array], Array] | None = None
    function: UserFunction | None = None

    @property
    def needs_scores(self) -> bool:
        """Whether it cannot be told without a system."""
        return self.about in ("system", "confusion")

    @property
    def bounded(self) -> bool:
        """Whether it lies between 0 and 1."""
        return self.scale == "share"

    def __call__(self, draws: LabelDraws) -> Array:
        """Return one number per draw of labels."""
        assert self.measure is not None, "only metrics of two classes are measured draw by draw"
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


def _of_table(
    share: Callable[[Array, Array, Array, Array], tuple[Array, Array]],
) -> Callable[[LabelDraws], Array]:
    """Make a measure of a part and a whole of true and false positives, false and true negatives."""
    return lambda draws: _ratio(*share(*draws.table))


def _of_calls(form: Callable[[Labels, Array, int], Derivative], label: int) -> Derive:
    """Make a derivative of what a system calls a class."""
    return lambda items, system, labels: form(labels, items.calls(system)[:, label], label)


def _of_votes(label: int) -> Derive:
    """Make a derivative of how often voters find a class."""
    return lambda items, system, labels: recall(items.where_voted(labels), items.vote_shares[:, label], label)


def _of_labels(label: int) -> Derive:
    """Make a derivative of how many items are of a class."""
    return lambda items, system, labels: share_of(labels, label)


def _right(items: Assistance, system: str, labels: Labels) -> Derivative:
    return mean_of(labels, dict(enumerate(items.calls(system).T)))


def _voters_right(items: Assistance, system: str, labels: Labels) -> Derivative:
    return mean_of(items.where_voted(labels), dict(enumerate(items.vote_shares.T)))


def _area(label: int) -> Derive:
    return lambda items, system, labels: area(labels, items.ranks(system, label), label)


def _lead(items: Assistance, system: str, labels: Labels) -> Derivative:
    shares, blur = items.vote_shares, 0.5 / max(items.evidence.n_experts[0], 1)  # half an expert's label
    return lead(labels, items.ranks(system, 1), (items.where_voted(labels), shares[:, 1], shares[:, 0]), 1, blur)


def _mean_over_classes(form: Callable[[Labels, Array, int], Derivative]) -> Derive:
    """Make a macro average: the mean over the classes that experts found."""

    def derive(items: Assistance, system: str, labels: Labels) -> Derivative:
        calls, there = items.calls(system), [k for k, n in enumerate(items.evidence.n_experts) if n]
        return combine([(1 / len(there), form(labels, calls[:, k], k)) for k in there])

    return derive


def _of_cell(true: int, called: int) -> Derive:
    return lambda items, system, labels: mean_of(labels, {true: items.calls(system)[:, called]})


def _mean_truth(items: Assistance, system: str, labels: Labels) -> Derivative:
    return mean_of(labels, {k: np.full(1, value) for k, value in enumerate(items.values)})


def _mean_error(items: Assistance, system: str, labels: Labels) -> Derivative:
    away = np.abs(items.numbers(system)[:, None] - items.values)
    return mean_of(labels, dict(enumerate(away.T)))


def _within_one(items: Assistance, system: str, labels: Labels) -> Derivative:
    place = items.calls(system).argmax(1)
    near = np.abs(place[:, None] - np.arange(items.evidence.n_classes)) <= 1
    return mean_of(labels, dict(enumerate(near.T.astype(float))))


CALLS: Mapping[str, Any] = {"needs_threshold": True}
METRICS: Mapping[str, LabelMetric] = {
    metric.name: metric
    for metric in (
        LabelMetric("auc", auc, "AUC", derive=_area(1)),
        LabelMetric("accuracy", accuracy, **CALLS, derive=_right, item_value=_item_right),
        LabelMetric(
            "precision",
            _of_table(lambda tp, fp, fn, tn: (tp, tp + fp)),
            **CALLS,
            derive=_of_calls(precision, 1),
        ),
        LabelMetric(
            "recall",
            _of_table(lambda tp, fp, fn, tn: (tp, tp + fn)),
            **CALLS,
            derive=_of_calls(recall, 1),
        ),
        LabelMetric(
            "f1",
            _of_table(lambda tp, fp, fn, tn: (2 * tp, 2 * tp + fp + fn)),
            "F1",
            **CALLS,
            derive=_of_calls(f1, 1),
        ),
        LabelMetric(
            "tpr",
            _of_table(lambda tp, fp, fn, tn: (tp, tp + fn)),
            "TPR",
            **CALLS,
            derive=_of_calls(recall, 1),
        ),
        LabelMetric(
            "tnr",
            _of_table(lambda tp, fp, fn, tn: (tn, tn + fp)),
            "TNR",
            **CALLS,
            derive=_of_calls(recall, 0),
        ),
        LabelMetric("human_tpr", human_tpr, "the voters' TPR", "voters", derive=_of_votes(1)),
        LabelMetric("human_tnr", human_tnr, "the voters' TNR", "voters", derive=_of_votes(0)),
        LabelMetric(
            "delta_tpr",
            delta_tpr,
            "TPR ahead of the voters at their TNR",
            scale="difference",
            fewest_others=5,  # with one or two negatives, the place on the ROC is a guess: 0.63 and 0.87 were covered
            derive=_lead,
        ),
        LabelMetric(
            "prevalence",
            prevalence,
            about="labels",
            label=None,
            derive=_of_labels(1),
            item_value=_item_positive,
        ),
        LabelMetric(
            "delta_auc",
            auc,
            "AUC difference",
            scale="difference",
            pairwise=True,
            derive=_area(1),
        ),
    )
}
"""Every metric of `estimate` for a positive and a negative class, by name."""
FAMILIES: Mapping[str, Callable[[int], LabelMetric]] = {
    "recall": lambda k: LabelMetric("recall", label=k, derive=_of_calls(recall, k)),
    "precision": lambda k: LabelMetric("precision", label=k, derive=_of_calls(precision, k)),
    "f1": lambda k: LabelMetric("F1", label=k, derive=_of_calls(f1, k)),
    "auc": lambda k: LabelMetric("AUC", label=k, derive=_area(k)),
    "prevalence": lambda k: LabelMetric(
        "share", about="labels", label=None, derive=lambda i, s, labels: share_of(labels, k)
    ),
    "human_recall": lambda k: LabelMetric("the voters' recall", about="voters", label=k, derive=_of_votes(k)),
}
"""Metrics of each class against the rest, called as a sentence calls them."""


@cache
def class_metrics(classes: tuple[str, ...]) -> Mapping[str, LabelMetric]:
    """All metrics of classes with names, by name."""
    per_class = [
        replace(make(k), name=f"{family}:{name}", phrase=f"{make(k).name} of {name}")
        for family, make in FAMILIES.items()
        for k, name in enumerate(classes)
    ]
    cells = [
        LabelMetric(
            f"confusion:{true}:{called}",
            None,
            f"share of items that are {true} and called {called}",
            "confusion",
            label=None,
            derive=_of_cell(j, k),
        )
        for j, true in enumerate(classes)
        for k, called in enumerate(classes)
    ]
    every = [
        LabelMetric("accuracy", label=None, derive=_right),
        *(
            LabelMetric(f"macro_{name}", label=None, derive=_mean_over_classes(form), family=name)
            for name, form in (("recall", recall), ("precision", precision), ("f1", f1))
        ),
        LabelMetric("human_accuracy", None, "the voters' accuracy", "voters", label=None, derive=_voters_right),
        LabelMetric("within_one", None, "agreement within one level", label=None, derive=_within_one),
        LabelMetric("mean_error", None, "mean error", scale="number", label=None, derive=_mean_error),
        LabelMetric("mean_truth", None, "mean of the truth", "labels", "number", label=None, derive=_mean_truth),
        LabelMetric(
            "delta_accuracy",
            None,
            "accuracy difference",
            scale="difference",
            pairwise=True,
            derive=_right,
        ),
    ]
    return {metric.name: metric for metric in [*every, *per_class, *cells]}


def known_metrics(classes: tuple[str, ...], *, named: bool) -> Mapping[str, LabelMetric]:
    """All metrics by name; of a positive and a negative class also those about the positive one."""
    return class_metrics(classes) if named else {**class_metrics(classes), **METRICS}


def choose_metrics(metric: str | UserFunction, evidence: Evidence) -> list[LabelMetric]:
    """Find metrics by name, those of every class by the name they share, or make one of a user's function."""
    if callable(metric):
        name = metric.__name__ if isinstance(metric, FunctionType) else type(metric).__name__
        return [LabelMetric(name, function=metric, scale="number")]
    known = known_metrics(evidence.classes, named=evidence.named)
    shared = [each for name, each in known.items() if name.startswith(f"{metric}:")]
    if metric in known or not shared:
        shared = [known[metric]] if metric in known else []
    if not shared:
        raise InputError(_unknown(metric, evidence))
    return shared


def default_metrics(evidence: Evidence, *, at_threshold: bool) -> list[LabelMetric]:
    """All metrics that apply, those at a threshold only where it means something."""
    if evidence.named:
        return _default_of_classes(evidence)
    names = ["human_tpr", "human_tnr", "prevalence"]
    if evidence.systems:
        called = ["accuracy", "precision", "recall", "f1", "tnr"] if at_threshold else []
        names = [
            "auc",
            *(["delta_auc"] if len(evidence.systems) > 1 else []),
            *called,
            "delta_tpr",
            *names,
        ]
    return [METRICS[name] for name in names]


def _default_of_classes(evidence: Evidence) -> list[LabelMetric]:
    """Averages, and single classes as long as there are few."""
    known = class_metrics(evidence.classes)
    few = evidence.n_classes <= MOST_CLASSES
    ranked = any((output % 1 != 0).any() for output in evidence.outputs.values())
    names = ["human_accuracy", *(["human_recall", "prevalence"] if few else [])]
    if evidence.systems:
        single = ["recall", "precision", *(["auc"] if ranked else [])] if few else []
        names = ["accuracy", "macro_recall", "macro_precision", "macro_f1", *single, *names]
    return [each for name in names for each in known.values() if each.name == name or each.name.startswith(f"{name}:")]


def _unknown(metric: str, evidence: Evidence) -> str:
    if not evidence.named:
        return f"'{metric}' is not a metric of estimate; use one of {', '.join(METRICS)}."
    if metric in METRICS:
        return (
            f"{metric} is about a positive class; name it with --positive, or ask for {metric.partition('_')[0]}:CLASS."
        )
    averages = [name for name in class_metrics(evidence.classes) if ":" not in name]
    families = [f"{name}:CLASS" for name in FAMILIES]
    return (
        f"'{metric}' is not a metric of estimate for the classes {', '.join(evidence.classes[:8])}; use one of "
        f"{', '.join([*averages, *families, 'confusion'])}."
    )


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
