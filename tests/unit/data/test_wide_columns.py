"""Columns of a wide table that are no raters: numbers of rows, remarks, what lies far from the others."""

import polars as pl
import pytest

from quorate import InputError
from quorate.data.wide_columns import split_alike

ANNA, BERND = ["1", "5", "3", "k.A."], ["2", "5", "4", "3"]


def split(**columns: list[str]) -> tuple[list[str], list[str]]:
    return split_alike("r.csv", [pl.Series(name, cells) for name, cells in columns.items()])


@pytest.mark.parametrize(
    "odd",
    [
        ["1", "2", "3", "4"],
        ["", "too long", "", "as above"],
        ["210", "181", "95", "400"],
        ["2024-01-03", "2024-01-04", "2024-01-03", "2024-01-05"],
    ],
)
def test_a_column_unlike_numbers_is_left_out(odd: list[str]) -> None:
    cells = [cell or None for cell in odd]
    columns = [pl.Series("odd", cells), pl.Series("anna", ANNA), pl.Series("bernd", BERND)]
    assert split_alike("r.csv", columns) == (["anna", "bernd"], ["odd"])


def test_a_column_of_words_nobody_else_uses_is_left_out() -> None:
    yes, no = ["yes", "no", "yes", "yes"], ["no", "no", "unsure", "yes"]
    assert split(a=yes, b=no, remark=["too long", "ok", "ok", "see above"]) == (["a", "b"], ["remark"])
    assert split(a=yes, b=no, length=["4", "5", "9", "1"]) == (["a", "b"], ["length"])


def test_raters_who_differ_stay() -> None:
    assert split(strict=["1", "1", "1", "1"], mild=["5", "5", "5", "4"], c=BERND) == (["strict", "mild", "c"], [])
    assert split(a=["1,5", "2", "3", "4"], b=["1", "2,5", "3", "9,5"], c=["10", "9", "8", "7"])[1] == []


def test_columns_of_two_kinds_are_not_guessed() -> None:
    with pytest.raises(InputError, match=r"r\.csv.*\(anna …\).*\(words …\).*--columns"):
        split(anna=ANNA, words=["good", "bad", "good", "bad"])


def test_columns_that_share_no_word_are_no_raters() -> None:
    """As where a table with a row per response is read as wide; few cells may be unlike by chance."""
    item, rater = [f"q{k}" for k in range(12)], ["anna", "bernd", "carla"] * 4
    with pytest.raises(InputError, match=r"no column holds the words of another \(item: q0, rater: anna …\)"):
        split(item=item, rater=rater, grade=["1,0", "2,0", "3,0"] * 4)
    assert split(item=item[:4], rater=rater[:4])[1] == []
    assert split(a=rater, b=rater[::-1], item=item)[1] == ["item"]


def test_numbers_of_which_none_is_like_the_others_are_read_all_the_same() -> None:
    """There is no column of words then, or a single one."""
    wide = {f"rater{k}": [str(1000 * k + 1 + n % 3) for n in range(12)] for k in range(2)}
    assert split(**wide) == (list(wide), [])
    assert split(**wide, remark=[f"well {n}" for n in range(12)]) == ([*wide, "remark"], [])
