"""What the papers leave out or got wrong, said from the cells of a reproduction: no figure here is written by hand."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from quorate.reproducing.cell import Cell
from quorate.reproducing.table_findings import TABLE_FINDINGS

__all__ = ["FINDINGS", "Cells"]


@dataclass(frozen=True)
class Cells:
    """The cells of a reproduction, to be looked up.

    Examples
    --------
    >>> Cells((Cell("forest", "Table 2", "dices", "p of wins", 0.03, 0.031),)).one("forest", "Table 2", "dices").ours
    0.031
    """

    cells: tuple[Cell, ...]

    def all(self, paper: str, table: str, row: str = "", column: str = "") -> list[Cell]:
        """Return the cells we have a figure for, of a table, and of a row and a column that begin like this."""
        return [
            cell
            for cell in self.cells
            if cell.ours is not None
            and (cell.paper, cell.table) == (paper, table)
            and cell.row.startswith(row)
            and column in cell.column
        ]

    def one(self, paper: str, table: str, row: str = "", column: str = "") -> Cell | None:
        """Return the first such cell."""
        return next(iter(self.all(paper, table, row, column)), None)


def _beside(cell: Cell) -> str:
    return f"published {cell.published:.3g}, this way {cell.ours:.3g}"


def _reading(row: str, lead: str) -> Callable[[Cells], str]:
    """Make a finding of one cell under another reading of the text."""

    def text(cells: Cells) -> str:
        cell = cells.one("forest", "Other readings", row)
        return "" if cell is None else f"{lead} ({cell.row}, {cell.column}: {_beside(cell)}.)"

    return text


def _matches(cells: list[Cell]) -> str:
    return f"{sum(cell.verdict == 'match' for cell in cells)} of {len(cells)}"


def _free_answers(cells: Cells) -> str:
    many, once = (cells.all("forest", table) for table in ("Text", "Text, systems answer once"))
    if not many or not once:
        return ""
    lines = [
        "Both systems answer K times per item in the papers, and nobody pays for it. That, not the metric, makes many "
        "raters look good: more answers per system sharpen the contest at no price. The claims of the text, in how "
        "many of the ten populations they hold as published, and when each system answers once:",
        "",
        "| claim | as published | systems answer once |",
        "|---|--:|--:|",
    ]
    for claim in dict.fromkeys(cell.column for cell in many):
        counts = [sum(cell.ours or 0 for cell in group if cell.column == claim) for group in (many, once)]
        lines.append(f"| {claim} | {counts[0]:g} | {counts[1]:g} |")
    return "\n".join(lines)


def _priors(cells: Cells) -> str:
    table = cells.all("forest", "Table 1")
    spread = [cell for cell in cells.all("forest", "Other readings", "jobs") if "correlation" in cell.column]
    if not table or not spread:
        return ""
    said = "; ".join(
        f"{cell.row}: {cell.published:.2g} under the printed α, {cell.ours:.2g} in the data" for cell in spread
    )
    return (
        f"The mean absolute biases of Table 1 come out to the printed digit from the printed α and the public data "
        f"({_matches(table)}), so α and data are the paper's. But a bias of the mean does not see how items differ: "
        f"the correlation of two answers to one item is {said}. With those α all tweets are alike. "
        "`quorate fit` therefore checks the spread of items beside the mean."
    )


def _tables(cells: Cells) -> str:
    two, three = cells.all("forest", "Table 2"), cells.all("forest", "Table 3")
    if not two or not three:
        return ""
    groups = {
        "p of Table 2": [cell for cell in two if cell.column.startswith("p ")],
        "Δ of Table 2": [cell for cell in two if cell.column.startswith("Δ")],
        "interval widths of Table 3": [cell for cell in three if cell.column.startswith("width")],
        "Δ of Table 3": [cell for cell in three if cell.column.startswith("Δ")],
    }
    said = ", ".join(f"{name} {_matches(group)}" for name, group in groups.items())
    return f"Matches: {said}. The Δ column of Table 3 does not belong to the (NK, K) of its own rows; its widths do."


def _coverage(cells: Cells) -> str:
    rows = [cell for cell in cells.all("maven", "Figure 4") if "coverage" in cell.column]
    if not rows:
        return ""
    lines = [
        "The pseudo-likelihood of the scores adds one Gaussian per pair of vote sets as if pairs were independent, so "
        "every item is counted many times over. Errors are as small as claimed, but 95 % intervals cover less than "
        "95 % of the truths; giving the win rates their full covariance mends it.",
        "",
        "| experts | figure | coverage as published | remark |",
        "|---|---|--:|---|",
    ]
    lines += [f"| {cell.row} | {cell.column.split(':')[0]} | {cell.ours:.2f} | {cell.reason} |" for cell in rows]
    return "\n".join(lines)


def _crossed(cells: Cells) -> str:
    rows = cells.all("multilevel", "Summary", "dices", "p of")
    if not rows:
        return ""
    said, distinct = (
        "; ".join(f"{cell.column}: published {cell.published:g}, ours {cell.ours:.3f}" for cell in group)
        for group in (rows, cells.all("multilevel", "Other readings", "dices"))
    )
    return (
        "The paper is known here by a third party's summary, which says both that S1 ignores and that S2 accounts for "
        "raters who come back. On the ratings themselves S1, which keeps the block of items × raters, lets one rater's "
        f"habits hit every item and gives the higher p. {said}. The order is the same; the digits cannot be, because "
        "104 of 123 raters were kept by a rule we do not know. Raters drawn without replacement give the printed p of "
        f"accuracy, but not those of MAE ({distinct})."
    )


FINDINGS: Mapping[str, Callable[[Cells], str]] = {
    "Systems answer for free": _free_answers,
    "The tables of forest": _tables,
    "Ties go to the first category": _reading(
        "d3code",
        "The text does not say how plurality ties are settled. Only giving them to the first category yields the "
        "printed p-values; at small, even K part of what is called the sensitivity of accuracy is this rule.",
    ),
    "Total variation is divided by the number of categories": _reading(
        "dices", "The formula of the text has no 1 / M; the printed differences do."
    ),
    "KL with 1e-12 counts empty cells": _reading(
        "jobsq1",
        "Adding 1e-12 to counts before the logarithm makes KL at few raters a count of categories a system missed; "
        "only that yields the printed differences.",
    ),
    "The priors of the Jobs data": _priors,
    "Intervals that count items many times": _coverage,
    "Which scheme is honest about raters": _crossed,
    **TABLE_FINDINGS,
}
"""Title and text of each finding; the text is empty where the cells it needs are not there."""
