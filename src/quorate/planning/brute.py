"""Plan by brute force: draw whole studies, test each – for scores of the whole set, and to check the other engines."""

import numpy as np

from quorate._random import generator
from quorate.inference.matchup import enter
from quorate.inference.procedures import Ask, find_procedure
from quorate.metrics.registry import MEANS_ENOUGH
from quorate.planning.worlds import Setting

__all__ = ["simulated_power"]

BATCH_ANSWERS = 4_000_000


def simulated_power(
    setting: Setting, n_items: int, n_raters: int, confidence: float, *, studies: int = 1000
) -> tuple[float, float, float]:
    """Return how often the default test says A is better, the error of that, and the mean width of its interval.

    Examples
    --------
    >>> from quorate.metrics import find_metric
    >>> from quorate.populations.dirichlet import DirichletPopulation
    >>> setting = Setting(DirichletPopulation((5.22, 0.86, 2.75)), find_metric("agreement"), effect=1.0)
    >>> power, error, width = simulated_power(setting, 200, 1, 0.95, studies=200)
    >>> bool(power > 0.8), bool(error < 0.03)
    (True, True)
    """
    default = find_procedure("default")
    better, width = 0, 0.0
    size = max(1, BATCH_ANSWERS // (n_items * (n_raters + 10)))
    for start in range(0, studies, size):
        rows = min(size, studies - start)
        study = setting.population.draw(
            n_replicates=rows,
            n_items=n_items,
            n_raters=n_raters,
            answers=setting.answers,
            effect=setting.effect,
            effect_a=setting.effect_a,
            needs="means" if setting.metric.name in MEANS_ENOUGH else "values",
            rng=generator(setting.seed, "brute", n_items, n_raters, start),
        )
        match = enter(setting.metric, study.raters, [study.a, study.b]).matchup(0, 1)
        ask = Ask(generator(setting.seed, "brute test", start), confidence)
        whole = [match] if default.many(match) else [match.study(i) for i in range(rows)]
        for outcome in (default.run(each, ask) for each in whole):
            better += int(np.sum(outcome.low > 0))
            width += float(np.nansum(outcome.high - outcome.low))
    power = better / studies
    return power, float(np.sqrt(max(power * (1 - power), 1 / studies) / studies)), width / studies
