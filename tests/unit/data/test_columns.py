"""Rows as spreadsheets have them: an item named once for a block of rows, and rows that sum up the others."""

import pytest

from quorate import InputError, read_ratings

MERGED = {
    "item": ["q1", None, None, "q2", None, None],
    "rater": ["a", "b", "c", "a", "b", "c"],
    "response": ["yes", "no", "yes", "no", "no", None],
}


def test_merged_cells_are_filled_and_said() -> None:
    ratings = read_ratings(MERGED)
    whole = read_ratings({**MERGED, "item": ["q1"] * 3 + ["q2"] * 3})
    assert ratings.item.tolist() == whole.item.tolist() == [0, 0, 0, 1, 1]
    assert ratings.items.to_list() == ["q1", "q2"]
    assert any("stands once for a block of rows" in note for note in ratings.notes)


@pytest.mark.parametrize(
    ("items", "raters"),
    [
        (["q1", "q1", "q1", "q2", "q2", None], MERGED["rater"]),  # a hole, not a block
        (["q1", None, None, "q1", None, None], MERGED["rater"]),  # a name that comes back
        ([None, "q1", None, None, "q2", None], MERGED["rater"]),  # nothing above the first hole
        (["q1", None, None, "q2", None, None], ["a", "a", "b", "a", "b", "c"]),  # a rater twice in a block
    ],
)
def test_holes_that_are_no_merged_cells_are_refused(items: list[str | None], raters: list[str]) -> None:
    with pytest.raises(InputError, match="has a response but no item"):
        read_ratings({**MERGED, "item": items, "rater": raters, "response": ["yes"] * 6})


def test_a_row_that_sums_up_the_others_is_no_item() -> None:
    table = {"item": ["a", "b", "Sum", "c", "Mean", "TOTAL:"], "ann": ["1", "2", "1", "2", "2", "6"], "bo": ["1"] * 6}
    ratings = read_ratings(table, layout="wide")
    assert ratings.items.to_list() == ["Sum", "a", "b", "c"]  # one in the middle may be an item
    assert "left out below the items: Mean, TOTAL:" in ratings.notes


def test_a_row_that_sums_up_the_others_is_known_by_a_cell_beside_the_items() -> None:
    # its item is empty, or rows have no name at all: then it would be one more item, without a word
    raters = {"Ann": ["1,5", "2", "1", "1,5"], "Bo": ["1", "2", "2,5", "1,8"]}
    named = {"No.": ["1", "2", "3", "Durchschnitt"], "item": ["x", "y", "z", None], **raters}
    for table in (named, {name: cells for name, cells in named.items() if name != "item"}):
        ratings = read_ratings(table, layout="wide")
        assert (ratings.n_items, ratings.n_responses) == (3, 6)
        assert "left out below the items: Durchschnitt" in ratings.notes
    kept = read_ratings({"item": ["x", "y", "z", "Durchschnitt 3"], **raters}, layout="wide")
    assert kept.n_items == 4  # negative control: another name stays an item
    words = {"ann": ["good", "average", "bad", "average"], "bo": ["good", "bad", "bad", "average"]}
    assert read_ratings(words, layout="wide").n_items == 4  # and an answer an answer
