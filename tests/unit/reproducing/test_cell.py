"""What a difference between a published figure and ours means, and what the verb makes of many."""

import pytest

import quorate
from quorate.reproducing.cell import Cell, absent, claim
from quorate.reproducing.result import Reproduction


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
