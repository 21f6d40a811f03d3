"""How raters read in a description: who leans which way, who goes along, who never varies, and groups of raters."""

from collections.abc import Sequence
from math import isnan
from typing import Any

import numpy as np

from quorate._text import count, number, percent, printable, table
from quorate.agreement.rater_habits import GroupHabits, Habits
from quorate.data.ratings import Ratings
from quorate.data.scale import format_number
from quorate.describing.parts import Described

__all__ = ["always_words", "group_rows", "groups_text", "listed", "rater_rows", "raters_text", "worth"]

ALL_LISTED = 12
"""Up to this many raters are all listed; of more, those who lean most surely."""
LONGEST_NAME = 24


def worth(found: Described) -> str:
    """Say how many raters there are, and what they amount to if they answered very unequally often."""
    n, amount = found.ratings.n_raters, found.effective_raters
    if n is None or amount is None:
        return "unknown"
    return f"{n:,}" if amount > 0.9 * n else f"{n:,}, worth {number(amount, 1)} who answer equally often"


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
            "usual": _label(ratings, int(habits.usual[j])),
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


def raters_text(found: Described) -> str:
    """List raters with their habits."""
    habits = found.habits
    if habits is None or (which := listed(habits, len(found.disputed) or 5)) == []:
        return ""
    rows = rater_rows(found.ratings, habits, which)
    along = "correlation" if habits.correlation is not None else "agreement"
    cells = [
        [
            printable(row["rater"], LONGEST_NAME),
            f"{row['responses']:,}",
            _leaning(row, row["leaning_error"]),
            _share(row["agreement"]) if along == "agreement" else number(row[along], 2),
            f"{printable(row['usual'], LONGEST_NAME)} ({percent(row['usual_share'])})",
        ]
        for row in rows
    ]
    what = "correlates with the others" if along == "correlation" else "others agree"
    everyone = len(which) == len(habits.responses)
    heading = "Raters" if everyone else f"Raters who lean most surely ({len(which)} of {len(habits.responses):,})"
    return heading + "\n" + table(cells, ["rater", "responses", "leans", what, "usual response"])


def groups_text(found: Described) -> str:
    """List groups of raters, column by column."""
    parts = []
    for column, groups in found.rater_groups.items():
        cells = [
            [
                printable(row["group"], LONGEST_NAME),
                f"{row['raters']:,}",
                f"{row['responses']:,}",
                _leaning(row, None),
                _share(row["agree_within"]),
                _share(row["agree_across"]),
            ]
            for row in group_rows(found.ratings, groups)
        ]
        header = ["group", "raters", "responses", "leans", "pairs within agree", "pairs across agree"]
        parts.append(f"Groups of raters by {column}\n" + table(cells, header))
    return "\n\n".join(parts)


def always_words(ratings: Ratings, habits: Habits | None) -> list[str]:
    """Name the raters who gave one answer to (nearly) everything, where the others did not."""
    if habits is None or not habits.always.any():
        return []
    constant = np.flatnonzero(habits.always)
    names = [f"{row['rater']} ({row['usual']})" for row in rater_rows(ratings, habits, constant[:5].tolist())]
    more = f" and {len(constant) - 5:,} more" if len(constant) > 5 else ""
    who = count(len(constant), "rater")
    return [f"{who} gave one answer to nearly everything, where others did not: {', '.join(names)}{more}."]


def _leaning(row: dict[str, Any], error: float | None) -> str:
    """Write a leaning: points towards a category, or steps of the scale, with its standard error."""
    value = row["leaning"]
    if value is None:
        return "–"
    if row["towards"] is None:
        around = "" if error is None else f" ± {number(error, 2)}"
        text = number(value, 2)
        return f"{'+' if value > 0 and float(text) else ''}{text}{around}"
    around = "" if error is None else f" ± {100 * error:.0f}"
    return f"{100 * value:.0f}{around} points to {printable(row['towards'], LONGEST_NAME)}"


def _share(share: float | None) -> str:
    return "–" if share is None else percent(share)


def _label(ratings: Ratings, code: int) -> str:
    if ratings.scale.counted:
        return ratings.scale.categories[code]
    assert ratings.scale.levels is not None
    return format_number(ratings.scale.levels[code])


def _or_none(value: float) -> float | None:
    return None if isnan(value) else float(value)
