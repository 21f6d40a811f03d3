"""Studies whose raters come back: a pool of people planned by variance parts, and resampled ratings simulated.

No number of items takes away what comes from the raters. `RaterLaw` has R raters, K of them on each
of N items. One rater's difference on one item is d_ij = μ + item_i + rater_j + rest_ij. With n_j
answers of rater j, ``Var Γ = σ_i²/N + σ_r² Σ_j (n_j / NK)² + σ_ir²/(NK)``, and with the load shared
evenly the middle term is σ_r²/R. A study estimates the variance as `compare` does, two-way: from
items alone, from raters alone and from single answers, V = V_item + V_rater − V_cell, not below
V_item, and knows V_item on N − 1 and V_rater on R − 1 degrees of freedom. Their expectations follow
from the components; V_item and V_rater spread like χ², V_cell is taken as known.

`CrossedLaw` is that of an empirical population [multilevel, S1 and S3]. S1 draws K raters for all
items. Given who they are – and which raters A and B answer like – items are independent, so ``Var Γ
= a + c / N``: a the variance of the expected difference over draws of raters, c the mean variance
over items. S3 draws whole blocks, ``Var Γ = c / N`` with the blocks' design effect in c. Both are
read off simulated studies, ``a = Var(Γ) − c / n`` at n items.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, sqrt

import numpy as np

from quorate._errors import InputError
from quorate._random import generator
from quorate._typing import Array
from quorate.agreement.variance_parts import VarianceParts, variance_of_mean
from quorate.inference.outcome import shares_at_least
from quorate.inference.uncertain_variance import Part, UncertainVariance
from quorate.planning.laws.draws import differences, sampled_law
from quorate.planning.laws.study_law import ExpectedPivot, StudyLaw, chance_beyond, chi_squares, critical_distances
from quorate.planning.promises.small_studies import StudyDraws
from quorate.planning.scenario import Scenario, draw_study
from quorate.populations.resampled import EmpiricalPopulation, limit_raters

ITEMS, BLOCKS = 256, 24
"""Items of a simulated study – many, so that little but the raters is left in its variance – and blocks of one that
draws whole blocks."""
COARSE, FINE = 400, 2000
"""Studies simulated in each world: to find the numbers of raters worth a look, and to promise something."""
SLOW = 4
"""Tables that are not full are drawn answer by answer: so many times fewer studies."""
FEW = 64
"""Items up to which the expected p is counted, not taken from the normal limit."""
POOLS = 40
"""How often a smaller pool of raters is drawn."""
BATCH_ANSWERS = 3_000_000
CASES, FEW_CASES = (32, 3), (10, 1)
"""Quantiles at which the variance of raters and that of items are looked at, few where components are many."""
MOST_PEOPLE = 100_000


@dataclass(frozen=True)
class ItemShape:
    """How lopsided an item's difference is: its third and fourth cumulant, a mean of K raters having ``a + b / K``.

    Parameters
    ----------
    third, fourth
        a and b.
    seen
        Raters per item they were seen with: a mean of more is taken to be as lopsided as one of so many.
    """

    third: tuple[float, float] = (0.0, 0.0)
    fourth: tuple[float, float] = (0.0, 0.0)
    seen: float = 1.0

    def of_mean(self, n_raters: int, item: float, rest: float) -> tuple[float, float]:
        """Return the skewness and the excess kurtosis of a mean of K raters, of these components."""
        each = min(float(n_raters), self.seen)
        variance = item + rest / each
        if variance <= 0:
            return 0.0, 0.0
        third, fourth = (own + single / each for own, single in (self.third, self.fourth))
        skewness = third / variance**1.5
        return skewness, max(fourth / variance**2, skewness**2 - 2.0)  # no law has less


@dataclass(frozen=True)
class RaterLaw(StudyLaw):
    """Studies with K raters per item out of a pool.

    Parameters
    ----------
    mean
        The difference to plan for.
    parts, null
        Variance components in the world with a difference, and in the null world or None.
    pool, max_per_rater
        People who can be asked, and the most items one of them can do; None for no limit.
    span
        Step of the lattice one rater's difference lives on, 0 if there is none.
    n_raters
        Raters per item.
    cases
        At how many quantiles the variances that studies find are looked at.
    shape
        How lopsided items are.
    """

    draws = 0
    mean: float
    parts: VarianceParts
    null: VarianceParts | None
    pool: int
    max_per_rater: int | None = None
    span: float = 0.0
    n_raters: int = 1
    cases: tuple[int, int] = CASES
    shape: ItemShape = ItemShape()

    def __post_init__(self) -> None:
        check_people(self.pool, self.max_per_rater)
        if self.n_raters > self.pool:
            raise InputError(f"{self.n_raters} raters per item cannot come from {self.pool} people; raise --pool.")

    def most_items(self, n_raters: int, otherwise: int) -> int:
        """Return the most items that fit: N K ≤ R L."""
        limit = self.max_per_rater
        return otherwise if limit is None else min(otherwise, self.pool * limit // n_raters)

    def pivot(self, n_items: int) -> ExpectedPivot:
        """Return the difference and its standard error in a study of N items."""
        people = min(self.pool, n_items * self.n_raters)
        size = n_items, self.n_raters, people
        null_se = float("nan") if self.null is None else sqrt(self.null.of_mean(*size))
        found = pool_variance(self.parts.amounts, *size, self.cases) if n_items > 1 and people > 1 else None
        return ExpectedPivot(
            mean=self.mean,
            se=sqrt(self.parts.of_mean(*size)),
            variance=found,
            null_se=null_se,
            step=self.span / (n_items * self.n_raters),
            **{name: float(each) for name, each in self._lopsided(self.parts.amounts, size).items()},
        )

    def _lopsided(self, amounts: Sequence[Array | float], size: tuple[int, int, int]) -> dict[str, Array]:
        """Skewness and excess kurtosis of the difference: of items alone, ``γ r^{3/2} / √N`` and ``κ r² / N``.

        r is what items bring of Var Γ, each with its own raters.
        """
        n_items, n_raters, _ = size
        item, _, rest = self.parts.amounts
        skewness, kurtosis = self.shape.of_mean(n_raters, item, rest)
        share = _of_items(amounts, size)
        return {"skewness": skewness * share**1.5 / sqrt(n_items), "kurtosis": kurtosis * share**2 / n_items}

    def powers(self, amounts: Array, n_items: int, confidence: float, bound: float) -> Array:
        """Return the chance to pass a bound were the components others, ``(draw,)`` for ``(component, draw)``."""
        people = min(self.pool, n_items * self.n_raters)
        if n_items < 2 or people < 2:
            return np.zeros(amounts.shape[1])
        size = n_items, self.n_raters, people
        distance = critical_distances(pool_variance(tuple(amounts[..., None]), *size, FEW_CASES), confidence)
        se = np.sqrt(np.maximum(variance_of_mean(tuple(amounts), *size), 1e-300))[:, None]
        lopsided = {name: each[:, None] for name, each in self._lopsided(tuple(amounts), size).items()}
        return np.asarray(chance_beyond(self.mean - bound, distance, se, **lopsided).mean(-1))


def _of_items(amounts: Sequence[Array | float], size: tuple[int, int, int]) -> Array:
    """The share of the variance of the difference that items bring, and single answers."""
    item, _, rest = amounts
    n_items, n_raters, _ = size
    return np.asarray((item + rest / n_raters) / n_items / np.maximum(variance_of_mean(amounts, *size), 1e-300))


def pool_variance(
    amounts: Sequence[Array | float], n_items: int, n_raters: int, people: int, cases: tuple[int, int]
) -> UncertainVariance:
    """Return what studies with such components find, equally likely cases on a last axis."""
    by_item, by_rater, cell = expected_sides(amounts, n_items, n_raters, people)
    return found_variances((by_item, n_items - 1.0), (by_rater, people - 1.0), cell, cases)


def found_variances(
    items: tuple[Array | float, float],
    raters: tuple[Array | float, float],
    shared: Array | float = 0.0,
    cases: tuple[int, int] = CASES,
) -> UncertainVariance:
    """Return what studies find, equally likely cases, of two parts with their degrees of freedom."""
    of_raters = np.repeat(chi_squares(raters[1], cases[0]), cases[1])
    of_items = np.tile(chi_squares(items[1], cases[1]), cases[0])
    other = Part(raters[0] * of_raters, raters[1], shared)
    return UncertainVariance(Part(items[0] * of_items, items[1]), (other,))


def check_people(pool: int | None, max_per_rater: int | None) -> None:
    """Refuse a pool of nobody or of one person, and people who may do nothing; None is no limit."""
    if pool is not None and pool < 2:
        raise InputError(f"--pool {pool} is too few: with one person, that person and the truth are the same.")
    if max_per_rater is not None and max_per_rater < 1:
        raise InputError(f"--max-per-rater {max_per_rater} must be at least 1.")


def people_needed(law: RaterLaw, enough: Callable[[RaterLaw], bool]) -> int | None:
    """Return the fewest people, from the law's pool up, with whom the goal can be reached; None for too many."""
    low = high = law.pool
    while not enough(replace(law, pool=high)):
        low, high = high + 1, ceil(high * 1.5)
        if high > MOST_PEOPLE:
            return None
    return low + bisect_left(range(low, high), True, key=lambda pool: enough(replace(law, pool=pool)))


