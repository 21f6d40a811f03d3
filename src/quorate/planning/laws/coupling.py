"""Differences with the right mean and little noise, item by item: for means that must be known well.

What is linear is averaged out: raters, and the answers of agreement, brier and crps; so is everything where counts are
few. Otherwise B is coupled to A. On a scale of levels an answer of A in category m is kept with probability
min(a_m, b_m) / a_m, and otherwise replaced by one from what is left of B's law; B's marginal law is unchanged. Of
numbers, A and B share their noise, and B is taken on both sides, μ ± δ: what is odd in δ cancels. Wins depend on the
joint law of A and B, which must stay independent given the item: there two draws of each are made, B₁ coupled to A₁ and
B₂ to A₂, and A₁ meets B₂ while A₂ meets B₁.
"""

from math import comb
from typing import TYPE_CHECKING

import numpy as np

from quorate._random import generator
from quorate._typing import Array
from quorate.data.summaries import Counts, Means, Probabilities, Summary, Values
from quorate.inference.scored_systems import score_systems
from quorate.metrics.contests import contest, oriented, settle
from quorate.metrics.metric import Metric
from quorate.planning.laws.exact import count_chances, count_vectors
from quorate.populations.normal import NormalPopulation, draw_means, draw_values
from quorate.populations.population import AnswerLaws, Answers, Draw

if TYPE_CHECKING:
    from quorate.planning.scenario import Scenario

__all__ = ["coupled", "differences", "quiet_differences"]

WAYS = 36
"""Ways to answer up to which everything but the items is averaged out."""


def quiet_differences(scenario: "Scenario", n_items: int, n_raters: int, key: str) -> Array | None:
    """Return differences of so many items, ``(item,)``, with the mean of plain ones and less noise; None if not known.

    Examples
    --------
    >>> from quorate.metrics import find_metric
    >>> from quorate.planning.scenario import Scenario
    >>> from quorate.populations.dirichlet import DirichletPopulation
    >>> scenario = Scenario(DirichletPopulation((5.22, 0.86, 2.75)), find_metric("agreement"), effect=1.0)
    >>> round(float(quiet_differences(scenario, 40_000, 1, "0").mean()), 2)
    0.18
    """
    wins, answers = scenario.metric.contest_of is not None, scenario.answers
    if wins and (scenario.agree > 0 or answers == "probabilities"):
        return None
    rng = generator(scenario.seed, "plan", "quiet", key, n_raters)
    if scenario.countable:
        if wins:
            return _crosswise(scenario.metric, scenario.laws((n_items,), rng), n_raters, answers, rng)
        return _of_categories(scenario, scenario.laws((n_items,), rng), n_raters, rng)
    normals = scenario.population.normals
    if normals is not None and scenario.metric.level == "item":
        return _of_numbers(scenario, normals, n_items, n_raters, rng)
    return None


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
    return score_systems(metric, study.raters, [study.a, study.b]).pair(0, 1).differences


