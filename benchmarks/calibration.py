"""The calibration table of the default test: `python -m benchmarks.calibration [--replicates 5000] [--workers 2]`.

Every cell is an audit on the task journal, so a run that was ended goes on with --resume; the table goes to
docs/methods/calibration.md.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from quorate.auditing.question import Null
from quorate.auditing.trials import AuditRow
from quorate.auditing.verb import audit
from quorate.populations.population import Answers

__all__ = ["Cell", "cells", "main"]

SHARP = {
    "uniform-normal": ("mae", "wins", "spearman"),
    "dices": ("agreement", "accuracy", "total_variation", "kl", "jensen_shannon"),
    "toxicity": ("f1",),
}
WEAK: tuple[tuple[Null, str, str], ...] = (
    ("rescaled", "uniform-normal", "spearman"),
    ("variance", "uniform-normal", "mae"),
    ("variance", "dices", "agreement"),
    ("tail", "uniform-normal", "mae"),
    ("threshold", "toxicity", "f1"),
)
PUBLISHED = (
    "default",
    "permutation",
    *(f"published:{x}" for x in ("bootstrap:all", "bootstrap:bootstrap", "all:bootstrap")),
)


@dataclass(frozen=True)
class Cell:
    """One audit of the table."""

    null: Null | None
    population: str
    metric: str
    items: int
    raters: int
    answers: Answers
    effect: float = 0.0
    tests: tuple[str, ...] = ("default",)

    def run(self, replicates: int, workers: int, resume: bool) -> tuple[AuditRow, ...]:
        """Run the audit of this cell."""
        return audit(
            self.population,
            items=self.items,
            raters=self.raters,
            metric=self.metric,
            null=self.null,
            effect=self.effect,
            answers=self.answers,
            test=self.tests,
            replicates=replicates,
            workers=workers,
            resume=resume,
            resamples=399,
            seed=1,
        ).rows


def cells() -> Iterator[Cell]:
    """List the cells: sharp nulls, weak nulls, then the papers' procedures."""
    for answers in ("raters", 1):
        for population, metrics in SHARP.items():
            for metric in metrics:
                for items in (30, 100, 1000):
                    for raters in (2, 5):
                        yield Cell("sharp", population, metric, items, raters, answers)
    for null, population, metric in WEAK:
        for items in (30, 100, 1000):
            yield Cell(null, population, metric, items, 5, "raters" if population == "uniform-normal" else 1)
    for effect in (0.0, 0.1):
        yield Cell("sharp" if effect == 0 else None, "uniform-normal", "mae", 200, 5, "raters", effect, PUBLISHED)


def judged(cell: Cell, row: AuditRow) -> str:
    """Say whether a cell without a difference keeps its promise: the interval of its rate meets 4 to 6 %."""
    if cell.null is None:
        return "power"
    if row.low <= 0.06 and row.high >= 0.04:
        return "holds"
    return "cautious" if row.high < 0.04 else "FAILS"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=5000)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--output", type=Path, default=Path("docs/methods/calibration.md"))
    options = parser.parse_args()
    lines = []
    for cell in cells():
        # The papers' procedures resample answers anew for every study: a fifth of the studies is enough for them.
        replicates = options.replicates if cell.tests == ("default",) else options.replicates // 5
        for row in cell.run(replicates, options.workers, options.resume):
            span = f"{row.low:.3f}–{row.high:.3f}"
            coverage = "–" if row.coverage is None else f"{row.coverage:.3f}"
            width = "–" if row.ci_width is None else f"{row.ci_width:.3f}"
            verdict = judged(cell, row) if row.test == "default" else ""
            world = (
                cell.null or f"ε = {cell.effect}",
                cell.population,
                cell.metric,
                cell.answers,
                cell.items,
                cell.raters,
            )
            found = (row.test, f"{row.rejection_rate:.4f}", span, coverage, width, verdict)
            lines.append(f"| {' | '.join(map(str, (*world, *found)))} |")
            print(lines[-1], flush=True)
    titles = "null,population,metric,answers,items,raters,test,claims,99.9 % interval,coverage,width,"
    header = f"| {' | '.join(titles.split(','))} |"
    page = TEXT.format(replicates=options.replicates) + "\n".join([header, "|---" * 12 + "|", *lines]) + "\n"
    options.output.write_text(page)


TEXT = """# Calibration of the tests

How often each test claims a difference where there is none (or sees the one there is), how often its 95 % interval
holds the true difference, and how wide it is. {replicates} simulated studies per cell, a fifth of that for the
papers' procedures. Made by

    python -m benchmarks.calibration --replicates {replicates}

A cell *holds* if the 99.9 % Monte-Carlo interval of its rate meets 4 to 6 %, is *cautious* if it lies below (coarse
lattices and few items: fewer false claims than allowed), and *fails* if it lies above. Nulls: sharp – both systems
answer from one law; rescaled, variance, tail, threshold – unlike systems with equal expected scores (see
`quorate.auditing.null_worlds`). Set scores of few items are judged by 399 swaps here, 999 in `compare`. The
papers' procedures stand at the end, first without a difference, then at ε = 0.1.

"""


if __name__ == "__main__":
    main()
