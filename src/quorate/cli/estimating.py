"""`quorate estimate --votes V --experts E --scores S`."""

import os
from pathlib import Path

from quorate._errors import InputError
from quorate.cli.command import command
from quorate.cli.output import OutputOptions, check_output, say, show, working
from quorate.estimating.question import EstimateQuestion

__all__ = ["estimate"]


@command
def estimate(question: EstimateQuestion, output: OutputOptions, *, curves: Path | None = None) -> int:
    """Say how good a classifier is, from many cheap votes and a few expert labels.

    Examples:
      quorate estimate --votes votes.csv --experts experts.csv --scores scores.csv
      quorate estimate --votes votes.csv --experts experts.csv --scores scores.csv --metric auc,f1 --threshold 0.7
      quorate estimate --votes votes.csv --experts experts.csv --scores scores.csv --method maven,gt,mv,ds
      quorate estimate --votes votes.csv --expert-column gold --positive spam
      quorate estimate --votes votes.csv --experts experts.csv --scores scores.csv --target-width 0.03 --expert-price 5

    Parameters
    ----------
    curves
        Write ROC, precision-recall and calibration curves with bands to this .csv file.
    """
    _check_curves(curves, output, question.inputs())
    # Many small products: threads of linear algebra only wait for each other, and burn the other core while they do.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with working(f"estimating from {question.votes}", output):
        from quorate.estimating.verb import answer

        result = answer(question)
    show(result, output)
    if curves is not None:
        result.curves().write_csv(curves)
        say(f"written: {curves}", output)
    return 0


def _check_curves(curves: Path | None, output: OutputOptions, inputs: tuple[str, ...]) -> None:
    """Refuse a file of curves that cannot be written, or would replace an input or the other output."""
    if curves is None:
        return
    if curves.is_dir() or not curves.parent.is_dir():
        raise InputError(f"Cannot write {curves}: it is a directory, or its directory does not exist.")
    if output.output is not None and curves.resolve() == output.output.resolve():
        raise InputError(f"--curves and -o both name {curves}; choose another name for one of them.")
    check_output(curves, inputs, "--curves")
