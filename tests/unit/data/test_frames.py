"""A data frame of any engine gives the same ratings as the file, and the engine does the group-by."""

import sqlite3
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
import pytest

from quorate import InputError, convert, describe, estimate, read_ratings
from quorate.data.ratings import Ratings
from tests.draws import counts_of
from tests.ratings import Same

pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")
duckdb = pytest.importorskip("duckdb")
ibis = pytest.importorskip("ibis")

RNG = np.random.default_rng(0)
N = 400
ITEM = RNG.integers(12, size=N).tolist()
RATER = RNG.integers(5, size=N).tolist()
# Few distinct rows, many repeats, some responses and raters missing; a column about items, one about raters, one
# about neither.
TABLE = pl.DataFrame(
    {
        "task": [f"t{code:02}" for code in ITEM],
        "worker": [None if code == 4 else f"w{code}" for code in RATER],
        "label": [None if draw > 0.9 else "yes" if draw > 0.4 else "no" for draw in RNG.random(N)],
        "topic": [("food", "sport", "law")[code % 3] for code in ITEM],
        "year": [2000 + code // 2 for code in RATER],
        "clock": list(range(N)),
    }
)


def relation(votes: Any) -> Any:
    return duckdb.sql("select * from votes")


ENGINES: dict[str, Callable[[Any], Any]] = {
    "polars": lambda table: table,
    "polars, lazy": lambda table: table.lazy(),
    "pandas": lambda table: table.to_pandas(),
    "pandas on arrow": lambda table: table.to_pandas(use_pyarrow_extension_array=True),
    "pandas, categories": lambda table: table.to_pandas().astype({"label": "category", "worker": "category"}),
    "arrow": lambda table: table.to_arrow(),
    "duckdb": relation,
    "ibis": lambda table: ibis.memtable(table.to_arrow()),
    "narwhals": lambda table: nw.from_native(table),
}


@pytest.fixture(scope="module")
def from_file(tmp_path_factory: pytest.TempPathFactory) -> Ratings:
    path = tmp_path_factory.mktemp("frames") / "votes.csv"
    TABLE.write_csv(path)
    return read_ratings(path)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_frame_gives_the_ratings_of_the_file(engine: str, from_file: Ratings, assert_same: Same) -> None:
    assert_same(read_ratings(ENGINES[engine](TABLE)), from_file)
    assert set(from_file.item_groups) == {"topic"}


@pytest.mark.parametrize("engine", ENGINES)
def test_a_text_with_nothing_in_it_is_missing_as_in_a_file(engine: str, from_file: Ratings, assert_same: Same) -> None:
    """Else nobody would be a person with votes, and nothing a category, but for who writes CSV."""
    empty = TABLE.with_columns(pl.col("worker", "label").fill_null(""))
    found = read_ratings(ENGINES[engine](empty))
    assert_same(found, from_file)
    assert found.scale.categories == ("no", "yes")


@pytest.mark.parametrize("engine", ["pandas", "duckdb", "ibis", "polars, lazy"])
def test_several_item_columns_are_joined_as_in_a_file(engine: str, assert_same: Same) -> None:
    rated: dict[str, Any] = {"item_column": "task,year"}
    assert_same(read_ratings(ENGINES[engine](TABLE), **rated), read_ratings(TABLE, **rated))


@pytest.mark.parametrize("engine", ["duckdb", "ibis"])
def test_only_the_tally_leaves_the_engine(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four hundred rows go in; what comes out has a row for each distinct task, worker and label."""
    brought = []
    collect = nw.LazyFrame.collect

    def watch(frame: Any, *arguments: Any, **options: Any) -> Any:
        result = collect(frame, *arguments, **options)
        brought.append(len(result))
        return result

    monkeypatch.setattr(nw.LazyFrame, "collect", watch)
    read_ratings(ENGINES[engine](TABLE))
    distinct = TABLE.select("task", "worker", "label").n_unique()
    assert brought == [distinct, 1]  # and a row that says how many different clocks there are
    assert distinct < N / 2


def test_numbers_and_missing_numbers_of_pandas() -> None:
    frame = pandas.DataFrame({"item": [1, 1, 2, 2], "rater": ["a", "b", "a", "b"], "score": [0.5, float("nan"), 2, 3]})
    found = read_ratings(frame)
    assert (found.items.to_list(), found.n_responses, found.scale.kind) == (["1", "2"], 3, "interval")
    whole = read_ratings(frame.assign(score=[1.0, float("nan"), 2, 3]))
    assert whole.scale.categories == ("1", "2", "3")


@pytest.mark.parametrize("engine", ["pandas", "duckdb"])
def test_wide_frames_are_read_too(engine: str) -> None:
    table = pl.DataFrame({"item": ["a", "b"], "rater1": ["yes", "no"], "rater2": ["no", None]})
    found = read_ratings(ENGINES[engine](table))
    assert counts_of(found.summary).tolist() == [[1, 1], [1, 0]]


def test_rules_for_duplicates_use_the_order_of_the_frame() -> None:
    table = TABLE.filter(pl.col("worker").is_not_null())
    for rule in ("first", "last"):
        ours = read_ratings(table.to_pandas(), duplicates=rule)
        assert ours.n_responses == table.drop_nulls("label").select("task", "worker").n_unique()
        assert counts_of(ours.summary).tolist() == counts_of(read_ratings(table, duplicates=rule).summary).tolist()
    with pytest.raises(InputError, match="the data frame: rater 'w"):
        read_ratings(table.to_pandas(), duplicates="error")


def test_a_frame_without_responses_is_refused() -> None:
    with pytest.raises(InputError, match="the data frame has no response column, only task, worker"):
        read_ratings(TABLE.select("task", "worker").to_pandas())


def test_an_engine_that_fails_while_it_counts_is_quoted() -> None:
    damaged = "CASE WHEN i < 5 THEN 'yes' ELSE error('block 7 is corrupt') END"
    relation = duckdb.sql(f"SELECT i AS item, 'r' AS rater, {damaged} AS response FROM range(9) t(i)")
    with pytest.raises(InputError, match=r"duckdb says .*block 7 is corrupt"):
        read_ratings(relation)


@pytest.mark.parametrize(
    "broken",
    [
        pl.LazyFrame({"item": [1]}).select("nope"),
        pl.LazyFrame({"item": [1]}).with_columns(pl.col("item").str.to_lowercase()),
        pl.scan_parquet("nowhere/none.parquet"),
    ],
    ids=["column", "type", "file"],
)
def test_a_lazy_table_that_cannot_be_is_a_sentence(broken: pl.LazyFrame) -> None:
    with pytest.raises(InputError, match="the data frame cannot be read"):
        read_ratings(broken)


def test_a_lazy_table_that_breaks_off_is_a_sentence() -> None:
    words = pl.LazyFrame({"item": ["a"], "rater": ["x"], "response": ["yes"]})
    with pytest.raises(InputError, match="the data frame cannot be read as one table"):
        read_ratings(words.with_columns(pl.col("response").cast(pl.Int64)))


class Nameless:
    """What can be written neither as text nor as a number."""

    def __str__(self) -> str:
        raise RuntimeError("no words for it")


ODD_CELLS: dict[str, Any] = {
    "lists": [[1], [2]],
    "objects": [{"a": 1}, {"a": 2}],
    "no text": [Nameless(), Nameless()],
    "words among numbers": [1, "a"],
    "half a character": ["\ud800", "a"],
    "a long number": [10**30, 1],
    "complex": np.array([1j, 2]),
    "long double": np.array([1, 2], dtype="longdouble"),
}


@pytest.mark.parametrize("verb", [read_ratings, describe, convert, estimate])
@pytest.mark.parametrize("cells", ODD_CELLS.values(), ids=list(ODD_CELLS))
def test_cells_that_no_library_hands_over_are_a_sentence(cells: Any, verb: Callable[[Any], object]) -> None:
    """In an index of objects, as pandas makes one of a sheet somebody wrote by hand."""
    kind = None if isinstance(cells, np.ndarray) else object
    frame = pandas.DataFrame({"item": ["a", "b"], "rater": ["r", "r"], "response": pandas.Series(cells, dtype=kind)})
    with pytest.raises(InputError, match=r"^(the data frame|the votes).*(; write|lists or objects)") as refusal:
        verb(frame)
    assert "\n" not in str(refusal.value)


def test_cells_of_256_bits_are_a_sentence() -> None:
    cells = pyarrow.array([Decimal("1.5"), Decimal("2.5")], pyarrow.decimal256(60, 3))
    with pytest.raises(InputError, match=r"^the data frame cannot be read \(.*Int256.*; write its columns"):
        read_ratings(pyarrow.table({"item": ["a", "b"], "response": cells}))


def test_columns_without_a_text_for_a_name_are_a_sentence() -> None:
    numbers = pandas.DataFrame(np.zeros((2, 3)))
    pairs = pandas.DataFrame(np.zeros((2, 1)), columns=pandas.MultiIndex.from_tuples([("a", "item")]))
    for frame, name in ((numbers, "0"), (pairs, r"\('a', 'item'\)"), ({"item": ["a"], 1: [2]}, "1")):
        with pytest.raises(InputError, match=rf"^[Tt]he data( frame)? has a column called {name}, which is no text"):
            describe(frame)
    twice = pandas.DataFrame([["a", 1, 2]], columns=["item", "response", "response"])
    with pytest.raises(InputError, match=r"^the data frame has two columns of one name; rename or drop one\.$"):
        describe(twice)


@pytest.mark.parametrize("cells", [{1, 2}, ["\ud800", "a"]], ids=["set", "half a character"])
def test_columns_that_are_no_lists_of_text_or_numbers_are_a_sentence(cells: Any) -> None:
    with pytest.raises(InputError, match=r"^The data cannot be read \(.*\); write its columns as text or numbers\.$"):
        describe({"item": ["a", "b"], "response": cells})


def test_a_score_is_chosen_from_logs_alone() -> None:
    with pytest.raises(InputError, match="no log of another tool, so --score and --filter would do nothing"):
        describe(TABLE, score="x")


def test_an_index_with_names_is_read_as_columns() -> None:
    """Else items would be numbered by their rows, and lined up with answers by these numbers."""
    rows = {"item": [7, 7, 8, 8], "rater": ["ann", "bob"] * 2, "response": ["yes", "no", "no", "no"]}
    long = pandas.DataFrame(rows)
    for frame in (long.set_index("item"), long.set_index(["item", "rater"])):
        assert read_ratings(frame).items.to_list() == ["7", "8"]
    wide = long.pivot(index="item", columns="rater", values="response")
    found = read_ratings(wide)
    assert (found.items.to_list(), found.n_raters) == (["7", "8"], 2)
    assert read_ratings(long.set_index(pandas.Index([4, 5, 6, 7]))).items.to_list() == ["7", "8"]


def test_values_that_mean_missing_are_left_out_of_numbers_and_categories_too() -> None:
    rows = pl.DataFrame({"item": [1, 1, 2, 2], "response": [3, -1, 4, 4], "word": ["x", "K.A.", "y", "y"]})
    for frame in (rows, rows.to_pandas(), rows.with_columns(pl.col("word").cast(pl.Categorical)).to_pandas()):
        assert read_ratings(frame, missing_values="-1").n_responses == 3
        assert read_ratings(frame, response_column="word", missing_values="k.a.").n_responses == 3


def test_a_column_called_by_a_star_is_one_column_in_a_database(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "base.db") as opened:
        opened.execute('CREATE TABLE ratings (item, rater, response, "*")')
        rows = [(f"q{k}", f"r{r}", (k + r) % 2, k) for k in range(4) for r in range(3)]
        opened.executemany("INSERT INTO ratings VALUES (?, ?, ?, ?)", rows)
    source = f"sqlite:{tmp_path / 'base.db'}?ratings"
    assert describe(source).to_dict()["responses"] == 12
    assert describe(source, rater_column="*").to_dict()["raters"] == 4
    with sqlite3.connect(tmp_path / "base.db") as opened:
        opened.execute('CREATE TABLE two AS SELECT item, "*" FROM ratings')
    with pytest.raises(InputError, match=r"no response column, only item, \*"):
        describe(f"sqlite:{tmp_path / 'base.db'}?two")
