"""Laws of one item's difference in a Dirichlet world, of several metrics and effects at once: exact, or simulated.

The error of the mean of d, times φ(z) √N / sqrt(σ² + σ₀²), is the error of the expected p; that of the spread counts
z φ(z) times. So both are taken from as much as is known exactly. Most scores have exact means (`exact_means.py`). Of
the rest, each simulated item gives three draws of A and three of B, B's coupled to A's of the same number: d compares
A₁ with B₂, seen by raters 3, over all orders of 1, 2, 3. Raters, A and B of an order are independent, so every order
has the right law, wins included, while the mean over the orders has the noise of coupled systems. Differences whose
means are known exactly are controls for those that are not; for the spread of a score with long tails so are the sums
of squares of its terms, which are sums over categories too.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import Literal

import numpy as np

from quorate._random import generator
from quorate._typing import Array
from quorate.data.summaries import Counts
from quorate.metrics.contests import oriented, settle
from quorate.metrics.metric import Metric
from quorate.planning.laws.draws import coupled, regressed, sampled_law
from quorate.planning.laws.exact import Design, enumerable, enumerated
from quorate.planning.laws.exact_means import PAIR_WORK, ExactMeans, exact_means
from quorate.planning.laws.item_law import ItemLaw
from quorate.populations.population import AnswerLaws, mixed

__all__ = ["DifferenceMoments", "Engine", "several_laws"]

Engine = Literal["auto", "simulated"]
"""``"auto"`` enumerates what is small enough; ``"simulated"`` never does, and knows no mean from pairs of counts."""
FIRST, MOST = 30_000, 1_500_000
"""Items × categories simulated at first, and at most, in a Dirichlet world."""
LEAST = 4_000
"""Items simulated at least."""
GROWTH = (0.2, 3.0)
"""Items simulated next, as a share of those before."""
ORDERS = np.array(list(permutations(range(3)))).T
"""Which draw stands for the raters, for A and for B, ``(role, order)``."""


@dataclass(frozen=True)
class DifferenceMoments:
    """What is known of a difference: its mean with its error, the spread sqrt(σ² + σ₀²) of both worlds, with its own.

    `spread_error` is relative to the spread; `square` and `null_square` are mean squares; `n_items` were simulated.
    """

    mean: float
    mean_error: float
    square: float
    null_square: float
    spread_error: float
    n_items: int

    @property
    def spread(self) -> float:
        """Spread of the difference between the worlds."""
        return float(np.sqrt(max(self.square - self.mean**2, 0.0) + self.null_square))


def several_laws(
    design: Design,
    effects: Sequence[float],
    metrics: Sequence[Metric],
    excess: Callable[[DifferenceMoments], float],
    *,
    seed: int,
    engine: Engine = "auto",
) -> list[dict[str, ItemLaw]]:
    """Return the law of each metric's difference by name, for each effect.

    Parameters
    ----------
    design, effects
        The world and the sizes; perturbations of B.
    metrics
        Item metrics, or wins by one.
    excess
        Tells how many times too large the error is; items are drawn until it is at most 1, or the limit is reached.
    seed
        Seed of the simulation.
    engine
        Whether small laws may be enumerated.
    """
    if engine == "auto" and enumerable(design):
        return [enumerated(design, metrics, effect) for effect in effects]
    first = max(LEAST, FIRST // design.sizes[0])
    work = PAIR_WORK if engine == "auto" else 0.0
    known = exact_means(design, effects, metrics, pair_work=work)
    runs = [_Run(list(metrics), each, first) for each in known]
    done, most = 0, MOST // design.sizes[0]
    while done < most and (n := min(max(run.wanted for run in runs), most - done)) > 0:
        shared = _shared(design, n, seed, done)
        for run in runs:
            run.add(_simulated(design, run, shared.first(run.wanted), seed, done), excess)
        done += n
    return [run.laws() for run in runs]


@dataclass(frozen=True)
class _Part:
    """One metric on a batch of items: d by order, ``(order, item)``, null differences, and controls by item."""

    d: Array
    null: Array
    controls: Array
    known: Array

    @property
    def outcomes(self) -> Array:
        """Mean of d, of d² and of the null d² over an item's orders, ``(outcome, item)``."""
        return np.stack([self.d.mean(0), (self.d**2).mean(0), (self.null**2).mean(0)])


@dataclass
class _Run:
    """One effect: the metrics that need more items, how many more, and what was seen of each."""

    left: list[Metric]
    known: ExactMeans
    wanted: int
    parts: dict[str, list[_Part]] = field(default_factory=dict)
    moments: dict[str, DifferenceMoments] = field(default_factory=dict)

    def add(self, parts: dict[str, _Part], excess: Callable[[DifferenceMoments], float]) -> None:
        """Take in a batch, cross out the metrics that are known well enough, and see what the others want."""
        for name, part in parts.items():
            self.parts.setdefault(name, []).append(part)
            self.moments[name] = _moments(self.parts[name], self.known.means.get(name))
        factors = {metric.name: excess(self.moments[metric.name]) for metric in self.left}
        self.left = [metric for metric in self.left if factors[metric.name] > 1]
        seen = [(self.moments[metric.name].n_items, factors[metric.name]) for metric in self.left]
        self.wanted = max((int(n * np.clip(1.1 * factor**2 - 1, *GROWTH)) for n, factor in seen), default=0)

    def laws(self) -> dict[str, ItemLaw]:
        """Give the simulated laws their better moments."""
        return {name: _law(parts, self.moments[name]) for name, parts in self.parts.items()}


