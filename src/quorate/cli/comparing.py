"""`quorate compare RATINGS ANSWERS`."""

from typing import Annotated, Literal

from cyclopts import Parameter

from quorate._errors import InputError
from quorate.cli.options import OutputOptions, ReadingOptions, report_loading, say, show, split

__all__ = ["compare"]

EXIT_CODES = {"a_better": 0, "equivalent": 0, "not_worse": 0, "b_better": 1, "inconclusive": 3, "identical": 3}


def compare(
    ratings: str,
    answers: str | None = None,
    *,
    rated_system: str | None = None,
    metric: list[str] | None = None,
    systems: list[str] | None = None,
    baseline: str | None = None,
    margin: float | None = None,
    by: str | None = None,
    gate: bool = False,
    test: str = "default",
    unit: str = "auto",
    raters_are: Literal["random", "fixed"] = "random",
    items_are: Literal["random", "fixed"] = "random",
    confidence: float = 0.95,
    positive: str | None = None,
    better: Literal["high", "low"] = "high",
    variant: Literal["default", "paper"] = "default",
    missing: Literal["error", "drop"] = "error",
    system_column: str | None = None,
    run_column: str | None = None,
    resamples: int = 9999,
    reading: Annotated[ReadingOptions, Parameter(name="*")] = ReadingOptions(),
    output: Annotated[OutputOptions, Parameter(name="*")] = OutputOptions(),
) -> int:
    """Say whether one system is really better than another, counting the spread over items, answers and raters.

    Examples:
      quorate compare ratings.csv answers.csv
      quorate compare ratings.csv answers.csv --systems new,old --margin 0.02 --gate
      quorate compare ratings.csv answers.csv --metric agreement,accuracy --by domain
      quorate compare ratings.csv answers.csv --items-are fixed
      quorate compare mqm.csv --rated-system system --better low --unit cluster:doc

    Parameters
    ----------
    ratings
        File of ratings.
    answers
        File of the systems' answers: item, system, response (and run), or a probability column per category.
    rated_system
        Instead of answers: the column of the ratings that says which system's output was rated.
    metric
        One or more of agreement, brier, crps, accuracy, total_variation, kl, jensen_shannon, mae, mse, rmse, emd,
        cross_entropy, wins, wins:METRIC, precision, recall, f1, auc, spearman, cosine, emd_of_means; by default the
        one that fits the scale.
    systems
        The systems to compare, a before b; all by default.
    baseline
        Compare every other system with this one.
    margin
        The difference that matters, in the metric's units; allows the verdicts not worse and equivalent.
    by
        Compare within the groups of this column too.
    gate
        Exit 0 if the first system is better, not worse or equivalent, 1 if it is worse, 3 if the data do not say.
    test
        default, permutation, bootstrap, wilcoxon, welch, mcnemar, or published:ITEMS:ANSWERS.
    unit
        What was drawn at random: items, items+raters (S1), raters-within-items (S2), batches (S3), cluster:COLUMN for
        groups of items, cluster:COLUMN+raters; by default as who rated what suggests.
    raters_are
        fixed if only these raters matter; random if others might have been asked.
    items_are
        fixed to ask whether other raters of these very items would agree.
    confidence
        Level of the intervals.
    positive
        The positive category, for precision, recall, f1 and auc.
    better
        Whether high or low ratings are good, for --rated-system.
    variant
        paper for the papers' habits: first-category ties, TV / M, KL with 1e-12, plurality of runs.
    missing
        Items a system did not answer: an error, or left out for every system.
    system_column
        Column of the answers that names the system.
    run_column
        Column of the answers that names the run.
    resamples
        Draws of the resampling tests.
    """
    from quorate.comparing.verb import compare as answer
    from quorate.data.read_ratings import Source, read_ratings

    data: Source = ratings
    if rated_system is None and answers is not None:
        data = read_ratings(ratings, **reading.reading())
        report_loading(data, output)
    result = answer(
        data,
        answers,
        rated_system=rated_system,
        metric=split(metric),
        systems=split(systems),
        baseline=baseline,
        margin=margin,
        by=by,
        test=test,
        unit=unit,
        raters_are=raters_are,
        items_are=items_are,
        confidence=confidence,
        positive=positive,
        better=better,
        variant=variant,
        missing=missing,
        system_column=system_column,
        run_column=run_column,
        resamples=resamples,
        seed=output.seed,
        **reading.reading(),
    )
    if gate and len(result.pairs) != 1:
        raise InputError("--gate takes one metric and two systems; name them with --systems A,B and --metric.")
    say("\n".join(result.loading) + "\n", output)
    show(result, output)
    if not gate:
        return 0
    identical_within_margin = result.pairs[0].verdict == "identical" and margin is not None
    return 0 if identical_within_margin else EXIT_CODES[result.pairs[0].verdict]
