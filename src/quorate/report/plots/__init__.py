"""Plots as functions of results: each takes what a verb returned and gives a plotly figure."""

from quorate.report.plots.auditing import audit, audit_coverage
from quorate.report.plots.comparing import compare, compare_groups, compare_items, compare_ranks
from quorate.report.plots.describing import describe, describe_habits, describe_raters, describe_shares
from quorate.report.plots.estimating import estimate, estimate_curve, estimate_groups
from quorate.report.plots.fitting import fit, fit_spread
from quorate.report.plots.planning import plan, plan_people, plan_power, plan_sizes
from quorate.report.plots.reproducing import reproduce
from quorate.report.plots.sweep import sweep

__all__ = [
    "audit",
    "audit_coverage",
    "compare",
    "compare_groups",
    "compare_items",
    "compare_ranks",
    "describe",
    "describe_habits",
    "describe_raters",
    "describe_shares",
    "estimate",
    "estimate_curve",
    "estimate_groups",
    "fit",
    "fit_spread",
    "plan",
    "plan_people",
    "plan_power",
    "plan_sizes",
    "reproduce",
    "sweep",
]
