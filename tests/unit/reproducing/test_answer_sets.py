"""Test sets of single answers."""

import numpy as np

from quorate.populations.families import Uniform
from quorate.populations.normal import NormalPopulation
from quorate.reproducing.answer_sets import draw_answers, two_worlds


def test_answers_without_spread_are_the_means_of_their_items() -> None:
    world = NormalPopulation(Uniform(0.2, 0.8), Uniform(0.0, 1e-12), mean_bounds=(0.0, 1.0))
    sets = draw_answers(world, (50,), 4, effect=0.3, rng=np.random.default_rng(1))
    assert np.ptp(sets.raters, axis=-1).max() < 1e-9
    np.testing.assert_allclose(sets.a, sets.raters, atol=1e-9)
    assert 0.05 < np.abs(sets.b - sets.raters).mean() < 0.25  # mean of |U(−0.3, 0.3)| is 0.15
    null = draw_answers(world, (400,), 4, effect=0.3, null=True, rng=np.random.default_rng(1))
    moved = np.abs(null.a - null.raters) > 1e-9
    assert abs(moved.mean() - 0.5) < 5 * 0.5 / 40  # each answer is B's with probability ½; 1600 answers
    assert (moved != (np.abs(null.b - null.raters) > 1e-9)).any()


def test_both_worlds_are_drawn_in_batches() -> None:
    both = two_worlds(lambda n, null: {"x": np.full(n, float(not null))}, 3, batch=2)
    assert [world.tolist() for world in both["x"]] == [[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]]
