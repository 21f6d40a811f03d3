"""Planning with a pool of people: R raters, K of them on each of N items, so that everybody comes back.

One rater's difference on one item is d_ij = μ + item_i + rater_j + rest_ij. With n_j answers of rater j,
``Var Γ = σ_i²/N + σ_r² Σ_j (n_j / NK)² + σ_ir²/(NK)``, and with the load shared evenly the middle term is σ_r²/R: no
number of items takes it away. A study estimates the variance as `compare` does, two-way: from items alone, from
raters alone and from single answers, V = V_item + V_rater − V_cell, not below either, degrees of freedom
V² / (V_item²/(N − 1) + V_rater²/(R − 1)). Their expectations follow from the components; V_item and V_rater spread
like χ² on N − 1 and R − 1 degrees of freedom, V_cell is taken as known.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil, sqrt

import numpy as np

from quorate._errors import InputError
from quorate.agreement.variance_parts import VarianceParts
from quorate.planning.laws.study_law import Pivot, StudyLaw, chi_squares

__all__ = ["RaterLaw", "RaterModel", "check_people", "expected_sides", "people_needed"]

CASES = (64, 16)
"""Quantiles at which V_rater and V_item are looked at."""
MOST_PEOPLE = 100_000


@dataclass(frozen=True)
class RaterLaw(StudyLaw):
    """Studies with K raters per item out of a pool.

    Parameters
    ----------
    mean
        The difference to plan for.
    parts, null
        Variance components in the world with a difference, and in the null world or None.
    n_raters, pool
        Raters per item, and people.
    span
        Step of the lattice one rater's difference lives on, 0 if there is none.

    Examples
    --------
    >>> law = RaterLaw(0.05, VarianceParts(0.1, 0.001, 0.5), None, n_raters=1, pool=10)
    >>> [round(law.pivot(n).se, 4) for n in (600, 6000, 6_000_000)]  # never below sqrt(0.001 / 10)
    [0.0332, 0.0141, 0.01]
    """

    mean: float
    parts: VarianceParts
    null: VarianceParts | None
    n_raters: int
    pool: int
    span: float = 0.0
    draws: int = 0

    def pivot(self, n_items: int) -> Pivot:
        """Return the difference and its standard error in a study of N items."""
        people = min(self.pool, n_items * self.n_raters)
        size = n_items, self.n_raters, people
        variance = self.parts.of_mean(*size)
        null_se = float("nan") if self.null is None else sqrt(self.null.of_mean(*size))
        step = self.span / (n_items * self.n_raters)
        if n_items < 2 or people < 2:
            return Pivot(self.mean, sqrt(variance), np.zeros(0), np.zeros(0), null_se, step)
        by_item, by_rater, cell = expected_sides(self.parts, *size)
        rater = by_rater * chi_squares(people - 1.0, CASES[0])[:, None]
        item = by_item * chi_squares(n_items - 1.0, CASES[1])
        found = np.maximum(item + rater - cell, np.maximum(item, rater))
        apart = item**2 / (n_items - 1.0) + rater**2 / (people - 1.0)
        df = found**2 / np.maximum(apart, 1e-300)
        return Pivot(self.mean, sqrt(variance), np.sqrt(found).reshape(-1), df.reshape(-1), null_se, step)


@dataclass(frozen=True)
class RaterModel:
    """Where rater laws come from: the difference, its variance components, and who can be asked how much.

    Parameters
    ----------
    mean, parts, null
        As in `RaterLaw`.
    pool, max_per_rater
        People, and most items one of them can do; None for no limit.
    span
        As in `RaterLaw`.
    """

    mean: float
    parts: VarianceParts
    null: VarianceParts | None
    pool: int
    max_per_rater: int | None = None
    span: float = 0.0

    def __post_init__(self) -> None:
        check_people(self.pool, self.max_per_rater)

    def law(self, n_raters: int) -> RaterLaw:
        """Return the law of studies with K raters per item."""
        if n_raters > self.pool:
            raise InputError(f"{n_raters} raters per item cannot come from {self.pool} people; raise --pool.")
        return RaterLaw(self.mean, self.parts, self.null, n_raters, self.pool, self.span)

    def most_items(self, n_raters: int, otherwise: int) -> int:
        """Return the most items that fit: N K ≤ R L.

        Examples
        --------
        >>> RaterModel(0.05, VarianceParts(0.1, 0.0, 0.5), None, pool=6, max_per_rater=100).most_items(3, 10_000_000)
        200
        """
        limit = self.max_per_rater
        return otherwise if limit is None else min(otherwise, self.pool * limit // n_raters)

    def with_pool(self, pool: int) -> "RaterModel":
        """Return the same with another number of people."""
        return replace(self, pool=pool)


def check_people(pool: int | None, max_per_rater: int | None) -> None:
    """Refuse a pool of nobody or of one person, and people who may do nothing; None is no limit.

    Examples
    --------
    >>> check_people(2, None)
    """
    if pool is not None and pool < 2:
        raise InputError(f"--pool {pool} is too few: with one person, that person and the truth are the same.")
    if max_per_rater is not None and max_per_rater < 1:
        raise InputError(f"--max-per-rater {max_per_rater} must be at least 1.")


def people_needed(model: RaterModel, enough: Callable[[RaterModel], bool]) -> int | None:
    """Return the fewest people with whom some number of items is enough; None if that takes too many.

    Parameters
    ----------
    model
        The components; its pool is where the search starts.
    enough
        Tells whether a model can reach the goal at all.

    Examples
    --------
    >>> model = RaterModel(0.05, VarianceParts(0.1, 0.01, 0.5), None, pool=6)
    >>> people_needed(model, lambda each: each.pool >= 40)
    40
    """
    low, high = model.pool, model.pool
    while not enough(model.with_pool(high)):
        low, high = high, ceil(high * 1.5)
        if high > MOST_PEOPLE:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(model.with_pool(middle)) else (middle, high)
    return high


def expected_sides(parts: VarianceParts, n_items: int, n_raters: int, people: int) -> tuple[float, float, float]:
    """Return the expectations of V_item, V_rater and V_cell, each of which a study knows by itself.

    Two items share K (n − 1)/(N − 1) raters on average, n = NK/R the items of one rater; two raters share
    n (K − 1)/(R − 1) items.
    """
    item, rater, rest = parts.amounts
    answers = n_items * n_raters
    both_items = (answers / people - 1) / (n_items - 1) if n_items > 1 else 1.0
    other_raters = rater * (1 - min(max(both_items, 0.0), 1.0)) / answers
    other_items = item * (1 - ((n_raters - 1) / (people - 1) if people > 1 else 1.0)) / answers
    cell = rest / answers
    return item / n_items + other_raters + cell, rater / people + other_items + cell, other_items + other_raters + cell
