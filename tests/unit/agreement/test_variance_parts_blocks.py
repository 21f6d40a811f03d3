"""Very many rows are looked at a part at a time; the sums, and so the answers, are the same."""

from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

from quorate import Ratings, read_ratings
from quorate.agreement.rater_habits import rater_habits
from quorate.agreement.variance_parts import variance_components
from quorate.data.topology import find_batches

RNG = np.random.default_rng(3)


@pytest.fixture(params=["nominal", "ordinal"])
def ratings(request: pytest.FixtureRequest) -> Ratings:
    item = RNG.integers(30, size=400)
    rater = RNG.integers(4, size=400)
    response = np.clip(item % 4 + rater % 2 + RNG.integers(-1, 2, size=400), 0, 3)
    table = {"item": item, "rater": rater + 4 * (item % 3), "response": response}
    return read_ratings(table, scale=request.param)


@pytest.mark.parametrize("most", [1, 7, 100])
def test_blocks_hold_whole_items_and_every_row_once(most: int, ratings: Ratings) -> None:
    parts = list(ratings.blocks(most))
    assert len(parts) > 1
    assert np.array_equal(np.concatenate([part.item for part in parts]), ratings.item)
    assert len({int(code) for part in parts for code in np.unique(part.item)}) == sum(
        len(np.unique(part.item)) for part in parts
    )
    assert sum(part.n_pairs for part in parts) == ratings.n_pairs
    assert sum(part.repeated_pairs for part in parts) == ratings.repeated_pairs
    assert list(ratings.blocks(len(ratings.item))) == [ratings]


@pytest.mark.parametrize("most", [1, 7, 100])
def test_variance_of_parts_is_that_of_the_whole(most: int, ratings: Ratings) -> None:
    scale = ratings.scale
    table: dict[str, Any] = {
        "n_categories": scale.n_levels if scale.levels is None else None,
        "levels": scale.levels,
        "repeats": ratings.count,
    }
    whole = variance_components(ratings.item, ratings.rater, ratings.response, **table)
    parts = variance_components(ratings.item, ratings.rater, ratings.response, **table, most=most)
    assert np.allclose(parts.amounts, whole.amounts, rtol=1e-11)
    assert whole.item


def test_rows_in_another_order_have_the_same_variance(ratings: Ratings) -> None:
    """Unsorted rows take the way through `np.unique`."""
    assert ratings.rater is not None
    order = RNG.permutation(len(ratings.item))
    columns = (ratings.item, ratings.rater, ratings.response)
    mixed = variance_components(*(column[order] for column in columns), repeats=ratings.count[order])
    whole = variance_components(*columns, repeats=ratings.count)
    assert np.allclose(mixed.amounts, whole.amounts, rtol=1e-11)


@pytest.mark.parametrize("most", [1, 50])
def test_habits_of_parts_are_those_of_the_whole(most: int, ratings: Ratings) -> None:
    whole, parts = rater_habits(ratings), rater_habits(ratings, most=most)
    assert whole is not None
    assert parts is not None
    for name, values in asdict(whole).items():
        assert values is None or np.allclose(values, asdict(parts)[name], rtol=1e-10, equal_nan=True), name


def test_batches_are_found_through_all_parts(ratings: Ratings) -> None:
    """Three groups of four raters who share no item."""
    assert len(np.unique(find_batches(ratings))) == 3
