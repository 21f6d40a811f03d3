"""Decimal commas: recognised where they can be nothing else, refused where they may mean two things."""

import polars as pl
import pytest

from quorate import InputError
from quorate.data.numerals import guess_decimal, read_decimals, with_points
from quorate.data.reading import DecimalMark


@pytest.mark.parametrize(
    ("labels", "decimal"),
    [
        (["1,5", "2"], ","),
        ([",5", "k.A.", "2"], ","),
        (["0,250", "0,500"], ","),
        (["1,5", "yes", "no", "maybe"], None),
        (["1.5", "2,5"], None),
        (["1,500", "2"], None),
        (["1", "2"], None),
    ],
)
def test_a_comma_is_decimal_where_it_can_be_nothing_else(labels: list[str], decimal: str | None) -> None:
    assert guess_decimal(pl.Series(labels)) == decimal


@pytest.mark.parametrize(
    ("decimal", "written", "plain"),
    [(",", "1,5", "1.5"), (",", "1.234,5", "1234.5"), (".", "1,234.5", "1234.5"), (",", "gut", "gut"), (".", "2", "2")],
)
def test_numbers_are_written_with_a_point(decimal: DecimalMark, written: str, plain: str) -> None:
    assert with_points(pl.Series([written]), decimal).to_list() == [plain]


def test_a_comma_that_may_stand_between_thousands_is_refused_until_somebody_says() -> None:
    cells = pl.Series(["1,500", "12"])
    with pytest.raises(InputError, match=r"r\.csv.*'1,500'.*--decimal"):
        read_decimals(cells, None, "r.csv")
    assert read_decimals(cells, ",", "r.csv")[0].to_list() == ["1.500", "12"]
    assert read_decimals(cells, ".", "r.csv")[0].to_list() == ["1500", "12"]
