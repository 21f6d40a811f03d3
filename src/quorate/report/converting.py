"""The page of a log that became a table."""

from quorate.converting.result import Conversion
from quorate.report.page import Page, Section, assemble
from quorate.results.table import integer

METHOD = (
    "A log is recognised by what it holds, never by its name. One score is read; what has no value is left out and "
    "counted, never taken for 0.",
)


def convert_page(result: Conversion) -> Page:
    """Return the page of a conversion."""
    facts = [("rows", integer(result.log.frame.height))]
    facts += [("left out", integer(sum(each.rows for each in result.dropped)))] if result.dropped else []
    tables = [table for table in result.tables().values() if table.rows]
    return assemble(result, facts=facts, sections=[Section("The table", tables=tables)], method=METHOD)
