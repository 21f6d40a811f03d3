"""The law of one item's difference in a population: exact where the states are few, otherwise simulated.

The error of the mean of d, times φ(z) √N / sqrt(σ² + σ₀²), is the error of the expected p; that of the spread counts
z φ(z) times. So both are taken from as much as is known exactly. In a Dirichlet world most scores have exact means
(`exact_means.py`). Of the rest, each simulated item gives three draws of A and three of B, B's coupled to A's of the
same number: d compares A₁ with B₂, seen by raters 3, over all orders of 1, 2, 3. Raters, A and B of an order are
independent, so every order has the right law, wins included, while the mean over the orders has the noise of coupled
systems. Differences whose means are known exactly are controls for those that are not; for the spread of a score with
long tails so are the sums of squares of its terms, which are sums over categories too. In other worlds the spread comes
from plain draws, and the mean from quieter ones where there are any (`coupling.py`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import permutations
from typing import Literal

import numpy as np

from quorate._random import generator
from quorate._typing import Array
from quorate.data.summaries import Counts
from quorate.metrics.contests import oriented, settle
from quorate.metrics.metric import Metric
from quorate.planning.laws.coupling import coupled, differences, quiet_differences
from quorate.planning.laws.exact import exact_laws, triple_states
from quorate.planning.laws.exact_means import PAIR_WORK, Design, ExactMeans, exact_means
from quorate.planning.laws.item_law import ItemLaw, sampled_law
from quorate.planning.laws.set_scores import enumerated_kinds, kinds_law
from quorate.planning.laws.tilting import regressed
from quorate.planning.scenario import Scenario, draw_study
from quorate.populations.answer_laws import AnswerLaws, mixed
from quorate.populations.population import Draw

__all__ = ["Engine", "Moments", "item_law", "mean_difference", "several_laws"]

Engine = Literal["auto", "simulated"]
"""``"auto"`` enumerates what is small enough; ``"simulated"`` never does, and knows no mean from pairs of counts."""
STATES = 600_000
"""States up to which laws are enumerated: less than a second's work."""
FIRST, MOST = 30_000, 1_500_000
"""Items × categories simulated at first, and at most, in a Dirichlet world."""
PLAIN_FIRST, PLAIN_MOST = 40_000, 1_280_000
"""Items simulated at first, and at most, in other worlds."""
COARSE = 0.01
"""A target above this is a first look, for which the first simulation knows the spread well enough."""
QUIET, QUIET_BATCH = 5_120_000, 320_000
"""Quiet items simulated at most, and at once."""
NULLS = 160_000
"""Items simulated in the null world at most: only its spread is needed, its mean is 0."""
LEAST = 4_000
"""Items simulated at least."""
GROWTH = (0.2, 3.0)
"""Items simulated next, as a share of those before."""
ORDERS = np.array(list(permutations(range(3)))).T
"""Which draw stands for the raters, for A and for B, ``(role, order)``."""


@dataclass(frozen=True)
class Moments:
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


def item_law(
    scenario: Scenario,
    n_raters: int,
    *,
    target: float,
    margin: float = 0.0,
    null: bool = True,
    engine: Engine = "auto",
) -> ItemLaw:
    """Return the law of one item's difference at a number of raters.

    Parameters
    ----------
    scenario
        The two systems.
    n_raters
        Raters per item.
    target
        Wanted Monte-Carlo error of the mean, relative to the mean plus the margin: the error of power is at most
        about as large.
    margin
        Margin of the question, if it has one.
    null
        Also draw the null world, for the expected p.
    engine
        Whether small laws may be enumerated.
    """
    if scenario.metric.level == "set":
        kinds = enumerated_kinds(scenario, n_raters) if engine == "auto" else None
        return _plain_law(scenario, n_raters, target, margin, null) if kinds is None else kinds_law(kinds)
    design = scenario.design(n_raters)
    if design is None:
        return _plain_law(scenario, n_raters, target, margin, null)
    excess = partial(_relative_excess, target, margin)
    laws = several_laws(design, [scenario.effect], [scenario.metric], excess, seed=scenario.seed, engine=engine)
    return laws[0][scenario.metric.name]


def mean_difference(scenario: Scenario, n_raters: int, n_items: int = 400_000) -> float:
    """Return the expected difference of the scores: exact, or from one large study with B coupled to A."""
    exact = _exact_mean(scenario, n_raters)
    if exact is not None:
        return exact
    quiet = quiet_differences(scenario, n_items, n_raters, "mean")
    plain = differences(scenario.metric, _one(scenario, n_items, n_raters, "mean")) if quiet is None else quiet
    return float(plain.mean())


