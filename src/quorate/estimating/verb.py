"""`estimate`: how good is my classifier, given many cheap votes and a few expert labels?"""

from collections.abc import Mapping, Sequence

import polars as pl

from quorate._errors import InputError
from quorate._question import asks
from quorate._random import generator
from quorate.estimating.checks import (
    check_evidence,
    check_scores,
    check_votes,
    doubt_sampling,
    doubt_votes,
    hide_model,
    vote_misfit,
    without_rows,
)
from quorate.estimating.choice import choose_items
from quorate.estimating.curves import AssistedCurves, CurveSource, DrawnCurves
from quorate.estimating.evidence import Evidence, LoadedEvidence, read_evidence
from quorate.estimating.label_metrics import LabelMetric, choose_metrics, default_metrics
from quorate.estimating.methods import (
    ASSISTED,
    EXPERTS_ALONE,
    METHODS,
    Judgements,
    choose_method,
    judge_all,
    tabulate,
)
from quorate.estimating.methods.assisted import SampledEstimates
from quorate.estimating.methods.maven import diagnose
from quorate.estimating.methods.method import Estimate, Method
from quorate.estimating.purchase import Purchase, learn_scaling, purchase
from quorate.estimating.question import EstimateQuestion
from quorate.estimating.result import Estimation, GroupEstimates
from quorate.estimating.study import Study
from quorate.estimating.voter_worth import describe_voters, value_voters
from quorate.estimating.words import purchase_warnings

THRESHOLD = 0.5
"""Scores from here on count as positive, if nothing else is said."""
FEWEST_EXPERTS = 2
"""Labels of either class in a group, below which it is not judged."""


def answer(question: EstimateQuestion) -> Estimation:
    """Estimate a classifier's quality from votes, a few expert labels and its scores.

    Examples
    --------
    >>> files = ("example:moderation", "example:moderation-experts", "example:moderation-scores")
    >>> row = estimate(*files, metric="auc").estimates[0]
    >>> row.metric, row.method, bool(row.low < row.value < row.high)
    ('auc', 'assisted', True)
    """
    loaded = read_evidence(question)
    study = _study(question, loaded.evidence)
    methods, metrics = _methods(question, loaded.evidence), _metrics(question, loaded.evidence)
    called = any(metric.needs_threshold for metric in metrics)
    warnings = [*loaded.notes, *check_evidence(study.evidence, question.experts, question.scores)]
    strict = question.selection == "check"
    warnings += check_scores(study, strict=strict, called=called)
    warnings += check_votes(study.evidence, strict=strict) if ASSISTED in methods else []
    judgements = judge_all(study, methods)
    rows = tabulate(study, judgements, methods, metrics, question.confidence)
    if not rows:
        names = ", ".join(question.methods)
        raise InputError(f"{names} gives none of these metrics; ask for others, or for --method assisted.")
    warnings += without_rows(methods, rows)
    rows, diagnostics, doubts = _model_in_its_place(study, methods, rows, question.confidence)
    own = tabulate(study, {}, [EXPERTS_ALONE], metrics, question.confidence)
    first = next(metric for metric in metrics if metric.name == rows[0].metric)
    bought = _purchase(question, study, rows[0], first)
    warnings += [
        *doubts,
        *doubt_sampling(diagnostics, rows),
        *purchase_warnings(question.target_width, bought),
    ]
    return Estimation(
        n_items=study.evidence.n_items,
        n_experts=study.evidence.n_experts,
        classes=study.evidence.classes,
        named=study.evidence.named,
        estimates=rows,
        baseline={(row.system, row.metric): row for row in own},
        voters=describe_voters(study, question.confidence),
        voter_worths=value_voters(study, first, _systems(rows[0])) if ASSISTED in methods else (),
        diagnostics=diagnostics,
        groups=_groups(study, loaded, methods, metrics, question.confidence),
        curve_sources=_curves(study, methods, judgements),
        confidence=question.confidence,
        population=study.population,
        purchase=bought,
        chosen=_choose(question, study, loaded, rows[0], first),
        seed=question.seed,
        settings=question.settings(
            metric=[metric.name for metric in metrics],
            method=question.methods,
            threshold=study.threshold,
            mode=study.mode,
            rating_price=None if question.prices is None else question.prices[1],
        ),
        warnings=tuple(warnings),
        load_report=loaded.load_report,
        inputs=question.inputs(),
    )


estimate = asks("estimate", EstimateQuestion, answer)


def _methods(question: EstimateQuestion, evidence: Evidence) -> list[Method]:
    """The methods asked for; of classes with names only those that take them."""
    methods = [choose_method(name) for name in question.methods]
    for method in methods:
        if evidence.named and not method.many_classes:
            raise InputError(
                f"{method.name} takes a positive and a negative class, not {', '.join(evidence.classes[:8])}; name the "
                "positive one with --positive, or use --method assisted."
            )
    return methods


