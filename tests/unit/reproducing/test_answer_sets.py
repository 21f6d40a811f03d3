"""Test sets of single answers."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import norm, spearmanr, t, wasserstein_distance

from quorate.populations.families import Uniform
from quorate.populations.normal import NormalPopulation
from quorate.reproducing.answer_sets import (
    METRICS,
    AnswerSets,
    contests,
    counts_distance,
    draw_answers,
    estimated_p,
    histogram,
    resampled_z,
    true_p,
    two_worlds,
)


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


def answers(seed: int, shape: tuple[int, ...] = (7, 3)) -> AnswerSets:
    """Answers in steps of 0.05, some outside [0, 1], so that ties and dropped ones occur."""
    rng = np.random.default_rng(seed)
    return AnswerSets(*(np.round(rng.normal(0.5, spread, shape) * 20) / 20 for spread in (0.3, 0.3, 0.5)))


def counted(values: list[float], bins: int) -> list[int]:
    """Histogram on [0, 1] by looking at each value; in steps of 0.05 edges are met exactly in fractions of 20."""
    counts = [0] * bins
    for value in values:
        steps = round(value * 20)
        if 0 <= steps <= 20:
            counts[min(steps * bins // 20, bins - 1)] += 1
    return counts


def distance(first: list[float], second: list[float], bins: int) -> float:
    return float(wasserstein_distance(counted(first, bins), counted(second, bins)))


def in_hundred_bins(values: list[float]) -> list[int]:
    """100 bins of means, which are multiples of 1/60: none lies within rounding of an edge but on it."""
    counts = [0] * 100
    for value in values:
        steps = round(value * 60)
        if 0 <= steps <= 60:
            counts[min(steps * 100 // 60, 99)] += 1
    return counts


def by_hand(sets: AnswerSets) -> dict[str, float]:
    """Every metric as the paper's text and tables have it, answer by answer; positive where A is better."""
    g, a, b = (x.tolist() for x in (sets.raters, sets.a, sets.b))
    mg, ma, mb = ([float(np.mean(row)) for row in x] for x in (g, a, b))
    flat_g, flat_a, flat_b = ([x for row in rows for x in row] for rows in (g, a, b))

    def sign(x: float) -> int:
        return 0 if abs(x) < 1e-12 else (1 if x > 0 else -1)

    def cosine(x: list[float], y: list[float]) -> float:
        return float(np.dot(x, y) / np.linalg.norm(x) / np.linalg.norm(y))

    gaps = [(abs(z - x), abs(y - x)) for x, y, z in zip(mg, ma, mb, strict=True)]
    flat_gaps = [abs(z - x) - abs(y - x) for x, y, z in zip(flat_g, flat_a, flat_b, strict=True)]
    item_distances = [distance(x, z, 5) - distance(x, y, 5) for x, y, z in zip(g, a, b, strict=True)]
    return {
        "MAE": float(np.mean([of_b - of_a for of_b, of_a in gaps])),
        "Wins(MAE)": float(np.mean([sign(of_b - of_a) for of_b, of_a in gaps])),
        "Wins(MAE) (vectorized)": float(np.mean([sign(gap) for gap in flat_gaps])),
        "MSE": float(np.mean([of_b**2 - of_a**2 for of_b, of_a in gaps])),
        "Spearman Rho": float(spearmanr(np.round(mg, 9), np.round(ma, 9))[0])
        - float(spearmanr(np.round(mg, 9), np.round(mb, 9))[0]),
        "EMD Agg": float(wasserstein_distance(in_hundred_bins(mg), in_hundred_bins(mb)))
        - float(wasserstein_distance(in_hundred_bins(mg), in_hundred_bins(ma))),
        "EMD Agg (vectorized)": distance(flat_g, flat_b, 100) - distance(flat_g, flat_a, 100),
        "Mean Agg": float(np.mean(item_distances)),
        "COS (vectorized)": cosine(flat_g, flat_a) - cosine(flat_g, flat_b),
    }


@pytest.mark.parametrize("seed", range(5))
def test_every_metric_equals_its_definition_answer_by_answer(seed: int) -> None:
    sets = answers(seed)
    found, expected = contests(sets), by_hand(sets)
    assert set(found) == set(METRICS)
    for name in METRICS:
        assert float(found[name]) == pytest.approx(expected[name], abs=1e-12), name


