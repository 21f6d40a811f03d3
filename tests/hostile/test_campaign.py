"""The campaign: 300 hostile cases, in forks of one process that has everything imported."""

import json
import os
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from tests.hostile.cases import Case, make_case
from tests.hostile.logs import mutate_at
from tests.hostile.tables import ODD_VALUES

ROOT = Path(__file__).parents[2]


def _without_databases(case: Case) -> Case:
    return replace(case, files={name: content for name, content in case.files.items() if name != "base.db"})


def run_campaign(seed: int, cases: int, seconds: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.hostile.campaign", "--seed", str(seed), "--cases", str(cases)]
    env = {
        **os.environ,
        "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
        "POLARS_MAX_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=env, timeout=seconds, check=False)


def test_hostile_cases_end_as_they_may() -> None:
    """Every case ends with a code it may; a control: were nearly all refused, the verbs would not be reached."""
    done = run_campaign(seed=17, cases=300, seconds=600)
    assert done.returncode == 0, done.stdout + done.stderr
    codes = done.stdout.rpartition("exit codes {")[2].partition("}")[0]
    counted = {int(pair.split(":")[0]): int(pair.split(":")[1]) for pair in codes.split(",")}
    assert counted[0] >= 300 / 8
    assert counted[2] >= 300 / 8


def test_a_case_is_the_same_everywhere() -> None:
    """Whatever was made before it: an odd value that a case changed must not reach the next one.

    But for databases of DuckDB, each of which has an identifier of its own.
    """
    backwards = [_without_databases(make_case(3, n)) for n in reversed(range(120))]
    assert [_without_databases(make_case(3, n)) for n in range(120)] == backwards[::-1]


def test_what_befalls_a_value_leaves_the_odd_ones_as_they_are() -> None:
    before, rng = json.dumps(ODD_VALUES), random.Random(1)
    for _ in range(300):
        content = {"a": [{"b": 1}], "c": 1}
        for _ in range(9):
            mutate_at(content, rng)
    assert json.dumps(ODD_VALUES) == before
