"""`audit`: can I trust this test at my number of items and raters – its error rate, power and coverage?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np

from quorate._errors import InputError
from quorate._random import generator
from quorate._tasks import journal_path, run_tasks
from quorate._typing import Array
from quorate.auditing.null_worlds import Null, NullWorld, null_world
from quorate.auditing.result import Audit, AuditRow, audit_rows
from quorate.auditing.trials import Trial, effective_raters, find_trial, run_trial
from quorate.inference.crossed import FEW_RATERS
from quorate.inference.outcome import Outcome
from quorate.inference.procedures import Terms
from quorate.inference.scored_systems import score_systems
from quorate.metrics.choose import choose_metric, default_metric
from quorate.metrics.metric import Metric, Variant
from quorate.populations.choice import NamedPopulation, as_population
from quorate.populations.population import Answers, Draw, Population
from quorate.populations.shared_raters import Load

__all__ = ["Audit", "AuditRow", "audit"]

BLOCK = 250
"""Replicates that share a seed: a study's numbers depend on its block only, never on workers, order or resume."""


def audit(
    population: NamedPopulation,
    *,
    items: int,
    raters: int,
    metric: str | None = None,
    effect: float = 0.0,
    null: Null | None = None,
    answers: Answers = 1,
    test: str | Sequence[str] = "default",
    unit: str | Sequence[str] = "auto",
    pool: int | None = None,
    load: Load | None = None,
    replicates: int = 2000,
    confidence: float = 0.95,
    mc_confidence: float = 0.999,
    resamples: int = 999,
    variant: Variant = "default",
    workers: int = 1,
    resume: bool = False,
    progress: bool = False,
    seed: int = 0,
) -> Audit:
    """Draw many studies from a population and try tests on them.

    Parameters
    ----------
    population
        A preset's name, a population file, an alpha, or a population.
    items, raters, answers
        Size of each study, and answers per item of each system.
    metric
        The metric; the default of the scale if not given.
    effect, null
        Perturbation of B; with a null the two systems have the same law (sharp) or the same expected score.
    test, unit
        One or more tests by name, tried on the same studies; one or more units, what the test counts as drawn.
    pool, load
        For ``shared-raters``: people who rate (as many as answer each item, by default), and whether they answer
        equally often.
    replicates, confidence, mc_confidence
        Studies; level of the tests; level of the Monte-Carlo interval of the rates.
    resamples, variant, workers, resume, progress, seed
        Draws of resampling tests; papers' habits; processes; continue a run that was ended; show a bar; seed.

    Examples
    --------
    >>> found = audit("dices", items=50, raters=3, metric="agreement", null="sharp", replicates=500)
    >>> found.rows[0].test, bool(found.rows[0].low < 0.05 < found.rows[0].high)
    ('default', True)
    """
    world = _with_pool(as_population(population), pool, load)
    tests, units = ([x] if isinstance(x, str) else list(x) for x in (test, unit))
    if replicates < 1 or workers < 1:
        raise InputError("--replicates and --workers must be at least 1.")
    if null is not None and null not in get_args(Null):
        raise InputError(f"There is no null '{null}'; use {', '.join(get_args(Null))}.")
    name = metric or default_metric("nominal" if world.labels else "interval")
    study = _Study(
        world, items, raters, answers, name, variant, effect, null, confidence, resamples, seed, tuple(tests)
    )
    settings = study.settings(units, replicates)
    world_of = study.world()
    trials, warnings = study.check(world_of, units)
    blocks = {
        str(b): (study, trials, world_of, b, min(BLOCK, replicates - b * BLOCK)) for b in range(-(-replicates // BLOCK))
    }
    found = run_tasks(
        _block,
        blocks,
        settings=settings,
        workers=workers,
        journal=journal_path("audit", settings),
        resume=resume,
        label=f"audit {name}" if progress else None,
    )
    rows, truth = audit_rows(list(found.values()), trials, study.no_difference, confidence, mc_confidence)
    return Audit(
        rows=rows,
        truth=truth,
        no_difference=study.no_difference,
        seed=seed,
        settings={**settings, "mc_confidence": mc_confidence},
        warnings=warnings,
    )


def _with_pool(world: Population, pool: int | None, load: Load | None) -> Population:
    if pool is None and load is None:
        return world
    if world.leanings is None:
        raise InputError("--pool and --load are for --preset shared-raters; resampled ratings have --resample-pool.")
    return replace(world.leanings, pool=pool or world.leanings.pool, load=load or world.leanings.load)


@dataclass(frozen=True)
class _Study:
    """What is drawn and tried; travels to other processes whole."""

    population: Population
    items: int
    raters: int
    answers: Answers
    metric: str
    variant: Variant
    effect: float
    null: Null | None
    confidence: float
    resamples: int
    seed: int
    tests: tuple[str, ...]

    @property
    def no_difference(self) -> bool:
        return self.null is not None or self.effect == 0

    def settings(self, units: Sequence[str], replicates: int) -> dict[str, Any]:
        """Return what was asked; a run that was ended is found again by it."""
        return {
            "population": self.population.to_dict(),
            "items": self.items,
            "raters": self.raters,
            "answers": self.answers,
            "metric": self.metric,
            "effect": self.effect,
            "null": self.null,
            "tests": list(self.tests),
            "units": list(units),
            "confidence": self.confidence,
            "resamples": self.resamples,
            "variant": self.variant,
            "replicates": replicates,
            "seed": self.seed,
        }

    def check(self, world: NullWorld, units: Sequence[str]) -> tuple[tuple[Trial, ...], tuple[str, ...]]:
        """Return what is tried, and warnings; refuse a bad request here, not in another process."""
        if self.items < 2:
            raise InputError("--items must be at least 2: one item shows no spread.")
        metric, drawn = self.found_metric(), self.draw(1, world, generator(self.seed, "check"))
        score_systems(metric, drawn.raters, [drawn.a, drawn.b])
        trials = [find_trial(test, unit, metric, drawn.panel) for test in self.tests for unit in units]
        few = np.inf if drawn.panel is None else effective_raters(drawn.panel)
        note = (
            f"these raters are worth {few:.1f} equal ones: below {FEW_RATERS}, intervals that count them hold roughly."
        )
        return tuple(dict.fromkeys(trials)), (note,) * (round(few, 1) < FEW_RATERS)

    def found_metric(self) -> Metric:
        labels = self.population.labels
        kind, last = self.population.scale_kind, labels[-1] if labels else None
        return choose_metric(self.metric, kind, labels=labels, positive=last, variant=self.variant)

    @property
    def arguments(self) -> dict[str, Any]:
        """What `population.draw` takes, but for sizes and effects."""
        single = any(test.startswith("published") for test in self.tests)
        enough = self.found_metric().reads_means and not single
        return {"n_raters": self.raters, "answers": self.answers, "needs": "means" if enough else "values"}

    def world(self) -> NullWorld:
        if self.null is None:
            return NullWorld({"effect": self.effect}, lambda study, _: study)
        metric = self.found_metric()
        return null_world(self.null, self.population, metric, self.arguments, effect=self.effect, seed=self.seed)

    def draw(self, n: int, world: NullWorld, rng: np.random.Generator) -> Draw:
        study = self.population.draw(n_replicates=n, n_items=self.items, rng=rng, **self.arguments, **world.arguments)
        return world.change(study, rng)


def _block(
    study: _Study, trials: tuple[Trial, ...], world: NullWorld, block: int, replicates: int
) -> dict[str, dict[str, list[float | None]]]:
    """Draw one block of studies and run every test on it."""
    drawn = study.draw(replicates, world, generator(study.seed, "audit", block))
    field = score_systems(study.found_metric(), drawn.raters, [drawn.a, drawn.b])
    match, found = field.pair(0, 1), {}
    for trial in trials:
        ask = Terms(generator(study.seed, "audit", block, trial.test), study.confidence, None, study.resamples)
        found[trial.name] = _fields(run_trial(trial, field, match, drawn, ask))
    return found


def _fields(outcome: Outcome) -> dict[str, list[float | None]]:
    return {name: _listed(getattr(outcome, name)) for name in ("difference", "low", "high", "p_value")}


def _listed(values: Array) -> list[float | None]:
    return [float(v) if np.isfinite(v) else None for v in values]
