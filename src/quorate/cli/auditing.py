"""`quorate audit POPULATION --items N --raters K`."""

from typing import Annotated, Literal

from cyclopts import Parameter

from quorate._errors import InputError
from quorate.cli.options import OutputOptions, ReadingOptions, show, split
from quorate.cli.population import PopulationOptions, choose, parse_answers

__all__ = ["audit"]


def audit(
    *,
    items: int,
    raters: int,
    metric: str | None = None,
    effect: float = 0.0,
    null: Literal["sharp", "rescaled", "variance", "tail", "threshold"] | None = None,
    answers: str = "1",
    test: list[str] | None = None,
    unit: list[str] | None = None,
    pool: int | None = None,
    load: Literal["even", "unequal"] | None = None,
    replicates: int = 2000,
    confidence: float = 0.95,
    mc_confidence: float = 0.999,
    resamples: int = 999,
    variant: Literal["default", "paper"] = "default",
    workers: int = 1,
    resume: bool = False,
    population: Annotated[PopulationOptions, Parameter(name="*")] = PopulationOptions(),
    reading: Annotated[ReadingOptions, Parameter(name="*")] = ReadingOptions(),
    output: Annotated[OutputOptions, Parameter(name="*")] = OutputOptions(),
) -> int:
    """Try tests on many simulated studies: error rate without a difference, power with one, coverage and width.

    Examples:
      quorate audit --preset dices --items 100 --raters 5 --metric agreement --null sharp
      quorate audit --preset dices --items 100 --raters 5 --metric agreement --effect 0.3
      quorate audit --preset uniform-normal --items 200 --raters 5 --answers raters --metric mae --null sharp
          --test default,permutation,published:bootstrap:all --replicates 4000 --workers 2
      quorate audit --preset shared-raters --items 300 --raters 6 --unit items,items+raters

    Parameters
    ----------
    items
        Items per study.
    raters
        Responses per item.
    metric
        The metric; agreement for categories and crps for numbers by default.
    effect
        How far system B is perturbed.
    null
        A world without a difference: sharp (both systems answer from one law), or equal expected scores of unlike
        systems: rescaled, variance, tail, threshold.
    answers
        Answers per item of each system: a number, raters, or probabilities.
    test
        One or more tests, tried on the same studies.
    unit
        One or more of what the test counts as drawn at random: items, items+raters, batches; by default raters too
        where they come back on other items.
    pool
        People who rate, of whom --raters answer each item; for --preset shared-raters.
    load
        even, or unequal: the second of them answers half as often as the first, the third a third; as above.
    replicates
        How many studies.
    confidence
        Level of the tests.
    mc_confidence
        Level of the Monte-Carlo interval of the rates.
    resamples
        Draws of the resampling tests.
    variant
        paper for the papers' habits.
    workers
        Local processes.
    resume
        Go on with a run that was ended before it was done.
    """
    from quorate.auditing.verb import audit as answer

    if population.with_answers is not None:
        raise InputError("--with is for plan: audit draws the systems' answers itself.")
    result = answer(
        choose(population, reading, output),
        items=items,
        raters=raters,
        metric=metric,
        effect=effect,
        null=null,
        answers=parse_answers(answers),
        test=split(test) or ["default"],
        unit=split(unit) or ["auto"],
        pool=pool,
        load=load,
        replicates=replicates,
        confidence=confidence,
        mc_confidence=mc_confidence,
        resamples=resamples,
        variant=variant,
        workers=workers,
        resume=resume,
        progress=not output.quiet,
        seed=output.seed,
    )
    show(result, output)
    return 0
