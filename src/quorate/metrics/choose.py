"""Which metric is meant: the one asked for, if it suits the answers, else the default of their scale."""

from collections.abc import Sequence

from quorate._errors import InputError
from quorate.data.scale import Kind
from quorate.metrics.metric import Better, Metric, Variant
from quorate.metrics.registry import find_metric

__all__ = ["choose_metric", "default_metric", "positive_index"]


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

    Examples
    --------
    >>> choose_metric(None, "nominal", probabilities=True).name, choose_metric("wins", "ordinal").name
    ('brier', 'wins:mae')
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
