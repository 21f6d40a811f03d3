"""Multi-level annotator modelling [multilevel]: the figures named in its public summary, on the DICES 350 ratings.

Γ of many studies drawn from the ratings table by S1 (items and raters crossed), S2 (raters within items) or S3
(batches), with forest's perturbation at ε = 0.3, first-category ties and answers coded 0, ½, 1. The figures cannot
match exactly: the summary is a third party's, keeps 104 of the 123 raters by a rule it does not state, and prints
minima over K.
"""

from collections.abc import Mapping
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from quorate._random import generator
from quorate._typing import Array
from quorate.inference.pvalues import expected_p
from quorate.inference.scored_systems import score_systems
from quorate.metrics.registry import find_metric
from quorate.populations.resampled.population import EmpiricalPopulation, resampled, subsets
from quorate.reproducing.cells import Cell, Run, absent, claim

__all__ = ["FIGURES", "cells", "distinct_gammas", "parts", "study_p"]

# Key findings of the summary: metric, unit, NK, K, p.
FIGURES = (
    ("accuracy", "S1", 5000, 40, 0.045),
    ("accuracy", "S2", 5000, 40, 0.019),
    ("mae", "S1", 1000, 100, 0.032),
    ("mae", "S2", 1000, 40, 0.020),
)
# The same for data that are not public with rater ids: unit, NK, p of accuracy on the toxicity ratings.
TOXICITY = (("S2", 500, 0.035), ("S3", 2500, 0.009))
ORDER = ["No", "Unsure", "Yes"]
RATERS = (5, 10, 20, 40, 60, 80, 100)
"""Numbers of raters among which the best is looked for."""
BATCHES, BUDGETS, FEW_RATERS = 10, (500, 1000, 2500, 5000), 30

WHY = "The summary is a third party's, its p are minima over K and its raters 104 of the 123 by an unstated rule."


def parts(run: Run) -> list[str]:
    """Return the four figures, and the claims."""
    return ["figures", "distinct raters", "best K", "fewer raters", "batches", "precision"]


def cells(part: str, run: Run) -> list[Cell]:
    """Return the cells of one part.

    Examples
    --------
    >>> {cell.verdict for cell in cells("figures", Run())}
    {'not reproducible'}
    """
    made = {
        "figures": _figures,
        "distinct raters": _distinct,
        "best K": _best,
        "fewer raters": _fewer,
        "batches": _batches,
        "precision": _precision,
    }
    return made[part](run)


def study_p(
    world: EmpiricalPopulation, metric: str, responses: int, n_raters: int, *, studies: int, key: str, seed: int
) -> tuple[float, float]:
    """Return the expected p of a study at ε = 0.3 and its Monte-Carlo error, from batches of studies in both worlds.

    Examples
    --------
    >>> from quorate.data.read_ratings import read_ratings
    >>> votes = {"item": ["a", "a", "b", "b"], "rater": ["x", "y", "x", "y"], "response": ["no", "no", "no", "yes"]}
    >>> p, error = study_p(resampled(read_ratings(votes)), "accuracy", 40, 2, studies=100, key="", seed=0)
    >>> bool(0 <= p <= 1), bool(error < 0.1)
    (True, True)
    """
    found = find_metric(metric, variant="paper", positive=len(world.labels) - 1)

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
        match = score_systems(found, study.raters, [study.a, study.b]).pair(0, 1)
        return np.asarray(
            match.differences.mean(-1) if found.level == "item" else _oriented(match.score_a, match.score_b)
        )

    ps = [float(expected_p(gammas(False, batch), gammas(True, batch))) for batch in range(BATCHES)]
    return float(np.mean(ps)), float(np.std(ps, ddof=1) / np.sqrt(BATCHES))


def _oriented(score_a: Array, score_b: Array) -> Array:
    """Difference of scores that are better high; undefined ones, such as precision without a positive, count 0."""
    return np.asarray(np.nan_to_num(score_a - score_b))


