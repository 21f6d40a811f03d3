"""`quorate simulate POPULATION --items N --raters K -o DIR`."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from quorate._errors import InputError
from quorate.cli.options import DirectoryOptions, ReadingOptions, say, show, write
from quorate.cli.population import PopulationOptions, choose, parse_answers

if TYPE_CHECKING:
    from quorate.populations.population import Population

__all__ = ["simulate"]


def simulate(
    *,
    items: int,
    raters: int,
    answers: str = "1",
    answers_a: str | None = None,
    answers_b: str | None = None,
    effect: float = 0.0,
    effect_a: float = 0.0,
    null: bool = False,
    expert_share: float | None = None,
    population: Annotated[PopulationOptions, Parameter(name="*")] = PopulationOptions(),
    reading: Annotated[ReadingOptions, Parameter(name="*")] = ReadingOptions(),
    output: Annotated[DirectoryOptions, Parameter(name="*")] = DirectoryOptions(),
) -> int:
    """Draw ratings and two systems' answers from a population, and write them as ratings.csv and answers.csv.

    The crowds maven, irt and copula-SHAPE (bimodal, extreme, flat, skewed) give what estimate reads instead: votes.csv,
    experts.csv, scores.csv, and truth.csv with the label of every item. A page, report.html, says what was drawn.

    Examples:
      quorate simulate --preset dices --items 200 --raters 5 --effect 0.3 -o study
      quorate simulate --alpha 5,1,3 --items 50 --raters 3 --answers probabilities -o study
      quorate simulate --resample pilot.csv --resample-unit items+raters --items 500 --raters 8 -o study
      quorate simulate --preset irt --items 10000 --raters 3 --expert-share 0.05 -o crowd

    Parameters
    ----------
    items
        Number of items.
    raters
        Responses per item; of a crowd, votes per item.
    answers
        Answers per item of each system: a number, raters (as many as there are), or probabilities.
    answers_a
        Answers per item of system A, if they differ.
    answers_b
        Answers per item of system B, if they differ.
    effect
        How far system B is perturbed.
    effect_a
        How far system A is perturbed; 0 answers like a random rater.
    null
        Draw both systems from the same law.
    expert_share
        Of a crowd: share of the items, chosen at random, that an expert labels; 0.05 if not given.
    """
    from quorate.simulating.verb import simulate as draw

    if output.output is None:
        raise InputError("name a directory for the files with -o DIR, or a page alone with -o report.html")
    if population.with_answers is not None:
        raise InputError("--with is for plan: simulate draws the systems' answers itself")
    study = draw(
        _named(population, reading, output),
        items=items,
        raters=raters,
        answers=parse_answers(answers),
        answers_a=None if answers_a is None else parse_answers(answers_a),
        answers_b=None if answers_b is None else parse_answers(answers_b),
        effect=effect,
        effect_a=effect_a,
        null=null,
        expert_share=expert_share,
        seed=output.seed,
    )
    if output.output.suffix.lower() == ".html" and not output.output.is_dir():
        show(study, output)
        return 0
    paths, page = study.write(output.output), output.output / "report.html"
    write(study, page)
    show(study, replace(output, output=None))
    say(f"written: {', '.join(map(str, paths))} and {page}", output)
    return 0


def _named(options: PopulationOptions, reading: ReadingOptions, output: DirectoryOptions) -> "Population | str":
    """Return the population the options name, or the name of a crowd."""
    from quorate.populations.crowds import CROWDS

    others = (options.population, options.alpha, options.from_ratings, options.resample)
    if options.preset is not None and options.preset.strip().lower() in CROWDS and not any(others):
        return options.preset
    return choose(options, reading, output)
