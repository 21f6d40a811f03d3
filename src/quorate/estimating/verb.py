"""`estimate`: how good is my classifier, given many cheap votes and a few expert labels?"""

from collections.abc import Sequence
from typing import Any, Literal, Unpack

from quorate._errors import InputError
from quorate._typing import Array
from quorate.estimating.checks import check_evidence, check_scores, doubt_estimates, doubt_sampling, doubt_votes
from quorate.estimating.evidence import Evidence
from quorate.estimating.label_metrics import LabelMetric, UserFunction, choose_metric, default_metrics
from quorate.estimating.methods.maven import describe_voters, diagnose
from quorate.estimating.methods.method import Estimate, Method
from quorate.estimating.methods.registry import EXPERTS_ALONE, METHODS, choose_method, judge_all, tabulate
from quorate.estimating.purchase import FEWEST, Purchase, check_prices, learn_purchase
from quorate.estimating.read_evidence import Loading, read_evidence
from quorate.estimating.result import Estimation, GroupEstimates
from quorate.estimating.study import MavenEngine, MavenMode, Study

__all__ = ["estimate"]


def estimate(
    votes: Any,
    experts: Any = None,
    scores: Any = None,
    *,
    metric: str | UserFunction | Sequence[str | UserFunction] | None = None,
    threshold: float | None = None,
    method: str | Sequence[str] = ("maven", "gt"),
    mode: MavenMode = "calibrated",
    engine: MavenEngine = "fast",
    by: str | None = None,
    target: Literal["items", "population"] = "items",
    confidence: float = 0.95,
    draws: int = 500,
    selection: Literal["check", "ignore"] = "check",
    variant: Literal["default", "paper"] = "default",
    truth: Any = None,
    target_width: float | None = None,
    expert_price: float | None = None,
    rating_price: float | None = None,
    seed: int = 0,
    **how: Unpack[Loading],
) -> Estimation:
    """Estimate a classifier's quality from votes, a few expert labels and its scores.

    Parameters
    ----------
    votes, experts, scores
        Files, mappings or frames: votes as item, rater, response or item, positive, total; experts as item, label and
        perhaps weight; scores as item, score or item, system, score.
    metric
        Names, or functions of (scores, labels); by default all that apply.
    threshold
        Scores from here on count as positive, 0.5 if not given.
    method
        One or more of maven, gt, mv, gt+mv, ds, ds-raters, ds+s, h-ai, oracle, ppi, ppi+maven.
    mode, engine
        MAVEN's likelihood, ``"calibrated"`` or ``"paper"``, and sampler, ``"fast"`` or ``"nuts"``.
    by
        A column that describes items: estimate within its groups too.
    target
        ``"items"``: the value on these very items. ``"population"``: what they are a sample of.
    selection
        ``"check"`` refuses experts' items that were clearly chosen by score; ``"ignore"`` warns only.
    variant
        ``"paper"`` for the paper's habits, the same as ``mode="paper"``.
    truth
        True labels of all items, for the oracle in simulations.
    target_width
        Also say how many more expert labels or votes would narrow the first interval to this width.
    expert_price, rating_price
        Prices of an expert label and of a vote (1 if not given), for the cheapest way there.

    Examples
    --------
    >>> import numpy as np
    >>> from quorate.populations.crowds import irt_crowd
    >>> crowd = irt_crowd(2000, rng=np.random.default_rng(0))
    >>> item = [f"i{i}" for i in range(2000)]
    >>> result = estimate({"item": item, "positive": crowd.positive, "total": crowd.total},
    ...                   {"item": item[:200], "label": crowd.truth[:200]},
    ...                   {"item": item, "score": crowd.scores[:, 0]}, metric="auc", draws=100)
    >>> row = result.estimates[0]
    >>> row.metric, row.method, bool(row.low < row.value < row.high)
    ('auc', 'maven', True)
    """
    loaded = read_evidence(votes, experts, scores, truth, by=by, **how)
    methods = [choose_method(name) for name in ([method] if isinstance(method, str) else dict.fromkeys(method))]
    _check(target, confidence, draws, selection)
    prices = check_prices(target_width, expert_price, rating_price)
    metrics = _metrics(metric, loaded.evidence, threshold)
    study = Study(
        loaded.evidence,
        threshold=0.5 if threshold is None else threshold,
        n_draws=draws,
        mode="paper" if variant == "paper" else mode,
        engine=engine,
        population=target == "population",
        seed=seed,
    )
    modelled = any(each.models_votes for each in methods)
    called = any(each.needs_threshold for each in metrics)
    warnings = [*loaded.notes, *check_evidence(loaded.evidence)]
    warnings += check_scores(study, strict=selection == "check", called=called)
    judgements = judge_all(study, methods)
    if modelled and loaded.evidence.weight is None:
        warnings += doubt_votes(study.votes)
    rows = tabulate(study, judgements, methods, metrics, confidence)
    names = [each.name for each in methods]
    if not rows:
        raise InputError(f"{', '.join(names)} gives none of these metrics; ask for others, or for --method maven.")
    alone = judgements if EXPERTS_ALONE in methods else judge_all(study, [EXPERTS_ALONE])
    baseline = {(row.system, row.metric): row for row in tabulate(study, alone, [EXPERTS_ALONE], metrics, confidence)}
    warnings += doubt_estimates(rows, baseline, confidence)
    following = None if target_width is None else _next(study, rows[0], metrics[0], target_width, prices)
    diagnostics = diagnose(study.votes, [study.fit(name) for name in study.systems]) if modelled else None
    return Estimation(
        n_items=loaded.evidence.n_items,
        n_experts=loaded.evidence.n_experts,
        estimates=rows,
        baseline=baseline,
        voters=describe_voters(study.votes, confidence) if modelled else None,
        diagnostics=diagnostics,
        groups=_groups(study, loaded.groups, methods, metrics, confidence),
        outcomes={key: each.draws for key, each in judgements.items()},
        report=loaded.report,
        following=following,
        seed=seed,
        settings={
            "metrics": [each.name for each in metrics],
            "methods": names,
            "threshold": study.threshold,
            "mode": study.mode,
            "engine": engine,
            "target": target,
            "confidence": confidence,
            "draws": draws,
            "by": by,
            "target_width": target_width,
            "prices": prices,
        },
        warnings=(*warnings, *doubt_sampling(diagnostics, rows), *_far(target_width, following)),
    )


