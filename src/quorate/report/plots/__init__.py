"""Plots as functions of results: each takes what a verb returned and gives a plotly figure."""

from quorate.report.plots.compare import compare, compare_groups, compare_ranks
from quorate.report.plots.plan import plan, plan_power, plan_sizes

__all__ = ["compare", "compare_groups", "compare_ranks", "plan", "plan_power", "plan_sizes"]
