"""Titles above a header, lines to skip or without an end; tests/hostile/test_text_tables.py has how rows are split."""

import pytest

from quorate import InputError
from quorate.data.text_table import AT_ONCE, LONGEST, read_text_table

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


def test_a_second_line_of_a_title_may_have_a_date_and_a_name() -> None:
    rows = "Nr;Satz;P 1;P 2;Bemerkung\n1;a;3,5;2,5;\n2;b;4,0;k.A.;nein, doch\n"
    for above in ("Rating\nas of 12.03.2026; led by B. Groß\n\n", "Rating;;;;\nas of May;by Groß;;;\n"):
        table = read_text_table("r.csv", (above + rows).encode(), ".csv")
        assert (table.frame.columns, table.frame.height) == (["Nr", "Satz", "P 1", "P 2", "Bemerkung"], 2)
        assert "as of" in table.notes[0]


def test_decimal_commas_never_turn_a_header_into_a_title() -> None:
    """Commas split the rows below into cells, but semicolons split the header and the rows alike."""
    text = "Rating\na; b; c\nNr;Satz;P 1;P 2\n1;a;3,5;2,5\n2;b;4,0;1,5\n"
    with pytest.raises(InputError, match="--skip-rows"):
        read(text)


@pytest.mark.parametrize("text", ["word\nitem,rater,score\nq1,a,1\n", "a b\nx,y\n1,2\n", "a b\nx,y,z\n1,2\n"])
def test_what_may_be_no_title_is_refused_as_before(text: str) -> None:
    with pytest.raises(InputError, match="row 2 has"):
        read(text)


def test_a_good_table_is_never_taken_for_one_with_a_title() -> None:
    assert read("my item,labels\nq1,x;y;z\nq2,x;y;z\n")[0] == ["my item", "labels"]


@pytest.mark.parametrize(
    "text",
    [
        "item,rater,score,,,\nq1,a,1,,,\nq1,b,2,,,\n",  # as Excel writes cells that were formatted and left empty
        "item,,rater,,score\nq1,,a,,1\nq1,,b,,2\n",
        "item,rater,score,\nq1,a,1,\nq1,b,2,\n",
        'item,rater,score,,\n"q1",a,1,,\nq1,b,2,,\n',
        "Round 2,,,,\n,,,,\nitem,rater,score,,\nq1,a,1,,\nq1,b,2,,\n",
    ],
)
def test_columns_with_neither_a_name_nor_a_cell_are_none(text: str) -> None:
    columns, height, _ = read(text)
    assert (columns, height) == (["item", "rater", "score"], 2)


@pytest.mark.parametrize("text", ["item,,,score\nq1,a,x,1\n", "item,,,\nq1,a,,1\n", ",,\n,,\n"])
def test_several_columns_without_a_name_that_hold_something_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="row 1 has two columns without a name"):
        read(text)


def test_lines_are_skipped_as_told() -> None:
    assert read("project;bot;\nround;2;\n\n" + BODY, skip=2) == (["item", "rater", "score"], 2, 5)
    with pytest.raises(InputError, match="--skip-rows"):
        read(BODY, skip=7)
    with pytest.raises(InputError, match="nothing below 3 lines"):
        read(BODY, skip=3)


@pytest.mark.parametrize(
    ("rest", "refusal"),
    [
        ("\n" * 10_000_001, "10,000,003 lines for 3 columns, but hardly anything"),
        (",,\n" * 10_000_001, "10,000,003 lines for 3 columns, but hardly anything"),
        ("," * LONGEST, "row 2 is longer than 16,777,216 letters"),
        ('q,r,"' + ("a" * 999 + "\n") * 17_000, "row 2: a cell has more than 16,777,216 letters; close its quote"),
        ('q,r,"' + "a" * LONGEST, "row 2 is longer than 16,777,216 letters"),
    ],
    ids=["empty", "separators alone", "separators without an end", "lines in a quote", "a quote without an end"],
)
def test_lines_without_an_end_are_refused(rest: str, refusal: str) -> None:
    with pytest.raises(InputError, match=refusal):
        read("item,rater,response\n" + rest + "\n")


def test_what_is_read_slowly_is_packed_in_parts() -> None:
    text = "item,rater,response\n" + "".join(f'q{row},r"{row},yes\n' for row in range(AT_ONCE + 3))
    frame = read_text_table("r.csv", text.encode(), ".csv").frame
    assert frame["rater"].to_list() == [f'r"{row}' for row in range(AT_ONCE + 3)]
