"""What `audit` found: one row per test and unit, side by side."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
import polars as pl

from quorate._text import number, percent, table
from quorate._typing import Array
from quorate.auditing.trials import Trial
from quorate.results.result import Result

__all__ = ["Audit", "AuditRow", "audit_rows"]


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


@dataclass(frozen=True)
class Audit(Result):
    """The answer of `audit`: one row per test, side by side."""

    verb: ClassVar[str] = "audit"
    rows: tuple[AuditRow, ...]
    truth: float
    no_difference: bool

    def sentence(self) -> str:
        """Say whether the first test keeps its promise here, or how often it sees the difference."""
        row, s = self.rows[0], self.settings
        test = f"{row.test} test" + ("" if row.unit == "items" else f" (unit {row.unit})")
        level = 1 - s["confidence"]
        pool = s["population"].get("pool")
        setting = f"{s['items']} items × {s['raters']} raters{f' of {pool}' if pool else ''}, {s['metric']}"
        span = f"{percent(row.rejection_rate)} ({number(100 * row.low, 1)} to {number(100 * row.high, 1)} %)"
        if not self.no_difference:
            return f"The {test} sees a difference of {number(self.truth)} in {span} of studies: {setting}."
        if row.low > level:
            kept = "too often: it does not keep its promise here"
        elif row.high < level:
            kept = "more seldom than it may: it is cautious here"
        else:
            kept = "as promised"
        return f"Without a difference the {test} still claims one in {span} of studies, {kept}: {setting}."

    def content(self) -> dict[str, Any]:
        """Return the fields of the JSON object."""
        return {"rows": [asdict(row) for row in self.rows], "truth": self.truth}

    def to_frame(self) -> pl.DataFrame:
        """Return one row per test."""
        return pl.DataFrame([asdict(row) for row in self.rows])

    def __str__(self) -> str:
        kind = "claims" if self.no_difference else "power"
        rows = [
            [
                row.test,
                row.unit,
                number(row.rejection_rate),
                _span(row.low, row.high),
                number(row.coverage),
                _span(row.coverage_low, row.coverage_high),
                number(row.ci_width),
                number(row.mean_p),
            ]
            for row in self.rows
        ]
        exact = f"{100 * self.settings['mc_confidence']:g} % interval"
        header = ["test", "unit", kind, exact, "coverage", exact, "ci width", "mean p"]
        parts = [self.sentence(), table(rows, header)]
        return "\n\n".join(parts + [f"Warning: {warning}" for warning in self.warnings])


def _span(low: float | None, high: float | None) -> str:
    return "–" if low is None or high is None else f"{number(low)} to {number(high)}"


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


def _row(trial: Trial, found: dict[str, Array], truth: float, level: float, mc_confidence: float) -> AuditRow:
    n = len(found["p_value"])
    rejected = int((found["p_value"] <= level * (1 + 1e-12)).sum())
    low, high = _binomial_interval(rejected, n, mc_confidence)
    known = ~np.isnan(found["low"])
    inside = int(((found["low"] <= truth) & (truth <= found["high"]))[known].sum())
    shown = bool(known.any())
    covered = _binomial_interval(inside, int(known.sum()), mc_confidence) if shown else (None, None)
    return AuditRow(
        test=trial.test,
        rejection_rate=rejected / n,
        low=low,
        high=high,
        coverage=inside / int(known.sum()) if shown else None,
        coverage_low=covered[0],
        coverage_high=covered[1],
        ci_width=float((found["high"] - found["low"])[known].mean()) if shown else None,
        mean_p=float(found["p_value"].mean()),
        mean_difference=float(np.nanmean(found["difference"])),
        replicates=n,
        unit=trial.unit,
    )


def _binomial_interval(k: int, n: int, confidence: float) -> tuple[float, float]:
    """Clopper and Pearson's exact interval for a rate."""
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    low = 0.0 if k == 0 else float(betaincinv(k, n - k + 1, tail))
    high = 1.0 if k == n else float(betaincinv(k + 1, n - k, 1 - tail))
    return low, high