def test_swapping_systems_changes_the_sign_and_equal_ones_give_zero() -> None:
    sets = answers(8)
    found, swapped = contests(sets), contests(AnswerSets(sets.raters, sets.b, sets.a))
    for name in METRICS:
        assert float(found[name]) == pytest.approx(-float(swapped[name]), abs=1e-12)
        assert float(contests(AnswerSets(sets.raters, sets.a, sets.a), [name])[name]) == 0.0


def test_many_sets_at_once_are_each_as_alone_and_items_have_no_order() -> None:
    sets, order = answers(9, (4, 6, 3)), np.random.default_rng(0).permutation(6)
    found = contests(sets)
    for i, name in product(range(4), METRICS):
        alone = AnswerSets(*(x[i][order] for x in (sets.raters, sets.a, sets.b)))
        assert float(contests(alone, [name])[name]) == pytest.approx(float(found[name][i]), abs=1e-12)


def test_flattening_reads_an_order_into_answers_that_have_none() -> None:
    # The same answers in another order: wins of means are the same, wins "vectorized" are not.
    raters, a, b = np.array([[0.0, 1.0]]), np.array([[0.0, 1.0]]), np.array([[0.5, 0.5]])
    turned = AnswerSets(raters, a[:, ::-1], b)
    names = ["Wins(MAE)", "Wins(MAE) (vectorized)"]
    assert [float(x) for x in contests(AnswerSets(raters, a, b), names).values()] == [0.0, 1.0]
    assert [float(x) for x in contests(turned, names).values()] == [0.0, -1.0]


def test_histograms_close_the_last_bin_drop_what_is_outside_and_keep_levels_apart() -> None:
    assert histogram(np.array([0.0, 0.2, 0.4, 0.6, 0.8]), 5).tolist() == [1, 1, 1, 1, 1]
    assert histogram(np.array([[1.0, 1.01, -1e-6], [0.19, 0.199999, 0.2]]), 5).tolist() == [
        [0, 0, 0, 0, 1],
        [2, 1, 0, 0, 0],
    ]


def test_the_distance_between_counts_forgets_where_the_bins_lie() -> None:
    # All answers at 0 against all at 1: an earth mover's distance of 1, and none at all between the counts.
    low, high = histogram(np.zeros(5), 5), histogram(np.ones(5), 5)
    assert float(counts_distance(low, high)) == 0.0
    # {5, 0, 0, 0, 0} against {3, 2, 0, 0, 0}: (|5 − 3| + |0 − 2|) / 5 = 4/5.
    assert float(counts_distance(low, np.array([0, 2, 0, 3, 0]))) == pytest.approx(4 / 5)


def test_population_p_counts_every_pair() -> None:
    rng = np.random.default_rng(3)
    alternative, null = rng.integers(0, 6, 40) + 1.0, rng.integers(0, 6, 40) + 0.0
    beyond = np.array([[n >= a for n in null] for a in alternative], dtype=float)
    found = true_p(alternative, null)
    assert found.p == pytest.approx(beyond.mean())
    assert found.error == pytest.approx(np.sqrt((beyond.mean(1).var() + beyond.mean(0).var()) / 40))
    assert found.error_of(160) == pytest.approx(found.error / 2)
    assert true_p(-alternative, -null).p == pytest.approx(found.p)


def test_the_law_of_p_is_a_prediction_of_the_next_z() -> None:
    z = np.array([2.0, 3.0, 4.0, 3.5, 2.5])
    reach = t.ppf(0.9995, 4) * z.std(ddof=1) * np.sqrt(1.2)
    law = estimated_p(z)
    assert law.median == pytest.approx(norm.sf(3.0))
    assert law.low == pytest.approx(norm.sf(3.0 + reach))
    assert law.high == 0.5  # 3 − reach < 0: the side may turn
    assert estimated_p(z, printed_error=0.01).high == pytest.approx(0.55)
    assert estimated_p(-z) == law
    assert estimated_p(z + 10).high == pytest.approx(norm.sf(13.0 - reach))


def test_taking_the_first_answers_leaves_a_null_of_zero() -> None:
    # Then z is the mean of resampled contests over their spread; with all items kept nothing varies at all.
    sets = AnswerSets(*(np.random.default_rng(4).normal(0.5, sd, (30, 5)) for sd in (0.3, 0.3, 0.5)))
    rng = np.random.default_rng(0)
    assert abs(resampled_z(sets, "all", "first", ["MAE"], draws=5, rng=rng)["MAE"]) > 1e6
    assert abs(resampled_z(sets, "bootstrap", "first", ["MAE"], draws=50, rng=rng)["MAE"]) < 20
