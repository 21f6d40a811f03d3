"""Sentences and tables of a reproduction."""

from collections import Counter
from collections.abc import Mapping, Sequence

from quorate._text import Sentence
from quorate.reproducing.cell import Cell
from quorate.results.table import Column, Table, integer, table_of

CELL = {
    "paper": Column("paper"),
    "row": Column("row"),
    "column": Column("figure"),
    "published": Column("published", lambda value: f"{value:.4g}"),
    "ours": Column("ours", lambda value: f"{value:.4g}"),
    "error": Column("± ours", lambda value: f"{value:.2g}" if value else "exact"),
    "verdict": Column("verdict"),
    "reason": Column("remark"),
}
OVERVIEW = {
    "paper": Column("paper"),
    "table": Column("table"),
    **{key: Column(key, integer) for key in ("match", "differs", "not reproducible", "points drawn")},
}


def sentence_of(cells: Sequence[Cell]) -> Sentence:
    """Say how many of the cells that should match do."""
    expected = [cell for cell in cells if cell.expected]
    matched = sum(not cell.fails for cell in expected)
    kinds = Counter(_kind(cell) for cell in cells if not cell.expected)
    rest = {
        "match although no match was expected": kinds["match"],
        "differ for a stated reason": kinds["differs"],
        "cannot be reproduced": kinds["not reproducible"],
        "are points of figures without a printed value": kinds["points drawn"],
    }
    others = [f"{n} {what}" for what, n in rest.items() if n]
    head = f"{matched} of {len(expected)} published figures expected to match do"
    return Sentence(head, f"of the others {', '.join(others)}.", ";") if others else Sentence(f"{head}.")


def reproduction_tables(by_table: Mapping[tuple[str, str], Sequence[Cell]]) -> dict[str, Table]:
    """Return how many cells of each table match, and every cell, table by table, for a page."""
    rows = [
        {**dict.fromkeys(OVERVIEW, 0), **Counter(map(_kind, cells)), "paper": paper, "table": table}
        for (paper, table), cells in by_table.items()
    ]
    overview = table_of("Cells by table", rows, OVERVIEW)
    return {"overview": overview} | {
        f"{paper}: {table}": cell_table(_counted(cells), cells) for (paper, table), cells in by_table.items()
    }


def cell_table(caption: str, cells: Sequence[Cell], *, with_paper: bool = False) -> Table:
    """Return cells as a page lists them."""
    columns = CELL if with_paper else {key: column for key, column in CELL.items() if key != "paper"}
    rows = [cell.to_dict() | ({"error": None} if cell.ours is None else {}) for cell in cells]
    return table_of(caption, rows, columns, numbers=True)


def differences(failed: Sequence[Cell]) -> list[str]:
    """Name the cells that should match and do not."""
    lines = []
    for cell in failed:
        ours = "none" if cell.ours is None else f"{cell.ours:.4g} ± {cell.error:.2g}"
        place = f"{cell.paper} {cell.table}, {cell.row}, {cell.column}"
        lines.append(f"differs: {place}: published {cell.published:g}, ours {ours}. {cell.reason}")
    return ["\n".join(lines)] if lines else []


def _counted(cells: Sequence[Cell]) -> str:
    return ", ".join(f"{integer(n)} {kind}" for kind, n in Counter(map(_kind, cells)).items())


def _kind(cell: Cell) -> str:
    """Its verdict; a point of a figure without a printed value is drawn only."""
    return "points drawn" if cell.published is None else cell.verdict
