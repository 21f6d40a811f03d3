"""Plots as functions of results: each takes what a verb returned and gives a plotly figure."""

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec

from quorate.report import auditing, comparing, describing, estimating, fitting, planning, reproducing
from quorate.report.style import Chart

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

Given = ParamSpec("Given")


def _plot(draw: Callable[Given, Chart | None]) -> Callable[Given, Any]:
    """Let a drawing on a page be asked for as a figure; pages, which are many, need no plotly."""

    @wraps(draw)
    def plot(*given: Given.args, **named: Given.kwargs) -> Any:
        import plotly.graph_objects as go

        drawn = draw(*given, **named)
        return None if drawn is None else go.Figure(drawn)

    return plot


audit, audit_coverage = _plot(auditing.audit), _plot(auditing.audit_coverage)
compare, compare_items = _plot(comparing.compare), _plot(comparing.compare_items)
compare_groups, compare_ranks = _plot(comparing.compare_groups), _plot(comparing.compare_ranks)
compare_votes = _plot(comparing.compare_votes)
describe, describe_shares = _plot(describing.describe), _plot(describing.describe_shares)
describe_habits, describe_raters = _plot(describing.describe_habits), _plot(describing.describe_raters)
estimate, estimate_groups = _plot(estimating.estimate), _plot(estimating.estimate_groups)
estimate_curve = _plot(estimating.estimate_curve)
fit, fit_spread = _plot(fitting.fit), _plot(fitting.fit_spread)
plan, plan_people = _plot(planning.plan), _plot(planning.plan_people)
plan_power, plan_sizes = _plot(planning.plan_power), _plot(planning.plan_sizes)
reproduce, sweep = _plot(reproducing.reproduce), _plot(planning.sweep)
