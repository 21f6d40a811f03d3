"""Titles above a header, and lines to skip; how rows are split is in tests/hostile/test_text_tables.py."""

import pytest

from quorate import InputError
from quorate.data.text_table import read_text_table

BODY = "item;rater;score\nq1;a;1\nq1;b;2\n"


def read(text: str, skip: int = 0) -> tuple[list[str], int, int]:
    table = read_text_table("r.csv", text.encode(), ".csv", skip=skip)
    return table.frame.columns, table.frame.height, table.first_row


@pytest.mark.parametrize(
    ("above", "lines"),
    [
        ("Quality of answers\n", 1),
        ("Quality\n", 1),
        ("Quality, round 2, March\n", 1),
        ("Quality;;\n", 1),
        ("Quality of answers;;\n;;\nas of May 3;;\n\n", 4),
        ('"A title of\ntwo lines";;\n', 2),
    ],
)
def test_a_title_above_the_header_is_recognised(above: str, lines: int) -> None:
    table = read_text_table("r.csv", (above + BODY).encode(), ".csv")
    assert (table.frame.columns, table.frame.height) == (["item", "rater", "score"], 2)
    assert table.first_row == lines + 2
    assert "above the header" in table.notes[0]


@pytest.mark.parametrize("text", ["word\nitem,rater,score\nq1,a,1\n", "a b\nx,y\n1,2\n", "a b\nx,y,z\n1,2\n"])
def test_what_may_be_no_title_is_refused_as_before(text: str) -> None:
    with pytest.raises(InputError, match="row 2 has"):
        read(text)


def test_a_good_table_is_never_taken_for_one_with_a_title() -> None:
    assert read("my item,labels\nq1,x;y;z\nq2,x;y;z\n")[0] == ["my item", "labels"]


def test_lines_are_skipped_as_told() -> None:
    assert read("project;bot;\nround;2;\n\n" + BODY, skip=2) == (["item", "rater", "score"], 2, 5)
    with pytest.raises(InputError, match="--skip-rows"):
        read(BODY, skip=7)
    with pytest.raises(InputError, match="nothing below 3 lines"):
        read(BODY, skip=3)
