"""What the verb makes of many cells: a sentence, tables, and one row each."""

import pickle
from dataclasses import replace
from pathlib import Path

import quorate
from quorate.reproducing.cell import Cell, absent
from quorate.reproducing.result import Reproduction

CELL = Cell("forest", "Table 2", "dices", "p", published=0.05, ours=0.10)


def test_the_sentence_counts_and_the_text_names_what_failed() -> None:
    others = replace(CELL, tolerance=1), replace(CELL, expected=False)
    result = Reproduction(cells=(CELL, *others, absent("forest", "Table 1", "x", "y", 1.0, "data absent")))
    assert result.sentence() == (
        "1 of 2 published figures expected to match do; of the others 1 differ for a stated reason, "
        "1 cannot be reproduced."
    )
    assert "differs: forest Table 2, dices, p: published 0.05, ours 0.1" in str(result)
    content = result.to_dict()
    assert (content["matched"], content["expected"], len(content["cells"])) == (1, 2, 4)
    assert {"paper", "table", "row", "column", "published", "ours", "error", "verdict", "reason"} <= set(
        content["cells"][0]
    )
    assert result.to_frame().height == 4


def test_data_that_are_absent_are_no_failure(tmp_path: Path) -> None:
    result = quorate.reproduce("multilevel", data=tmp_path)
    assert result.failed == ()
    assert {each.verdict for each in result.cells} == {"not reproducible"}


def test_tables_count_by_verdict_and_list_every_cell() -> None:
    point = Cell("forest", "Figure 3", "dices, wins, K = 5", "p", None, 0.2)
    result = Reproduction(cells=(CELL, replace(CELL, tolerance=1), point))
    overview, table, figure = result.tables().values()
    assert overview.rows == (("forest", "Table 2", "1", "1", "0", "0"), ("forest", "Figure 3", "0", "0", "0", "1"))
    assert (table.caption, len(table.rows)) == ("1 differs, 1 match", 2)
    assert (figure.caption, figure.rows[0][1]) == ("1 points drawn", "p")
    assert pickle.loads(pickle.dumps(result)) == result


def test_a_cell_without_a_value_of_ours_claims_no_exact_one() -> None:
    result = Reproduction(cells=(CELL, absent("forest", "Table 2", "x", "y", 1.0, "data absent")))
    table = result.tables()["forest: Table 2"]
    place = table.header.index("± ours")
    assert [row[place] for row in table.rows] == ["exact", "–"]
