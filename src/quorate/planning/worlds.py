"""Item laws from a population: for one number of raters, the law of an item's difference in both worlds.

Where the states are few enough the law is enumerated. Otherwise items are simulated in batches until the mean is known
well enough. A metric that is a difference of two scores gets its mean from quieter studies: raters averaged out where
the metric is linear in them (its mean is then the same for every number of raters), and B coupled to A – an answer of A
in category m is kept with probability min(a_m, b_m) / a_m and otherwise replaced by one from what is left of B's law.
B's marginal law is unchanged. For wins that would be wrong, because wins depend on the joint law of A and B.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from quorate._errors import InputError
from quorate._random import generator
from quorate._typing import Array
from quorate.data.summaries import Counts, Probabilities, Summary
from quorate.inference.matchup import enter
from quorate.metrics.contests import contest
from quorate.metrics.metric import Metric
from quorate.metrics.registry import MEANS_ENOUGH
from quorate.planning.enumeration import enumerated_law, enumerated_states
from quorate.planning.item_law import ItemLaw, sampled_law
from quorate.populations.dirichlet import DirichletPopulation
from quorate.populations.draw import Answers, Draw, Needs, Population
from quorate.populations.laws import ItemLaws

__all__ = ["Setting", "coupled", "differences", "draw_study", "item_law", "mean_difference"]

FIRST, MOST = 40_000, 1_280_000
"""Items simulated at first, and at most."""
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
        return "means" if self.metric.name in MEANS_ENOUGH else "values"

    @property
    def countable(self) -> bool:
        """Whether the population knows the probability of every answer, item by item."""
        return bool(self.population.labels) and hasattr(self.population, "item_laws")

    @cached_property
    def linear_mean(self) -> tuple[float, float] | None:
        """The mean difference and its error, for a metric whose mean does not move with the number of raters."""
        moves = self.answers == "raters" and self.metric.name not in ("agreement", "brier")
        if moves or not (self.metric.linear and self.countable):
            return None
        exact = _enumerated(self, 1, null=False)
        if exact is not None:
            return exact.mean, 0.0
        parts: list[Array] = []
        for batch in range(32):  # 40 000 items each
            parts.append(_quiet_differences(self, FIRST, 1, f"mean {batch}"))
            mean, error = _mean_and_error(parts)
            if error <= 0.0015 * abs(mean):
                break
        return mean, error


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
    fixed, draws, nulls, quiet = setting.linear_mean, [], [], []
    least, most = (FIRST, MOST // 8) if target > 0.01 else (4 * FIRST, MOST)  # the sd must be known too
    n, done = FIRST, 0
    while True:
        key = f"batch {done}"
        draws.append(differences(setting.metric, _one(setting, n, n_raters, key)))
        if null and done < NULLS:
            nulls.append(differences(setting.metric, _one(setting, n, n_raters, key, null=True)))
        if fixed is None:
            quiet.append(_quiet_differences(setting, n, n_raters, key, draws[-1]))
        mean, error = fixed or _mean_and_error(quiet)
        done += n
        if done >= most or (done >= least and (fixed is not None or error <= target * (abs(mean) + margin))):
            break
        n = min(done, most - done)
    everything = np.concatenate(draws)
    return sampled_law(everything, np.concatenate(nulls) if null else None, mean=mean, mean_error=error)


def mean_difference(setting: Setting, n_raters: int, n_items: int = 400_000) -> float:
    """Return the expected difference of the scores: exact, or from one large study with B coupled to A."""
    exact = _enumerated(setting, n_raters, null=False)
    if exact is not None:
        return exact.mean
    return float(_quiet_differences(setting, n_items, n_raters, "mean").mean())


def differences(metric: Metric, study: Draw) -> Array:
    """Return the differences item by item; for a set score, its value plus the influence of each item.

    Examples
    --------
    >>> from quorate.metrics import find_metric
    >>> raters, a, b = (Counts(np.array(x)) for x in ([[3, 1], [2, 2]], [[1, 0], [1, 0]], [[0, 1], [0, 1]]))
    >>> differences(find_metric("agreement"), Draw(raters, a, b))
    array([0.5, 0. ])
    """
    if metric.level == "item":
        return contest(metric, study.raters, study.a, study.b)
    return enter(metric, study.raters, [study.a, study.b]).matchup(0, 1).differences


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
    laws = _laws(setting, shape, rng)
    laws = laws.null() if null else laws
    raters = Counts(rng.multinomial(n_raters, laws.raters), laws.levels)
    a, b = (Counts(rng.multinomial(1, law), laws.levels) for law in (laws.a, laws.b))
    together = rng.random(shape) < setting.agree
    return Draw(raters, a, Counts(np.where(together[..., None], coupled(a, laws, rng).counts, b.counts), laws.levels))


def _enumerated(setting: Setting, n_raters: int, null: bool) -> ItemLaw | None:
    """Return the exact law if the population is a Dirichlet, the score one of items, and the states are few."""
    population, metric = setting.population, setting.metric
    answers = n_raters if setting.answers == "raters" else setting.answers
    suits = isinstance(population, DirichletPopulation) and metric.level == "item" and metric.name != "wins"
    if not suits or isinstance(answers, str) or setting.agree > 0:
        return None
    assert isinstance(population, DirichletPopulation)
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


def _quiet_differences(setting: Setting, n_items: int, n_raters: int, key: str, plain: Array | None = None) -> Array:
    """Differences with the same mean and less noise: raters averaged out, B coupled to A; else the plain ones."""
    metric = setting.metric
    if setting.countable and metric.contest_of is None and metric.name != "wins":
        rng = generator(setting.seed, "plan", "quiet", key, n_raters)
        laws = _laws(setting, (n_items,), rng)
        return differences(metric, _quiet_study(setting, laws, n_raters, rng))
    return differences(metric, _one(setting, n_items, n_raters, key)) if plain is None else plain


def _quiet_study(setting: Setting, laws: ItemLaws, n_raters: int, rng: np.random.Generator) -> Draw:
    metric, answers = setting.metric, n_raters if setting.answers == "raters" else setting.answers
    people: Summary = Counts(rng.multinomial(n_raters, laws.raters), laws.levels)
    if metric.linear:
        people = Probabilities(laws.raters, laws.levels)
    if isinstance(answers, str) or metric.name == "agreement":  # agreement is linear in the answers too
        return Draw(people, Probabilities(laws.a, laws.levels), Probabilities(laws.b, laws.levels))
    a = Counts(rng.multinomial(answers, laws.a), laws.levels)
    return Draw(people, a, coupled(a, laws, rng))


def _laws(setting: Setting, shape: tuple[int, ...], rng: np.random.Generator) -> ItemLaws:
    if not setting.countable:
        raise InputError("--systems-agree needs a population that knows the probability of every answer.")
    laws: ItemLaws = setting.population.item_laws(  # type: ignore[attr-defined]
        shape, effect=setting.effect, effect_a=setting.effect_a, rng=rng
    )
    return laws


def _mean_and_error(parts: list[Array]) -> tuple[float, float]:
    whole = np.concatenate(parts)
    return float(whole.mean()), float(whole.std() / np.sqrt(len(whole)))


def coupled(a: Counts, laws: ItemLaws, rng: np.random.Generator) -> Counts:
    """Give B the answers of A as far as their laws overlap: the maximal coupling, answer by answer, on counts.

    Examples
    --------
    >>> law = np.array([[0.2, 0.8]])
    >>> laws = ItemLaws(raters=law, a=law, b=law)
    >>> coupled(Counts(np.array([[3, 4]])), laws, np.random.default_rng(0)).counts.tolist()
    [[3, 4]]
    """
    overlap = np.minimum(laws.a, laws.b)
    kept = rng.binomial(a.counts, np.clip(overlap / np.maximum(laws.a, 1e-300), 0.0, 1.0))
    rest = np.maximum(laws.b - overlap, 0.0)
    total = rest.sum(-1, keepdims=True)
    spare = np.where(total > 1e-12, rest / np.maximum(total, 1e-300), laws.b)
    lost = a.size - kept.sum(-1)
    return Counts(kept + rng.multinomial(lost, spare / spare.sum(-1, keepdims=True)), a.levels)
