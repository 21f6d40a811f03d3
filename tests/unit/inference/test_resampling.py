"""Resampled laws: whole enumerations done by hand, and laws with a short cut against laws without.

Where a law is random its shares are compared with exact ones; the bound is five binomial standard errors.
"""

import itertools
from collections import Counter

import numpy as np
import pytest

from quorate.data.summaries import Counts
from quorate.inference.influence import set_form
from quorate.inference.resampling import bootstrap_laws, flip_law, in_order, swap_law, without_noise
from quorate.metrics import find_metric

Z = 5.0


def shares(values: np.ndarray) -> dict[float, float]:
    return {key: times / len(values) for key, times in Counter(np.round(values, 9).tolist()).items()}


def assert_same_law(draws: np.ndarray, exact: dict[float, float]) -> None:
    got = shares(draws)
    assert set(got) <= set(exact)
    for value, share in exact.items():
        bound = Z * np.sqrt(share * (1 - share) / len(draws)) + 1e-12
        assert abs(got.get(value, 0.0) - share) <= bound


def every_flip(d: list[float]) -> list[float]:
    return [
        sum(s * x for s, x in zip(signs, d, strict=True)) / len(d)
        for signs in itertools.product((1, -1), repeat=len(d))
    ]


def test_few_items_are_enumerated_without_the_observed_pattern() -> None:
    d = [0.5, -1.0, 2.0, 0.25]
    law = flip_law(np.array(d), 15, rng=np.random.default_rng(0))
    expected = sorted(every_flip(d))
    expected.remove(sum(d) / 4)
    np.testing.assert_allclose(np.sort(law), expected, atol=1e-15)
    assert len(flip_law(np.array(d), 14, rng=np.random.default_rng(0))) == 14  # one too few: drawn at random


def test_the_binomial_short_cut_has_the_law_of_single_flips() -> None:
    # Twelve items with two sizes: 2·B(8, ½) − 8 and so on, summed over by brute force.
    d = [1.0, -1.0] * 4 + [3.0, -3.0] * 2
    exact = shares(np.array(every_flip(d)))
    assert_same_law(flip_law(np.array(d), 4000, rng=np.random.default_rng(1)), exact)


def test_flips_of_all_different_sizes_have_the_law_of_single_flips() -> None:
    d = np.round(np.random.default_rng(2).normal(size=9), 2)
    exact = shares(np.array(every_flip(d.tolist())))
    assert_same_law(flip_law(d, 500, rng=np.random.default_rng(3)), exact)


def test_control_a_law_with_a_wrong_chance_is_caught() -> None:
    d = [1.0, -1.0] * 4 + [3.0, -3.0] * 2
    exact = shares(np.array(every_flip(d)))
    rng = np.random.default_rng(4)
    wrong = np.array([np.mean(np.where(rng.random(12) < 0.6, 1, -1) * np.abs(d)) for _ in range(4000)])
    with pytest.raises(AssertionError):
        assert_same_law(wrong, exact)


def test_batches_do_not_change_the_length() -> None:
    d = np.random.default_rng(5).normal(size=20)
    assert len(flip_law(d, 1000, rng=np.random.default_rng(0), batch=64)) == 1000
    assert all(len(law) == 777 for law in bootstrap_laws(d, 777, rng=np.random.default_rng(0), batch=64))


def test_bootstrap_of_distinct_values_has_the_law_of_single_draws() -> None:
    # Four items, two of them equal: all 4⁴ samples with replacement, one by one.
    d = np.array([0.0, 1.0, 1.0, 5.0])
    samples = [np.array(sample) for sample in itertools.product(d, repeat=4)]
    means, ts = bootstrap_laws(d, 20_000, rng=np.random.default_rng(6))
    assert_same_law(means, shares(np.array([s.mean() for s in samples])))
    pivots = []
    for s in samples:
        se, moved = s.std(ddof=1) / 2, s.mean() - d.mean()
        pivots.append(moved / se if se > 0 else np.sign(moved) * np.inf)
    finite = [p for p in pivots if np.isfinite(p)]
    assert_same_law(ts[np.isfinite(ts)], shares(np.array(finite)))
    share = 1 - len(finite) / len(pivots)
    assert abs(np.isinf(ts).mean() - share) <= Z * np.sqrt(share * (1 - share) / 20_000)


def test_bootstrap_pivots_survive_a_large_offset() -> None:
    # E[x²] − mean² would lose all digits at 2^30. The mean itself is known there to 2^30 · 2^−53 = 2^−23, which over a
    # standard error of at least 0.1 moves a pivot by less than 10 · 2^−23, and the centred values by as little again.
    d = np.round(np.random.default_rng(7).normal(size=30) * 64) / 64  # exact in binary, also after the shift
    near, far = (bootstrap_laws(d + shift, 50, rng=np.random.default_rng(8))[1] for shift in (0.0, 2.0**30))
    np.testing.assert_allclose(near, far, atol=20 * 2.0**-23)


