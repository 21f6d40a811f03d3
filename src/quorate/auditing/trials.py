"""A test tried on many drawn studies at once, with what it counts as drawn: items, items and raters, or batches."""

from dataclasses import dataclass

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array
from quorate.inference.answer_values import splits_by_rater
from quorate.inference.crossed import Crossing, crossed_test, effective_number
from quorate.inference.outcome import Outcome
from quorate.inference.procedures import Terms, find_procedure
from quorate.inference.roster import roster_of_panel
from quorate.inference.scored_systems import ScoredPair, ScoredSystems
from quorate.inference.units import unit_name
from quorate.metrics.metric import Metric
from quorate.populations.population import Draw, Panel

__all__ = ["Trial", "effective_raters", "find_trial", "run_trial"]


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

    Parameters
    ----------
    test, unit
        By name.
    metric
        The metric tried.
    panel
        Who answered what in a drawn study; None in worlds where nobody comes back.

    Examples
    --------
    >>> from quorate.metrics import find_metric
    >>> find_trial("default", "auto", find_metric("agreement"), None)
    Trial(test='default', unit='items')
    """
    find_procedure(test)
    name = unit_name(unit)
    if name.startswith("cluster:"):
        raise InputError(f"--unit {unit}: simulated studies have no columns; use items, items+raters or batches.")
    able = panel is not None and test == "default" and splits_by_rater(metric)
    if name == "auto":
        return Trial(test, "items+raters" if able else "items")
    if name in ("items+raters", "batches") and not able:
        why = "raters answer one item each here" if panel is None else f"{test} by {metric.name} counts items only"
        raise InputError(f"--unit {unit}: {why}; use --unit items.")
    return Trial(test, name)


def run_trial(trial: Trial, field: ScoredSystems, match: ScoredPair, drawn: Draw, ask: Terms) -> Outcome:
    """Run a test on every replicate of a draw, ``(replicate,)``."""
    if trial.unit == "items+raters" and drawn.panel is not None:
        roster = roster_of_panel(drawn.panel)
        values = roster.read(field.answer_differences(0, 1))
        return crossed_test(values, roster.crossing, ask.confidence)[0]
    if trial.unit == "batches" and drawn.panel is not None:
        return crossed_test(match.differences, _batches(drawn.panel), ask.confidence)[0]
    procedure = find_procedure(trial.test)
    if procedure.many(match):
        return procedure.run(match, ask)
    each = [procedure.run(match.study(i), ask) for i in range(match.differences.shape[0])]
    return Outcome(*(np.array([getattr(one, name) for one in each]) for name in Outcome.__dataclass_fields__))


def effective_raters(panel: Panel) -> float:
    """Return what the raters of drawn studies amount to, on average.

    Examples
    --------
    >>> effective_raters(Panel(np.array([[[0, 1], [1, 1]]]), np.array([[[0, 1], [0, 1]]])))
    2.0
    """
    return float(np.mean(effective_number(roster_of_panel(panel).crossing.rater_weight)))


def _batches(panel: Panel) -> Crossing:
    """Items with the same first seat are one batch; every item is answered by one of them, and so batches are drawn."""
    batch: Array = panel.rater[..., 0]
    n_items = batch.shape[-1]
    return Crossing(
        np.broadcast_to(np.arange(n_items), batch.shape), batch, np.full(batch.shape, 1 / n_items), n_items,
        int(batch.max()) + 1,
    )  # fmt: skip