def coupled(a: Counts, laws: AnswerLaws, rng: np.random.Generator) -> Counts:
    """Give B the answers of A as far as their laws overlap: the maximal coupling, answer by answer, on counts.

    Examples
    --------
    >>> law = np.array([[0.2, 0.8]])
    >>> laws = AnswerLaws(raters=law, a=law, b=law)
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


def _of_categories(scenario: "Scenario", laws: AnswerLaws, n_raters: int, rng: np.random.Generator) -> Array:
    metric, answers = scenario.metric, n_raters if scenario.answers == "raters" else scenario.answers
    people: Summary = Counts(rng.multinomial(n_raters, laws.raters), laws.levels)
    if metric.linear:
        people = Probabilities(laws.raters, laws.levels)
    a, b = (Probabilities(law, laws.levels) for law in (laws.a, laws.b))
    if isinstance(answers, str):
        return differences(metric, Draw(people, a, b))
    if metric.expected_score is not None:
        score_a, score_b = (metric.expected_score(people, law, answers) for law in (a, b))
        return oriented(metric, score_a, score_b, people)
    if metric.level == "item" and max(_ways(n, laws.a.shape[-1]) for n in (n_raters, answers)) <= WAYS:
        return _averaged(metric, laws, n_raters, answers)
    single = Counts(rng.multinomial(answers, laws.a), laws.levels)
    return differences(metric, Draw(people, single, coupled(single, laws, rng)))


def _crosswise(metric: Metric, laws: AnswerLaws, n_raters: int, answers: Answers, rng: np.random.Generator) -> Array:
    """Wins of A₁ over B₂ and of A₂ over B₁, each pair independent, B coupled to the other A: their noise cancels."""
    given = n_raters if answers == "raters" else answers
    assert isinstance(given, int)  # probabilities have no noise to cancel
    people = Counts(rng.multinomial(n_raters, laws.raters), laws.levels)
    a = [Counts(rng.multinomial(given, laws.a), laws.levels) for _ in range(2)]
    b = [coupled(each, laws, rng) for each in a]
    return np.asarray((contest(metric, people, a[0], b[1]) + contest(metric, people, a[1], b[0])) / 2)


def _ways(n: int, n_categories: int) -> int:
    """In how many ways n answers fall into categories."""
    return comb(n + n_categories - 1, n)


def _averaged(metric: Metric, laws: AnswerLaws, n_raters: int, answers: int) -> Array:
    """Expected differences given the laws of an item, over all counts."""
    raters, given = (count_vectors(n, laws.a.shape[-1]) for n in (n_raters, answers))
    table = metric.score(Counts(raters[:, None], laws.levels), Counts(given[None], laws.levels))
    of_raters, a, b = (
        count_chances(counts, law) for counts, law in ((raters, laws.raters), (given, laws.a), (given, laws.b))
    )
    gap = ((of_raters @ table) * (a - b)).sum(-1)
    return np.asarray(gap if metric.better == "high" else -gap)


def _of_numbers(
    scenario: "Scenario", population: NormalPopulation, n_items: int, n_raters: int, rng: np.random.Generator
) -> Array:
    mean, sd = population.means.draw((n_items,), rng=rng), population.sds.draw((n_items,), rng=rng)
    answers = n_raters if scenario.answers == "raters" else scenario.answers
    assert isinstance(answers, int)  # numbers have no probabilities
    raters = _answers(scenario, population, mean, sd, n_raters, rng)
    noises = [int(noise) for noise in rng.integers(2**62, size=2)]
    base, contested = scenario.metric.base, scenario.metric.contest_of is not None

    def score(centre: Array, noise: int) -> Array:
        system = _answers(scenario, population, centre, sd, answers, np.random.default_rng(noise))
        return _score(base, raters, system)

    def scores(effect: float) -> Array:
        """Scores of a system off by so much at most, ``(noise, side, item)``: with each noise, on both sides."""
        centres = [mean]
        if effect > 0:
            shift = effect * rng.uniform(-1.0, 1.0, n_items)
            ends = (-np.inf, np.inf) if population.mean_bounds is None else population.mean_bounds
            centres = [np.clip(mean + side, *ends) for side in (shift, -shift)]
        heard = noises if contested else noises[:1]
        return np.array([[score(centre, noise) for centre in centres] for noise in heard])

    a, b = scores(scenario.effect_a), scores(scenario.effect)
    if not contested:
        return oriented(base, a.mean((0, 1)), b.mean((0, 1)), raters)
    pairs = oriented(base, a[:, :, None], b[::-1, None], raters)  # each with the other noise
    return np.asarray(np.sign(pairs).mean((0, 1, 2)))


def _score(metric: Metric, raters: Means | Values, system: Means | Values) -> Array:
    """Score each item; by the credit of single answers where there is one, which needs no sorting."""
    settled = settle(metric, raters, [system, system])
    if settled.answer_credit is None or not isinstance(raters, Values):
        return settled.score(raters, system)
    return np.asarray(settled.answer_credit(system, raters.values).mean(-1))


def _answers(
    scenario: "Scenario", population: NormalPopulation, mean: Array, sd: Array, n: int, rng: np.random.Generator
) -> Means | Values:
    if scenario.needs == "means" and population.bounds is None:
        return draw_means((mean, mean), sd, n, rng=rng)
    values = draw_values((mean, mean), sd, n, population.bounds, rng=rng)
    return values if scenario.needs == "values" else Means(values.mean, values.size)
