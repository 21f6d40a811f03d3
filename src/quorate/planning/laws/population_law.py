"""The law of one item's difference in a population: exact where it can be enumerated, otherwise simulated.

In a Dirichlet world with counted answers `simulated.py` does both. In other worlds the spread comes from plain draws,
and the mean from quieter ones where there are any (`draws.py`); where the metric is linear in the raters its mean is
the same for every number of them. A score of the whole set is told by its kinds of items (`set_scores.py`).
"""

from functools import lru_cache, partial

import numpy as np

from quorate._random import generator
from quorate._typing import Array
from quorate.planning.laws.draws import differences, quiet_differences, sampled_law
from quorate.planning.laws.exact import Design, enumerable, enumerated
from quorate.planning.laws.exact_means import exact_means
from quorate.planning.laws.item_law import ItemLaw
from quorate.planning.laws.set_scores import enumerated_kinds, kinds_law
from quorate.planning.laws.simulated import DifferenceMoments, Engine, several_laws
from quorate.planning.scenario import Scenario, draw_study
from quorate.populations.population import Draw

__all__ = ["item_law", "mean_difference"]

FIRST, MOST = 40_000, 1_280_000
"""Items simulated at first, and at most."""
COARSE = 0.01
"""A target above this is a first look, for which the first simulation knows the spread well enough."""
QUIET, QUIET_BATCH = 5_120_000, 320_000
"""Quiet items simulated at most, and at once."""
NULLS = 160_000
"""Items simulated in the null world at most: only its spread is needed, its mean is 0."""


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
    design = _design(scenario, n_raters)
    if design is None:
        return _plain_law(scenario, n_raters, target, margin, null)
    if engine == "auto" and enumerable(design):
        return enumerated(design, [scenario.metric], scenario.effect, null=null)[scenario.metric.name]
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


def _exact_mean(scenario: Scenario, n_raters: int) -> float | None:
    metric = scenario.metric
    if metric.level == "set":
        kinds = enumerated_kinds(scenario, n_raters)
        return None if kinds is None else kinds_law(kinds).mean
    design = _design(scenario, n_raters)
    if design is None:
        return None
    if metric.contest_of is None:
        return exact_means(design, [scenario.effect], [metric])[0].means.get(metric.name)
    if not enumerable(design):
        return None
    return enumerated(design, [metric], scenario.effect, null=False)[metric.name].mean


def _design(scenario: Scenario, n_raters: int) -> Design | None:
    """The Dirichlet world and sizes behind an item metric; None where there is none to count in."""
    world, answers = scenario.population.enumerable, n_raters if scenario.answers == "raters" else scenario.answers
    counted = scenario.metric.level == "item" and scenario.agree == 0
    if world is None or isinstance(answers, str) or not counted:
        return None
    return Design(world, n_raters, answers, scenario.effect_a)


def _relative_excess(target: float, margin: float, moments: DifferenceMoments) -> float:
    """How many times too large the errors are, relative to the mean plus the margin, and to the spread."""
    of_mean = moments.mean_error / max(target * (abs(moments.mean) + margin), 1e-300)
    return max(of_mean, 0.0 if target > COARSE else moments.spread_error / target)


def _plain_law(scenario: Scenario, n_raters: int, target: float, margin: float, null: bool) -> ItemLaw:
    """Simulate items in batches until mean and spread are known well enough."""
    known = _linear_mean(scenario) or _quiet_mean(scenario, n_raters, target, margin)
    draws: list[Array] = []
    nulls: list[Array] = []
    most, n, done = MOST // 8 if target > COARSE else MOST, FIRST, 0
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
    total, squares, done, n = 0.0, 0.0, 0, FIRST
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
