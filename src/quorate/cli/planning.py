"""`quorate plan POPULATION --difference D`."""

from typing import Annotated, Literal

from cyclopts import Parameter

from quorate._errors import InputError
from quorate.cli.options import OutputOptions, ReadingOptions, report_loading, show, split
from quorate.cli.population import PopulationOptions, choose, parse_answers

__all__ = ["plan"]


def plan(
    *,
    metric: list[str] | None = None,
    difference: float | None = None,
    effect: float | None = None,
    goal: str | None = None,
    budget: float | None = None,
    items: list[str] | None = None,
    raters: list[str] | None = None,
    have: str | None = None,
    min_items: int = 30,
    margin: float | None = None,
    score: float | None = None,
    systems_agree: float | None = None,
    at_raters: int = 5,
    answers: str | None = None,
    unit: str = "auto",
    pool: int | None = None,
    max_per_rater: int | None = None,
    rater_share: float | None = None,
    item_price: float = 0.0,
    rating_price: float = 1.0,
    expert_price: float = 0.0,
    precision: float = 0.003,
    confidence: float = 0.95,
    systems: list[str] | None = None,
    system_column: str | None = None,
    run_column: str | None = None,
    missing: Literal["error", "drop"] = "error",
    positive: str | None = None,
    variant: Literal["default", "paper"] = "default",
    grid: str | None = None,
    workers: int = 1,
    resume: bool = False,
    population: Annotated[PopulationOptions, Parameter(name="*")] = PopulationOptions(),
    reading: Annotated[ReadingOptions, Parameter(name="*")] = ReadingOptions(),
    output: Annotated[OutputOptions, Parameter(name="*")] = OutputOptions(),
) -> int:
    """Say how many items and raters to buy to see a difference, and what the cheapest mix is.

    Examples:
      quorate plan --preset dices --difference 0.03
      quorate plan --from pilot.csv --with answers.csv --difference 0.02 --item-price 2 --rating-price 0.2
      quorate plan --from pilot.csv --difference 0.03 --budget 2000
      quorate plan --preset dices --difference 0.03 --items 200,400 --raters 1-5
      quorate plan --preset dices --difference 0.03 --have 200,3
      quorate plan --from pilot.csv --with answers.csv --difference 0.02 --pool 6 --max-per-rater 300
      quorate plan --preset dices --difference 0.03 --pool 12 --rater-share 0.1
      quorate plan --resample ratings.csv --resample-unit items+raters --effect 0.3 --pool 20
      quorate plan --grid forest -o sweep.parquet --workers 2

    Parameters
    ----------
    metric
        The metric, or several with --effect; the default of the scale if not given.
    difference
        The difference that must be seen, in the metric's units.
    effect
        Instead: the perturbation of system B.
    goal
        power=.8 (default), width=.05 for the interval, p=.05 for the papers' expected p, or, with --margin,
        equivalence=.8.
    budget
        Most that may be spent: money if a price is given, else ratings. Alone it buys the most power.
    items
        Numbers of items to look at: 200, or 100,200, or 100-120.
    raters
        Raters per item to look at: 3, or 1,3,5, or 1-10.
    have
        What is there already, N,K: asks what to buy next.
    min_items
        Fewest items worth a study.
    margin
        Plan for being no worse than this instead.
    score
        System A's own expected score.
    systems_agree
        Share of items on which both systems give the same answer.
    at_raters
        Raters per item at which --difference holds, for metrics that move with their number.
    answers
        Answers per item of each system: a number (1 if not given), raters, or probabilities.
    unit
        What the study draws: auto counts a pilot's raters as random if they come back on other items; items never does;
        items+raters (S1) insists; cluster:COLUMN and batches (S3) draw groups of items as a whole.
    pool
        People who can be asked; a pilot's number of raters if not given. With --resample, so many of its raters.
    max_per_rater
        With --pool: most items one person can do.
    rater_share
        With --pool and a population: share of the spread among the raters of an item that is the raters' own, 0 to 1.
    item_price
        Price of an item.
    rating_price
        Price of a rating.
    expert_price
        Price of an expert label.
    precision
        Wanted Monte-Carlo error of the power.
    confidence
        Level of the test.
    systems
        With --with: the two systems, the one expected to be better first.
    system_column
        With --with: column that names the system.
    run_column
        With --with: column that names the run.
    missing
        With --with: items a system did not answer.
    positive
        The positive category, for precision, recall, f1 and auc; a population's last one if not given.
    variant
        paper for the papers' habits.
    grid
        Sweep a whole grid instead: forest, or a TOML file.
    workers
        With --grid: processes to use.
    resume
        With --grid: go on where the last sweep stopped.
    """
    if workers < 1:
        raise InputError("--workers must be at least 1.")
    if grid is not None:
        from quorate.cli.sweep import run_sweep

        return run_sweep(grid, workers=workers, resume=resume, output=output)
    from quorate.planning.verb import plan as answer

    pilot = None
    world = None
    if population.with_answers is not None and population.from_ratings is not None:
        if any(
            x is not None for x in (population.preset, population.population, population.alpha, population.resample)
        ):
            raise InputError("--from with --with is the pilot to plan from: name no other population.")
        from quorate.data.read_ratings import read_ratings
        from quorate.data.systems import read_systems

        data = read_ratings(population.from_ratings, **reading.reading())
        report_loading(data, output)
        pilot = read_systems(
            population.with_answers, data, missing=missing, system_column=system_column, run_column=run_column
        )
    else:
        world = choose(population, reading, output)
    names = split(metric)
    result = answer(
        world,
        pilot=pilot,
        systems=split(systems),
        metric=names[0] if names and len(names) == 1 else names,
        difference=difference,
        effect=effect,
        goal=goal,
        budget=budget,
        items=_numbers(items, "--items"),
        raters=_numbers(raters, "--raters"),
        have=_pair(have),
        min_items=min_items,
        margin=margin,
        score=score,
        systems_agree=systems_agree,
        at_raters=at_raters,
        answers=None if answers is None else parse_answers(answers),
        unit=unit,
        pool=pool,
        max_per_rater=max_per_rater,
        rater_share=rater_share,
        item_price=item_price,
        rating_price=rating_price,
        expert_price=expert_price,
        precision=precision,
        confidence=confidence,
        positive=positive,
        variant=variant,
        seed=output.seed,
    )
    show(result, output)
    return 0


def _numbers(words: list[str] | None, flag: str) -> list[int] | None:
    """Return the whole numbers of 3, or 1,3,5, or 1-10."""
    if words is None:
        return None
    numbers: list[int] = []
    for word in split(words) or []:
        low, _, high = word.partition("-")
        if not low.isdecimal() or (high and not high.isdecimal()):
            raise InputError(f"{flag} {word} is not a number, list or range; write 3, or 1,3,5, or 1-10.")
        numbers += range(int(low), int(high or low) + 1)
    return numbers


def _pair(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    words = text.split(",")
    if len(words) != 2 or not all(word.strip().isdecimal() for word in words):
        raise InputError(f"--have {text} is not N,K; write the items and raters you have, such as 200,3.")
    return int(words[0]), int(words[1])
