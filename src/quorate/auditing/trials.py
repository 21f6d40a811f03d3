"""Tests tried on many drawn studies: how often each claims a difference and its interval holds the truth.

Each counts as drawn items, items and raters, or batches.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from quorate._errors import InputError
from quorate._random import generator
from quorate._typing import Array
from quorate.auditing.null_worlds import NullWorld, StudyDesign
from quorate.inference.crossed import FEW_RATERS, Crossing, crossed_test, effective_number
from quorate.inference.influence import splits_by_rater
from quorate.inference.means import mean_pivot
from quorate.inference.outcome import Outcome, binomial_interval
from quorate.inference.procedures import Terms, find_procedure
from quorate.inference.roster import roster_of_panel
from quorate.inference.scored_systems import ScoredPair, ScoredSystems, score_systems
from quorate.inference.units import unit_name
from quorate.metrics.metric import Metric
from quorate.populations.population import Panel

Outcomes = dict[str, list[float | None]]
MEASURED = ("difference", "low", "high", "p_value")
FARTHEST = 1e100
"""Farthest from nought that a difference lies."""
VOTES = "votes"
"""The unit of those who count votes side by side as if each stood alone."""


@dataclass(frozen=True)
class Trial:
    """A test and its unit."""

    test: str
    unit: str

    @property
    def name(self) -> str:
        """Both in one word, for tables and journals."""
        return self.test if self.unit == "items" else f"{self.test}:{self.unit}"


def find_trial(test: str, unit: str, metric: Metric, panel: Panel | None) -> Trial:
    """Return the trial asked for; ``auto`` counts raters as drawn where they come back on other items.

    `panel` says who answered what in a drawn study; None in worlds where nobody comes back.
    """
    if unit == VOTES and metric.reads_votes:
        return Trial(test, VOTES)
    procedure, name = find_procedure(test), unit_name(unit)
    if name.startswith("cluster:"):
        raise InputError(f"--unit {unit}: simulated studies have no columns; use items, items+raters or batches.")
    able = panel is not None and procedure.pivotal and splits_by_rater(metric)
    if name == "auto":
        return Trial(test, "items+raters" if able else "items")
    if name in ("items+raters", "batches") and not able:
        why = "raters answer one item each here" if panel is None else f"{test} by {metric.name} counts items only"
        raise InputError(f"--unit {unit}: {why}; use --unit items.")
    return Trial(test, name)


def check_trials(study: StudyDesign, world: NullWorld) -> tuple[tuple[Trial, ...], tuple[str, ...]]:
    """Return what is tried, and warnings; refuse a bad request here, not in another process."""
    asked = study.question
    one = study.draw(1, world, generator(asked.seed, "check"))
    if study.metric.base.rates_systems:  # other raters for every output
        one = replace(one, panel=None)
    score_systems(study.metric, one.raters, [one.a, one.b])
    trials = [find_trial(test, unit, study.metric, one.panel) for test in asked.test for unit in asked.unit]
    if one.panel is None:
        return tuple(dict.fromkeys(trials)), ()
    few = float(np.mean(effective_number(roster_of_panel(one.panel).crossing.rater_weight)))
    note = f"these raters are worth {few:.1f} equal ones: below {FEW_RATERS}, intervals that count them are wide."
    return tuple(dict.fromkeys(trials)), (note,) * (round(few, 1) < FEW_RATERS)


def run_block(
    study: StudyDesign, trials: tuple[Trial, ...], world: NullWorld, block: int, replicates: int
) -> dict[str, Outcomes]:
    """Draw one block of studies and run every test on it."""
    asked = study.question
    draw = study.draw(replicates, world, generator(asked.seed, "audit", block))
    systems = score_systems(study.metric, draw.raters, [draw.a, draw.b])
    pair, outcomes = systems.pair(0, 1), {}
    for trial in trials:
        terms = Terms(generator(asked.seed, "audit", block, trial.test), asked.confidence, None, asked.resamples)
        outcome = _run_trial(trial, systems, pair, draw.panel, terms)
        outcomes[trial.name] = {name: _listed(getattr(outcome, name)) for name in MEASURED}
    return outcomes


def is_block(
    found: object, _study: StudyDesign, trials: tuple[Trial, ...], _world: NullWorld, _block: int, replicates: int
) -> bool:
    """Tell whether what a journal holds for a block, whose arguments follow, can be what `run_block` returned."""
    names = {trial.name for trial in trials}
    return (
        isinstance(found, dict)
        and found.keys() == names
        and all(_are_outcomes(each, replicates) for each in found.values())
    )


def _are_outcomes(found: object, replicates: int) -> bool:
    return (
        isinstance(found, dict)
        and found.keys() == set(MEASURED)
        and all(isinstance(values, list) and len(values) == replicates for values in found.values())
        and all(each is None or _measures(each) for values in found.values() for each in values)
    )


def _measures(found: object) -> bool:
    return isinstance(found, float) and abs(found) <= FARTHEST


def _run_trial(trial: Trial, systems: ScoredSystems, pair: ScoredPair, panel: Panel | None, terms: Terms) -> Outcome:
    """Run a test on every replicate of a draw, ``(replicate,)``."""
    if trial.unit == "items+raters" and panel is not None:
        roster = roster_of_panel(panel)
        values = roster.read(systems.answer_differences(0, 1))
        return crossed_test(values, roster.crossing, terms.confidence, votes=systems.metric.reads_votes)
    if trial.unit == VOTES and panel is not None:
        alone = panel.response.reshape(len(panel.response), -1) - 1.0
        return mean_pivot(alone).outcome(terms.confidence)
    if trial.unit == "batches" and panel is not None:
        return crossed_test(pair.differences, _batches(panel), terms.confidence)
    procedure = find_procedure(trial.test)
    if procedure.many(pair):
        return procedure.run(pair, terms)
    each = [procedure.run(pair.study(i), terms) for i in range(pair.differences.shape[0])]
    return Outcome(*(np.array([getattr(one, name) for one in each]) for name in Outcome.__dataclass_fields__))


def _batches(panel: Panel) -> Crossing:
    """Items with the same first seat are one batch, which counts as their one rater."""
    batch: Array = panel.rater[..., 0]
    n_items = batch.shape[-1]
    items = np.broadcast_to(np.arange(n_items), batch.shape)
    return Crossing(items, batch, np.full(batch.shape, 1 / n_items), n_items, int(batch.max()) + 1)


def _listed(values: Array) -> list[float | None]:
    return [float(v) if np.isfinite(v) else None for v in values]


@dataclass(frozen=True)
class AuditRow:
    """One test tried on many studies.

    `unit` is what the test counts as drawn. `rejection_rate` is the error rate where there is no difference, else the
    power; `low` and `high` are its Monte-Carlo interval. `coverage` is how often the interval held the true difference,
    `coverage_low` and `coverage_high` the Monte-Carlo interval of that, `ci_width` the mean width.
    """

    test: str
    rejection_rate: float
    low: float
    high: float
    coverage: float | None
    ci_width: float | None
    mean_p: float
    mean_difference: float
    replicates: int
    unit: str = "items"
    coverage_low: float | None = None
    coverage_high: float | None = None


def audit_rows(
    blocks: list[Mapping[str, Any]],
    trials: tuple[Trial, ...],
    no_difference: bool,
    confidence: float,
    mc_confidence: float,
) -> tuple[tuple[AuditRow, ...], float]:
    """Summarise the blocks; the true difference is 0, or the mean over all studies."""
    columns = {
        trial: {
            name: np.array([np.nan if v is None else v for block in blocks for v in block[trial.name][name]])
            for name in MEASURED
        }
        for trial in trials
    }
    truth = 0.0 if no_difference else float(np.nanmean(columns[trials[0]]["difference"]))
    return tuple(_row(trial, columns[trial], truth, 1 - confidence, mc_confidence) for trial in trials), truth


def _row(trial: Trial, studies: dict[str, Array], truth: float, level: float, mc_confidence: float) -> AuditRow:
    n = len(studies["p_value"])
    rejected = int((studies["p_value"] <= level * (1 + 1e-12)).sum())
    low, high = binomial_interval(rejected, n, mc_confidence)
    known = ~np.isnan(studies["low"])
    inside = int(((studies["low"] <= truth) & (truth <= studies["high"]))[known].sum())
    shown = bool(known.any())
    covered = binomial_interval(inside, int(known.sum()), mc_confidence) if shown else (None, None)
    return AuditRow(
        test=trial.test,
        rejection_rate=rejected / n,
        low=low,
        high=high,
        coverage=inside / int(known.sum()) if shown else None,
        coverage_low=covered[0],
        coverage_high=covered[1],
        ci_width=float((studies["high"] - studies["low"])[known].mean()) if shown else None,
        mean_p=float(studies["p_value"].mean()),
        mean_difference=float(np.nanmean(studies["difference"])),
        replicates=n,
        unit=trial.unit,
    )
