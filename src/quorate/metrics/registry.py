"""The one registry of metrics: names to metrics, and which of them suits the answers where none is asked for."""

from collections.abc import Sequence
from dataclasses import replace

from quorate._errors import InputError
from quorate._typing import Array
from quorate.data.scale import Kind
from quorate.data.summaries import Summary
from quorate.metrics.item_scores import (
    Accuracy,
    CrossEntropyCredit,
    Crps,
    KullbackLeibler,
    Linear,
    TotalVariation,
    absolute_error,
    agreement_credit,
    brier_credit,
    brier_excess,
    earth_movers_distance,
    expected_agreement,
    expected_brier,
    expected_crps,
    jensen_shannon,
    mean_rating,
    mean_rating_answer_credit,
    mean_rating_credit,
    squared_error,
)
from quorate.metrics.metric import Better, Comparable, Metric, Variant
from quorate.metrics.set_scores import (
    Auc,
    ConfusionTerms,
    SetScore,
    combine_cosine,
    combine_f1,
    combine_ratio,
    combine_rmse,
    cosine_terms,
    emd_of_means,
    rmse_terms,
    spearman,
)

__all__ = ["choose_metric", "default_metric", "find_metric", "metric_names", "positive_index", "wins_of"]

CATEGORIES = frozenset({"nominal", "ordinal"})
NUMBERS = frozenset({"ordinal", "interval"})


