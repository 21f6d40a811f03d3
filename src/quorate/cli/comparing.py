"""`quorate compare RATINGS ANSWERS`."""

from typing import Annotated

from cyclopts import Parameter

from quorate._errors import InputError
from quorate.cli.command import command
from quorate.cli.output import OutputOptions, show, working
from quorate.comparing.question import CompareQuestion

__all__ = ["compare"]

EXIT_CODES = {"a_better": 0, "equivalent": 0, "not_worse": 0, "b_better": 1, "inconclusive": 3, "identical": 3}
GATE = "Exit 0 if the first system is better, not worse or equivalent, 1 if it is worse, 3 if the data do not say."


@command
def compare(
    question: CompareQuestion, *, gate: Annotated[bool, Parameter(help=GATE)] = False, output: OutputOptions
) -> int:
    """Say whether one system is really better than another, counting the spread over items, answers and raters.

    Examples:
      quorate compare ratings.csv answers.csv
      quorate compare ratings.csv answers.csv --systems new,old --margin 0.02 --gate
      quorate compare ratings.csv answers.csv --metric agreement,accuracy --by domain
      quorate compare ratings.csv answers.csv --items-are fixed
      quorate compare mqm.csv --rated-system system --better low --unit cluster:doc
    """
    with working(f"comparing systems on {question.ratings}", output):
        from quorate.comparing.verb import answer

        result = answer(question)
    if gate and len(result.pairs) != 1:
        raise InputError("--gate takes one metric and two systems; name them with --systems A,B and --metric.")
    show(result, output)
    if not gate:
        return 0
    identical_within_margin = result.pairs[0].verdict == "identical" and question.margin is not None
    return 0 if identical_within_margin else EXIT_CODES[result.pairs[0].verdict]
