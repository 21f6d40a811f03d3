"""`reproduce`: do you get the papers' numbers? Every published cell that can be computed."""

from dataclasses import asdict
from importlib import import_module
from typing import Any

from quorate._journal import journal_path
from quorate._question import asks
from quorate._tasks import run_tasks
from quorate.reproducing.cell import Cell, is_cell
from quorate.reproducing.question import ReproduceQuestion
from quorate.reproducing.result import Reproduction


def answer(question: ReproduceQuestion) -> Reproduction:
    """Compute the papers' published figures again.

    Examples
    --------
    >>> reproduce("maybe")
    Traceback (most recent call last):
    quorate._errors.InputError: There is no paper maybe; choose forest, ratings, leaderboard, multilevel, maven or all.
    """
    settings, asked = question.settings(), question.travelling()
    cells = run_tasks(
        _cells,
        {f"{name} {part}": (name, part, asked) for name in question.papers for part in _paper(name).parts(question)},
        settings=settings,
        execution=question,
        journal=journal_path("reproduce", settings),
        fits=_are_cells,
        label="reproduce" if question.progress else None,
    )
    every = tuple(Cell(**cell) for part in cells.values() for cell in part)
    return Reproduction(cells=every, seed=question.seed, settings=settings, inputs=question.inputs())


reproduce = asks("reproduce", ReproduceQuestion, answer)


def _paper(name: str) -> Any:
    return import_module(f"quorate.reproducing.{name}")


def _cells(name: str, part: str, question: ReproduceQuestion) -> list[dict[str, Any]]:
    """Return the cells of one part, as the journal keeps them."""
    return [asdict(cell) for cell in _paper(name).cells(part, question)]


def _are_cells(found: object, *_task: object) -> bool:
    """Tell whether what a journal holds can be the cells of a part."""
    return isinstance(found, list) and all(map(is_cell, found))
