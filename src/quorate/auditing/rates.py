"""How often a test claims a difference and how often its interval holds the truth, over many studies."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from quorate._typing import Array
from quorate.auditing.trials import Trial
from quorate.inference.outcome import binomial_interval

__all__ = ["AuditRow", "audit_rows"]


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
    """Summarise the blocks; the true difference is 0 without one, else the mean over all studies."""
    columns = {
        trial: {
            name: np.array([np.nan if v is None else v for block in blocks for v in block[trial.name][name]])
            for name in ("difference", "low", "high", "p_value")
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
