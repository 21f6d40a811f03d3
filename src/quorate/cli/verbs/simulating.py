"""`quorate simulate`, which writes a folder, and `quorate presets`."""

import os
from dataclasses import replace
from functools import partial

from quorate._errors import InputError
from quorate._question import Question
from quorate.cli.command import command
from quorate.cli.output import DirectoryOptions, OutputOptions, say, show, working, write_page
from quorate.results.files import check_output
from quorate.simulating.question import SimulateQuestion


@command
def simulate(question: SimulateQuestion, output: DirectoryOptions) -> int:
    """Draw ratings and two systems' answers from a population, and write them as ratings.csv and answers.csv.

    The crowds maven, irt and copula-SHAPE (bimodal, extreme, flat, skewed) give what estimate reads instead: votes.csv,
    experts.csv, scores.csv, and truth.csv with the label of every item. The preset preference gives votes side by side,
    votes.csv. A page, report.html, says what was drawn.

    Examples:
      quorate simulate --preset dices --items 200 --raters 5 --effect 0.3 -o study
      quorate simulate --alpha 5,1,3 --items 50 --raters 3 --answers probabilities -o study
      quorate simulate --resample pilot.csv --resample-unit items+raters --items 500 --raters 8 -o study
      quorate simulate --preset irt --items 10000 --raters 3 --expert-share 0.05 -o crowd
      quorate simulate --preset preference --items 100 --raters 8 --pool 30 --win-rate 0.6 -o votes
      quorate simulate --preset preference --items 60 --raters 20 --n-systems 6 --pair-share 0.6 --win-rate 0.6 -o board
    """
    folder = output.output
    if folder is None:
        raise InputError("name a directory for the files with -o DIR, or a page alone with -o report.html")
    alone = folder.suffix.lower() == ".html" and not os.path.isdir(folder)
    for name in () if alone else (*question.files, "report.html"):
        check_output(folder / name, question.inputs())
    with working("drawing", output):
        from quorate.simulating.verb import answer

        study = answer(question)
    if alone:
        return show(study, output)
    paths = study.write(folder, {"report.html": partial(write_page, study)}, keep_formulas=output.keep_formulas)
    shown = show(study, replace(output, output=None))
    *tables, page = map(str, paths)
    say(f"written: {', '.join(tables)} and {page}", output)
    return shown


@command
def presets(question: Question, output: OutputOptions) -> int:
    """List the populations that have a name, with their source.

    For example:
      quorate presets
      quorate presets -o presets.csv
    """
    from quorate.simulating.verb import list_presets

    return show(list_presets(question), output)
