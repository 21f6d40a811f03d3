"""Prediction-powered inference: the mean of a proxy over all items, corrected where experts show how far it is off.

mean = lambda mean(f(all)) + mean(y - lambda f | experts), with the lambda of least variance, PPI++ [angelopoulos2024];
AutoEval is the same with a model's own scores as proxy [boyeau2025]. For metrics that are means over items.
"""

from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array

__all__ = ["PPI_METRICS", "Mean", "powered_mean", "proxy_of"]

PPI_METRICS = ("accuracy", "prevalence")


class Mean(NamedTuple):
    """A mean with its interval and the weight the proxy got."""

    value: float
    low: float
    high: float
    power: float


def powered_mean(gold: Array, proxy: Array, proxy_rest: Array, *, confidence: float = 0.95) -> Mean:
    """Estimate a mean from some gold values and a proxy for all.

    Parameters
    ----------
    gold, proxy
        What experts found and what the proxy says on their items, ``(expert item,)``.
    proxy_rest
        What the proxy says on the other items, ``(item,)``.

    Examples
    --------
    >>> gold = np.array([1.0, 0.0, 1.0, 1.0])
    >>> estimate = powered_mean(gold, gold, np.full(1000, 0.6))          # a perfect proxy: only its own mean counts
    >>> round(estimate.value, 2), round(estimate.power, 2)
    (0.6, 1.0)
    """
    n, rest = len(gold), len(proxy_rest)
    if n < 2 or rest < 2:
        raise InputError("ppi needs at least two expert labels and two items without one.")
    together = np.concatenate([proxy, proxy_rest]).var(ddof=1)
    covariance = ((gold - gold.mean()) * (proxy - proxy.mean())).mean()
    power = float(np.clip(covariance / ((1 + n / rest) * together), 0, 1)) if together > 0 else 0.0
    value = float(power * proxy_rest.mean() + (gold - power * proxy).mean())
    error = np.sqrt((power * proxy_rest).var() / rest + (gold - power * proxy).var() / n)
    reach = NormalDist().inv_cdf(0.5 + confidence / 2) * float(error)
    return Mean(value, value - reach, value + reach, power)


def proxy_of(metric: str, chance: Array, flagged: Array | None) -> Array:
    """What a metric that is a mean would be on each item, if the label were positive with this chance, ``(item,)``.

    Examples
    --------
    >>> proxy_of("accuracy", np.array([0.9, 0.9]), np.array([True, False])).round(1).tolist()
    [0.9, 0.1]
    """
    if metric not in PPI_METRICS:
        raise InputError(f"ppi works for metrics that are means over items ({', '.join(PPI_METRICS)}), not {metric}.")
    if metric == "prevalence" or flagged is None:
        return chance
    return np.where(flagged, chance, 1 - chance)