def _metrics(question: EstimateQuestion, evidence: Evidence) -> list[LabelMetric]:
    """The metrics asked for, or all that apply: those at a threshold if it is given or scores are probabilities."""
    if question.metrics is None:
        shares = all(score.min() >= 0 and score.max() <= 1 for score in evidence.scores.values())
        return default_metrics(evidence, at_threshold=shares or question.threshold is not None)
    metrics = [metric for each in question.metrics for metric in choose_metrics(each, evidence)]
    for each in metrics:
        if each.needs_scores and not evidence.systems:
            raise InputError(f"{each.name} needs scores; give them with --scores.")
        if each.pairwise and len(evidence.systems) < 2:
            raise InputError(f"{each.name} compares systems; give scores of two or more.")
        if each.function is not None and evidence.named:
            raise InputError(f"{each.name} is a function of labels 0 and 1; name the positive label with --positive.")
    return metrics


def _study(question: EstimateQuestion, evidence: Evidence) -> Study:
    return Study(
        evidence,
        threshold=THRESHOLD if question.threshold is None else question.threshold,
        n_draws=question.draws,
        mode="paper" if question.variant == "paper" else question.mode,
        engine=question.engine,
        population=question.target == "population",
        seed=question.seed,
    )


def _model_in_its_place(
    study: Study, methods: Sequence[Method], rows: tuple[Estimate, ...], confidence: float
) -> tuple[tuple[Estimate, ...], Mapping[str, float | str | None] | None, list[str]]:
    """Check MAVEN's model where it was asked; beside the assisted estimates it is shown only if nothing speaks against.

    Returned are the rows to show, how far the sampling can be trusted, and doubts.
    """
    if not any(method.models_votes for method in methods):
        return rows, None, []
    diagnostics = diagnose(study.votes, [study.fit(name) for name in study.systems])
    if study.evidence.weight is not None:
        return rows, diagnostics, []
    if ASSISTED not in methods:
        return rows, diagnostics, doubt_votes(study.votes)
    doubts = hide_model(rows, vote_misfit(study.votes), confidence)
    kept = tuple(row for row in rows if not METHODS[row.method].models_votes) if doubts else rows
    return kept, diagnostics, doubts


def _systems(row: Estimate) -> tuple[str, ...]:
    """The systems a row is about."""
    return tuple((row.system or "").split(" - "))


def _purchase(question: EstimateQuestion, study: Study, first: Estimate, metric: LabelMetric) -> Purchase | None:
    """What to buy for the target width of the first estimate; None if it was not asked, or is not to be told."""
    if question.target_width is None:
        return None
    if first.method != ASSISTED.name or metric.derive is None or metric.pairwise:
        raise InputError(
            f"--target-width needs the assisted estimate of one metric first, not {first.metric} by {first.method}."
        )
    rng = generator(study.seed, "estimate", "purchase")
    scaling = learn_scaling(study, metric, _systems(first), rng=rng) if first.width else None
    if scaling is None or not first.width:
        return None
    target, prices = question.target_width, question.prices
    return purchase(
        scaling,
        metric.name,
        first.system,
        width=first.width,
        target=target,
        evidence=study.evidence,
        prices=prices,
        better_price=question.better_price,
    )


def _choose(
    question: EstimateQuestion,
    study: Study,
    loaded: LoadedEvidence,
    first: Estimate,
    metric: LabelMetric,
) -> pl.DataFrame | None:
    """The items experts should label next, if that was asked."""
    if question.choose is None:
        return None
    rng, at_random = generator(study.seed, "estimate", "choose"), question.choose_by == "random"
    return choose_items(
        study,
        loaded.items,
        metric,
        _systems(first),
        question.choose,
        at_random=at_random,
        rng=rng,
        each_label=loaded.each_label,
    )


def _curves(
    study: Study, methods: Sequence[Method], judgements: Judgements
) -> dict[tuple[str, str | None], CurveSource]:
    """Where curves come from, by method and system."""
    sources: dict[tuple[str, str | None], CurveSource] = {}
    for method in methods:
        for system in study.evidence.scores if not study.evidence.named else ():
            if isinstance(method, SampledEstimates):
                sources[method.name, system] = AssistedCurves(study.assistance, system, study.population, method.alone)
            elif (method.name, system) in judgements:
                sources[method.name, system] = DrawnCurves(judgements[method.name, system].draws)
    return sources


def _groups(
    study: Study,
    loaded: LoadedEvidence,
    methods: Sequence[Method],
    metrics: Sequence[LabelMetric],
    confidence: float,
) -> tuple[GroupEstimates, ...]:
    """Estimate within every group on its own, from the guess of all items; a group that cannot be judged says why."""
    if loaded.groups is None:
        return ()
    group, names = loaded.groups
    groups = []
    for code, name in enumerate(names):
        inside = group == code
        part = study.evidence.keep(inside)
        rows: tuple[Estimate, ...] = ()
        reason = None
        try:
            check_evidence(part)
            _check_group(part)
            alone = study.on(part, given=study.assistance.keep(inside))
            rows = tabulate(alone, judge_all(alone, methods), methods, metrics, confidence)
        except InputError as error:
            reason = str(error)
        groups.append(GroupEstimates(name, part.n_items, part.n_experts, rows, reason))
    return tuple(groups)


def _check_group(part: Evidence) -> None:
    if not part.named and min(part.n_experts) < FEWEST_EXPERTS:
        raise InputError(
            f"only {min(part.n_experts)} of its {sum(part.n_experts)} expert labels is of one class; it takes "
            f"{FEWEST_EXPERTS} of each."
        )
