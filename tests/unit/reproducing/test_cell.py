"""What a difference between a published figure and ours means."""

import json
from dataclasses import asdict, replace
from typing import Any

import pytest

from quorate.reproducing.cell import Cell, absent, claim, is_cell

CELL = Cell("forest", "Table 2", "dices", "p", published=0.05, ours=0.10)


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
def test_verdict(more: dict[str, Any], verdict: str) -> None:
    cell = replace(CELL, **more)
    assert cell.verdict == verdict
    assert cell.fails == (verdict != "match")
    assert not replace(cell, expected=False).fails


def test_a_claim_holds_or_not() -> None:
    assert claim("a", "b", "c", "d", holds=True, reason="").verdict == "match"
    assert claim("a", "b", "c", "d", holds=False, reason="").fails
    assert not absent("a", "b", "c", "d", 1.0, "data absent").fails


def test_only_what_a_cell_becomes_in_a_journal_is_taken_for_one() -> None:
    kept = json.loads(json.dumps(asdict(CELL)))
    drawn = kept | {"point": {"panel": "a", "line": "b", "axis": "N", "place": 3}}
    assert is_cell(kept)
    assert is_cell(drawn)
    odd: list[Any] = [None, [], {}, kept | {"more": 1}, *({**kept, name: [1]} for name in kept)]
    odd += [kept | {"ours": "1"}, kept | {"published": True}, kept | {"point": {"panel": "a"}}]
    assert not any(map(is_cell, odd))
