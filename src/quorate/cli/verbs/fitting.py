"""`quorate fit`."""

from quorate.cli.command import command
from quorate.cli.output import OutputOptions, show, working
from quorate.fitting.question import FitQuestion


@command
def fit(question: FitQuestion, output: OutputOptions) -> int:
    """Find the population that ratings look like, and check how well it describes them.

    With -o FILE.json the result is a population file for plan, simulate and audit.

    Examples:
      quorate fit pilot.csv -o pilot.json
      quorate fit stars.csv --family normal
      quorate fit pilot.csv --evaluate dices
      quorate fit pilot.csv --evaluate 5.22,0.86,2.75
    """
    with working(f"fitting {question.ratings}", output):
        from quorate.fitting.verb import answer

        result = answer(question)
    return show(result, output)
