"""Expert and crowd labels together [maven]: what its figures say of bias, width, time, ranks and odd scores.

The figures print no numbers, so their statements are checked on the paper's own item-response process (App. B) and
copula process (App. D) – with the coverage of its intervals beside them, which the paper does not show. MAVEN is the
published mode here; the calibrated default stands in the reasons.
"""

from collections import defaultdict
from collections.abc import Callable
from time import perf_counter
from typing import TypeAlias

import numpy as np

from quorate._random import generator
from quorate._typing import Array
from quorate.estimating.evidence import Evidence
from quorate.estimating.imputation import label_chances
from quorate.estimating.label_metrics import METRICS, Outcome, precision_recall
from quorate.estimating.methods.choose import Study
from quorate.estimating.posterior.cut import ScoreDraws
from quorate.estimating.rank_blocks import rank_blocks
from quorate.estimating.vote_law import beta_weights, vote_law
from quorate.estimating.vote_model import VoteParameters, log_joint, vote_sets
from quorate.populations.crowds import SHAPES, Crowd, choose_experts, copula_crowd, irt_crowd, maven_crowd
from quorate.reproducing.cells import Cell, Run, absent, claim

__all__ = ["TABLE_3", "cells", "parts"]

SHARES = (0.02, 0.05, 0.1, 0.2)
MEASURED = ("auc", "human_tnr", "delta_tpr")
RIVALS = ("gt", "mv", "gt+mv", "ds", "ds+s", "h-ai", "oracle")
Measures: TypeAlias = defaultdict[tuple[str, str], list[float]]
"""By metric and method, one value per simulated study."""
RECALLS = np.linspace(0.05, 0.95, 19)
TAU = (0.5, (0.1, 0.6), (1.5, 1.5), 0.5, 3.0)
"""φ, a, d, μ and δ of Figure 6 [maven, App. A]."""

# [maven, Table 3]: absolute bias relative to expert labels alone, of AUC, human TNR and ΔTPR.
TABLE_3 = {
    "Task 2": {
        "mv": (1.18, 4.47, 4.85),
        "ds": (0.34, 3.30, 3.84),
        "h-ai": (1.90, 3.23, 1.89),
        "ds+s": (3.47, 2.89, 0.35),
        "maven": (1.11, 0.76, 0.50),
    },
    "Wikipedia": {
        "mv": (1.44, 3.19, 7.59),
        "ds": (3.07, 2.55, 6.88),
        "h-ai": (2.86, 0.68, 1.84),
        "ds+s": (2.22, 2.06, 0.33),
        "maven": (1.16, 1.01, 0.78),
    },
}
WHY_NOT = {
    "Task 2": "Production data that were never public.",
    "Wikipedia": "Needs scores of a commercial model on Wikipedia comments, which the paper does not print.",
}


def parts(run: Run) -> list[str]:
    """Return Figure 4 by share of experts, and Table 3 and the other figures."""
    shares = SHARES[1::2] if run.quick else SHARES
    return [*(f"Figure 4, {share:.0%} experts" for share in shares), "Figure 5", "Figure 6", *_shaped(), "Table 3"]


def cells(part: str, run: Run) -> list[Cell]:
    """Return the cells of one part.

    Examples
    --------
    >>> len(cells("Table 3", Run()))
    30
    """
    if part.startswith("Figure 4"):
        return _figure_4(float(part.split()[2].rstrip("%")) / 100, run)
    if part.startswith("Figure 7"):
        return _figure_7(part.split()[2], run)
    made: dict[str, Callable[[Run], list[Cell]]] = {"Figure 5": _figure_5, "Figure 6": _figure_6, "Table 3": _table_3}
    return made[part](run)


def _shaped() -> list[str]:
    return [f"Figure 7, {shape} scores" for shape in SHAPES]


def _table_3(run: Run) -> list[Cell]:
    return [
        absent("maven", "Table 3", task, f"{method}, {metric}", value, WHY_NOT[task])
        for task, rows in TABLE_3.items()
        for method, values in rows.items()
        for metric, value in zip(MEASURED, values, strict=True)
    ]


def _evidence(crowd: Crowd, share: float, rng: np.random.Generator) -> Evidence:
    known = choose_experts(len(crowd.truth), share, rng=rng)
    scores = {"system": crowd.scores[:, 0]}
    return Evidence(crowd.positive, crowd.total, crowd.truth, known, scores, truth=crowd.truth)


def _truth(evidence: Evidence) -> Outcome:
    """What all true labels say."""
    every = Evidence(
        evidence.positive, evidence.total, evidence.label, np.ones(evidence.n_items, dtype=bool), evidence.scores
    )
    plain = Study(every, n_draws=1).judge("gt", "system").plain
    assert plain is not None
    return plain


