"""The page of a reproduction: every published figure beside ours."""

from quorate.report import plots
from quorate.report.assemble import assemble, draw
from quorate.report.page import Page, Plot, Section
from quorate.report.plots.reproducing import curves, p_cells, reproduce_curves
from quorate.reproducing.cell import Cell
from quorate.reproducing.result import Reproduction
from quorate.reproducing.words import cell_table
from quorate.results.table import integer

__all__ = ["page"]

METHOD = (
    "A figure matches where ours lies within five combined Monte-Carlo errors of the published one, or within the "
    "tolerance the remark states. Ours come from the populations and the habits that [forest], [ratings], "
    "[leaderboard], [multilevel] and [maven] describe; the remark says where their text leaves a choice.",
)


def page(result: Reproduction, command: str = "") -> Page:
    """Return the page of a reproduction."""
    overview, *tables = result.tables().items()
    of_tables = zip(tables, result.by_table.values(), strict=True)
    return assemble(
        result,
        facts=_facts(result),
        sections=[
            Section("At a glance", plots=[_plot(result)] if p_cells(result.cells) else [], tables=[overview[1]]),
            *(Section(title, plots=_panels(cells), tables=[table]) for (title, table), cells in of_tables),
        ],
        method=METHOD,
        command=command,
    )


def _facts(result: Reproduction) -> list[tuple[str, str]]:
    content = result.content()
    others = [cell for cell in result.cells if not cell.expected and cell.published is not None]
    return [
        ("expected to match", integer(content["expected"])),
        ("match", integer(content["matched"])),
        ("differ or not reproducible, for a reason", integer(sum(cell.verdict != "match" for cell in others))),
    ]


def _plot(result: Reproduction) -> Plot:
    cells = p_cells(result.cells)
    near = sum(cell.verdict == "match" for cell in cells)
    alt = f"Points near the line of equality: {near} of {len(cells)} p-values match the published ones."
    return draw(plots.reproduce(result), alt, cell_table("P-values", cells, with_paper=True))


def _panels(cells: list[Cell]) -> list[Plot]:
    """The figures of a paper, drawn from our points."""
    panels = []
    for panel in curves(cells):
        points = [cell for line in panel.lines.values() for _, cell in line]
        alt = f"{panel.column} against {panel.axis} for {panel.group}: {', '.join(panel.lines)}."
        panels.append(draw(reproduce_curves(panel), alt, cell_table("Points", points)))
    return panels
