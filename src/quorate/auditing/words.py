"""How an audit reads: whether the first test keeps its promise, and the tests side by side."""

from dataclasses import asdict
from typing import TYPE_CHECKING

from quorate._text import Sentence, number
from quorate.results.table import Column, Table, interval, table_of

if TYPE_CHECKING:
    from quorate.auditing.result import Audit


def audit_sentence(result: "Audit") -> Sentence:
    """Say whether the first test keeps its promise, or how often it sees the difference."""
    row = result.rows[0]
    test = f"{row.test} test" + ("" if row.unit == "items" else f" (unit {row.unit})")
    people = f" of {result.pool}" if result.pool else ""
    setting = f"{result.n_items} items × {result.n_raters} raters{people}, {result.metric}"
    span = f"{number(100 * row.rejection_rate, 1)} % ({number(100 * row.low, 1)} to {number(100 * row.high, 1)} %)"
    if not result.no_difference:
        return Sentence(f"{span} of studies show a difference of {number(result.truth)} by the {test}", f"{setting}.")
    level = 1 - result.confidence
    if row.low > level:
        kept = "too often – it does not keep its promise here"
    elif row.high < level:
        kept = "more seldom than it may – it is cautious here"
    else:
        kept = "as promised"
    claim = f"{span} of studies without a difference show one by the {test}"
    return Sentence(claim, f"{kept}: {setting}.", ",")


def audit_table(result: "Audit") -> Table:
    """Return the tests side by side, with the Monte-Carlo intervals of their rates."""
    exact = f"{100 * result.mc_confidence:g} % interval"
    columns = {
        "test": Column("test"),
        "unit": Column("unit"),
        "rejection_rate": Column("claims" if result.no_difference else "power", number),
        "interval": Column(exact),
        "coverage": Column("coverage", number),
        "covered": Column(exact),
        "ci_width": Column("interval width", number),
        "mean_p": Column("mean p", number),
    }
    rows = [
        {
            **asdict(row),
            "interval": interval(row.low, row.high),
            "covered": interval(row.coverage_low, row.coverage_high),
        }
        for row in result.rows
    ]
    return table_of(f"Every test tried on the same {result.replicates:,} studies", rows, columns)
