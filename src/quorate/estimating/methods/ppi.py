"""Prediction-powered inference: the mean of a proxy over all items, corrected where experts show how far it is off.

mean = lambda mean(f(all)) + mean(y - lambda f | experts), with the lambda of least variance, PPI++ [angelopoulos2024];
AutoEval is the same with a model's own scores as proxy [boyeau2025]. For metrics that are means over items.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array
from quorate.estimating.label_metrics import LabelMetric
from quorate.estimating.methods.maven import expertless_chances
from quorate.estimating.methods.method import Estimate, Judgement
from quorate.estimating.study import Study

__all__ = ["PoweredMean", "PredictionPowered", "powered_mean"]


class PoweredMean(NamedTuple):
    """A mean with its interval and the weight the proxy got."""

    value: float
    low: float
    high: float
    power: float


@dataclass(frozen=True)
class PredictionPowered:
    """Means with a proxy for the labels: the scores, or (``from_maven``) MAVEN's chances."""

    name: str
    from_maven: bool = False
    models_votes: bool = False

    def judge(self, study: Study, system: str | None) -> None:
        """There are no labels."""

    def estimates(
        self, study: Study, metric: LabelMetric, judgements: dict[str | None, Judgement], confidence: float
    ) -> Iterator[Estimate]:
        """A metric that is a mean over items, of every system."""
        for system in study.systems if metric.item_value is not None else ():
            mean = self._mean(study, metric, system, confidence)
            yield Estimate(system, metric.name, self.name, mean.value, mean.low, mean.high)

    def _mean(self, study: Study, metric: LabelMetric, system: str | None, confidence: float) -> PoweredMean:
        assert metric.item_value is not None
        label, expert = study.evidence.label.astype(float), study.evidence.has_label
        called = study.levels(system) >= study.threshold
        proxy = metric.item_value(self._chances(study, system), called)
        gold = metric.item_value(label, called)[expert]
        return powered_mean(gold, proxy[expert], proxy[~expert], confidence=confidence)

    def _chances(self, study: Study, system: str | None) -> Array:
        scores = study.scores(system)
        if self.from_maven or scores is None:
            return expertless_chances(study, system)
        return scores if scores.min() >= 0 and scores.max() <= 1 else 1 / (1 + np.exp(-scores))


def powered_mean(gold: Array, proxy: Array, proxy_rest: Array, *, confidence: float = 0.95) -> PoweredMean:
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
    return PoweredMean(value, value - reach, value + reach, power)
