"""What `simulate` drew, a study of two systems or a crowd, with its files; and the populations that have a name."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from quorate._text import Sentence
from quorate.populations.choice import Preset
from quorate.populations.crowds import CrowdPreset
from quorate.populations.population import Population
from quorate.results.files import Writer, check_output, write_csv, write_together
from quorate.results.result import Result
from quorate.results.table import Table
from quorate.simulating.words import (
    crowd_sentence,
    first_rows,
    preset_table,
    presets_sentence,
    study_sentence,
    votes_sentence,
)


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
        return {name: first_rows(name, frame) for name, frame in self.files.items()}

    def write(
        self, directory: str | Path, more: Mapping[str, Writer] | None = None, *, keep_formulas: bool = False
    ) -> tuple[Path, ...]:
        """Write all tables, and `more` files, into a directory, or none of them; no input is written over."""
        folder = Path(directory)
        tables = {name: partial(write_csv, table, keep_formulas=keep_formulas) for name, table in self.files.items()}
        writers: dict[str, Writer] = {**tables, **(more or {})}
        for name in writers:
            check_output(folder / name, self.inputs)
        write_together(folder, writers)
        return tuple(folder / name for name in writers)


@dataclass(frozen=True)
class Simulation(SimulatedTables):
    """A simulated study: `ratings` (item, rater, response) and `answers` (item, system, response or probabilities).

    Where the systems' outputs were ``rated``, ratings name the system too and there are no answers.
    ``effects`` are the perturbations of A and of B; with ``null`` both systems answer from the same
    law.
    """

    population: Population
    ratings: pl.DataFrame
    answers: pl.DataFrame
    effects: tuple[float, float]
    null: bool = False
    rated: bool = False

    def sentence(self) -> Sentence:
        """Say in one sentence what was drawn."""
        return study_sentence(self)

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
        """``ratings.csv`` and ``answers.csv``; of rated outputs there are no answers."""
        return {"ratings.csv": self.ratings} | ({} if self.rated else {"answers.csv": self.answers})


@dataclass(frozen=True)
class VoteSimulation(SimulatedTables):
    """Simulated `votes` side by side: item, rater, system_a, system_b, winner, shown_first.

    Of ``n_systems``, s1 is the best, and each is preferred to the next by the ``margin``.
    """

    votes: pl.DataFrame
    population: Population
    n_systems: int
    margin: float

    def sentence(self) -> Sentence:
        """Say in one sentence what was drawn."""
        return votes_sentence(self)

    def content(self) -> dict[str, Any]:
        """Return sizes and the population; the votes themselves are in the file."""
        return {
            "items": self.votes["item"].n_unique(),
            "raters": self.votes["rater"].n_unique(),
            "votes": self.votes.height,
            "systems": self.n_systems,
            "margin": self.margin,
            "population": self.population.parameters(),
        }

    @property
    def files(self) -> Mapping[str, pl.DataFrame]:
        """``votes.csv``."""
        return {"votes.csv": self.votes}


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
        return crowd_sentence(self)

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


@dataclass(frozen=True)
class PresetList(Result):
    """All presets; print them for people, `to_dict` them for scripts."""

    verb: ClassVar[str] = "presets"
    presets: tuple[Preset, ...]
    crowds: tuple[CrowdPreset, ...] = ()

    def sentence(self) -> Sentence:
        """Say how many there are."""
        return presets_sentence(self)

    def tables(self) -> Mapping[str, Table]:
        """Return one table of all names."""
        return {"presets": preset_table(self.to_frame())}

    def content(self) -> dict[str, Any]:
        """Return every preset with its population."""
        populations: list[dict[str, Any]] = [preset.population.to_dict() for preset in self.presets]
        populations += [{"kind": "crowd"}] * len(self.crowds)
        named = zip(self.to_frame().drop("kind").to_dicts(), populations, strict=True)
        return {"presets": [row | {"population": population} for row, population in named]}

    def to_frame(self) -> pl.DataFrame:
        """Return one row per preset."""
        rows = [(p.name, p.population.kind, p.description, p.citation) for p in self.presets]
        rows += [(c.name, "crowd", c.description, c.citation) for c in self.crowds]
        return pl.DataFrame(rows, schema=["name", "kind", "description", "citation"], orient="row")
