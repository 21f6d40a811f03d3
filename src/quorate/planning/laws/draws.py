"""Draws of differences, item by item: plain ones, quiet ones with the same mean and less noise, and the law they make.

In quiet ones what is linear is averaged out: raters, and the answers of agreement, brier and crps;
so is everything where counts are few. Otherwise B is coupled to A. On a scale of levels an answer
of A in category m is kept with probability min(a_m, b_m) / a_m, and otherwise replaced by one from
what is left of B's law; B's marginal law is unchanged. Of numbers, A and B share their noise, and B
is taken on both sides, μ ± δ: what is odd in δ cancels. Wins depend on the joint law of A and B,
which must stay independent given the item: there two draws of each are made, B₁ coupled to A₁ and
B₂ to A₂, and A₁ meets B₂ while A₂ meets B₁.
"""

from typing import TYPE_CHECKING

import numpy as np

from quorate._random import generator
from quorate._typing import Array
from quorate.data.summaries import Counts, Means, Probabilities, Summary, Values
from quorate.inference.scored_systems import score_systems
from quorate.metrics.contests import contest
from quorate.metrics.metric import Metric, oriented, settle
from quorate.planning.laws.exact import count_chances, count_vectors, ways
from quorate.planning.laws.item_law import MANY_VALUES, ItemLaw
from quorate.populations.normal import NormalPopulation, draw_means, draw_values
from quorate.populations.population import AnswerLaws, Answers, Draw

if TYPE_CHECKING:
    from quorate.planning.scenario import Scenario

WAYS = 36
"""Ways to answer up to which everything but the items is averaged out."""
TOGETHER = 4096
"""Items averaged at a time, few enough to stay in the cache."""
STEPS, NEAR = 40, 1e-9
"""Steps of Newton's method at most, and how near tilted weights come to their targets."""


def quiet_differences(scenario: "Scenario", n_items: int, n_raters: int, key: str) -> Array | None:
    """Return differences of so many items, with the mean of plain ones and less noise; None if none are known."""
    wins, answers = scenario.metric.contest_of is not None, scenario.answers
    if wins and (scenario.agree > 0 or answers == "probabilities"):
        return None
    rng = generator(scenario.seed, "plan", "quiet", key, n_raters)
    if scenario.population.knows_answers:
        if wins:
            return _crosswise(scenario.metric, scenario.laws((n_items,), rng), n_raters, answers, rng)
        return _of_categories(scenario, scenario.laws((n_items,), rng), n_raters, rng)
    normals = scenario.population.normals
    if normals is not None and scenario.metric.level == "item":
        return _of_numbers(scenario, normals, n_items, n_raters, rng)
    return None


def differences(metric: Metric, study: Draw) -> Array:
    """Return the differences item by item; for a set score, its value plus the influence of each item."""
    if metric.level == "item":
        return contest(metric, study.raters, study.a, study.b)
    return score_systems(metric, study.raters, [study.a, study.b]).pair(0, 1).differences


def coupled(a: Counts, laws: AnswerLaws, rng: np.random.Generator) -> Counts:
    """Give B the answers of A as far as their laws overlap: the maximal coupling, answer by answer, on counts."""
    overlap = np.minimum(laws.a, laws.b)
    kept = rng.binomial(a.counts, np.clip(overlap / np.maximum(laws.a, 1e-300), 0.0, 1.0))
    rest = np.maximum(laws.b - overlap, 0.0)
    total = rest.sum(-1, keepdims=True)
    spare = np.where(total > 1e-12, rest / np.maximum(total, 1e-300), laws.b)
    lost = a.size - kept.sum(-1)
    return Counts(kept + rng.multinomial(lost, spare / spare.sum(-1, keepdims=True)), a.levels)


