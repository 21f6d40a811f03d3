"""Krippendorff's alpha: the textbook example, an independent pair-by-pair count, evalica, and large inputs."""

from fractions import Fraction
from typing import Any, cast

import evalica
import numpy as np
import pandas as pd
import pytest

from quorate._errors import InputError
from quorate.agreement.disagreement import AnswerMoments, krippendorff_alpha
from quorate.data.summaries import Counts, Means, Values

# Krippendorff, "Computing Krippendorff's alpha-reliability" (2011), C: four observers, twelve units, missing answers.
TEXTBOOK = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
PUBLISHED = {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849}


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def units_of(table: list[list[int | None]]) -> list[list[int]]:
    return [[x for x in unit if x is not None] for unit in zip(*table, strict=True)]


def counts_of(units: list[list[int]], levels: list[int]) -> Counts:
    return Counts(np.array([[unit.count(c) for c in levels] for unit in units]), np.array(levels, dtype=float))


def reference(units: list[list[int]], scale: str) -> Fraction:
    """Go through every pair of answers, as the definition is written."""
    units = [unit for unit in units if len(unit) > 1]
    pool = [x for unit in units for x in unit]

    def difference(c: int, k: int) -> Fraction:
        low, high = min(c, k), max(c, k)
        if scale == "nominal":
            return Fraction(c != k)
        if scale == "interval":
            return Fraction((c - k) ** 2)
        between = sum(low <= x <= high for x in pool)
        return (between - Fraction(pool.count(c) + pool.count(k), 2)) ** 2 if c != k else Fraction(0)

    observed = sum(
        Fraction(1, len(unit) - 1) * difference(unit[i], unit[j])
        for unit in units
        for i in range(len(unit))
        for j in range(len(unit))
        if i != j
    ) / len(pool)
    expected = sum(difference(x, y) for x in pool for y in pool) / (len(pool) * (len(pool) - 1))
    return Fraction(1 - observed / expected)


@pytest.mark.parametrize("scale", PUBLISHED)
def test_textbook_example(scale: str) -> None:
    units = units_of(TEXTBOOK)
    alpha = krippendorff_alpha(counts_of(units, [1, 2, 3, 4, 5]), scale, rng=rng())
    assert round(alpha.value, 3) == PUBLISHED[scale]
    assert alpha.value == pytest.approx(float(reference(units, scale)), abs=1e-12)
    assert alpha.n_items == 11  # the twelfth unit has one answer


@pytest.mark.parametrize("scale", PUBLISHED)
def test_equals_evalica_and_the_reference_on_ragged_data(scale: str) -> None:
    draw = np.random.default_rng(77)
    for _ in range(5):
        values = draw.choice([-2, 0, 1, 5], size=(6, 20), p=[0.4, 0.3, 0.2, 0.1])
        table = [[int(x) if draw.random() > 0.35 else None for x in row] for row in values]
        units = units_of(table)
        got = krippendorff_alpha(counts_of(units, [-2, 0, 1, 5]), scale, rng=rng()).value
        assert got == pytest.approx(float(reference(units, scale)), abs=1e-12)
        frame = pd.DataFrame(table, dtype=float)
        assert got == pytest.approx(evalica.alpha(frame, distance=cast(Any, scale)).alpha, abs=1e-9)


def test_nominal_alpha_by_hand() -> None:
    # Units AAA, BBB, AAB, BBB: n = 12, n_A = 5, n_B = 7. Pairs that differ / (n_u − 1): only AAB, 4 / 2 = 2.
    # D_o = 2 / 12; D_e = 2·5·7 / (12·11) = 70/132; alpha = 1 − (1/6)(132/70) = 24/35.
    votes = Counts(np.array([[3, 0], [0, 3], [2, 1], [0, 3]]))
    assert krippendorff_alpha(votes, "nominal", rng=rng()).value == pytest.approx(24 / 35, abs=1e-15)


def test_interval_alpha_of_values_and_of_counts_agree_far_from_zero() -> None:
    draw = np.random.default_rng(8)
    counts = draw.multinomial(draw.integers(1, 6, size=40), [0.5, 0.3, 0.2])
    levels = np.array([0.0, 1.0, 2.0]) + 1e6
    rows = [np.repeat(levels, row) for row in counts]
    values = Values(np.array([np.pad(row, (0, 5 - len(row)), constant_values=np.nan) for row in rows]), counts.sum(-1))
    by_counts = krippendorff_alpha(Counts(counts, levels), "interval", rng=rng())
    by_values = krippendorff_alpha(values, "interval", rng=rng())
    near = krippendorff_alpha(Counts(counts, levels - 1e6), "interval", rng=rng())
    assert by_values.value == pytest.approx(near.value, abs=1e-9)
    small = [row - 1e6 for row in rows]
    moments = AnswerMoments(counts.sum(-1), *(np.array([(row**power).sum() for row in small]) for power in (1, 2)))
    assert krippendorff_alpha(moments, "interval", rng=rng()).value == pytest.approx(near.value, abs=1e-12)
    assert by_counts.value == pytest.approx(near.value, abs=1e-9)


