"""Raters and their groups as plain rows: who leans which way, who goes along, who never varies."""

from collections.abc import Sequence
from math import isnan
from typing import Any

import numpy as np

from quorate.agreement.rater_habits import GroupHabits, Habits
from quorate.data.ratings import Ratings
from quorate.data.scale import format_number

__all__ = ["group_rows", "label", "listed", "rater_rows"]

ALL_LISTED = 12
"""Up to this many raters are all listed; of more, those who lean most surely."""


def listed(habits: Habits, top: int) -> list[int]:
    """Positions of the raters to list: all if they are few, else those who lean most surely."""
    if len(habits.responses) <= ALL_LISTED:
        order = np.argsort(-np.nan_to_num(np.abs(habits.leaning)), kind="stable")
        return [int(j) for j in order]
    return [int(j) for j in habits.strongest[:top]]


def rater_rows(ratings: Ratings, habits: Habits, which: Sequence[int]) -> list[dict[str, Any]]:
    """Return raters as plain rows."""
    assert ratings.raters is not None
    return [
        {
            "rater": ratings.raters[j],
            "responses": int(habits.responses[j]),
            "leaning": _or_none(habits.leaning[j]),
            "leaning_error": _or_none(habits.leaning_error[j]),
            "towards": None if habits.towards is None else ratings.scale.categories[habits.towards[j]],
            "agreement": None if habits.agreement is None else _or_none(habits.agreement[j]),
            "correlation": None if habits.correlation is None else _or_none(habits.correlation[j]),
            "usual": label(ratings, int(habits.usual[j])),
            "usual_share": float(habits.usual_share[j]),
            "always_the_same": bool(habits.always[j]),
        }
        for j in which
    ]


def group_rows(ratings: Ratings, groups: Sequence[GroupHabits]) -> list[dict[str, Any]]:
    """Return groups of raters as plain rows."""
    return [
        {
            "group": group.name,
            "raters": group.raters,
            "responses": group.responses,
            "leaning": _or_none(group.leaning),
            "towards": None if group.towards is None else ratings.scale.categories[group.towards],
            "agree_within": _or_none(group.agree_within),
            "agree_across": _or_none(group.agree_across),
        }
        for group in groups
    ]


def label(ratings: Ratings, code: int) -> str:
    """Write a response: its category, or its number."""
    if ratings.scale.counted:
        return ratings.scale.categories[code]
    assert ratings.scale.levels is not None
    return format_number(ratings.scale.levels[code])


def _or_none(value: float) -> float | None:
    return None if isnan(value) else float(value)