def several_laws(
    design: Design,
    effects: Sequence[float],
    metrics: Sequence[Metric],
    excess: Callable[[Moments], float],
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

    Examples
    --------
    >>> from quorate.metrics import find_metric
    >>> from quorate.populations.dirichlet import DirichletPopulation
    >>> design = Design(DirichletPopulation((5.22, 0.86, 2.75)), n_raters=1, answers=1)
    >>> metrics = [find_metric("accuracy"), find_metric("wins:accuracy")]
    >>> laws = several_laws(design, [0.3], metrics, lambda _: 0.0, seed=0)[0]
    >>> [round(law.mean, 4) for law in laws.values()]
    [0.0534, 0.0534]
    """
    if engine == "auto" and _enumerable(design):
        return [_enumerated(design, metrics, effect) for effect in effects]
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
    moments: dict[str, Moments] = field(default_factory=dict)

    def add(self, parts: dict[str, _Part], excess: Callable[[Moments], float]) -> None:
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


def _moments(parts: Sequence[_Part], mean: float | None) -> Moments:
    outcomes = np.concatenate([part.outcomes for part in parts], axis=-1)
    controls = np.concatenate([part.controls for part in parts], axis=-1)
    means, residuals = regressed(outcomes, controls, parts[0].known)
    n, error = outcomes.shape[-1], 0.0
    if mean is None:
        mean, error = float(means[0]), float(residuals[0].std() / np.sqrt(n))
    square, null_square = (max(float(x), 0.0) for x in means[1:])
    variance = max(square - mean**2, 0.0) + null_square
    spread_error = float(residuals[1:].sum(0).std() / np.sqrt(n)) / (2 * variance) if variance > 0 else 0.0
    return Moments(mean, error, square, null_square, spread_error, n)


def _law(parts: Sequence[_Part], moments: Moments) -> ItemLaw:
    return sampled_law(
        np.concatenate([part.d.ravel() for part in parts]),
        np.concatenate([part.null.ravel() for part in parts]),
        mean=moments.mean,
        mean_error=moments.mean_error,
        squares=(moments.square, moments.null_square),
        spread_error=moments.spread_error,
        n_items=moments.n_items,
    )


def _exact_mean(scenario: Scenario, n_raters: int) -> float | None:
    metric = scenario.metric
    if metric.level == "set":
        kinds = enumerated_kinds(scenario, n_raters)
        return None if kinds is None else kinds_law(kinds).mean
    design = scenario.design(n_raters)
    if design is None:
        return None
    if metric.contest_of is None:
        return exact_means(design, [scenario.effect], [metric])[0].means.get(metric.name)
    if not _enumerable(design):
        return None
    return _enumerated(design, [metric], scenario.effect, null=False)[metric.name].mean


def _enumerable(design: Design) -> bool:
    return triple_states(*design.sizes, perturbed_a=design.effect_a > 0) <= STATES


def _enumerated(design: Design, metrics: Sequence[Metric], effect: float, *, null: bool = True) -> dict[str, ItemLaw]:
    _, *sizes = design.sizes
    return exact_laws(design.population, metrics, *sizes, effect=effect, effect_a=design.effect_a, null=null)


def _relative_excess(target: float, margin: float, moments: Moments) -> float:
    """How many times too large the errors are, relative to the mean plus the margin, and to the spread."""
    of_mean = moments.mean_error / max(target * (abs(moments.mean) + margin), 1e-300)
    return max(of_mean, 0.0 if target > COARSE else moments.spread_error / target)


def _plain_law(scenario: Scenario, n_raters: int, target: float, margin: float, null: bool) -> ItemLaw:
    """Simulate items in batches until mean and spread are known well enough."""
    known = _linear_mean(scenario) or _quiet_mean(scenario, n_raters, target, margin)
    draws: list[Array] = []
    nulls: list[Array] = []
    most, n, done = PLAIN_MOST // 8 if target > COARSE else PLAIN_MOST, PLAIN_FIRST, 0
    while n > 0:
        key = f"batch {done}"
        draws.append(differences(scenario.metric, _one(scenario, n, n_raters, key)))
        if null and done < NULLS:
            nulls.append(differences(scenario.metric, _one(scenario, n, n_raters, key, null=True)))
        done += n
        mean, error, spread_error = _plain_moments(draws)
        enough = known is not None or error <= target * (abs(mean) + margin)
        n = 0 if enough and (spread_error <= target or target > COARSE) else min(done, most - done)
    mean, error = known or (mean, error)
    return sampled_law(np.concatenate(draws), np.concatenate(nulls) if null else None, mean=mean, mean_error=error)


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
    total, squares, done, n = 0.0, 0.0, 0, PLAIN_FIRST
    while n > 0:
        quiet = quiet_differences(scenario, n, n_raters, f"batch {done}")
        if quiet is None:
            return None
        total, squares, done = total + float(quiet.sum()), squares + float(quiet @ quiet), done + n
        mean = total / done
        error = float(np.sqrt(max(squares / done - mean**2, 0.0) / done))
        n = 0 if error <= target * (abs(mean) + margin) else min(done, QUIET_BATCH, QUIET - done)
    return mean, error


def _plain_moments(parts: list[Array]) -> tuple[float, float, float]:
    """Mean with its error, and the relative error of the sd."""
    whole = np.concatenate(parts)
    mean, root = float(whole.mean()), np.sqrt(len(whole))
    squares = (whole - mean) ** 2
    variance = float(squares.mean())
    return mean, float(np.sqrt(variance) / root), float(squares.std() / (2 * variance * root)) if variance > 0 else 0.0
