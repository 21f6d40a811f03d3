"""`quorate convert`."""

from quorate.cli.command import command
from quorate.cli.output import OutputOptions, show, working
from quorate.converting.question import ConvertQuestion


@command
def convert(question: ConvertQuestion, output: OutputOptions) -> int:
    """Turn logs and exports of other tools into one long table, and say which field became what.

    Inspect, lm-eval, promptfoo, Label Studio and others are recognised by what a file holds.

    Examples:
      quorate convert new.eval old.eval --score match -o long.csv
      quorate convert logs -o long.parquet
      quorate convert new=samples_a.jsonl old=samples_b.jsonl --filter strict-match -o long.csv
      quorate convert export.json --score quality
    """
    with working("reading", output):
        from quorate.converting.verb import answer

        result = answer(question)
    return show(result, output)
