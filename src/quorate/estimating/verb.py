"""`estimate`: how good is my classifier, given many cheap votes and a few expert labels?"""

from collections.abc import Sequence

from quorate._errors import InputError
from quorate._question import asks
from quorate._random import generator
from quorate.estimating.checks import check_evidence, check_scores, doubt_estimates, doubt_sampling, doubt_votes
from quorate.estimating.evidence import Evidence, LoadedEvidence, read_evidence
from quorate.estimating.label_metrics import LabelMetric, choose_metric, default_metrics
from quorate.estimating.methods import EXPERTS_ALONE, METHODS, choose_method, judge_all, tabulate
from quorate.estimating.methods.maven import describe_voters, diagnose
from quorate.estimating.methods.method import Estimate, Method
from quorate.estimating.purchase import Purchase, learn_scaling, purchase
from quorate.estimating.question import EstimateQuestion
from quorate.estimating.result import Estimation, GroupEstimates
from quorate.estimating.study import Study
from quorate.estimating.words import purchase_warnings

THRESHOLD = 0.5
"""Scores from here on count as positive, if nothing else is said."""


def answer(question: EstimateQuestion) -> Estimation:
    """Estimate a classifier's quality from votes, a few expert labels and its scores.

    Examples
    --------
    >>> files = ("example:moderation", "example:moderation-experts", "example:moderation-scores")
    >>> row = estimate(*files, metric="auc", draws=50).estimates[0]
    >>> row.metric, row.method, bool(row.low < row.value < row.high)
    ('auc', 'maven', True)
    """
    loaded = read_evidence(question)
    methods, metrics = [choose_method(name) for name in question.method], _metrics(question, loaded.evidence)
    study = _study(question, loaded.evidence)
    modelled = any(method.models_votes for method in methods)
    called = any(metric.needs_threshold for metric in metrics)
    warnings = [*loaded.notes, *check_evidence(study.evidence)]
    warnings += check_scores(study, strict=question.selection == "check", called=called)
    judgements = judge_all(study, methods)
    warnings += doubt_votes(study.votes) if modelled and study.evidence.weight is None else []
    rows = tabulate(study, judgements, methods, metrics, question.confidence)
    if not rows:
        names = ", ".join(question.method)
        raise InputError(f"{names} gives none of these metrics; ask for others, or for --method maven.")
    alone = judgements if EXPERTS_ALONE in methods else judge_all(study, [EXPERTS_ALONE])
    own = tabulate(study, alone, [EXPERTS_ALONE], metrics, question.confidence)
    baseline = {(row.system, row.metric): row for row in own}
    diagnostics = diagnose(study.votes, [study.fit(name) for name in study.systems]) if modelled else None
    bought = _purchase(question, study, rows[0], metrics[0])
    warnings += doubt_estimates(rows, baseline, question.confidence)
    warnings += [*doubt_sampling(diagnostics, rows), *purchase_warnings(question.target_width, bought)]
    return Estimation(
        n_items=study.evidence.n_items,
        n_experts=study.evidence.n_experts,
        estimates=rows,
        baseline=baseline,
        voters=describe_voters(study.votes, question.confidence) if modelled else None,
        diagnostics=diagnostics,
        groups=_groups(study, loaded, methods, metrics, question.confidence),
        label_draws={key: each.draws for key, each in judgements.items()},
        confidence=question.confidence,
        population=study.population,
        purchase=bought,
        seed=question.seed,
        settings=question.settings(
            metric=[metric.name for metric in metrics],
            threshold=study.threshold,
            mode=study.mode,
            rating_price=None if question.prices is None else question.prices[1],
        ),
        warnings=tuple(warnings),
        load_report=loaded.load_report,
        inputs=question.inputs(),
    )


estimate = asks("estimate", EstimateQuestion, answer)


def _metrics(question: EstimateQuestion, evidence: Evidence) -> list[LabelMetric]:
    """The metrics asked for, or all that apply: those at a threshold if it is given or scores are probabilities."""
    n_systems = len(evidence.scores)
    if question.metrics is None:
        shares = all(score.min() >= 0 and score.max() <= 1 for score in evidence.scores.values())
        return default_metrics(n_systems, at_threshold=shares or question.threshold is not None)
    metrics = [choose_metric(each) for each in question.metrics]
    for each in metrics:
        if each.needs_scores and not n_systems:
            raise InputError(f"{each.name} needs scores; give them with --scores.")
        if each.pairwise and n_systems < 2:
            raise InputError(f"{each.name} compares systems; give scores of two or more.")
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


def _purchase(question: EstimateQuestion, study: Study, first: Estimate, metric: LabelMetric) -> Purchase | None:
    """What to buy for the target width of the first estimate; None if it was not asked, or is not to be told."""
    if question.target_width is None:
        return None
    if not METHODS[first.method].models_votes or metric.measure is None or metric.pairwise:
        raise InputError(
            f"--target-width needs MAVEN's estimate of one metric first, not {first.metric} by {first.method}."
        )
    if not first.width:
        return None
    scaling = learn_scaling(study, metric, first.system, rng=generator(study.seed, "estimate", "purchase"))
    if scaling is None:
        return None
    target, prices = question.target_width, question.prices
    return purchase(
        scaling, metric.name, first.system, width=first.width, target=target, evidence=study.evidence, prices=prices
    )


def _groups(
    study: Study,
    loaded: LoadedEvidence,
    methods: Sequence[Method],
    metrics: Sequence[LabelMetric],
    confidence: float,
) -> tuple[GroupEstimates, ...]:
    """Estimate within every group on its own; a group that cannot be judged says why."""
    if loaded.groups is None:
        return ()
    group, names = loaded.groups
    groups = []
    for code, name in enumerate(names):
        part = study.evidence.keep(group == code)
        rows: tuple[Estimate, ...] = ()
        reason = None
        try:
            check_evidence(part)
            alone = study.on(part)
            rows = tabulate(alone, judge_all(alone, methods), methods, metrics, confidence)
        except InputError as error:
            reason = str(error)
        groups.append(GroupEstimates(name, part.n_items, part.n_experts, rows, reason))
    return tuple(groups)
