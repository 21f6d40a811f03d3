"""`quorate describe RATINGS`."""

from typing import Annotated

from cyclopts import Parameter

from quorate.cli.options import Level, OutputOptions, ReadingOptions, Whole, report_loading, show, working

__all__ = ["describe"]


def describe(
    ratings: str,
    *,
    top: Whole = 5,
    rater_groups: str | None = None,
    confidence: Level = 0.95,
    reading: Annotated[ReadingOptions, Parameter(name="*")] = ReadingOptions(),
    output: Annotated[OutputOptions, Parameter(name="*")] = OutputOptions(),
) -> int:
    """Say what is in a file of ratings: how many, who rated what, how much raters disagree, and who leans where.

    Examples:
      quorate describe ratings.csv
      quorate describe ratings.csv --scale ordinal --order low,mid,high
      quorate describe votes.jsonl --item-column doc_id,question --json
      cat ratings.csv | quorate describe - -o items.csv

    Parameters
    ----------
    ratings
        File of ratings: CSV, TSV, JSON lines, JSON or Parquet, gzipped or not; - for standard input; example:NAME.
    top
        How many of the most disputed items to list, and of the raters who lean most surely.
    rater_groups
        Column that groups the raters; all such columns by default.
    confidence
        Level of the interval for Krippendorff's alpha.
    """
    from quorate.data.read_ratings import read_ratings

    with working(f"reading {ratings}", output):
        data = read_ratings(ratings, **reading.reading())
    report_loading(data, output)
    from quorate.describing.verb import describe as answer

    with working("comparing raters", output):
        found = answer(data, top=top, rater_groups=rater_groups, confidence=confidence, seed=output.seed)
    show(found, output)
    return 0