def _world(run: Run, unit: str, name: str = "dices_350", pool: int | None = None) -> EmpiricalPopulation | None:
    path = run.file(name, "annotations.csv.gz") or run.file(name, "annotations.csv")
    if path is None:
        return None
    from quorate.data.read_ratings import read_ratings

    order = ORDER if name == "dices_350" else None
    return resampled(read_ratings(path, order=order), unit, pool=pool, seed=run.seed)


def _p(
    run: Run, world: EmpiricalPopulation, metric: str, responses: int, n_raters: int, key: str = ""
) -> tuple[float, float]:
    studies = run.draws(6000, quick=1500) if responses < 50_000 else run.draws(1000, quick=200)
    return study_p(world, metric, responses, n_raters, studies=studies, key=key, seed=run.seed)


def _figures(run: Run) -> list[Cell]:
    """The printed p, those without public data, and the claim that crossed raters raise p."""
    found, ours = [], {}
    for metric, unit, responses, n_raters, published in FIGURES:
        place = "multilevel", "Summary", "dices", f"p of {metric} under {unit}, NK = {responses}, K = {n_raters}"
        world = _world(run, unit)
        if world is None:
            found.append(absent(*place, published, "data absent"))
            continue
        ours[metric, unit] = p, error = _p(run, world, metric, responses, n_raters)
        found.append(Cell(*place, published, p, error, expected=False, reason=WHY))
    found += [_crossed(metric, ours) for metric in ("accuracy", "mae") if ours]
    for unit, responses, published in TOXICITY:
        place = "multilevel", "Summary", "toxicity", f"p of accuracy under {unit}, NK = {responses}"
        found.append(absent(*place, published, "The toxicity ratings with rater ids are not public in this form."))
    return found


