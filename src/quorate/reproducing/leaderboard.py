"""[leaderboard]: its tables, its text read in other ways, and how often it rejects equal systems.

Test sets have 1000 items, and 5 answers per item of the raters and of each system. A true p (tables
5 to 14) belongs to the population and is met to Monte-Carlo error; an estimated p belongs to one
random test set, and can only be placed among ours; tables 1 to 4 are the smallest differences
between the two.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import ndtr, ndtri

from quorate._random import generator
from quorate._typing import Array
from quorate.data.summaries import Values
from quorate.inference.uncertain_variance import t_quantile
from quorate.metrics.contests import contest
from quorate.metrics.registry import find_metric
from quorate.populations.families import Uniform
from quorate.populations.normal import NormalPopulation
from quorate.reproducing.answer_sets import (
    CENTRAL,
    AnswerSets,
    TrueP,
    contest_of_means,
    contests,
    draw_answers,
    estimated_p,
    find_normal,
    resampled_z,
    true_p,
    two_worlds,
)
from quorate.reproducing.cell import ERRORS, Cell, absent, claim, rate_error, read_figures
from quorate.reproducing.question import ReproduceQuestion

TABLES = range(5, 15)
EFFECTS = (0.0, 0.05, 0.1, 0.3, 0.7)
"""ε of B in the five tables of each world [leaderboard, sec. 5]."""
PRINTED_DRAWS, PRINTED_EMD_DRAWS = 1000, 100
"""M of the paper, read off the last digit of its p-values: multiples of 1/M²."""
TOLERANCE = 0.03
"""Of a true p, where the world behind it had to be found by trying."""
LEVEL, SMALL = 0.05, 200
"""Nominal error rate, and items of the test sets it is tried on."""

WORLDS = {
    "uniform-normal": "sds are U(0, 0.3), not the printed U(0, 2), and B's means are clamped to [0, 1]",
    "toxicity-likert": "answers are cut down to five levels, one below the printed, and B's means clamped to [0, 1]",
}
COUNTS = "EMD between histogram counts on [0, 1], 100 bins for a set and 5 for an item; the paper prints no bins"
UNREADABLE = "the printed figure cannot be read with certainty"


@dataclass(frozen=True)
class PrintedP:
    """One row of tables 5 to 14: the metric, the sampling method, and its two p-values."""

    table: int
    metric: str
    items: str
    answers: str
    estimated_p: float | None
    true_p: float | None

    @property
    def sampler(self) -> str:
        """Items and answers, as in ``published:ITEMS:ANSWERS``."""
        return f"{self.items} {self.answers}"

    @property
    def n_answers(self) -> int:
        """Answers per item the metric sees, of the five in a test set."""
        return 1 if self.answers in ("one", "first") else 5

    @property
    def is_emd(self) -> bool:
        """Whether it compares histograms."""
        return self.metric.startswith("EMD") or self.metric == "Mean Agg"

    def place(self, column: str) -> tuple[str, str, str, str]:
        """Return where it stands."""
        return "leaderboard", f"Table {self.table}", f"{self.metric}, {_in_words(self.items, self.answers)}", column

    def reason(self) -> str:
        """Say what its figure rests on."""
        return WORLDS[_world_of(self.table)[0]] + (f"; {COUNTS}" if self.is_emd else "")


@dataclass(frozen=True)
class PrintedMinimum:
    """A cell of tables 1 to 4: the smallest error of a sampler over metrics, or the reverse."""

    table: int
    row: str
    source: int
    value: float

    @property
    def of_sampler(self) -> bool:
        """Whether it is taken over metrics."""
        return self.table in (1, 3)

    def place(self, column: str) -> tuple[str, str, str, str]:
        """Return where it stands."""
        row = _in_words(*self.row.split()) if self.of_sampler else self.row
        return "leaderboard", f"Table {self.table}", f"{row}, ε = {_world_of(self.source)[1]:g}", column

    def behind(self, rows: Sequence[PrintedP]) -> list[PrintedP]:
        """Return the rows it is taken over; wins and cosine have one name, flattened or not."""
        if self.of_sampler:
            return [row for row in rows if row.sampler == self.row]
        merged = self.row in ("COS", "Wins(MAE)")
        return [row for row in rows if (row.metric.split(" (vec")[0] if merged else row.metric) == self.row]


@dataclass(frozen=True)
class Draws:
    """How much is drawn: test sets, their items, sets or resamples at a time, and the seed."""

    n_sets: int
    n_items: int = 1000
    batch: int = 50
    seed: int = 0


@dataclass(frozen=True)
class OtherReading:
    """One way to read the text: the cell it is tried on, the world and the contest it means."""

    name: str
    table: int
    metric: str
    population: NormalPopulation
    contest: Callable[[AnswerSets], Array]


def parts(question: ReproduceQuestion) -> list[str]:
    """Return the tasks: true and estimated p of the tables, and the rest."""
    estimated = (6, 7, 11, 12) if question.quick else TABLES
    by_table = [*(f"true p, table {t}" for t in TABLES), *(f"estimated p, table {t}" for t in estimated)]
    return [*by_table, "minima", "other readings", "error rates"]


def cells(part: str, question: ReproduceQuestion) -> list[Cell]:
    """Return the cells of one task."""
    draws, seed = question.draws, question.seed
    if part == "minima":
        return [_arithmetic(cell) for table in TABLES for cell in printed_minima(table)]
    if part == "other readings":
        return [_reading_cell(reading, Draws(draws(2000, quick=500), seed=seed)) for reading in _other_readings()]
    if part == "error rates":
        samplers = [(row.items, row.answers) for row in printed_p(5) if row.metric == "MAE"]
        return error_rates(samplers, Draws(draws(1000, quick=200), SMALL, seed=seed))
    kind, _, table = part.partition(", table ")
    if kind == "true p":
        return true_cells(int(table), Draws(draws(4000, quick=1000), seed=seed))
    # Quickly there are too few test sets for what is said about the smallest error of several.
    return estimated_cells(int(table), Draws(draws(60, quick=12), seed=seed), with_minima=not question.quick)


def printed_p(table: int) -> list[PrintedP]:
    """Return the rows of one of tables 5 to 14."""
    return [PrintedP(**row) for row in read_figures("leaderboard_p") if row["table"] == table]


def printed_minima(source: int) -> list[PrintedMinimum]:
    """Return the cells of tables 1 to 4 that summarise one of tables 5 to 14."""
    wanted, column = (1, 2) if source < 10 else (3, 4), f"{_world_of(source)[1]:g}"
    return [
        PrintedMinimum(row["table"], row["row"], source, row[column])
        for row in read_figures("leaderboard_minima")
        if row["table"] in wanted
    ]


def true_cells(table: int, draws: Draws) -> list[Cell]:
    """Return the true p-values of one table; metrics share the test sets drawn in both worlds."""
    name, effect = _world_of(table)
    population, rows, cells = find_normal(name), printed_p(table), {}
    for n_answers in (5, 1):
        own = [row for row in rows if row.n_answers == n_answers]
        rng = generator(draws.seed, "true p", table, n_answers)
        wide = Draws(draws.n_sets, draws.n_items, draws.batch if n_answers == 5 else 2 * draws.batch)
        scores = partial(contests, metrics=dict.fromkeys(row.metric for row in own))
        true = _true_p(population, n_answers, effect, scores, wide, rng)
        cells.update({row: _true_cell(row, true[row.metric]) for row in own})
    return [cells[row] for row in rows]


def estimated_cells(table: int, draws: Draws, *, with_minima: bool = True) -> list[Cell]:
    """Place every printed estimate, and the minima that follow from them, among those of ours."""
    rows = printed_p(table)
    each = [_z_of_one_set(table, rows, draws, index) for index in range(draws.n_sets)]
    z = {row: np.array([one[row] for one in each]) for row in rows}
    placed = [_estimated_cell(row, z[row]) for row in rows]
    if not with_minima:
        return placed
    return [*placed, *(_minimum_cell(cell, z) for cell in printed_minima(table)), *_text(table, z)]


def error_rates(samplers: Sequence[tuple[str, str]], draws: Draws) -> list[Cell]:
    """Return how often each sampler rejects equal systems; a p-value promises 5 %."""
    rng, n = generator(draws.seed, "error rates"), draws.n_sets
    sets = draw_answers(_simulated(0.3), (n, draws.n_items), 5, effect=0.0, rng=rng).apart()
    cells = []
    for items, answers in samplers:
        z = [resampled_z(one, items, answers, ["MAE"], draws=100, rng=rng)["MAE"] for one in sets]
        rate = float(np.mean(np.abs(z) >= -ndtri(LEVEL)))
        row = f"{_in_words(items, answers)}, MAE, N = {draws.n_items}, K = 5"
        why = "0.05 is what a p-value promises, not a figure of the paper; one-sided, side chosen afterwards"
        place = "leaderboard", "Error rates", row, "equal systems rejected at 5 %"
        cells.append(Cell(*place, LEVEL, rate, rate_error(rate, n), expected=False, reason=why))
    return cells


def _world_of(table: int) -> tuple[str, float]:
    """Return the preset and ε behind one of tables 5 to 14."""
    return ("uniform-normal" if table < 10 else "toxicity-likert", EFFECTS[(table - 5) % 5])


def _in_words(items: str, answers: str) -> str:
    of_answers = {"all": "all answers", "first": "the first answer", "one": "one answer"}
    return f"{'all' if items == 'all' else 'bootstrapped'} items, {of_answers.get(answers, 'bootstrapped answers')}"


def _true_p(
    population: NormalPopulation,
    n_answers: int,
    effect: float,
    statistics: Callable[[AnswerSets], dict[str, Array]],
    draws: Draws,
    rng: np.random.Generator,
) -> dict[str, TrueP]:
    def draw(n: int, null: bool) -> dict[str, Array]:
        return statistics(draw_answers(population, (n, draws.n_items), n_answers, effect=effect, null=null, rng=rng))

    return {name: true_p(*both) for name, both in two_worlds(draw, draws.n_sets, draws.batch).items()}


def _true_cell(row: PrintedP, ours: TrueP) -> Cell:
    place = row.place("true p")
    if row.true_p is None:
        return absent(*place, None, UNREADABLE)
    errors = ours.error, ours.error_of(PRINTED_DRAWS)
    return Cell(*place, row.true_p, ours.p, *errors, tolerance=TOLERANCE, reason=row.reason(), kind="p")


def _z_of_one_set(table: int, rows: Sequence[PrintedP], draws: Draws, index: int) -> dict[PrintedP, float]:
    """Draw one test set and resample it in every way of the table."""
    name, effect = _world_of(table)
    rng = generator(draws.seed, "estimated p", table, index)
    sets = draw_answers(find_normal(name), (draws.n_items,), 5, effect=effect, rng=rng)
    z_of = {}
    for items, answers in dict.fromkeys((row.items, row.answers) for row in rows):
        here = [row for row in rows if (row.items, row.answers) == (items, answers)]
        z = resampled_z(sets, items, answers, [row.metric for row in here], draws=draws.batch, rng=rng)
        z_of.update({row: z[row.metric] for row in here})
    return z_of


def _estimated_cell(row: PrintedP, z: Array) -> Cell:
    place = row.place("p estimated from one test set")
    if row.estimated_p is None:
        return absent(*place, None, UNREADABLE)
    draws = PRINTED_EMD_DRAWS if row.is_emd else PRINTED_DRAWS
    law = estimated_p(z, printed_error=float(np.sqrt(1 / 6 / draws)))  # two uniform shares, each of variance 1/12
    end = law.high if row.estimated_p > law.median else law.low
    span = f"central 99.9 % of ours over {len(z)} test sets: {law.low:.2g} to {law.high:.2g}"
    real = row.table >= 10
    why = "raters drawn, where the paper has 1000 real comments" if real else row.reason()
    tolerance = abs(end - law.median) + 1 / draws**2
    ours = row.estimated_p, law.median, law.error
    return Cell(*place, *ours, tolerance=tolerance, expected=not real, reason=f"{span}; {why}")


def _arithmetic(cell: PrintedMinimum) -> Cell:
    """Compute a minimum again from the printed p-values it is the minimum of."""
    rows = cell.behind(printed_p(cell.source))
    errors = [
        abs(row.estimated_p - row.true_p) for row in rows if row.estimated_p is not None and row.true_p is not None
    ]
    whole = len(errors) == len(rows)
    why = f"from Table {cell.source} as printed" + ("" if whole else ", of which a figure cannot be read")
    place = cell.place("minimum of printed differences")
    return Cell(*place, cell.value, min(errors), tolerance=1e-5, expected=whole, reason=why)


def _minimum_cell(cell: PrintedMinimum, z: dict[PrintedP, Array]) -> Cell:
    """Place a printed minimum among ours; any smaller one will do, as chance can make it 0."""
    ours = _smallest_error(cell, z)
    logs = np.log(np.maximum(ours, 1e-6))
    reach = float(t_quantile(len(ours) - 1.0, CENTRAL)) * logs.std(ddof=1) * np.sqrt(1 + 1 / len(ours))
    middle, high = float(np.median(ours)), float(max(np.exp(logs.mean() + reach), ours.max()))
    why = (
        f"the smallest error of one random test set; {np.mean(ours <= cell.value):.0%} of {len(ours)} of ours are as "
        f"small, their central 99.9 % ends at {high:.2g}"
    )
    error = float(ours.std(ddof=1) / np.sqrt(len(ours)))
    tolerance = middle if cell.value <= middle else max(high - middle, 0.0) + 1e-5
    place = cell.place("minimum over test sets")
    return Cell(*place, cell.value, middle, error, tolerance=tolerance, expected=False, reason=why)


def _smallest_error(cell: PrintedMinimum, z: dict[PrintedP, Array]) -> Array:
    """Return the smallest |estimated − true p| behind a minimum, one for each test set."""
    rows = [row for row in cell.behind(list(z)) if row.true_p is not None]
    return np.asarray(np.min([np.abs(ndtr(-np.abs(z[row])) - row.true_p) for row in rows], axis=0))


def _text(table: int, z: dict[PrintedP, Array]) -> list[Cell]:
    """§5 to §8: which metric and which sampler errs least, where p is neither ½ nor 0."""
    preset, effect = _world_of(table)
    if effect not in (0.05, 0.1):
        return []
    metric = "Wins(MAE)" if preset == "uniform-normal" else "Spearman Rho"
    by_metric, by_sampler = (
        {cell.row: _smallest_error(cell, z) for cell in printed_minima(table) if cell.of_sampler == of_sampler}
        for of_sampler in (False, True)
    )
    row = f"{preset}, ε = {effect:g}"
    return [
        _errs_least(metric, row, f"{metric} errs least of all metrics", by_metric),
        _errs_least("bootstrap all", row, "bootstrapped items with all answers err least of all samplers", by_sampler),
    ]


def _errs_least(name: str, row: str, column: str, errors: dict[str, Array]) -> Cell:
    """Check a statement on average over test sets: no other errs less beyond Monte-Carlo error."""
    worse = [errors[name] - other for each, other in errors.items() if each != name]
    beaten = any(each.mean() > ERRORS * each.std(ddof=1) / np.sqrt(len(each)) for each in worse)
    share = np.mean(np.max(worse, axis=0) <= 0)
    best = min(errors, key=lambda each: float(errors[each].mean()))
    beyond = "beyond Monte-Carlo error" if beaten else "to Monte-Carlo error"
    reason = f"so in {share:.0%} of {len(worse[0])} test sets; the smallest error on average: {best}, {beyond}"
    return claim("leaderboard", "Text, sec. 7", row, column, holds=not beaten, reason=reason, expected=False)


def _other_readings() -> list[OtherReading]:
    """True p as in tables 6 to 8, with one thing changed; none is expected to match."""
    world, sds = _simulated(0.3), "sds U(0, {}), {}"
    return [
        OtherReading(sds.format(2, "as printed"), 8, "MAE", _simulated(2.0), _table_contest("MAE")),
        OtherReading(sds.format(0.2, "narrower"), 6, "MSE", _simulated(0.2), _table_contest("MSE")),
        OtherReading("B's means not clamped", 8, "EMD Agg", _simulated(0.3, clamped=False), _table_contest("EMD Agg")),
        OtherReading("cosine of item means, not of single answers", 6, "COS (vectorized)", world, _by_means("cosine")),
        OtherReading("EMD of item means, not of counts", 8, "EMD Agg", world, _by_means("emd_of_means")),
        OtherReading("EMD of each item's answers, not of counts", 6, "Mean Agg", world, _emd_of_items),
    ]


def _reading_cell(reading: OtherReading, draws: Draws) -> Cell:
    effect, metric = _world_of(reading.table)[1], reading.metric
    rng = generator(draws.seed, "other readings", reading.name)
    ours = _true_p(reading.population, 5, effect, lambda sets: {metric: reading.contest(sets)}, draws, rng)[metric]
    published = next(row.true_p for row in printed_p(reading.table) if row.metric == metric)
    column = f"true p of {metric}, Table {reading.table}, ε = {effect:g}"
    figures = published, ours.p, ours.error, ours.error_of(PRINTED_DRAWS)
    why = "a reading the printed figures do not support"
    place = "leaderboard", "Other readings", reading.name, column
    return Cell(*place, *figures, expected=False, reason=why, kind="p")


def _simulated(most: float, *, clamped: bool = True) -> NormalPopulation:
    """The simulated world with sds up to another end."""
    return NormalPopulation(Uniform(0.0, 1.0), Uniform(0.0, most), mean_bounds=(0.0, 1.0) if clamped else None)


def _table_contest(metric: str) -> Callable[[AnswerSets], Array]:
    return lambda sets: contests(sets, [metric])[metric]


def _by_means(name: str) -> Callable[[AnswerSets], Array]:
    return lambda sets: contest_of_means(name, sets.means())


def _emd_of_items(sets: AnswerSets) -> Array:
    raters, a, b = (Values(np.sort(x, axis=-1), np.full(x.shape[:-1], 5)) for x in (sets.raters, sets.a, sets.b))
    return np.asarray(contest(find_metric("emd"), raters, a, b).mean(-1))
