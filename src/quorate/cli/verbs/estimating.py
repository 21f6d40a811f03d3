"""`quorate estimate`, and the file of its curves."""

import os
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from quorate._errors import InputError
from quorate.cli.command import command
from quorate.cli.output import FILE, OUTPUT, OutputOptions, say, show, working
from quorate.estimating.question import EstimateQuestion
from quorate.results.files import check_output, write_csv, written_whole


@command
def estimate(
    question: EstimateQuestion,
    output: OutputOptions,
    *,
    curves: Annotated[Path | None, Parameter(group=OUTPUT, **FILE)] = None,
) -> int:
    """Say how good a classifier is, from many cheap votes and a few expert labels.

    Examples:
      quorate estimate votes.csv experts.csv scores.csv
      quorate estimate votes.csv experts.csv scores.csv --metric auc,f1 --threshold 0.7
      quorate estimate votes.csv experts.csv scores.csv --method assisted,gt,mv,ds
      quorate estimate labels.csv experts.csv answers.csv --metric accuracy,recall,confusion
      quorate estimate votes.csv experts.csv scores.csv --choose 100 -o to-label.csv
      quorate estimate votes.csv --expert-column gold --positive spam
      quorate estimate votes.csv experts.csv scores.csv --target-width 0.03 --expert-price 5

    Parameters
    ----------
    curves
        Write ROC, precision-recall and calibration curves with bands to this .csv file.
    """
    _check_curves(curves, output, question.inputs())
    with working(f"estimating from {question.votes}", output):
        from quorate.estimating.verb import answer

        result = answer(question)
    if curves is not None and not result.curve_keys:
        raise InputError(
            "--curves are of a classifier's scores, with a positive and a negative class; give --scores, and name the "
            "positive label with --positive."
        )
    shown = show(result, output)
    if curves is not None:
        with written_whole(curves, "--curves") as file:
            write_csv(result.curves(), file, keep_formulas=output.keep_formulas)
        say(f"written: {curves}", output)
    return shown


def _check_curves(curves: Path | None, output: OutputOptions, inputs: tuple[str, ...]) -> None:
    """Refuse a file that cannot be written, or would replace an input or the other output."""
    if curves is None:
        return
    try:
        good = not curves.is_dir() and curves.parent.is_dir()
    except OSError:  # a name no file can have
        good = False
    if not good:
        raise InputError(f"Cannot write {curves}: it is a directory, or cannot be; name another with --curves.")
    if output.output is not None and os.path.realpath(curves) == os.path.realpath(output.output):
        raise InputError(f"--curves and -o both name {curves}; choose another name for one of them.")
    check_output(curves, inputs, "--curves")
