"""`describe`: what have I got, how much do my raters disagree, and who rated what?"""

from dataclasses import dataclass
from math import isnan
from typing import Any, ClassVar, Unpack

import numpy as np
import polars as pl

from quorate._errors import InputError
from quorate._random import generator
from quorate._text import count
from quorate._typing import Array
from quorate.agreement.disagreement import item_disagreement, item_spread, most_disputed
from quorate.agreement.krippendorff import krippendorff_alpha
from quorate.agreement.rater_habits import GroupHabits, group_habits, rater_habits
from quorate.agreement.variance_parts import variance_components
from quorate.data.ratings import Ratings
from quorate.data.read_ratings import Reading, Source, read_ratings
from quorate.data.scale import format_number
from quorate.data.summaries import Counts
from quorate.data.topology import topology
from quorate.describing import rater_words as _describe_raters
from quorate.describing import words as _describe_text
from quorate.describing.parts import Described

__all__ = ["Description", "describe"]

MOST_GROUPS = 20
"""Groups of raters listed without being asked for."""
FEWEST_ITEMS = 10
"""A bootstrap over fewer items than this cannot show how far alpha may be off; a rule of thumb, and ours."""


@dataclass(frozen=True)
class Description(Described):
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
        Positions of the most disputed items, most disputed first: by spread, or by disagreement on a nominal scale.
    habits
        What every rater leans to, and how far they go along with the others; None if raters are unknown.
    rater_groups
        The same of groups of raters, by the column that groups them.
    """

    verb: ClassVar[str] = "describe"

    def sentence(self) -> str:
        """Say in one sentence how much there is and how much the raters agree."""
        return _describe_text.sentence(self)

    def __str__(self) -> str:
        return _describe_text.as_text(self)

    def content(self) -> dict[str, Any]:
        """Return the fields of the JSON object."""
        ratings, scale = self.ratings, self.ratings.scale
        shares = dict(zip(scale.categories, ratings.response_share.tolist(), strict=True)) if scale.counted else None
        per_rater = self.topology.items_per_rater
        return {
            "responses": ratings.n_responses,
            "items": ratings.n_items,
            "raters": ratings.n_raters,
            "responses_per_item": _spread(ratings.size),
            "items_per_rater": None if per_rater is None else _spread(per_rater),
            "scale": {
                "kind": scale.kind,
                "categories": list(scale.categories) if scale.counted else None,
                "guessed": scale.guessed,
            },
            "topology": {"kind": self.topology.kind, "fill": self.topology.fill, "blocks": self.topology.blocks},
            "repeated_pairs": ratings.repeated_pairs,
            "response_share": shares,
            "agreement": {
                "alpha": _or_none(self.agreement.value),
                "low": _or_none(self.agreement.low),
                "high": _or_none(self.agreement.high),
            },
            "unanimous_items": self.unanimous_items,
            "disputed": [self._disputed_item(index) for index in self.disputed.tolist()],
            "variance": {
                "item": self.variance.item,
                "rater": self.variance.rater,
                "residual": self.variance.residual,
            },
            "effective_raters": self.effective_raters,
            "rater_habits": self._rater_habits(),
            "rater_groups": {
                column: _describe_raters.group_rows(ratings, groups) for column, groups in self.rater_groups.items()
            },
            "notes": list(ratings.notes),
        }

    def _rater_habits(self) -> list[dict[str, Any]]:
        """Those listed, and those who always answer the same; `rater_frame` has all."""
        if self.habits is None:
            return []
        which = _describe_raters.listed(self.habits, max(len(self.disputed), 5))
        constant = [int(j) for j in np.flatnonzero(self.habits.always) if int(j) not in which]
        return _describe_raters.rater_rows(self.ratings, self.habits, [*which, *constant])

    def rater_frame(self) -> pl.DataFrame:
        """Return one row per rater: responses, leaning, how far they go along with the others, usual response."""
        if self.habits is None:
            raise InputError("raters are unknown; name the column with --rater-column.")
        rows = _describe_raters.rater_rows(self.ratings, self.habits, range(len(self.habits.responses)))
        return pl.DataFrame(rows, infer_schema_length=None)

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
        return {_label(ratings, code): int(totals[code]) for code in np.argsort(-totals, kind="stable") if totals[code]}

    def to_frame(self) -> pl.DataFrame:
        """Return one row per item: responses, disagreement, and counts per category or mean and spread."""
        ratings = self.ratings
        frame = pl.DataFrame({"item": ratings.items, "responses": ratings.size, "disagreement": self.disagreement})
        frame = frame.with_columns(pl.col("disagreement").fill_nan(None))
        summary = ratings.summary
        if self.spread is not None:
            frame = frame.with_columns(pl.Series("mean", summary.mean), pl.Series("sd", self.spread).fill_nan(None))
        if ratings.scale.counted:
            counts = _counts(ratings)
            frame = frame.with_columns(
                pl.Series(f"n_{c}", counts[:, m]) for m, c in enumerate(ratings.scale.categories)
            )
        return frame


def describe(
    source: Source,
    *,
    top: int = 5,
    rater_groups: str | None = None,
    confidence: float = 0.95,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> Description:
    """Describe ratings: how many there are, who rated what, how much raters disagree, and on which items.

    Parameters
    ----------
    source
        A path, ``-`` for standard input, ``example:NAME``, a mapping of columns, a data frame, or ratings already read.
    top
        How many of the most disputed items to list, and of the raters who lean most surely.
    rater_groups
        Column that groups the raters; all such columns if not given.
    confidence
        Level of the interval for Krippendorff's alpha, from a bootstrap over items.
    seed
        Seed of the bootstrap.
    **reading
        How to read the source: ``item_column``, ``scale`` and so on.

    Examples
    --------
    >>> found = describe("example:support")
    >>> found.ratings.n_items, found.topology.kind
    (120, 'sparse')
    """
    if not 0 < confidence < 1:
        raise InputError(f"confidence cannot be {confidence}; use a share between 0 and 1, such as 0.95.")
    ratings = read_ratings(source, **reading)
    summary, scale = ratings.summary, ratings.scale
    spread, habits = None if scale.levels is None else item_spread(summary), rater_habits(ratings)
    return Description(
        ratings=ratings,
        topology=topology(ratings),
        agreement=krippendorff_alpha(
            summary, scale.kind, rng=generator(seed, "describe", "alpha"), confidence=confidence
        ),
        variance=variance_components(
            ratings.item,
            ratings.rater,
            ratings.response if scale.levels is None else scale.levels[ratings.response],
            n_categories=scale.n_levels if scale.levels is None else None,
            repeats=None if ratings.n_responses == len(ratings.count) else ratings.count,
        ),
        disagreement=item_disagreement(summary),
        spread=spread,
        disputed=most_disputed(summary, top, by=spread),
        habits=habits,
        rater_groups=_groups(ratings, rater_groups),
        seed=seed,
        settings={"source": ratings.name, "top": top, "confidence": confidence, "columns": dict(ratings.columns)},
        warnings=(*_warnings(ratings), *_describe_raters.always_words(ratings, habits)),
    )


def _groups(ratings: Ratings, column: str | None) -> dict[str, list[GroupHabits]]:
    """Return the habits of groups of raters; columns with as many groups as raters say no more than the raters do."""
    if column is not None and column not in ratings.rater_groups:
        there = ", ".join(ratings.rater_groups) or "none"
        raise InputError(f"--rater-groups: '{column}' is not a column that groups the raters (there are: {there}).")
    columns = [column] if column is not None else list(ratings.rater_groups)
    found = {name: group_habits(ratings, ratings.rater_groups[name]) for name in columns}
    return {name: groups for name, groups in found.items() if column or 2 <= len(groups) <= MOST_GROUPS}


def _warnings(ratings: Ratings) -> tuple[str, ...]:
    single = int((ratings.size == 1).sum())
    judged = ratings.n_items - single
    warnings = []
    if judged == 0:
        warnings.append("every item has one response, so disagreement cannot be seen; have some items rated twice.")
    elif single:
        warnings.append(f"{count(single, 'item')} with one response say nothing about disagreement.")
    if 0 < judged < FEWEST_ITEMS:
        warnings.append(f"the interval of alpha rests on {count(judged, 'item')} only; do not rely on it.")
    if ratings.n_raters is None:
        warnings.append("raters are unknown, so their share in the disagreement cannot be seen.")
    return tuple(warnings)


def _spread(sizes: Array) -> dict[str, float]:
    return {"min": int(sizes.min()), "median": float(np.median(sizes)), "max": int(sizes.max())}


def _counts(ratings: Ratings) -> Array:
    assert isinstance(ratings.summary, Counts)
    return ratings.summary.counts


def _label(ratings: Ratings, code: int) -> str:
    if ratings.scale.counted:
        return ratings.scale.categories[code]
    assert ratings.scale.levels is not None
    return format_number(ratings.scale.levels[code])


def _or_none(value: float) -> float | None:
    return None if isnan(value) else value
