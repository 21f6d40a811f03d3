"""Journals whose results are none that a task returns, with checks that fit: a resumed run answers all the same."""

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from quorate.auditing.verb import audit
from quorate.planning.grid_sweep import sweep
from quorate.planning.grids import Grid
from quorate.results.result import Result
from tests.hostile.journals import forged

GRID = Grid({"dices": "dices"}, ["accuracy"], [0.3, 0.5], [(40, 20, 2), (60, 20, 3)], answers=1, variant="default")
RUNS: dict[str, Callable[[bool], Result]] = {
    "audit": lambda resume: audit("dices", items=5, raters=2, replicates=30, workers=1, resume=resume),
    "sweep": lambda resume: sweep(GRID, workers=1, resume=resume),
}


@pytest.mark.parametrize("verb", RUNS)
def test_forged_results_are_worked_out_again_or_look_like_results(
    verb: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("QUORATE_CACHE", str(tmp_path))
    RUNS[verb](False)
    [journal] = tmp_path.iterdir()
    whole = journal.read_bytes()
    for number in range(60):
        journal.write_bytes(forged(whole, random.Random(number)))
        resumed = RUNS[verb](True)
        json.dumps(resumed.to_dict(), allow_nan=False)
        assert str(resumed)