def sampled_law(
    draws: Array,
    null: Array | None = None,
    *,
    mean: float | None = None,
    mean_error: float | None = None,
    squares: tuple[float, float] | None = None,
    spread_error: float | None = None,
    n_items: int | None = None,
) -> ItemLaw:
    """Return the law of simulated differences, ``(item,)``; the null world's is made symmetric around 0, as it is.

    A mean known better than from the draws is met by tilting their weights, w ∝ 1 + (μ − mean) (d −
    mean) / variance: the values stay where they are, so ties stay ties. Draws without ties are
    moved instead. With mean squares of both worlds, mean and spread are met by exponential tilting.
    """
    error = float(draws.std() / np.sqrt(len(draws))) if mean_error is None else mean_error
    values, weights = _tallied(draws)
    null_values, null_weights = (None, None) if null is None else _tallied(np.concatenate([null, -null]))
    if mean is not None and squares is not None and null_values is not None and null_weights is not None:
        targets, features = np.array([mean, squares[0]]), np.stack([values, values**2])
        weights = _first(tilted(weights, features, targets), tilted(weights, features[:1], targets[:1]), weights)
        spread = tilted(null_weights, null_values[None] ** 2, np.array([squares[1]]))
        null_weights = _first(spread, null_weights)
    elif mean is not None and len(values) > MANY_VALUES:
        values = values + (mean - values @ weights)
    elif mean is not None and len(values) > 1:
        centred = values - values @ weights
        weights = weights * np.maximum(1 + (mean - values @ weights) * centred / (centred**2 @ weights), 0.0)
        weights = weights / weights.sum()
    seen = len(draws) if n_items is None else n_items
    return ItemLaw(values, weights, null_values, null_weights, error, seen, spread_error)


def tilted(weights: Array, features: Array, targets: Array) -> Array | None:
    """Return weights under which the features, ``(feature, draw)``, have the target means; None if there are none.

    w_i ∝ v_i exp(λ · f_i): the weights nearest to v in relative entropy. Values stay where they
    are, so ties stay ties, and other moments move as regression on f would have them [deville1992].
    """
    centred = features - targets[:, None]
    scale = np.sqrt((centred**2) @ weights)
    if not (scale > 0).all():
        return None
    centred, push = centred / scale[:, None], np.zeros(len(targets))
    for _ in range(STEPS):  # Newton's method on the convex dual, in steps that change no weight beyond e²-fold
        exponent = push @ centred
        found = weights * np.exp(exponent - exponent.max())
        found = found / found.sum()
        gap = centred @ found
        if np.abs(gap).max() < NEAR:
            return np.asarray(found)
        curve = (centred * found) @ centred.T - np.outer(gap, gap)
        step = np.linalg.lstsq(curve, gap, rcond=None)[0]
        push = push - step * min(1.0, 2.0 / max(float(np.abs(step @ centred).max()), 1e-300))
    return None


def regressed(outcomes: Array, controls: Array, known: Array) -> tuple[Array, Array]:
    """Return the means of outcomes, ``(outcome, item)``, by regression on controls of known mean, and the residuals.

    mean(y) − c · (mean(x) − E x), with the c that leaves the least variance; its bias is of order 1
    / items.
    """
    means, away = outcomes.mean(-1), controls.mean(-1) - known
    x, y = controls - controls.mean(-1, keepdims=True), outcomes - means[:, None]
    scale = np.sqrt((x**2).mean(-1, keepdims=True))
    x = x / np.where(scale > 0, scale, 1.0)
    slopes = np.linalg.lstsq(x @ x.T, x @ y.T, rcond=1e-10)[0]  # (control, outcome)
    return means - (away / np.where(scale[:, 0] > 0, scale[:, 0], 1.0)) @ slopes, y - slopes.T @ x


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
    if metric.level == "item" and max(ways(n, laws.a.shape[-1]) for n in (n_raters, answers)) <= WAYS:
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


def _averaged(metric: Metric, laws: AnswerLaws, n_raters: int, answers: int) -> Array:
    """Expected differences given the laws of an item, over all counts."""
    raters, given = (count_vectors(n, laws.a.shape[-1]) for n in (n_raters, answers))
    table = metric.score(Counts(raters[:, None], laws.levels), Counts(given[None], laws.levels))

    def gaps(items: slice) -> Array:
        of_raters = count_chances(raters, laws.raters[items])
        a, b = (count_chances(given, law[items]) for law in (laws.a, laws.b))
        return np.asarray(((of_raters @ table) * (a - b)).sum(-1))

    gap = np.concatenate([gaps(slice(low, low + TOGETHER)) for low in range(0, len(laws.a), TOGETHER)])
    return gap if metric.better == "high" else -gap


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


def _first(*found: Array | None) -> Array:
    """The first that is there."""
    return next(each for each in found if each is not None)


def _tallied(draws: Array) -> tuple[Array, Array]:
    """Distinct values and their shares; the draws themselves, equally weighted, where hardly any are equal."""
    some = draws[: 2 * MANY_VALUES]
    if len(some) > MANY_VALUES and len(np.unique(np.round(some, 12))) > MANY_VALUES:
        return draws, np.full(len(draws), 1.0 / len(draws))
    values, times = np.unique(np.round(draws, 12), return_counts=True)
    return values, times / len(draws)
