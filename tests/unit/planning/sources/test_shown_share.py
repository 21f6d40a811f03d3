"""What raters bring to the spread of two systems' differences, where ratings are all there is."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from quorate.data.ratings import Ratings
from quorate.data.read_ratings import read_ratings
from quorate.data.summaries import Counts
from quorate.metrics import find_metric
from quorate.planning.scenario import Scenario
from quorate.planning.sources.shown_share import shown_share
from quorate.planning.verb import plan
from quorate.populations.fit_population import fit_population

HARSHNESS = np.array([-0.8, -0.3, 0.1, 0.4, 0.6])


def scored(levels: bool, harshness: np.ndarray = HARSHNESS, n_items: int = 400) -> pl.DataFrame:
    """Scores from 1 to 5, or numbers without levels, by people who are harsh by so much."""
    rng = np.random.default_rng(3)
    heard = rng.normal(3, 1, (n_items, 1)) + harshness + rng.normal(0, 0.7, (n_items, len(harshness)))
    said = np.clip(np.rint(heard), 1, 5).astype(int) if levels else heard.round(4)
    item, rater = np.indices(heard.shape).reshape(2, -1)
    return pl.DataFrame({"item": item, "rater": rater, "response": said.reshape(-1)}).cast(pl.String)


def scenario(ratings: Ratings, effect: float) -> Scenario:
    return Scenario(fit_population(ratings, kind="normal").population, find_metric("crps"), effect, answers=1)


def test_an_effect_in_steps_of_a_scale_is_no_share_of_answers() -> None:
    """B off by two steps is another system than B off by one; taken for shares, both answered at random only."""
    ratings = read_ratings(scored(levels=True))
    one, two = (shown_share(scenario(ratings, effect), ratings) for effect in (1.0, 2.0))
    assert one is not None
    assert two is not None
    assert one != two


def test_the_share_is_that_of_a_table_of_expected_differences() -> None:
    """Reference: A's and B's answers averaged out one by one, components by mean squares of the full table."""
    ratings = read_ratings(scored(levels=True, harshness=np.array([-1.5, -0.5, 0.0, 0.5, 1.5])))
    world = replace(scenario(ratings, 0.5), population=fit_population(ratings, kind="dirichlet").population)
    assert isinstance(ratings.summary, Counts)
    levels, counts = np.arange(5), ratings.summary.counts
    law = counts / counts.sum(-1, keepdims=True)
    other, loss = 0.5 * law + 0.1, np.abs(levels[:, None] - levels)
    said = ratings.response.reshape(len(counts), -1)
    seen = np.take_along_axis((other - law) @ loss, said, 1)  # what a rater hears of B less A, on average
    moved = seen - seen.mean(1, keepdims=True)
    rest = float(((moved - moved.mean(0)) ** 2).sum()) / ((len(said) - 1) * (said.shape[1] - 1))
    rater = len(said) * moved.mean(0).var(ddof=1) - rest
    pairs = [(law[:, a] * other[:, b], loss[b][said] - loss[a][said]) for a in levels for b in levels]
    within = sum(float(chance @ d.var(axis=1, ddof=1)) for chance, d in pairs) / len(said)
    wanted = rater / len(said) / within
    shares = [shown_share(replace(world, seed=seed), ratings) or 0.0 for seed in range(12)]
    error = np.std(shares, ddof=1) / np.sqrt(len(shares))
    assert abs(np.mean(shares) - wanted) <= 5 * error < wanted


def test_numbers_without_levels_split_by_rater_too() -> None:
    ratings = read_ratings(scored(levels=False))
    share = shown_share(scenario(ratings, 1.0), ratings)
    assert share is not None
    assert 0 <= share < 0.05
    assert shown_share(replace(scenario(ratings, 1.0), answers="raters"), ratings) is None


@pytest.mark.parametrize("levels", [True, False])
def test_raters_who_come_back_share_the_study(levels: bool) -> None:
    found = plan(from_ratings=scored(levels), metric="crps", difference=0.1, raters=(2,), answers=1)
    assert found.people is not None
    assert found.people.used >= 5
    assert not any("does not split by rater" in warning for warning in found.warnings)
    assert any("ratings alone do not show how far raters differ" in warning for warning in found.warnings)
    assert not any("Read the range" in warning for warning in found.warnings)  # there is none
