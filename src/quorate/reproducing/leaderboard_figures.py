"""The figures printed in [leaderboard]: p-values of tables 5 to 14, and the smallest errors of tables 1 to 4.

The two files beside this one hold them in the paper's order. 0 stands for a printed "0" or "< 10⁻⁵", an empty field
for a figure that cannot be read with certainty in the copy at hand (every other one obeys ``diff = estimated − true``).
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

__all__ = ["EFFECTS", "Minimum", "Row", "in_words", "minima", "printed", "world_of"]

EFFECTS = (0.0, 0.05, 0.1, 0.3, 0.7)
"""ε of B in the five tables of each world [leaderboard, sec. 5]."""


@dataclass(frozen=True)
class Row:
    """One row of tables 5 to 14: the sampling method, the metric, and its two p-values."""

    table: int
    metric: str
    items: str
    answers: str
    estimated: float | None
    true: float | None

    @property
    def sampler(self) -> str:
        """Items and answers, as in ``published:ITEMS:ANSWERS``."""
        return f"{self.items} {self.answers}"

    @property
    def n_answers(self) -> int:
        """Answers per item the metric sees, of the five in a test set."""
        return 1 if self.answers in ("one", "first") else 5


@dataclass(frozen=True)
class Minimum:
    """One cell of tables 1 to 4: the smallest error of a sampler over metrics, or of a metric over samplers."""

    table: int
    row: str
    source: int
    value: float


def in_words(items: str, answers: str) -> str:
    """Name a sampling method.

    Examples
    --------
    >>> in_words("bootstrap", "one")
    'bootstrapped items, one answer'
    """
    of_answers = {"all": "all answers", "first": "the first answer", "one": "one answer"}
    return f"{'all' if items == 'all' else 'bootstrapped'} items, {of_answers.get(answers, 'bootstrapped answers')}"


def world_of(table: int) -> tuple[str, float]:
    """Return the preset and ε behind one of tables 5 to 14.

    Examples
    --------
    >>> world_of(7), world_of(13)
    (('uniform-normal', 0.1), ('toxicity-likert', 0.3))
    """
    return ("uniform-normal" if table < 10 else "toxicity-likert", EFFECTS[(table - 5) % 5])


def printed(table: int) -> list[Row]:
    """Return the rows of one of tables 5 to 14.

    Examples
    --------
    >>> printed(6)[0]
    Row(table=6, metric='MAE', items='all', answers='bootstrap', estimated=0.331591, true=0.067622)
    """
    return [
        Row(table, row["metric"], row["items"], row["answers"], _number(row["estimated_p"]), _number(row["true_p"]))
        for row in _lines("leaderboard_p.csv")
        if int(row["table"]) == table
    ]


def minima(source: int) -> list[Minimum]:
    """Return the cells of tables 1 to 4 that summarise one of tables 5 to 14.

    Examples
    --------
    >>> minima(6)[2]
    Minimum(table=1, row='bootstrap all', source=6, value=0.00166)
    """
    wanted = (1, 2) if source < 10 else (3, 4)
    column = f"{world_of(source)[1]:g}"
    return [
        Minimum(int(row["table"]), row["row"], source, float(row[column]))
        for row in _lines("leaderboard_minima.csv")
        if int(row["table"]) in wanted
    ]


def _lines(name: str) -> Iterator[dict[str, str]]:
    with (files("quorate.reproducing") / name).open() as file:
        yield from csv.DictReader(file)


def _number(text: str) -> float | None:
    return float(text) if text else None
