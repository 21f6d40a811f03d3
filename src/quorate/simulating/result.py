"""What `simulate` drew: a study of two systems, or a crowd; tables, and their files."""

import tempfile
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from quorate._errors import InputError
from quorate._text import count, number, percent
from quorate.populations.population import Population
from quorate.results.files import check_output
from quorate.results.result import Result, Sentence
from quorate.results.table import Table

FIRST = 10
"""Rows of each table that a page shows."""


@dataclass(frozen=True)
class SimulatedTables(Result):
    """Tables that were drawn, and files to write them to."""

    verb: ClassVar[str] = "simulate"

    @property
    @abstractmethod
    def files(self) -> Mapping[str, pl.DataFrame]:
        """The tables by the name of their file."""

    def to_frame(self) -> pl.DataFrame:
        """Return the first table: what the raters said."""
        return next(iter(self.files.values()))

    def tables(self) -> Mapping[str, Table]:
        """Return the first rows of every table, which only a page shows."""
        return {name: _first_rows(name, frame) for name, frame in self.files.items()}

    def write(self, directory: str | Path) -> tuple[Path, ...]:
        """Write all tables into a directory, or none of them; no input is written over."""
        folder = Path(directory)
        for name in self.files:
            check_output(folder / name, self.inputs)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=folder) as partial:
                for name, table in self.files.items():
                    table.write_csv(Path(partial, name))
                for name in self.files:
                    Path(partial, name).replace(folder / name)
        except OSError as error:
            raise InputError(f"cannot write into {folder} ({error.strerror}): choose another directory") from None
        return tuple(folder / name for name in self.files)


@dataclass(frozen=True)
class Simulation(SimulatedTables):
    """A simulated study: `ratings` (item, rater, response) and `answers` (item, system, response or probabilities).

    ``effects`` are the perturbations of A and of B; with ``null`` both systems answer from the same law.
    """

    population: Population
    ratings: pl.DataFrame
    answers: pl.DataFrame
    effects: tuple[float, float]
    null: bool = False

    def sentence(self) -> Sentence:
        """Say in one sentence what was drawn."""
        items = self.ratings["item"].n_unique()
        size = f"{count(items, 'item')} with {count(self.ratings.height // items, 'response')} each"
        perturbed = [f"{name} perturbed by {e:g}" for name, e in zip("AB", self.effects, strict=True) if e]
        alike = self.null or not perturbed
        systems = "two equally good systems" if alike else f"two systems ({' and '.join(perturbed)})"
        return Sentence(f"Drew {size}", f"and the answers of {systems}, from the population.", ",")

    def content(self) -> dict[str, Any]:
        """Return sizes and the population; the tables themselves are in the files."""
        return {
            "items": self.ratings["item"].n_unique(),
            "raters": self.ratings["rater"].n_unique(),
            "responses": self.ratings.height,
            "answers": self.answers.height,
            "population": self.population.parameters(),
        }

    @property
    def files(self) -> Mapping[str, pl.DataFrame]:
        """``ratings.csv`` and ``answers.csv``."""
        return {"ratings.csv": self.ratings, "answers.csv": self.answers}


@dataclass(frozen=True)
class CrowdSimulation(SimulatedTables):
    """A simulated crowd: `votes`, labels of the `experts`, `scores` of classifiers, and the `truth` of all items.

    Each item has ``n_votes`` votes.
    """

    crowd: str
    n_votes: int
    votes: pl.DataFrame
    experts: pl.DataFrame
    scores: pl.DataFrame
    truth: pl.DataFrame

    def sentence(self) -> Sentence:
        """Say in one sentence what was drawn."""
        size = f"{count(self.truth.height, 'item')} with {count(self.n_votes, 'vote')} each"
        more = f"{count(self.experts.height, 'expert label')} and scores of {count(self.systems, 'system')}"
        share = percent(self.truth["label"].to_numpy().mean())
        rest = f"{share} of the items are positive."
        return Sentence(f"Drew {size}, {more} from the crowd {self.crowd}", rest, ";")

    @property
    def systems(self) -> int:
        """How many systems have scores."""
        return self.scores.height // self.truth.height

    def content(self) -> dict[str, Any]:
        """Return sizes; the tables themselves are in the files."""
        return {
            "items": self.truth.height,
            "votes": self.truth.height * self.n_votes,
            "experts": self.experts.height,
            "systems": self.systems,
            "population": {"kind": "crowd", "name": self.crowd},
        }

    @property
    def files(self) -> Mapping[str, pl.DataFrame]:
        """``votes.csv``, ``experts.csv``, ``scores.csv`` and ``truth.csv``."""
        tables = {"votes": self.votes, "experts": self.experts, "scores": self.scores, "truth": self.truth}
        return {f"{name}.csv": table for name, table in tables.items()}


def _first_rows(name: str, frame: pl.DataFrame) -> Table:
    rows = [tuple(map(_cell, row)) for row in frame.head(FIRST).rows()]
    caption = f"The first {len(rows)} of {frame.height:,} rows of {name}"
    return Table(caption, tuple(frame.columns), rows, numbers=True)


def _cell(value: object) -> str:
    return number(value) if isinstance(value, float) else str(value)
