"""How good the voters are, and what the votes of each are worth, be it a person or a model."""

from dataclasses import dataclass, replace

import numpy as np

from quorate.estimating.assistance import vote_columns
from quorate.estimating.intervals import interval
from quorate.estimating.label_metrics import METRICS, LabelMetric, class_metrics
from quorate.estimating.methods.assisted import measure_alone, measure_assisted, rarer
from quorate.estimating.purchase import two_figures
from quorate.estimating.study import Study

MOST_VOTERS, MOST_VOTES = 8, 1_000_000
"""Voters that are told one by one, and votes up to which that is quick."""


@dataclass(frozen=True)
class VoterWorth:
    """One voter: how many votes, how often like an expert, and the expert labels that the votes are worth.

    Worth is m (v / v_all - 1) with v the variance of the first estimate without this voter's votes.
    """

    voter: str
    votes: int
    agreement: float | None
    worth: int


def describe_voters(study: Study, confidence: float) -> dict[str, float | None]:
    """The voters' TPR and TNR with the share of positives, or their accuracy, assisted, each with low and high."""
    items = study.assistance
    metrics = {
        "tpr": METRICS["human_tpr"],
        "tnr": METRICS["human_tnr"],
        "prevalence": METRICS["prevalence"],
    }
    if study.evidence.named:
        metrics = {"accuracy": class_metrics(study.evidence.classes)["human_accuracy"]}
    voters: dict[str, float | None] = {}
    for name, metric in metrics.items():
        found = measure_assisted(items, metric, ("",), population=study.population)
        told = not np.isnan(found.value) and not np.isnan(found.variance)
        ends = interval(found, confidence, bounded=True, rare=rarer(items.sample, metric)) if told else (None, None)
        value = min(max(found.value, 0.0), 1.0) if told else None
        voters |= {name: value, f"{name}_low": ends[0], f"{name}_high": ends[1]}
    return voters


def value_voters(study: Study, metric: LabelMetric, systems: tuple[str, ...]) -> tuple[VoterWorth, ...]:
    """What each voter adds to the first estimate, where voters are few and named."""
    evidence, votes = study.evidence, study.evidence.named_votes
    if (
        votes is None
        or metric.derive is None
        or not 1 < len(votes.names) <= MOST_VOTERS
        or len(votes.item) > MOST_VOTES
    ):
        return ()
    items = study.assistance
    now = measure_assisted(items, metric, systems).variance
    alone = measure_alone(items, metric, systems).variance
    if not now > 0 or not alone > 0:
        return ()
    most, worths = evidence.n_items - items.sample.size, []
    for rater, name in enumerate(votes.names):
        rest = votes.without(rater)
        counts = rest.count(evidence.n_items, evidence.n_classes)
        columns = vote_columns(replace(evidence, votes=counts, named_votes=rest))
        without = replace(items, columns=columns, _guesses={})
        more = items.sample.size * (measure_assisted(without, metric, systems).variance / now - 1)
        own = votes.rater == rater
        seen = own & evidence.has_label[votes.item]
        alike = float((votes.vote[seen] == evidence.label[votes.item[seen]]).mean()) if seen.any() else None
        worths.append(VoterWorth(name, int(own.sum()), alike, max(0, min(two_figures(more), most))))
    return tuple(worths)
