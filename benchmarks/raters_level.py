"""How often raters who come back make `compare` claim a difference that is none: the table of docs/methods/raters.md.

Run: `python -m benchmarks.raters_level [--replicates 1000] [--write]`.
"""

import argparse
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Literal

from quorate.auditing.verb import audit

PAGE = Path("docs/methods/raters.md")
DESIGNS: list[tuple[str, int, int, int | None, Literal["even", "unequal"] | None]] = [
    *((f"{raters}, all items", raters, items, None, None) for raters, items in product((3, 6, 20), (50, 300))),
    *(("3 of 20", 3, items, 20, None) for items in (50, 300)),
    ("3 of 50, very unequal", 3, 1000, 50, "unequal"),
]
METRICS = ("agreement", "accuracy", "jensen_shannon", "f1")
HEAD = [
    "metric",
    "raters",
    "items",
    "items only: claims",
    "coverage",
    "items+raters: claims",
    "coverage",
    "width over items only",
]


def rows(replicates: int) -> Iterator[str]:
    """One line of the table for each metric and design; F1 of 50 items is judged by swaps, and left out."""
    for metric, (words, raters, items, pool, load) in product(METRICS, DESIGNS):
        if metric == "f1" and items < 300:
            continue
        found = audit(
            "shared-raters",
            items=items,
            raters=raters,
            metric=metric,
            unit="items,items+raters",
            replicates=replicates,
            workers=1,
            pool=pool,
            load=load,
        )
        alone, both = found.rows
        assert alone.ci_width is not None
        assert both.ci_width is not None
        rates = (alone.rejection_rate, alone.coverage, both.rejection_rate, both.coverage)
        cells = [
            metric,
            words,
            f"{items:,}",
            *(f"{rate:.3f}" for rate in rates),
            f"{both.ci_width / alone.ci_width:.1f}",
        ]
        yield f"| {' | '.join(cells)} |"


def main() -> None:
    """Print the table, or put it into its page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=1000)
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE}")
    given = parser.parse_args()
    lines = [f"| {' | '.join(HEAD)} |", f"|{'---|' * len(HEAD)}"]
    for line in rows(given.replicates):
        lines.append(line)
        print(line, flush=True)
    if given.write:
        page = PAGE.read_text()
        before, head, rest = page.partition("\n| metric | raters | items |")
        assert head, "the page has the table"
        PAGE.write_text(before + "\n" + "\n".join(lines) + "\n\n" + rest.partition("\n\n")[2])


if __name__ == "__main__":
    main()
