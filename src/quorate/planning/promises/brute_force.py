"""Plan by brute force: draw whole studies, test each – for scores of the whole set, and to check the other engines."""

import numpy as np

from quorate._random import generator
from quorate.inference.procedures import Terms, find_procedure
from quorate.inference.scored_systems import score_systems
from quorate.planning.scenario import Scenario, draw_study

__all__ = ["simulated_power"]

BATCH_ANSWERS = 4_000_000


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

    With a margin, how often it says at least not worse. Equal differences other than 0 have no interval: p decides.

    Examples
    --------
    >>> from quorate.metrics import find_metric
    >>> from quorate.populations.dirichlet import DirichletPopulation
    >>> scenario = Scenario(DirichletPopulation((5.22, 0.86, 2.75)), find_metric("agreement"), effect=1.0)
    >>> power, error, width = simulated_power(scenario, 200, 1, 0.95, studies=200)
    >>> bool(power > 0.8), bool(error < 0.03)
    (True, True)
    """
    default = find_procedure("default")
    bound = 0.0 if margin is None else -margin
    better, widths = 0, []
    size = max(1, BATCH_ANSWERS // (n_items * (n_raters + 10)))
    for start in range(0, studies, size):
        rows = min(size, studies - start)
        rng = generator(scenario.seed, "brute", n_items, n_raters, start)
        study = draw_study(scenario, (rows, n_items), n_raters, rng=rng)
        match = score_systems(scenario.metric, study.raters, [study.a, study.b]).pair(0, 1)
        ask = Terms(generator(scenario.seed, "brute test", start), confidence)
        whole = [match] if default.many(match) else [match.study(i) for i in range(rows)]
        for outcome in (default.run(each, ask) for each in whole):
            by_sign = np.isnan(outcome.low) & (outcome.p_value <= 1 - confidence) & (outcome.difference > 0)
            better += int(np.sum((outcome.low > bound) | by_sign))
            widths.append(np.atleast_1d(outcome.high - outcome.low))
    power, width = better / studies, np.concatenate(widths)
    mean_width = float(np.nanmean(width)) if np.isfinite(width).any() else float("nan")
    return power, float(np.sqrt(max(power * (1 - power), 1 / studies) / studies)), mean_width
