"""Planning with an empirical population whose raters come back on other items [multilevel, S1 and S3].

S1 draws K raters for all items. Given who they are – and which raters A and B answer like – items are independent, so
``Var Γ = a + c / N``: a the variance of the expected difference over draws of raters, c the mean variance over items.
More items never take a away. S3 draws whole blocks, ``Var Γ = c / N`` with the blocks' design effect in c.
Both are read off studies simulated once per number of raters, ``a = Var(Γ) − c / n`` at n items.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from quorate._random import generator
from quorate._typing import Array
from quorate.inference.pvalues import shares_at_least
from quorate.planning.laws.coupling import differences
from quorate.planning.laws.item_law import sampled_law
from quorate.planning.laws.study_law import Pivot, StudyLaw, chi_squares
from quorate.planning.promises.small_studies import StudyDraws
from quorate.planning.scenario import Scenario, draw_study
from quorate.populations.resampled import EmpiricalPopulation, limit_raters

__all__ = ["CrossedLaw", "Spread", "crossed_law"]

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
CASES = 64
"""Quantiles at which the estimated variance is looked at."""


@dataclass(frozen=True)
class Spread:
    """Variance of the difference in one world: what stays (`raters`) and what N items share (`items` / N)."""

    raters: float
    items: float

    def at(self, n_items: int) -> float:
        """Return the variance in a study of N items."""
        return self.raters + self.items / n_items


@dataclass(frozen=True)
class CrossedLaw(StudyLaw):
    """Studies in which the same raters answer many items.

    Parameters
    ----------
    mean, mean_error
        Expected difference and its Monte-Carlo error.
    spread, null
        Variances in the world with a difference and in the null world.
    people
        Raters who come back on all items; None for blocks.
    block_items
        Items per block; None where the raters answer all items.
    span
        Step of the lattice one item's difference lives on, 0 if there is none.
    studied, draws
        Items of a simulated study, and how many were simulated.
    items
        Differences of simulated items in both worlds, ``(study, item)``, for studies of few items; None for blocks.

    Examples
    --------
    >>> law = CrossedLaw(0.05, 0.0, Spread(0.0004, 0.25), Spread(0.0004, 0.25), people=6)
    >>> [round(law.pivot(n).se, 3) for n in (100, 1000, 1_000_000)]
    [0.054, 0.025, 0.02]
    """

    mean: float
    mean_error: float
    spread: Spread
    null: Spread
    people: int | None = None
    block_items: float | None = None
    span: float = 0.0
    studied: int = ITEMS
    draws: int = 0
    items: tuple[Array, Array] | None = field(default=None, repr=False, compare=False)

    def pivot(self, n_items: int) -> Pivot:
        """Return the difference and its standard error in a study of N items."""
        variance, df = self.spread.at(n_items), self._df(n_items)
        seen = 1.0 if self.people is None else self.spread.at(self.studied) / max(variance, 1e-300)
        error = float(np.sqrt(0.5 / self.draws) * seen) if self.draws else 0.0
        cases = chi_squares(df, CASES) if df > 0 else np.zeros(0)
        return Pivot(
            mean=self.mean,
            se=float(np.sqrt(variance)),
            s=np.sqrt(variance * cases),
            df=np.full(cases.shape, df),
            null_se=float(np.sqrt(self.null.at(n_items))),
            step=self.span / n_items,
            mean_error=self.mean_error,
            se_error=error,
        )

    def expected_p(
        self, n_items: int, confidence: float = 0.95, *, margin: float | None = None, studies: StudyDraws
    ) -> tuple[float, float]:
        """Return P(null ≥ alternative) and its error; with few items from parts of the simulated studies."""
        p, error = super().expected_p(n_items, confidence, margin=margin, studies=studies)
        if self.items is None or n_items > FEW:
            return p, error
        alternative, null = (_sums(each, n_items) for each in self.items)
        return float(shares_at_least(alternative, null, tie=1e-5).mean()), error  # single precision

    def _df(self, n_items: int) -> float:
        """Satterthwaite's, from K − 1 for the raters and N − 1 for the items; blocks − 1 for whole blocks."""
        if self.people is None:
            return n_items / (self.block_items or 1.0) - 1.0
        items = self.spread.items / n_items
        if n_items < 2 or (self.people < 2 and self.spread.raters > 0):
            return 0.0
        parts = self.spread.raters**2 / max(self.people - 1, 1) + items**2 / (n_items - 1)
        return float(self.spread.at(n_items) ** 2 / parts) if parts > 0 else n_items - 1.0


