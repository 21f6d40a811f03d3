"""Planning with items that come in groups – documents, or batches with raters of their own – drawn as a whole.

With m items per group, ``Var Γ = (σ_K² + c) / N``: σ_K² the variance of one item's difference with K raters and
``c = (deff − 1) σ²`` what items of a group share, from the pilot's design effect [kish1965]. It stays whatever K is.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array
from quorate.data.ratings import Ratings
from quorate.data.topology import find_batches
from quorate.inference.outcome import mean_test
from quorate.inference.units import item_groups
from quorate.planning.laws.law import Law
from quorate.planning.laws.rater_law import CrossedLaw, Spread
from quorate.planning.sources.pilot import Pilot, PilotSource, pilot_doubt
from quorate.planning.study_size import StudySize

if TYPE_CHECKING:
    from quorate.planning.search import Search

__all__ = ["ItemGroups", "PilotGroupsSource", "find_groups"]


@dataclass(frozen=True)
class ItemGroups:
    """The groups of a pilot's items.

    Parameters
    ----------
    pilot
        The pilot.
    code
        Group of each item, codes from 0, ``(item,)``.
    """

    pilot: Pilot
    code: Array

    @property
    def number(self) -> int:
        """How many groups there are."""
        return int(self.code.max()) + 1

    @cached_property
    def design_effect(self) -> float:
        """How much larger the variance is than with independent items; below 1 counts as 1."""
        single, whole = (mean_test(self.pilot.observed, clusters=code).se for code in (None, self.code))
        return max(float((whole / single) ** 2), 1.0)

    def law(self, n_raters: int) -> CrossedLaw:
        """Return the law of studies with K raters per item."""
        shared = (self.design_effect - 1) * float(self.pilot.observed.var(ddof=1))
        return CrossedLaw(
            mean=self.pilot.difference,
            mean_error=0.0,
            spread=Spread(0.0, self.pilot.law(n_raters).sd ** 2 + shared),
            null=Spread(np.nan, np.nan),
            block_items=len(self.code) / self.number,
        )


@dataclass(frozen=True, kw_only=True)
class PilotGroupsSource(PilotSource):
    """Laws from the observed differences of a pilot whose items are drawn in groups."""

    groups: ItemGroups

    def law(self, n_raters: int, target: float) -> Law:
        """Return the law of studies of whole groups."""
        return self.groups.law(n_raters)

    def doubt(self, search: "Search", best: StudySize) -> Mapping[str, Any]:
        """Bootstrap the pilot; its items alone cannot be replayed, for groups stay together."""
        return pilot_doubt(self.pilot, search, best)


def find_groups(ratings: Ratings, unit: str) -> Array:
    """Return the group of each item for ``batches`` or ``cluster:COLUMN``, ``(item,)``.

    Examples
    --------
    >>> from quorate.data.read_ratings import read_ratings
    >>> find_groups(read_ratings({"item": [1, 2, 3], "rater": ["x", "x", "y"], "response": [1, 0, 1]}), "batches")
    array([0, 0, 1])
    """
    if unit == "batches" and ratings.rater is None:
        raise InputError("--unit batches needs to know who answered; name the column with --rater-column.")
    column = unit.removeprefix("cluster:")
    groups = find_batches(ratings) if unit == "batches" else item_groups(ratings, column, "--unit")
    if groups.max() == 0:
        raise InputError(f"--unit {unit}: all items are in one group, which shows no spread; leave --unit out.")
    return groups