def _judged(evidence: Evidence, method: str, seed: int) -> Outcome:
    """Draws of a method; ``maven`` is the published mode, ``calibrated`` ours."""
    study = Study(evidence, mode="calibrated" if method == "calibrated" else "paper", seed=seed)
    return study.judge("maven" if method in ("maven", "calibrated") else method, "system").draws


def _figure_4(share: float, run: Run) -> list[Cell]:
    """Errors and widths of all methods over simulated studies of 10 000 items."""
    methods = ("maven", "calibrated", *RIVALS)
    error: Measures = defaultdict(list)
    width: Measures = defaultdict(list)
    covers: Measures = defaultdict(list)
    for k in range(run.draws(12, quick=4)):
        crowd = irt_crowd(10_000, rng=generator(run.seed, "reproduce maven", k))
        evidence = _evidence(crowd, share, generator(run.seed, "reproduce maven", "experts", k, repr(share)))
        truth = _truth(evidence)
        for method in methods:
            draws = _judged(evidence, method, run.seed + k)
            for metric in MEASURED:
                values, true = METRICS[metric](draws), float(METRICS[metric](truth)[0])
                low, high = np.quantile(values, [0.025, 0.975])
                error[metric, method].append(abs(float(values.mean()) - true))
                width[metric, method].append(float(high - low))
                covers[metric, method].append(float(low <= true <= high))
    return _statements(f"{share:.0%} experts", error, width, covers)


def _statements(row: str, error: Measures, width: Measures, covers: Measures) -> list[Cell]:
    """Return the text's statements about Figure 4, and the coverage it leaves out."""

    def mean(measures: Measures, metric: str, method: str) -> float:
        return float(np.mean(measures[metric, method]))

    def no_worse(metric: str, method: str, other: str, errors: float = 0.0) -> tuple[bool, str]:
        """Whether a method's mean error is at most the other's, give or take so many paired standard errors."""
        paired = np.subtract(error[metric, method], error[metric, other])
        slack = errors * float(paired.std(ddof=1)) / np.sqrt(len(paired))
        why = f"Mean |error| {method} {mean(error, metric, method):.4f}, {other} {mean(error, metric, other):.4f}"
        return bool(paired.mean() <= slack), why

    found, place = [], ("maven", "Figure 4", row)
    for metric in MEASURED:
        holds, why = no_worse(metric, "maven", "gt", errors=5)
        ours = f"; calibrated {mean(error, metric, 'calibrated'):.4f}."
        found.append(
            claim(*place, f"{metric}: errors no larger than with experts alone", holds=holds, reason=why + ours)
        )
        ratio, own = (mean(width, metric, mode) / mean(width, metric, "gt") for mode in ("maven", "calibrated"))
        why = f"Width {ratio:.2f} of that with experts alone; calibrated {own:.2f}."
        found.append(
            claim(*place, f"{metric}: narrower intervals than with experts alone", holds=ratio < 1, reason=why)
        )
        n, rate = len(covers[metric, "maven"]), mean(covers, metric, "maven")
        why = f"Published mode; calibrated {mean(covers, metric, 'calibrated'):.2f} of {n} studies."
        spread = float(np.sqrt(0.95 * 0.05 / n))
        column = f"{metric}: coverage of 95 % intervals"
        found.append(Cell(*place, column, 0.95, rate, spread, tolerance=0.03, expected=False, reason=why))
    for metric, method, other in (("auc", "gt", "mv"), ("delta_tpr", "gt", "mv"), ("auc", "gt", "oracle")):
        holds, why = no_worse(metric, method, other)
        what = {"mv": "majority vote is more biased than experts alone", "oracle": "no vote model alone is enough"}[
            other
        ]
        found.append(claim(*place, f"{metric}: {what}", holds=holds, reason=why + "."))
    for metric in ("auc", "delta_tpr"):
        for method in ("ds+s", "h-ai"):
            holds, why = no_worse(metric, method, "ds")
            found.append(claim(*place, f"{metric}: {method} is closer than ds", holds=holds, reason=why + "."))
    return found


def _figure_5(run: Run) -> list[Cell]:
    """Time of inference against n; a statement about a machine, so none that must hold."""
    sizes = (1_000, 10_000, 100_000)
    seconds: dict[str, list[float]] = {"maven": [], "ds+s": [], "h-ai": []}
    for n in sizes:
        evidence = _evidence(irt_crowd(n, rng=generator(run.seed, "reproduce time", n)), 0.1, generator(run.seed, n))
        for method, times in seconds.items():
            start = perf_counter()
            _judged(evidence, method, run.seed)
            times.append(perf_counter() - start)
    why = "; ".join(f"{method} {', '.join(f'{t:.1f}' for t in times)} s" for method, times in seconds.items())
    sized = f" for n = {', '.join(f'{n:,}'.replace(',', ' ') for n in sizes)}."
    place, maven = ("maven", "Figure 5", "item-response process"), seconds["maven"]
    flat, quick = maven[-1] < 3 * maven[0], maven[-1] < min(seconds["ds+s"][-1], seconds["h-ai"][-1])
    return [
        claim(*place, "time is almost constant in n", holds=flat, reason=why + sized, expected=False),
        claim(*place, "faster than ds+s and h-ai", holds=quick, reason=why + sized, expected=False),
    ]


