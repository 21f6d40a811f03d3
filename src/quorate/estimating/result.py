"""What `estimate` found: estimates with intervals, the voters, how far the sampling can be trusted, in one object."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import floor, isfinite, log10
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
import polars as pl

from quorate._text import count, table
from quorate._typing import Array
from quorate.estimating.label_metrics import LabelDraws, calibration, precision_recall, roc
from quorate.estimating.methods.method import Estimate, equal_tails
from quorate.estimating.purchase import Purchase
from quorate.results.result import Result

__all__ = ["Estimation", "GroupEstimates", "worth"]

Curve: TypeAlias = Literal["roc", "precision-recall", "calibration"]
WORDS = {
    "auc": "AUC",
    "f1": "F1",
    "tpr": "TPR",
    "tnr": "TNR",
    "human_tpr": "the voters' TPR",
    "human_tnr": "the voters' TNR",
    "delta_tpr": "TPR ahead of the voters at their TNR",
    "delta_auc": "AUC difference",
}


@dataclass(frozen=True)
class GroupEstimates:
    """The estimates within one group of items; none, with the reason, where the group cannot be judged."""

    group: str
    n_items: int
    n_experts: tuple[int, int]
    estimates: tuple[Estimate, ...]
    reason: str | None = None


@dataclass(frozen=True)
class Estimation(Result):
    """How good systems are, from votes and a few expert labels.

    Parameters
    ----------
    n_items, n_experts
        Items, and expert labels (negative, positive).
    estimates
        One row per system, metric and method.
    baseline
        The same from expert labels alone, for the sentence.
    voters
        What the vote model says of the voters: tpr, tnr, correlation of two votes on an item, each with low and high.
    diagnostics
        k̂, effective sample size and a verdict (good, fallback, poor); None if MAVEN was not asked.
    groups
        Estimates by group.
    outcomes
        LabelCounts of all draws by method and system, for curves.
    following
        What would narrow the first interval to a target width, if that was asked; ``next`` in JSON.
    """

    verb: ClassVar[str] = "estimate"
    n_items: int
    n_experts: tuple[int, int]
    estimates: tuple[Estimate, ...]
    baseline: Mapping[tuple[str | None, str], Estimate]
    voters: Mapping[str, float] | None
    diagnostics: Mapping[str, Any] | None
    groups: tuple[GroupEstimates, ...] = ()
    outcomes: Mapping[tuple[str, str | None], LabelDraws] = field(default_factory=dict, repr=False)
    report: tuple[str, ...] = ()
    following: Purchase | None = None

    def sentence(self) -> str:
        """Say the first estimate, what experts alone would say, and what the votes are worth."""
        first = self.estimates[0]
        several = first.system is not None and len({row.system for row in self.estimates}) > 1
        name = WORDS.get(first.metric, first.metric)
        said = f"{name[0].upper()}{name[1:]}{f' of {first.system}' if several else ''} {_with_interval(first)}"
        alone = self.baseline.get((first.system, first.metric))
        if first.value is None or alone is None or alone.value is None or first.method == "gt":
            return f"{said}."
        experts = f"the {sum(self.n_experts):,} expert labels alone would say {_with_interval(alone)}"
        following = "" if self.following is None else f" {next_words(self.following)}"
        return f"{said}; {experts}{self._worth()}.{following}"

    def _worth(self) -> str:
        if self.estimates[0].method != "maven":
            return ""
        more = self.worth
        if more is None:
            return ""
        return (
            f", so the votes are worth about {more:,} more expert labels" if more > 0 else ", so the votes add nothing"
        )

    @property
    def worth(self) -> int | None:
        """How many more expert labels the votes are worth for the first estimate."""
        first = self.estimates[0]
        alone = self.baseline.get((first.system, first.metric))
        if alone is None or not alone.width or not first.width:
            return None
        return worth(sum(self.n_experts), alone.width, first.width)

    def content(self) -> dict[str, Any]:
        """Return the fields of the JSON object."""
        return {
            "n_items": self.n_items,
            "n_experts": _experts(self.n_experts),
            "estimates": [vars(row) for row in self.estimates],
            "voters": None if self.voters is None else dict(self.voters),
            "diagnostics": None if self.diagnostics is None else dict(self.diagnostics),
            "worth": self.worth,
            "next": None if self.following is None else vars(self.following),
            "groups": [
                {
                    "group": part.group,
                    "n_items": part.n_items,
                    "n_experts": _experts(part.n_experts),
                    "estimates": [vars(row) for row in part.estimates],
                    "reason": part.reason,
                }
                for part in self.groups
            ],
        }

    def to_frame(self) -> pl.DataFrame:
        """Return one row per estimate, groups below with their name."""
        rows = [{"group": None, **vars(row)} for row in self.estimates]
        rows += [{"group": part.group, **vars(row)} for part in self.groups for row in part.estimates]
        kinds = {"group": pl.String, "system": pl.String, "metric": pl.String, "method": pl.String}
        return pl.DataFrame(rows, schema={**kinds, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64})

    def curve(
        self,
        kind: Curve,
        *,
        system: str | None = None,
        method: str = "maven",
        points: int = 101,
    ) -> pl.DataFrame:
        """Return a curve with its band: x, value, low, high; calibration has a bin's lowest score as x."""
        name = system if system is not None else next(each for each in self.outcomes)[1]
        outcome = self.outcomes[method, name]
        at = np.linspace(0, 1, points)
        if kind == "calibration":
            at, _, values = calibration(outcome)
        else:
            at = at if kind == "roc" else at[1:]
            values = roc(outcome, at) if kind == "roc" else precision_recall(outcome, at)
        return _band(at, values, float(self.settings.get("confidence", 0.95)))

    def curves(self) -> pl.DataFrame:
        """Return all curves of all systems and methods, one below the other."""
        kinds: tuple[Literal["roc", "precision-recall", "calibration"], ...] = (
            "roc",
            "precision-recall",
            "calibration",
        )
        parts = [
            self.curve(kind, system=system, method=method).select(
                pl.lit(system).alias("system"), pl.lit(method).alias("method"), pl.lit(kind).alias("curve"), pl.all()
            )
            for method, system in self.outcomes
            if system is not None
            for kind in kinds
        ]
        return pl.concat(parts) if parts else pl.DataFrame()

    def __str__(self) -> str:
        rows = [_cells(None, row) for row in self.estimates]
        rows += [_cells(part.group, row) for part in self.groups for row in part.estimates]
        header = ["group", "system", "metric", "method", "value", "low", "high"]
        used = [i for i in range(len(header)) if i > 1 or any(row[i] for row in rows)]
        shown = table([[row[i] for i in used] for row in rows], [header[i] for i in used])
        unit = "these items" if self.settings.get("target") == "items" else "the population the items came from"
        about = f"{count(self.n_items, 'item')}, {_experts_words(self.n_experts)}; estimates are for {unit}."
        notes = [f"Warning: {warning}" for warning in self.warnings]
        return "\n".join([self.sentence(), about, *notes, "", shown, *self._trust()])

    def _trust(self) -> list[str]:
        lines = []
        if self.voters is not None:
            v = self.voters
            lines.append(
                f"\n  voters: TPR {v['tpr']:.3f} ({v['tpr_low']:.3f} to {v['tpr_high']:.3f}), "
                f"TNR {v['tnr']:.3f} ({v['tnr_low']:.3f} to {v['tnr_high']:.3f})"
            )
        if self.diagnostics is not None:
            d = self.diagnostics
            figure = f"k̂ {d['k_hat']:.2f}" if d["k_hat"] is not None else f"R-hat {d['r_hat']:.3f}"
            lines.append(f"  sampling: {d['verdict']} ({figure}, effective sample size {d['ess']:,.0f})")
        return lines


