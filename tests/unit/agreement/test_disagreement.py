"""Disagreement within items: pair by pair, and the list of the most disputed."""

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest

from quorate._errors import InputError
from quorate.agreement.disagreement import item_disagreement, item_spread, most_disputed
from quorate.data.summaries import Counts, Means, Values

LEVELS = np.array([1.0, 2.0, 4.0])


@pytest.fixture
def rows() -> list[np.ndarray]:
    draw = np.random.default_rng(41)
    return [np.sort(draw.choice(LEVELS, size=draw.integers(1, 7))) for _ in range(30)]


def values_of(rows: list[np.ndarray]) -> Values:
    padded = [np.pad(row, (0, 6 - len(row)), constant_values=np.nan) for row in rows]
    return Values(np.array(padded), np.array([len(row) for row in rows]))


def counts_of(rows: list[np.ndarray]) -> Counts:
    return Counts(np.array([[(row == x).sum() for x in LEVELS] for row in rows]), LEVELS)


@pytest.mark.parametrize("form", [values_of, counts_of])
def test_pair_by_pair(form: Callable[..., Counts | Values], rows: list[np.ndarray]) -> None:
    pairs = [[float(a != b) for a, b in combinations(row, 2)] for row in rows]
    expected = [float(np.mean(p)) if p else np.nan for p in pairs]
    np.testing.assert_allclose(item_disagreement(form(rows)), np.array(expected), atol=1e-15)
    spread = [float(np.std(row, ddof=1)) if len(row) > 1 else np.nan for row in rows]
    np.testing.assert_allclose(item_spread(form(rows)), np.array(spread), atol=1e-12)


def test_leading_axes() -> None:
    counts = np.random.default_rng(1).multinomial(4, [0.5, 0.25, 0.25], size=(3, 5))
    got = item_disagreement(Counts(counts))
    np.testing.assert_array_equal(got[1], item_disagreement(Counts(counts[1])))


def test_most_disputed_items_come_first_and_ties_stay_in_order() -> None:
    votes = Counts(np.array([[4, 0], [2, 2], [3, 1], [2, 2], [1, 0]]))
    assert most_disputed(votes, top=3).tolist() == [1, 3, 2]
    assert most_disputed(votes, top=99).tolist() == [1, 3, 2, 0]  # one answer is no dispute
    assert most_disputed(votes, top=0).tolist() == []
    assert most_disputed(Counts(np.array([[1, 0]]))).tolist() == []


def test_two_raters_who_differ_do_not_outrank_twenty_split_in_half() -> None:
    # 1 · 1/2 = ½ and (1 − 180/380) · 19/20 = ½: equally split, more raters first; 3:2 has (1 − 8/20) · 4/5 = 0.48.
    votes = Counts(np.array([[3, 2], [1, 1], [10, 10], [20, 0]]))
    assert item_disagreement(votes)[1] > item_disagreement(votes)[2]
    assert most_disputed(votes).tolist() == [2, 1, 0, 3]


def test_another_measure() -> None:
    votes = Counts(np.array([[1, 1, 0], [1, 0, 1]]), LEVELS)
    assert most_disputed(votes, by=item_spread(votes)).tolist() == [1, 0]


def test_means_have_no_disagreement() -> None:
    for function in (item_disagreement, item_spread):
        with pytest.raises(InputError, match="counts or values"):
            function(Means(np.array([1.0]), np.array([2])))
