"""Dates of years that no calendar has stand as their number; all others are read as before."""

from pathlib import Path

import polars as pl
import pytest

from quorate import convert, describe, read_ratings
from quorate.data.dates import with_plain_dates

KINDS = (pl.Date, pl.Datetime("ms"), pl.Datetime("us"), pl.Datetime("ms", "Europe/Vienna"))
LONG = {"item": ["a", "a", "b", "b"], "rater": ["r", "s", "r", "s"], "response": ["no", "yes", "no", "no"]}


def beyond(kind: pl.DataType) -> pl.Series:
    """Return a date that is one, infinity as databases write it, the other end, and nothing."""
    most = 2**31 - 1 if kind == pl.Date else 2**63 - 1
    return pl.Series([19_000, most, -most, None], dtype=pl.Int64).cast(kind)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_date_stands_as_its_number(kind: pl.DataType) -> None:
    column = beyond(kind)
    first = column.head(1).cast(pl.String).item()
    numbers = column.to_physical().cast(pl.String).to_list()
    frame = pl.DataFrame({"x": column})
    found = with_plain_dates(frame)
    assert found["x"].to_list() == [first, *numbers[1:]]
    assert with_plain_dates(frame.lazy()).collect().equals(found)


def test_dates_are_left_alone_in_a_table_at_hand() -> None:
    frame = pl.DataFrame({"x": pl.Series([-700_000, 0, 2_900_000], dtype=pl.Int64).cast(pl.Date), "y": [1, 2, 3]})
    assert with_plain_dates(frame).equals(frame)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("column", ["item", "rater", "response", "until"])
def test_a_file_with_infinity_in_it_is_read(column: str, kind: pl.DataType, tmp_path: Path) -> None:
    frame = pl.DataFrame({**LONG, column: beyond(kind)})
    frame.head(3).write_parquet(tmp_path / "t.parquet")
    (tmp_path / "parts").mkdir()
    frame.head(3).write_parquet(tmp_path / "parts" / "t.parquet")
    for source in (tmp_path / "t.parquet", tmp_path / "parts", frame.head(3), frame.head(3).lazy()):
        assert describe(source).ratings.n_responses == 3
        assert convert(source).to_frame().height == 3


def test_a_database_with_infinity_in_it_is_read(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    base = duckdb.connect(str(tmp_path / "t.db"))
    base.execute(
        "CREATE TABLE t AS SELECT i // 2 AS item, i % 2 AS rater, i % 3 AS response, 'infinity'::TIMESTAMP AS until,"
        " '-infinity'::DATE AS since FROM range(8) r(i)"
    )
    base.close()
    source = f"duckdb:{tmp_path}/t.db?t"
    assert convert(source).to_frame().height == 8
    assert list(read_ratings(source, item_column="until").items) == [str(2**63 - 1)]
