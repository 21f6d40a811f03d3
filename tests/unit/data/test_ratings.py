"""Scale, topology, tally and summaries: rules of the contract on small cases worked out by hand."""

from typing import Any, cast

import numpy as np
import polars as pl
import pytest

from quorate import InputError, read_ratings
from quorate.data import tally as tally_module
from quorate.data.evaluation import load_report
from quorate.data.ratings import Ratings
from quorate.data.scale import infer_scale
from quorate.data.summaries import Counts, Values
from quorate.data.topology import topology
from tests.draws import counts_of
from tests.ratings import known

SCALES = {
    "text": (["no", "yes", "unsure"], "nominal", False),
    "two numbers": (["1", "5"], "nominal", False),
    "one number": (["3"], "nominal", False),
    "eleven whole numbers": ([str(k) for k in range(11)], "ordinal", True),
    "twelve whole numbers": ([str(k) for k in range(12)], "interval", False),
    "three whole numbers far apart": (["1", "100", "-7"], "ordinal", True),
    "decimals": (["0.5", "1", "2"], "interval", False),
    "a number and a word": (["1", "2", "three"], "nominal", False),
}


@pytest.mark.parametrize("case", SCALES)
def test_the_scale_is_inferred_as_the_contract_says(case: str) -> None:
    labels, kind, guessed = SCALES[case]
    scale = infer_scale(pl.Series(labels))
    assert (scale.kind, scale.guessed) == (kind, guessed)


def test_a_declared_scale_is_no_guess_and_beats_inference() -> None:
    labels = pl.Series(["1", "2", "3"])
    assert [infer_scale(labels, kind).guessed for kind in ("nominal", "ordinal", "interval")] == [False] * 3
    assert infer_scale(labels, "nominal").levels is None
    assert known(infer_scale(labels, "interval").levels).tolist() == [1, 2, 3]


def test_order_makes_text_ordinal_with_levels_from_zero() -> None:
    scale = infer_scale(pl.Series(["mid", "low"]), None, ["low", "mid", "high"])
    assert (scale.kind, scale.categories, known(scale.levels).tolist()) == (
        "ordinal",
        ("low", "mid", "high"),
        [0, 1, 2],
    )
    assert scale.code(pl.Series(["high", "low", "huge"])).to_list() == [2, 0, None]


def test_order_of_numbers_keeps_their_value_and_may_name_unused_ones() -> None:
    scale = infer_scale(pl.Series(["2", "4"]), None, ["1", "2", "3", "4", "5"])
    assert known(scale.levels).tolist() == [1, 2, 3, 4, 5]
    assert scale.code(pl.Series(["4", "4.0", "6"])).to_list() == [3, 3, None]


def test_negative_numbers_sort_as_numbers() -> None:
    assert infer_scale(pl.Series(["-1", "-10", "2"])).categories == ("-10", "-1", "2")


def test_more_than_a_hundred_levels_are_not_listed() -> None:
    many = infer_scale(pl.Series([str(k / 8) for k in range(101)]))
    assert (many.kind, many.categories, many.n_levels, many.counted) == ("interval", (), 101, False)
    assert str(many) == "interval, 0 to 12.5"
    assert infer_scale(pl.Series([str(k / 8) for k in range(100)])).counted


