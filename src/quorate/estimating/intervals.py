"""From labels of many draws to numbers with intervals: one row per system, metric and method."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

import numpy as np

from quorate._random import generator
from quorate._typing import Array
from quorate.estimating.imputation import label_chances
from quorate.estimating.label_metrics import METRICS, NEED_SCORES, auc
from quorate.estimating.methods.choose import Judged, Study
from quorate.estimating.methods.ppi import PPI_METRICS, powered_mean, proxy_of

__all__ = ["PPI", "Estimate", "Metric", "interval", "judge_all", "metric_name", "tabulate"]

Metric: TypeAlias = str | Callable[[Array, Array], float]
"""A metric's name, or a function of scores and labels, both ``(item,)``."""
PPI = ("ppi", "ppi+maven")


@dataclass(frozen=True)
class Estimate:
    """One number with its interval; ``system`` is None for votes and experts alone, "A - B" for a difference."""

    system: str | None
    metric: str
    method: str
    value: float | None
    low: float | None
    high: float | None

    @property
    def width(self) -> float | None:
        """Full width of the interval."""
        return None if self.low is None or self.high is None else self.high - self.low


Judgements: TypeAlias = Mapping[tuple[str, str | None], Judged]


def judge_all(study: Study, methods: Sequence[str]) -> dict[tuple[str, str | None], Judged]:
    """Let every method that gives labels judge every system."""
    return {(name, system): study.judge(name, system) for name in methods if name not in PPI for system in study.names}


def tabulate(
    study: Study, judged: Judgements, methods: Sequence[str], metrics: Sequence[Metric], confidence: float
) -> tuple[Estimate, ...]:
    """Work out every metric of every system by every method, methods in the order given."""
    rows: list[Estimate | None] = []
    for metric in metrics:
        for method in methods:
            if metric == "delta_auc":
                rows += [] if method in PPI else _differences(study, judged, method, confidence)
            else:
                rows += [_row(study, judged, method, system, metric, confidence) for system in study.names]
    return tuple(row for row in rows if row is not None)


def metric_name(metric: Metric) -> str:
    """Name a metric, or a function by its own name."""
    return metric if isinstance(metric, str) else getattr(metric, "__name__", "custom")


def summarise(values: Array, plain: float | None, confidence: float) -> tuple[float | None, float | None, float | None]:
    """Point estimate and equal-tailed interval of draws; nothing if more than one draw in a hundred is undefined.

    Examples
    --------
    >>> summarise(np.array([0.0, 0.5, 1.0]), None, 0.5)
    (0.5, 0.0, 1.0)
    """
    defined = values[~np.isnan(values)]
    if len(defined) < 0.99 * len(values) or (plain is not None and np.isnan(plain)):
        return None, None, None
    low, high = interval(defined, confidence)
    return float(defined.mean()) if plain is None else plain, round(float(low), 12), round(float(high), 12)


def interval(values: Array, confidence: float) -> Array:
    """Equal-tailed interval of draws ``(draw, ...)``, as ``(2, ...)``: a new draw falls inside with that chance.

    The j-th of B sorted draws leaves j / (B + 1) below it; interpolating as usual would leave a little more.

    Examples
    --------
    >>> interval(np.arange(1, 40), 0.95).round(9).tolist()
    [1.0, 39.0]
    """
    ends: Array = np.nanquantile(values, [0.5 - confidence / 2, 0.5 + confidence / 2], axis=0, method="weibull")
    return ends


def _row(
    study: Study, judged: Judgements, method: str, system: str | None, metric: Metric, confidence: float
) -> Estimate | None:
    """One estimate, or None where the method does not give this metric."""
    name = metric_name(metric)
    if method in PPI:
        return _powered(study, method, system, name, confidence) if name in PPI_METRICS else None
    each = judged[method, system]
    if isinstance(metric, str):
        plain = None if each.plain is None else float(METRICS[metric](each.plain)[0])
        return Estimate(system, name, method, *summarise(METRICS[metric](each.draws), plain, confidence))
    if method not in ("maven", "gt"):
        return None
    values, plain = _custom(study, method, system, metric)
    return Estimate(system, name, method, *summarise(values, plain, confidence))


def _differences(study: Study, judged: Judgements, method: str, confidence: float) -> list[Estimate]:
    """AUC of one system less another's, draw by draw [maven, sec. 4.1]."""
    rows = []
    for a, b in combinations(study.names, 2):
        first, second = judged[method, a], judged[method, b]
        draws = auc(first.draws) - auc(second.draws)
        plain = None
        if first.plain is not None and second.plain is not None:
            plain = float(auc(first.plain)[0] - auc(second.plain)[0])
        rows.append(Estimate(f"{a} - {b}", "delta_auc", method, *summarise(draws, plain, confidence)))
    return rows


def _custom(
    study: Study, method: str, system: str | None, metric: Callable[[Array, Array], float]
) -> tuple[Array, float | None]:
    """A user's function on every draw's labels, item by item, and on the plain labels if there are any."""
    evidence = study.evidence
    scores = np.zeros(evidence.n_items) if system is None else evidence.scores[system]
    rng = generator(study.seed, "estimate", "custom", method)
    if method == "gt":
        score, label = scores[evidence.known], evidence.label[evidence.known]
        picks = rng.integers(len(label), size=(study.n_draws, len(label)))
        return np.array([metric(score[pick], label[pick]) for pick in picks]), float(metric(score, label))
    fit = study.fit(system)
    values = []
    for batch in label_chances(study.votes.law, fit.draws, study.votes.sets, fit.blocks, rng=rng):
        for chance in batch:
            labels = rng.random(evidence.n_items) < chance[fit.blocks.item_cell]
            values.append(float(metric(scores, labels.astype(np.int64))))
    return np.array(values), None


def _powered(study: Study, method: str, system: str | None, metric: str, confidence: float) -> Estimate:
    """Prediction-powered mean, with the scores or with MAVEN's probabilities as proxy."""
    evidence = study.evidence
    scores = study.scores(system)
    flagged = None if scores is None else scores >= study.threshold
    if method == "ppi+maven" or scores is None:
        chance = study.chances(system)
    else:
        chance = scores if scores.min() >= 0 and scores.max() <= 1 else 1 / (1 + np.exp(-scores))
    proxy = proxy_of(metric, chance, flagged)
    gold = proxy_of(metric, evidence.label.astype(float), flagged)
    known = evidence.known
    mean = powered_mean(gold[known], proxy[known], proxy[~known], confidence=confidence)
    return Estimate(system, metric, method, mean.value, mean.low, mean.high)


def needs_scores(metric: Metric) -> bool:
    """Tell whether a metric makes no sense without scores."""
    return not isinstance(metric, str) or metric in NEED_SCORES
