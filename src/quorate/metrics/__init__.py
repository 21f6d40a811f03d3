"""How close a system is to the raters, and how close the raters are to each other."""

from quorate.metrics.contests import contest, item_terms, scores, settle
from quorate.metrics.metric import Metric
from quorate.metrics.registry import default_metric, find_metric, metric_names

__all__ = ["Metric", "contest", "default_metric", "find_metric", "item_terms", "metric_names", "scores", "settle"]
