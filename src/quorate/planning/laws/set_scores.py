"""Scores of a whole set: kinds of items the score tells apart with studies as counts of kinds, or whole studies drawn.

Where the counts of raters, A and B can be enumerated, so can the kinds of items a set score knows:
F1 with one rater has no more than truth, A's and B's answer. A study of N items is then
Multinomial(N, chances of kinds), its score that of kinds weighted by their counts, and the
influence of a kind is the derivative of the score in its weight, so that thousands of studies cost
what a few cost item by item.
"""

from dataclasses import dataclass

import numpy as np

from quorate._random import generator
from quorate._typing import Array
from quorate.data.summaries import Counts
from quorate.inference.influence import set_form
from quorate.inference.procedures import Terms, find_procedure
from quorate.inference.scored_systems import score_systems
from quorate.inference.uncertain_variance import t_quantile
from quorate.metrics.metric import Metric, oriented
from quorate.planning.laws.exact import find_design, null_triples, triples
from quorate.planning.laws.item_law import ItemLaw, exact_law
from quorate.planning.promises.closed_forms import tilt_passes
from quorate.planning.scenario import Scenario, draw_study, scenario_reach

STATES, MOST_KINDS = 60_000, 200
"""States that are enumerated, and kinds that are told apart, at most."""
STUDIES, WORK = 40_000, 2e8
"""Studies drawn – the error of power is then at most 0.0025 – and studies × kinds² at most."""
NUDGE = 1e-6
"""Weight by which a kind is moved to see its influence."""
BATCH_ANSWERS = 4_000_000
"""Answers drawn at once where whole studies are drawn."""


@dataclass(frozen=True)
class Kinds:
    """Kinds of items, one row each, their chances in the world with a difference and in the null world, and whether
    each carries weight; `alike` numbers those that raters do not tell apart, where a score needs that."""

    metric: Metric
    raters: Counts
    a: Counts
    b: Counts
    chances: Array
    null_chances: Array
    carrying: Array
    alike: Array | None = None

    def carried(self, weights: Array) -> Array:
        """Return the share of items on which the difference rests: swapping the systems changes it, ``(...)``."""
        carried = np.asarray(weights @ self.carrying)
        if self.alike is None:
            return carried
        groups = np.stack([weights @ (self.alike == group) for group in range(int(self.alike.max()) + 1)])
        return np.asarray(np.minimum(carried, 1 - groups.max(0)))

    def difference(self, weights: Array) -> Array:
        """Return the difference of the scores, ``(...)``, of sets with these weights of kinds, ``(..., kind)``."""
        a, b = (self.metric.score(self.raters, system, weights) for system in (self.a, self.b))
        return oriented(self.metric, a, b, self.raters)

    def influences(self, weights: Array) -> tuple[Array, Array]:
        """Return the difference and the influence of each kind, ``(..., kind)``; weights must sum to 1."""
        here, moved = self.difference(weights), np.empty(weights.shape)
        for kind in range(weights.shape[-1]):
            nudged = weights.copy()
            nudged[..., kind] += NUDGE
            moved[..., kind] = (self.difference(nudged) - here) / NUDGE
        return here, moved - (weights * moved).sum(-1, keepdims=True)


def enumerated_kinds(scenario: Scenario, n_raters: int) -> Kinds | None:
    """Return the kinds of items of a set score, or None where there are too many or the population is no Dirichlet."""
    metric, design = scenario.metric, find_design(scenario, n_raters)
    if metric.level != "set" or design is None or design.states > STATES:
        return None
    raters, given = design.counts
    g, a, b = (x.ravel() for x in np.indices((len(raters), len(given), len(given))))
    states = [design.summary(counts) for counts in (raters[g], given[a], given[b])]
    form = set_form(metric, states[0], states[1:])
    rows = np.column_stack([form.fixed, *form.carried]).round(10)
    _, first, kind = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    if len(first) > MOST_KINDS:
        return None
    worlds = (world(design, scenario.effect).ravel() for world in (triples, null_triples))
    chances, null = (np.bincount(kind.ravel(), weights=world) for world in worlds)
    of_raters, of_a, of_b = (each.take(first) for each in states)
    carrying = form.carrying[first].astype(float)
    alike = np.unique(form.fixed[first].round(9), return_inverse=True)[1] if form.ordered else None
    return Kinds(metric, of_raters, of_a, of_b, chances / chances.sum(), null / null.sum(), carrying, alike)


def kinds_law(kinds: Kinds) -> ItemLaw:
    """Return the law of one item: the difference plus its influence."""
    difference, influence = kinds.influences(kinds.chances)
    _, null = kinds.influences(kinds.null_chances)
    return exact_law(difference + influence, kinds.chances, null, kinds.null_chances)


def kinds_power(
    kinds: Kinds, n_items: int, confidence: float, bound: float, *, rng: np.random.Generator
) -> tuple[float, float, float]:
    """Return how often the lower end of the interval passes a bound, the error of that, and the mean width."""
    studies = int(np.clip(WORK / len(kinds.chances) ** 2, 400, STUDIES))
    weights = rng.multinomial(n_items, kinds.chances, studies) / n_items
    difference, influence = kinds.influences(weights)
    se = np.sqrt((weights * influence**2).sum(-1) / (n_items - 1))
    t = t_quantile(np.maximum(np.minimum(n_items, n_items * kinds.carried(weights)) - 1.0, 1e-9), confidence)
    half, needed = t * se, t**2 / (n_items - 1.0 + t**2)
    power = float(np.mean(tilt_passes(difference[..., None] + influence, weights, bound, needed)))
    return power, float(np.sqrt(max(power * (1 - power), 1 / studies) / studies)), float(np.nanmean(2 * half))


def simulated_power(
    scenario: Scenario,
    n_items: int,
    n_raters: int,
    confidence: float,
    *,
    margin: float | None = None,
    studies: int = 1000,
) -> tuple[float, float, float]:
    """Return how often the default test says A is better, the error of that, and the mean width of its interval.

    With a margin, how often it says at least not worse.
    """
    default, reach = find_procedure("default"), scenario_reach(scenario)
    bound, unseen = (0.0, False) if margin is None else (-margin, True)
    better, widths = 0, []
    size = max(1, scenario.affordable(BATCH_ANSWERS) // (n_items * (n_raters + 10)))
    for start in range(0, studies, size):
        rows = min(size, studies - start)
        rng = generator(scenario.seed, "brute", n_items, n_raters, start)
        study = draw_study(scenario, (rows, n_items), n_raters, rng=rng)
        match = score_systems(scenario.metric, study.raters, [study.a, study.b]).pair(0, 1)
        ask = Terms(generator(scenario.seed, "brute test", start), confidence, reach=reach, unseen=unseen)
        whole = [match] if default.many(match) else [match.study(i) for i in range(rows)]
        for outcome in (default.run(each, ask) for each in whole):
            better += int(np.sum(outcome.low > bound))
            widths.append(np.atleast_1d(outcome.high - outcome.low))
    power, width = better / studies, np.concatenate(widths)
    mean_width = float(np.nanmean(width)) if np.isfinite(width).any() else float("nan")
    return power, float(np.sqrt(max(power * (1 - power), 1 / studies) / studies)), mean_width
