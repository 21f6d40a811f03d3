"""`quorate reproduce`."""

from dataclasses import replace

from quorate.cli.command import command
from quorate.cli.output import OutputOptions, show
from quorate.reproducing.question import ReproduceQuestion


@command
def reproduce(question: ReproduceQuestion, output: OutputOptions) -> int:
    """Compute the papers' published figures again; exit 1 when one that should match does not.

    Examples:
      quorate reproduce forest --quick
      quorate reproduce all --data DATASETS -o reproduction.html
    """
    from quorate.reproducing.verb import answer

    result = answer(replace(question, progress=not output.quiet))
    shown = show(result, output)
    return 1 if result.failed else shown
