"""Item laws from a population: for one number of raters, the law of an item's difference in both worlds.

Items are simulated in batches until the Monte-Carlo error is small enough. For a metric that is a difference of two
scores, B is coupled to A to estimate the mean: an answer of A in category m is kept with probability
min(a_m, b_m) / a_m and otherwise replaced by one from what is left of B's law; B's marginal law is unchanged, the mean
of the difference varies less. For wins that would be wrong, because wins depend on the joint law of A and B.
Where the states are few enough the law is enumerated instead.
"""

from dataclasses import dataclass

import numpy as np

from quorate._errors import InputError
from quorate._random import generator
from quorate._typing import Array
from quorate.data.summaries import Counts, Probabilities, Summary
from quorate.inference.matchup import enter
from quorate.metrics.contests import contest
from quorate.metrics.metric import Metric
from quorate.planning.enumeration import enumerated_law, enumerated_states
from quorate.planning.item_law import ItemLaw, sampled_law
from quorate.populations.dirichlet import DirichletPopulation
from quorate.populations.draw import Answers, Draw, Population
from quorate.populations.laws import ItemLaws

__all__ = ["Setting", "item_law", "mean_difference"]

FIRST, MOST = 40_000, 1_280_000
"""Items simulated at first, and at most."""
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

    def draw(self, n_items: int, n_raters: int, key: str, *, null: bool = False, effect: float | None = None) -> Draw:
        """Draw one large study."""
        study = self.population.draw(
            n_replicates=1,
            n_items=n_items,
            n_raters=n_raters,
            answers=self.answers,
            effect=self.effect if effect is None else effect,
            effect_a=self.effect_a,
            null=null,
            needs="values",
            rng=generator(self.seed, "plan", key, n_raters, int(null)),
        )
        return Draw(study.raters.take(0), study.a.take(0), study.b.take(0))


def item_law(setting: Setting, n_raters: int, *, target: float, null: bool = True) -> ItemLaw:
    """Return the law of one item's difference at a number of raters.

    Parameters
    ----------
    setting
        The two systems.
    n_raters
        Raters per item.
    target
        Wanted Monte-Carlo error of the mean, in standard deviations of the difference.
    null
        Also draw the null world, for the expected p.
    """
    exact = _enumerated(setting, n_raters, null)
    if exact is not None:
        return exact
    n, draws, nulls, coupled = FIRST, [], [], []
    for batch in range(64):
        study, joint = _study(setting, n, n_raters, f"batch {batch}")
        draws.append(_differences(setting.metric, study))
        if joint is not None:
            coupled.append(_differences(setting.metric, joint))
        if null:
            nulls.append(_differences(setting.metric, setting.draw(n, n_raters, f"batch {batch}", null=True)))
        mean, error = _best_mean(draws, coupled)
        sd = float(np.std(np.concatenate(draws)))
        done = sum(len(part) for part in draws)
        if sd == 0 or error <= target * sd or done >= MOST:
            break
        n = min(done, MOST - done)
    everything = np.concatenate(draws)
    return sampled_law(everything, np.concatenate(nulls) if null else None, mean=mean, mean_error=error)


def _enumerated(setting: Setting, n_raters: int, null: bool, most: float = STATES) -> ItemLaw | None:
    """Return the exact law if the population is a Dirichlet, the score one of items, and the states are few."""
    population, metric = setting.population, setting.metric
    answers = n_raters if setting.answers == "raters" else setting.answers
    suits = isinstance(population, DirichletPopulation) and metric.level == "item" and metric.name != "wins"
    if not suits or isinstance(answers, str) or setting.agree > 0:
        return None
    assert isinstance(population, DirichletPopulation)
    perturbed = setting.effect_a > 0
    if enumerated_states(len(population.alpha), n_raters, answers, perturbed_a=perturbed, null=null) > most:
        return None
    effects = {"effect": setting.effect, "effect_a": setting.effect_a}
    return enumerated_law(population, metric, n_raters, answers, null=null, **effects)


