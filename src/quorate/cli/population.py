"""The options that name a population, shared by plan, simulate and audit."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Group, Parameter

from quorate._errors import InputError
from quorate.cli.options import OutputOptions, ReadingOptions, report_loading, say, split

if TYPE_CHECKING:
    from quorate.data.ratings import Ratings
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
    """Return the population the options name, reading and reporting its ratings if it has any.

    ``--with`` is left to the verb that reads the systems' answers.
    """
    from quorate.populations.choose import choose_population, parse_alpha

    if options.with_answers is not None and options.from_ratings is None:
        raise InputError("--with names answers to the ratings of --from: give both, or neither")
    words, source = split(options.alpha), _read(options.from_ratings, reading, output)
    population = choose_population(
        preset=options.preset,
        population=options.population,
        alpha=None if words is None else parse_alpha(",".join(words)),
        source=source,
        resample=_read(options.resample, reading, output),
        resample_unit=options.resample_unit,
        pool=options.resample_pool,
        seed=output.seed,
    )
    if source is not None:
        _report_fit(source, population, output)
    return population


def parse_answers(text: str) -> "Answers":
    """Return what ``--answers`` names: a number, raters or probabilities.

    Examples
    --------
    >>> parse_answers("3"), parse_answers("raters")
    (3, 'raters')
    """
    word = text.strip().lower()
    if word == "raters":
        return "raters"
    if word == "probabilities":
        return "probabilities"
    if not word.isdecimal() or int(word) < 1:
        raise InputError(f"--answers must be a number of at least 1, raters or probabilities, not '{text}'")
    return int(word)


def _report_fit(ratings: "Ratings", population: "Population", output: OutputOptions) -> None:
    """Say which population was fitted and where it does not describe the ratings."""
    from quorate.fitting.verb import fit

    found = fit(ratings, population=population, seed=output.seed)
    say("\n".join([found.sentence(), *(f"Warning: {warning}" for warning in found.warnings)]) + "\n", output)


def _read(path: str | None, reading: ReadingOptions, output: OutputOptions) -> "Ratings | None":
    if path is None:
        return None
    from quorate.data.read_ratings import read_ratings

    ratings = read_ratings(path, **reading.reading())
    report_loading(ratings, output)
    return ratings
