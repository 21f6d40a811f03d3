"""`quorate audit POPULATION --items N --raters K`."""

from quorate.auditing.question import AuditQuestion
from quorate.cli.command import command
from quorate.cli.output import OutputOptions, show

__all__ = ["audit"]


@command
def audit(question: AuditQuestion, output: OutputOptions) -> int:
    """Try tests on many simulated studies: error rate without a difference, power with one, coverage and width.

    Examples:
      quorate audit --preset dices --items 100 --raters 5 --metric agreement --null sharp
      quorate audit --preset dices --items 100 --raters 5 --metric agreement --effect 0.3
      quorate audit --preset uniform-normal --items 200 --raters 5 --answers raters --metric mae --null sharp
          --test default,permutation,published:bootstrap:all --replicates 4000 --workers 2
      quorate audit --preset shared-raters --items 300 --raters 6 --unit items,items+raters
    """
    from quorate.auditing.verb import answer

    show(answer(question, progress=not output.quiet), output)
    return 0