def expected_sides(
    amounts: Sequence[Array | float], n_items: int, n_raters: int, people: int
) -> tuple[Array | float, Array | float, Array | float]:
    """Return the expectations of V_item, V_rater and V_cell, each of which a study knows by itself.

    Two items share K (n − 1)/(N − 1) raters on average, n = NK/R the items of one rater; two raters
    share n (K − 1)/(R − 1) items.
    """
    item, rater, rest = amounts
    answers = n_items * n_raters
    both_items = (answers / people - 1) / (n_items - 1) if n_items > 1 else 1.0
    other_raters = rater * (1 - min(max(both_items, 0.0), 1.0)) / answers
    other_items = item * (1 - ((n_raters - 1) / (people - 1) if people > 1 else 1.0)) / answers
    cell = rest / answers
    return item / n_items + other_raters + cell, rater / people + other_items + cell, other_items + other_raters + cell


@dataclass(frozen=True)
class CrossedLaw(StudyLaw):
    """Studies in which the same raters answer many items.

    Parameters
    ----------
    mean, mean_error
        Expected difference and its Monte-Carlo error.
    spread, null
        Variances in the world with a difference and in the null world: of items, which N of them
        share, and of raters, which stays.
    people
        Raters who come back on all items; None for blocks.
    block_items
        Items per block; None where the raters answer all items.
    span
        Step of the lattice one item's difference lives on, 0 if there is none.
    studied, draws
        Items of a simulated study, and how many were simulated.
    items
        Differences of simulated items in both worlds, ``(study, item)``, for studies of few items;
        None for blocks.
    """

    mean: float
    mean_error: float
    spread: VarianceParts
    null: VarianceParts
    people: int | None = None
    block_items: float | None = None
    span: float = 0.0
    studied: int = ITEMS
    draws: int = 0
    items: tuple[Array, Array] | None = field(default=None, repr=False, compare=False)

    def pivot(self, n_items: int) -> ExpectedPivot:
        """Return the difference and its standard error in a study of N items."""
        variance = self.spread.of_mean(n_items, 1, 1)
        seen = 1.0 if self.people is None else self.spread.of_mean(self.studied, 1, 1) / max(variance, 1e-300)
        return ExpectedPivot(
            mean=self.mean,
            se=float(np.sqrt(variance)),
            variance=self._found(n_items),
            null_se=float(np.sqrt(self.null.of_mean(n_items, 1, 1))),
            step=self.span / n_items,
            mean_error=self.mean_error,
            se_error=float(np.sqrt(0.5 / self.draws) * seen) if self.draws else 0.0,
        )

    def expected_p(
        self, n_items: int, confidence: float = 0.95, *, margin: float | None = None, studies: StudyDraws
    ) -> tuple[float, float]:
        """Return P(null ≥ alternative) and its error; with few items from parts of the simulated studies."""
        p, error = super().expected_p(n_items, confidence, margin=margin, studies=studies)
        if self.items is None or n_items > FEW:
            return p, error
        whole = self.items[0].shape[1] // n_items * n_items  # so many items at a time, within each simulated study
        alternative, null = (each[:, :whole].reshape(-1, n_items).sum(-1) for each in self.items)
        return float(shares_at_least(alternative, null, tie=1e-5).mean()), error  # single precision

    def _found(self, n_items: int) -> UncertainVariance | None:
        """What studies find: items on N − 1 and raters on K − 1 degrees of freedom, or whole blocks on blocks − 1."""
        items, raters, _ = self.spread.amounts
        df = n_items - 1.0 if self.people is not None else n_items / (self.block_items or 1.0) - 1.0
        if df <= 0 or (raters > 0 and (self.people or 2) < 2):
            return None
        if raters == 0:
            return UncertainVariance(Part(items / n_items * chi_squares(df, CASES[0]), df))
        return found_variances((items / n_items, df), (raters, (self.people or 2) - 1.0))


