"""[leaderboard]: true p of tables 5 to 14, estimated p beside the law of ours, and the minima of tables 1 to 4.

Test sets have N = 1000 items, and 5 answers per item of the raters and of each system. A true p belongs to the
population and is met to Monte-Carlo error; an estimated p belongs to one random test set, and can only be placed among
those of ours (see `estimated_p`); tables 1 to 4 are the smallest differences between the two, and follow from the rest.
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr

from quorate._random import generator
from quorate._typing import Array
from quorate.inference.outcome import t_quantile
from quorate.populations.normal.population import NormalPopulation
from quorate.populations.preset import find_preset
from quorate.reproducing.answers import draw_answers
from quorate.reproducing.cells import ERRORS, Cell, Run, absent, claim
from quorate.reproducing.estimated_p import CENTRAL, p_law, resampled_z
from quorate.reproducing.flattened import contests
from quorate.reproducing.leaderboard_figures import Minimum, Row, in_words, minima, printed, world_of
from quorate.reproducing.leaderboard_readings import (
    ERROR_RATES,
    OTHER_READINGS,
    error_rate_cells,
    other_reading_cells,
)
from quorate.reproducing.true_p import PopulationP, population_p, two_worlds

__all__ = ["cells", "parts"]

TABLES = range(5, 15)
N_ITEMS = 1000
BATCH = 50
"""Test sets held at a time."""
PRINTED_DRAWS, PRINTED_EMD_DRAWS = 1000, 100
"""M of the paper, read off the last digit of its p-values: multiples of 1/M²."""
TOLERANCE = 0.03
"""Of a true p, where the world behind it had to be found by trying."""

WORLDS = {
    "uniform-normal": "sds are U(0, 0.3), not the printed U(0, 2), and B's means are clamped to [0, 1]",
    "toxicity-likert": "answers are cut down to five levels, one below the printed, and B's means clamped to [0, 1]",
}
COUNTS = "EMD between histogram counts on [0, 1], 100 bins for a set and 5 for an item; the paper prints no bins"


def parts(run: Run) -> list[str]:
    """Return the tasks: true p of each table, the law of estimated p of some or all, and the rest.

    Examples
    --------
    >>> parts(Run(quick=True))[0]
    'true p, table 5'
    """
    estimated = (6, 7, 11, 12) if run.quick else TABLES
    by_table = [*(f"true p, table {t}" for t in TABLES), *(f"estimated p, table {t}" for t in estimated)]
    return [*by_table, "minima", OTHER_READINGS, ERROR_RATES]


def cells(part: str, run: Run) -> list[Cell]:
    """Return the cells of one task.

    Examples
    --------
    >>> cells("minima", Run())[0].verdict
    'match'
    """
    if part == "minima":
        return [_arithmetic(cell) for table in TABLES for cell in minima(table)]
    if part in (OTHER_READINGS, ERROR_RATES):
        return other_reading_cells(run) if part == OTHER_READINGS else error_rate_cells(run)
    kind, _, table = part.partition(", table ")
    return _true_cells(int(table), run) if kind == "true p" else _estimated_cells(int(table), run)


def _true_cells(table: int, run: Run) -> list[Cell]:
    rows = printed(table)
    found = {k: _true_p(table, k, [row.metric for row in rows if row.n_answers == k], run) for k in (5, 1)}
    return [_true_cell(row, found[row.n_answers][row.metric]) for row in rows]


def _true_p(table: int, n_answers: int, metrics: Sequence[str], run: Run) -> dict[str, PopulationP]:
    """Draw test sets in both worlds; metrics share them."""
    population, effect = _population(table)
    rng = generator(run.seed, "true p", table, n_answers)
    shape_of = {1: 2 * BATCH, 5: BATCH}

    def draw(n: int, null: bool) -> dict[str, Array]:
        sets = draw_answers(population, (n, N_ITEMS), n_answers, effect=effect, null=null, rng=rng)
        return contests(sets, dict.fromkeys(metrics))

    draws = run.draws(4000, quick=1000)
    return {name: population_p(*both) for name, both in two_worlds(draw, draws, shape_of[n_answers]).items()}


def _true_cell(row: Row, ours: PopulationP) -> Cell:
    where = ("leaderboard", f"Table {row.table}", _name(row), "true p")
    if row.true is None:
        return absent(*where, None, "the printed figure cannot be read with certainty")
    return Cell(
        *where,
        published=row.true,
        ours=ours.p,
        error=ours.error,
        published_error=ours.error_of(PRINTED_DRAWS),
        tolerance=TOLERANCE,
        reason=_reason(row),
    )


def _estimated_cells(table: int, run: Run) -> list[Cell]:
    """Place every printed estimate, and the minima that follow from them, among those of ours."""
    rows = printed(table)
    found = [_one_set(table, rows, run, i) for i in range(run.draws(60, quick=12))]
    z = {row: np.array([each[row] for each in found]) for row in rows}
    placed = [_estimated_cell(row, z[row]) for row in rows]
    if run.quick:  # too few test sets for what is said about the smallest error of several
        return placed
    return [*placed, *(_minimum_cell(cell, z) for cell in minima(table)), *_text(table, z)]


def _one_set(table: int, rows: Sequence[Row], run: Run, index: int) -> dict[Row, float]:
    """Draw one test set and resample it in every way of the table."""
    population, effect = _population(table)
    rng = generator(run.seed, "estimated p", table, index)
    sets = draw_answers(population, (N_ITEMS,), 5, effect=effect, rng=rng)
    found = {}
    for items, answers in dict.fromkeys((row.items, row.answers) for row in rows):
        here = [row for row in rows if (row.items, row.answers) == (items, answers)]
        z = resampled_z(sets, items, answers, [row.metric for row in here], draws=BATCH, rng=rng)
        found.update({row: z[row.metric] for row in here})
    return found


def _estimated_cell(row: Row, z: Array) -> Cell:
    where = ("leaderboard", f"Table {row.table}", _name(row), "p estimated from one test set")
    if row.estimated is None:
        return absent(*where, None, "the printed figure cannot be read with certainty")
    draws = PRINTED_EMD_DRAWS if _is_emd(row.metric) else PRINTED_DRAWS
    law = p_law(z, printed_error=float(np.sqrt(1 / 6 / draws)))  # two uniform shares, each of variance 1/12
    end = law.high if row.estimated > law.median else law.low
    span = f"central 99.9 % of ours over {len(z)} test sets: {law.low:.2g} to {law.high:.2g}"
    real = row.table >= 10
    return Cell(
        *where,
        published=row.estimated,
        ours=law.median,
        error=law.error,
        tolerance=abs(end - law.median) + 1 / draws**2,
        expected=not real,
        reason=f"{span}; {'raters drawn, where the paper has 1000 real comments' if real else _reason(row)}",
    )


def _arithmetic(cell: Minimum) -> Cell:
    """Compute a minimum again from the printed p-values it is the minimum of."""
    rows = _behind(cell, printed(cell.source))
    known = [abs(row.estimated - row.true) for row in rows if row.estimated is not None and row.true is not None]
    whole = len(known) == len(rows)
    return Cell(
        *_place(cell, "minimum of printed differences"),
        published=cell.value,
        ours=min(known),
        tolerance=1e-5,
        expected=whole,
        reason=f"from Table {cell.source} as printed" + ("" if whole else ", of which a figure cannot be read"),
    )


def _minimum_cell(cell: Minimum, z: dict[Row, Array]) -> Cell:
    """Place a printed minimum among ours, one for each test set: any smaller one will do, as chance can make it 0."""
    ours = _smallest_error(cell, z)
    logs = np.log(np.maximum(ours, 1e-6))
    reach = float(t_quantile(len(ours) - 1.0, CENTRAL)) * logs.std(ddof=1) * np.sqrt(1 + 1 / len(ours))
    middle, high = float(np.median(ours)), float(max(np.exp(logs.mean() + reach), ours.max()))
    share = np.mean(ours <= cell.value)
    return Cell(
        *_place(cell, "minimum over test sets"),
        published=cell.value,
        ours=middle,
        error=float(ours.std(ddof=1) / np.sqrt(len(ours))),
        tolerance=middle if cell.value <= middle else max(high - middle, 0.0) + 1e-5,
        expected=False,
        reason=f"the smallest error of one random test set; {share:.0%} of {len(ours)} of ours are as small, their "
        f"central 99.9 % ends at {high:.2g}",
    )


def _smallest_error(cell: Minimum, z: dict[Row, Array]) -> Array:
    """Return the smallest |estimated − true p| behind a minimum, one for each test set."""
    rows = [row for row in _behind(cell, list(z)) if row.true is not None]
    return np.asarray(np.min([np.abs(ndtr(-np.abs(z[row])) - row.true) for row in rows], axis=0))


def _text(table: int, z: dict[Row, Array]) -> list[Cell]:
    """§5 to §8: which metric and which sampler errs least, where p is neither ½ nor 0; each rests on one test set."""
    preset, effect = world_of(table)
    if effect not in (0.05, 0.1):
        return []
    metric = "Wins(MAE)" if preset == "uniform-normal" else "Spearman Rho"
    by_metric, by_sampler = (
        {cell.row: _smallest_error(cell, z) for cell in minima(table) if cell.table % 2 == odd} for odd in (0, 1)
    )
    row = f"{preset}, ε = {effect:g}"
    return [
        _errs_least(metric, row, f"{metric} errs least of all metrics", by_metric),
        _errs_least("bootstrap all", row, "bootstrapped items with all answers err least of all samplers", by_sampler),
    ]


def _errs_least(name: str, row: str, column: str, errors: dict[str, Array]) -> Cell:
    """Check a statement on the average over test sets: no other may err less by more than 5 Monte-Carlo errors."""
    worse = [errors[name] - other for each, other in errors.items() if each != name]
    beaten = any(each.mean() > ERRORS * each.std(ddof=1) / np.sqrt(len(each)) for each in worse)
    share = np.mean(np.max(worse, axis=0) <= 0)
    best = min(errors, key=lambda each: float(errors[each].mean()))
    beyond = "beyond Monte-Carlo error" if beaten else "to Monte-Carlo error"
    reason = f"so in {share:.0%} of {len(worse[0])} test sets; the smallest error on average: {best}, {beyond}"
    return claim("leaderboard", "Text, sec. 7", row, column, holds=not beaten, reason=reason, expected=False)


def _behind(cell: Minimum, rows: Sequence[Row]) -> list[Row]:
    """Return the rows a minimum is taken over; wins and cosine stand under one name there, flattened or not."""
    if cell.table in (1, 3):
        return [row for row in rows if row.sampler == cell.row]
    merged = cell.row in ("COS", "Wins(MAE)")
    return [row for row in rows if (row.metric.split(" (vec")[0] if merged else row.metric) == cell.row]


def _population(table: int) -> tuple[NormalPopulation, float]:
    name, effect = world_of(table)
    population = find_preset(name).population.normals
    assert population is not None
    return population, effect


def _place(cell: Minimum, column: str) -> tuple[str, str, str, str]:
    row = in_words(*cell.row.split()) if cell.table in (1, 3) else cell.row
    return "leaderboard", f"Table {cell.table}", f"{row}, ε = {world_of(cell.source)[1]:g}", column


def _name(row: Row) -> str:
    return f"{row.metric}, {in_words(row.items, row.answers)}"


def _is_emd(metric: str) -> bool:
    return metric.startswith("EMD") or metric == "Mean Agg"


def _reason(row: Row) -> str:
    return WORLDS[world_of(row.table)[0]] + (f"; {COUNTS}" if _is_emd(row.metric) else "")
