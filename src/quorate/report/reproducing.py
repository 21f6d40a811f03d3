"""A reproduction's page and plots: published figures beside ours, and plots drawn again."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import log10
from typing import Any

from quorate.report.page import Page, Plot, Section, assemble, draw
from quorate.report.style import GREY, PALETTE, SYMBOLS, Chart, curve, figure, label, ticks, trace
from quorate.reproducing.cell import Cell, CellKind
from quorate.reproducing.result import Reproduction
from quorate.reproducing.words import cell_table
from quorate.results.table import integer

METHOD = (
    "A figure matches where ours lies within five combined Monte-Carlo errors of the published "
    "one, or within the tolerance the remark states. Ours come from the populations and the "
    "habits that [forest], [ratings], [leaderboard], [multilevel] and [maven] describe; the "
    "remark says where their text leaves a choice.",
)
LEAST = 1e-4
"""P-values are drawn from here up: below, both say never."""
AXES = {"N": "items", "K": "raters per item"}


def reproduce_page(result: Reproduction) -> Page:
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
    return draw(reproduce(result), alt, cell_table("P-values", cells, with_paper=True))


def _panels(cells: list[Cell]) -> list[Plot]:
    """The figures of a paper, drawn from our points."""
    panels = []
    for panel in curves(cells):
        points = [cell for line in panel.lines.values() for _, cell in line]
        alt = f"{panel.column} against {panel.axis} for {panel.group}: {', '.join(panel.lines)}."
        panels.append(draw(reproduce_curves(panel), alt, cell_table("Points", points)))
    return panels


@dataclass(frozen=True)
class FigurePanel:
    """The lines of one panel of a figure, each with its points in order."""

    table: str
    group: str
    axis: str
    column: str
    kind: CellKind
    lines: dict[str, list[tuple[int, Cell]]]


def p_cells(cells: Iterable[Cell]) -> list[Cell]:
    """Return the cells that hold a p-value we have too."""
    return [cell for cell in cells if cell.kind == "p" and cell.difference is not None]


def reproduce(result: Reproduction) -> Chart:
    """Draw our p-values against the published ones, with the line of equality."""
    cells, ends = p_cells(result.cells), [log10(LEAST), 0.0]
    line = {"color": GREY, "dash": "dash"}
    traces = [trace("scatter", x=ends, y=ends, mode="lines", line=line, hoverinfo="skip", showlegend=False)]
    for place, paper in enumerate(dict.fromkeys(cell.paper for cell in cells)):
        own = [cell for cell in cells if cell.paper == paper]
        traces.append(
            trace(
                "scatter",
                x=[_log(cell.published) for cell in own],
                y=[_log(cell.ours) for cell in own],
                mode="markers",
                name=paper,
                marker={"color": PALETTE[place], "symbol": SYMBOLS[place], "size": 8, "opacity": 0.8},
                text=[label(f"{cell.table}, {cell.row}: {cell.column}", 90) for cell in own],
                hovertemplate="%{text}<extra></extra>",
            )
        )
    axis = {**_p_axis(0.0001, 0.001, 0.01, 0.05, 0.2, 1.0), "range": [-4.15, 0.15], "zeroline": False}
    x, y = {"title": "published p", **axis}, {"title": "our p", **axis}
    return figure(traces, "Published and reproduced p-values", x=x, y=y, showlegend=True, height=440)


def curves(cells: Iterable[Cell]) -> list[FigurePanel]:
    """Return the panels of one figure of a paper; a line has points at two places or more."""
    panels: dict[tuple[str, str, str, str, CellKind], dict[str, list[tuple[int, Cell]]]] = {}
    for cell in cells:
        if (at := cell.point) is not None:
            lines = panels.setdefault((cell.table, at["panel"], at["axis"], cell.column, cell.kind), {})
            lines.setdefault(at["line"], []).append((at["place"], cell))
    return [
        FigurePanel(*place, {name: sorted(points, key=_place) for name, points in lines.items()})
        for place, lines in panels.items()
        if any(len(points) > 1 for points in lines.values())
    ]


def reproduce_curves(panel: FigurePanel) -> Chart:
    """Draw one panel: p on a logarithmic scale, rates on a plain one, against items or raters."""
    is_p = panel.kind == "p"
    traces = []
    for place, (name, line) in enumerate(panel.lines.items()):
        values, named = [cell.ours or 0.0 for _, cell in line], label(name, 40)
        words = [f"{named} at {x}: {value:.3g}" for (x, _), value in zip(line, values, strict=True)]
        heights = [_log(value) for value in values] if is_p else values
        traces.append(curve([log10(x) for x, _ in line], heights, words, named, place=place))
    points = [point for line in panel.lines.values() for point in line]
    places = [x for x, _ in points]
    y: dict[str, Any] = {"title": "expected p" if is_p else panel.column}
    if is_p:
        y |= {**_p_axis(0.0001, 0.001, 0.01, 0.05, 0.2, 0.5), "range": [-4.1, 0.0]}
    elif max(cell.ours or 0.0 for _, cell in points) <= 1:
        y |= {"range": [-0.02, 1.02]}
    x = {"title": AXES[panel.axis], **ticks(min(places), max(places))}
    return figure(
        traces, label(f"{panel.table}: {panel.group}, {'p' if is_p else panel.column}", 90), x=x, y=y, height=360
    )


def _log(p: float | None) -> float:
    return log10(max(p or 0.0, LEAST))


def _p_axis(*shown: float) -> dict[str, Any]:
    return {"tickvals": [log10(p) for p in shown], "ticktext": [f"{p:g}" for p in shown]}


def _place(point: tuple[int, Cell]) -> int:
    return point[0]
