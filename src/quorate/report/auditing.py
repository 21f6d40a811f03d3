"""An audit's page and plots: does each test keep its promise?"""

from collections.abc import Sequence

from quorate._text import percent
from quorate.auditing.result import Audit
from quorate.auditing.trials import AuditRow
from quorate.report.page import Page, Plot, Section, assemble, draw
from quorate.report.style import BLUE, GREEN, Chart, Span, dots, figure, label, names_axis, tall, upright
from quorate.results.table import integer

METHOD = (
    "Many studies of this size are drawn from the population and every test is tried on the same "
    "ones. Where the systems do not differ, a test may claim a difference in 1 − confidence of "
    "the studies; where they do, that share is its power.",
    "Whiskers and intervals are exact binomial ones [clopper1934] for the number of studies "
    "drawn. Coverage is how often a test's interval held the true difference; tests with another "
    "estimand are judged by their own.",
)


def audit_page(result: Audit) -> Page:
    """Return the page of an audit."""
    covered = any(row.coverage is not None for row in result.rows)
    return assemble(
        result,
        facts=[
            ("studies", integer(result.replicates)),
            ("items", integer(result.n_items)),
            ("raters per item", integer(result.n_raters)),
            ("claims" if result.no_difference else "power", f"{100 * result.rows[0].rejection_rate:.1f} %"),
        ],
        sections=[
            Section("Does it keep its promise?", plots=[_claims(result), *([_coverage(result)] if covered else [])]),
            Section("Tests side by side", tables=[result.tables()["tests"]]),
        ],
        method=METHOD,
    )


def _claims(result: Audit) -> Plot:
    rates = "; ".join(f"{row.test}, {row.unit}: {100 * row.rejection_rate:.1f} %" for row in result.rows)
    alt = f"Dots with intervals of how often tests claim a difference: {rates}."
    return draw(audit(result), alt, result.tables()["tests"])


def _coverage(result: Audit) -> Plot:
    rows = [row for row in result.rows if row.coverage is not None]
    rates = "; ".join(f"{row.test}, {row.unit}: {100 * (row.coverage or 0.0):.1f} %" for row in rows)
    alt = f"Dots with intervals of how often intervals hold the truth: {rates}."
    return draw(audit_coverage(result), alt, result.tables()["tests"])


def audit(result: Audit) -> Chart:
    """Draw how often each test claims a difference, beside the promised level."""
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
        shapes=[upright(level, dash="dash")] if result.no_difference else [],
    )


def audit_coverage(result: Audit) -> Chart:
    """Draw how often each test's interval held the true difference, beside the promise."""
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
        shapes=[upright(level, dash="dash")],
    )


def _whiskers(result: Audit) -> str:
    return f"whiskers {100 * result.mc_confidence:g} %"


def _in_percent(*span: float | None) -> Span:
    rate, low, high = (None if end is None else 100 * end for end in span)
    return rate, low, high


def _names(rows: Sequence[AuditRow]) -> list[str]:
    """Name the tests, with what they count as drawn where that differs."""
    several = len({row.unit for row in rows}) > 1
    return [f"{row.test}, {row.unit}" if several else row.test for row in rows]
