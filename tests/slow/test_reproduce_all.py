"""`quorate reproduce all` in full, on two workers; with the shared data sets where they are beside the checkout."""

from pathlib import Path

import pytest

import quorate

pytestmark = pytest.mark.slow

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


def test_every_cell_expected_to_match_does():
    found = quorate.reproduce("all", data=DATA if DATA.is_dir() else None, workers=2)
    assert [f"{cell.table}, {cell.row}, {cell.column}: {cell.ours}" for cell in found.failed] == []
    assert sum(cell.expected for cell in found.cells) > 200


def test_another_seed_gives_the_same_verdicts():
    data = DATA if DATA.is_dir() else None
    one, two = (quorate.reproduce("all", quick=True, data=data, workers=2, seed=seed) for seed in (0, 1))
    pairs = list(zip(one.cells, two.cells, strict=True))
    assert {a.column for a, b in pairs if a.expected and a.verdict != b.verdict} == set()
    assert any(a.ours != b.ours for a, b in pairs)
