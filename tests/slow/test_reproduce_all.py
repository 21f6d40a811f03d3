"""`quorate reproduce all` in full, on two workers, with the public data sets."""

from pathlib import Path

import pytest

import quorate

pytestmark = pytest.mark.slow


def test_every_cell_expected_to_match_does(shared: Path) -> None:
    result = quorate.reproduce("all", data=shared, workers=2)
    assert [f"{cell.table}, {cell.row}, {cell.column}: {cell.ours}" for cell in result.failed] == []
    assert sum(cell.expected for cell in result.cells) > 200


def test_another_seed_gives_the_same_verdicts(shared: Path) -> None:
    one, two = (quorate.reproduce("all", quick=True, data=shared, workers=2, seed=seed) for seed in (0, 1))
    pairs = list(zip(one.cells, two.cells, strict=True))
    assert {a.column for a, b in pairs if a.expected and a.verdict != b.verdict} == set()
    assert any(a.ours != b.ours for a, b in pairs)
