"""[maven]: what its figures say of bias, width, time, ranks and odd scores.

The figures print no numbers, so their statements are checked on the paper's own item-response
process (App. B) and copula process (App. D), with the coverage that the paper does not show. MAVEN
is the published mode here; the calibrated default stands in the reasons.
"""

from collections import defaultdict
from collections.abc import Mapping
from time import perf_counter
from typing import TypeAlias

import numpy as np

from quorate._random import generator
from quorate._typing import Array
from quorate.estimating.evidence import Evidence
from quorate.estimating.imputation import label_chances, rank_blocks
from quorate.estimating.label_metrics import METRICS, LabelDraws, precision_recall
from quorate.estimating.methods import judge
from quorate.estimating.methods.baselines import expert_draws
from quorate.estimating.posterior.cut import ScoreDraws
from quorate.estimating.study import Study
from quorate.estimating.vote_model import VoteParameters, beta_weights, log_joint, vote_law, vote_sets
from quorate.populations.crowds import SHAPES, Crowd, choose_experts, copula_crowd, irt_crowd, maven_crowd
from quorate.reproducing.cell import Cell, absent, claim, read_figures
from quorate.reproducing.question import ReproduceQuestion

SHARES = (0.02, 0.05, 0.1, 0.2)
MEASURED = ("auc", "human_tnr", "delta_tpr")
RIVALS = ("gt", "mv", "gt+mv", "ds", "ds+s", "h-ai", "oracle")
RECALLS = np.linspace(0.05, 0.95, 19)
TAU = (0.5, (0.1, 0.6), (1.5, 1.5), 0.5, 3.0)
"""φ, a, d, μ and δ of Figure 6 [maven, App. A]."""

WHY_NOT = {
    "Task 2": "Production data that were never public.",
    "Wikipedia": "Needs scores of a commercial model on Wikipedia comments, which the paper does not print.",
}


Measures: TypeAlias = Mapping[tuple[str, str], Array]
"""By metric and method, |error|, width and coverage of every simulated study, ``(study, 3)``."""


def parts(question: ReproduceQuestion) -> list[str]:
    """Return Figure 4 by share of experts, and Table 3 and the other figures."""
    shares = SHARES[1::2] if question.quick else SHARES
    by_share = [f"Figure 4, {share:.0%} experts" for share in shares]
    return [*by_share, "Figure 5", "Figure 6", *(f"Figure 7, {shape} scores" for shape in SHAPES), "Table 3"]


def cells(part: str, question: ReproduceQuestion) -> list[Cell]:
    """Return the cells of one part."""
    if part.startswith("Figure 4"):
        return _figure_4(float(part.split()[2].rstrip("%")) / 100, question)
    if part.startswith("Figure 7"):
        return _figure_7(part.split()[2], question)
    return {"Figure 5": _figure_5, "Figure 6": _figure_6, "Table 3": _table_3}[part](question)


def _table_3(question: ReproduceQuestion) -> list[Cell]:
    """Absolute bias relative to expert labels alone."""
    return [
        absent("maven", "Table 3", row["task"], f"{row['method']}, {metric}", row[metric], WHY_NOT[row["task"]])
        for row in read_figures("maven_bias")
        for metric in MEASURED
    ]


def _evidence(crowd: Crowd, share: float, rng: np.random.Generator) -> Evidence:
    known = choose_experts(len(crowd.truth), share, rng=rng)
    scores = {"system": crowd.scores[:, 0]}
    return Evidence.binary(crowd.positive, crowd.total, crowd.truth, known, scores, truth=crowd.truth)


def _truth(evidence: Evidence) -> LabelDraws:
    """What all true labels say."""
    every = Evidence.binary(
        evidence.positive, evidence.total, evidence.label, np.ones(evidence.n_items, dtype=bool), evidence.scores
    )
    return _experts_alone(every, 0, n_draws=1)[0]


def _experts_alone(evidence: Evidence, seed: int, n_draws: int = 500) -> tuple[LabelDraws, LabelDraws]:
    """The experts' items as they are, and drawn again."""
    rng = generator(seed, "estimate", "gt")
    return expert_draws(evidence, evidence.scores["system"], threshold=0.5, n_draws=n_draws, rng=rng)


