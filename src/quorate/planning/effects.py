"""From a difference people can name ("2 points") to the perturbation ε that makes it, and to how far systems agree."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from quorate._errors import InputError
from quorate._random import generator
from quorate.data.summaries import Probabilities
from quorate.metrics.contests import scores
from quorate.planning.laws.population_law import mean_difference
from quorate.planning.scenario import Scenario, draw_study

__all__ = ["agreement_weight", "solve_effect", "solve_score"]

SOLVE_ITEMS = 200_000


def solve_effect(scenario: Scenario, difference: float, n_raters: int) -> float:
    """Return the perturbation of B at which A is better by the wanted difference, at a number of raters.

    The expected difference grows with ε, so the answer is found by false position on the same random numbers.

    Examples
    --------
    >>> from quorate.metrics import find_metric
    >>> from quorate.populations.dirichlet import DirichletPopulation
    >>> scenario = Scenario(DirichletPopulation((5.22, 0.86, 2.75)), find_metric("agreement"), effect=0.0)
    >>> round(solve_effect(scenario, 0.0534, 1), 2)
    0.3
    """

    def gap(effect: float) -> float:
        return mean_difference(replace(scenario, effect=effect), n_raters, SOLVE_ITEMS) - difference

    if difference == 0 and scenario.effect_a == 0:
        return 0.0
    top, most = _top(scenario, gap)
    if most < 0:
        raise InputError(
            f"A difference of {difference:g} in {scenario.metric.title} is out of reach in this population: at most "
            f"{most + difference:.3f}; ask for less with --difference."
        )
    return _crossing(gap, top, most, near=1e-4 * difference)


def solve_score(scenario: Scenario, score: float, n_raters: int) -> float:
    """Return the perturbation of A at which its own expected score is the wanted one."""
    if scenario.metric.contest_of is not None:
        raise InputError("--score is a score of system A alone, and wins has none; leave it out.")
    sign = -1.0 if scenario.metric.better == "high" else 1.0

    def gap(effect: float) -> float:
        return sign * (_own_score(replace(scenario, effect=effect, effect_a=0.0), n_raters) - score)

    best = gap(0.0)
    top, worst = _top(scenario, gap)
    if not best <= 0 <= worst:
        ends = sorted((score + sign * best, score + sign * worst))
        raise InputError(
            f"--score {score:g} is out of reach in this population: {scenario.metric.title} lies between {ends[0]:.3f} "
            f"and {ends[1]:.3f}."
        )
    return _crossing(gap, top, worst, near=1e-5)


def agreement_weight(scenario: Scenario, share: float) -> float:
    """Return the weight of maximal coupling at which the systems' single answers agree on a share of items."""
    if scenario.answers != 1:
        raise InputError("--systems-agree is about systems that give one answer each; use it with --answers 1.")
    if not scenario.countable:
        raise InputError("--systems-agree needs a population that knows the probability of every answer.")
    rng = generator(scenario.seed, "systems agree")
    items = scenario.laws((SOLVE_ITEMS,), rng)
    apart = float((items.a * items.b).sum(-1).mean())
    together = float(np.minimum(items.a, items.b).sum(-1).mean())
    if not apart - 1e-3 <= share <= together + 1e-3:
        raise InputError(
            f"--systems-agree {share:g} is out of reach here: independent systems agree on {apart:.3f} of the items, "
            f"and with these scores at most {together:.3f} is possible."
        )
    return float(np.clip((share - apart) / max(together - apart, 1e-12), 0.0, 1.0))


def _own_score(scenario: Scenario, n_raters: int) -> float:
    """Expected score of the perturbed system, with the noise of raters and answers averaged out where that is right."""
    rng = generator(scenario.seed, "score")
    metric, answers = scenario.metric, n_raters if scenario.answers == "raters" else scenario.answers
    closed = metric.linear if answers == "probabilities" else metric.expected_score is not None
    if not scenario.countable or not closed:
        study = draw_study(scenario, (1, SOLVE_ITEMS), n_raters, rng=rng)
        return float(np.mean(scores(metric, study.raters.take(0), [study.b.take(0)])[0]))
    items = scenario.laws((SOLVE_ITEMS,), rng)
    raters, system = Probabilities(items.raters, items.levels), Probabilities(items.b, items.levels)
    if isinstance(answers, int) and metric.expected_score is not None:
        return float(np.mean(metric.expected_score(raters, system, answers)))
    return float(np.mean(scores(metric, raters, [system])[0]))


def _top(scenario: Scenario, gap: Callable[[float], float]) -> tuple[float, float]:
    """The largest effect worth trying, and the gap there; where effects have no end, doubled until it is enough."""
    top = scenario.population.max_effect
    if np.isfinite(top):
        return top, gap(top)
    top, value = 1.0, gap(1.0)
    while value < 0 and top < 2.0**30:
        top, value = top * 2, gap(top * 2)
    return top, value


def _crossing(gap: Callable[[float], float], high: float, at_high: float, near: float) -> float:
    """Find where a rising function crosses 0 between 0 and `high`: false position, a stubborn end halved (Illinois)."""
    low, at_low, side = 0.0, gap(0.0), 0
    if at_low >= 0:
        return 0.0
    while high - low > 1e-6:
        middle = low + (high - low) * float(np.clip(-at_low / (at_high - at_low), 0.001, 0.999))
        value = gap(middle)
        if abs(value) <= near:
            return middle
        if value < 0:
            low, at_low, at_high, side = middle, value, at_high / (2 if side < 0 else 1), -1
        else:
            high, at_high, at_low, side = middle, value, at_low / (2 if side > 0 else 1), 1
    return 0.5 * (low + high)
