"""The simulated law of one item's difference.

Items are drawn in batches until mean and spread are known well enough. The error of the mean of d,
times φ(z) √N / sqrt(σ² + σ₀²), is the error of the expected p; that of the spread counts z φ(z)
times. So both are taken from as much as is known better than from the draws themselves.

In a Dirichlet world with counted answers most scores have exact means (`exact.py`). Of the rest,
each simulated item gives three draws of A and three of B, B's coupled to A's of the same number: d
compares A₁ with B₂, seen by raters 3, over all orders of 1, 2, 3. Raters, A and B of an order are
independent, so every order has the right law, wins included, while the mean over the orders has the
noise of coupled systems. Differences whose means are known exactly are controls for those that are
not; for the spread of a score with long tails so are the sums of squares of its terms, which are
sums over categories too. In other worlds draws are plain, and the mean comes from quieter ones
where there are any (`draws.py`); where the metric is linear in the raters its mean is the same for
every number of them.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import permutations
from typing import ClassVar

import numpy as np

from quorate._random import generator
from quorate._typing import Array
from quorate.data.summaries import Counts
from quorate.metrics.metric import Metric, oriented, settle
from quorate.planning.laws.draws import coupled, differences, quiet_differences, regressed, sampled_law
from quorate.planning.laws.exact import Design, ExactMeans
from quorate.planning.laws.item_law import ItemLaw
from quorate.planning.scenario import Scenario, draw_study
from quorate.populations.population import AnswerLaws, Draw, mixed

FIRST_CELLS, MOST_CELLS = 30_000, 1_500_000
"""Items × categories simulated at first, and at most, in a Dirichlet world."""
LEAST = 4_000
"""Items simulated at least there."""
FIRST, MOST = 40_000, 1_280_000
"""Items simulated at first, and at most, in other worlds."""
NULLS = 160_000
"""Items simulated in the null world at most there: only its spread is needed, its mean is 0."""
COARSE = 0.01
"""A target above this is a first look, for which the first simulation knows the spread well enough."""
QUIET, QUIET_BATCH = 5_120_000, 320_000
"""Quiet items simulated at most, and at once."""
ORDERS = np.array(list(permutations(range(3)))).T
"""Which draw stands for the raters, for A and for B, ``(role, order)``."""
Excess = Callable[["DifferenceMoments"], float]
"""Tells how many times too large the errors are; items are drawn until it is at most 1, or the limit is reached."""


@dataclass(frozen=True)
class DifferenceMoments:
    """What is known of a difference: its mean with its error, the spread sqrt(σ² + σ₀²) of both worlds, with its own.

    `spread_error` is relative to the spread; `square` and `null_square` are mean squares; `n_items`
    were simulated.
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