def panel(n: int) -> tuple[Counts, Counts, Counts]:
    rng = np.random.default_rng(11)
    p = rng.dirichlet(np.ones(3), size=n)
    levels = np.array([0.0, 1.0, 2.0])
    raters, a, b = (Counts(rng.multinomial(3, p), levels) for _ in range(3))
    return raters, a, b


@pytest.mark.parametrize("name", ["f1", "rmse", "auc", "emd_of_means"])
def test_swaps_have_the_law_of_all_swaps(name: str) -> None:
    # All 2⁶ ways to exchange the systems' answers item by item, scored by the metric itself.
    n = 6
    raters, a, b = panel(n)
    metric = find_metric(name, positive=1)
    exact = []
    for swap in itertools.product((False, True), repeat=n):
        swapped = np.array(swap)[:, None]
        left = Counts(np.where(swapped, b.counts, a.counts), a.levels)
        right = Counts(np.where(swapped, a.counts, b.counts), a.levels)
        exact.append(float(metric.score(raters, left)) - float(metric.score(raters, right)))
    form = set_form(metric, raters, [a, b])
    law = swap_law(form, 3000, studentised=False, rng=np.random.default_rng(12))
    assert_same_law(law, shares(np.array(exact)))


@pytest.mark.parametrize("n", [8, 400])
@pytest.mark.parametrize("name", ["f1", "recall", "precision"])
def test_studentised_swaps_are_divided_by_their_own_error(name: str, n: int) -> None:
    """Of many items those that a swap leaves as they are stand together, as many times as they occur."""
    raters, a, b = panel(n)
    form = in_order(set_form(find_metric(name, positive=1), raters, [a, b]))
    rows, times = form.swapped_rows()
    assert times.sum() == n
    assert len(rows) <= form.carrying.sum() + 16  # four shares of truth by four of answers
    raw = swap_law(form, 200, studentised=False, rng=np.random.default_rng(13))
    ratio = swap_law(form, 200, studentised=True, rng=np.random.default_rng(13))
    rng = np.random.default_rng(13)
    swap = rng.integers(0, 2, (200, n, 1), dtype=np.int8).astype(bool)
    (_, psi_a), (_, psi_b) = (
        form.evaluate(form.fixed, np.where(swap, x, y)) for x, y in (form.carried[::-1], form.carried)
    )
    se = np.sqrt(((psi_a - psi_b) ** 2).sum(-1) / (n * (n - 1)))
    expected = np.divide(raw, se, out=np.zeros(200), where=np.abs(raw) > 1e-12)
    np.testing.assert_allclose(ratio, expected, atol=1e-12)


@pytest.mark.parametrize("name", ["f1", "rmse", "auc", "spearman"])
def test_swaps_do_not_hang_on_the_order_of_items_or_systems(name: str) -> None:
    raters, a, b = panel(30)
    order, metric = np.random.default_rng(3).permutation(30), find_metric(name, positive=1)
    moved = [each.take(order) for each in (raters, a, b)]

    def law(raters: Counts, *systems: Counts) -> np.ndarray:
        form = set_form(metric, raters, systems)
        return np.abs(swap_law(form, 100, studentised=True, rng=np.random.default_rng(4)))

    np.testing.assert_allclose(law(*moved), law(raters, a, b), rtol=1e-9)
    np.testing.assert_allclose(law(raters, b, a), law(raters, a, b), rtol=1e-9)


def test_an_undefined_swap_is_no_evidence() -> None:
    # Only one positive answer in all: after a swap one system has none and its precision is not defined.
    raters = Counts(np.array([[0, 1], [1, 0], [1, 0]]))
    a, b = Counts(np.array([[0, 1], [1, 0], [1, 0]])), Counts(np.array([[1, 0], [0, 1], [1, 0]]))
    form = set_form(find_metric("precision", positive=1), raters, [a, b])
    law = swap_law(form, 50, studentised=False, rng=np.random.default_rng(14))
    assert np.isfinite(law).all()
    assert (law == 0).any()


def test_without_noise_keeps_values_and_joins_those_equal_on_paper() -> None:
    values = np.array([2 / 3 - 1 / 3, 1 / 3, -0.5, 1 - 2 / 3, 0.0])
    cleaned = without_noise(values)
    assert len(set(cleaned.tolist())) == 3
    np.testing.assert_allclose(cleaned, values, rtol=1e-12)
    assert without_noise(np.zeros(3)).tolist() == [0.0, 0.0, 0.0]
    # 0.6 − 0.56 and 0.36 − 0.4 are opposite on paper, not in floating point; signed ranks must tie them.
    opposite = without_noise(np.array([0.6 - 0.56, 0.36 - 0.4]))
    assert abs(0.6 - 0.56) != abs(0.36 - 0.4)
    assert opposite[0] == -opposite[1]
