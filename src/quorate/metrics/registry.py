"""The one registry of metrics: names to metrics, in the default and the papers' variant."""

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from quorate._errors import InputError
from quorate._typing import Array
from quorate.data.summaries import Probabilities, Summary
from quorate.metrics.linear import (
    Crps,
    Linear,
    agreement_credit,
    brier_credit,
    mean_rating,
    mean_rating_answer_credit,
    mean_rating_credit,
)
from quorate.metrics.metric import Comparable, Metric
from quorate.metrics.panels import (
    Accuracy,
    CrossEntropyCredit,
    KullbackLeibler,
    TotalVariation,
    Variant,
    absolute_error,
    earth_movers_distance,
    jensen_shannon,
    squared_error,
)
from quorate.metrics.ranks import Auc, emd_of_means, spearman
from quorate.metrics.set_scores import (
    ConfusionTerms,
    SetScore,
    combine_cosine,
    combine_f1,
    combine_ratio,
    combine_rmse,
    cosine_terms,
    rmse_terms,
)

__all__ = ["default_metric", "find_metric", "metric_names", "wins_of"]

CATEGORIES = frozenset({"nominal", "ordinal"})
NUMBERS = frozenset({"ordinal", "interval"})
MEANS_ENOUGH = frozenset({"mae", "mse", "rmse", "spearman", "cosine", "emd_of_means", "wins:mae", "wins:mse"})
"""Metrics that read nothing of a number's answers but their mean per item."""
NEED_POSITIVE = frozenset({"precision", "recall", "f1", "auc"})

Better = Literal["high", "low"]


def find_metric(
    name: str, *, variant: Variant = "default", positive: int | None = None, better: Better | None = None
) -> Metric:
    """Return the metric of that name.

    Parameters
    ----------
    name
        A name of :func:`metric_names`, ``"wins"``, or ``"wins:METRIC"`` for any item metric.
    variant
        ``"paper"`` for the papers' habits: first-category ties, TV / M, 1e-12 on both sides of KL, plurality of runs.
    positive
        Index of the positive category, for precision, recall, F1 and AUC.
    better
        For ``mean_rating``: whether high (the default) or low ratings are good.

    Examples
    --------
    >>> find_metric("jensen_shannon").better, find_metric("wins:emd").title
    ('low', "wins by earth mover's distance")
    """
    base, _, contested = name.partition(":")
    if base == "wins":
        return (
            wins_of(find_metric(contested, variant=variant, positive=0, better=better)) if contested else _bare_wins()
        )
    if variant not in ("default", "paper"):
        raise InputError(f"unknown variant {variant!r}: use default or paper")
    catalogue = _catalogue(variant, positive, better or "high")
    if name not in catalogue:
        raise InputError(f"unknown metric {name!r}: use one of {', '.join(metric_names())}, or wins:METRIC")
    if name in NEED_POSITIVE and positive is None:
        raise InputError(f"{name} needs to know which answer is the positive one: name it with --positive LABEL")
    metric = catalogue[name]
    if better is not None and better != metric.better:
        raise InputError(f"{metric.better} is always better for {name}: --better is for mean_rating")
    return metric


def metric_names() -> list[str]:
    """Return every name :func:`find_metric` knows.

    Examples
    --------
    >>> metric_names()[:3]
    ['agreement', 'brier', 'crps']
    """
    return [*_catalogue("default", 0, "high"), "wins"]


def default_metric(scale_kind: str, *systems: Summary) -> str:
    """Return the name of the metric to use when none is asked for: unbiased at any number of raters and answers.

    Examples
    --------
    >>> import numpy as np
    >>> default_metric("nominal"), default_metric("nominal", Probabilities(np.ones((1, 1)))), default_metric("interval")
    ('agreement', 'brier', 'crps')
    """
    if scale_kind != "nominal":
        return "crps"
    return "brier" if any(isinstance(system, Probabilities) for system in systems) else "agreement"


def wins_of(metric: Metric) -> Metric:
    """Return the contest that counts items won minus items lost by an item metric, ties 0.

    Who wins an item depends on the number of answers even where the mean score does not, so systems with unequal
    numbers are always brought down to the smaller.

    Examples
    --------
    >>> wins_of(find_metric("kl")).name
    'wins:kl'
    """
    if metric.level == "set" or metric.score is _not_alone:
        raise InputError(f"wins needs a metric that scores single items, which {metric.name} does not: try wins:mae")
    comparable: Comparable = "any" if metric.rates_systems else "rarefy"
    return _wins(f"wins:{metric.name}", f"wins by {metric.title}", metric.scales, comparable, metric)


def _bare_wins() -> Metric:
    return _wins("wins", "wins", CATEGORIES | NUMBERS, "rarefy", None)


