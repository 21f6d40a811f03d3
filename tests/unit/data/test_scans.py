"""Tables left where they are give the ratings of the same table read whole, whatever holds them."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from quorate import InputError, describe, read_ratings
from quorate.data.frames import open_frame, tally_long
from quorate.data.reading import Reading
from quorate.data.scans import scan_large
from quorate.data.sqlite_query import SqliteQuery
from quorate.results.files import check_output
from tests.ratings import Same

duckdb = pytest.importorskip("duckdb")

N = 300
RNG = np.random.default_rng(1)
ITEM, RATER = RNG.integers(20, size=N), RNG.integers(6, size=N)
TABLE = pl.DataFrame(
    {
        "item": [f"q{code}" for code in ITEM],
        "rater": RATER,
        "response": [None if draw > 0.95 else float(round(4 * draw)) for draw in RNG.random(N)],
        "topic": [("food", "sport", None)[code % 3] for code in ITEM],
        "year": [2020 + int(code) % 2 for code in RATER],
        "note": [f"remark {row}" for row in range(N)],
    }
)


def folder(path: Path) -> str:
    (path / "deep").mkdir()
    TABLE[:100].write_parquet(path / "a.parquet")
    TABLE[100:].write_parquet(path / "deep" / "b.parquet")
    return str(path)


def pattern(path: Path) -> str:
    folder(path)
    return f"{path}/**/*.parquet"


def partitions(path: Path) -> str:
    for (year,), part in TABLE.group_by("year"):
        (path / "hive" / f"year={year}").mkdir(parents=True)
        part.drop("year").write_parquet(path / "hive" / f"year={year}" / "0.parquet")
    return str(path / "hive")


def duck(path: Path) -> str:
    base, rows = duckdb.connect(str(path / "votes.db")), TABLE
    base.execute("CREATE TABLE votes AS SELECT * FROM rows")
    base.close()
    assert len(rows) == N
    return f"duckdb:{path}/votes.db?votes"


def duck_query(path: Path) -> str:
    return f"{duck(path)}".replace("?votes", "?SELECT * FROM votes WHERE 1 = 1")


def lite(path: Path) -> str:
    base = sqlite3.connect(path / "votes.db")
    base.execute("CREATE TABLE votes (item, rater, response, topic, year, note)")
    base.executemany("INSERT INTO votes VALUES (?, ?, ?, ?, ?, ?)", TABLE.rows())
    base.commit()
    base.close()
    return f"sqlite:{path}/votes.db?votes"


PLACES: dict[str, Callable[[Path], str]] = {
    each.__name__: each for each in (folder, pattern, partitions, duck, duck_query, lite)
}


@pytest.mark.parametrize("place", PLACES)
def test_every_place_gives_the_same_ratings(place: str, tmp_path: Path, assert_same: Same) -> None:
    assert_same(read_ratings(PLACES[place](tmp_path)), read_ratings(TABLE))


def test_a_text_with_nothing_in_it_is_missing_in_every_place(tmp_path: Path, assert_same: Same) -> None:
    text = TABLE.select("item", pl.col("rater", "response").cast(pl.String))
    for number, item in enumerate([("item",), ("item", "rater")]):
        rows = text.with_columns(pl.when(pl.int_range(pl.len()) % 50 > 0).then(pl.col("rater")).alias("rater"))
        rows = rows if number == 0 else rows.filter(pl.col("rater").is_not_null())
        at = tmp_path / str(number)
        at.mkdir()
        rows.with_columns(pl.all().fill_null("")).write_parquet(at / "a.parquet")
        name = ",".join(item)
        assert_same(read_ratings(at, item_column=name), read_ratings(rows, item_column=name))


@pytest.mark.parametrize("place", [duck, lite])
@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM votes ; ",
        "select\n* from votes",
        "/* all\nof them */ SELECT * FROM votes",
        "-- all\nSELECT * FROM votes",
        "SELECT * FROM votes -- all",
        "WITH v AS (SELECT * FROM votes)\nSELECT * FROM v;",
    ],
)
def test_a_query_is_told_from_a_table(
    query: str, place: Callable[[Path], str], tmp_path: Path, assert_same: Same
) -> None:
    assert_same(read_ratings(place(tmp_path).replace("?votes", f"?{query}")), read_ratings(TABLE))


@pytest.mark.parametrize("place", ["folder", "duck"])
def test_anonymous_ratings_are_counted_where_they_are(place: str, tmp_path: Path, assert_same: Same) -> None:
    nobody = TABLE.drop("rater")
    source = PLACES[place](tmp_path)
    if place == "folder":
        nobody[:150].write_parquet(tmp_path / "a.parquet")
        nobody[150:].write_parquet(tmp_path / "deep" / "b.parquet")
    else:
        source = f"duckdb:{tmp_path}/votes.db?SELECT item, response, topic, year, note FROM votes"
    assert_same(read_ratings(source), read_ratings(nobody))


def test_rows_of_a_scan_come_as_codes(tmp_path: Path) -> None:
    long = tally_long(open_frame(pl.scan_parquet(f"{folder(tmp_path)}/**/*.parquet")), Reading())
    assert long is not None
    assert set(long.table.names) == {"item", "rater", "response", "topic", "year"}
    assert [long.table.frame[name].dtype for name in ("item", "rater", "response")] == [pl.Int8] * 3
    assert "note" not in long.table.frame.columns  # it differs in every row


def test_a_large_file_is_scanned_and_a_small_one_read(tmp_path: Path) -> None:
    folder(tmp_path)
    assert scan_large(tmp_path / "a.parquet", large=10) is not None
    assert scan_large(tmp_path / "a.parquet") is None
    (tmp_path / "a.csv").write_text("item,rater,response\n" * 100)
    assert scan_large(tmp_path / "a.csv", large=10) is None


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("{}/empty", "is a directory without Parquet files"),
        ("{}/*.txt", "names no file"),
        ("{}/*.csv", "not Parquet"),
        ("duckdb:{}/none.db?votes", "There is no file"),
        ("duckdb:{}/odd.csv?votes", "does not answer"),
        ("sqlite:{}/odd.csv?votes", "does not answer"),
        ("sqlite:{}/odd.csv", "does not say what to read"),
        ("{}/broken", "cannot be read as one table"),
    ],
)
def test_what_cannot_be_read_is_a_sentence(source: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "a.parquet").write_text("no Parquet")
    (tmp_path / "odd.csv").write_text("a,b\n1,2\n" * 100)
    with pytest.raises(InputError, match=sentence):
        read_ratings(source.format(tmp_path))


def test_a_file_of_a_folder_is_an_input(tmp_path: Path) -> None:
    source = folder(tmp_path)
    assert str(tmp_path / "a.parquet") in describe(source).inputs or describe(source).inputs == (source,)
    with pytest.raises(InputError, match="is an input"):
        check_output(tmp_path / "a.parquet", describe(source).inputs)
    with pytest.raises(InputError, match="is an input"):
        check_output(tmp_path / "a.parquet", [f"duckdb:{tmp_path}/a.parquet?t"])
    check_output(tmp_path / "b.parquet", describe(source).inputs)


def base_with(path: Path, *statements: str) -> str:
    base = sqlite3.connect(path / "x.db")
    for statement in statements:
        base.execute(statement)
    base.commit()
    base.close()
    return f"sqlite:{path}/x.db?"


def test_a_column_of_several_kinds_is_text(tmp_path: Path) -> None:
    rows = "('q1', 'a', 1), (2, 'a', 1.5), ('q1', 'b', 1), (2, 'b', 2)"
    place = base_with(tmp_path, "CREATE TABLE votes (item, rater, response)", f"INSERT INTO votes VALUES {rows}")
    ratings = read_ratings(f"{place}votes")
    assert (ratings.items.to_list(), ratings.n_raters) == (["2", "q1"], 2)
    assert ratings.scale.categories == ("1", "1.5", "2")


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("SELECT * FROM endless", "gives more than 1,000 rows"),
        ("SELECT * FROM idle", "does not answer .interrupted"),
        ("SELECT * FROM bytes", "holds text that is not UTF-8|does not answer .Could not decode"),
        ("SELECT zeroblob(100000000) AS item", "does not answer .string or blob too big"),
        ("SELECT 1 AS item, 2 AS item", "two columns of one name"),
        ("SELECT", "does not answer"),
    ],
)
def test_what_has_no_end_or_is_no_text_is_refused(query: str, sentence: str, tmp_path: Path) -> None:
    """A view may be a trap for whoever reads it."""
    numbers = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS item FROM n"
    base_with(
        tmp_path,
        f"CREATE VIEW endless AS {numbers}",
        f"CREATE VIEW idle AS {numbers} WHERE x < 0",
        "CREATE TABLE bytes (item, response)",
        "INSERT INTO bytes VALUES (CAST(x'ff41' AS TEXT), 1)",
    )
    with pytest.raises(InputError, match=sentence):
        SqliteQuery(tmp_path / "x.db", query, most_rows=1000, most_steps=3_000_000).rows()


def test_a_query_without_an_end_is_refused(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="the database needs duckdb")
    duckdb.connect(str(tmp_path / "x.db")).close()
    with pytest.raises(InputError, match=r"generate_series\(1, 100000000000\) has more than 5,000,000 rows"):
        describe(f"duckdb:{tmp_path / 'x.db'}?select * from generate_series(1, 100000000000)")


def test_a_folder_with_a_name_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "\udcff.parquet"
    folder.mkdir()
    (folder / "a.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError, match="a Parquet file has a name that is not UTF-8"):
        describe(folder)
