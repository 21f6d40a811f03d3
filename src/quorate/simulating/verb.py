"""`simulate`: draw a study from a population, in the files `compare` reads, or a crowd's votes for `estimate`."""

import tempfile
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from quorate._errors import InputError
from quorate._random import generator
from quorate._text import count, percent
from quorate.populations.choice import NamedPopulation, as_population
from quorate.populations.crowds import CROWDS
from quorate.populations.long_tables import answers_table, ratings_table
from quorate.populations.population import Answers, Population
from quorate.results.result import Result
from quorate.simulating.crowd_tables import draw_crowd

__all__ = ["CrowdSimulation", "Simulation", "simulate"]


@dataclass(frozen=True)
class Drawn(Result):
    """Tables that were drawn, and files to write them to."""

    verb: ClassVar[str] = "simulate"

    @property
    @abstractmethod
    def files(self) -> Mapping[str, pl.DataFrame]:
        """The tables by the name of their file."""

    def to_frame(self) -> pl.DataFrame:
        """Return the first table: what the raters said."""
        return next(iter(self.files.values()))

    def __str__(self) -> str:
        return "\n".join([self.sentence(), *(f"Warning: {warning}" for warning in self.warnings)])

    def write(self, directory: str | Path) -> tuple[Path, ...]:
        """Write all tables into a directory, or none of them."""
        folder = Path(directory)
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
class Simulation(Drawn):
    """A simulated study: `ratings` (item, rater, response) and `answers` (item, system, response or probabilities)."""

    population: Population
    ratings: pl.DataFrame
    answers: pl.DataFrame

    def sentence(self) -> str:
        """Say in one sentence what was drawn."""
        s = self.settings
        drawn = f"{count(s['items'], 'item')} with {count(s['raters'], 'response')} each"
        alike = s["null"] or s["effect"] == s["effect_a"] == 0
        effects = [f"{name} perturbed by {s[key]:g}" for name, key in (("A", "effect_a"), ("B", "effect")) if s[key]]
        systems = "two equally good systems" if alike else f"two systems ({' and '.join(effects)})"
        return f"Drew {drawn}, and the answers of {systems}, from the population."

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
class CrowdSimulation(Drawn):
    """A simulated crowd: `votes`, labels of the `experts`, `scores` of classifiers, and the `truth` of all items."""

    crowd: str
    votes: pl.DataFrame
    experts: pl.DataFrame
    scores: pl.DataFrame
    truth: pl.DataFrame

    def sentence(self) -> str:
        """Say in one sentence what was drawn."""
        s, systems = self.settings, self.systems
        return (
            f"Drew {count(s['items'], 'item')} with {count(s['raters'], 'vote')} each, "
            f"{count(self.experts.height, 'expert label')} and scores of {count(systems, 'system')} "
            f"from the crowd {self.crowd}; {percent(self.truth['label'].to_numpy().mean())} of the items are positive."
        )

    @property
    def systems(self) -> int:
        """How many systems have scores."""
        return self.scores.height // self.truth.height

    def content(self) -> dict[str, Any]:
        """Return sizes; the tables themselves are in the files."""
        return {
            "items": self.truth.height,
            "votes": self.truth.height * int(self.settings["raters"]),
            "experts": self.experts.height,
            "systems": self.systems,
            "population": {"kind": "crowd", "name": self.crowd},
        }

    @property
    def files(self) -> Mapping[str, pl.DataFrame]:
        """``votes.csv``, ``experts.csv``, ``scores.csv`` and ``truth.csv``."""
        return {f"{name}.csv": getattr(self, name) for name in ("votes", "experts", "scores", "truth")}


def simulate(
    population: NamedPopulation,
    *,
    items: int,
    raters: int,
    answers: Answers = 1,
    answers_a: Answers | None = None,
    answers_b: Answers | None = None,
    effect: float = 0.0,
    effect_a: float = 0.0,
    null: bool = False,
    expert_share: float | None = None,
    seed: int = 0,
) -> Simulation | CrowdSimulation:
    """Draw one study: ratings and the answers of systems A and B, or a crowd's votes, expert labels and scores.

    Parameters
    ----------
    population
        A population, the name of a preset, a population file or its content, or a Dirichlet's alpha; or a crowd:
        ``"maven"``, ``"irt"`` or ``"copula-SHAPE"``.
    items, raters
        Items, and responses (votes) per item.
    answers, answers_a, answers_b
        Answers per item of both systems, or of each: a number, ``"raters"`` or ``"probabilities"``.
    effect, effect_a
        Perturbation of B, and of A.
    null
        Draw both systems from the even mixture of A's and B's laws.
    expert_share
        For a crowd: share of the items, chosen at random, that an expert labels; 0.05 if not given.
    seed
        Seed of the draw.

    Examples
    --------
    >>> study = simulate("dices", items=3, raters=2, effect=0.3, answers="probabilities")
    >>> study.ratings.columns, study.answers.columns
    (['item', 'rater', 'response'], ['item', 'system', 'No', 'Unsure', 'Yes'])
    >>> simulate("irt", items=200, raters=3, expert_share=0.1).experts.height
    20
    """
    if isinstance(population, str) and population.strip().lower() in CROWDS:
        if (answers, answers_a, answers_b, effect, effect_a, null) != (1, None, None, 0.0, 0.0, False):
            raise InputError(f"{population} draws votes and scores, not answers: leave out answers, effects and null")
        return _crowd(population.strip().lower(), items, raters, 0.05 if expert_share is None else expert_share, seed)
    if expert_share is not None:
        raise InputError(f"experts belong to crowds ({', '.join(CROWDS)}): leave out --expert-share")
    world = as_population(population)
    study = world.draw(
        n_replicates=1,
        n_items=items,
        n_raters=raters,
        answers=answers,
        answers_a=answers_a,
        answers_b=answers_b,
        effect=effect,
        effect_a=effect_a,
        null=null,
        rng=generator(seed, "simulate", "draw"),
    )
    names, rng = world.labels, generator(seed, "simulate", "order")
    return Simulation(
        population=world,
        ratings=ratings_table(study, names, rng=rng),
        answers=answers_table(study, names, rng=rng),
        seed=seed,
        settings={
            "items": items,
            "raters": raters,
            "answers_a": answers if answers_a is None else answers_a,
            "answers_b": answers if answers_b is None else answers_b,
            "effect": effect,
            "effect_a": effect_a,
            "null": null,
        },
    )


def _crowd(name: str, items: int, raters: int, expert_share: float, seed: int) -> CrowdSimulation:
    tables = draw_crowd(name, items, raters, expert_share, rng=generator(seed, "simulate", "crowd"))
    settings = {"items": items, "raters": raters, "expert_share": expert_share}
    return CrowdSimulation(
        crowd=name,
        votes=tables["votes"],
        experts=tables["experts"],
        scores=tables["scores"],
        truth=tables["truth"],
        seed=seed,
        settings=settings,
    )
