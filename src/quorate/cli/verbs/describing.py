"""`quorate describe`."""

from quorate.cli.command import command
from quorate.cli.output import OutputOptions, show, working
from quorate.describing.question import DescribeQuestion


@command
def describe(question: DescribeQuestion, output: OutputOptions) -> int:
    """Say what is in a file of ratings: how many, who rated what, how much raters disagree, and who leans where.

    Examples:
      quorate describe ratings.csv
      quorate describe ratings.csv --scale ordinal --order low,mid,high
      quorate describe votes.jsonl --item-column doc_id,question --json
      quorate describe rated.csv --rated-system model
      cat ratings.csv | quorate describe - -o items.csv
    """
    with working(f"describing {question.ratings}", output):
        from quorate.describing.verb import answer

        description = answer(question)
    return show(description, output)
