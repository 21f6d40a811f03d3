"""What a description is made of: the ratings and what was found in them; plain data, without words."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from quorate._typing import Array
from quorate.agreement.krippendorff import Alpha
from quorate.agreement.rater_habits import GroupHabits, Habits
from quorate.agreement.variance_parts import Components
from quorate.data.ratings import Ratings
from quorate.data.topology import Topology
from quorate.inference.crossed import effective_number
from quorate.results.result import Result

__all__ = ["Described"]


@dataclass(frozen=True)
class Described(Result):
    """Everything that was found; `Description` says what the fields are, and puts them into words."""

    ratings: Ratings
    topology: Topology
    agreement: Alpha
    variance: Components
    disagreement: Array
    spread: Array | None
    disputed: Array
    habits: Habits | None = None
    rater_groups: Mapping[str, list[GroupHabits]] = field(default_factory=dict)

    @property
    def effective_raters(self) -> float | None:
        """Raters who would weigh as much if all answered equally often; None if raters are unknown."""
        return None if self.habits is None else float(effective_number(self.habits.responses))

    @property
    def unanimous_items(self) -> int:
        """Items whose raters, two or more, all gave the same response."""
        return int((self.disagreement == 0).sum())
