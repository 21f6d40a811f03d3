"""The page of an audit: does each test keep its promise?"""

from quorate._text import number
from quorate.auditing.verb import Audit
from quorate.report import plots
from quorate.report.assemble import Column, assemble, draw, integer, interval, rows_table
from quorate.report.page import Page, Plot, Section, Table

__all__ = ["page"]

METHOD = (
    "Many studies of this size are drawn from the population and every test is tried on the same ones. Where the "
    "systems do not differ, a test may claim a difference in 1 − confidence of the studies; where they do, that "
    "share is its power.",
    "Whiskers and intervals are exact binomial ones [clopper1934] for the number of studies drawn. Coverage is "
    "how often a test's interval held the true difference; tests with another estimand are judged by their own.",
)


def page(result: Audit, command: str = "") -> Page:
    """Return the page of an audit.

    Examples
    --------
    >>> from quorate import audit
    >>> found = audit("dices", items=30, raters=3, metric="agreement", null="sharp", replicates=100)
    >>> page(found).facts[0]
    ('studies', '100')
    """
    s = result.settings
    covered = any(row.coverage is not None for row in result.rows)
    drawn = [_claims(result), *([_coverage(result)] if covered else [])]
    return assemble(
        result,
        facts=[
            ("studies", integer(s["replicates"])),
            ("items", integer(s["items"])),
            ("raters per item", integer(s["raters"])),
            ("claims" if result.no_difference else "power", f"{100 * result.rows[0].rejection_rate:.1f} %"),
        ],
        sections=[
            Section("Does it keep its promise?", plots=drawn),
            Section("Tests side by side", tables=[_table(result)]),
        ],
        method=METHOD,
        command=command,
    )


def _table(result: Audit) -> Table:
    exact = f"{100 * result.settings['mc_confidence']:g} % interval"
    columns: dict[str, Column] = {
        "test": ("test", str),
        "unit": ("counts as drawn", str),
        "rejection_rate": ("claims" if result.no_difference else "power", number),
        "interval": (exact, str),
        "coverage": ("coverage", number),
        "covered": (exact, str),
        "ci_width": ("width", number),
        "mean_p": ("mean p", number),
    }
    rows = [
        {
            **row,
            "interval": interval(row["low"], row["high"]),
            "covered": interval(row["coverage_low"], row["coverage_high"]),
        }
        for row in result.content()["rows"]
    ]
    return rows_table(f"Every test tried on the same {result.settings['replicates']:,} studies", rows, columns)


def _claims(result: Audit) -> Plot:
    told = "; ".join(f"{row.test}, {row.unit}: {100 * row.rejection_rate:.1f} %" for row in result.rows)
    return draw(
        plots.audit(result), f"Dots with intervals of how often tests claim a difference: {told}.", _table(result)
    )


def _coverage(result: Audit) -> Plot:
    told = "; ".join(
        f"{row.test}, {row.unit}: {100 * row.coverage:.1f} %" for row in result.rows if row.coverage is not None
    )
    return draw(
        plots.audit_coverage(result),
        f"Dots with intervals of how often intervals hold the truth: {told}.",
        _table(result),
    )
