"""How much of the spread among an item's raters is their own, where ratings are all there is.

Two systems that answer like the raters are drawn on the items there are: A answers each item like one of its raters, B
so but for the perturbation that makes the difference planned for. What raters bring to the spread of their differences
is then read off as from a pilot.
"""

import numpy as np

from quorate._random import generator
from quorate._typing import Array
from quorate.agreement.variance_parts import variance_components
from quorate.data.ratings import Ratings
from quorate.data.summaries import Counts, Probabilities, Summary, Values
from quorate.inference.roster import roster_of
from quorate.inference.scored_systems import score_systems
from quorate.planning.scenario import Scenario
from quorate.populations.population import Answers, Population

DRAWS = 40
"""Pairs of systems that answer like the raters."""


def shown_share(scenario: Scenario, ratings: Ratings) -> float | None:
    """Return the raters' share, ``σ_r² / (σ_r² + σ_e²)``, or None where a score does not split by rater.

    σ_r² is that of the mean over all draws, for what one pair of systems happened to answer is none of the raters'
    doing; σ_e² is a mean over draws.
    """
    roster, summary = roster_of(ratings), ratings.summary
    if roster is None or not isinstance(summary, Counts | Values) or not _splits(scenario):
        return None
    rng, effects = generator(scenario.seed, "shown share"), (scenario.effect_a, scenario.effect)
    cells, whole, rests = roster.crossing, np.zeros(1), []
    for _ in range(DRAWS):
        systems = [_answers(scenario.population, summary, effect, scenario.answers, rng) for effect in effects]
        values = roster.read(score_systems(scenario.metric, summary, systems).answer_differences(0, 1))
        rests.append(variance_components(cells.item, cells.rater, values).amounts[2])
        whole = whole + values / DRAWS
    rater, rest = variance_components(cells.item, cells.rater, whole).amounts[1], float(np.mean(rests))
    return rater / (rater + rest) if rater + rest > 0 else None


def _splits(scenario: Scenario) -> bool:
    """Whether the score of a pair is a mean over raters, and systems answer as often whatever the raters do."""
    return scenario.metric.linear and scenario.metric.contest_of is None and scenario.answers != "raters"


def _answers(
    population: Population, raters: Counts | Values, effect: float, answers: Answers, rng: np.random.Generator
) -> Summary:
    """Let a system answer each item like one of its raters, perturbed as the population's systems are."""
    if isinstance(raters, Values):
        assert isinstance(answers, int)  # numbers without levels have no whole distribution
        place = (rng.random((len(raters.size), answers)) * raters.size[:, None]).astype(int)
        said = np.take_along_axis(raters.values, place, -1)
        return _sorted(said + population.offsets(raters.mean, effect, rng=rng)[:, None])
    law = population.perturbed(raters.share, effect, rng=rng)
    if answers == "probabilities":
        return Probabilities(law, raters.levels)
    assert isinstance(answers, int)
    return Counts(rng.multinomial(answers, law), raters.levels)


def _sorted(values: Array) -> Values:
    return Values(np.sort(values, -1), np.full(len(values), values.shape[-1]))
