"""`quorate simulate POPULATION --items N --raters K -o DIR`."""

from dataclasses import replace

from quorate._errors import InputError
from quorate.cli.command import command
from quorate.cli.output import DirectoryOptions, check_output, say, show, working, write
from quorate.simulating.question import SimulateQuestion

__all__ = ["simulate"]


@command
def simulate(question: SimulateQuestion, output: DirectoryOptions) -> int:
    """Draw ratings and two systems' answers from a population, and write them as ratings.csv and answers.csv.

    The crowds maven, irt and copula-SHAPE (bimodal, extreme, flat, skewed) give what estimate reads instead: votes.csv,
    experts.csv, scores.csv, and truth.csv with the label of every item. A page, report.html, says what was drawn.

    Examples:
      quorate simulate --preset dices --items 200 --raters 5 --effect 0.3 -o study
      quorate simulate --alpha 5,1,3 --items 50 --raters 3 --answers probabilities -o study
      quorate simulate --resample pilot.csv --resample-unit items+raters --items 500 --raters 8 -o study
      quorate simulate --preset irt --items 10000 --raters 3 --expert-share 0.05 -o crowd
    """
    folder = output.output
    if folder is None:
        raise InputError("name a directory for the files with -o DIR, or a page alone with -o report.html")
    alone = folder.suffix.lower() == ".html" and not folder.is_dir()
    for name in () if alone else (*question.files, "report.html"):
        check_output(folder / name, question.inputs())
    with working("drawing", output):
        from quorate.simulating.verb import answer

        study = answer(question)
    if alone:
        show(study, output)
        return 0
    paths, page = study.write(folder), folder / "report.html"
    write(study, page)
    show(study, replace(output, output=None))
    say(f"written: {', '.join(map(str, paths))} and {page}", output)
    return 0
