"""What `estimate` found: estimates with intervals, the voters, how far the sampling can be trusted, in one object."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, get_args

import polars as pl

from quorate._text import Sentence
from quorate.estimating.curves import CurveKind, CurveSource
from quorate.estimating.methods.method import Estimate
from quorate.estimating.purchase import Purchase, worth
from quorate.estimating.voter_worth import VoterWorth
from quorate.estimating.words import estimation_notes, estimation_sentence, estimation_tables
from quorate.results.result import Result
from quorate.results.table import Table

MOST_CURVES = 3
"""Curves in one plot."""


@dataclass(frozen=True)
class GroupEstimates:
    """The estimates within one group of items; none, with the reason, where the group cannot be judged."""

    group: str
    n_items: int
    n_experts: tuple[int, ...]
    estimates: tuple[Estimate, ...]
    reason: str | None = None


@dataclass(frozen=True)
class Estimation(Result):
    """How good systems are, from votes and a few expert labels.

    Parameters
    ----------
    n_items, n_experts
        Items, and expert labels of each class.
    classes, named
        The classes, and whether they go by their names; else the second is the positive one.
    estimates
        One row per system, metric and method.
    baseline
        The same from expert labels alone, by system and metric.
    voters
        How good the voters are: tpr and tnr, or accuracy, each with low and high.
    voter_worths
        What the votes of each voter are worth, where there are few.
    diagnostics
        k̂, effective sample size and a verdict (good, fallback, poor); None if MAVEN was not asked.
    groups
        Estimates by group.
    curve_sources
        Where curves come from, by method and system.
    confidence, population
        Level of the intervals, and whether they are for the population the items came from.
    purchase
        What would narrow the first interval to a target width, if that was asked; ``next`` in JSON.
    chosen
        Items that experts should label next, with weights, if that was asked.
    """

    verb: ClassVar[str] = "estimate"
    n_items: int
    n_experts: tuple[int, ...]
    estimates: tuple[Estimate, ...]
    baseline: Mapping[tuple[str | None, str], Estimate]
    voters: Mapping[str, float | None]
    diagnostics: Mapping[str, Any] | None
    classes: tuple[str, ...] = ("0", "1")
    named: bool = False
    voter_worths: tuple[VoterWorth, ...] = ()
    groups: tuple[GroupEstimates, ...] = ()
    curve_sources: Mapping[tuple[str, str | None], CurveSource] = field(default_factory=dict, repr=False)
    confidence: float = 0.95
    population: bool = False
    purchase: Purchase | None = None
    chosen: pl.DataFrame | None = field(default=None, repr=False)

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
        return worth(sum(self.n_experts), self.n_items, alone.width, first.width)

    @property
    def curve_keys(self) -> list[tuple[str, str]]:
        """Methods and systems whose curves are shown: the first method for every system, or all methods of one."""
        keys = [(method, system) for method, system in self.curve_sources if system is not None]
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
            "n_experts": self._by_class(self.n_experts),
            **({"classes": list(self.classes)} if self.named else {}),
            "estimates": self.estimates,
            "voters": {**self.voters, **({"each": self.voter_worths} if self.voter_worths else {})},
            "diagnostics": self.diagnostics,
            "worth": self.worth,
            "next": self.purchase,
            "groups": [{**vars(part), "n_experts": self._by_class(part.n_experts)} for part in self.groups],
            **({} if self.chosen is None else {"chosen": self.chosen.to_dicts()}),
        }

    def to_frame(self) -> pl.DataFrame:
        """Return one row per estimate, groups below with their name; with --choose, the items chosen."""
        if self.chosen is not None:
            return self.chosen
        names, numbers = ("group", "system", "metric", "method"), ("value", "low", "high")
        schema = dict.fromkeys(names, pl.String) | dict.fromkeys(numbers, pl.Float64) | {"rests_on": pl.Int64}
        return pl.DataFrame(self.rows(), schema=schema)

    def rows(self) -> list[dict[str, Any]]:
        """Return every estimate, those of all items without a group first."""
        rows = [{"group": None, **asdict(row)} for row in self.estimates]
        return rows + [{"group": part.group, **asdict(row)} for part in self.groups for row in part.estimates]

    def curve(
        self,
        kind: CurveKind,
        *,
        system: str | None = None,
        method: str | None = None,
        points: int = 101,
    ) -> pl.DataFrame:
        """Return a curve with its band: x, value, low, high; calibration has a bin's lowest score as x."""
        first = next(iter(self.curve_sources))
        source = self.curve_sources[first[0] if method is None else method, first[1] if system is None else system]
        return source.curve(kind, self.confidence, points)

    def curves(self) -> pl.DataFrame:
        """Return all curves of all systems and methods, one below the other."""
        parts = [
            self.curve(kind, system=system, method=method).select(
                pl.lit(system).alias("system"),
                pl.lit(method).alias("method"),
                pl.lit(kind).alias("curve"),
                pl.all(),
            )
            for method, system in self.curve_sources
            if system is not None
            for kind in get_args(CurveKind)
        ]
        return pl.concat(parts) if parts else pl.DataFrame()

    def _by_class(self, numbers: tuple[int, ...]) -> dict[str, int]:
        if self.named:
            return dict(zip(self.classes, numbers, strict=True))
        return {"positive": numbers[1], "negative": numbers[0]}
