"""What `estimate` found: estimates with intervals, the voters, how far the sampling can be trusted, in one object."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias, get_args

import numpy as np
import polars as pl

from quorate.estimating.label_metrics import LabelDraws, calibration, precision_recall, roc
from quorate.estimating.methods.method import Estimate, equal_tails
from quorate.estimating.purchase import Purchase, worth
from quorate.estimating.words import estimation_notes, estimation_sentence, estimation_tables
from quorate.results.result import Result, Sentence
from quorate.results.table import Table

CurveKind: TypeAlias = Literal["roc", "precision-recall", "calibration"]
MOST_CURVES = 3
"""Curves in one plot."""


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
        The same from expert labels alone, by system and metric.
    voters
        What the vote model says of the voters: tpr, tnr, correlation of two votes on an item, each
        with low and high.
    diagnostics
        k̂, effective sample size and a verdict (good, fallback, poor); None if MAVEN was not asked.
    groups
        Estimates by group.
    label_draws
        Labels of all draws by method and system, for curves.
    confidence, population
        Level of the intervals, and whether they are for the population the items came from.
    purchase
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
    label_draws: Mapping[tuple[str, str | None], LabelDraws] = field(default_factory=dict, repr=False)
    confidence: float = 0.95
    population: bool = False
    purchase: Purchase | None = None

    @property
    def alone(self) -> Estimate | None:
        """The first estimate from expert labels alone."""
        return self.baseline.get((self.estimates[0].system, self.estimates[0].metric))

    @property
    def worth(self) -> int | None:
        """How many more expert labels the votes are worth for the first estimate."""
        first, alone = self.estimates[0], self.alone
        if alone is None or not alone.width or not first.width:
            return None
        return worth(sum(self.n_experts), alone.width, first.width)

    @property
    def curve_keys(self) -> list[tuple[str, str]]:
        """Methods and systems whose curves are shown: the first method for every system, or all methods of one."""
        keys = [(method, system) for method, system in self.label_draws if system is not None]
        first = [key for key in keys if key[0] == keys[0][0]]
        return (first if len(first) > 1 else keys)[:MOST_CURVES]

    def sentence(self) -> Sentence:
        """Say the first estimate, what experts alone would say, and what the votes are worth."""
        return estimation_sentence(self)

    def tables(self) -> Mapping[str, Table]:
        """Return the estimates and what to buy next."""
        return estimation_tables(self)

    def notes(self) -> list[str]:
        """Say what the estimates are for, how good the voters are, and how far the sampling can be trusted."""
        return estimation_notes(self)

    def content(self) -> dict[str, Any]:
        """Return the fields of the JSON object."""
        return {
            "n_items": self.n_items,
            "n_experts": _by_class(self.n_experts),
            "estimates": self.estimates,
            "voters": self.voters,
            "diagnostics": self.diagnostics,
            "worth": self.worth,
            "next": self.purchase,
            "groups": [{**vars(part), "n_experts": _by_class(part.n_experts)} for part in self.groups],
        }

    def to_frame(self) -> pl.DataFrame:
        """Return one row per estimate, groups below with their name."""
        names, numbers = ("group", "system", "metric", "method"), ("value", "low", "high")
        schema = dict.fromkeys(names, pl.String) | dict.fromkeys(numbers, pl.Float64)
        return pl.DataFrame(self.rows(), schema=schema)

    def rows(self) -> list[dict[str, Any]]:
        """Return every estimate, those of all items without a group first."""
        rows = [{"group": None, **asdict(row)} for row in self.estimates]
        return rows + [{"group": part.group, **asdict(row)} for part in self.groups for row in part.estimates]

    def curve(
        self, kind: CurveKind, *, system: str | None = None, method: str = "maven", points: int = 101
    ) -> pl.DataFrame:
        """Return a curve with its band: x, value, low, high; calibration has a bin's lowest score as x."""
        draws = self.label_draws[method, next(iter(self.label_draws))[1] if system is None else system]
        at = np.linspace(0, 1, points)
        if kind == "calibration":
            at, _, values = calibration(draws)
        else:
            at = at if kind == "roc" else at[1:]
            values = roc(draws, at) if kind == "roc" else precision_recall(draws, at)
        low, high = equal_tails(values, self.confidence)
        return pl.DataFrame({"x": at, "value": np.nanmean(values, axis=0), "low": low, "high": high})

    def curves(self) -> pl.DataFrame:
        """Return all curves of all systems and methods, one below the other."""
        parts = [
            self.curve(kind, system=system, method=method).select(
                pl.lit(system).alias("system"), pl.lit(method).alias("method"), pl.lit(kind).alias("curve"), pl.all()
            )
            for method, system in self.label_draws
            if system is not None
            for kind in get_args(CurveKind)
        ]
        return pl.concat(parts) if parts else pl.DataFrame()


def _by_class(numbers: tuple[int, int]) -> dict[str, int]:
    return {"positive": numbers[1], "negative": numbers[0]}
