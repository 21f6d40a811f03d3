"""The Dirichlet population: its laws by hand, and what it refuses."""

from typing import Any

import numpy as np
import pytest

from quorate import InputError
from quorate.data.summaries import Counts, Probabilities
from quorate.populations.dirichlet import DirichletPopulation
from quorate.populations.population import AnswerLaws, mixed
from tests.draws import counts_of, shares_of

WORLD = DirichletPopulation((5.22, 0.86, 2.75), ("No", "Unsure", "Yes"))
SIZES: dict[str, Any] = {"n_replicates": 4, "n_items": 6, "n_raters": 7}


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def test_counts_have_the_sizes_asked_for() -> None:
    study = WORLD.draw(**SIZES, answers_a=3, answers_b="raters", effect=0.3, rng=rng())
    for summary, size in ((study.raters, 7), (study.a, 3), (study.b, 7)):
        assert isinstance(summary, Counts)
        assert counts_of(summary).shape == (4, 6, 3)
        assert (counts_of(summary).sum(-1) == size).all()


def test_probabilities_are_the_exact_law_of_the_system() -> None:
    # The same generator state gives the same items, so the law can be computed beside the draw.
    study = WORLD.draw(**SIZES, answers="probabilities", effect=0.3, effect_a=0.1, rng=rng())
    source = rng()
    beta, noise_b, noise_a = (source.dirichlet(a, (4, 6)) for a in (WORLD.alpha, [1 / 3] * 3, [1 / 3] * 3))
    assert isinstance(study.a, Probabilities)
    assert isinstance(study.b, Probabilities)
    np.testing.assert_allclose(shares_of(study.a), 0.9 * beta + 0.1 * noise_a)
    np.testing.assert_allclose(shares_of(study.b), 0.7 * beta + 0.3 * noise_b)


def test_null_world_gives_both_systems_the_middle() -> None:
    alternative = WORLD.draw(**SIZES, answers="probabilities", effect=0.4, effect_a=0.2, rng=rng())
    null = WORLD.draw(**SIZES, answers="probabilities", effect=0.4, effect_a=0.2, null=True, rng=rng())
    middle = (shares_of(alternative.a) + shares_of(alternative.b)) / 2
    np.testing.assert_allclose(shares_of(null.a), middle)
    np.testing.assert_allclose(shares_of(null.b), middle)


def test_null_law_by_hand() -> None:
    # β = (4/5, 1/5), γ = (2/5, 3/5): half the answers from each gives (3/5, 2/5).
    laws = AnswerLaws(np.array([0.8, 0.2]), a=np.array([0.8, 0.2]), b=np.array([0.4, 0.6])).null()
    np.testing.assert_allclose(laws.a, [0.6, 0.4], rtol=1e-15)
    np.testing.assert_allclose(laws.b, [0.6, 0.4], rtol=1e-15)
    np.testing.assert_allclose(laws.raters, [0.8, 0.2], rtol=1e-15)


def test_effect_one_forgets_the_raters_and_zero_keeps_them() -> None:
    beta, noise = np.array([0.5, 0.5]), np.array([1.0, 0.0])
    np.testing.assert_array_equal(mixed(beta, noise, 0.0), beta)
    np.testing.assert_array_equal(mixed(beta, noise, 1.0), noise)


def test_effects_share_their_random_numbers() -> None:
    small, large = (WORLD.draw(**SIZES, effect=effect, rng=rng()) for effect in (0.0, 0.6))
    np.testing.assert_array_equal(counts_of(small.raters), counts_of(large.raters))


def test_levels_reach_the_summaries() -> None:
    study = DirichletPopulation((1, 1), levels=(0, 10)).draw(**SIZES, rng=rng())
    assert isinstance(study.raters, Counts)
    assert study.raters.levels is not None
    assert study.raters.levels.tolist() == [0, 10]


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"alpha": (1.0, 0.0)}, "positive number, not 0"),
        ({"alpha": (1.0, -2.0)}, "positive number, not -2"),
        ({"alpha": (1.0, float("nan"))}, "positive number, not nan"),
        ({"alpha": (1.0, float("inf"))}, "positive number, not inf"),
        ({"alpha": (1.0,)}, "at least two categories"),
        ({"alpha": (1.0, 2.0), "categories": ("a",)}, "as many different category names"),
        ({"alpha": (1.0, 2.0), "categories": ("a", "a")}, "as many different category names"),
        ({"alpha": (1.0, 2.0), "levels": (1.0,)}, "one number per category"),
        ({"alpha": (1.0, 2.0), "noise": (1.0, 2.0, 3.0)}, "noise has 3 values for 2 categories"),
    ],
)
def test_impossible_populations_are_refused(arguments: dict[str, Any], word: str) -> None:
    with pytest.raises(InputError, match=word):
        DirichletPopulation(**arguments)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"effect": 1.01}, "between 0 and 1, not 1.01"),
        ({"effect": -0.1}, "between 0 and 1, not -0.1"),
        ({"effect_a": float("nan")}, "between 0 and 1, not nan"),
        ({"n_items": 0}, "n_items must be a whole number of at least 1, not 0"),
        ({"n_raters": 2.5}, "n_raters must be a whole number"),
        ({"answers": 0}, "answers must be a whole number"),
        ({"answers": "many"}, "answers must be a number, 'raters' or 'probabilities'"),
    ],
)
def test_impossible_draws_are_refused(arguments: dict[str, Any], word: str) -> None:
    with pytest.raises(InputError, match=word):
        WORLD.draw(**{**SIZES, "rng": rng(), **arguments})
