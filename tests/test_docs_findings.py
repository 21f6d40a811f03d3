"""Findings about leaderboard and ratings take every figure from the cells, and say nothing without them."""

import pytest
from paper_findings import FINDINGS, CellTable

from quorate.reproducing.cell import Cell, claim

CELLS = (
    Cell("leaderboard", "Table 6", "MAE, all items, bootstrap answers", "true p", 0.068, 0.07, tolerance=0.03),
    Cell("leaderboard", "Table 6", "MAE, all items, one answers", "true p", 0.35, 0.9, tolerance=0.03),
    Cell("leaderboard", "Table 6", "Mean Agg, all items, bootstrap answers", "true p", 0.195, 0.19, tolerance=0.03),
    Cell("leaderboard", "Table 6", "MAE, all items, one answers", "p estimated from one test set", 0.41, 0.4, 0.1),
    Cell("leaderboard", "Table 11", "MAE, all items, one answers", "p estimated from one test set", 0.4, 0.1, 0.01),
    Cell("leaderboard", "Other readings", "sds U(0, 2), as printed", "true p of MAE", 0.0, 0.148),
    Cell("leaderboard", "Other readings", "EMD of each item's answers", "true p of Mean Agg", 0.195, 0.063),
    Cell("leaderboard", "Error rates", "bootstrap items, all answers", "equal systems rejected", 0.05, 0.107, 0.01),
    claim("leaderboard", "Text, sec. 7", "ε = 0.1", "wins errs least", holds=True, reason="so in 75% of sets"),
    Cell("ratings", "Figure 5", "N = 500, K = 5, welch", "power", None, 0.41),
    Cell("ratings", "Figure 5", "N = 500, K = 5, welch", "type-I error", None, 0.015),
    claim(
        "ratings", "Figure 2", "x, systems that answer once", "p falls", holds=False, reason="p = 0.3, 0.4: the trend"
    ),
)
SAID = {
    "The world behind leaderboard's tables": ["1 of 2 true p", "published 0, this way 0.148"],
    "An earth mover's distance between counts": ["1 of 1 true p", "published 0.195, this way 0.063"],
    "p-values that do not keep their promise": ["| bootstrap items, all answers | 0.107 ± 0.010 |"],
    "One test set behind every estimate": ["estimates 1 of 1", "ours over many", "0 of 1 where", "So in 75% of sets."],
    "A powerful test, and its error rate": ["| N = 500, K = 5, welch | 0.41 | 0.015 |"],
    "More raters or more items, once more": ["- x: p = 0.3, 0.4."],
}


@pytest.mark.parametrize("title", SAID)
def test_a_finding_says_what_its_cells_say(title: str) -> None:
    text = FINDINGS[title](CellTable(CELLS))
    for part in SAID[title]:
        assert part in text.replace("simulated test sets, ", "")


@pytest.mark.parametrize("title", SAID)
def test_a_finding_without_cells_is_silent(title: str) -> None:
    assert FINDINGS[title](CellTable(())) == ""