def _wins(name: str, title: str, scales: frozenset[str], comparable: Comparable, base: Metric | None) -> Metric:
    return Metric(name, title, "high", "item", False, scales, comparable, _not_alone, contest_of=base)


def _not_alone(raters: Summary, system: Summary) -> Array:
    raise InputError("wins compares two systems: it has no score for one of them")


def _catalogue(variant: Variant, positive: int | None, better: Better) -> dict[str, Metric]:
    index = -1 if positive is None else positive
    metrics = [*_linear(variant, better), *_panels(variant), *_set_scores(variant, index)]
    return {metric.name: metric for metric in metrics}


def _linear(variant: Variant, better: Better) -> list[Metric]:
    crps, cross = Crps(), CrossEntropyCredit(variant)
    agrees = "share of raters who gave the system's answer"
    loses = "mean over raters of half the squared distance between the system's forecast and the answer"
    misses = "mean distance between the system's answers and the raters'"

    def make(
        name: str,
        title: str,
        good: Better,
        scales: frozenset[str],
        score: Callable[..., Array],
        meaning: str,
        credit: Callable[[Summary], Array],
        answer_credit: Callable[[Summary, Array], Array] | None = None,
    ) -> Metric:
        return Metric(name, title, good, "item", True, scales, "any", score, meaning, credit, answer_credit)

    rating = make(
        "mean_rating",
        "mean rating",
        better,
        NUMBERS,
        mean_rating,
        "mean rating",
        mean_rating_credit,
        mean_rating_answer_credit,
    )
    return [
        make("agreement", "agreement", "high", CATEGORIES, Linear(agreement_credit), agrees, agreement_credit),
        make("brier", "Brier score", "low", CATEGORIES, Linear(brier_credit), loses, brier_credit),
        make("crps", "CRPS", "low", NUMBERS, crps, misses, crps.credit, crps.answer_credit),
        replace(rating, rates_systems=True),
        replace(
            make("cross_entropy", "cross-entropy", "low", CATEGORIES, Linear(cross), "", cross), comparable="rarefy"
        ),
    ]


def _panels(variant: Variant) -> list[Metric]:
    def make(
        name: str, title: str, score: Callable[..., Array], scales: frozenset[str], better: Better = "low"
    ) -> Metric:
        comparable: Comparable = "any" if name == "accuracy" and variant == "default" else "rarefy"
        return Metric(name, title, better, "item", False, scales, comparable, score)

    mean_over_categories = " (mean over categories)" if variant == "paper" else ""
    return [
        make("accuracy", "accuracy", Accuracy(variant), CATEGORIES, "high"),
        make("total_variation", f"total variation{mean_over_categories}", TotalVariation(variant), CATEGORIES),
        make("kl", "KL divergence", KullbackLeibler(variant), CATEGORIES),
        make("jensen_shannon", "Jensen-Shannon distance", jensen_shannon, CATEGORIES),
        make("mae", "mean absolute error", absolute_error, NUMBERS),
        make("mse", "mean squared error", squared_error, NUMBERS),
        make("emd", "earth mover's distance", earth_movers_distance, NUMBERS),
    ]


def _set_scores(variant: Variant, positive: int) -> list[Metric]:
    # Soft counts are linear in the system's answers; the plurality of runs is not.
    counted: Comparable = "any" if variant == "default" else "rarefy"
    predicted, true = ConfusionTerms("predicted", positive, variant), ConfusionTerms("true", positive, variant)
    both = ConfusionTerms("both", positive, variant)
    return [
        _smooth("rmse", "root mean squared error", "low", NUMBERS, "rarefy", rmse_terms, combine_rmse),
        _smooth("cosine", "cosine of item means", "high", NUMBERS, "rarefy", cosine_terms, combine_cosine),
        _smooth("precision", "precision", "high", CATEGORIES, counted, predicted, combine_ratio),
        _smooth("recall", "recall", "high", CATEGORIES, counted, true, combine_ratio),
        _smooth("f1", "F1", "high", CATEGORIES, counted, both, combine_f1),
        Metric("auc", "AUC", "high", "set", False, CATEGORIES, "equal", Auc(positive, variant)),
        Metric("spearman", "Spearman correlation", "high", "set", False, NUMBERS, "equal", spearman),
        Metric("emd_of_means", "EMD of item means", "low", "set", False, NUMBERS, "equal", emd_of_means),
    ]


def _smooth(
    name: str,
    title: str,
    better: Better,
    scales: frozenset[str],
    comparable: Comparable,
    terms: Callable[[Summary, Summary], Array],
    combine: Callable[[Array], Array],
) -> Metric:
    score = SetScore(terms, combine)
    return Metric(name, title, better, "set", False, scales, comparable, score, terms=terms, combine=combine)
