"""Plots of an audit: how often each test claims a difference, and how often its interval holds the truth."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from quorate._text import percent
from quorate.report.plots.dots import Span, dots, names_axis, tall
from quorate.report.plots.style import BLUE, GREEN, GREY, figure, label

if TYPE_CHECKING:
    from quorate.auditing.result import Audit
    from quorate.auditing.trials import AuditRow

__all__ = ["audit", "audit_coverage"]


def audit(result: "Audit") -> Any:
    """Draw how often each test claims a difference, with its Monte-Carlo interval and the promised level.

    Examples
    --------
    >>> from quorate import audit as verb
    >>> result = verb("dices", items=30, raters=3, metric="agreement", null="sharp", replicates=100)
    >>> audit(result).layout.annotations[0].text
    'studies that claim a difference (%), whiskers 99.9 %<br>100 studies of 30 items × 3 raters'
    """
    level = 100 * (1 - result.confidence)
    spans = [_in_percent(row.rejection_rate, row.low, row.high) for row in result.rows]
    words = [f"{label(row.test)}, {row.unit}: {percent(row.rejection_rate)}" for row in result.rows]
    claim = "Claims where there is no difference" if result.no_difference else "Power: differences that are seen"
    size = f"{result.replicates:,} studies of {result.n_items:,} items × {result.n_raters:,} raters"
    return figure(
        [dots(spans, list(range(len(spans))), words, "claims", BLUE, "circle")],
        claim,
        x={"title": f"studies that claim a difference (%), {_whiskers(result)}<br>{size}", "rangemode": "tozero"},
        y=names_axis(_names(result.rows)),
        height=tall(len(spans)),
        shapes=[_promise(level)] if result.no_difference else [],
    )


def audit_coverage(result: "Audit") -> Any:
    """Draw how often each test's interval held the true difference, with its Monte-Carlo interval and the promise.

    Examples
    --------
    >>> from quorate import audit as verb
    >>> result = verb("dices", items=30, raters=3, metric="agreement", null="sharp", replicates=100)
    >>> audit_coverage(result).layout.xaxis.range[1]
    100.5
    """
    rows = [row for row in result.rows if row.coverage is not None]
    level = 100 * result.confidence
    spans = [_in_percent(row.coverage, row.coverage_low, row.coverage_high) for row in rows]
    words = [f"{label(row.test)}, {row.unit}: {percent(row.coverage or 0.0)}" for row in rows]
    least = min([level, *(100 * (row.coverage_low or 0.0) for row in rows)])
    return figure(
        [dots(spans, list(range(len(rows))), words, "coverage", GREEN, "diamond")],
        "Intervals that hold the true difference",
        x={"title": f"coverage (%), {_whiskers(result)}", "range": [max(0, least - 2), 100.5]},
        y=names_axis(_names(rows)),
        height=tall(len(rows)),
        shapes=[_promise(level)],
    )


def _whiskers(result: "Audit") -> str:
    return f"whiskers {100 * result.mc_confidence:g} %"


def _in_percent(*span: float | None) -> Span:
    rate, low, high = (None if end is None else 100 * end for end in span)
    return rate, low, high


def _names(rows: Sequence["AuditRow"]) -> list[str]:
    """Name the tests, with what they count as drawn where that differs."""
    several = len({row.unit for row in rows}) > 1
    return [f"{row.test}, {row.unit}" if several else row.test for row in rows]


def _promise(x: float) -> dict[str, Any]:
    look = {"color": GREY, "dash": "dash"}
    return {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper", "line": look}
