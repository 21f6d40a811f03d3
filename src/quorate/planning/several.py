"""Item laws of several metrics at once, from the same draws: exact if the states are few, else simulated.

Means are what precision hangs on: the error of the mean of d, times φ(z) √N / sqrt(σ² + σ₀²), is the error of the
expected p. So a mean is taken from pairs of counts exactly where these are few; else, for differences of scores, from
a B coupled to A; and wins use the difference d they are the sign of as a control variate: mean(w) − c mean(d − r), r
the exact mean of d or the difference with the coupled B, whose expectations agree.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from quorate._random import generator
from quorate._typing import Array
from quorate.data.summaries import Counts
from quorate.metrics.contests import contest
from quorate.metrics.metric import Metric
from quorate.planning.item_law import ItemLaw, sampled_law
from quorate.planning.pooled import exact_means, pair_work, pooled_laws, triple_states
from quorate.planning.worlds import coupled
from quorate.populations.dirichlet import DirichletPopulation
from quorate.populations.laws import ItemLaws, mixed

__all__ = ["Design", "several_laws"]

TRIPLES, PAIR_WORK = 600_000, 4e7
"""States up to which laws are enumerated, and operations up to which means are: less than a second's work."""
FIRST, CELLS = 60_000, 800_000
"""Items × categories simulated for the shape of the laws, and at most for their means."""
LEAST = 8_000
"""Items simulated at least."""


@dataclass(frozen=True)
class Design:
    """Two systems in a Dirichlet world, A unperturbed and B with the effect, asked the same number of times."""

    population: DirichletPopulation
    effect: float
    n_raters: int
    answers: int

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Categories, raters and answers per item."""
        return len(self.population.alpha), self.n_raters, self.answers

    @property
    def n_drawn(self) -> int:
        """Items simulated for the shape of the laws; 0 where they are enumerated."""
        return 0 if triple_states(*self.sizes) <= TRIPLES else max(LEAST, FIRST // self.sizes[0])


def several_laws(
    design: Design, metrics: Sequence[Metric], enough: Callable[[float, float, float], bool], *, seed: int
) -> dict[str, ItemLaw]:
    """Return the law of each metric's difference.

    Parameters
    ----------
    design
        The world, the systems and the sizes.
    metrics
        Item metrics, or wins by one.
    enough
        Tells from the mean of d, its error and sqrt(σ² + σ₀²) whether the mean is precise enough; more items are drawn
        until all are, or the limit is reached.
    seed
        Seed of the simulation.

    Examples
    --------
    >>> from quorate.metrics import find_metric
    >>> design = Design(DirichletPopulation((5.22, 0.86, 2.75)), effect=0.3, n_raters=1, answers=1)
    >>> laws = several_laws(design, [find_metric("accuracy"), find_metric("wins:accuracy")], lambda *_: True, seed=0)
    >>> [round(law.mean, 4) for law in laws.values()]
    [0.0534, 0.0534]
    """
    arguments = (design.population, metrics, design.n_raters, design.answers, design.effect)
    if design.n_drawn == 0:
        return pooled_laws(*arguments)
    means = exact_means(*arguments) if pair_work(*design.sizes) <= PAIR_WORK else {}
    shape = _drawn(design, metrics, means, design.n_drawn, seed, "shape")
    estimates = {metric.name: _Estimate.start(metric, shape, means) for metric in metrics}
    done, most = shape.n_items, CELLS // design.sizes[0]
    while True:
        left = [metric for metric in metrics if not enough(*_moments(metric, shape, estimates[metric.name]))]
        if done >= most or not left:
            return {metric.name: _law(metric, shape, estimates[metric.name]) for metric in metrics}
        more = _drawn(design, left, means, min(done, most - done), seed, f"means {done}")
        estimates |= {metric.name: estimates[metric.name].and_more(metric, more, means) for metric in left}
        done += more.n_items


@dataclass(frozen=True)
class _Draws:
    """Differences of simulated items by base metric, each ``(item,)``: independent B, null world, coupled B."""

    alternative: dict[str, Array]
    null: dict[str, Array]
    coupled: dict[str, Array]
    n_items: int


@dataclass(frozen=True)
class _Estimate:
    """Running sums of what estimates a mean: the coupled difference, or w − c (d − r) for wins."""

    slope: float
    n: int
    total: float
    squares: float

    @classmethod
    def start(cls, metric: Metric, draws: _Draws, means: dict[str, float]) -> "_Estimate":
        """Choose the c that leaves the least variance, then forget the draws: a c of their own would bias the mean."""
        base = (metric.contest_of or metric).name
        if metric.contest_of is None and base in means:
            return cls(0.0, 1, means[base], means[base] ** 2)
        slope = 0.0
        if metric.contest_of is not None:
            control = draws.alternative[base] - (0.0 if base in means else draws.coupled[base])
            covariance = np.cov(np.sign(draws.alternative[base]), control)
            slope = float(covariance[0, 1] / covariance[1, 1]) if covariance[1, 1] > 0 else 0.0
        return cls(slope, 0, 0.0, 0.0).and_more(metric, draws, means)

    def and_more(self, metric: Metric, draws: _Draws, means: dict[str, float]) -> "_Estimate":
        base = (metric.contest_of or metric).name
        known: Array | float = means[base] if base in means else draws.coupled[base]
        each = np.asarray(known)
        if metric.contest_of is not None:
            d = draws.alternative[base]
            each = np.sign(d) - self.slope * (d - known)
        return _Estimate(self.slope, self.n + len(each), self.total + each.sum(), self.squares + each @ each)

    @property
    def mean(self) -> float:
        return self.total / self.n

    @property
    def error(self) -> float:
        return float(np.sqrt(max(self.squares / self.n - self.mean**2, 0.0) / self.n))


def _worlds(metric: Metric, shape: _Draws) -> tuple[Array, Array]:
    base = (metric.contest_of or metric).name
    d, null = shape.alternative[base], shape.null[base]
    return (d, null) if metric.contest_of is None else (np.sign(d), np.sign(null))


def _moments(metric: Metric, shape: _Draws, estimate: _Estimate) -> tuple[float, float, float]:
    d, null = _worlds(metric, shape)
    return estimate.mean, estimate.error, float(np.sqrt(d.var() + np.mean(null**2)))


def _law(metric: Metric, shape: _Draws, estimate: _Estimate) -> ItemLaw:
    """Give the simulated law its better mean; the error of the spread is the law's own to know."""
    return sampled_law(*_worlds(metric, shape), mean=estimate.mean, mean_error=estimate.error)


