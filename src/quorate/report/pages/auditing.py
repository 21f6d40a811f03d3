"""The page of an audit: does each test keep its promise?"""

from quorate.auditing.result import Audit
from quorate.report import plots
from quorate.report.assemble import assemble, draw
from quorate.report.page import Page, Plot, Section
from quorate.results.table import integer

__all__ = ["page"]

METHOD = (
    "Many studies of this size are drawn from the population and every test is tried on the same ones. Where the "
    "systems do not differ, a test may claim a difference in 1 − confidence of the studies; where they do, that "
    "share is its power.",
    "Whiskers and intervals are exact binomial ones [clopper1934] for the number of studies drawn. Coverage is "
    "how often a test's interval held the true difference; tests with another estimand are judged by their own.",
)


def page(result: Audit, command: str = "") -> Page:
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
        command=command,
    )


def _claims(result: Audit) -> Plot:
    rates = "; ".join(f"{row.test}, {row.unit}: {100 * row.rejection_rate:.1f} %" for row in result.rows)
    alt = f"Dots with intervals of how often tests claim a difference: {rates}."
    return draw(plots.audit(result), alt, result.tables()["tests"])


def _coverage(result: Audit) -> Plot:
    rows = [row for row in result.rows if row.coverage is not None]
    rates = "; ".join(f"{row.test}, {row.unit}: {100 * (row.coverage or 0.0):.1f} %" for row in rows)
    alt = f"Dots with intervals of how often intervals hold the truth: {rates}."
    return draw(plots.audit_coverage(result), alt, result.tables()["tests"])
