"""Sweeps: what studies promise over populations, metrics, effects and sizes, on the task journal.

A task is one population and number of raters: metrics come from the same draws, effects share items, raters
and A, and all numbers of items come from the same item laws.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import polars as pl

from quorate._journal import journal_path
from quorate._question import asks, option
from quorate._tasks import Execution, run_tasks
from quorate._text import Sentence, count, number, percent
from quorate._typing import Array
from quorate.metrics.metric import Metric, Variant
from quorate.metrics.registry import choose_metric
from quorate.planning.grids import FOREST, Grid, as_grid
from quorate.planning.laws.exact import Design
from quorate.planning.laws.item_law import FEW, ItemLaw
from quorate.planning.laws.simulation import DifferenceMoments
from quorate.planning.promises.closed_forms import normal_p
from quorate.planning.promises.small_studies import StudyDraws
from quorate.planning.scenario import Scenario
from quorate.planning.search import StudySize, chance
from quorate.planning.sources.population import item_law, several_laws
from quorate.populations.population import Answers, Population
from quorate.results.result import Result
from quorate.results.table import Column, Table, integer, table_of

PRECISION, RELATIVE = 0.003, 0.10
"""Wanted Monte-Carlo error of an expected p, the larger of the two."""
SPARE = (0.9, 0.6, 0.4, 0.2)
"""Share of it that the item laws may use up; drawing studies of few items takes the rest. Where these have a
smaller p than the normal limit says, the laws are made again with less."""


COLUMNS = (
    *("population", "metric", "effect", "responses", "n_items", "n_raters"),
    *("expected_p", "expected_p_error", "difference", "ci_width", "power"),
)
"""Columns of the table."""


@dataclass(frozen=True, kw_only=True)
class SweepRow(StudySize):
    """One cell of a sweep: a size of study in one population, by one metric, at one effect."""

    population: str
    metric: str
    effect: float

    def values(self) -> list[Any]:
        """Return the columns of the table."""
        return [getattr(self, name) for name in COLUMNS]


WANTED = 0.8
"""Power at which a study counts as enough where the cheapest of each setting is listed."""
SHOWN = {
    "population": Column("population"),
    "metric": Column("metric"),
    "effect": Column("effect", lambda effect: f"{effect:g}"),
    "responses": Column("responses", integer),
    "n_items": Column("items", integer),
    "n_raters": Column("raters each", integer),
    "power": Column("power", percent),
    "expected_p": Column("expected p", number),
    "difference": Column("difference", number),
    "ci_width": Column("interval width", number),
}


@dataclass(frozen=True)
class SweepQuestion(Execution):
    """What to sweep.

    Parameters
    ----------
    grid
        A grid, ``"forest"``, or a TOML file (its keys: :func:`quorate.planning.grids.find_grid`).
    """

    grid: Grid | str | Path = option(FOREST, parse=lambda _, grid: as_grid(grid))

    @property
    def swept(self) -> Grid:
        """The grid that is swept."""
        return as_grid(self.grid)

    def inputs(self) -> tuple[str, ...]:
        """Return the files of the grid, if it came from any."""
        return self.swept.files


@dataclass(frozen=True)
class Sweep(Result):
    """The answer of `sweep`: one row per population, metric, effect and size."""

    verb: ClassVar[str] = "sweep"
    rows: tuple[SweepRow, ...]

    def sentence(self) -> Sentence:
        """Say how much was swept, and how precisely."""
        errors = np.array([row.expected_p_error for row in self.rows])
        allowed = _allowed(np.array([row.expected_p for row in self.rows]))
        met, twice = (float((times * errors <= allowed).mean()) for times in (1, 2))
        near = f"within {PRECISION:g} or {100 * RELATIVE:g} % of the truth by"
        how = f"{100 * met:.4g} % are {near} one Monte-Carlo error and {100 * twice:.4g} % by two"
        if twice == 1:
            how = f"{'all are' if len(self.rows) > 1 else 'it is'} {near} two Monte-Carlo errors"
        return Sentence(
            count(len(self.rows), "expected p-value"), f"{how}; the largest error is {errors.max():.4f}.", ";"
        )

    @property
    def settings_swept(self) -> list[tuple[str, str, float]]:
        """Population, metric and effect of each group of sizes."""
        return list(dict.fromkeys((row.population, row.metric, row.effect) for row in self.rows))

    def rows_of(self, setting: tuple[str, str, float]) -> list[SweepRow]:
        """Return the sizes of one population, metric and effect."""
        return [row for row in self.rows if (row.population, row.metric, row.effect) == setting]

    def tables(self) -> Mapping[str, Table]:
        """Return the cheapest study of each setting."""
        cheapest = [vars(row) for setting in self.settings_swept if (row := self._cheapest(setting)) is not None]
        caption = f"Fewest responses with {percent(WANTED)} power, where the grid has one"
        return {"cheapest": table_of(caption, cheapest, SHOWN, numbers=True)}

    def cell_table(self, setting: tuple[str, str, float]) -> Table:
        """Return every cell of one setting."""
        return table_of("Every cell", [vars(row) for row in self.rows_of(setting)], SHOWN, numbers=True)

    def _cheapest(self, setting: tuple[str, str, float]) -> SweepRow | None:
        enough = [row for row in self.rows_of(setting) if row.power >= WANTED]
        return min(enough, key=lambda row: (row.responses, -row.power), default=None)

    def content(self) -> dict[str, Any]:
        """Return the rows."""
        return {"grid": [dict(zip(COLUMNS, row.values(), strict=True)) for row in self.rows]}

    def to_frame(self) -> pl.DataFrame:
        """Return the rows as a table."""
        return pl.DataFrame([row.values() for row in self.rows], schema=COLUMNS, orient="row", nan_to_null=True)

    def __str__(self) -> str:
        return f"{super().__str__()}\n\nThe whole table is what -o sweep.parquet or -o sweep.csv writes."


def answer(question: SweepQuestion) -> Sweep:
    """Return what every cell of a grid promises."""
    grid, seed = question.swept, question.seed
    settings = {**grid.to_dict(), "seed": seed}
    tasks = {f"{name} {k}": (grid, name, k, seed) for name in grid.populations for k in grid.raters}
    results = run_tasks(
        _cells,
        tasks,
        settings=settings,
        execution=question,
        journal=journal_path("sweep", settings),
        fits=_are_cells,
        label="sweep" if question.progress else None,
    )
    rows = [SweepRow(**dict(zip(COLUMNS, cell, strict=True))) for cells in results.values() for cell in cells]
    order = {metric: place for place, metric in enumerate(grid.metrics)}
    places = {name: place for place, name in enumerate(grid.populations)}
    rows.sort(key=lambda row: (places[row.population], order[row.metric], row.effect, row.responses, row.n_raters))
    asked = {**grid.settings, "seed": seed}
    return Sweep(rows=tuple(rows), seed=seed, settings=asked, warnings=grid.warnings, inputs=question.inputs())


sweep = asks("sweep", SweepQuestion, answer)


def sweep_rows(grid: Grid, name: str, n_raters: int, *, seed: int) -> list[SweepRow]:
    """Return the rows of one population and number of raters, a task of the sweep."""
    population = grid.population(name)
    responses = grid.responses_at(n_raters)
    sizes = sorted(set(responses.values()))
    metrics = {label: _metric(label, population, grid.variant) for label in grid.metrics}

    def laws(effects: Sequence[float], of: Sequence[Metric], spare: float) -> list[dict[str, ItemLaw]]:
        return _laws(population, of, effects, grid.answers, n_raters, sizes, spare, seed)

    first = zip(grid.effects, laws(grid.effects, list(metrics.values()), SPARE[0]), strict=True)
    rows = []
    for (effect, by_name), (label, metric) in product(first, metrics.items()):
        law = by_name[metric.name]
        promised = _promises(law, sizes, grid, n_raters, seed)
        for spare in SPARE[1:] if law.draws else ():
            if all(each.expected_p_error <= _allowed(each.expected_p) for each in promised.values()):
                break
            law = laws([effect], [metric], spare)[0][metric.name]
            promised = _promises(law, sizes, grid, n_raters, seed)
        for budget, n_items in responses.items():
            size = vars(promised[n_items]) | {"responses": budget}
            rows.append(SweepRow(population=name, metric=label, effect=effect, **size))
    return rows


def _cells(grid: Grid, name: str, n_raters: int, seed: int) -> list[list[Any]]:
    """Return the rows of one task, as lists for the journal."""
    return [row.values() for row in sweep_rows(grid, name, n_raters, seed=seed)]


def _are_cells(found: object, grid: Grid, name: str, n_raters: int, _seed: int) -> bool:
    """Tell whether what a journal holds for a task, whose arguments follow, can be its rows: one for every cell."""
    if not isinstance(found, list) or not all(map(_is_cell, found)):
        return False
    asked = product([name], dict.fromkeys(grid.metrics), grid.effects, grid.responses_at(n_raters), [n_raters])
    return sorted((*row[:4], row[5]) for row in found) == sorted(asked)


def _is_cell(row: object) -> bool:
    """Tell whether something has the columns of the table: two names, then numbers."""
    return (
        isinstance(row, list)
        and len(row) == len(COLUMNS)
        and all(isinstance(value, str) for value in row[:2])
        and all(type(value) in (int, float) for value in row[2:])
    )


def _metric(name: str, population: Population, variant: Variant) -> Metric:
    """Find a metric; the last category is the positive one."""
    labels = population.labels
    return choose_metric(
        name, population.scale_kind, labels=labels, positive=labels[-1] if labels else None, variant=variant
    )


def _laws(
    population: Population,
    metrics: Sequence[Metric],
    effects: Sequence[float],
    answers: Answers,
    n_raters: int,
    sizes: Sequence[int],
    spare: float,
    seed: int,
) -> list[dict[str, ItemLaw]]:
    """Return the law of each metric by name, for each effect; of the same draws in a Dirichlet world."""
    given = n_raters if answers == "raters" else answers
    items = all(metric.base.level == "item" for metric in metrics)
    if population.enumerable is not None and isinstance(given, int) and items:
        design = Design(population.enumerable, n_raters, given)
        return several_laws(design, effects, metrics, partial(_excess, sizes, spare), seed=seed)
    target = float(PRECISION / (0.4 * np.sqrt(2 * max(sizes))))
    worlds = [[Scenario(population, metric, e, answers=answers, seed=seed) for metric in metrics] for e in effects]
    return [{each.metric.name: item_law(each, n_raters, target=target) for each in world} for world in worlds]


def _excess(sizes: Sequence[int], spare: float, known: DifferenceMoments) -> float:
    """How many times too large the errors are for any expected p, in the normal limit."""
    if known.spread == 0:
        return 0.0
    scale = np.sqrt(sizes) / known.spread
    p, error_p = normal_p(scale * known.mean, scale * known.mean_error, known.spread_error)
    p = np.minimum(p, 1 - p)  # by the side of the median
    return float(np.max(error_p / (spare * _allowed(p))))


def _allowed(p: Array | float) -> Array:
    """The error an expected p may have."""
    return np.asarray(np.maximum(PRECISION, RELATIVE * np.asarray(p)))


def _promises(law: ItemLaw, sizes: Sequence[int], grid: Grid, n_raters: int, seed: int) -> dict[int, StudySize]:
    """Return what each size promises; the paper variant takes the side of p by medians."""
    paper, confidence, studies = grid.variant == "paper", grid.confidence, StudyDraws(seed, sets=1)
    drawn = [n for n in sizes if n <= law.few and not (paper and n <= FEW and law.exact_power and law.exact_p(n))]
    if drawn:
        law.draw_studies(drawn, confidence, None, studies, closely=True)
    leaning = [n for n in sizes if paper and law.quantiles(n, confidence, studies=studies)[1] < 0]
    if again := [n for n in drawn if n in leaning]:
        law.mirrored.draw_studies(again, confidence, None, studies)
    promised = {}
    for n in sizes:
        p, error = (law.mirrored if n in leaning else law).expected_p(n, confidence, studies=studies)
        promised[n] = StudySize(
            n_items=n,
            n_raters=n_raters,
            responses=n * n_raters,
            power=chance(law.chances(n, confidence, studies=studies)[0]),
            expected_p=p,
            expected_p_error=error,
            difference=law.mean,
            ci_width=(law.quantile_width if paper else law.ci_width)(n, confidence, studies=studies),
        )
    return promised