def find_metric(
    name: str,
    *,
    variant: Variant = "default",
    positive: int | None = None,
    better: Better | None = None,
    numbers: bool = False,
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
    numbers
        Whether answers are numbers: plain ``wins`` are by MAE then, else by total variation.
    """
    base, _, contested = name.partition(":")
    if base == "wins":
        contested = contested or ("mae" if numbers else "total_variation")
        return wins_of(find_metric(contested, variant=variant, positive=0, better=better))
    if variant not in ("default", "paper"):
        raise InputError(f"unknown variant {variant!r}: use default or paper")
    catalogue = _catalogue(variant, -1 if positive is None else positive, better or "high")
    if name not in catalogue:
        raise InputError(f"unknown metric {name!r}: use one of {', '.join(metric_names())}, or wins:METRIC")
    metric = catalogue[name]
    if metric.needs_positive and positive is None:
        raise InputError(f"{name} needs to know which answer is the positive one: name it with --positive LABEL")
    if better is not None and better != metric.better:
        raise InputError(f"{metric.better} is always better for {name}: --better is for mean_rating")
    return metric


def metric_names() -> list[str]:
    """Return every name :func:`find_metric` knows."""
    return [*_catalogue("default", 0, "high"), "wins"]


def wins_of(metric: Metric) -> Metric:
    """Return the contest that counts items won minus items lost by an item metric, ties 0.

    Who wins an item depends on the number of answers even where the mean score does not, so systems with unequal
    numbers are always brought down to the smaller.
    """
    if metric.level == "set" or metric.contest_of is not None:
        raise InputError(f"wins needs a metric that scores single items, which {metric.name} does not: try wins:mae")
    return Metric(
        f"wins:{metric.name}",
        f"wins by {metric.title}",
        "high",
        metric.scales,
        _not_alone,
        comparable="any" if metric.rates_systems else "rarefy",
        contest_of=metric,
        reads_means=metric.reads_means,
    )


def _not_alone(raters: Summary, system: Summary) -> Array:
    raise InputError("wins compares two systems: it has no score for one of them")


def _catalogue(variant: Variant, positive: int, better: Better) -> dict[str, Metric]:
    metrics = [*_linear(variant, better), *_panels(variant), *_set_scores(variant, positive)]
    return {metric.name: metric for metric in metrics}


def _linear(variant: Variant, better: Better) -> list[Metric]:
    cross_entropy = CrossEntropyCredit(variant)
    agreement = Metric(
        "agreement",
        "agreement",
        "high",
        CATEGORIES,
        Linear(agreement_credit),
        comparable="any",
        meaning="share of raters who gave the system's answer",
        credit=agreement_credit,
        expected_score=expected_agreement,
        answers_averaged=True,
        compares_labels=True,
    )
    brier = Metric(
        "brier",
        "Brier score",
        "low",
        CATEGORIES,
        Linear(brier_credit),
        comparable="any",
        meaning="mean over raters of half the squared distance between the system's forecast and the answer",
        credit=brier_credit,
        expected_score=expected_brier,
        answers_averaged=True,
        excess=brier_excess,
    )
    crps = Metric(
        "crps",
        "CRPS",
        "low",
        NUMBERS,
        Crps(),
        comparable="any",
        meaning="mean distance between the system's answers and the raters'",
        credit=Crps().credit,
        answer_credit=Crps().answer_credit,
        expected_score=expected_crps,
    )
    rating = Metric(
        "mean_rating",
        "mean rating",
        better,
        NUMBERS,
        mean_rating,
        comparable="any",
        meaning="mean rating",
        credit=mean_rating_credit,
        answer_credit=mean_rating_answer_credit,
        rates_systems=True,
    )
    entropy = Metric("cross_entropy", "cross-entropy", "low", CATEGORIES, Linear(cross_entropy), credit=cross_entropy)
    return [agreement, brier, crps, rating, replace(entropy, lifts_zeros=True)]


def _panels(variant: Variant) -> list[Metric]:
    mean_over_categories = " (mean over categories)" if variant == "paper" else ""
    distance = TotalVariation(variant)
    averaged = variant == "default"  # the paper lets a system's runs vote
    return [
        Metric(
            "accuracy",
            "accuracy",
            "high",
            CATEGORIES,
            Accuracy(variant),
            comparable="any" if averaged else "rarefy",
            answers_averaged=averaged,
            compares_labels=True,
        ),
        Metric("total_variation", f"total variation{mean_over_categories}", "low", CATEGORIES, distance),
        Metric("kl", "KL divergence", "low", CATEGORIES, KullbackLeibler(variant), long_tailed=True, lifts_zeros=True),
        Metric("jensen_shannon", "Jensen-Shannon distance", "low", CATEGORIES, jensen_shannon),
        Metric("mae", "mean absolute error", "low", NUMBERS, absolute_error, reads_means=True),
        Metric("mse", "mean squared error", "low", NUMBERS, squared_error, reads_means=True),
        Metric("emd", "earth mover's distance", "low", NUMBERS, earth_movers_distance),
    ]


def _set_scores(variant: Variant, positive: int) -> list[Metric]:
    def means(name: str, title: str, better: Better, score: SetScore) -> Metric:
        smooth = Metric(name, title, better, NUMBERS, score, level="set", terms=score.terms, combine=score.combine)
        return replace(smooth, reads_means=True)

    def labels(name: str, title: str, score: SetScore) -> Metric:
        # Soft counts are linear in the system's answers; the plurality of runs is not.
        counted: Comparable = "any" if variant == "default" else "rarefy"
        smooth = Metric(name, title, "high", CATEGORIES, score, level="set", terms=score.terms, combine=score.combine)
        return replace(smooth, comparable=counted, compares_labels=True, needs_positive=True)

    def ranks(metric: Metric) -> Metric:
        return replace(metric, level="set", comparable="equal")

    predicted, true = ConfusionTerms("predicted", positive, variant), ConfusionTerms("true", positive, variant)
    both = ConfusionTerms("both", positive, variant)
    return [
        means("rmse", "root mean squared error", "low", SetScore(rmse_terms, combine_rmse)),
        means("cosine", "cosine of item means", "high", SetScore(cosine_terms, combine_cosine)),
        labels("precision", "precision", SetScore(predicted, combine_ratio)),
        labels("recall", "recall", SetScore(true, combine_ratio)),
        labels("f1", "F1", SetScore(both, combine_f1)),
        ranks(Metric("auc", "AUC", "high", CATEGORIES, Auc(positive, variant), needs_positive=True)),
        ranks(
            Metric("spearman", "Spearman correlation", "high", NUMBERS, spearman, reads_means=True, reads_ranks=True)
        ),
        ranks(Metric("emd_of_means", "EMD of item means", "low", NUMBERS, emd_of_means, reads_means=True)),
    ]


def choose_metric(
    asked: str | None,
    kind: Kind,
    *,
    labels: Sequence[str] = (),
    positive: str | None = None,
    variant: Variant = "default",
    better: Better = "high",
    probabilities: bool = False,
    rated: bool = False,
) -> Metric:
    """Return the metric asked for, or the default, and refuse one that makes no sense for the answers.

    Parameters
    ----------
    asked
        Its name; None for the default.
    kind
        The kind of scale.
    labels, positive
        The categories, and which of them is the positive one, for metrics that need one.
    variant, better
        The papers' habits; whether high or low ratings are good.
    probabilities
        A system answers with probabilities.
    rated
        The systems' own outputs were rated.
    """
    usual = default_metric(kind, probabilities=probabilities, rated=rated)
    metric = find_metric(
        asked or usual,
        variant=variant,
        positive=positive_index(labels, positive),
        better="low" if better == "low" else None,
        numbers=kind != "nominal",
    )
    _check_fit(metric, kind, usual, rated)
    return metric


def default_metric(kind: str, *, probabilities: bool = False, rated: bool = False) -> str:
    """Return the name of the metric to use when none is asked for: unbiased at any number of raters and answers."""
    if rated:
        return "mean_rating"
    if kind != "nominal":
        return "crps"
    return "brier" if probabilities else "agreement"


def positive_index(labels: Sequence[str], positive: str | None) -> int | None:
    """Return the place of the positive category, None if none is named."""
    if positive is not None and positive not in labels:
        raise InputError(f"--positive {positive} is not a category; there are {', '.join(labels[:12])}.")
    return None if positive is None else list(labels).index(positive)


def _check_fit(metric: Metric, kind: Kind, usual: str, rated: bool) -> None:
    if metric.base.rates_systems != rated:
        raise InputError(
            "--rated-system compares the systems' own ratings: use mean_rating or wins:mean_rating."
            if rated
            else f"{metric.name} is for ratings of the systems' outputs, with --rated-system COLUMN; use {usual}."
        )
    if kind not in metric.scales:
        instead = "" if rated else f"use {usual}, or "
        article = "a" if kind == "nominal" else "an"
        raise InputError(
            f"{metric.name} makes no sense on {article} {kind} scale; {instead}declare the scale with --scale."
        )
