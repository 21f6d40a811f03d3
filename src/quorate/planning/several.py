"""Item laws of several metrics at once, from the same draws: exact if the states are few, else simulated.

Means are what precision hangs on: the error of the mean of d, times φ(z) √N / sqrt(σ² + σ₀²), is the error of the
expected p. So a mean is taken from pairs of counts exactly where these are few; else, for differences of scores, from
a B coupled to A; and wins use the difference d they are the sign of as a control variate: mean(w) − c mean(d − r), r
the exact mean of d or the difference with the coupled B, whose expectations agree.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from quorate._random import generator
from quorate._typing import Array
from quorate.data.summaries import Counts
from quorate.metrics.contests import contest
from quorate.metrics.metric import Metric
from quorate.planning.item_law import ItemLaw, sampled_law
from quorate.planning.pooled import exact_means, pair_states, pooled_laws, triple_states
from quorate.planning.worlds import _coupled
from quorate.populations.dirichlet import DirichletPopulation

__all__ = ["Design", "several_laws"]

TRIPLES, PAIRS = 500_000, 60_000
"""States up to which laws, and means, are enumerated: about a second's work."""
FIRST, CELLS = 8_000, 1_200_000
"""Items simulated at first, and items × categories at most."""


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


def several_laws(
    design: Design, metrics: Sequence[Metric], enough: Callable[[ItemLaw], bool], *, seed: int
) -> dict[str, ItemLaw]:
    """Return the law of each metric's difference.

    Parameters
    ----------
    design
        The world, the systems and the sizes.
    metrics
        Item metrics, or wins by one.
    enough
        Tells whether a simulated law is precise enough; more items are drawn until all are, or the limit is reached.
    seed
        Seed of the simulation.

    Examples
    --------
    >>> from quorate.metrics import find_metric
    >>> design = Design(DirichletPopulation((5.22, 0.86, 2.75)), effect=0.3, n_raters=1, answers=1)
    >>> laws = several_laws(design, [find_metric("accuracy"), find_metric("wins:accuracy")], lambda _: True, seed=0)
    >>> [round(law.mean, 4) for law in laws.values()]
    [0.0534, 0.0534]
    """
    arguments = (design.population, metrics, design.n_raters, design.answers, design.effect)
    if triple_states(*design.sizes) <= TRIPLES:
        return pooled_laws(*arguments)
    means = exact_means(*arguments) if pair_states(*design.sizes) <= PAIRS else {}
    most = CELLS // design.sizes[0]
    draws = _drawn(design, metrics, means, FIRST, seed, 0)
    while True:
        laws = {metric.name: draws.law(metric, means) for metric in metrics}
        if draws.n_items >= most or all(enough(law) for law in laws.values()):
            return laws
        draws = draws.and_more(_drawn(design, metrics, means, min(draws.n_items, most - draws.n_items), seed, draws.n_items))


@dataclass(frozen=True)
class _Draws:
    """Differences of simulated items by base metric, each ``(item,)``: independent B, null world, coupled B."""

    alternative: dict[str, Array]
    null: dict[str, Array]
    coupled: dict[str, Array]

    @property
    def n_items(self) -> int:
        return len(next(iter(self.alternative.values())))

    def and_more(self, more: "_Draws") -> "_Draws":
        pairs = zip(self._parts(), more._parts(), strict=True)
        return _Draws(*({name: np.concatenate([d, y[name]]) for name, d in x.items()} for x, y in pairs))

    def _parts(self) -> tuple[dict[str, Array], ...]:
        return self.alternative, self.null, self.coupled

    def law(self, metric: Metric, means: dict[str, float]) -> ItemLaw:
        """Return the law of one metric, its mean improved by what is known about the base metric."""
        base = (metric.contest_of or metric).name
        d, null = self.alternative[base], self.null[base]
        known: Array | float = means[base] if base in means else self.coupled[base]
        if metric.contest_of is not None:
            each = _controlled(np.sign(d), d - known)
            return sampled_law(np.sign(d), np.sign(null), mean=float(each.mean()), mean_error=_error(each))
        if isinstance(known, float):
            return sampled_law(d, null, mean=known, mean_error=0.0)
        return sampled_law(d, null, mean=float(known.mean()), mean_error=_error(known))


def _controlled(wins: Array, control: Array) -> Array:
    """Subtract the multiple of a control of expectation 0 that leaves the least variance."""
    centred = control - control.mean()
    variance = float(centred @ centred)
    return wins - (float(wins @ centred) / variance if variance > 0 else 0.0) * control


def _error(each: Array) -> float:
    return float(each.std() / np.sqrt(len(each)))


def _drawn(
    design: Design, metrics: Sequence[Metric], means: dict[str, float], n_items: int, seed: int, start: int
) -> _Draws:
    """Draw items once for all metrics; the worlds share the items and the raters."""
    # The key does not name the effect: effects share their random numbers, as in `Setting`.
    rng = generator(seed, "sweep", *design.sizes, start)
    items = design.population.item_laws((n_items,), effect=design.effect, rng=rng)
    raters = Counts(rng.multinomial(design.n_raters, items.raters), items.levels)
    a, b = (Counts(rng.multinomial(design.answers, law), items.levels) for law in (items.a, items.b))
    null_a, null_b = (Counts(rng.multinomial(design.answers, items.null().a), items.levels) for _ in "ab")
    bases = {base.name: base for base in (metric.contest_of or metric for metric in metrics)}
    needed = {name: base for name, base in bases.items() if name not in means}
    like_a = _coupled(a, items, rng) if needed else b
    return _Draws(
        {name: contest(base, raters, a, b) for name, base in bases.items()},
        {name: contest(base, raters, null_a, null_b) for name, base in bases.items()},
        {name: contest(base, raters, a, like_a) for name, base in needed.items()},
    )
