"""Which systems are compared, and by which metrics: all scored once, on the same terms."""

from itertools import combinations

from quorate._errors import InputError
from quorate.comparing.question import CompareQuestion
from quorate.data.answers import check_systems
from quorate.data.evaluation import Evaluation
from quorate.data.summaries import Probabilities
from quorate.inference.answer_values import splits_by_rater
from quorate.inference.procedures import Procedure
from quorate.inference.scored_systems import ScoredSystems, score_systems
from quorate.metrics.registry import choose_metric

__all__ = ["choose_pairs", "reason_for_items_only", "score_by_metrics"]


def choose_pairs(known: list[str], question: CompareQuestion) -> tuple[list[str], list[tuple[int, int]]]:
    """Return the names of the systems, a before b, and the pairs asked for, by position; a baseline is always b."""
    baseline = question.baseline
    check_systems([*(question.systems or ()), *([baseline] if baseline else [])], known)
    names = list(question.systems) if question.systems else sorted(known)
    if baseline is not None:
        names = [name for name in names if name != baseline] + [baseline]
    if len(names) < 2:
        raise InputError(f"Only system '{names[0]}' is there; comparing takes two.")
    last = len(names) - 1
    return names, [(a, last) for a in range(last)] if baseline else list(combinations(range(len(names)), 2))


def score_by_metrics(evaluation: Evaluation, names: list[str], question: CompareQuestion) -> list[ScoredSystems]:
    """Score all systems by every metric asked for, or by the default one."""
    if evaluation.ratings.n_items < 2:
        raise InputError(f"{evaluation.ratings.name} and the answers share one item; comparing takes at least two.")
    chosen, scale = [evaluation.systems[name] for name in names], evaluation.ratings.scale
    metrics = [
        choose_metric(
            name,
            scale.kind,
            labels=scale.categories,
            positive=question.positive,
            variant=question.variant,
            better=question.better,
            probabilities=any(isinstance(system, Probabilities) for system in chosen),
            rated=evaluation.raters is None,
        )
        for name in question.metrics
    ]
    return [score_systems(metric, evaluation.raters, chosen) for metric in metrics]


def reason_for_items_only(scored: list[ScoredSystems], procedure: Procedure) -> str:
    """Say why raters cannot count as drawn, if they cannot."""
    if not procedure.pivotal:
        return f"the {procedure.name} test counts items only"
    if not any(splits_by_rater(systems.metric) for systems in scored):
        return f"{scored[0].metric.name} cannot be split by rater"
    return ""
