"""Decimal commas: recognised where they can be nothing else, refused where they may mean two things."""

import polars as pl
import pytest

from quorate import InputError, compare
from quorate.data.numerals import guess_decimal, read_decimals, read_numerals, with_points
from quorate.data.read_ratings import read_ratings
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


@pytest.mark.parametrize(
    ("labels", "plain", "unit"),
    [
        (["50 %", "7,5 %"], ["50", "7.5"], "%"),
        (["50%", "n/a"], ["50", "n/a"], "%"),
        (["$1,234.50", "$-2.00"], ["1234.50", "-2.00"], "$"),
        (["-€5", "10 €"], ["-5", "10"], "€"),
        (["1.234,5", "2"], ["1234.5", "2"], ""),
        (["1,234.5", "2"], ["1234.5", "2"], ""),
        (["1.234.567", "1.234"], ["1234567", "1234"], ""),
        (["1 234", "12"], ["1234", "12"], ""),
        (["1'234.5", "12"], ["1234.5", "12"], ""),
        (["−3", "3"], ["-3", "3"], ""),
    ],
)
def test_signs_and_thousands_are_left_out_with_a_note(labels: list[str], plain: list[str], unit: str) -> None:
    read = read_numerals(pl.Series(labels), None, "r.csv")
    assert (read.labels.to_list(), read.unit) == (plain, unit)
    assert read.notes or labels == ["−3", "3"]


@pytest.mark.parametrize(
    "labels",
    [
        ["50 %", "0.5"],  # is that half, or a half per cent?
        ["5 €", "$5"],
        ["1.234,5", "1,234.5"],
        ["1.234,5", "2.5"],
        ["1,234,567", "2,5"],
    ],
)
def test_numbers_written_in_two_ways_are_refused(labels: list[str]) -> None:
    with pytest.raises(InputError, match=r"r\.csv, column 'x': '.*' and '.*' do not .*; write all of them one way"):
        read_numerals(pl.Series(labels), None, "r.csv, column 'x'")


@pytest.mark.parametrize("labels", [["50 %", "good", "bad"], ["< 10 %", "10–20 %"], ["4/5", "5/5"], ["a", "b"]])
def test_words_stay_words(labels: list[str]) -> None:
    assert read_numerals(pl.Series(labels), None, "r.csv").labels.to_list() == labels


def test_a_point_that_may_stand_between_thousands_is_pointed_at() -> None:
    assert read_numerals(pl.Series(["1.250", "2.500"]), None, "r.csv").notes
    assert not read_numerals(pl.Series(["0.250", "2.500"]), None, "r.csv").notes
    assert read_numerals(pl.Series(["1.250", "2.500"]), ",", "r.csv").labels.to_list() == ["1250", "2500"]


RATED = {"item": [1, 1, 2, 2, 3, 3], "rater": [*"ab"] * 3, "response": ["50 %", "10 %", "75 %", "50 %", "0 %", "10 %"]}


def test_percentages_are_numbers_in_every_layout() -> None:
    long = read_ratings(RATED)
    wide = read_ratings({"item": [1, 2, 3], "ann": RATED["response"][::2], "ben": RATED["response"][1::2]})
    for ratings in (long, wide):
        assert ratings.scale.levels is not None
        assert ratings.scale.levels.tolist() == [0, 10, 50, 75]
        assert any("the sign % is left out" in note for note in ratings.notes)
    assert read_ratings(RATED, scale="nominal").scale.categories == ("0 %", "10 %", "50 %", "75 %")


def test_answers_that_carry_no_sign_are_not_held_against_ratings_that_do() -> None:
    said = {"item": [1, 2, 3] * 2, "system": [*"aaabbb"], "response": ["50 %", "75 %", "0 %", "10 %", "10 %", "10 %"]}
    assert compare(RATED, said).pairs[0].score_a is not None
    with pytest.raises(InputError, match="answers and ratings carry no sign and the sign %; write both alike"):
        compare(RATED, {**said, "response": ["0.5", "0.75", "0", "0.1", "0.1", "0.1"]})


def test_ratings_that_only_begin_with_a_number_are_pointed_at() -> None:
    ratings = read_ratings({**RATED, "response": ["4/5", "3/5", "2/5", "4/5", "3/5", "5/5"]})
    assert any("begin with a number but are words" in note for note in ratings.notes)
