"""`quorate fit RATINGS`."""

from typing import Annotated, Literal

from cyclopts import Parameter

from quorate.cli.options import OutputOptions, ReadingOptions, report_loading, show

__all__ = ["fit"]


def fit(
    ratings: str,
    *,
    method: Literal["map", "ml"] = "map",
    family: Literal["dirichlet", "normal", "auto"] = "auto",
    evaluate: str | None = None,
    reading: Annotated[ReadingOptions, Parameter(name="*")] = ReadingOptions(),
    output: Annotated[OutputOptions, Parameter(name="*")] = OutputOptions(),
) -> int:
    """Find the population that ratings look like, and check how well it describes them.

    With -o FILE.json the result is a population file for plan, simulate and audit.

    Examples:
      quorate fit pilot.csv -o pilot.json
      quorate fit stars.csv --family normal
      quorate fit pilot.csv --evaluate dices
      quorate fit pilot.csv --evaluate 5.22,0.86,2.75

    Parameters
    ----------
    ratings
        File of ratings: CSV, TSV, JSON lines, JSON or Parquet, gzipped or not; - for standard input; example:NAME.
    method
        How to fit a Dirichlet: with a weak prior (map), or by maximum likelihood (ml).
    family
        What to fit; auto takes whichever describes the answers better.
    evaluate
        Hold this population against the ratings instead of fitting one: a preset, a population file, or an alpha.
    """
    from quorate.data.read_ratings import read_ratings
    from quorate.fitting.verb import fit as answer

    data = read_ratings(ratings, **reading.reading())
    report_loading(data, output)
    show(answer(data, method=method, family=family, population=evaluate, seed=output.seed), output)
    return 0
