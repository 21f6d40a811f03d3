"""Item laws from a population: for one number of raters, the law of an item's difference in both worlds.

Where the states are few enough the law is enumerated. Otherwise items are simulated in batches until mean and spread
are known well enough; the mean comes from quieter draws where there are any (`quiet.py`). Where the metric is linear in
the raters its mean is the same for every number of them, and found once.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from quorate._errors import InputError
from quorate._random import generator
from quorate._typing import Array
from quorate.data.summaries import Counts
from quorate.metrics.metric import Metric
from quorate.planning.laws.coupling import coupled, differences, quiet_differences
from quorate.planning.laws.exact import enumerated_law, enumerated_states
from quorate.planning.laws.item_law_makers import ItemLaw, sampled_law
from quorate.planning.laws.set_scores import enumerated_kinds, kinds_law
from quorate.populations.answer_laws import AnswerLaws
from quorate.populations.population import Answers, Draw, Needs, Population

__all__ = ["Setting", "coupled", "differences", "draw_study", "item_law", "mean_difference"]

FIRST, MOST = 40_000, 1_280_000
"""Items simulated at first, and at most."""
COARSE = 0.01
"""A target above this is a first look, for which the first simulation knows the spread well enough."""
QUIET, QUIET_BATCH = 5_120_000, 320_000
"""Quiet items simulated at most, and at once."""
NULLS = 160_000
"""Items simulated in the null world at most: only its spread is needed, its mean is 0."""
STATES = 300_000
"""States up to which a law is enumerated: about as much work as the first simulation."""


@dataclass(frozen=True)
class Setting:
    """What two systems do in a population: their perturbations, how often they answer, how far they agree.

    Parameters
    ----------
    population, metric
        Where items come from, and the score.
    effect, effect_a
        Perturbation of B and of A.
    answers
        Answers per item of each system.
    agree
        Weight of the maximal coupling of single answers, 0 for independent systems.
    seed
        Seed of the simulation; settings that differ in effects share their random numbers.
    """

    population: Population
    metric: Metric
    effect: float
    effect_a: float = 0.0
    answers: Answers = 1
    agree: float = 0.0
    seed: int = 0

    @property
    def needs(self) -> Needs:
        """What a continuous population should draw."""
        return "means" if self.metric.reads_means else "values"

    @property
    def countable(self) -> bool:
        """Whether the population knows the probability of every answer, item by item."""
        return self.population.knows_answers

    @cached_property
    def linear_mean(self) -> tuple[float, float] | None:
        """The mean difference and its error, for a metric whose mean does not move with the number of raters."""
        moves = self.answers == "raters" and not self.metric.answers_averaged
        if moves or not self.metric.linear:
            return None
        exact = _enumerated(self, 1, null=False)
        return (exact.mean, 0.0) if exact is not None else _quiet_mean(self, 1 if self.countable else 4, 0.0015, 0.0)

    def laws(self, shape: tuple[int, ...], rng: np.random.Generator) -> AnswerLaws:
        """Draw the probability of every answer, item by item."""
        if not self.countable:
            raise InputError("--systems-agree needs a population that knows the probability of every answer.")
        return self.population.answer_laws(shape, effect=self.effect, effect_a=self.effect_a, rng=rng)


def item_law(setting: Setting, n_raters: int, *, target: float, margin: float = 0.0, null: bool = True) -> ItemLaw:
    """Return the law of one item's difference at a number of raters.

    Parameters
    ----------
    setting
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
    """
    exact = _enumerated(setting, n_raters, null)
    if exact is not None:
        return exact
    known = setting.linear_mean or _quiet_mean(setting, n_raters, target, margin)
    draws: list[Array] = []
    nulls: list[Array] = []
    most, n, done = MOST // 8 if target > COARSE else MOST, FIRST, 0
    while n > 0:
        key = f"batch {done}"
        draws.append(differences(setting.metric, _one(setting, n, n_raters, key)))
        if null and done < NULLS:
            nulls.append(differences(setting.metric, _one(setting, n, n_raters, key, null=True)))
        done += n
        mean, error, spread_error = _moments(draws)
        enough = known is not None or error <= target * (abs(mean) + margin)
        n = 0 if enough and (spread_error <= target or target > COARSE) else min(done, most - done)
    mean, error = known or (mean, error)
    return sampled_law(np.concatenate(draws), np.concatenate(nulls) if null else None, mean=mean, mean_error=error)


def mean_difference(setting: Setting, n_raters: int, n_items: int = 400_000) -> float:
    """Return the expected difference of the scores: exact, or from one large study with B coupled to A."""
    exact = _enumerated(setting, n_raters, null=False)
    if exact is not None:
        return exact.mean
    quiet = quiet_differences(setting, n_items, n_raters, "mean")
    return float(
        (differences(setting.metric, _one(setting, n_items, n_raters, "mean")) if quiet is None else quiet).mean()
    )


def draw_study(
    setting: Setting, shape: tuple[int, int], n_raters: int, *, null: bool = False, rng: np.random.Generator
) -> Draw:
    """Draw studies, ``(replicate, item)``, with the systems agreeing as far as the setting says."""
    if setting.agree == 0:
        return setting.population.draw(
            n_replicates=shape[0],
            n_items=shape[1],
            n_raters=n_raters,
            answers=setting.answers,
            effect=setting.effect,
            effect_a=setting.effect_a,
            null=null,
            needs=setting.needs,
            rng=rng,
        )
    laws = setting.laws(shape, rng)
    laws = laws.null() if null else laws
    raters = Counts(rng.multinomial(n_raters, laws.raters), laws.levels)
    a, b = (Counts(rng.multinomial(1, law), laws.levels) for law in (laws.a, laws.b))
    together = rng.random(shape) < setting.agree
    return Draw(raters, a, Counts(np.where(together[..., None], coupled(a, laws, rng).counts, b.counts), laws.levels))


def _enumerated(setting: Setting, n_raters: int, null: bool) -> ItemLaw | None:
    """Return the exact law if the population is a Dirichlet and the states, or the kinds of a set score, are few."""
    population, metric = setting.population.enumerable, setting.metric
    if metric.level == "set":
        kinds = enumerated_kinds(setting, n_raters)
        return None if kinds is None else kinds_law(kinds)
    answers = n_raters if setting.answers == "raters" else setting.answers
    suits = metric.level == "item" and setting.agree == 0
    if population is None or not suits or isinstance(answers, str):
        return None
    perturbed = setting.effect_a > 0
    if enumerated_states(len(population.alpha), n_raters, answers, perturbed_a=perturbed, null=null) > STATES:
        return None
    effects = {"effect": setting.effect, "effect_a": setting.effect_a}
    return enumerated_law(population, metric, n_raters, answers, null=null, **effects)


def _one(setting: Setting, n_items: int, n_raters: int, key: str, *, null: bool = False) -> Draw:
    """Draw one large study."""
    rng = generator(setting.seed, "plan", key, n_raters, int(null))
    study = draw_study(setting, (1, n_items), n_raters, null=null, rng=rng)
    return Draw(study.raters.take(0), study.a.take(0), study.b.take(0))


def _quiet_mean(setting: Setting, n_raters: int, target: float, margin: float) -> tuple[float, float] | None:
    """The mean of quiet differences and its error, from as many as it takes; None if there are none."""
    total, squares, done, n = 0.0, 0.0, 0, FIRST
    while n > 0:
        quiet = quiet_differences(setting, n, n_raters, f"batch {done}")
        if quiet is None:
            return None
        total, squares, done = total + float(quiet.sum()), squares + float(quiet @ quiet), done + n
        mean = total / done
        error = float(np.sqrt(max(squares / done - mean**2, 0.0) / done))
        n = 0 if error <= target * (abs(mean) + margin) else min(done, QUIET_BATCH, QUIET - done)
    return mean, error


def _moments(parts: list[Array]) -> tuple[float, float, float]:
    """Mean with its error, and the relative error of the sd."""
    whole = np.concatenate(parts)
    mean, root = float(whole.mean()), np.sqrt(len(whole))
    squares = (whole - mean) ** 2
    variance = float(squares.mean())
    return mean, float(np.sqrt(variance) / root), float(squares.std() / (2 * variance * root)) if variance > 0 else 0.0
