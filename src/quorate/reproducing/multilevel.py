"""[multilevel]: the figures named in its public summary, on the DICES 350 ratings.

Γ of many studies drawn from the ratings by S1 (items and raters crossed), S2 (raters within items)
or S3 (batches), with forest's perturbation at ε = 0.3, first-category ties and answers coded 0, ½,
1. The figures cannot match exactly, for the reason `WHY`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from quorate._random import generator
from quorate._typing import Array
from quorate.inference.outcome import expected_p
from quorate.inference.scored_systems import score_systems
from quorate.metrics.registry import find_metric
from quorate.populations.resampled import EmpiricalPopulation, resampled, subsets
from quorate.reproducing.cell import Cell, absent, claim, read_figures
from quorate.reproducing.question import ReproduceQuestion

ORDER = ["No", "Unsure", "Yes"]
RATERS = (5, 10, 20, 40, 60, 80, 100)
"""Numbers of raters among which the best is looked for."""
BATCHES, BUDGETS, FEW_RATERS = 10, (500, 1000, 2500, 5000), 30

ABSENT = "data absent"
WHY = "The summary is a third party's, its p are minima over K and its raters 104 of the 123 by an unstated rule."


@dataclass(frozen=True)
class SummaryP:
    """A p-value named in the summary; the data of some are not public with rater ids."""

    data: str
    metric: str
    unit: str
    responses: int
    n_raters: int | None
    p: float

    @property
    def column(self) -> str:
        """What it is the p of."""
        raters = "" if self.n_raters is None else f", K = {self.n_raters}"
        return f"p of {self.metric} under {self.unit}, NK = {self.responses}{raters}"


def parts(question: ReproduceQuestion) -> list[str]:
    """Return the p-values of the summary, and its claims."""
    return list(PARTS)


def cells(part: str, question: ReproduceQuestion) -> list[Cell]:
    """Return the cells of one part."""
    return PARTS[part](question)


def study_p(
    world: EmpiricalPopulation, metric: str, responses: int, n_raters: int, *, studies: int, key: str, seed: int
) -> tuple[float, float]:
    """Return the expected p of a study at ε = 0.3, and its error, from batches in both worlds."""
    scored = find_metric(metric, variant="paper", positive=len(world.labels) - 1)

    def gammas(null: bool, batch: int) -> Array:
        rng = generator(seed, "multilevel", world.unit, metric, key, responses, n_raters, int(null), batch)
        study = world.draw(
            n_replicates=studies // BATCHES,
            n_items=responses // n_raters,
            n_raters=n_raters,
            answers="raters",
            effect=0.3,
            null=null,
            rng=rng,
        )
        match = score_systems(scored, study.raters, [study.a, study.b]).pair(0, 1)
        return np.asarray(
            match.differences.mean(-1) if scored.level == "item" else _oriented(match.score_a, match.score_b)
        )

    ps = [float(expected_p(gammas(False, batch), gammas(True, batch))) for batch in range(BATCHES)]
    return _mean_and_error(ps)


def distinct_gammas(
    table: Array, metric: str, unit: str, size: tuple[int, int], *, null: bool, studies: int, rng: np.random.Generator
) -> Array:
    """Draw Γ of studies with distinct raters, ``(study,)``; G, A and B each have their own."""
    n_items, n_raters = size
    item = rng.integers(len(table), size=(studies, n_items))
    noise = rng.dirichlet(np.full(3, 1 / 3), size=(studies, n_items))
    truth, a, b = (_draw_distinct(table, item, n_raters, unit, rng) for _ in "gab")
    a, b = _replaced(a, 0.15 if null else 0.0, noise, rng), _replaced(b, 0.15 if null else 0.3, noise, rng)
    score = {"accuracy": _accuracy, "mae": _minus_mae}[metric]
    return np.asarray(score(truth, a) - score(truth, b))


def _oriented(score_a: Array, score_b: Array) -> Array:
    """Difference of scores that are better high; undefined ones count 0."""
    return np.asarray(np.nan_to_num(score_a - score_b))


def _summary(data: str) -> list[SummaryP]:
    return [SummaryP(**row) for row in read_figures("multilevel_p") if row["data"] == data]


def _world(
    question: ReproduceQuestion, unit: str, name: str = "dices_350", pool: int | None = None
) -> EmpiricalPopulation | None:
    path = question.file(name, "annotations.csv.gz") or question.file(name, "annotations.csv")
    if path is None:
        return None
    from quorate.data.read_ratings import read_ratings

    order = ORDER if name == "dices_350" else None
    return resampled(read_ratings(path, order=order), unit, pool=pool, seed=question.seed)


def _p(
    question: ReproduceQuestion, world: EmpiricalPopulation, metric: str, responses: int, n_raters: int, key: str = ""
) -> tuple[float, float]:
    studies = question.draws(6000, quick=1500) if responses < 50_000 else question.draws(1000, quick=200)
    return study_p(world, metric, responses, n_raters, studies=studies, key=key, seed=question.seed)


def _figures(question: ReproduceQuestion) -> list[Cell]:
    """The printed p, those without public data, and the claim that crossed raters raise p."""
    cells, ours = [], {}
    for figure in _summary("dices"):
        place, world = ("multilevel", "Summary", "dices", figure.column), _world(question, figure.unit)
        if world is None or figure.n_raters is None:
            cells.append(absent(*place, figure.p, ABSENT))
            continue
        p = _p(question, world, figure.metric, figure.responses, figure.n_raters)
        ours[figure.metric, figure.unit] = p
        cells.append(Cell(*place, figure.p, *p, expected=False, reason=WHY, kind="p"))
    cells += [_crossed(metric, ours) for metric in ("accuracy", "mae") if ours]
    private = "The toxicity ratings with rater ids are not public in this form."
    for figure in _summary("toxicity"):
        cells.append(absent("multilevel", "Summary", "toxicity", figure.column, figure.p, private))
    return cells


def _crossed(metric: str, ours: Mapping[tuple[str, str], tuple[float, float]]) -> Cell:
    (s1, error_1), (s2, error_2) = ours[metric, "S1"], ours[metric, "S2"]
    holds = s1 >= s2 - 5 * float(np.hypot(error_1, error_2))
    place = "multilevel", "Claims", "dices", f"p of {metric} is higher with raters crossed"
    return claim(*place, holds=holds, reason=f"S1 {s1:.3f}, S2 {s2:.3f}.")


def _distinct(question: ReproduceQuestion) -> list[Cell]:
    """The same p where the K raters of a draw are distinct; items still come back."""
    cells, path, studies = [], question.file("dices_350", "annotations.csv.gz"), question.draws(400, quick=150)
    for figure in _summary("dices"):
        place = "multilevel", "Other readings", "dices", figure.column
        if path is None or figure.n_raters is None:
            cells.append(absent(*place, figure.p, ABSENT))
            continue
        rng = generator(question.seed, "multilevel distinct", figure.metric, figure.unit)
        size = figure.responses // figure.n_raters, figure.n_raters
        draw = partial(distinct_gammas, _answers(path), figure.metric, figure.unit, size, studies=studies, rng=rng)
        ps = [float(expected_p(draw(null=False), draw(null=True))) for _ in range(BATCHES)]
        why = "Raters of a draw distinct, items drawn with replacement; the summary says neither."
        p = _mean_and_error(ps)
        cells.append(Cell(*place, figure.p, *p, expected=False, reason=why, kind="p"))
    return cells


@lru_cache(maxsize=1)
def _answers(path: Path) -> Array:
    """Read a full table of answers, ``(item, category, rater)``, 1 where that was the answer."""
    from quorate.data.read_ratings import read_ratings

    ratings = read_ratings(path, order=ORDER)
    answers = np.zeros((ratings.n_items, ratings.scale.n_levels, ratings.n_raters or 0))
    answers[ratings.item, ratings.response, ratings.rater] = 1
    return answers


def _draw_distinct(table: Array, item: Array, n_raters: int, unit: str, rng: np.random.Generator) -> Array:
    """Counts of K distinct raters, the same on all items of a study (S1) or anew on each (S2)."""
    if unit == "S2":
        counts = table.sum(-1).astype(int)[item]
        return subsets(counts.reshape(-1, counts.shape[-1]), n_raters, rng).reshape(counts.shape)
    chosen = rng.random((len(item), table.shape[2])).argsort(1) < n_raters
    counts = np.einsum("icr,sr->sic", table, chosen, optimize=True)
    return np.asarray(counts[np.arange(len(item))[:, None], item])


def _replaced(counts: Array, effect: float, noise: Array, rng: np.random.Generator) -> Array:
    """Replace answers by noise with probability ε."""
    kept = rng.binomial(counts.astype(int), 1 - effect)
    return np.asarray(kept + rng.multinomial((counts.sum(-1) - kept.sum(-1)).astype(int), noise))


def _accuracy(truth: Array, system: Array) -> Array:
    return np.asarray((system.argmax(-1) == truth.argmax(-1)).mean(-1))


def _minus_mae(truth: Array, system: Array) -> Array:
    levels = np.array([0.0, 0.5, 1.0]) / truth.sum(-1).max()
    return np.asarray(-np.abs((system - truth) @ levels).mean(-1))


def _mean_and_error(ps: Sequence[float]) -> tuple[float, float]:
    return float(np.mean(ps)), float(np.std(ps, ddof=1) / np.sqrt(len(ps)))


def _best(question: ReproduceQuestion) -> list[Cell]:
    """K with the smallest p of MAE at NK = 1000: that of the printed p [Key findings]."""
    cells = []
    for figure in _summary("dices"):
        if figure.n_raters is None or figure.responses != 1000:
            continue
        place = "multilevel", "Summary", "dices", f"best K of MAE under {figure.unit}, NK = 1000"
        world = _world(question, figure.unit)
        if world is None:
            cells.append(absent(*place, figure.n_raters, ABSENT))
            continue
        p = {k: _p(question, world, "mae", 1000, k)[0] for k in RATERS}
        curve = ", ".join(f"{k}: {p[k]:.3f}" for k in RATERS)
        why = f"The curve is flat near its minimum ({curve})."
        cells.append(Cell(*place, figure.n_raters, min(p, key=p.__getitem__), expected=False, reason=why))
    return cells


def _fewer(question: ReproduceQuestion) -> list[Cell]:
    """Limiting the pool of raters raises p."""
    place = "multilevel", "Claims", "dices", f"p of MAE is higher with {FEW_RATERS} raters than with 123"
    every, some = (_world(question, "S1", pool=pool) for pool in (None, FEW_RATERS))
    if every is None or some is None:
        return [absent(*place, 1.0, ABSENT)]
    many, few = (_p(question, world, "mae", 1000, 40, key=f"{k}")[0] for k, world in enumerate((every, some)))
    why = f"{many:.3f} with 123 raters, {few:.3f} with one draw of {FEW_RATERS} of them."
    return [claim(*place, holds=few > many, reason=why, expected=False)]


def _batches(question: ReproduceQuestion) -> list[Cell]:
    """Batches need a larger budget than raters within items: CSC stands for toxicity."""
    place = "multilevel", "Claims", "csc_devtest", "batches (S3) need a larger budget than raters within items (S2)"
    within, batches = (_world(question, unit, "csc_devtest") for unit in ("S2", "S3"))
    if within is None or batches is None:
        return [absent(*place, 1.0, ABSENT)]
    p = [[_p(question, world, "mae", budget, 5)[0] for budget in BUDGETS] for world in (within, batches)]
    curves = "; ".join(
        f"{unit} {', '.join(f'{x:.3f}' for x in values)}" for unit, values in zip(("S2", "S3"), p, strict=True)
    )
    why = f"p of MAE at K = 5 and NK = {', '.join(map(str, BUDGETS))}: {curves}."
    return [claim(*place, holds=all(s3 >= s2 for s2, s3 in zip(*p, strict=True)), reason=why)]


def _precision(question: ReproduceQuestion) -> list[Cell]:
    """Precision reaches p < 0.05 under S2 but not under S1, even at NK = 50 000."""
    place = "multilevel", "Claims", "dices", "precision is significant at NK = 50 000 under S2 but not under S1"
    crossed, within = (_world(question, unit) for unit in ("S1", "S2"))
    if crossed is None or within is None:
        return [absent(*place, 1.0, ABSENT)]
    s1, s2 = (_p(question, world, "precision", 50_000, 100)[0] for world in (crossed, within))
    why = f"At K = 100: S1 {s1:.3f}, S2 {s2:.3f}. The summary names neither K nor the positive category."
    return [claim(*place, holds=s1 >= 0.05 > s2, reason=why, expected=False)]


PARTS = {
    "figures": _figures,
    "distinct raters": _distinct,
    "best K": _best,
    "fewer raters": _fewer,
    "batches": _batches,
    "precision": _precision,
}
