"""Plots as functions of results: each takes what a verb returned and gives a plotly figure."""

from quorate.report.auditing import audit, audit_coverage
from quorate.report.comparing import compare, compare_groups, compare_items, compare_ranks, compare_votes
from quorate.report.describing import describe, describe_habits, describe_raters, describe_shares
from quorate.report.estimating import estimate, estimate_curve, estimate_groups
from quorate.report.fitting import fit, fit_spread
from quorate.report.planning import plan, plan_people, plan_power, plan_sizes, sweep
from quorate.report.reproducing import reproduce

__all__ = [
    "audit",
    "audit_coverage",
    "compare",
    "compare_groups",
    "compare_items",
    "compare_ranks",
    "compare_votes",
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
