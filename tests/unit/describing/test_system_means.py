"""Each rated system's mean, and the interval that counts items and raters."""

import numpy as np
import pytest

from quorate import InputError, describe

RATED = {
    "item": [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3],
    "rater": list("uvuv" * 3),
    "model": list("aabb" * 3),
    "score": [5, 4, 3, 2, 4, 4, 2, 3, 5, 3, 1, 2],
}


def test_each_system_has_the_mean_of_its_items() -> None:
    found = describe(RATED, rated_system="model")
    means = {row.system: row.mean for row in found.systems}
    assert means == pytest.approx({"a": 25 / 6, "b": 13 / 6})
    assert all(row.low < row.mean < row.high for row in found.systems)
    assert found.ratings.n_items == 6  # each output is an item
    assert found.to_dict()["systems"][0]["system"] == "a"
    assert "systems" in found.tables()
    assert str(found.sentence()).startswith("6 outputs of 3 items")


def test_systems_may_have_items_of_their_own() -> None:
    found = describe(RATED | {"item": [1, 1, 7, 7, 2, 2, 8, 8, 3, 3, 9, 9]}, rated_system="model")
    assert [row.items for row in found.systems] == [3, 3]


def test_without_raters_items_alone_vary() -> None:
    table = {key: values for key, values in RATED.items() if key != "rater"}
    found = describe(table, rated_system="model")
    assert {row.unit for row in found.systems} == {"items"}
    x = np.array([4.5, 4.0, 4.0])
    assert found.systems[0].high - found.systems[0].low >= 2 * 4.302 * x.std(ddof=1) / np.sqrt(3) - 1e-3


def test_words_without_an_order_have_no_mean() -> None:
    with pytest.raises(InputError, match="--order"):
        describe(RATED | {"score": ["good", "bad"] * 6}, rated_system="model")
    ordered = describe(RATED | {"score": ["good", "bad"] * 6}, rated_system="model", order="bad,good")
    assert ordered.systems[0].mean == pytest.approx(0.5)