def worth(n_experts: int, width_alone: float, width: float) -> int:
    """Expert labels that would narrow the experts-only interval as much: n ((width_gt / width)² - 1), to two figures.

    Examples
    --------
    >>> worth(500, 0.08, 0.04), worth(500, 0.04, 0.041)
    (1500, -24)
    """
    more = n_experts * ((width_alone / width) ** 2 - 1)
    return _rounded(more) if isfinite(more) else 0


def next_words(purchase: Purchase) -> str:
    """Say what to buy.

    Examples
    --------
    >>> next_words(Purchase("auc", None, 0.06, 0.04, experts=620, votes=None))
    'For an interval 0.04 wide buy about 620 more expert labels; votes alone would not do.'
    """
    goal = f"For an interval {purchase.target:g} wide"
    if purchase.width <= purchase.target:
        return f"{goal} nothing need be bought."
    ways = [] if purchase.experts is None else [f"about {_rounded(purchase.experts):,} more expert labels"]
    ways += [] if purchase.votes is None else [f"about {purchase.votes:g} more votes per item"]
    if not ways and purchase.mix is None:
        return f"{goal} no number of expert labels or votes on these items would do."
    missing = "expert labels" if purchase.experts is None else "votes"
    said = f"{goal} buy {' or '.join(ways)}" if ways else f"{goal} both are needed"
    said += f"; {missing} alone would not do" if len(ways) == 1 else ""
    if purchase.mix is not None and purchase.cost is not None:
        experts, votes = purchase.mix
        said += (
            f"; cheapest are {_rounded(experts):,} labels and {votes:g} votes per item, for {_rounded(purchase.cost):,}"
        )
    return f"{said}."


def _rounded(value: float) -> int:
    """To two figures."""
    return int(round(value, 1 - floor(log10(abs(value))))) if value else 0


def _with_interval(row: Estimate) -> str:
    if row.value is None or row.low is None or row.high is None:
        return "cannot be told"
    digits = 2 if (row.width or 0) >= 0.015 else 3
    return f"{row.value:.{digits}f} ({row.low:.{digits}f}–{row.high:.{digits}f})"


def _experts(numbers: tuple[int, int]) -> dict[str, int]:
    return {"positive": numbers[1], "negative": numbers[0]}


def _experts_words(numbers: tuple[int, int]) -> str:
    return f"{count(sum(numbers), 'expert label')} ({numbers[1]:,} positive, {numbers[0]:,} negative)"


def _cells(group: str | None, row: Estimate) -> list[str]:
    numbers = ["–" if value is None else f"{value:.4f}" for value in (row.value, row.low, row.high)]
    return [group or "", row.system or "", row.metric, row.method, *numbers]


def _band(at: Array, values: Array, confidence: float) -> pl.DataFrame:
    ends = equal_tails(values, confidence)
    return pl.DataFrame({"x": at, "value": np.nanmean(values, axis=0), "low": ends[0], "high": ends[1]})
