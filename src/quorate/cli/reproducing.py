"""`quorate reproduce PAPER|all`."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from quorate.cli.options import OutputOptions, show

__all__ = ["reproduce"]


def reproduce(
    *papers: Literal["forest", "ratings", "leaderboard", "multilevel", "maven", "all"],
    quick: bool = False,
    data: Path | None = None,
    workers: int = 1,
    resume: bool = False,
    output: Annotated[OutputOptions, Parameter(name="*")] = OutputOptions(),
) -> int:
    """Compute the papers' published figures again; exit 1 when one that should match does not.

    Examples:
      quorate reproduce forest --quick
      quorate reproduce all --data DATASETS --workers 2 -o reproduction.html

    Parameters
    ----------
    papers
        forest, ratings, leaderboard, multilevel, maven; all by default.
    quick
        Fewer draws: minutes instead of an hour.
    data
        Folder of public data sets, one folder each; cells that need an absent one are not reproducible.
    workers
        Local processes.
    resume
        Go on with a run that was ended before it was done.
    """
    from quorate.reproducing.verb import reproduce as answer

    result = answer(
        papers or ("all",),
        quick=quick,
        data=data,
        workers=workers,
        resume=resume,
        progress=not output.quiet,
        seed=output.seed,
    )
    show(result, output)
    return 1 if result.failed else 0
