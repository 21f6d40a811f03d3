"""The page of a reproduction: every published figure beside ours."""

from collections import Counter

from quorate.report import plots
from quorate.report.assemble import Column, assemble, draw, integer, rows_table
from quorate.report.page import Page, Plot, Section, Table
from quorate.report.plots.reproduce_curves import reproduce_curves, reproduced_figures
from quorate.report.plots.reproducing import p_cells
from quorate.reproducing.verb import Reproduction

__all__ = ["page"]

COLUMNS: dict[str, Column] = {
    "row": ("row", str),
    "column": ("figure", str),
    "published": ("published", lambda value: f"{value:.4g}"),
    "ours": ("ours", lambda value: f"{value:.4g}"),
    "error": ("± ours", lambda value: f"{value:.2g}" if value else "exact"),
    "verdict": ("verdict", str),
    "reason": ("remark", str),
}
METHOD = (
    "A figure matches where ours lies within five combined Monte-Carlo errors of the published one, or within the "
    "tolerance the remark states. Ours come from the populations and the habits that [forest], [ratings], "
    "[leaderboard], [multilevel] and [maven] describe; the remark says where their text leaves a choice.",
)


def page(result: Reproduction, command: str = "") -> Page:
    """Return the page of a reproduction.

    Examples
    --------
    >>> from quorate.reproducing.cell import Cell
    >>> cell = Cell("forest", "Table 2", "dices", "p of wins", 0.03, 0.031, tolerance=0.02)
    >>> page(Reproduction(cells=(cell,))).facts
    (('expected to match', '1'), ('match', '1'), ('differ or not reproducible, for a reason', '0'))
    """
    content = result.content()
    tables = dict.fromkeys((cell.paper, cell.table) for cell in result.cells)
    return assemble(
        result,
        facts=[
            ("expected to match", integer(content["expected"])),
            ("match", integer(content["matched"])),
            ("differ or not reproducible, for a reason", integer(_others(result))),
        ],
        sections=[
            Section("At a glance", plots=[_plot(result)] if p_cells(result) else [], tables=[_overview(result)]),
            *(
                Section(f"{paper}: {table}", plots=_panels(result, paper, table), tables=[_table(result, paper, table)])
                for paper, table in tables
            ),
        ],
        method=METHOD,
        command=command,
    )


def _others(result: Reproduction) -> int:
    return sum(not cell.expected and cell.verdict != "match" and cell.published is not None for cell in result.cells)


def _plot(result: Reproduction) -> Plot:
    cells = p_cells(result)
    near = sum(cell.verdict == "match" for cell in cells)
    alt = f"Points near the line of equality: {near} of {len(cells)} p-values match the published ones."
    numbers = rows_table("P-values", [cell.to_dict() for cell in cells], {**COLUMNS, "paper": ("paper", str)}, most=100)
    return draw(plots.reproduce(result), alt, numbers)


def _panels(result: Reproduction, paper: str, table: str) -> list[Plot]:
    """The figures of a paper, drawn from our points."""
    drawn = []
    for panel in reproduced_figures(result, paper, table):
        cells = [cell.to_dict() for points in panel.cells.values() for _, cell in points]
        alt = f"{panel.column} against {panel.axis} for {panel.group}: {', '.join(panel.cells)}."
        drawn.append(draw(reproduce_curves(panel), alt, rows_table("Points", cells, COLUMNS, most=100)))
    return drawn


def _overview(result: Reproduction) -> Table:
    rows = []
    for paper, table in dict.fromkeys((cell.paper, cell.table) for cell in result.cells):
        cells = [cell for cell in result.cells if (cell.paper, cell.table) == (paper, table)]
        count = Counter("drawn" if cell.published is None else cell.verdict for cell in cells)
        rows.append((paper, table, *(str(count[each]) for each in ("match", "differs", "not reproducible", "drawn"))))
    header = ("paper", "table", "match", "differs", "not reproducible", "points drawn")
    return Table("Cells by table", header, tuple(rows))


def _table(result: Reproduction, paper: str, table: str) -> Table:
    cells = [cell for cell in result.cells if (cell.paper, cell.table) == (paper, table)]
    found = Counter("drawn only" if cell.published is None else cell.verdict for cell in cells)
    caption = ", ".join(f"{n:,} {verdict}" for verdict, n in found.items())
    return rows_table(caption, [cell.to_dict() for cell in cells], COLUMNS, most=400)
