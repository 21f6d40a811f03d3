"""Any long table survives a round trip through CSV, JSON lines and Parquet, and the order of rows changes nothing."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quorate import describe, read_ratings
from quorate.data.ratings import Ratings
from quorate.data.scale import Scale
from tests.ratings import Same, known
from tests.studies import pick

# The same examples every time; 800 random ones of each were tried while this was written.
QUIET = settings(
    deadline=None,
    max_examples=pick(20, 40),
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)

# Any text a CSV cell can hold but the empty one, which is missing; surrogates are not UTF-8. A lone carriage return
# inside a cell is kept too, for the cell is quoted.
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=6)
NAMES = st.one_of(st.sampled_from(["q1", "q2", "10", "-1", "0", "n/a", "NaN", "007", " x ", '"', ",", "ä\n€"]), TEXT)
WORDS = st.sampled_from(["yes", "no", "n/a", "it, depends", '"so"', "two\nlines", "ünsure", "-1 or so "])
PLAIN_WORDS = WORDS.filter(lambda word: word != "n/a")  # alone, or among numbers, it means missing
NUMBERS = st.one_of(st.integers(-5, 5), st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: x + 0.0))


@st.composite
def tables(draw: st.DrawFn, answers: st.SearchStrategy[Any]) -> dict[str, list[Any]]:
    n = draw(st.integers(1, 25))
    items, raters = (draw(st.lists(NAMES, min_size=1, max_size=5, unique=True)) for _ in range(2))
    pick = st.lists(st.integers(0, 4), min_size=n, max_size=n)
    table: dict[str, list[Any]] = {
        "item": [items[k % len(items)] for k in draw(pick)],
        "rater": [raters[k % len(raters)] for k in draw(pick)],
        "response": draw(st.lists(st.one_of(answers, st.none()), min_size=n, max_size=n)),
    }
    table["response"][0] = draw(answers)
    return table


def write(table: dict[str, list[Any]], path: Path) -> Path:
    if path.suffix == ".jsonl":
        rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif path.suffix == ".csv":
        pl.DataFrame(table, strict=False).write_csv(path)
    else:
        pl.DataFrame(table, strict=False).write_parquet(path)
    return path


def tally(ratings: Ratings, label: Callable[[Scale, int], Any]) -> Counter[Any]:
    """Count responses by the names of item and rater and by the label, one by one."""
    rows = zip(
        ratings.item.tolist(), known(ratings.rater).tolist(), ratings.response.tolist(), ratings.count, strict=True
    )
    return Counter(
        {(ratings.items[i], known(ratings.raters)[r], label(ratings.scale, y)): int(n) for i, r, y, n in rows}
    )


def expected(table: dict[str, list[Any]]) -> Counter[Any]:
    return Counter(row for row in zip(*table.values(), strict=True) if row[2] is not None)


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
@given(table=tables(WORDS))
@QUIET
def test_words_survive_a_round_trip(table: dict[str, list[Any]], suffix: str, tmp_path: Path) -> None:
    found = read_ratings(write(table, tmp_path / f"r{suffix}"), scale="nominal")
    assert tally(found, lambda scale, code: scale.categories[code]) == expected(table)


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
@given(table=tables(NUMBERS))
@QUIET
def test_numbers_survive_a_round_trip(table: dict[str, list[Any]], suffix: str, tmp_path: Path) -> None:
    table["response"] = [None if x is None else float(x) for x in table["response"]]
    found = read_ratings(write(table, tmp_path / f"r{suffix}"), scale="interval")
    assert tally(found, lambda scale, code: float(known(scale.levels)[code])) == expected(table)


@given(table=tables(st.one_of(PLAIN_WORDS, st.integers(-2, 12).map(str))), order=st.randoms(use_true_random=False))
@settings(QUIET, max_examples=20)
def test_the_order_of_rows_changes_nothing(table: dict[str, list[Any]], order: Any, assert_same: Same) -> None:
    place = list(range(len(table["item"])))
    order.shuffle(place)
    shuffled = {name: [cells[k] for k in place] for name, cells in table.items()}
    assert_same(read_ratings(shuffled), read_ratings(table))
    assert describe(shuffled).to_dict() == describe(table).to_dict()


@given(table=tables(NUMBERS), seed=st.integers(0, 5))
@QUIET
def test_nameless_raters_and_groups_do_not_depend_on_the_order_either(
    table: dict[str, list[Any]], seed: int, assert_same: Same
) -> None:
    """A third of the raters lose their name, and a column describes the items."""
    frame = pl.DataFrame(table, strict=False).with_columns(
        rater=pl.when(pl.int_range(pl.len()) % 3 == 0).then(None).otherwise("rater"),
        topic=pl.col("item").str.slice(0, 1),
    )
    assert_same(read_ratings(frame.sample(fraction=1, shuffle=True, seed=seed)), read_ratings(frame))


def test_a_table_that_is_changed_is_seen_to_change(assert_same: Same) -> None:
    """Negative control of the comparison."""
    table = {"item": ["a", "a", "b"], "rater": ["x", "y", "x"], "response": ["yes", "no", "no"]}
    with pytest.raises(AssertionError):
        assert_same(read_ratings({**table, "response": ["no", "no", "yes"]}), read_ratings(table))


def test_ten_thousand_names_that_look_alike_are_kept_apart() -> None:
    """Names are joined by their hash: equal codes only for equal names."""
    names = [f"{a}{'x' * b}" for a in range(100) for b in range(100)]
    found = read_ratings({"item": names, "response": np.arange(len(names)) % 2})
    assert found.items.to_list() == sorted(names)
    assert dict(zip(found.items.to_list(), found.response.tolist(), strict=True)) == {
        name: k % 2 for k, name in enumerate(names)
    }
