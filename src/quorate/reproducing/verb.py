"""The verb: every published cell that can be computed, on the task journal."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from quorate._errors import InputError
from quorate._tasks import journal_path, run_tasks
from quorate.reproducing.cell import Cell
from quorate.reproducing.question import PAPERS, ReproduceQuestion
from quorate.results.result import Result

__all__ = ["PAPERS", "Reproduction", "reproduce"]


@dataclass(frozen=True)
class Reproduction(Result):
    """The answer of `reproduce`: published figures beside ours."""

    verb: ClassVar[str] = "reproduce"
    cells: tuple[Cell, ...]

    @property
    def failed(self) -> tuple[Cell, ...]:
        """Cells that were expected to match and do not."""
        return tuple(cell for cell in self.cells if cell.fails)

    def sentence(self) -> str:
        """Say how many of the cells that should match do."""
        expected = [cell for cell in self.cells if cell.expected]
        matched = len(expected) - len(self.failed)
        count = Counter(
            "unprinted" if cell.published is None else cell.verdict for cell in self.cells if not cell.expected
        )
        rest = {
            "match although no match was expected": count["match"],
            "differ for a stated reason": count["differs"],
            "cannot be reproduced": count["not reproducible"],
            "are points of figures without a printed value": count["unprinted"],
        }
        others = [f"{n} {what}" for what, n in rest.items() if n]
        return f"{matched} of {len(expected)} published figures expected to match do" + (
            f"; of the others {', '.join(others)}." if others else "."
        )

    def content(self) -> dict[str, Any]:
        """Return the cells and how many match."""
        return {
            "cells": [cell.to_dict() for cell in self.cells],
            "matched": sum(cell.expected and not cell.fails for cell in self.cells),
            "expected": sum(cell.expected for cell in self.cells),
        }

    def to_frame(self) -> pl.DataFrame:
        """Return one row per cell."""
        return pl.DataFrame([cell.to_dict() for cell in self.cells], infer_schema_length=None)

    def __str__(self) -> str:
        lines = [self.sentence(), ""]
        for paper in dict.fromkeys(cell.paper for cell in self.cells):
            lines.extend(_tables(paper, [cell for cell in self.cells if cell.paper == paper]))
        for cell in self.failed:
            ours = "none" if cell.ours is None else f"{cell.ours:.4g} ± {cell.error:.2g}"
            place = f"{cell.paper} {cell.table}, {cell.row}, {cell.column}"
            lines.append(f"differs: {place}: published {cell.published:g}, ours {ours}. {cell.reason}")
        return "\n".join(lines).rstrip()


def reproduce(
    papers: str | Sequence[str] = "all",
    *,
    quick: bool = False,
    data: str | Path | None = None,
    workers: int = 1,
    resume: bool = False,
    progress: bool = False,
    seed: int = 0,
) -> Reproduction:
    """Compute the papers' published figures again.

    Parameters
    ----------
    papers
        forest, ratings, leaderboard, multilevel, maven, several of them, or all.
    quick
        Fewer draws, for a first look.
    data
        Folder with public data sets, one folder each; without it, cells that need them are not reproducible.
    workers, resume, progress
        Processes; continue a run that was ended; show a bar.
    seed
        Seed; another one gives other digits and the same verdicts.

    Examples
    --------
    >>> reproduce("maybe")
    Traceback (most recent call last):
    quorate._errors.InputError: There is no paper maybe; choose forest, ratings, leaderboard, multilevel, maven or all.
    """
    names = _papers([papers] if isinstance(papers, str) else papers)
    question = ReproduceQuestion(quick=quick, data=None if data is None else Path(data), seed=seed)
    if question.data is not None and not question.data.is_dir():
        raise InputError(f"{question.data} is not a folder; --data takes the folder that holds the data sets.")
    if workers < 1:
        raise InputError("--workers must be at least 1.")
    tasks = {f"{name} {part}": (name, part, question) for name in names for part in _paper(name).parts(question)}
    settings = {"papers": names, "quick": quick, "data": None if data is None else str(data), "seed": seed}
    found = run_tasks(
        _cells,
        tasks,
        settings=settings,
        workers=workers,
        journal=journal_path("reproduce", settings),
        resume=resume,
        label="reproduce" if progress else None,
    )
    cells = tuple(Cell(**cell) for part in found.values() for cell in part)
    return Reproduction(cells=cells, seed=seed, settings=settings)


def _papers(asked: Sequence[str]) -> list[str]:
    for name in asked:
        if name not in (*PAPERS, "all"):
            raise InputError(f"There is no paper {name}; choose {', '.join(PAPERS)} or all.")
    return [name for name in PAPERS if "all" in asked or name in asked]


def _paper(name: str) -> Any:
    return import_module(f"quorate.reproducing.{name}")


def _cells(name: str, part: str, question: ReproduceQuestion) -> list[dict[str, Any]]:
    """Return the cells of one part, as the journal keeps them."""
    return [
        {key: getattr(cell, key) for key in Cell.__dataclass_fields__} for cell in _paper(name).cells(part, question)
    ]


def _tables(paper: str, cells: Sequence[Cell]) -> list[str]:
    """One line per table: how many cells match, differ, or cannot be had."""
    lines = [paper]
    for table in dict.fromkeys(cell.table for cell in cells):
        count = Counter(cell.verdict for cell in cells if cell.table == table)
        parts = [
            f"{count[verdict]} {verdict}" for verdict in ("match", "differs", "not reproducible") if count[verdict]
        ]
        lines.append(f"  {table:<28} {', '.join(parts)}")
    return [*lines, ""]