def _judged(evidence: Evidence, method: str, seed: int) -> LabelDraws:
    """Draws of a method; ``maven`` is the published mode, ``calibrated`` ours."""
    if method == "gt":
        return _experts_alone(evidence, seed)[1]
    study = Study(evidence, mode="calibrated" if method == "calibrated" else "paper", seed=seed)
    return judge(study, "maven" if method in ("maven", "calibrated") else method, "system").draws


def _figure_4(share: float, question: ReproduceQuestion) -> list[Cell]:
    """Errors, widths and coverage of all methods over simulated studies of 10 000 items."""
    measured = defaultdict(list)
    for k in range(question.draws(12, quick=4)):
        crowd = irt_crowd(10_000, rng=generator(question.seed, "reproduce maven", k))
        evidence = _evidence(crowd, share, generator(question.seed, "reproduce maven", "experts", k, repr(share)))
        truth = _truth(evidence)
        for method in ("maven", "calibrated", *RIVALS):
            draws = _judged(evidence, method, question.seed + k)
            for metric in MEASURED:
                values, true = METRICS[metric](draws), float(METRICS[metric](truth)[0])
                low, high = np.quantile(values, [0.025, 0.975])
                measured[metric, method].append((abs(values.mean() - true), high - low, low <= true <= high))
    measures = {key: np.array(studies, dtype=float) for key, studies in measured.items()}
    place = "maven", "Figure 4", f"{share:.0%} experts"
    ours = (cell for metric in MEASURED for cell in _beside_experts(place, metric, measures))
    return [*ours, *_beside_rivals(place, measures)]


def _beside_experts(place: tuple[str, str, str], metric: str, measures: Measures) -> list[Cell]:
    """MAVEN beside experts alone, and the coverage the paper leaves out."""
    paper, ours, experts = (measures[metric, method].mean(0) for method in ("maven", "calibrated", "gt"))
    holds, why = _no_worse(measures, metric, "maven", "gt", errors=5)
    why += f"; calibrated {ours[0]:.4f}."
    closer = claim(*place, f"{metric}: errors no larger than with experts alone", holds=holds, reason=why)
    ratio, own = paper[1] / experts[1], ours[1] / experts[1]
    why = f"Width {ratio:.2f} of that with experts alone; calibrated {own:.2f}."
    column = f"{metric}: narrower intervals than with experts alone"
    narrower = claim(*place, column, holds=bool(ratio < 1), reason=why)
    n, rate = len(measures[metric, "maven"]), float(paper[2])
    why = f"Published mode; calibrated {ours[2]:.2f} of {n} studies."
    column, spread = f"{metric}: coverage of 95 % intervals", float(np.sqrt(0.95 * 0.05 / n))
    coverage = Cell(*place, column, 0.95, rate, spread, tolerance=0.03, expected=False, reason=why)
    return [closer, narrower, coverage]


def _beside_rivals(place: tuple[str, str, str], measures: Measures) -> list[Cell]:
    """What the text says of the other methods."""
    biased, alone = "majority vote is more biased than experts alone", "no vote model alone is enough"
    statements = [
        ("auc", biased, "gt", "mv"),
        ("delta_tpr", biased, "gt", "mv"),
        ("auc", alone, "gt", "oracle"),
        *((m, f"{own} is closer than ds", own, "ds") for m in ("auc", "delta_tpr") for own in ("ds+s", "h-ai")),
    ]
    cells = []
    for metric, what, method, other in statements:
        holds, why = _no_worse(measures, metric, method, other)
        cells.append(claim(*place, f"{metric}: {what}", holds=holds, reason=why + "."))
    return cells


def _no_worse(measures: Measures, metric: str, method: str, other: str, errors: float = 0.0) -> tuple[bool, str]:
    """Whether a method's mean error is at most the other's, to so many paired errors."""
    own, others = measures[metric, method][:, 0], measures[metric, other][:, 0]
    paired = own - others
    slack = errors * paired.std(ddof=1) / np.sqrt(len(paired))
    return bool(paired.mean() <= slack), f"Mean |error| {method} {own.mean():.4f}, {other} {others.mean():.4f}"


