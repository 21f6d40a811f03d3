"""The normal population: level probabilities, the Likert cut as the paper states it, sizes and refusals."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from quorate import InputError
from quorate.data.summaries import Counts, Means, Values
from quorate.populations.choice import find_preset
from quorate.populations.families import TruncatedNormal, Uniform
from quorate.populations.normal import NormalPopulation, draw_values, level_probabilities, moved_laws, thresholds
from tests.draws import shares_of, values_of

SIZES: dict[str, Any] = {"n_replicates": 3, "n_items": 5, "n_raters": 4}


def rng() -> np.random.Generator:
    return np.random.default_rng(11)


def test_level_probabilities_by_hand() -> None:
    # Levels 1, 2, 3, nearest: thresholds 1.5 and 2.5; mean 2, sd 0.5 puts them one sd away.
    one_sd = stats.norm.cdf(-1.0)
    got = level_probabilities(np.array([2.0]), np.array([0.5]), thresholds(np.array([1.0, 2.0, 3.0]), "nearest"))
    np.testing.assert_allclose(got, [[one_sd, 1 - 2 * one_sd, one_sd]], rtol=1e-14)


def test_without_spread_the_level_is_certain() -> None:
    cuts = thresholds(np.array([0.0, 0.2, 0.4]), "down")
    got = level_probabilities(np.array([-1.0, 0.1, 0.2, 0.4, 9.0]), np.zeros(5), cuts)
    np.testing.assert_array_equal(got, [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]])


def test_a_tiny_sd_is_as_good_as_none() -> None:
    got = level_probabilities(np.array([0.3]), np.array([1e-320]), np.array([0.2, 0.4]))
    np.testing.assert_array_equal(got, [[0, 1, 0]])


def test_likert_levels_equal_clamping_and_cutting_each_answer() -> None:
    # Answer by answer: clamp to [0, 1], cut down to a multiple of 0.2, at most 0.8 [leaderboard, app. B].
    value = rng().normal(0.3, 0.6, 10_000)
    value = value[np.abs(value * 5 - np.rint(value * 5)) > 1e-9]  # keep clear of floating-point ties
    cut = np.minimum(np.floor(np.clip(value, 0.0, 1.0) * 5) / 5, 0.8)
    levels = np.array([0.0, 0.2, 0.4, 0.6, 0.8])
    ours = levels[np.searchsorted(thresholds(levels, "down"), value, side="right")]
    np.testing.assert_allclose(ours, cut, atol=1e-12)


def test_levels_give_counts_and_continuous_gives_what_is_needed() -> None:
    likert, smooth = find_preset("toxicity-likert").population, find_preset("uniform-normal").population
    assert isinstance(likert.draw(**SIZES, needs="means", rng=rng()).raters, Counts)
    means = smooth.draw(**SIZES, needs="means", rng=rng()).raters
    values = smooth.draw(**SIZES, answers="raters", rng=rng())
    assert isinstance(means, Means)
    assert isinstance(values.b, Values)
    assert means.mean.shape == (3, 5)
    assert values.b.values.shape == (3, 5, 4)
    assert (np.diff(values.b.values, axis=-1) >= 0).all()


def test_censored_answers_pool_at_the_ends() -> None:
    world = NormalPopulation(Uniform(0.0, 1.0), Uniform(0.5, 1.0), bounds=(0.0, 1.0), mean_bounds=(0.0, 1.0))
    values = values_of(world.draw(**SIZES, rng=rng()).raters)
    assert values.min() == 0.0
    assert values.max() == 1.0
    means = world.draw(**SIZES, needs="means", rng=rng()).raters
    assert isinstance(means, Means)
    assert (means.mean >= 0.0).all()
    assert (means.mean <= 1.0).all()


def test_a_systems_mean_stays_within_its_bounds_and_an_unperturbed_one_does_not_move() -> None:
    world = NormalPopulation(Uniform(0.0, 1.0), Uniform(0.1, 0.3), mean_bounds=(0.0, 1.0))
    items = world.item_normals((1000,), effect=0.9, rng=rng())
    assert items.b.min() == 0.0
    assert items.b.max() == 1.0
    assert items.a is items.raters
    assert (np.abs(items.b - items.raters) <= 0.9).all()


def test_null_answers_come_from_either_mean() -> None:
    first, second = np.zeros(50), np.ones(50)
    values = draw_values((first, second), np.zeros(50), 200, None, rng=rng()).values
    assert set(np.unique(values)) == {0.0, 1.0}


def test_level_laws_of_the_null_are_the_middle() -> None:
    world = find_preset("multidomain").population
    alternative = world.draw(**SIZES, answers="probabilities", effect=0.4, rng=rng())
    null = world.draw(**SIZES, answers="probabilities", effect=0.4, null=True, rng=rng())
    middle = (shares_of(alternative.a) + shares_of(alternative.b)) / 2
    np.testing.assert_allclose(shares_of(null.b), middle)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"sds": Uniform(-0.1, 0.3)}, "reaches below 0"),
        ({"sds": TruncatedNormal(0.0, 1.0, -1.0, 1.0)}, "reaches below 0"),
        ({"levels": (1.0, 1.0)}, "levels must be at least two rising numbers"),
        ({"levels": (2.0,)}, "levels must be at least two rising numbers"),
        ({"levels": (0.0, 1.0), "bounds": (0.0, 1.0)}, "levels or bounds, not both"),
        ({"mean_bounds": (0.0, 0.5, 1.0)}, "two numbers, low and high"),
        ({"cut": "up"}, "cut must be 'nearest' or 'down'"),
    ],
)
def test_impossible_populations_are_refused(arguments: dict[str, Any], word: str) -> None:
    with pytest.raises(InputError, match=word):
        NormalPopulation(**{"means": Uniform(0.0, 1.0), "sds": Uniform(0.0, 0.3), **arguments})


def test_continuous_systems_have_no_probabilities() -> None:
    with pytest.raises(InputError, match="no probability per category"):
        find_preset("uniform-normal").population.draw(**SIZES, answers="probabilities", rng=rng())


def test_the_effect_of_a_bounded_population_is_bounded() -> None:
    with pytest.raises(InputError, match=r"between 0 and 1, not 1\.2"):
        find_preset("uniform-normal").population.draw(**SIZES, effect=1.2, rng=rng())
    free = NormalPopulation(Uniform(0.0, 5.0), Uniform(0.1, 1.0))
    free.draw(**SIZES, effect=3.0, rng=rng())
    with pytest.raises(InputError, match="at or above 0"):
        free.draw(**SIZES, effect=-1.0, rng=rng())


def test_laws_move_along_the_scale() -> None:
    # Levels 1, 2, 3 with cuts at 1.5 and 2.5: an answer 1 lies evenly in 0.5 to 1.5, so half of it passes 1.5 if moved
    # by 0.5; the ends keep what lies beyond them.
    laws, levels, cuts = np.array([[1.0, 0.0, 0.0], [0.2, 0.5, 0.3]]), np.array([1.0, 2.0, 3.0]), np.array([1.5, 2.5])
    still, up, far = (moved_laws(laws, np.full(2, offset), levels, cuts) for offset in (0.0, 0.5, -9.0))
    np.testing.assert_allclose(still, laws, atol=1e-12)
    np.testing.assert_allclose(up, [[0.5, 0.5, 0.0], [0.1, 0.35, 0.55]], atol=1e-12)
    np.testing.assert_allclose(far, [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]], atol=1e-12)