def crossed_law(scenario: Scenario, n_raters: int, *, target: float, pool: int | None = None) -> CrossedLaw:
    """Simulate studies whose raters are resampled and return what studies of any N promise.

    A target, the wanted relative error of the mean, above 0.01 is coarse. A pool limits the raters
    to so many, drawn at random; who they are is then part of the spread.
    """
    population = scenario.population.crossed_ratings
    if population is None:
        raise TypeError("only resampled ratings whose raters come back have a crossed law")
    size = population.block_items
    n_items = ITEMS if size is None else int(np.ceil(BLOCKS * size))
    studies = (FINE if target < 0.01 else COARSE) // (1 if population.full or size is not None else SLOW)
    scenario = replace(scenario, population=replace(population, panels=False))
    worlds = [scenario] if pool is None else _limited(scenario, population, pool)
    batches, null_batches = (_studies(worlds, (studies, n_items), n_raters, null=null) for null in (False, True))
    alternative, null = np.concatenate(batches), np.concatenate(null_batches)
    means = alternative.mean(-1)
    return CrossedLaw(
        mean=float(means.mean()),
        mean_error=float(means.std(ddof=1) / np.sqrt(studies)),
        spread=_spread(alternative, float(means.var(ddof=1)), blocks=size is not None),
        null=_spread(null, float(np.mean(null.mean(-1) ** 2)), blocks=size is not None),
        people=min(n_raters, pool or n_raters) if size is None else None,
        block_items=size,
        span=sampled_law(batches[0].reshape(-1)).span,
        studied=n_items,
        draws=studies,
        items=(alternative.astype(np.float32), null.astype(np.float32)) if size is None else None,
    )