def _figure_5(question: ReproduceQuestion) -> list[Cell]:
    """Time of inference against n; a statement about a machine, so none that must hold."""
    sizes = (1_000, 10_000, 100_000)
    seconds: dict[str, list[float]] = {"maven": [], "ds+s": [], "h-ai": []}
    for n in sizes:
        crowd = irt_crowd(n, rng=generator(question.seed, "reproduce time", n))
        evidence = _evidence(crowd, 0.1, generator(question.seed, n))
        for method, times in seconds.items():
            start = perf_counter()
            _judged(evidence, method, question.seed)
            times.append(perf_counter() - start)
    why = "; ".join(f"{method} {', '.join(f'{t:.1f}' for t in times)} s" for method, times in seconds.items())
    sized = f" for n = {', '.join(f'{n:,}'.replace(',', ' ') for n in sizes)}."
    place, maven = ("maven", "Figure 5", "item-response process"), seconds["maven"]
    flat, quick = maven[-1] < 3 * maven[0], maven[-1] < min(seconds["ds+s"][-1], seconds["h-ai"][-1])
    return [
        claim(*place, "time is almost constant in n", holds=flat, reason=why + sized, expected=False),
        claim(*place, "faster than ds+s and h-ai", holds=quick, reason=why + sized, expected=False),
    ]


def _figure_6(question: ReproduceQuestion) -> list[Cell]:
    """Mean logit of P(Y = 1) from ranks minus that from scores, at the true parameters."""
    cells = []
    for n in (100, 1000):
        studies = question.draws(200, quick=40) * 1000 // n
        gaps = np.concatenate([_rank_gaps(n, k, question.seed) for k in range(studies)])
        for percentile, column in zip((1, 50, 99), gaps.T, strict=True):
            error = float(column.std(ddof=1) / np.sqrt(len(column)))
            why = "Mean difference of logits, 0.02 allowed." if n == 1000 else "The paper sees small differences here."
            place = "maven", "Figure 6", f"{n} items", f"ranks against scores at percentile {percentile}"
            mean, expected = float(column.mean()), n == 1000
            cells.append(Cell(*place, 0.0, mean, error, tolerance=0.02, expected=expected, reason=why))
    return cells


def _rank_gaps(n_items: int, number: int, seed: int) -> Array:
    """Differences of logits at percentiles 1, 50 and 99 of one study, ``(1, percentile)``."""
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
    """Logit of P(Y = 1 | V, X) at the true parameters, P integrated on nodes of its beta law."""
    from quorate.estimating.vote_model import NODES

    prevalence, rate, scale, shift, slope = TAU
    theta = VoteParameters(np.array(prevalence), np.array(rate), np.array(scale))
    total = np.full(len(positive), 3)
    weights = beta_weights(theta, positive, total)
    mean = shift * np.array([[0.0], [1.0]]) + slope * NODES
    density = (weights * np.exp(-0.5 * (score[:, None, None] - mean) ** 2)).sum(-1)
    log = log_joint(theta, positive, total) + np.log(density)
    return np.asarray(log[:, 1] - log[:, 0])


def _figure_7(shape: str, question: ReproduceQuestion) -> list[Cell]:
    """Mean distance of estimated precision–recall curves from the true one; 400 experts of 4000."""
    distance: dict[str, list[float]] = {"maven": [], "calibrated": [], "ds+s": [], "h-ai": []}
    for k in range(question.draws(5, quick=2)):
        crowd = copula_crowd(4000, shape=shape, rng=generator(question.seed, "reproduce shapes", shape, k))
        evidence = _evidence(crowd, 0.1, generator(question.seed, "reproduce shapes", "experts", shape, k))
        true = precision_recall(_truth(evidence), RECALLS)[0]
        for method, distances in distance.items():
            curve = precision_recall(_judged(evidence, method, question.seed + k), RECALLS).mean(0)
            distances.append(float(np.abs(curve - true).mean()))
    mean = {method: float(np.mean(values)) for method, values in distance.items()}
    distances_of = ", ".join(f"{method} {value:.3f}" for method, value in mean.items())
    why = f"Mean distance in precision: {distances_of}. The paper does not print its shapes; these are ours."
    best = mean["maven"] <= min(mean["ds+s"], mean["h-ai"])
    place = "maven", "Figures 3 and 7", f"{shape} scores", "MAVEN follows the precision–recall curve best"
    return [claim(*place, holds=best, reason=why, expected=False)]