def counted_laws(
    design: Design, known: Sequence[ExactMeans], metrics: Sequence[Metric], excess: Excess, *, seed: int
) -> list[dict[str, ItemLaw]]:
    """Return the law of each metric's difference by name, for each effect; the effects share items, raters and A."""
    first, most = (cells // design.sizes[0] for cells in (FIRST_CELLS, MOST_CELLS))
    runs = [_CountedRun(list(metrics), max(LEAST, first), known=each) for each in known]

    def batch(n: int, done: int) -> list[dict[str, _Part]]:
        shared = _shared(design, n, seed, done)
        return [_counted(design, run, shared.first(run.wanted), seed, done) for run in runs]

    return _simulate(runs, most, batch, excess)


def plain_law(scenario: Scenario, n_raters: int, *, target: float, margin: float) -> ItemLaw:
    """Return the law of draws of any world; see `relative_excess` for the target."""
    metric, most = scenario.metric, scenario.affordable(MOST // 8 if target > COARSE else MOST)
    known = _linear_mean(scenario) or _quiet_mean(scenario, n_raters, target, margin)

    def batch(n: int, done: int) -> list[dict[str, _Part]]:
        worlds = (False, True) if done < NULLS else (False,)
        drawn = [differences(metric, _one(scenario, n, n_raters, f"batch {done}", null=world)) for world in worlds]
        return [{metric.name: _Part(drawn[0], drawn[1] if len(drawn) > 1 else np.zeros(0))}]

    runs = [_PlainRun([metric], scenario.affordable(FIRST), known=known)]
    return _simulate(runs, most, batch, partial(relative_excess, target, margin))[0][metric.name]


def plain_mean(scenario: Scenario, n_raters: int, n_items: int) -> float:
    """Return the mean difference of one large study, with B coupled to A where that is known."""
    n_items = scenario.affordable(n_items)
    quiet = quiet_differences(scenario, n_items, n_raters, "mean")
    plain = differences(scenario.metric, _one(scenario, n_items, n_raters, "mean")) if quiet is None else quiet
    return float(plain.mean())


def relative_excess(target: float, margin: float, moments: DifferenceMoments) -> float:
    """Return how many times too large the errors are, relative to the mean plus the margin, and to the spread."""
    of_mean = moments.mean_error / max(target * (abs(moments.mean) + margin), 1e-300)
    return max(of_mean, 0.0 if target > COARSE else moments.spread_error / target)


def _simulate(
    runs: Sequence["_Run"], most: int, batch: Callable[[int, int], list[dict[str, "_Part"]]], excess: Excess
) -> list[dict[str, ItemLaw]]:
    """Draw batches, so many items after so many, until every run knows enough or most are drawn."""
    done = 0
    while done < most and (n := min(max(run.wanted for run in runs), most - done)) > 0:
        for run, parts in zip(runs, batch(n, done), strict=True):
            run.add(parts, excess)
        done += n
    return [{name: run.law(name) for name in run.parts} for run in runs]


@dataclass(frozen=True)
class _Part:
    """One metric on a batch of items: d by order, ``(order, item)``, null differences, and controls by item."""

    d: Array
    null: Array
    controls: Array = field(default_factory=lambda: np.zeros((0, 0)))
    known: Array = field(default_factory=lambda: np.zeros(0))

    @property
    def outcomes(self) -> Array:
        """Mean of d, of d² and of the null d² over an item's orders, ``(outcome, item)``."""
        return np.stack([self.d.mean(0), (self.d**2).mean(0), (self.null**2).mean(0)])


@dataclass
class _Run(ABC):
    """One effect: the metrics that need more items, how many more, and what was seen of each."""

    growth: ClassVar[tuple[float, float]]
    """Items wanted next, as a share of those before: at least, and at most."""
    left: list[Metric]
    wanted: int
    parts: dict[str, list[_Part]] = field(default_factory=dict)
    moments: dict[str, DifferenceMoments] = field(default_factory=dict)

    def add(self, parts: dict[str, _Part], excess: Excess) -> None:
        """Take in a batch, cross out the metrics that are known well enough, and see what the others want."""
        for name, part in parts.items():
            self.parts.setdefault(name, []).append(part)
            self.moments[name] = self.measure(name)
        factors = {metric.name: excess(self.moments[metric.name]) for metric in self.left}
        self.left = [metric for metric in self.left if factors[metric.name] > 1]
        seen = [(self.moments[metric.name].n_items, factors[metric.name]) for metric in self.left]
        self.wanted = max((int(n * np.clip(1.1 * factor**2 - 1, *self.growth)) for n, factor in seen), default=0)

    @abstractmethod
    def measure(self, name: str) -> DifferenceMoments:
        """Return what the draws say of one metric, with what is known better."""

    @abstractmethod
    def law(self, name: str) -> ItemLaw:
        """Return the law the draws make."""


@dataclass
class _CountedRun(_Run):
    """Items of a Dirichlet world: controls of known mean tell mean and spread of both worlds."""

    growth = (0.2, 3.0)
    known: ExactMeans = field(kw_only=True)

    def measure(self, name: str) -> DifferenceMoments:
        """Return the moments by regression on the controls."""
        parts = self.parts[name]
        outcomes = np.concatenate([part.outcomes for part in parts], axis=-1)
        controls = np.concatenate([part.controls for part in parts], axis=-1)
        means, residuals = regressed(outcomes, controls, parts[0].known)
        n, mean, error = outcomes.shape[-1], self.known.means.get(name), 0.0
        if mean is None:
            mean, error = float(means[0]), float(residuals[0].std() / np.sqrt(n))
        square, null_square = (max(float(x), 0.0) for x in means[1:])
        variance = max(square - mean**2, 0.0) + null_square
        spread_error = float(residuals[1:].sum(0).std() / np.sqrt(n)) / (2 * variance) if variance > 0 else 0.0
        return DifferenceMoments(mean, error, square, null_square, spread_error, n)

    def law(self, name: str) -> ItemLaw:
        """Give the simulated law its better moments."""
        parts, moments = self.parts[name], self.moments[name]
        return sampled_law(
            np.concatenate([part.d.ravel() for part in parts]),
            np.concatenate([part.null.ravel() for part in parts]),
            mean=moments.mean,
            mean_error=moments.mean_error,
            squares=(moments.square, moments.null_square),
            spread_error=moments.spread_error,
            n_items=moments.n_items,
        )


@dataclass
class _PlainRun(_Run):
    """Items of any other world: one draw of each, and a mean with its error where that is known from quiet ones."""

    growth = (1.0, 1.0)
    known: tuple[float, float] | None = None

    def measure(self, name: str) -> DifferenceMoments:
        """Return the moments of the draws; a known mean is as good as it gets."""
        d = np.concatenate([part.d for part in self.parts[name]])
        mean, root = float(d.mean()), np.sqrt(len(d))
        squares = (d - mean) ** 2
        variance = float(squares.mean())
        error = float(np.sqrt(variance) / root) if self.known is None else 0.0
        spread_error = float(squares.std() / (2 * variance * root)) if variance > 0 else 0.0
        return DifferenceMoments(mean, error, variance + mean**2, float("nan"), spread_error, len(d))

    def law(self, name: str) -> ItemLaw:
        """Return the law of the draws, with the known mean."""
        d = np.concatenate([part.d for part in self.parts[name]])
        null = np.concatenate([part.null for part in self.parts[name]])
        mean, error = self.known or (self.moments[name].mean, self.moments[name].mean_error)
        return sampled_law(d, null, mean=mean, mean_error=error)


@dataclass(frozen=True)
class _SharedDraws:
    """Draws no effect changes: items with B's noise in place of B, counts of raters and of A, ``(draw, item, …)``."""

    items: AnswerLaws
    raters: Array
    a: Array

    def first(self, n: int) -> "_SharedDraws":
        """Return the first n items."""
        items = AnswerLaws(self.items.raters[:n], self.items.a[:n], self.items.b[:n], self.items.levels)
        return _SharedDraws(items, self.raters[:, :n], self.a[:, :n])


def _shared(design: Design, n_items: int, seed: int, done: int) -> _SharedDraws:
    rng = generator(seed, "sweep", *design.sizes, done)
    items = design.population.answer_laws((n_items,), effect=1.0, effect_a=design.effect_a, rng=rng)
    a = rng.multinomial(design.answers, np.broadcast_to(items.a, (3, *items.a.shape)))
    raters = a  # raters answer as A does
    if design.answers != design.n_raters or design.effect_a > 0:
        raters = rng.multinomial(design.n_raters, np.broadcast_to(items.raters, (3, *items.raters.shape)))
    return _SharedDraws(items, raters, a)


def _counted(design: Design, run: _CountedRun, shared: _SharedDraws, seed: int, done: int) -> dict[str, _Part]:
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
    scored = {name: _ScoredDraws.of(base, raters, systems) for name, base in bases.items()}
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
class _ScoredDraws:
    """Differences by one base metric, ``(order, item)`` and, in the null world, ``(raters' draw, item)``."""

    d: Array
    null: Array

    @classmethod
    def of(cls, base: Metric, raters: Counts, systems: Sequence[Counts]) -> "_ScoredDraws":
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


@lru_cache(maxsize=8)
def _linear_mean(scenario: Scenario) -> tuple[float, float] | None:
    """The mean difference and its error, for a metric whose mean does not move with the number of raters."""
    moves = scenario.answers == "raters" and not scenario.metric.answers_averaged
    if moves or not scenario.metric.linear:
        return None
    return _quiet_mean(scenario, 1 if scenario.population.knows_answers else 4, 0.0015, 0.0)


def _one(scenario: Scenario, n_items: int, n_raters: int, key: str, *, null: bool = False) -> Draw:
    """Draw one large study."""
    rng = generator(scenario.seed, "plan", key, n_raters, int(null))
    study = draw_study(scenario, (1, n_items), n_raters, null=null, rng=rng)
    return Draw(study.raters.take(0), study.a.take(0), study.b.take(0))


def _quiet_mean(scenario: Scenario, n_raters: int, target: float, margin: float) -> tuple[float, float] | None:
    """The mean of quiet differences and its error, from as many as it takes; None if there are none."""
    n, once, most = (scenario.affordable(items) for items in (FIRST, QUIET_BATCH, QUIET))
    total, squares, done = 0.0, 0.0, 0
    while n > 0:
        quiet = quiet_differences(scenario, n, n_raters, f"batch {done}")
        if quiet is None:
            return None
        total, squares, done = total + float(quiet.sum()), squares + float(quiet @ quiet), done + n
        mean = total / done
        error = float(np.sqrt(max(squares / done - mean**2, 0.0) / done))
        n = 0 if error <= target * (abs(mean) + margin) else min(done, once, most - done)
    return mean, error