def table(pairs: Any, **more: Any) -> Ratings:
    item, rater = zip(*pairs, strict=True)
    return read_ratings(
        {"item": item, "rater": rater, "response": ["u", "v"] * (len(pairs) // 2) + ["u"] * (len(pairs) % 2), **more}
    )


# Pairs of item and rater, and what they are: kind, distinct pairs over items × raters, connected blocks.
DESIGNS = {
    "crossed": ([(i, r) for i in range(3) for r in range(4)], ("crossed", 1.0, 1)),
    "one rater": ([(i, 0) for i in range(3)], ("crossed", 1.0, 1)),
    "all but one of 20 cells": ([(i, r) for i in range(5) for r in range(4) if i + r < 7], ("crossed", 0.95, 1)),
    "two full blocks": ([(i, r) for i in range(4) for r in range(4) if i // 2 == r // 2], ("batches", 0.5, 2)),
    "blocks of unlike size": ([(0, 0), (0, 1), (1, 2), (2, 2), (3, 2)], ("batches", 5 / 12, 2)),
    "two blocks with holes": ([(0, 0), (1, 1), (2, 1), (0, 2), (3, 3), (2, 3), (3, 4)], ("sparse", 7 / 20, 2)),
    "a chain": ([(0, 0), (0, 1), (1, 1), (1, 2), (2, 2), (2, 3)], ("sparse", 0.5, 1)),
    "a pair twice": ([(0, 0), (0, 0), (0, 1), (1, 0), (1, 1)], ("crossed", 1.0, 1)),
}  # fmt: skip


@pytest.mark.parametrize("name", DESIGNS)
def test_designs_are_recognised(name: str) -> None:
    pairs, (kind, fill, blocks) = DESIGNS[name]
    found = topology(table(pairs))
    assert (found.kind, found.blocks) == (kind, blocks)
    assert found.fill == pytest.approx(fill, rel=1e-15)
    raters = sorted({rater for _, rater in pairs})
    assert known(found.items_per_rater).tolist() == [len({i for i, r in pairs if r == rater}) for rater in raters]


def test_anonymous_data_have_no_design() -> None:
    found = topology(read_ratings({"item": ["a", "a"], "response": ["u", "v"]}))
    assert (found.kind, found.fill, found.blocks, found.items_per_rater) == ("anonymous", None, None, None)


def test_the_tally_sorts_adds_up_and_falls_back_to_columns_when_one_integer_is_too_small(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(1)
    item, rater, response = (rng.integers(n, size=300).astype(np.int32) for n in (7, 5, 3))
    ones, sizes = np.ones(300, dtype=np.int64), (5, 3)
    fast = tally_module._distinct_rows([item, rater, response], ones, *sizes)
    found, times = np.unique(np.stack([item, rater, response]), axis=1, return_counts=True)
    for ours, reference in zip(fast, [*found, times], strict=True):
        np.testing.assert_array_equal(ours, reference)
    # The same rows with codes so large that a key of one integer would overflow: 2**31 items x 2**20 x 2**13.
    large = tally_module._distinct_rows([item * np.int32(2**28), rater, response], ones, 2**20, 2**13)
    np.testing.assert_array_equal(large[0], fast[0].astype(np.int64) * 2**28)
    for ours, reference in zip(large[1:], fast[1:], strict=True):
        np.testing.assert_array_equal(ours, reference)


def test_weights_are_added_up() -> None:
    item = np.array([1, 0, 1], dtype=np.int32)
    zero = np.zeros(3, dtype=np.int32)
    rows = tally_module._distinct_rows([item, zero[:1], zero], np.array([2, 3, 5]), 1, 1)
    assert [column.tolist() for column in rows] == [[0, 1], [0, 0], [0, 0], [3, 7]]


def test_two_names_with_one_hash_are_still_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names are joined by a 64-bit hash; when two collide, by themselves."""
    names = pl.Series(["b", None, "a", "b"])
    monkeypatch.setattr(pl.Series, "hash", lambda self: pl.Series([7] * len(self), dtype=pl.UInt64))
    codes, sorted_names = tally_module.encode(names)
    assert (codes.tolist(), sorted_names.to_list()) == ([2, 0, 1, 2], [None, "a", "b"])


def test_summaries_are_counts_or_sorted_values() -> None:
    counted = read_ratings({"item": ["a", "a", "b"], "score": [3, 1, 3]}, scale="interval")
    assert isinstance(counted.summary, Counts)
    assert counts_of(counted.summary).tolist() == [[1, 1], [0, 1]]
    score = [(k * 37 % 150) / 8 for k in range(150)]
    sorted_values = read_ratings({"item": [k % 4 for k in range(150)], "score": score})
    assert isinstance(sorted_values.summary, Values)
    for item in range(4):
        mine = sorted(score[k] for k in range(150) if k % 4 == item)
        assert sorted_values.summary.values[item, : len(mine)].tolist() == mine
        assert sorted_values.summary.size[item] == len(mine)


def test_levels_can_be_added_only_to_an_interval_scale() -> None:
    scores = read_ratings({"item": ["a", "b"], "score": [0.5, 2.5]}, scale="interval")
    assert known(scores.on_levels(np.array([1.0])).scale.levels).tolist() == [0.5, 1.0, 2.5]
    with pytest.raises(TypeError, match="interval"):
        read_ratings({"item": ["a"], "label": ["x"]}).on_levels(np.array([1.0]))


def test_some_items_can_be_kept() -> None:
    ratings = read_ratings(
        {
            "item": list("aabbcc"),
            "rater": list("xyxzyz"),
            "response": list("uvuuvv"),
            "topic": ["s", "s", "t", "t", "s", "s"],
            "age": ["1", "2", "1", "2", "2", "2"],
        }
    )
    kept = ratings.keep(np.array([True, False, True]))
    assert (kept.items.to_list(), known(kept.raters).to_list()) == (["a", "c"], ["x", "y", "z"])
    assert (kept.item.tolist(), known(kept.rater).tolist(), kept.response.tolist()) == (
        [0, 0, 1, 1],
        [0, 1, 1, 2],
        [0, 1, 1, 1],
    )
    assert kept.item_groups["topic"].code.tolist() == [0, 0]
    assert kept.rater_groups["age"].code.tolist() == [0, 1, 1]
    alone = ratings.keep(np.array([True, False, False]))
    assert (known(alone.raters).to_list(), alone.rater_groups["age"].code.tolist()) == (["x", "y"], [0, 1])


def test_the_load_report_names_every_guess_and_the_flag_that_overrides_it() -> None:
    ratings = read_ratings(
        {
            "task": ["a", "a", "b", "b", "b"],
            "worker": ["x", "y", "x", "x", "y"],
            "stars": ["1", "2", "3", "3", None],
            "topic": ["s", "s", "t", "t", "t"],
        }
    )
    report = "\n".join(load_report(ratings))
    for words in (
        "5 rows, 4 responses on 2 items by 2 raters",
        "2 / 2 / 2 (min / median / max)",
        "item = task (--item-column), rater = worker (--rater-column), response = stars (--response-column)",
        "ordinal, 3 categories: 1, 2, 3, a guess (--scale)",
        "1 rater–item pair answered more than once, all kept (--duplicates)",
        "1 row without a response dropped",
    ):
        assert words in report


def test_bad_options_are_refused_in_python_too() -> None:
    with pytest.raises(InputError, match="'ordnal' is not a scale"):
        read_ratings({"item": ["a"], "label": ["x"]}, scale=cast(Any, "ordnal"))
    with pytest.raises(InputError, match="'square' is not a layout"):
        read_ratings({"item": ["a"], "label": ["x"]}, layout=cast(Any, "square"))
    with pytest.raises(InputError, match="needs numbers"):
        read_ratings({"item": ["a"], "label": ["1"]}, scale="interval", order=["low", "high"])
