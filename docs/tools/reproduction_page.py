"""Write docs/reproduction.md: what matches, and what the papers left out, with the evidence.

``python docs/tools/reproduction_page.py reproduction.json docs`` writes the page of the documentation and its pictures
from what ``quorate reproduce all -o reproduction.json`` found. Every figure in it is taken from there.
"""

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from paper_findings import FINDINGS, CellTable

from quorate.reproducing.cell import Cell
from quorate.reproducing.result import Reproduction

__all__ = ["main", "reproduction_page"]

PAPERS = {
    "forest": "Forest vs Tree: the (N, K) trade-off",
    "ratings": "How many ratings per item are necessary?",
    "leaderboard": "Follow the leader(board) with confidence",
    "multilevel": "Multi-level annotator modelling",
    "maven": "Expert and crowd-sourced labels together",
}
FIGURES = (("forest", "Figure 3"), ("forest", "Figure 4"), ("ratings", "Figure 2"), ("ratings", "Figure 5"))
"""Figures whose points are computed, to be drawn."""
HEAD = """# Do we get the papers' numbers?

A statistics tool is believed when it gets known numbers. This page puts every published figure that can be computed
from public information beside ours. It is made by

```sh
quorate reproduce all --data DATASETS --workers 2 -o reproduction.json
python docs/tools/reproduction_page.py reproduction.json docs
```

A cell *matches* where ours lies within five combined Monte-Carlo errors of the published figure, or within the
tolerance its remark states. Statements of a text count as cells too: 1 where they hold. Some cells are not expected to
match, because a paper leaves something open or prints a figure that does not belong to its row; the remark says why.
"""


def reproduction_page(cells: Sequence[Cell], pictures: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return the page; pictures are given by file name with their title.

    Examples
    --------
    >>> cell = Cell("forest", "Table 2", "dices", "p of wins, NK = 1000, K = 20", 0.028, 0.03, tolerance=0.02)
    >>> print(reproduction_page([cell]).split("## ")[1].strip().splitlines()[-1])
    | forest | Table 2 | 1 | 1 | 0 | 0 | 0 |
    """
    table = CellTable(tuple(cells))
    shown = "\n\n".join(f"![{title}](images/{name})" for name, title in pictures.items())
    figures = f"## The figures, drawn again\n\n{shown}\n" if shown else ""
    parts = [HEAD, _summary(cells), _findings(table), figures]
    parts += [_paper(name, [cell for cell in cells if cell.paper == name]) for name in PAPERS]
    return "\n".join(part for part in parts if part).rstrip() + "\n"


def main() -> None:
    """Write the page of a result in JSON, and its pictures, into a folder of pages."""
    source, folder = (Path(word) for word in sys.argv[1:3])
    content = json.loads(source.read_text(encoding="utf-8"))
    cells = [Cell(**{key: cell[key] for key in Cell.__dataclass_fields__}) for cell in content["cells"]]
    pictures = _pictures(Reproduction(cells=tuple(cells)), folder / "images")
    (folder / "reproduction.md").write_text(reproduction_page(cells, pictures), encoding="utf-8")


def _pictures(result: Reproduction, folder: Path) -> dict[str, str]:
    """Draw the panels of FIGURES and return their titles by file name."""
    import plotly.graph_objects as go

    from quorate.report import picture
    from quorate.report.reproducing import curves, reproduce_curves

    titles = {}
    for paper, table in FIGURES:
        for place, panel in enumerate(curves(result.by_table.get((paper, table), []))):
            drawn, name = (
                go.Figure(reproduce_curves(panel)),
                f"{paper}-{table.lower().replace(' ', '-')}-{place + 1}.png",
            )
            drawn.update_layout(title={"y": 0.98, "yanchor": "top", "yref": "container"}, margin={"t": 92})
            (folder / name).write_bytes(picture(drawn, "png", width=640, scale=1))
            titles[name] = f"{paper}, {panel.table}: {panel.group}, {panel.column}"
    return titles


def _summary(cells: Sequence[Cell]) -> str:
    lines = ["## At a glance", ""]
    lines += [
        "| paper | table | expected to match | match | differ | not reproducible | points drawn |",
        "|---|---|--:|--:|--:|--:|--:|",
    ]
    for paper, table in dict.fromkeys((cell.paper, cell.table) for cell in cells):
        own = [cell for cell in cells if (cell.paper, cell.table) == (paper, table)]
        count = Counter("drawn" if cell.published is None else cell.verdict for cell in own)
        expected = sum(cell.expected for cell in own)
        numbers = expected, *(count[kind] for kind in ("match", "differs", "not reproducible", "drawn"))
        lines.append(f"| {paper} | {table} | {' | '.join(map(str, numbers))} |")
    return "\n".join([*lines, ""])


def _findings(cells: CellTable) -> str:
    """What the papers left out or got wrong, each with its evidence; left out where the evidence is not there."""
    texts = [(title, text) for title, finding in FINDINGS.items() if (text := finding(cells))]
    if not texts:
        return ""
    lines = ["## What the papers leave out, with the evidence", ""]
    for title, text in texts:
        lines += [f"### {title}", "", text, ""]
    return "\n".join(lines)


def _paper(name: str, cells: Sequence[Cell]) -> str:
    if not cells:
        return ""
    lines = [f"## {PAPERS[name]} [{name}]", ""]
    for table in dict.fromkeys(cell.table for cell in cells):
        own = [cell for cell in cells if cell.table == table and cell.published is not None]
        if not own:  # points of figures, which are drawn
            continue
        lines += [f'??? note "{name}, {table}: {len(own)} cells"', "", *(f"    {row}" for row in _rows(own)), ""]
    return "\n".join(lines)


def _rows(cells: Sequence[Cell]) -> list[str]:
    lines = ["| row | figure | published | ours | ± | verdict | remark |", "|---|---|--:|--:|--:|---|---|"]
    for cell in cells:
        ours = "" if cell.ours is None else f"{cell.ours:.4g}"
        published = "" if cell.published is None else f"{cell.published:.4g}"
        error = f"{cell.error:.2g}" if cell.error else ""
        verdict = (
            cell.verdict
            if cell.expected or cell.verdict == "not reproducible"
            else f"{cell.verdict} (not expected to match)"
        )
        words = (cell.row, cell.column, published, ours, error, verdict, cell.reason)
        lines.append("| " + " | ".join(word.replace("|", "\\|") for word in words) + " |")
    return lines


if __name__ == "__main__":
    main()
