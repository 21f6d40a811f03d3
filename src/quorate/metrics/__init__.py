"""How close a system is to the raters."""

from quorate.metrics.contests import contest, item_terms, scores
from quorate.metrics.metric import Metric, settle
from quorate.metrics.registry import choose_metric, default_metric, find_metric, metric_names

__all__ = [
    "Metric",
    "choose_metric",
    "contest",
    "default_metric",
    "find_metric",
    "item_terms",
    "metric_names",
    "scores",
    "settle",
]
