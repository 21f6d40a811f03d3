"""What was drawn at random – items, raters, both, or groups – as asked or as data suggest.

Raters who answered several items leave their habits on all of them. If they count as drawn from a
crowd, another study would have others, and their number limits what is known, however many items
there are [multilevel].
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, get_args

import numpy as np

from quorate._errors import InputError
from quorate._text import count
from quorate._typing import Array
from quorate.data.ratings import Ratings
from quorate.data.topology import find_batches, topology
from quorate.inference.roster import Roster, roster_of, rosters_of_rated

Sampling: TypeAlias = Literal["random", "fixed"]

ALIASES = {"S1": "items+raters", "S2": "raters-within-items", "S3": "batches"}
WITH_RATERS = "+raters"
ENOUGH_BATCHES = 20
"""From so many on, batches are counted as drawn whole without asking; fewer leave too few degrees of freedom."""


@dataclass(frozen=True)
class Unit:
    """What was drawn at random.

    Parameters
    ----------
    name
        As it is printed.
    scope
        Of what the result is said, for raters' sake: "other items, other raters"; empty if there is
        nothing to add.
    reason
        Why the unit was chosen, a sentence; empty if it was asked for.
    clusters
        Group of each item, codes from 0, ``(item,)``, where groups were drawn.
    roster
        Who gave which answer, where raters were drawn.
    items_fixed
        Only raters were drawn, items are given.
    rated
        Who rated each system's outputs, by name, where raters were drawn and the systems themselves
        were rated.
    """

    name: str = "items"
    scope: str = ""
    reason: str = ""
    clusters: Array | None = None
    roster: Roster | None = field(default=None, repr=False)
    items_fixed: bool = False
    rated: Mapping[str, Roster] = field(default_factory=dict, repr=False)


def choose_unit(
    ratings: Ratings,
    unit: str = "auto",
    *,
    raters_are: str = "random",
    items_are: str = "random",
    by_items_only: str = "",
    rated: Mapping[str, Ratings] | None = None,
    within_group: bool = False,
) -> Unit:
    """Return the unit asked for, or the one that fits who rated what.

    One batch is no sample of batches, one cluster none of clusters, one rater none of raters. The
    whole data set then lacks what was asked for, which is refused; a group of its items gives way
    to what fits who rated what there.

    Parameters
    ----------
    raters_are, items_are
        Whether another study would have other raters and other items.
    by_items_only
        Why raters cannot be counted here, if they cannot; then ``auto`` is items.
    rated
        The ratings each system got, if the systems themselves were rated.
    within_group
        The ratings are those of a group of the items.
    """
    for flag, value in (("--raters-are", raters_are), ("--items-are", items_are)):
        if value not in get_args(Sampling):
            raise InputError(f"{flag} {value} is not known; it is random or fixed.")
    name = unit_name(unit)
    if raters_are == "fixed" or items_are == "fixed":
        chosen = _partly_fixed(ratings, name, raters_are, items_are, by_items_only, within_group)
    elif name == "auto" or (within_group and not _holds_several(ratings, name)):
        chosen = _auto(ratings, by_items_only, rated)
    else:
        chosen = _asked(ratings, name, by_items_only)
    if chosen.roster is None or not rated:
        return chosen
    return replace(chosen, rated=rosters_of_rated(rated, chosen.roster.units))


def _holds_several(ratings: Ratings, name: str) -> bool:
    """Tell whether some items hold two or more of what was asked for."""
    if name == "batches":
        return ratings.rater is not None and int(find_batches(ratings).max()) > 0
    if name.endswith(WITH_RATERS) and (ratings.n_raters or 0) < 2:
        return False
    column = name.removeprefix("cluster:")
    return column == name or int(item_groups(ratings, column.removesuffix(WITH_RATERS)).max()) > 0


def unit_name(unit: str) -> str:
    """Return the full name of a unit; S1, S2 and S3 are the schemes of [multilevel]."""
    name = ALIASES.get(unit.upper(), unit)
    known = ("auto", "items", "items+answers", "items+raters", "raters-within-items", "batches")
    if name not in known and not name.startswith("cluster:"):
        raise InputError(f"--unit {unit} is not known; use {', '.join(known)} or cluster:COLUMN.")
    return name


def item_groups(ratings: Ratings, column: str, flag: str = "") -> Array:
    """Return the group of each item, numbered from 0 among the groups that are left."""
    if column not in ratings.item_groups:
        there = ", ".join(ratings.item_groups) or "none"
        raise InputError(f"{flag}: '{column}' is not a column that groups the items (there are: {there}).")
    codes: Array = np.unique(ratings.item_groups[column].code, return_inverse=True)[1]
    return codes


def _auto(ratings: Ratings, by_items_only: str, rated: Mapping[str, Ratings] | None = None) -> Unit:
    n_shared = _shared(ratings, rated)
    if n_shared == 0 or by_items_only or ratings.n_raters == 1:
        return Unit()
    shape = topology(ratings)
    if shape.kind == "batches" and (shape.blocks or 0) >= ENOUGH_BATCHES:
        return _batches(ratings, f"Items come in {shape.blocks:,} batches that share no rater, so batches were drawn.")
    word = "is" if n_shared == 1 else "are"
    return _crossed(ratings, f"{count(n_shared, 'rater')} {word} shared across items, so raters count as random.")


def _asked(ratings: Ratings, name: str, by_items_only: str) -> Unit:
    # Runs with names are always counted, and raters anew on every item are part of what items vary by.
    if name in ("items", "items+answers", "raters-within-items"):
        return Unit(name)
    if name == "batches":
        _need_raters(ratings, name)
        return _batches(ratings, "")
    column = name.removeprefix("cluster:")
    if column == name or column.endswith(WITH_RATERS):
        _need_raters(ratings, name)
        if by_items_only:
            raise InputError(f"--unit {name}: {by_items_only}; use --unit items.")
    if column == name:
        return _crossed(ratings, "")
    groups = item_groups(ratings, column.removesuffix(WITH_RATERS), "--unit")
    if groups.max() == 0:
        raise InputError(f"--unit {name}: all items are in one cluster; comparing takes at least two.")
    if not column.endswith(WITH_RATERS) and (by_items_only or not _several_clusters_each(ratings, groups)):
        return Unit(name, clusters=groups)
    scope = f"other {column.removesuffix(WITH_RATERS)}, other raters"
    reason = "" if column.endswith(WITH_RATERS) else "Raters come back in several clusters, so they count as random."
    return Unit(name, scope, reason, clusters=groups, roster=roster_of(ratings, groups))


def _several_clusters_each(ratings: Ratings, groups: Array) -> bool:
    """Tell whether raters come back in other clusters, so that their habits are not part of a cluster."""
    if ratings.rater is None or (ratings.n_raters or 0) < 2:
        return False
    pairs = np.unique(np.stack([ratings.rater, groups[ratings.item]]), axis=1)
    return bool((np.bincount(pairs[0]) > 1).any())


def _partly_fixed(
    ratings: Ratings, name: str, raters_are: str, items_are: str, by_items_only: str, within_group: bool
) -> Unit:
    """Return the unit where items or raters are those of the data and no others."""
    if raters_are == items_are:
        raise InputError("--raters-are fixed and --items-are fixed leave nothing to chance; let one be random.")
    if raters_are == "fixed":
        if name not in ("auto", "items"):
            raise InputError(f"--raters-are fixed leaves only items to draw, not {name}; leave --unit out.")
        return Unit("items", "other items, the same raters", "Raters count as fixed, as asked.")
    if name not in ("auto", "items+raters", "raters-within-items"):
        raise InputError(f"--items-are fixed leaves only raters to draw, not {name}; leave --unit out.")
    if not within_group:
        _need_raters(ratings, "raters")
    if by_items_only:
        raise InputError(f"--items-are fixed: {by_items_only}.")
    roster = roster_of(ratings)
    if roster is None or not (within_group or roster.crossed.solvable):
        raise InputError("--items-are fixed needs items with two raters or more, and raters of several items.")
    return Unit("raters", "the same items, other raters", "Items count as fixed, as asked.", None, roster, True)


def _crossed(ratings: Ratings, reason: str) -> Unit:
    return Unit("items+raters", "other items, other raters", reason, roster=roster_of(ratings))


def _batches(ratings: Ratings, reason: str) -> Unit:
    blocks = find_batches(ratings)
    if blocks.max() == 0:
        raise InputError("--unit batches: all items are linked by shared raters, so there is one batch; use auto.")
    return Unit("batches", "other items with their raters", reason, clusters=blocks)


def _shared(ratings: Ratings, rated: Mapping[str, Ratings] | None) -> int:
    """Return how many raters answered more than one item, or rated more than one output of some system."""
    if not rated:
        return int((ratings.items_per_rater > 1).sum())
    names = [part.raters.filter(part.items_per_rater > 1) for part in rated.values() if part.raters is not None]
    return len({name for those in names for name in those})


def _need_raters(ratings: Ratings, name: str) -> None:
    if ratings.rater is None:
        raise InputError(f"--unit {name} needs to know who answered; name the column with --rater-column.")
    if ratings.n_raters == 1:
        raise InputError(f"--unit {name}: one rater answered everything; comparing raters takes at least two.")
