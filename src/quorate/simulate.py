"""`simulate`: draw a study from a population – ratings and two systems' answers, in the files `compare` reads."""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import polars as pl

from quorate._errors import InputError
from quorate._random import generator
from quorate._result import Result
from quorate._text import count
from quorate.populations.choose import NamedPopulation, as_population
from quorate.populations.draw import Answers, Population
from quorate.populations.responses import answers_table, ratings_table

__all__ = ["Simulation", "simulate"]


@dataclass(frozen=True)
class Simulation(Result):
    """A simulated study: `ratings` (item, rater, response) and `answers` (item, system, response or probabilities)."""

    verb: ClassVar[str] = "simulate"
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
            "population": self.population.to_dict() if self.population.kind != "empirical" else {"kind": "empirical"},
        }

    def to_frame(self) -> pl.DataFrame:
        """Return the ratings."""
        return self.ratings

    def __str__(self) -> str:
        return "\n".join([self.sentence(), *(f"Warning: {warning}" for warning in self.warnings)])

    def write(self, directory: str | Path) -> tuple[Path, Path]:
        """Write ``ratings.csv`` and ``answers.csv`` into a directory, both or neither."""
        folder = Path(directory)
        tables = {"ratings.csv": self.ratings, "answers.csv": self.answers}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=folder) as partial:
                for name, table in tables.items():
                    table.write_csv(Path(partial, name))
                for name in tables:
                    Path(partial, name).replace(folder / name)
        except OSError as error:
            raise InputError(f"cannot write into {folder} ({error.strerror}): choose another directory") from None
        return folder / "ratings.csv", folder / "answers.csv"


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
    seed: int = 0,
) -> Simulation:
    """Draw one study: ratings, and the answers of systems A and B.

    Parameters
    ----------
    population
        A population, the name of a preset, a population file or its content, or a Dirichlet's alpha.
    items, raters
        Items, and responses per item.
    answers, answers_a, answers_b
        Answers per item of both systems, or of each: a number, ``"raters"`` or ``"probabilities"``.
    effect, effect_a
        Perturbation of B, and of A.
    null
        Draw both systems from the even mixture of A's and B's laws.
    seed
        Seed of the draw.

    Examples
    --------
    >>> study = simulate("dices", items=3, raters=2, effect=0.3, answers="probabilities")
    >>> study.ratings.columns, study.answers.columns
    (['item', 'rater', 'response'], ['item', 'system', 'No', 'Unsure', 'Yes'])
    """
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
