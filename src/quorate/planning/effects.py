"""From a difference people can name ("2 points") to the perturbation ε that makes it, and to how far systems agree."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from quorate._errors import InputError
from quorate.metrics.contests import scores
from quorate.planning.worlds import Setting, mean_difference

__all__ = ["agreement_weight", "solve_effect", "solve_score"]

SOLVE_ITEMS = 200_000


def solve_effect(setting: Setting, difference: float, n_raters: int) -> float:
    """Return the perturbation of B at which A is better by the wanted difference, at a number of raters.

    The expected difference grows with ε, so the answer is found by bisection on the same random numbers.

    Examples
    --------
    >>> from quorate.metrics import find_metric
    >>> from quorate.populations.dirichlet import DirichletPopulation
    >>> setting = Setting(DirichletPopulation((5.22, 0.86, 2.75)), find_metric("agreement"), effect=0.0)
    >>> round(solve_effect(setting, 0.0534, 1), 2)
    0.3
    """
    if not difference > 0:
        raise InputError(f"--difference {difference:g} must be above 0, in the units of {setting.metric.name}.")
    top = min(setting.population.max_effect, 10.0)

    def gap(effect: float) -> float:
        return mean_difference(replace(setting, effect=effect), n_raters, SOLVE_ITEMS) - difference

    most = gap(top) + difference
    if most < difference:
        raise InputError(
            f"A difference of {difference:g} in {setting.metric.name} is out of reach in this population: at most "
            f"{most:.3f}; ask for less with --difference."
        )
    return _bisect(gap, top)


def solve_score(setting: Setting, score: float, n_raters: int) -> float:
    """Return the perturbation of A at which its own expected score is the wanted one."""
    top = min(setting.population.max_effect, 10.0)

    def gap(effect: float) -> float:
        study = replace(setting, effect=effect, effect_a=0.0).draw(SOLVE_ITEMS, n_raters, "score")
        value = float(np.mean(scores(setting.metric, study.raters, [study.b, study.b])[0]))
        return (value - score) * (-1.0 if setting.metric.better == "high" else 1.0)

    best, worst = gap(0.0), gap(top)
    if not best <= 0 <= worst:
        sign = -1.0 if setting.metric.better == "high" else 1.0
        ends = sorted((score + sign * best, score + sign * worst))
        raise InputError(
            f"--score {score:g} is out of reach in this population: {setting.metric.name} lies between {ends[0]:.3f} "
            f"and {ends[1]:.3f}."
        )
    return _bisect(gap, top)


def agreement_weight(setting: Setting, share: float) -> float:
    """Return the weight of maximal coupling at which the systems' single answers agree on a share of items."""
    if setting.answers != 1:
        raise InputError("--systems-agree is about systems that give one answer each; use it with --answers 1.")
    laws = getattr(setting.population, "item_laws", None)
    if laws is None or not setting.population.labels:
        raise InputError("--systems-agree needs a population of categories.")
    items = laws(
        (SOLVE_ITEMS,), effect=setting.effect, effect_a=setting.effect_a, rng=np.random.default_rng(setting.seed)
    )
    apart = float((items.a * items.b).sum(-1).mean())
    together = float(np.minimum(items.a, items.b).sum(-1).mean())
    if not apart - 1e-3 <= share <= together + 1e-3:
        raise InputError(
            f"--systems-agree {share:g} is out of reach here: independent systems agree on {apart:.3f} of the items, "
            f"and with these scores at most {together:.3f} is possible."
        )
    return float(np.clip((share - apart) / max(together - apart, 1e-12), 0.0, 1.0))


def _bisect(gap: Callable[[float], float], high: float) -> float:
    """Find where a rising function crosses 0 between 0 and `high`."""
    low = 0.0
    for _ in range(30):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if gap(middle) < 0 else (low, middle)
        if high - low < 1e-6:
            break
    return 0.5 * (low + high)
