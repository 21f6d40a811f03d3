"""The options that name a population, shared by plan, simulate and audit."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Group, Parameter

from quorate.cli.options import OutputOptions, ReadingOptions, say

if TYPE_CHECKING:
    from quorate.populations.population import Answers, Population

__all__ = ["PopulationOptions", "choose", "parse_answers"]

POPULATION = Group.create_ordered("Population (name exactly one)")


@Parameter(name="*", group=POPULATION)
@dataclass(frozen=True)
class PopulationOptions:
    """Which population to draw from.

    Parameters
    ----------
    preset
        Name of a preset; `quorate presets` lists them.
    population
        File that `quorate fit -o FILE.json` wrote.
    alpha
        Concentrations of a Dirichlet, with commas: 5.22,0.86,2.75.
    from_ratings
        File of ratings to fit a population to.
    with_answers
        File of systems' answers that go with --from, to plan from observed differences.
    resample
        File of ratings to resample.
    resample_unit
        What to resample: items, items+answers, raters-within-items (S2), items+raters (S1), batches (S3), or auto.
    resample_pool
        Limit the resampled raters to this many, drawn at random.
    """

    preset: str | None = None
    population: Path | None = None
    alpha: list[str] | None = None
    from_ratings: Annotated[str | None, Parameter(name="--from")] = None
    with_answers: Annotated[str | None, Parameter(name="--with")] = None
    resample: str | None = None
    resample_unit: str = "auto"
    resample_pool: int | None = None


def choose(options: PopulationOptions, reading: ReadingOptions, output: OutputOptions) -> "Population":
    """Return the population the options name, and say what was read and fitted."""
    from quorate.populations.choice import PopulationChoice
    from quorate.populations.choice import choose as choose_population

    given: dict[str, Any] = {**vars(options), **reading.reading()}
    chosen = choose_population(PopulationChoice(**given, seed=output.seed))
    lines = [*chosen.load_report, *(f"Warning: {warning}" for warning in chosen.warnings)]
    if lines:
        say("\n".join(lines) + "\n", output)
    return chosen.population


def parse_answers(text: str) -> "Answers":
    """Return what ``--answers`` names: a number, raters or probabilities."""
    from quorate.populations.choice import parse_answers as parse

    return parse("--answers", text)
