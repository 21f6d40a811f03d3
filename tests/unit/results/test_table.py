"""One table, shown by the terminal and by the page."""

from dataclasses import replace

import pytest

from quorate._text import number, percent
from quorate.results.table import LISTED, ON_PAGE, Column, Table, bar, integer, interval, markdown_text, table_of

COLUMNS = {
    "item": Column("item"),
    "n": Column("responses", integer),
    "share": Column("share", percent),
    "bar": Column("", bar, page=False),
    "long": Column("in full", page=True, terminal=False),
}
ROWS = [
    {"item": "7", "n": 1200, "share": 0.25, "bar": 0.25, "long": "all of it"},
    {"item": "8", "n": 30, "share": None, "bar": None, "long": "the rest"},
]


def test_a_cell_is_written_by_its_column_and_a_dash_where_nothing_is_known() -> None:
    table = table_of("Items", ROWS, COLUMNS)
    assert table.rows == (("7", "1,200", "25 %", "██████", "all of it"), ("8", "30", "–", "–", "the rest"))


def test_a_column_that_no_row_fills_is_left_out() -> None:
    rows = [{"item": "7", "n": 3, "share": None, "long": ""}, {"item": "8", "n": 4}]
    assert table_of("Items", rows, COLUMNS).header == ("item", "responses")


def test_zero_is_known() -> None:
    assert table_of("Items", [{"n": 0, "share": 0.0}], COLUMNS).rows == (("0", "0 %"),)


def test_columns_keep_the_order_of_the_specification() -> None:
    rows = [{"n": 3, "item": "7"}]
    assert table_of("Items", rows, COLUMNS).header == ("item", "responses")


def test_a_table_without_rows_has_no_columns() -> None:
    table = table_of("Items", [], COLUMNS)
    assert (table.header, table.rows) == ((), ())


def test_terminal_and_page_show_their_own_columns_of_the_same_rows() -> None:
    table = table_of("Items", ROWS, COLUMNS)
    assert "in full" not in str(table)
    assert "██████" in str(table)
    page = table.for_page()
    assert list(page.header) == ["item", "responses", "share", "in full"]
    assert page.rows[0] == ["7", "1,200", "25 %", "all of it"]
    assert page.for_page() == page


def test_a_terminal_shows_caption_titles_aligned_cells_and_note() -> None:
    table = Table("Sizes", ("item", "n"), [("a", "1,200"), ("b", "30")], note="All of them.")
    assert str(table).splitlines() == ["Sizes", "  item      n", "  a     1,200", "  b        30", "All of them."]


def test_a_table_without_titles_is_a_list_of_facts() -> None:
    table = Table("", ("", ""), [("items", "3"), ("raters", "2")])
    assert str(table).splitlines() == ["  items   3", "  raters  2"]


@pytest.mark.parametrize("more", [0, 1, 5])
def test_long_tables_are_cut_and_say_so(more: int) -> None:
    rows = [(str(place),) for place in range(ON_PAGE + more)]
    table = Table("Items", ("item",), rows, note="By number.")
    shown, page = str(table).splitlines(), table.for_page()
    assert len(shown) == 2 + LISTED + 2
    assert shown[-2:] == [f"  … {ON_PAGE + more - LISTED:,} more rows (-o FILE.csv writes all)", "By number."]
    assert len(page.rows) == ON_PAGE
    assert page.note == (f"{more} more rows; -o FILE.csv writes all.\nBy number." if more else "By number.")


def test_a_table_of_the_length_that_fits_is_not_cut() -> None:
    assert "more rows" not in str(Table("Items", ("item",), [(str(place),) for place in range(LISTED)]))


def test_the_row_to_point_out_and_the_numbers_behind_a_plot_reach_the_page() -> None:
    page = table_of("Items", ROWS, COLUMNS, strong=1, numbers=True, note="Two.").for_page()
    assert (page.strong, page.numbers, page.note) == (1, True, "Two.")


def test_numbers_stand_right_and_names_left() -> None:
    table = Table("", ("item", "n", "score", "verdict"), [("1", "1,200", "0.5", "better"), ("2", "–", "–", "worse")])
    assert table.right == (False, True, True, False)


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [(0.1, 0.25, "0.100\xa0to\xa00.250"), (None, 0.25, "–"), (0.1, None, "–"), (-1.0, 0.0, "-1.000\xa0to\xa00.000")],
)
def test_an_interval_has_two_ends(low: float | None, high: float | None, text: str) -> None:
    assert interval(low, high) == text


def test_digits_of_an_interval_can_be_chosen() -> None:
    assert interval(0.12345, 2, digits=1) == f"{number(0.12345, 1)}\xa0to\xa0{number(2, 1)}"


def test_a_bar_is_never_empty_and_never_too_long() -> None:
    assert (len(bar(0.0)), len(bar(1.0))) == (1, 24)


def test_a_table_becomes_markdown_and_latex_with_the_columns_of_a_page() -> None:
    table = table_of("Items", ROWS, COLUMNS, note="two of them")
    assert table.to_markdown() == (
        "**Items**\n\n| item | responses | share | in full |\n| --- | ---: | ---: | --- |\n"
        "| 7 | 1,200 | 25 % | all of it |\n| 8 | 30 | – | the rest |\n\ntwo of them"
    )
    latex = table.to_latex()
    assert r"\begin{tabular}{lrrl}" in latex
    assert r"7 & 1,200 & 25 \% & all of it \\" in latex
    assert r"\caption{Items. two of them}" in latex


def test_names_from_files_stay_text_in_markdown_and_latex() -> None:
    table = Table("a|b", ["system"], [["<img src=x> | [x](y) `*"], ["\\input{/etc/passwd} 50% _$&#~^"]])
    assert r"\<img src=x\> \| \[x\](y) \`\*" in table.to_markdown()
    said = r"\textbackslash{}input\{/etc/passwd\} 50\% \_\$\&\#\textasciitilde{}\textasciicircum{}"
    assert said in table.to_latex()
    assert table.to_markdown().count("\n") == 5


def test_a_bold_cell_has_less_room_on_a_phone() -> None:
    table = Table("", ("purchase", "n"), [["recommended", "1"], ["1 per item", "2"]])
    assert table.half == (False, False)
    assert replace(table, strong=0).half == (True, False)
    assert replace(table, strong=1).half == (False, False)


def test_a_sign_before_a_space_is_plain_in_markdown_and_a_tag_never_is() -> None:
    assert markdown_text("p < 0.001, a <b> & <  c") == "p < 0.001, a \\<b\\> \\& < c"


def test_names_in_a_caption_or_a_note_reach_no_terminal_as_escapes() -> None:
    said = str(Table("Of \x1b[1m", ("item",), [("\x1b[2J",)], note="Tied: \u202ea.\nAnother line."))
    assert said.replace("\n", "").isprintable()
    assert said.splitlines() == ["Of \\x1b[1m", "  item", "  \\x1b[2J", "Tied: \\u202ea.", "Another line."]