def _check(target: str, confidence: float, draws: int, selection: str) -> None:
    if target not in ("items", "population"):
        raise InputError(f"'{target}' is not a target; use --target items or population.")
    if not 0 < confidence < 1:
        raise InputError(f"--confidence is a share between 0 and 1, such as 0.95, not {confidence:g}.")
    if draws < 50:
        raise InputError(f"{draws} draws are too few for an interval; use --draws 500.")
    if selection not in ("check", "ignore"):
        raise InputError(
            f"'{selection}' is not a way to treat the experts' selection; use --selection check or ignore."
        )


def _metrics(
    given: str | UserFunction | Sequence[str | UserFunction] | None, evidence: Evidence, threshold: float | None
) -> list[LabelMetric]:
    """The metrics asked for, or all that apply: those at a threshold if it is given or scores are probabilities."""
    if given is None:
        shares = all(score.min() >= 0 and score.max() <= 1 for score in evidence.scores.values())
        return default_metrics(len(evidence.scores), at_threshold=shares or threshold is not None)
    metrics = [choose_metric(each) for each in ([given] if isinstance(given, str) or callable(given) else given)]
    for each in metrics:
        if each.needs_scores and not evidence.scores:
            raise InputError(f"{each.name} needs scores; give them with --scores.")
        if each.pairwise and len(evidence.scores) < 2:
            raise InputError(f"{each.name} compares systems; give scores of two or more.")
    return metrics


def _next(
    study: Study, first: Estimate, metric: LabelMetric, target: float, prices: tuple[float, float] | None
) -> Purchase | None:
    """What to buy for the target width of the first estimate; None if it is not to be told."""
    if not METHODS[first.method].models_votes or metric.measure is None or metric.pairwise:
        raise InputError(
            f"--target-width needs MAVEN's estimate of one metric first, not {first.metric} by {first.method}."
        )
    if not first.width:
        return None
    return learn_purchase(study, metric, first.system, first.width, target, prices)


def _far(target: float | None, following: Purchase | None) -> list[str]:
    if target is not None and following is None:
        return [
            f"what to buy for --target-width {target:g} cannot be told: it takes at least {FEWEST} expert labels of "
            "each class."
        ]
    if following is not None and following.far:
        return ["what to buy goes beyond four times the data at hand: buy a part, and ask again with it."]
    return []


def _groups(
    study: Study,
    groups: tuple[Array, tuple[str, ...]] | None,
    methods: Sequence[Method],
    metrics: Sequence[LabelMetric],
    confidence: float,
) -> tuple[GroupEstimates, ...]:
    """Estimate within every group on its own; a group that cannot be judged says why."""
    found = []
    for code, name in enumerate(() if groups is None else groups[1]):
        assert groups is not None
        part = study.evidence.keep(groups[0] == code)
        rows: tuple[Estimate, ...] = ()
        reason = None
        try:
            check_evidence(part)
            alone = study.on(part)
            rows = tabulate(alone, judge_all(alone, methods), methods, metrics, confidence)
        except InputError as error:
            reason = str(error)
        found.append(GroupEstimates(name, part.n_items, part.n_experts, rows, reason))
    return tuple(found)