@dataclass(frozen=True)
class _Shared:
    """Draws no effect changes: items with B's noise in place of B, counts of raters and of A, ``(draw, item, …)``."""

    items: AnswerLaws
    raters: Array
    a: Array

    def first(self, n: int) -> "_Shared":
        """Return the first n items."""
        items = AnswerLaws(self.items.raters[:n], self.items.a[:n], self.items.b[:n], self.items.levels)
        return _Shared(items, self.raters[:, :n], self.a[:, :n])


def _shared(design: Design, n_items: int, seed: int, done: int) -> _Shared:
    rng = generator(seed, "sweep", *design.sizes, done)
    items = design.population.answer_laws((n_items,), effect=1.0, effect_a=design.effect_a, rng=rng)
    a = rng.multinomial(design.answers, np.broadcast_to(items.a, (3, *items.a.shape)))
    raters = a  # raters answer as A does
    if design.answers != design.n_raters or design.effect_a > 0:
        raters = rng.multinomial(design.n_raters, np.broadcast_to(items.raters, (3, *items.raters.shape)))
    return _Shared(items, raters, a)


def _simulated(design: Design, run: _Run, shared: _Shared, seed: int, done: int) -> dict[str, _Part]:
    """Draw B and the null world of one effect, and score the metrics that are left."""
    if not run.left:
        return {}
    rng = generator(seed, "sweep systems", *design.sizes, done)  # effects share their random numbers, as in `Scenario`
    people = shared.items.raters
    items = AnswerLaws(people, shared.items.a, mixed(people, shared.items.b, run.known.effect))
    b = coupled(Counts(shared.a), items, rng).counts
    null = rng.multinomial(design.answers, np.broadcast_to(items.null().a, (2, *items.a.shape)))
    levels = shared.items.levels
    raters, systems = Counts(shared.raters[:, None], levels), [Counts(x[None], levels) for x in (shared.a, b, null)]
    controls = {metric.name: run.known.control(metric) for metric in run.left}
    bases = {base.name: base for base in (metric.base for metric in run.left)}
    bases |= {base.name: base for base in controls.values() if base is not None}
    scored = {name: _Scored.of(base, raters, systems) for name, base in bases.items()}
    parts = {}
    for metric in run.left:
        base, control = metric.base.name, controls[metric.name]
        d, d0 = scored[base].d, scored[base].null
        rows = [] if control is None else [scored[control.name].d.mean(0)]
        known = [] if control is None else [run.known.means[control.name]]
        if metric.contest_of is not None:
            d, d0 = np.sign(d), np.sign(d0)
        elif base in run.known.squares:
            table, alternative_mean, null_mean = run.known.squares[base]
            rows += _squares(table, shared.raters, shared.a, b, null)
            known += [alternative_mean, null_mean]
        parts[metric.name] = _Part(d, d0, np.array(rows).reshape(-1, d.shape[1]), np.array(known))
    return parts


@dataclass(frozen=True)
class _Scored:
    """Differences by one base metric, ``(order, item)`` and, in the null world, ``(raters' draw, item)``."""

    d: Array
    null: Array

    @classmethod
    def of(cls, base: Metric, raters: Counts, systems: Sequence[Counts]) -> "_Scored":
        one = [Counts(each.counts[..., :1, :], each.levels) for each in (raters, *systems[:2])]
        settled = settle(base, one[0], one[1:])
        a, b, null = (settled.score(raters, system) for system in systems)  # (raters' draw, system's draw, item)
        by, left, right = ORDERS
        d = oriented(settled, a[by, left], b[by, right], raters)
        return cls(d, oriented(settled, null[:, 0], null[:, 1], raters))


def _squares(table: Array, raters: Array, a: Array, b: Array, null: Array) -> list[Array]:
    """Sums of squared terms of A and B, and of both systems of the null world, means over an item's orders."""
    by, left, right = ORDERS
    alternative = table[raters[by], a[left]].sum(-1) + table[raters[by], b[right]].sum(-1)
    apart = table[raters[:, None], null].sum((1, -1))
    return [alternative.mean(0), apart.mean(0)]


def _moments(parts: Sequence[_Part], mean: float | None) -> DifferenceMoments:
    outcomes = np.concatenate([part.outcomes for part in parts], axis=-1)
    controls = np.concatenate([part.controls for part in parts], axis=-1)
    means, residuals = regressed(outcomes, controls, parts[0].known)
    n, error = outcomes.shape[-1], 0.0
    if mean is None:
        mean, error = float(means[0]), float(residuals[0].std() / np.sqrt(n))
    square, null_square = (max(float(x), 0.0) for x in means[1:])
    variance = max(square - mean**2, 0.0) + null_square
    spread_error = float(residuals[1:].sum(0).std() / np.sqrt(n)) / (2 * variance) if variance > 0 else 0.0
    return DifferenceMoments(mean, error, square, null_square, spread_error, n)


def _law(parts: Sequence[_Part], moments: DifferenceMoments) -> ItemLaw:
    return sampled_law(
        np.concatenate([part.d.ravel() for part in parts]),
        np.concatenate([part.null.ravel() for part in parts]),
        mean=moments.mean,
        mean_error=moments.mean_error,
        squares=(moments.square, moments.null_square),
        spread_error=moments.spread_error,
        n_items=moments.n_items,
    )