def _limited(scenario: Scenario, population: EmpiricalPopulation, pool: int) -> list[Scenario]:
    """The same scenario with only so many raters, drawn again and again [multilevel, down-sampling]."""
    pools = (
        limit_raters(population.ratings, pool, rng=generator(scenario.seed, "pool", pool, draw))
        for draw in range(POOLS)
    )
    return [replace(scenario, population=replace(population, ratings=ratings, panels=False)) for ratings in pools]


def _studies(worlds: list[Scenario], shape: tuple[int, int], n_raters: int, *, null: bool) -> list[Array]:
    """Simulate differences of studies, ``(study, item)``, the worlds taking turns batch by batch."""
    rows = min(max(1, BATCH_ANSWERS // (3 * shape[1] * n_raters)), -(-shape[0] // len(worlds)))
    batches = []
    for turn, start in enumerate(range(0, shape[0], rows)):
        scenario = worlds[turn % len(worlds)]
        rng = generator(scenario.seed, "crossed", n_raters, int(null), start)
        study = draw_study(scenario, (min(rows, shape[0] - start), shape[1]), n_raters, null=null, rng=rng)
        batches.append(differences(scenario.metric, study))
    return batches


def _spread(d: Array, variance: float, *, blocks: bool) -> VarianceParts:
    """Split the variance of the means into what stays – of blocks nothing – and what items share."""
    n_items, within = d.shape[1], float(d.var(-1, ddof=1).mean())
    if blocks:
        return VarianceParts(variance * n_items, 0.0, 0.0)
    return VarianceParts(within, max(variance - within / n_items, 0.0), 0.0)
