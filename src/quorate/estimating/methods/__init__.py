"""Every way to estimate, under one name each, and the table of what they say.

``assisted``, the default; ``gt`` experts only; ``maven`` and its rivals [maven, table 2]: ``mv``
majority vote, ``gt+mv``, ``ds`` one confusion matrix, ``ds-raters`` one per voter, ``ds+s`` with scores,
``h-ai``, ``oracle`` (simulations); ``ppi`` and ``ppi+maven`` give means only.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from quorate._errors import InputError
from quorate.estimating.label_metrics import LabelMetric
from quorate.estimating.methods.assisted import SampledEstimates
from quorate.estimating.methods.baselines import (
    PredictionPowered,
    SetRule,
    majority,
    majority_or_experts,
    oracle,
)
from quorate.estimating.methods.maven import Maven
from quorate.estimating.methods.method import Estimate, Judgement, Method
from quorate.estimating.methods.rivals import (
    DawidSkene,
    DawidSkeneScores,
    DawidSkeneVoters,
    HumanAI,
    RivalMethod,
)
from quorate.estimating.study import Study

__all__ = [
    "ASSISTED",
    "EXPERTS_ALONE",
    "METHODS",
    "Judgements",
    "choose_method",
    "judge",
    "judge_all",
    "tabulate",
]

Judgements: TypeAlias = Mapping[tuple[str, str | None], Judgement]
"""The labels by method and system."""
ASSISTED, EXPERTS_ALONE = SampledEstimates("assisted"), SampledEstimates("gt", alone=True)
METHODS: Mapping[str, Method] = {
    method.name: method
    for method in (
        ASSISTED,
        EXPERTS_ALONE,
        Maven(),
        SetRule("mv", majority),
        SetRule("gt+mv", majority_or_experts),
        DawidSkene(),
        DawidSkeneVoters(),
        RivalMethod("ds+s", DawidSkeneScores()),
        RivalMethod("h-ai", HumanAI()),
        SetRule("oracle", oracle, resample_items=False),
        PredictionPowered("ppi"),
        PredictionPowered("ppi+maven", from_maven=True),
    )
}


def choose_method(name: str) -> Method:
    """Find a method by name."""
    if name not in METHODS:
        raise InputError(f"'{name}' is not a method of estimate; use one of {', '.join(METHODS)}.")
    return METHODS[name]


def judge(study: Study, method: str, system: str | None) -> Judgement:
    """The labels a method judges a system by."""
    judgement = METHODS[method].judge(study, system)
    assert judgement is not None, f"{method} has no labels"
    return judgement


def judge_all(study: Study, methods: Sequence[Method]) -> dict[tuple[str, str | None], Judgement]:
    """Let every method that gives labels judge every system."""
    every = {(method.name, system): method.judge(study, system) for method in methods for system in study.systems}
    return {key: judgement for key, judgement in every.items() if judgement is not None}


def tabulate(
    study: Study,
    judgements: Judgements,
    methods: Sequence[Method],
    metrics: Sequence[LabelMetric],
    confidence: float,
) -> tuple[Estimate, ...]:
    """Work out every metric of every system by every method, methods in the order given."""
    labels = {
        method.name: {system: each for (name, system), each in judgements.items() if name == method.name}
        for method in methods
    }
    return tuple(
        row
        for metric in metrics
        for method in methods
        for row in method.estimates(study, metric, labels[method.name], confidence)
    )
