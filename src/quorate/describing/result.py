"""What `describe` found: the ratings, how much they disagree, who rated what."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from math import isnan
from typing import Any, ClassVar

import numpy as np
import polars as pl

from quorate._errors import InputError
from quorate._text import Sentence
from quorate._typing import Array
from quorate.agreement.rater_habits import GroupHabits, Habits
from quorate.agreement.variance_parts import VarianceParts
from quorate.data.ratings import Ratings
from quorate.data.scale import format_number
from quorate.data.summaries import Counts
from quorate.data.topology import Topology
from quorate.describing.system_means import SystemMean
from quorate.describing.system_votes import SystemVotes
from quorate.describing.words import describe_sentence, description_tables
from quorate.inference.alpha_interval import Alpha
from quorate.inference.crossed import effective_number
from quorate.results.result import Result, plain
from quorate.results.table import Table

ALL_LISTED = 12
"""Up to this many raters are all listed; of more, those who lean most surely."""


TARGET = 0.8
"""Dependability that is usually asked for [brennan2001]."""


@dataclass(frozen=True)
class Dependability:
    """The dependability of the mean of so many raters, and the raters a target takes; None if none are enough."""

    raters: int
    value: float
    target: float
    raters_needed: int | None


@dataclass(frozen=True)
class Description(Result):
    """What `describe` found; print it for people, `to_dict` it for scripts, `to_frame` it for one row per item.

    Parameters
    ----------
    ratings
        The data as they were read.
    topology
        How raters and items meet.
    agreement
        Krippendorff's alpha with its interval.
    variance
        Variance components of item, rater and residual.
    disagreement
        Chance that two of an item's raters differ, ``(item,)``; nan for items with one response.
    spread
        Standard deviation of an item's responses, ``(item,)``; None on a nominal scale.
    disputed
        Positions of the most disputed items, most disputed first: by spread, or by disagreement on
        a nominal scale.
    habits
        What every rater leans to, and how far they go along with the others; None if raters are
        unknown.
    rater_groups
        The same of groups of raters, by the column that groups them.
    systems
        Of rated outputs: each system's mean rating.
    votes
        Of votes side by side: how often each system is preferred.
    asked_items
        Of rated outputs and votes: the items themselves; an item of `ratings` is then one output, or a pair.
    """

    verb: ClassVar[str] = "describe"
    ratings: Ratings
    topology: Topology
    agreement: Alpha
    variance: VarianceParts
    disagreement: Array
    spread: Array | None
    disputed: Array
    habits: Habits | None = None
    rater_groups: Mapping[str, list[GroupHabits]] = field(default_factory=dict)
    systems: tuple[SystemMean, ...] = ()
    votes: tuple[SystemVotes, ...] = ()
    asked_items: int | None = None

    @property
    def dependability(self) -> Dependability | None:
        """How dependable the mean of an item's raters is, and how many it takes to reach 0.8; None if unknown."""
        raters = max(1, int(np.median(self.ratings.size)))
        value = self.variance.dependability(raters)
        return None if value is None else Dependability(raters, value, TARGET, self.variance.raters_for(TARGET))

    @property
    def effective_raters(self) -> float | None:
        """Raters who would weigh as much if all answered equally often; None if unknown."""
        return None if self.habits is None else float(effective_number(self.habits.responses))

    @property
    def unanimous_items(self) -> int:
        """Items whose raters, two or more, all gave the same response."""
        return int((self.disagreement == 0).sum())

    @property
    def disputes(self) -> list[tuple[float, float, int]]:
        """A histogram of disagreement (percent) or spread: from, to, items."""
        values = 100 * self.disagreement if self.spread is None else self.spread
        top = 100.0 if self.spread is None else float(np.nanmax(values, initial=0)) or 1.0
        edges = np.linspace(0, top, 11 if self.spread is None else 13)
        sizes, _ = np.histogram(values[~np.isnan(values)], edges)
        return [(float(a), float(b), int(n)) for a, b, n in zip(edges, edges[1:], sizes, strict=False)]

    @property
    def shares(self) -> list[tuple[str, float]]:
        """The share of each response: in the scale's order, or the most frequent first."""
        ratings = self.ratings
        if not ratings.scale.counted:
            return []
        pairs = list(zip(ratings.scale.categories, ratings.response_share.tolist(), strict=True))
        return sorted(pairs, key=lambda pair: -pair[1]) if ratings.scale.kind == "nominal" else pairs

    def sentence(self) -> Sentence:
        """Say in one sentence how much there is and how much the raters agree."""
        return describe_sentence(self)

    def tables(self) -> Mapping[str, Table]:
        """Return facts, responses, disputed items, raters and their groups."""
        return description_tables(self)

    def content(self) -> dict[str, Any]:
        """Return the fields of the JSON object."""
        ratings, scale = self.ratings, self.ratings.scale
        shares = dict(zip(scale.categories, ratings.response_share.tolist(), strict=True)) if scale.counted else None
        per_rater = self.topology.items_per_rater
        return {
            "responses": ratings.n_responses,
            "items": ratings.n_items,
            "raters": ratings.n_raters,
            "responses_per_item": _sizes(ratings.size),
            "items_per_rater": None if per_rater is None else _sizes(per_rater),
            "scale": {
                "kind": scale.kind,
                "categories": list(scale.categories) if scale.counted else None,
                "guessed": scale.guessed,
            },
            "topology": {"kind": self.topology.kind, "fill": self.topology.fill, "blocks": self.topology.blocks},
            "repeated_pairs": ratings.repeated_pairs,
            "response_share": shares,
            "agreement": {"alpha": self.agreement.value, "low": self.agreement.low, "high": self.agreement.high},
            "unanimous_items": self.unanimous_items,
            "disputed": [self._disputed_item(index) for index in self.disputed.tolist()],
            "variance": {
                "item": self.variance.item,
                "rater": self.variance.rater,
                "residual": self.variance.residual,
            },
            "dependability": None if self.dependability is None else asdict(self.dependability),
            "effective_raters": self.effective_raters,
            "rater_habits": self._rater_habits(),
            "rater_groups": {column: self.group_rows(column) for column in self.rater_groups},
            "notes": list(ratings.notes),
            **({} if self.asked_items is None else {"asked_items": self.asked_items}),
            **({"systems": plain(self.systems)} if self.systems else {}),
            **({"votes": plain(self.votes)} if self.votes else {}),
        }

    def to_frame(self) -> pl.DataFrame:
        """Return one row per item: responses, disagreement, counts or mean and spread."""
        ratings, summary = self.ratings, self.ratings.summary
        frame = pl.DataFrame({"item": ratings.items, "responses": ratings.size, "disagreement": self.disagreement})
        frame = frame.with_columns(pl.col("disagreement").fill_nan(None))
        if self.spread is not None:
            frame = frame.with_columns(pl.Series("mean", summary.mean), pl.Series("sd", self.spread).fill_nan(None))
        if isinstance(summary, Counts):
            named = zip(ratings.scale.categories, summary.counts.T, strict=True)
            frame = frame.with_columns(pl.Series(f"n_{category}", counts) for category, counts in named)
        return frame

    def rater_frame(self) -> pl.DataFrame:
        """Return one row per rater: responses, leaning, agreement with the others, usual response."""
        if self.habits is None:
            raise InputError("raters are unknown; name the column with --rater-column.")
        return pl.DataFrame(self.rater_rows(range(len(self.habits.responses))), infer_schema_length=None)

    def listed_raters(self, top: int) -> list[int]:
        """Return the raters to list: all if they are few, else those who lean most surely."""
        if self.habits is None:
            return []
        if len(self.habits.responses) > ALL_LISTED:
            return [int(j) for j in self.habits.strongest[:top]]
        order = np.argsort(-np.nan_to_num(np.abs(self.habits.leaning)), kind="stable")
        return [int(j) for j in order]

    def rater_rows(self, which: Iterable[int]) -> list[dict[str, Any]]:
        """Return raters as rows: how they lean, how far they go along, what they usually say."""
        ratings, habits = self.ratings, self.habits
        if habits is None or ratings.raters is None:
            return []
        return [
            {
                "rater": ratings.raters[j],
                "responses": int(habits.responses[j]),
                "leaning": _or_none(habits.leaning[j]),
                "leaning_error": _or_none(habits.leaning_error[j]),
                "towards": None if habits.towards is None else ratings.scale.categories[habits.towards[j]],
                "agreement": None if habits.agreement is None else _or_none(habits.agreement[j]),
                "correlation": None if habits.correlation is None else _or_none(habits.correlation[j]),
                "usual": response_label(ratings, int(habits.usual[j])),
                "usual_share": float(habits.usual_share[j]),
                "always_the_same": bool(habits.always[j]),
            }
            for j in which
        ]

    def group_rows(self, column: str) -> list[dict[str, Any]]:
        """Return groups of raters as plain rows."""
        categories = self.ratings.scale.categories
        return [
            {
                "group": group.name,
                "raters": group.raters,
                "responses": group.responses,
                "leaning": _or_none(group.leaning),
                "towards": None if group.towards is None else categories[group.towards],
                "agree_within": _or_none(group.agree_within),
                "agree_across": _or_none(group.agree_across),
            }
            for group in self.rater_groups[column]
        ]

    def _rater_habits(self) -> list[dict[str, Any]]:
        """Those listed, and those who always answer the same; `rater_frame` has all."""
        which = self.listed_raters(max(len(self.disputed), 5))
        always = [] if self.habits is None else np.flatnonzero(self.habits.always).tolist()
        return self.rater_rows([*which, *(j for j in always if j not in which)])

    def _disputed_item(self, index: int) -> dict[str, Any]:
        return {
            "item": self.ratings.items[index],
            "disagreement": float(self.disagreement[index]),
            "sd": None if self.spread is None else float(self.spread[index]),
            "responses": self._responses(index),
        }

    def _responses(self, index: int) -> dict[str, int]:
        """Count the responses to one item by their label, most frequent first."""
        ratings = self.ratings
        ends = np.array([index, index + 1], dtype=ratings.item.dtype)  # of the same type, or all items are copied
        rows = slice(*np.searchsorted(ratings.item, ends).tolist())
        totals = np.bincount(ratings.response[rows], weights=ratings.count[rows])
        order = np.argsort(-totals, kind="stable")
        return {response_label(ratings, code): int(totals[code]) for code in order if totals[code]}


def response_label(ratings: Ratings, code: int) -> str:
    """Write a response: its category, or its number."""
    if ratings.scale.counted:
        return ratings.scale.categories[code]
    assert ratings.scale.levels is not None
    return format_number(ratings.scale.levels[code])


def _or_none(value: float) -> float | None:
    return None if isnan(value) else float(value)


def _sizes(sizes: Array) -> dict[str, float]:
    return {"min": int(sizes.min()), "median": float(np.median(sizes)), "max": int(sizes.max())}