def _figure_6(run: Run) -> list[Cell]:
    """Mean logit of P(Y = 1) from ranks minus that from the scores themselves, at the true parameters."""
    found = []
    for n in (100, 1000):
        gaps = np.concatenate([_rank_gaps(n, k, run.seed) for k in range(run.draws(200, quick=40) * 1000 // n)])
        for percentile, column in zip((1, 50, 99), gaps.T, strict=True):
            error = float(column.std(ddof=1) / np.sqrt(len(column)))
            why = "Mean difference of logits, 0.02 allowed." if n == 1000 else "The paper sees small differences here."
            place = "maven", "Figure 6", f"{n} items", f"ranks against scores at percentile {percentile}"
            mean, expected = float(column.mean()), n == 1000
            found.append(Cell(*place, 0.0, mean, error, tolerance=0.02, expected=expected, reason=why))
    return found


def _rank_gaps(n_items: int, number: int, seed: int) -> Array:
    """Differences of logits at the 1st, 50th and 99th percentile of one simulated study, ``(1, percentile)``."""
    rng = generator(seed, "reproduce ranks", n_items, number)
    prevalence, rate, scale, shift, slope = TAU
    crowd = maven_crowd(n_items, rng=rng)
    score = crowd.scores[:, 0]
    sets, member = vote_sets(crowd.positive, crowd.total, crowd.truth, np.zeros(n_items, dtype=bool))
    theta = VoteParameters(np.full(50, prevalence), np.tile(rate, (50, 1)), np.tile(scale, (50, 1)))
    blocks = rank_blocks(score, member, len(sets.size), rng=rng)
    draws = ScoreDraws(np.full(50, shift), np.full(50, slope), 0.0, 1.0)
    chance = np.concatenate(list(label_chances(vote_law(theta, sets), draws, sets, blocks, rng=rng)))
    items = np.argsort(score)[[n_items // 100 - 1, n_items // 2, n_items - n_items // 100]]
    by_rank = np.log(chance / (1 - chance))[:, blocks.item_cell[items]].mean(0)
    return np.asarray(by_rank - _logits(crowd.positive[items], score[items]))[None]


def _logits(positive: Array, score: Array) -> Array:
    """Logit of P(Y = 1 | V, X) under the true parameters, P integrated on the nodes of its beta law."""
    from quorate.estimating.vote_law import NODES

    prevalence, rate, scale, shift, slope = TAU
    theta = VoteParameters(np.array(prevalence), np.array(rate), np.array(scale))
    total = np.full(len(positive), 3)
    weights = beta_weights(theta, positive, total)
    mean = shift * np.array([[0.0], [1.0]]) + slope * NODES
    density = (weights * np.exp(-0.5 * (score[:, None, None] - mean) ** 2)).sum(-1)
    log = log_joint(theta, positive, total) + np.log(density)
    return np.asarray(log[:, 1] - log[:, 0])


def _figure_7(shape: str, run: Run) -> list[Cell]:
    """Mean distance of estimated precision–recall curves from the true one, 4000 items with 400 experts."""
    distance: dict[str, list[float]] = {"maven": [], "calibrated": [], "ds+s": [], "h-ai": []}
    for k in range(run.draws(5, quick=2)):
        crowd = copula_crowd(4000, shape=shape, rng=generator(run.seed, "reproduce shapes", shape, k))
        evidence = _evidence(crowd, 0.1, generator(run.seed, "reproduce shapes", "experts", shape, k))
        true = precision_recall(_truth(evidence), RECALLS)[0]
        for method, found in distance.items():
            curve = precision_recall(_judged(evidence, method, run.seed + k), RECALLS).mean(0)
            found.append(float(np.abs(curve - true).mean()))
    mean = {method: float(np.mean(values)) for method, values in distance.items()}
    said = ", ".join(f"{method} {value:.3f}" for method, value in mean.items())
    why = f"Mean distance in precision: {said}. The paper does not print its shapes; these are ours."
    best = mean["maven"] <= min(mean["ds+s"], mean["h-ai"])
    place = "maven", "Figures 3 and 7", f"{shape} scores", "MAVEN follows the precision–recall curve best"
    return [claim(*place, holds=best, reason=why, expected=False)]
