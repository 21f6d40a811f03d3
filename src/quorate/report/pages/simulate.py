"""The page of a simulated study: what was drawn, and its first rows."""

from quorate.report.build import assemble, integer
from quorate.report.page import Page, Section, Table
from quorate.simulate import Simulation

__all__ = ["page"]

FIRST = 20
"""Rows that are shown."""
METHOD = (
    "Items, responses and answers are drawn from the population; system A answers like a random rater unless it is "
    "perturbed, B is perturbed by the effect [forest]. The same seed draws the same study.",
)


def page(result: Simulation, command: str = "") -> Page:
    """Return the page of a simulated study.

    Examples
    --------
    >>> from quorate import simulate
    >>> page(simulate("dices", items=10, raters=3)).facts[0]
    ('rows', '30')
    """
    frame = result.to_frame()
    rows = [tuple(str(cell) for cell in row) for row in frame.head(FIRST).rows()]
    shown = Table(f"The first {len(rows)} of {frame.height:,} rows", tuple(frame.columns), rows)
    return assemble(
        result,
        facts=[("rows", integer(frame.height)), ("items", integer(frame["item"].n_unique()))],
        sections=[Section("What was drawn", tables=[shown])],
        method=METHOD,
        command=command,
    )