def mean_difference(setting: Setting, n_raters: int, n_items: int = 400_000) -> float:
    """Return the expected difference of the scores: exact, or from one large study with B coupled to A."""
    exact = _enumerated(setting, n_raters, null=False)
    if exact is not None:
        return exact.mean
    study, joint = _study(setting, n_items, n_raters, "mean")
    return float(_differences(setting.metric, joint or study).mean())


def _differences(metric: Metric, study: Draw) -> Array:
    if metric.level == "item":
        return contest(metric, study.raters, study.a, study.b)
    return enter(metric, study.raters, [study.a, study.b]).matchup(0, 1).differences


def _best_mean(draws: list[Array], coupled: list[Array]) -> tuple[float, float]:
    parts = np.concatenate(coupled or draws)
    return float(parts.mean()), float(parts.std() / np.sqrt(len(parts)))


def _study(setting: Setting, n_items: int, n_raters: int, key: str) -> tuple[Draw, Draw | None]:
    """Draw a study, and the same with B coupled to A where that is possible and right."""
    laws = getattr(setting.population, "item_laws", None)
    countable = bool(setting.population.labels) and laws is not None
    if not countable:
        if setting.agree > 0:
            raise InputError("--systems-agree needs a population of categories.")
        return setting.draw(n_items, n_raters, key), None
    rng = generator(setting.seed, "plan", key, n_raters, 0)
    items: ItemLaws = laws((n_items,), effect=setting.effect, effect_a=setting.effect_a, rng=rng)  # type: ignore[misc]
    raters = Counts(rng.multinomial(n_raters, items.raters), items.levels)
    a, b = (_answers(law, setting.answers, n_raters, items.levels, rng) for law in (items.a, items.b))
    if setting.agree > 0:
        together = rng.random(n_items) < setting.agree
        if not (isinstance(a, Counts) and isinstance(b, Counts)):
            raise InputError("--systems-agree is about systems that give one answer each.")
        b = Counts(np.where(together[:, None], _coupled(a, items, rng).counts, b.counts), items.levels)
    return Draw(raters, a, b), _for_the_mean(setting, items, raters, a, rng)


def _for_the_mean(
    setting: Setting, items: ItemLaws, raters: Counts, a: Summary, rng: np.random.Generator
) -> Draw | None:
    """Return a study with the same expected difference and less noise: raters averaged out, B coupled to A."""
    metric = setting.metric
    if metric.contest_of is not None or metric.level != "item":
        return None
    people: Summary = Probabilities(items.raters, items.levels) if metric.linear else raters
    if metric.name == "agreement":  # linear in the answers too
        return Draw(people, Probabilities(items.a, items.levels), Probabilities(items.b, items.levels))
    if isinstance(a, Counts):
        return Draw(people, a, _coupled(a, items, rng))
    return Draw(people, a, Probabilities(items.b, items.levels)) if metric.linear else None


def _answers(law: Array, answers: Answers, n_raters: int, levels: Array | None, rng: np.random.Generator) -> Summary:
    if answers == "probabilities":
        return Probabilities(law, levels)
    return Counts(rng.multinomial(n_raters if answers == "raters" else answers, law), levels)


def _coupled(a: Counts, laws: ItemLaws, rng: np.random.Generator) -> Counts:
    """Give B the answers of A as far as their laws overlap: the maximal coupling, answer by answer, on counts."""
    overlap = np.minimum(laws.a, laws.b)
    kept = rng.binomial(a.counts, np.clip(overlap / np.maximum(laws.a, 1e-300), 0.0, 1.0))
    rest = np.maximum(laws.b - overlap, 0.0)
    total = rest.sum(-1, keepdims=True)
    spare = np.where(total > 1e-12, rest / np.maximum(total, 1e-300), laws.b)
    lost = a.size - kept.sum(-1)
    return Counts(kept + rng.multinomial(lost, spare / spare.sum(-1, keepdims=True)), a.levels)
