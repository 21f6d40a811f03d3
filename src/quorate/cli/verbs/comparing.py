"""`quorate compare`, and its gate."""

from dataclasses import replace

from quorate._text import count
from quorate.cli.command import command
from quorate.cli.gate import GateOptions, check_gate, open_gate
from quorate.cli.output import say, show, working
from quorate.comparing.question import CompareQuestion


@command
def compare(question: CompareQuestion, output: GateOptions) -> int:
    """Say whether one system is really better than another, counting the spread over items, answers and raters.

    Examples:
      quorate compare ratings.csv answers.csv
      quorate compare ratings.csv answers.csv --systems new,old --margin 0.02 --gate
      quorate compare ratings.csv answers.csv --margin 0.02 --baseline-file baseline.csv --gate -o gate.md
      quorate compare ratings.csv answers.csv --metric agreement,accuracy --by domain
      quorate compare ratings.csv answers.csv --items-are fixed
      quorate compare votes.csv
      quorate compare mqm.csv --rated-system system --better low --unit cluster:doc
      quorate compare new.eval old.eval --score match
      quorate compare ratings.csv new=answers_a.csv old=answers_b.csv
      quorate compare ratings.csv judges.csv --baseline raters --margin 0.05
      quorate compare ratings.csv answers.csv --systems new --target-score 0.9 --gate
    """
    check_gate(output, question.inputs())
    with working(f"comparing systems on {question.ratings}", output):
        from quorate.comparing.baseline import store_baseline
        from quorate.comparing.verb import answer

        stored = store_baseline(question)
        if stored is not None:
            say(f"baseline '{stored.system}' stored in {stored.path}, {count(stored.n_rows, 'row')}", output)
            if stored.alone:
                return 0
        result = answer(question)
    if not output.gate:
        return show(result, output)
    code = open_gate(result, output)
    show(result, replace(output, output=None))
    if output.output is not None:
        say(f"written: {output.output}", output)
    return code
