"""The one registry of metrics: names to metrics, and which of them suits the answers where none is asked for."""

from collections.abc import Iterator, Sequence

from quorate._errors import InputError
from quorate._typing import Array
from quorate.data.scale import Kind
from quorate.data.summaries import Summary
from quorate.metrics.item_scores import item_metrics
from quorate.metrics.metric import Better, Metric, Variant
from quorate.metrics.set_scores import set_metrics


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
        ``"paper"`` for the papers' habits: first-category ties, TV / M, 1e-12 on both sides of KL,
        plurality of runs.
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
    metric = next((metric for metric in catalogue if metric.name == name), None)
    if metric is None:
        raise InputError(f"unknown metric {name!r}: use one of {', '.join(metric_names())}, or wins:METRIC")
    if metric.needs_positive and positive is None:
        raise InputError(f"{name} needs to know which answer is the positive one: name it with --positive LABEL")
    if better is not None and better != metric.better:
        raise InputError(f"{metric.better} is always better for {name}: --better is for mean_rating")
    return metric


def metric_names() -> list[str]:
    """Return every name :func:`find_metric` knows."""
    return [*(metric.name for metric in _catalogue("default", 0, "high")), "wins"]


def wins_of(metric: Metric) -> Metric:
    """Return the contest that counts items won minus items lost by an item metric, ties 0.

    Who wins an item depends on the number of answers even where the mean score does not, so systems
    with unequal numbers are always brought down to the smaller.
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


def _catalogue(variant: Variant, positive: int, better: Better) -> Iterator[Metric]:
    yield from item_metrics(variant, better)
    yield from set_metrics(variant, positive)


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

    ``probabilities`` says that a system answers with them, ``rated`` that the systems' own outputs
    were rated.
    """
    if positive is not None and positive not in labels:
        raise InputError(f"--positive {positive} is not a category; there are {', '.join(labels[:12])}.")
    usual = default_metric(kind, probabilities=probabilities, rated=rated)
    metric = find_metric(
        asked or usual,
        variant=variant,
        positive=None if positive is None else list(labels).index(positive),
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