def test_order_of_items_and_of_ordinal_columns_changes_nothing() -> None:
    draw = np.random.default_rng(9)
    counts = draw.multinomial(3, [0.2, 0.3, 0.5], size=60)
    levels = np.array([1.0, 2.0, 3.0])
    first = krippendorff_alpha(Counts(counts, levels), "ordinal", rng=rng())
    again = krippendorff_alpha(Counts(counts[::-1], levels), "ordinal", rng=rng())
    turned = krippendorff_alpha(Counts(counts[:, [2, 0, 1]], levels[[2, 0, 1]]), "ordinal", rng=rng())
    assert (first.value, first.times.tolist()) == (again.value, again.times.tolist())
    np.testing.assert_allclose(first.observed, again.observed)
    assert turned.value == pytest.approx(first.value, abs=1e-14)


@pytest.mark.parametrize("scale", PUBLISHED)
def test_blocks_give_the_same_alpha_as_kinds(scale: str) -> None:
    counts = Counts(np.random.default_rng(10).multinomial(4, [0.4, 0.3, 0.3], size=5000), np.array([0.0, 1.0, 2.0]))
    by_kinds = krippendorff_alpha(counts, scale, rng=rng())
    by_blocks = krippendorff_alpha(counts, scale, rng=rng(), most_kinds=3)
    assert by_blocks.value == pytest.approx(by_kinds.value, abs=1e-12)


def test_nothing_to_pair_or_nothing_that_varies_is_not_a_number() -> None:
    alone = krippendorff_alpha(Counts(np.array([[1, 0], [0, 1]])), "nominal", rng=rng())
    assert np.isnan(alone.value)
    assert alone.n_items == 0
    same = krippendorff_alpha(Counts(np.array([[3, 0], [2, 0]])), "nominal", rng=rng())
    assert np.isnan(same.value)


@pytest.mark.parametrize("scale", PUBLISHED)
def test_what_items_say_adds_up_to_alpha_and_to_its_derivative(scale: str) -> None:
    draw = np.random.default_rng(12)
    counts = Counts(draw.multinomial(4, [0.5, 0.3, 0.2], size=300), np.array([0.0, 1.0, 3.0]))
    scores = krippendorff_alpha(counts, scale, rng=rng())
    for value in (-0.2, 0.0, 0.7):
        z, _ = scores.at(np.asarray(value))
        assert z @ scores.times / 300 == pytest.approx(scores.value - value, abs=1e-6)
    # Without an item alpha moves by what the item says at the value seen, over the number of items.
    z, _ = scores.at(np.asarray(scores.value))
    without = [krippendorff_alpha(counts.take(np.arange(300) != i), scale, rng=rng()).value for i in range(40)]
    moved = np.array([scores.value - each for each in without]) * 300
    code = counts.counts @ 5 ** np.arange(3)  # kinds stand in this order
    said = z[np.searchsorted(np.unique(code), code[:40])]
    np.testing.assert_allclose(moved, said, atol=0.02 * np.abs(moved).max())


def test_items_all_of_one_common_answer_say_next_to_nothing() -> None:
    votes = Counts(np.repeat([[3, 0], [2, 1], [0, 3]], [990, 5, 5], axis=0))
    scores = krippendorff_alpha(votes, "nominal", rng=rng())
    z, _ = scores.at(np.asarray(0.3))
    usual = int(scores.times.argmax())
    assert abs(z[usual]) < 0.01 * np.abs(z).max()


def test_unusable_forms_are_refused() -> None:
    numbers = Values(np.array([[1.0, 2.0]]), np.array([2]))
    with pytest.raises(InputError, match="--scale interval"):
        krippendorff_alpha(numbers, "nominal", rng=rng())
    with pytest.raises(InputError, match="do not show their spread"):
        krippendorff_alpha(Means(np.array([1.0]), np.array([2])), "interval", rng=rng())
    with pytest.raises(InputError, match="unknown scale"):
        krippendorff_alpha(Counts(np.array([[3, 0]])), "ratio", rng=rng())
