"""`quorate audit`."""

from dataclasses import replace

from quorate.auditing.question import AuditQuestion
from quorate.cli.command import command
from quorate.cli.output import OutputOptions, show


@command
def audit(question: AuditQuestion, output: OutputOptions) -> int:
    """Try tests on many simulated studies: error rate without a difference, power with one, coverage and width.

    Examples:
      quorate audit --preset dices --items 100 --raters 5 --metric agreement --null sharp
      quorate audit --preset dices --items 100 --raters 5 --metric agreement --effect 0.3
      quorate audit --preset uniform-normal --items 200 --raters 5 --metric mae --null sharp --test default,permutation
      quorate audit --preset dices --items 100 --raters 5 --replicates 1000000 --cluster tcp://10.0.0.1:8786
      quorate audit --preset shared-raters --items 300 --raters 6 --unit items,items+raters
      quorate audit --preset preference --items 13 --raters 40 --pool 124 --unit items+raters,votes
    """
    from quorate.auditing.verb import answer

    return show(answer(replace(question, progress=not output.quiet)), output)