def crossed_law(scenario: Scenario, n_raters: int, *, target: float, pool: int | None = None) -> CrossedLaw:
    """Simulate studies of an empirical population with shared raters and return what studies of any N promise.

    Parameters
    ----------
    scenario
        The two systems, in a population that resamples ``items+raters`` or ``batches``.
    n_raters
        Raters per item.
    target
        Wanted relative error of the mean difference: coarse above 0.01, fine below.
    pool
        Limit the raters to so many, drawn at random; who they are is then part of the spread.
    """
    population = scenario.population.crossed_ratings
    if population is None:
        raise TypeError("only resampled ratings whose raters come back have a crossed law")
    size = population.block_items
    n_items = ITEMS if size is None else int(np.ceil(BLOCKS * size))
    studies = (FINE if target < 0.01 else COARSE) // (1 if population.full or size is not None else SLOW)
    scenario = replace(scenario, population=replace(population, panels=False))
    worlds = [scenario] if pool is None else _limited(scenario, population, pool)
    alternative, null = (_studies(worlds, (studies, n_items), n_raters, null=null) for null in (False, True))
    return CrossedLaw(
        mean=float(alternative.means.mean()),
        mean_error=float(alternative.means.std(ddof=1) / np.sqrt(studies)),
        spread=_spread(alternative.means.var(ddof=1), alternative.within, n_items, blocks=size is not None),
        null=_spread(np.mean(null.means**2), null.within, n_items, blocks=size is not None),
        people=min(n_raters, pool or n_raters) if size is None else None,
        block_items=size,
        span=alternative.span,
        studied=n_items,
        draws=studies,
        items=(alternative.items, null.items) if size is None else None,
    )


@dataclass(frozen=True)
class _Studies:
    """Mean difference of each simulated study, mean variance over its items, their lattice, and the items."""

    means: Array
    within: float
    span: float
    items: Array


def _limited(scenario: Scenario, population: EmpiricalPopulation, pool: int) -> list[Scenario]:
    """The same scenario with only so many raters, drawn again and again [multilevel, down-sampling]."""
    pools = (
        limit_raters(population.ratings, pool, rng=generator(scenario.seed, "pool", pool, draw))
        for draw in range(POOLS)
    )
    return [replace(scenario, population=replace(population, ratings=ratings, panels=False)) for ratings in pools]


def _studies(worlds: list[Scenario], shape: tuple[int, int], n_raters: int, *, null: bool) -> _Studies:
    """Simulate studies, the worlds taking turns batch by batch."""
    rows = min(max(1, BATCH_ANSWERS // (3 * shape[1] * n_raters)), -(-shape[0] // len(worlds)))
    means, within, items, span = [], [], [], 0.0
    for turn, start in enumerate(range(0, shape[0], rows)):
        scenario = worlds[turn % len(worlds)]
        rng = generator(scenario.seed, "crossed", n_raters, int(null), start)
        study = draw_study(scenario, (min(rows, shape[0] - start), shape[1]), n_raters, null=null, rng=rng)
        d = differences(scenario.metric, study)
        means.append(d.mean(-1))
        within.append(d.var(-1, ddof=1))
        items.append(d.astype(np.float32))
        span = sampled_law(d.reshape(-1)).span if start == 0 else span
    return _Studies(np.concatenate(means), float(np.concatenate(within).mean()), span, np.concatenate(items))


def _sums(items: Array, n: int) -> Array:
    """Sums of n items at a time, within each simulated study."""
    whole = items.shape[1] // n
    sums: Array = items[:, : whole * n].reshape(len(items), whole, n).sum(-1).reshape(-1)
    return sums


def _spread(variance: float, within: float, n_items: int, *, blocks: bool) -> Spread:
    if blocks:
        return Spread(0.0, float(variance) * n_items)
    return Spread(max(float(variance) - within / n_items, 0.0), within)
