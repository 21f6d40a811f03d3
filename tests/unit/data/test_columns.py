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
