"""The page of a simulated study: what was drawn, and the first rows of every table."""

import polars as pl

from quorate._text import number
from quorate.report.assemble import assemble, integer, parameters
from quorate.report.page import Page, Section, Table
from quorate.simulating.verb import Drawn, Simulation

__all__ = ["page"]

FIRST = 10
"""Rows of each table that are shown."""
STUDY = (
    "Items, responses and answers are drawn from the population; system A answers like a random rater unless it is "
    "perturbed, B is perturbed by the effect [forest]. The same seed draws the same study.",
)
CROWD = (
    "Items, votes and scores are drawn from the crowd [maven]; experts label items chosen at random, and always say "
    "the truth. The same seed draws the same crowd.",
)


def page(result: Drawn, command: str = "") -> Page:
    """Return the page of a simulated study or crowd.

    Examples
    --------
    >>> from quorate import simulate
    >>> page(simulate("dices", items=10, raters=3)).facts[:2]
    (('ratings', '30 rows'), ('answers', '20 rows'))
    """
    tables = {name.removesuffix(".csv"): table for name, table in result.files.items()}
    return assemble(
        result,
        facts=[(name, f"{integer(table.height)} rows") for name, table in tables.items()],
        sections=[
            Section("What was drawn", tables=[_first(name, table) for name, table in tables.items()]),
            Section("The population", text=parameters(result.content()["population"])),
        ],
        method=STUDY if isinstance(result, Simulation) else CROWD,
        command=command,
    )


def _first(name: str, table: pl.DataFrame) -> Table:
    """Return the first rows of a table."""
    rows = [tuple(_cell(value) for value in row) for row in table.head(FIRST).rows()]
    return Table(f"The first {len(rows)} of {table.height:,} rows of {name}.csv", tuple(table.columns), rows)


def _cell(value: object) -> str:
    return number(value) if isinstance(value, float) else str(value)