def _drawn(
    design: Design, metrics: Sequence[Metric], means: dict[str, float], n_items: int, seed: int, key: str
) -> _Draws:
    """Draw items once for all metrics; the worlds share the items, the raters and A.

    The null world is drawn for the shape only, an independent B for the shape and for wins.
    """
    noise, raters, a = _shared(design.population, design.n_raters, design.answers, n_items, seed, key)
    items = replace(noise, b=mixed(noise.a, noise.b, design.effect))
    rng = generator(seed, "sweep systems", *design.sizes, key)  # effects share their random numbers, as in `Setting`
    bases = {base.name: base for base in (metric.contest_of or metric for metric in metrics)}
    contested = {metric.contest_of.name: metric.contest_of for metric in metrics if metric.contest_of is not None}
    unknown = {name: base for name, base in bases.items() if name not in means}
    alternative, null, like_a = {}, {}, {}
    if key == "shape":
        null_a, null_b = (_answers(design.answers, items.null().a, items, rng) for _ in "ab")
        null = {name: contest(base, raters, null_a, null_b) for name, base in bases.items()}
        contested = bases
    if contested:
        b = _answers(design.answers, items.b, items, rng)
        alternative = {name: contest(base, raters, a, b) for name, base in contested.items()}
    if unknown:
        b = coupled(a, items, rng)
        like_a = {name: contest(base, raters, a, b) for name, base in unknown.items()}
    return _Draws(alternative, null, like_a, n_items)


@lru_cache(maxsize=8)
def _shared(
    population: DirichletPopulation, n_raters: int, answers: int, n_items: int, seed: int, key: str
) -> tuple[ItemLaws, Counts, Counts]:
    """Draw what no effect changes: the items with B's noise in place of B, the raters' counts and A's."""
    rng = generator(seed, "sweep", len(population.alpha), n_raters, answers, key)
    items = population.item_laws((n_items,), effect=1.0, rng=rng)
    return items, _answers(n_raters, items.raters, items, rng), _answers(answers, items.a, items, rng)


def _answers(n: int, law: Array, items: ItemLaws, rng: np.random.Generator) -> Counts:
    return Counts(rng.multinomial(n, law), items.levels)
