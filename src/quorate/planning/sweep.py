"""Sweeps: expected p, power, difference and width over populations, metrics, effects and sizes, on the task journal.

A task is one population and number of raters: its metrics come from the same draws, its effects share the items, the
raters and A, and all its numbers of items come from the same item laws. ``forest`` is the grid of experiments behind
Table 2 of [forest]: N = responses // K.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache, partial
from itertools import product
from typing import Any, ClassVar

import numpy as np
import polars as pl

from quorate._errors import InputError
from quorate._random import generator
from quorate._tasks import journal_path, run_tasks
from quorate._typing import Array
from quorate.metrics.choose import choose_metric
from quorate.metrics.metric import Metric, Variant
from quorate.planning.grids import Grid, find_grid
from quorate.planning.laws.exact_means import Design
from quorate.planning.laws.item_law import FEW, MOST_DRAWN, ItemLaw
from quorate.planning.laws.simulated import Moments, item_law, several_laws
from quorate.planning.promises.sweep_studies import SizePromise, few_promises, lattice_promises, normal_p, study_choices
from quorate.planning.scenario import Scenario
from quorate.populations.population import Answers, Population
from quorate.results.result import Result

__all__ = ["Sweep", "SweepRow", "sweep", "sweep_rows"]

PRECISION, RELATIVE = 0.003, 0.10
"""Wanted Monte-Carlo error of an expected p, the larger of the two."""
SPARE = (0.9, 0.6, 0.4, 0.2)
"""Share of it that the item laws may use up: drawing studies of few items takes the rest, and where these turn out to
have a smaller p than the normal limit says, the laws are made again with less."""


@dataclass(frozen=True)
class SweepRow:
    """One cell of a sweep; its columns."""

    population: str
    metric: str
    effect: float
    responses: int
    n_items: int
    n_raters: int
    expected_p: float
    expected_p_error: float
    difference: float
    ci_width: float
    power: float


@dataclass(frozen=True)
class Sweep(Result):
    """The answer of `sweep`: one row per population, metric, effect and size."""

    verb: ClassVar[str] = "sweep"
    rows: tuple[SweepRow, ...]

    def sentence(self) -> str:
        """Say how much was swept, and how precisely."""
        errors = np.array([row.expected_p_error for row in self.rows])
        allowed = _allowed(np.array([row.expected_p for row in self.rows]))
        met, twice = (f"{100 * float((times * errors <= allowed).mean()):.4g} %" for times in (1, 2))
        return (
            f"{len(self.rows):,} expected p-values; the Monte-Carlo error is below {PRECISION:g} or {100 * RELATIVE:g} "
            f"% in {met} of them, twice the error in {twice}; the largest error is {errors.max():.4f}."
        )

    def content(self) -> dict[str, Any]:
        """Return the rows."""
        return {"grid": [_without_nan(asdict(row)) for row in self.rows]}

    def to_frame(self) -> pl.DataFrame:
        """Return the rows as a table."""
        return pl.DataFrame([asdict(row) for row in self.rows], nan_to_null=True)

    def __str__(self) -> str:
        return f"{self.sentence()}\n\nThe whole table is what -o sweep.parquet or -o sweep.csv writes."


def sweep(
    grid: Grid | str = "forest",
    *,
    workers: int = 1,
    resume: bool = False,
    progress: bool = False,
    seed: int = 0,
) -> Sweep:
    """Return what every cell of a grid promises.

    Parameters
    ----------
    grid
        A grid, ``"forest"``, or a TOML file (its keys: :func:`quorate.planning.grids.find_grid`).
    workers, resume, progress
        Processes; continue a run that was ended; show a bar.
    seed
        Seed; the numbers depend on nothing else.

    Examples
    --------
    >>> grid = Grid({"dices": (5.22, 0.86, 2.75)}, ("accuracy",), (0.3,), ((1000, 1000, 1),))
    >>> row = sweep(grid).rows[0]
    >>> round(row.expected_p, 3), round(row.difference, 4)
    (0.036, 0.0534)
    """
    found = find_grid(grid) if isinstance(grid, str) else grid
    settings = {**found.to_dict(), "seed": seed}
    tasks = {
        f"{name} {n_raters}": (found, name, n_raters, seed) for name in found.populations for n_raters in found.raters
    }
    if workers < 1:
        raise InputError("--workers must be at least 1.")
    results = run_tasks(
        _cells,
        tasks,
        settings=settings,
        workers=workers,
        journal=journal_path("sweep", settings),
        resume=resume,
        label="sweep" if progress else None,
    )
    rows = [SweepRow(*values) for cells in results.values() for values in cells]
    order = {metric: place for place, metric in enumerate(found.metrics)}
    places = {name: place for place, name in enumerate(found.populations)}
    rows.sort(key=lambda row: (places[row.population], order[row.metric], row.effect, row.responses, row.n_raters))
    return Sweep(rows=tuple(rows), seed=seed, settings=settings)


def sweep_rows(grid: Grid, name: str, n_raters: int, *, seed: int) -> list[SweepRow]:
    """Return the rows of one population and number of raters, a task of the sweep.

    Examples
    --------
    >>> grid = Grid({"dices": (5.22, 0.86, 2.75)}, ("accuracy",), (0.3,), ((1000, 1000, 1),))
    >>> round(sweep_rows(grid, "dices", 1, seed=0)[0].expected_p, 3)
    0.036
    """
    return [SweepRow(*row) for row in _rows(grid, name, n_raters, seed)]


def _cells(grid: Grid, name: str, n_raters: int, seed: int) -> list[list[Any]]:
    """Return the rows of one task, as lists for the journal."""
    return [list(asdict(row).values()) for row in sweep_rows(grid, name, n_raters, seed=seed)]


def _rows(grid: Grid, name: str, n_raters: int, seed: int) -> Iterator[list[Any]]:
    population = grid.population(name)
    responses = grid.responses_at(n_raters)
    sizes = sorted(set(responses.values()))
    metrics = {label: _metric(label, population, grid.variant) for label in grid.metrics}

    def laws(effects: Sequence[float], of: Sequence[Metric], spare: float) -> list[dict[str, ItemLaw]]:
        return _laws(population, of, effects, grid.answers, n_raters, sizes, spare, seed)

    first = zip(grid.effects, laws(grid.effects, list(metrics.values()), SPARE[0]), strict=True)
    for (effect, by_name), (label, metric) in product(first, metrics.items()):
        law = by_name[metric.name]
        promises = _promises(law, sizes, grid, seed)
        for spare in SPARE[1:] if law.draws else ():
            if all(each.expected_p_error <= _allowed(each.expected_p) for each in promises):
                break
            law = laws([effect], [metric], spare)[0][metric.name]
            promises = _promises(law, sizes, grid, seed)
        by_size = {each.n_items: each for each in promises}
        for budget, n_items in responses.items():
            each = by_size[n_items]
            width = each.quantile_width if grid.variant == "paper" else each.ci_width
            head = [name, label, effect, budget, n_items, n_raters]
            yield [*head, each.expected_p, each.expected_p_error, law.mean, width, each.power]


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
    """Return the item law of each metric by name, for each effect; from the same draws in a Dirichlet world."""
    given = n_raters if answers == "raters" else answers
    items = all(metric.base.level == "item" for metric in metrics)
    if population.enumerable is not None and isinstance(given, int) and items:
        design = Design(population.enumerable, n_raters, given)
        return several_laws(design, effects, metrics, partial(_excess, sizes, spare), seed=seed)
    target = float(PRECISION / (0.4 * np.sqrt(2 * max(sizes))))
    worlds = [[Scenario(population, metric, e, answers=answers, seed=seed) for metric in metrics] for e in effects]
    return [{each.metric.name: item_law(each, n_raters, target=target) for each in world} for world in worlds]


def _excess(sizes: Sequence[int], spare: float, known: Moments) -> float:
    """How many times too large the errors of mean and spread are for any expected p, in the normal limit."""
    error = float(np.hypot(known.mean_error, known.mean * known.spread_error))
    p, error_p = normal_p(np.array(sizes), known.mean, error, known.spread)
    p = np.minimum(p, 1 - p)  # by the side of the median
    return float(np.max(error_p / (spare * _allowed(p))))


def _allowed(p: Array | float) -> Array:
    """The error an expected p may have."""
    return np.asarray(np.maximum(PRECISION, RELATIVE * np.asarray(p)))


def _promises(law: ItemLaw, sizes: Sequence[int], grid: Grid, seed: int) -> list[SizePromise]:
    """Return what each size promises; the paper variant takes the side of p by medians, which many items have at μ."""
    paper = grid.variant == "paper"
    if law.sd == 0 and law.null_sd == 0:
        return [_constant(law, n, grid.confidence) for n in sizes]
    few = [n for n in sizes if n <= (FEW if law.exact_power else law.few)]
    rng = generator(seed, "sweep many")  # beyond few items nothing is drawn
    found = []
    if few and paper and law.exact_power and law.exact_p(few[-1]):
        found = lattice_promises(law, few, grid.confidence, by_medians=paper, rng=rng)
    elif few:
        found = few_promises(law, few, grid.confidence, _choices(seed), by_medians=paper)
    sided = law.mirrored if paper and law.mean < 0 else law
    for n in sizes[len(few) :]:
        p, error = sided.expected_p(n, grid.confidence, rng=rng)
        power = law.chances(n, grid.confidence, rng=rng)[0]
        width = law.quantile_width(n, grid.confidence, rng=rng) if paper else law.ci_width(n, grid.confidence, rng=rng)
        found.append(SizePromise(n, p, error, power, width, width))
    if law.sd == 0 and law.draws > 0:
        return [replace(each, expected_p_error=_unseen(law, each, rng)) for each in found]
    return found


def _unseen(law: ItemLaw, found: SizePromise, rng: np.random.Generator) -> float:
    """Error of a p where all simulated differences were alike: what one other difference among them would change."""
    assert law.null_values is not None
    ends, rate = np.abs(law.null_values).max() * np.array([-1.0, 1.0]), 1 / law.draws
    others = [
        replace(law, values=np.array([law.mean, end]), weights=np.array([1 - rate, rate]), _kept={}) for end in ends
    ]
    return max(abs(other.expected_p(found.n_items, rng=rng)[0] - found.expected_p) for other in others)


def _constant(law: ItemLaw, n_items: int, confidence: float) -> SizePromise:
    """All items alike: ties are extreme, and the sign test decides. One unseen item in n would move p by N / 2n."""
    power = float(law.mean > 0 and 2.0 ** (1 - n_items) <= 1 - confidence)
    error = min(n_items / (2 * law.draws), 0.5) if law.draws > 0 else 0.0
    return SizePromise(n_items, float(law.mean == 0), error, power, float("nan"), 0.0)


@lru_cache(maxsize=1)
def _choices(seed: int) -> Array:
    """Draw the few studies once: all cells share their random numbers, so neighbours can be compared."""
    return study_choices(MOST_DRAWN, rng=generator(seed, "sweep few"))


def _without_nan(row: dict[str, Any]) -> dict[str, Any]:
    return {key: None if isinstance(value, float) and np.isnan(value) else value for key, value in row.items()}
