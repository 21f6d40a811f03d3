"""The raters of a pilot: each one's own difference between the systems, and where its variance comes from.

Rater j's difference on item i is what the answer adds to the score of A minus that of B, as `compare` reads it; a
study's difference is their mean. The components of d_ij = μ + item + rater + rest are those of `variance_components`.
A score linear in the raters has the same components at any number of raters per item, others at the pilot's only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from quorate._errors import InputError
from quorate._random import generator
from quorate.agreement.variance_parts import VarianceParts, variance_components
from quorate.data.ratings import Ratings
from quorate.data.summaries import Summary
from quorate.inference.answer_values import splits_by_rater
from quorate.inference.roster import roster_of
from quorate.inference.scored_systems import score_systems
from quorate.metrics.metric import Metric
from quorate.planning.laws.law import Law, passing
from quorate.planning.laws.rater_law import RaterLaw
from quorate.planning.people import SharedPool
from quorate.planning.sources.pilot import PilotSource
from quorate.planning.study_size import StudySize

if TYPE_CHECKING:
    from quorate.planning.search import Search

__all__ = ["PilotRaters", "PilotRatersSource", "pilot_raters"]

PILOTS = 200
"""Other pilots looked at."""


@dataclass(frozen=True)
class PilotRaters:
    """Variance components of a pilot's differences, and the sizes they rest on.

    Parameters
    ----------
    parts
        The components; with one rater per item, item and rest cannot be told apart and all counts as item.
    n_items, n_raters, n_values
        Items, raters and responses of the pilot.
    one_rater
        Whether every item has one rater only.
    only
        The number of raters per item the components hold for; None for any.
    """

    parts: VarianceParts
    n_items: int
    n_raters: int
    n_values: int
    one_rater: bool = False
    only: int | None = None

    def others(self, draws: int, *, seed: int) -> list[VarianceParts]:
        """Return components that other pilots of this size would show.

        Mean squares of items, raters and rest spread like χ² on N − 1, R − 1 and the remaining degrees of freedom, with
        the expectations of a table as full as this one; components are solved from them as from the pilot's own.

        Examples
        --------
        >>> raters = PilotRaters(VarianceParts(0.1, 0.02, 0.5), n_items=100, n_raters=6, n_values=600)
        >>> round(float(np.mean([each.rater for each in raters.others(4000, seed=0)])), 3)
        0.02
        """
        rng = generator(seed, "other pilots")
        per_item, per_rater = self.n_values / self.n_items, self.n_values / self.n_raters
        dfs = self.n_items - 1, self.n_raters - 1, max(self.n_values - self.n_items - self.n_raters + 1, 1)
        of_item, of_rater, rest = self.parts.amounts
        expected = rest + per_item * of_item, rest + per_rater * of_rater, rest
        item, rater, cell = (
            mean * rng.chisquare(max(df, 1), draws) / max(df, 1) for mean, df in zip(expected, dfs, strict=True)
        )
        solved = np.maximum([(item - cell) / per_item, (rater - cell) / per_rater, cell], 0.0)
        return [VarianceParts(*map(float, each)) for each in solved.T]

    def doubt(
        self, law: RaterLaw, n_items: int, confidence: float, margin: float | None = None, *, seed: int
    ) -> dict[str, float | int | None]:
        """Return the mean power over other pilots like this one, and how many items they would ask for.

        That is from 5 to 95 % of them; None where no number of items is enough.
        """
        wanted, k, people = law.pivot(n_items).se ** 2, law.n_raters, law.pool
        power, items = [], []
        for parts in self.others(PILOTS, seed=seed):
            power.append(passing(replace(law, parts=parts).pivot(n_items), -(margin or 0.0), confidence))
            item, rater, rest = parts.amounts
            left = wanted - rater / people
            items.append((item + rest / k) / left if left > 0 else np.inf)
        low, high = np.sort(items)[[int(0.05 * PILOTS), int(0.95 * PILOTS)]]
        return {
            "items_low": int(np.ceil(low)) if np.isfinite(low) else None,
            "items_high": int(np.ceil(high)) if np.isfinite(high) else None,
            "assurance": float(np.mean(power)),
        }


@dataclass(frozen=True, kw_only=True)
class PilotRatersSource(PilotSource):
    """Laws from a pilot whose raters came back on other items, so that they count as random."""

    raters_return: ClassVar[bool] = True
    people: SharedPool
    raters: PilotRaters

    def law(self, n_raters: int, target: float) -> Law:
        """Return the law of studies with these people."""
        return self.people.model.law(n_raters)

    def knows(self, n_raters: int) -> bool:
        """Tell whether the components hold for so many raters per item."""
        only = 1 if self.raters.one_rater else self.raters.only
        return n_raters <= self.people.most_raters and only in (None, n_raters)

    def raters_to_try(self, wanted: Sequence[int] | None) -> list[int]:
        """Return the numbers of raters per item to look at; only the pilot's own for a panel score."""
        only = self.raters.only
        if only is not None and wanted is not None and set(wanted) != {only}:
            raise InputError(
                f"How raters differ in {self.metric.title} is known for {only} raters per item, as in the pilot: "
                f"say --raters {only}, or --unit items to forget the raters."
            )
        return super().raters_to_try(wanted if only is None else (only,))

    def doubt(self, search: "Search", best: StudySize) -> Mapping[str, Any]:
        """Say what other pilots with other raters would have shown."""
        asked, model = search.question, self.people.model
        parts, law = model.parts, model.law(best.n_raters)
        return {
            "items": len(self.pilot.observed),
            "raters": self.raters.n_raters,
            "between": parts.item,
            "between_raters": parts.rater,
            "within": parts.residual,
            "best_raters": parts.best_raters(asked.item_price, asked.rating_price),
            **self.raters.doubt(law, best.n_items, asked.confidence, asked.margin, seed=asked.seed),
            "replay": None,
        }


def pilot_raters(metric: Metric, ratings: Ratings, a: Summary, b: Summary) -> PilotRaters | None:
    """Return the variance components of a pilot's differences; None where the score or the pilot does not tell.

    Raters must be known and come back, and a score that reads an item's whole panel needs as many raters on every item.

    Examples
    --------
    >>> from quorate.data.read_ratings import read_ratings
    >>> from quorate.data.summaries import Counts
    >>> from quorate.metrics import find_metric
    >>> votes = {"item": [1, 1, 2, 2, 3, 3], "rater": list("xyxyxy"), "response": ["n", "n", "n", "y", "n", "y"]}
    >>> a, b = Counts(np.array([[1, 0]] * 3)), Counts(np.array([[0, 1]] * 3))
    >>> pilot_raters(find_metric("agreement"), read_ratings(votes), a, b).parts.rater.__round__(3)  # x: 1, y: −1/3
    0.667
    """
    roster, sizes = roster_of(ratings), np.unique(ratings.size)
    if roster is None or not splits_by_rater(metric) or not (metric.linear or len(sizes) == 1):
        return None
    systems, cells = score_systems(metric, ratings.summary, [a, b]), roster.crossing
    parts = variance_components(cells.item, cells.rater, roster.read(systems.answer_differences(0, 1)))
    if parts.rater is None or parts.residual is None:
        return None
    one_rater = parts.item is None
    return PilotRaters(
        parts=VarianceParts(item=parts.residual, rater=parts.rater, residual=0.0) if one_rater else parts,
        n_items=len(np.unique(cells.item)),
        n_raters=len(np.unique(cells.rater)),
        n_values=len(cells.item),
        one_rater=one_rater,
        only=None if metric.linear else int(sizes[0]),
    )