def _distinct(run: Run) -> list[Cell]:
    """The same p where no rater answers twice in one draw: items come back, the K raters of a draw are distinct."""
    found = []
    path = run.file("dices_350", "annotations.csv.gz")
    for metric, unit, responses, n_raters, published in FIGURES:
        place = "multilevel", "Other readings", "dices", f"p of {metric} under {unit}, NK = {responses}, K = {n_raters}"
        if path is None:
            found.append(absent(*place, published, "data absent"))
            continue
        rng = generator(run.seed, "multilevel distinct", metric, unit)
        study = partial(
            distinct_gammas,
            _answers(path),
            metric,
            unit,
            (responses // n_raters, n_raters),
            studies=run.draws(400, quick=150),
            rng=rng,
        )
        ps = [float(expected_p(study(null=False), study(null=True))) for _ in range(BATCHES)]
        why = "Raters of a draw distinct, items drawn with replacement; the summary says neither."
        error = float(np.std(ps, ddof=1) / np.sqrt(BATCHES))
        found.append(Cell(*place, published, float(np.mean(ps)), error, expected=False, reason=why))
    return found


@lru_cache(maxsize=1)
def _answers(path: Path) -> Array:
    """Read a full table of answers, ``(item, category, rater)``, 1 where that was the answer."""
    from quorate.data.read_ratings import read_ratings

    ratings = read_ratings(path, order=ORDER)
    answers = np.zeros((ratings.n_items, ratings.scale.n_levels, ratings.n_raters or 0))
    answers[ratings.item, ratings.response, ratings.rater] = 1
    return answers


def distinct_gammas(
    table: Array, metric: str, unit: str, size: tuple[int, int], *, null: bool, studies: int, rng: np.random.Generator
) -> Array:
    """Draw Γ of studies with distinct raters, ``(study,)``; G, A and B each have their own.

    Examples
    --------
    >>> table = np.stack([np.eye(3), np.eye(3)])  # two items, three categories, three raters
    >>> distinct_gammas(table, "mae", "S1", (4, 2), null=False, studies=5, rng=np.random.default_rng(0)).shape
    (5,)
    """
    n_items, n_raters = size
    item = rng.integers(len(table), size=(studies, n_items))
    noise = rng.dirichlet(np.full(3, 1 / 3), size=(studies, n_items))
    truth, a, b = (_draw_distinct(table, item, n_raters, unit, rng) for _ in "gab")
    a, b = _replaced(a, 0.15 if null else 0.0, noise, rng), _replaced(b, 0.15 if null else 0.3, noise, rng)
    if metric == "accuracy":
        hits = [(each.argmax(-1) == truth.argmax(-1)).mean(-1) for each in (a, b)]
        return np.asarray(hits[0] - hits[1])
    levels = np.array([0.0, 0.5, 1.0]) / n_raters
    misses = [np.abs((each - truth) @ levels).mean(-1) for each in (a, b)]
    return np.asarray(misses[1] - misses[0])


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


def _crossed(metric: str, ours: Mapping[tuple[str, str], tuple[float, float]]) -> Cell:
    (s1, error_1), (s2, error_2) = ours[metric, "S1"], ours[metric, "S2"]
    why = f"S1 {s1:.3f}, S2 {s2:.3f}."
    holds = s1 >= s2 - 5 * float(np.hypot(error_1, error_2))
    return claim(
        "multilevel", "Claims", "dices", f"p of {metric} is higher with raters crossed", holds=holds, reason=why
    )


def _best(run: Run) -> list[Cell]:
    """K with the smallest p of MAE at NK = 1000: 100 under S1, 40 under S2 [Key findings]."""
    found = []
    for unit, published in (("S1", 100), ("S2", 40)):
        place = "multilevel", "Summary", "dices", f"best K of MAE under {unit}, NK = 1000"
        world = _world(run, unit)
        if world is None:
            found.append(absent(*place, published, "data absent"))
            continue
        p = {k: _p(run, world, "mae", 1000, k)[0] for k in RATERS}
        best = min(p, key=p.__getitem__)
        curve = ", ".join(f"{k}: {p[k]:.3f}" for k in RATERS)
        found.append(
            Cell(*place, published, best, expected=False, reason=f"The curve is flat near its minimum ({curve}).")
        )
    return found


def _fewer(run: Run) -> list[Cell]:
    """Limiting the pool of raters raises p."""
    place = "multilevel", "Claims", "dices", f"p of MAE is higher with {FEW_RATERS} raters than with 123"
    worlds = [_world(run, "S1", pool=pool) for pool in (None, FEW_RATERS)]
    if worlds[0] is None or worlds[1] is None:
        return [absent(*place, 1.0, "data absent")]
    many, few = (_p(run, world, "mae", 1000, 40, key=f"{k}")[0] for k, world in enumerate(worlds) if world is not None)
    why = f"{many:.3f} with 123 raters, {few:.3f} with one draw of {FEW_RATERS} of them."
    return [claim(*place, holds=few > many, reason=why, expected=False)]


def _batches(run: Run) -> list[Cell]:
    """Whole batches need a larger budget than raters within items: CSC stands for the toxicity ratings."""
    place = "multilevel", "Claims", "csc_devtest", "batches (S3) need a larger budget than raters within items (S2)"
    worlds = {unit: _world(run, unit, "csc_devtest") for unit in ("S2", "S3")}
    p = {
        unit: [_p(run, world, "mae", budget, 5)[0] for budget in BUDGETS]
        for unit, world in worlds.items()
        if world is not None
    }
    if not p:
        return [absent(*place, 1.0, "data absent")]
    said = "; ".join(f"{unit} {', '.join(f'{x:.3f}' for x in values)}" for unit, values in p.items())
    holds = all(s3 >= s2 for s2, s3 in zip(p["S2"], p["S3"], strict=True))
    return [claim(*place, holds=holds, reason=f"p of MAE at K = 5 and NK = {', '.join(map(str, BUDGETS))}: {said}.")]


def _precision(run: Run) -> list[Cell]:
    """Precision reaches p < 0.05 under S2 but not under S1, even at NK = 50 000."""
    place = "multilevel", "Claims", "dices", "precision is significant at NK = 50 000 under S2 but not under S1"
    worlds = {unit: _world(run, unit) for unit in ("S1", "S2")}
    p = {unit: _p(run, world, "precision", 50_000, 100)[0] for unit, world in worlds.items() if world is not None}
    if not p:
        return [absent(*place, 1.0, "data absent")]
    why = f"At K = 100: S1 {p['S1']:.3f}, S2 {p['S2']:.3f}. The summary names neither K nor the positive category."
    return [claim(*place, holds=p["S1"] >= 0.05 > p["S2"], reason=why, expected=False)]
