"""`quorate estimate --votes V --experts E --scores S`."""

import os
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Group, Parameter

from quorate.cli.options import OutputOptions, say, show, split

__all__ = ["estimate"]

COLUMNS = Group.create_ordered("Columns")


def estimate(
    *,
    votes: str,
    experts: str | None = None,
    scores: str | None = None,
    metric: list[str] | None = None,
    threshold: float | None = None,
    method: list[str] | None = None,
    mode: Literal["calibrated", "paper"] = "calibrated",
    engine: Literal["fast", "nuts"] = "fast",
    by: str | None = None,
    target: Literal["items", "population"] = "items",
    confidence: float = 0.95,
    draws: int = 500,
    selection: Literal["check", "ignore"] = "check",
    variant: Literal["default", "paper"] = "default",
    truth: str | None = None,
    target_width: float | None = None,
    expert_price: float | None = None,
    rating_price: float | None = None,
    curves: Path | None = None,
    positive: str | None = None,
    several_experts: Literal["majority", "error"] = "majority",
    missing: Literal["error", "drop"] = "error",
    duplicates: Literal["keep", "first", "last", "error"] = "keep",
    expert_column: Annotated[str | None, Parameter(group=COLUMNS)] = None,
    item_column: Annotated[str | None, Parameter(group=COLUMNS)] = None,
    rater_column: Annotated[str | None, Parameter(group=COLUMNS)] = None,
    response_column: Annotated[str | None, Parameter(group=COLUMNS)] = None,
    system_column: Annotated[str | None, Parameter(group=COLUMNS)] = None,
    score_column: Annotated[str | None, Parameter(group=COLUMNS)] = None,
    output: Annotated[OutputOptions, Parameter(name="*")] = OutputOptions(),
) -> int:
    """Say how good a classifier is, from many cheap votes and a few expert labels.

    Examples:
      quorate estimate --votes votes.csv --experts experts.csv --scores scores.csv
      quorate estimate --votes votes.csv --experts experts.csv --scores scores.csv --metric auc,f1 --threshold 0.7
      quorate estimate --votes votes.csv --experts experts.csv --scores scores.csv --method maven,gt,mv,ds
      quorate estimate --votes votes.csv --expert-column gold --positive spam
      quorate estimate --votes votes.csv --experts experts.csv --scores scores.csv --target-width 0.03 --expert-price 5

    Parameters
    ----------
    votes
        File of votes: item, rater, response (0 or 1), or item, positive, total.
    experts
        File of expert labels for a random sample of the items: item, label, and perhaps weight.
    scores
        File of the classifier's scores: item, score, or item, system, score, or a column per system.
    metric
        One or more of auc, accuracy, precision, recall, f1, tpr, tnr, human_tpr, human_tnr, delta_tpr, delta_auc,
        prevalence; by default all that apply.
    threshold
        Scores from here on count as positive; 0.5 if not given.
    method
        One or more of maven, gt (experts only), mv (majority vote), gt+mv, ds, ds-raters, ds+s, h-ai, ppi, ppi+maven,
        oracle.
    mode
        calibrated: intervals that hold; paper: MAVEN as published.
    engine
        fast, or nuts for the reference sampler (needs quorate[nuts]).
    by
        Estimate within the groups of this column too.
    target
        items: the value on these very items; population: what they are a sample of.
    confidence
        Level of the intervals.
    draws
        Draws of labels.
    selection
        check refuses experts' items that were clearly chosen by score; ignore only warns.
    variant
        paper for the paper's habits, the same as --mode paper.
    truth
        File of true labels of all items, for --method oracle in simulations.
    target_width
        Also say how many more expert labels or votes would narrow the first interval to this width.
    expert_price
        Price of an expert label, for the cheapest way to --target-width.
    rating_price
        Price of a vote; 1 if not given.
    curves
        Write ROC, precision-recall and calibration curves with bands to this .csv file.
    positive
        The label that counts as positive; without it labels are 0 and 1.
    several_experts
        Items with several expert labels: take the majority, or refuse.
    missing
        Items without a score: an error, or left out.
    duplicates
        What to do when a voter votes on the same item again.
    expert_column
        Column of expert labels, in the experts' file or, without one, in the votes or scores.
    item_column
        Column that names the item.
    rater_column
        Column that names the voter.
    response_column
        Column that holds the vote.
    system_column
        Column that names the system.
    score_column
        Column that holds the score.
    """
    # Many small products: threads of linear algebra only wait for each other, and burn the other core while they do.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from quorate.estimating.verb import estimate as answer

    result = answer(
        votes,
        experts,
        scores,
        metric=split(metric),
        threshold=threshold,
        method=split(method) or ("maven", "gt"),
        mode=mode,
        engine=engine,
        by=by,
        target=target,
        confidence=confidence,
        draws=draws,
        selection=selection,
        variant=variant,
        truth=truth,
        target_width=target_width,
        expert_price=expert_price,
        rating_price=rating_price,
        seed=output.seed,
        positive=positive,
        several_experts=several_experts,
        missing=missing,
        duplicates=duplicates,
        expert_column=expert_column,
        item_column=item_column,
        rater_column=rater_column,
        response_column=response_column,
        system_column=system_column,
        score_column=score_column,
    )
    say("\n".join(result.report) + "\n", output)
    show(result, output)
    if curves is not None:
        result.curves().write_csv(curves)
        say(f"written: {curves}", output)
    return 0
