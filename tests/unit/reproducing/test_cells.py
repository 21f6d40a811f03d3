"""What a difference between a published figure and ours means, and what the verb makes of many."""

import numpy as np
import pytest

import quorate
from quorate.reproducing import forest
from quorate.reproducing.cells import Cell, Run, absent, claim
from quorate.reproducing.verb import Reproduction


def cell(ours=0.10, **more):
    return Cell("forest", "Table 2", "dices", "p", published=0.05, ours=ours, **more)


@pytest.mark.parametrize(
    ("more", "verdict"),
    [
        ({}, "differs"),
        ({"error": 0.011}, "match"),  # 0.05 <= 5 * 0.011
        ({"error": 0.009}, "differs"),
        ({"error": 0.006, "published_error": 0.008}, "match"),  # 5 * sqrt(0.006² + 0.008²) = 0.05
        ({"tolerance": 0.05}, "match"),
        ({"tolerance": 0.049}, "differs"),
        ({"ours": None}, "not reproducible"),
    ],
)
def test_verdict(more, verdict):
    found = cell(**more)
    assert found.verdict == verdict
    assert found.fails == (verdict != "match")
    assert not cell(**more, expected=False).fails


def test_a_claim_holds_or_not():
    assert claim("a", "b", "c", "d", holds=True, reason="").verdict == "match"
    assert claim("a", "b", "c", "d", holds=False, reason="").fails
    assert not absent("a", "b", "c", "d", 1.0, "data absent").fails


def test_the_sentence_counts_and_the_text_names_what_failed():
    cells = (cell(), cell(tolerance=1), cell(expected=False), absent("forest", "Table 1", "x", "y", 1.0, "data absent"))
    result = Reproduction(cells=cells)
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


def test_data_that_are_absent_are_no_failure(tmp_path):
    result = quorate.reproduce("multilevel", data=tmp_path)
    assert result.failed == ()
    assert {each.verdict for each in result.cells} == {"not reproducible"}


@pytest.mark.parametrize("table", [forest.TABLE_2, forest.TABLE_3])
def test_forests_tables_are_whole(table):
    names = [line.split("|")[0].strip() for line in table.strip().splitlines()]
    assert names == list(forest.FOREST.populations)
    cells = [each for name in names for each in forest.printed(table, name).values()]
    assert len(cells) == 40
    assert {(each.responses, each.responses // each.n_raters, each.n_raters) for each in cells} <= set(
        forest.FOREST.sizes
    )


def test_a_population_of_forest_matches():
    """Two categories are the cheapest: 8 cells of p and Δ, 4 widths, and what the text says."""
    found = forest.cells("unbalanced-2", Run(quick=True))
    assert [each for each in found if each.fails] == []
    assert sum(each.expected and each.table == "Table 2" for each in found) == 8
    wrong = [Cell(**{**each.__dict__, "ours": each.ours * 1.5 + 0.03}) for each in found if each.table == "Table 2"]
    assert all(each.verdict == "differs" for each in wrong if each.expected)  # negative control


def test_the_bias_of_the_printed_alpha_needs_the_data(tmp_path):
    folder = tmp_path / "dices_350"
    folder.mkdir()
    rows = ["item,rater,response"] + [f"i{k},r{j},{'No' if k else 'Yes'}" for k in range(5) for j in range(3)]
    rows.append("i0,r9,Unsure")
    import gzip

    with gzip.open(folder / "annotations.csv.gz", "wt") as file:
        file.write("\n".join(rows))
    found = {each.row: each for each in forest.cells("Table 1", Run(data=tmp_path))}
    shares = np.array([12, 1, 3]) / 16  # No, Unsure, Yes
    alpha = np.array([5.22, 0.86, 2.75])
    assert found["dices"].ours == pytest.approx(np.abs(shares - alpha / alpha.sum()).mean())
    assert found["dices"].fails
    assert found["jobsq1"].reason == "data absent"
