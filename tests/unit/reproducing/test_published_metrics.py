"""The metrics of [leaderboard] answer by answer, as its text and tables have them."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import spearmanr, wasserstein_distance

from quorate.reproducing.answer_sets import AnswerSets
from quorate.reproducing.published_metrics import METRICS, contests, counts_distance, histogram


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
