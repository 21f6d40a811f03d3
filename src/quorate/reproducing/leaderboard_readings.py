"""[leaderboard] read in other ways: what its text would give where the tables need another reading; its error rates.

True p-values as in tables 6 to 8, N = 1000 and K = 5, with one thing changed. Error rates: how often each sampler
rejects two systems that are the same, at a p of 5 %, in small test sets.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from quorate._random import generator
from quorate._typing import Array
from quorate.data.summaries import Means, Values
from quorate.metrics.contests import contest
from quorate.metrics.registry import find_metric
from quorate.populations.normal.families import Uniform
from quorate.populations.normal.population import NormalPopulation
from quorate.reproducing.answers import AnswerSets, draw_answers
from quorate.reproducing.cells import Cell, Run
from quorate.reproducing.estimated_p import resampled_z
from quorate.reproducing.flattened import contests
from quorate.reproducing.leaderboard_figures import in_words, printed, world_of
from quorate.reproducing.true_p import population_p, two_worlds

__all__ = ["ERROR_RATES", "OTHER_READINGS", "error_rate_cells", "other_reading_cells"]

OTHER_READINGS, ERROR_RATES = "other readings", "error rates"
SAMPLERS = tuple((row.items, row.answers) for row in printed(5) if row.metric == "MAE")
LEVEL, SMALL = 0.05, 200
"""Nominal error rate, and items of the test sets it is tried on."""


@dataclass(frozen=True)
class Reading:
    """One way to read the text: which cell it is tried on, the world it means, and the contest it means."""

    name: str
    table: int
    metric: str
    population: NormalPopulation
    contest: Callable[[AnswerSets], Array]


def other_reading_cells(run: Run) -> list[Cell]:
    """Return true p-values under other readings; none is expected to match."""
    return [_reading_cell(reading, run) for reading in _readings()]


def error_rate_cells(run: Run) -> list[Cell]:
    """Return how often each sampler rejects equal systems; a p-value promises 5 %."""
    studies = run.draws(1000, quick=200)
    rng = generator(run.seed, ERROR_RATES)
    sets = draw_answers(_world(0.3), (studies, SMALL), 5, effect=0.0, rng=rng)
    each = [AnswerSets(*one) for one in zip(sets.raters, sets.a, sets.b, strict=True)]
    found = []
    for items, answers in SAMPLERS:
        z = [resampled_z(one, items, answers, ["MAE"], draws=100, rng=rng)["MAE"] for one in each]
        rate = float(np.mean(np.abs(z) >= -ndtri(LEVEL)))
        row = f"{in_words(items, answers)}, MAE, N = {SMALL}, K = 5"
        found.append(
            Cell(
                "leaderboard",
                "Error rates",
                row,
                "equal systems rejected at 5 %",
                published=LEVEL,
                ours=rate,
                error=float(np.sqrt(max(rate * (1 - rate), 1 / studies) / studies)),
                expected=False,
                reason="0.05 is what a p-value promises, not a figure of the paper; one-sided, side chosen afterwards",
            )
        )
    return found


def _readings() -> list[Reading]:
    found, sds = _world(0.3), "sds U(0, {}), {}"
    return [
        Reading(sds.format(2, "as printed"), 8, "MAE", _world(2.0), _table_contest("MAE")),
        Reading(sds.format(0.2, "narrower"), 6, "MSE", _world(0.2), _table_contest("MSE")),
        Reading("B's means not clamped", 8, "EMD Agg", _world(0.3, clamped=False), _table_contest("EMD Agg")),
        Reading("cosine of item means, not of single answers", 6, "COS (vectorized)", found, _by_means("cosine")),
        Reading("EMD of item means, not of counts", 8, "EMD Agg", found, _by_means("emd_of_means")),
        Reading("EMD of each item's answers, not of counts", 6, "Mean Agg", found, _emd_of_items),
    ]


def _reading_cell(reading: Reading, run: Run) -> Cell:
    effect = world_of(reading.table)[1]
    rng = generator(run.seed, OTHER_READINGS, reading.name)

    def draw(n: int, null: bool) -> dict[str, Array]:
        sets = draw_answers(reading.population, (n, 1000), 5, effect=effect, null=null, rng=rng)
        return {reading.metric: reading.contest(sets)}

    ours = population_p(*two_worlds(draw, run.draws(2000, quick=500), 50)[reading.metric])
    published = next(row.true for row in printed(reading.table) if row.metric == reading.metric)
    return Cell(
        "leaderboard",
        "Other readings",
        reading.name,
        f"true p of {reading.metric}, Table {reading.table}, ε = {effect:g}",
        published=published,
        ours=ours.p,
        error=ours.error,
        published_error=ours.error_of(1000),
        expected=False,
        reason="a reading the printed figures do not support",
    )


def _world(most: float, *, clamped: bool = True) -> NormalPopulation:
    """The simulated world with sds up to another end."""
    return NormalPopulation(Uniform(0.0, 1.0), Uniform(0.0, most), mean_bounds=(0.0, 1.0) if clamped else None)


def _table_contest(metric: str) -> Callable[[AnswerSets], Array]:
    return lambda sets: contests(sets, [metric])[metric]


def _by_means(name: str) -> Callable[[AnswerSets], Array]:
    """A metric of the whole set from the item means."""

    def score(sets: AnswerSets) -> Array:
        raters, a, b = (Means(x.mean(-1), np.full(x.shape[:-1], 5)) for x in (sets.raters, sets.a, sets.b))
        return contest(find_metric(name), raters, a, b)

    return score


def _emd_of_items(sets: AnswerSets) -> Array:
    raters, a, b = (Values(np.sort(x, axis=-1), np.full(x.shape[:-1], 5)) for x in (sets.raters, sets.a, sets.b))
    return np.asarray(contest(find_metric("emd"), raters, a, b).mean(-1))
