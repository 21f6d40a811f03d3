"""`estimate`: how good is my classifier, given many cheap votes and a few expert labels?"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Unpack

from quorate._errors import InputError
from quorate._random import generator
from quorate._typing import Array
from quorate.estimating.evidence import Evidence, check_evidence
from quorate.estimating.intervals import PPI, Estimate, Metric, interval, judge_all, metric_name, needs_scores, tabulate
from quorate.estimating.label_metrics import METRICS, NEED_THRESHOLD, check_metric
from quorate.estimating.methods.choose import METHODS, Study
from quorate.estimating.methods.maven import Engine, Mode, diagnose
from quorate.estimating.misfit import doubt_estimates, doubt_votes
from quorate.estimating.purchase import FEWEST, Purchase, check_prices, learn_purchase
from quorate.estimating.read_evidence import Loading, read_evidence
from quorate.estimating.result import Estimation, GroupEstimates
from quorate.estimating.selection import check_selection

__all__ = ["estimate"]


def estimate(
    votes: Any,
    experts: Any = None,
    scores: Any = None,
    *,
    metric: Metric | Sequence[Metric] | None = None,
    threshold: float | None = None,
    method: str | Sequence[str] = ("maven", "gt"),
    mode: Mode = "calibrated",
    engine: Engine = "fast",
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
    methods = [method] if isinstance(method, str) else list(dict.fromkeys(method))
    _check(methods, target, confidence, draws)
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
    warnings = [*loaded.notes, *check_evidence(loaded.evidence), *_doubts(study, metrics, selection, seed)]
    judged = judge_all(study, methods)
    if "maven" in methods and loaded.evidence.weight is None:
        warnings += doubt_votes(study.votes)
    rows = tabulate(study, judged, methods, metrics, confidence)
    if not rows:
        raise InputError(f"{', '.join(methods)} gives none of these metrics; ask for others, or for --method maven.")
    alone = judged if "gt" in methods else judge_all(study, ["gt"])
    baseline = {(row.system, row.metric): row for row in tabulate(study, alone, ["gt"], metrics, confidence)}
    warnings += doubt_estimates(rows, baseline, confidence)
    following = None if target_width is None else _next(study, rows[0], target_width, prices)
    diagnostics = diagnose(study.votes, [study.fit(name) for name in study.names]) if "maven" in methods else None
    return Estimation(
        n_items=loaded.evidence.n_items,
        n_experts=loaded.evidence.n_experts,
        estimates=rows,
        baseline=baseline,
        voters=_voters(study, confidence) if "maven" in methods else None,
        diagnostics=diagnostics,
        groups=_groups(study, loaded.groups, methods, metrics, confidence),
        outcomes={key: each.draws for key, each in judged.items()},
        report=loaded.report,
        following=following,
        seed=seed,
        settings={
            "metrics": [metric_name(each) for each in metrics],
            "methods": methods,
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
        warnings=(*warnings, *_distrust(diagnostics, rows), *_far(target_width, following)),
    )


def _check(methods: Sequence[str], target: str, confidence: float, draws: int) -> None:
    for name in methods:
        if name not in (*METHODS, *PPI):
            raise InputError(f"'{name}' is not a method of estimate; use one of {', '.join((*METHODS, *PPI))}.")
    if target not in ("items", "population"):
        raise InputError(f"'{target}' is not a target; use --target items or population.")
    if not 0 < confidence < 1:
        raise InputError(f"--confidence is a share between 0 and 1, such as 0.95, not {confidence:g}.")
    if draws < 50:
        raise InputError(f"{draws} draws are too few for an interval; use --draws 500.")


def _metrics(given: Metric | Sequence[Metric] | None, evidence: Evidence, threshold: float | None) -> list[Metric]:
    """The metrics asked for, or all that apply: those at a threshold if it is given or scores are probabilities."""
    if given is None:
        return _default_metrics(evidence, threshold)
    metrics = [given] if isinstance(given, str) or callable(given) else list(given)
    for each in metrics:
        if isinstance(each, str):
            check_metric(each)
        if needs_scores(each) and not evidence.scores:
            raise InputError(f"{metric_name(each)} needs scores; give them with --scores.")
        if each == "delta_auc" and len(evidence.scores) < 2:
            raise InputError("delta_auc compares systems; give scores of two or more.")
    return metrics


def _default_metrics(evidence: Evidence, threshold: float | None) -> list[Metric]:
    voters: list[Metric] = ["human_tpr", "human_tnr", "prevalence"]
    if not evidence.scores:
        return voters
    shares = all(score.min() >= 0 and score.max() <= 1 for score in evidence.scores.values())
    at_threshold = ["accuracy", "precision", "recall", "f1", "tnr"] if shares or threshold is not None else []
    differences = ["delta_auc"] if len(evidence.scores) > 1 else []
    return ["auc", *differences, *at_threshold, "delta_tpr", *voters]


def _next(study: Study, first: Estimate, target: float, prices: tuple[float, float] | None) -> Purchase | None:
    """What to buy for the target width of the first estimate; None if it is not to be told."""
    if first.method != "maven" or first.metric not in METRICS:
        raise InputError(
            f"--target-width needs MAVEN's estimate of one metric first, not {first.metric} by {first.method}."
        )
    if not first.width:
        return None
    return learn_purchase(study, first.metric, first.system, first.width, target, prices)


def _far(target: float | None, following: Purchase | None) -> list[str]:
    if target is not None and following is None:
        return [
            f"what to buy for --target-width {target:g} cannot be told: it takes at least {FEWEST} expert labels of "
            "each class."
        ]
    if following is not None and following.far:
        return ["what to buy goes beyond four times the data at hand: buy a part, and ask again with it."]
    return []


def _doubts(study: Study, metrics: Sequence[Metric], selection: str, seed: int) -> list[str]:
    """Refuse or doubt what the scores show: experts chosen by score, a threshold outside their range."""
    if selection not in ("check", "ignore"):
        raise InputError(
            f"'{selection}' is not a way to treat the experts' selection; use --selection check or ignore."
        )
    doubts = []
    for name, score in study.evidence.scores.items():
        rng = generator(seed, "estimate", "selection")
        doubts += check_selection(name, score, study.evidence, strict=selection == "check", rng=rng)
        outside = not score.min() < study.threshold <= score.max()
        if outside and any(each in NEED_THRESHOLD for each in metrics):
            doubts.append(
                f"all scores of {name} lie on one side of the threshold {study.threshold:g}; set --threshold."
            )
    return doubts


def _voters(study: Study, confidence: float) -> Mapping[str, float]:
    """What the vote model says of the voters, robust to best-of-k voting: a_1, 1 - a_0, and the votes' correlations."""
    parameters = study.votes.draws.parameters
    draws = {
        "tpr": parameters.rate[:, 1],
        "tnr": 1 - parameters.rate[:, 0],
        "correlation_positive": parameters.correlation[:, 1],
        "correlation_negative": parameters.correlation[:, 0],
        "prevalence": parameters.prevalence,
    }
    voters: dict[str, float] = {}
    for name, values in draws.items():
        low, high = interval(values, confidence)
        voters |= {name: float(values.mean()), f"{name}_low": float(low), f"{name}_high": float(high)}
    return voters


def _groups(
    study: Study,
    groups: tuple[Array, tuple[str, ...]] | None,
    methods: Sequence[str],
    metrics: Sequence[Metric],
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


def _distrust(diagnostics: Mapping[str, Any] | None, rows: Sequence[Estimate]) -> list[str]:
    said = []
    if diagnostics is not None and diagnostics["verdict"] == "poor":
        said.append(
            "the sampling cannot be trusted (see diagnostics): get more expert labels, or check with --engine nuts."
        )
    lost = sorted({f"{row.metric} ({row.method})" for row in rows if row.value is None})
    if lost:
        said.append(f"not defined on these items: {', '.join(lost)}.")
    return said
