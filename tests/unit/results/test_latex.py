"""LaTeX of a table: names stay text, and nothing is wider than the line it stands in."""

import re

import pytest

from quorate.results.latex import FOREIGN, LINE, latex_table, latex_text
from quorate.results.table import Table


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("[1] first *", "{[}1{]} first {*}"),  # a row's end would take [ for its own
        ("a|b", r"a\textbar{}b"),  # a dash in the type of pdflatex
        ("old--new", "old-{}-new"),  # as this would be
        ("gpt-4", "gpt-4"),
        ("-0.168\xa0to\xa00.168", "$-$0.168 to 0.168"),
        ("-4 %", r"$-$4 \%"),
    ],
)
def test_what_latex_reads_otherwise_is_set_as_it_is_written(name: str, said: str) -> None:
    assert latex_text(name) == said


def test_a_table_too_wide_gets_smaller_type_then_broken_cells_and_headings() -> None:
    few = latex_table("Some", ["a", "b"], [["1", "2"]], [True, True], "")
    assert "parbox" not in few
    assert "size" not in few
    row = ["name", *["0.123"] * 8, "all of this is a reason that nobody sets on a single line of a page of paper"]
    header = ["what", *["smallest with any"] * 8, "why"]
    wide = latex_table("Some", header, [row], [False, *[True] * 8, False], "")
    assert r"\scriptsize" in wide
    assert r"\shortstack[r]{smallest\\with any}" in wide
    points = float(re.findall(r"\\parbox\[t\]{(\d+)pt}", wide)[0])
    assert points < LINE - 9 * 3.7 * 5  # what the figures leave


def test_a_word_longer_than_its_column_may_break() -> None:
    name = "organisation/" + "m" * 200
    found = latex_table("", ["system"], [[name]], [False], "")
    assert found.replace(r"\allowbreak{}", "").count("m" * 200) == 1
    assert max(map(len, re.findall("m+", found))) <= 60


def test_without_caption_and_headings_no_rule_and_no_number_is_left() -> None:
    found = latex_table("", ["", ""], [["items", "5"]], [False, True], "")
    assert r"\caption" not in found
    assert r"\midrule" not in found


def test_a_table_is_no_longer_than_a_sheet_of_paper_and_says_what_is_left_out() -> None:
    found = Table("Systems", ["system"], [[f"s{n}"] for n in range(50)]).to_latex()
    assert found.count(r" \\") == 41
    assert "10 more rows; -o FILE.csv writes all." in found


@pytest.mark.parametrize(("text", "seen"), [("Łódź – größer ≤ ε", False), ("пункт", True), ("系統", True), ("א", True)])
def test_letters_that_pdflatex_has_not_are_known(text: str, seen: bool) -> None:
    assert bool(FOREIGN.search(latex_text(text))) is seen
