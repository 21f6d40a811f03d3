"""Long work on a real Dask cluster: the same bytes, and nothing lost where a worker or the scheduler is killed."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.scale.clusters import Cluster, started

distributed: Any = pytest.importorskip("distributed", reason="Dask is not installed (extra scale)")

ROOT = Path(__file__).parents[2]
GRID = """
populations = ["dices", "toxicity"]
metrics = ["accuracy"]
effects = [0.1, 0.3]
items = [50, 100]
raters = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]
"""
TASKS = 24
"""Of this grid; so many that few are done when the third is seen to be."""
PATIENCE = 1800
"""Seconds; only a hang takes as long."""
AUDIT = "audit --preset dices --items 20 --raters 3 --replicates 1000 --json -q"


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with started(tmp_path / "cluster", workers=2) as cluster:
        yield cluster


def start(words: str, folder: Path, cache: str) -> subprocess.Popen[str]:
    (folder / "g.toml").write_text(GRID)
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "QUORATE_CACHE": str(folder / cache)}
    pipe = subprocess.PIPE
    command = [sys.executable, "-m", "quorate", *words.split()]
    return subprocess.Popen(command, env=env, cwd=folder, text=True, stdout=pipe, stderr=pipe)


def finish(words: str, folder: Path, cache: str) -> str:
    process = start(words, folder, cache)
    out, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said
    return out


def finished_tasks(journals: Path) -> int:
    return sum(path.read_bytes().count(b"\n") - 1 for path in journals.glob("*.jsonl"))


def wait_for(journals: Path, tasks: int, process: subprocess.Popen[str]) -> None:
    for _ in range(40 * PATIENCE):
        if finished_tasks(journals) >= tasks:
            return
        assert process.poll() is None, process.communicate()
        time.sleep(0.025)
    pytest.fail("no task was finished")


def test_a_cluster_gives_the_same_bytes_as_one_process(cluster: Cluster, tmp_path: Path) -> None:
    alone = finish(f"{AUDIT} --workers 1", tmp_path, "alone")
    assert finish(f"{AUDIT} --cluster {cluster.address}", tmp_path, "together") == alone


def test_a_client_is_an_executor(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from quorate import audit

    monkeypatch.setenv("QUORATE_CACHE", str(tmp_path / "cache"))
    with distributed.Client(cluster.address, set_as_default=False) as client:
        rows = [
            audit("dices", items=20, raters=3, replicates=500, **how).rows
            for how in ({"executor": client}, {"workers": 1})
        ]
    assert rows[0] == rows[1]


def test_killed_worker_and_killed_scheduler_lose_nothing(cluster: Cluster, tmp_path: Path) -> None:
    expected = finish("plan --grid g.toml --json -q --workers 1", tmp_path, "alone")
    ended = start(f"plan --grid g.toml --json -q --cluster {cluster.address}", tmp_path, "kept")
    wait_for(tmp_path / "kept", 1, ended)
    cluster.workers[0].kill()  # its task is done again by the other
    wait_for(tmp_path / "kept", 3, ended)
    cluster.scheduler.kill()
    said = ended.communicate(timeout=PATIENCE)[1]
    assert (ended.returncode, said.count("\n")) == (2, 1), said
    assert "--resume" in said
    done = finished_tasks(tmp_path / "kept")
    assert 3 <= done < TASKS
    with started(tmp_path / "second", workers=1) as second:
        resumed = finish(f"plan --grid g.toml --json -q --resume --cluster {second.address}", tmp_path, "kept")
    assert json.loads(resumed) == json.loads(expected)
    assert resumed == expected
    assert finished_tasks(tmp_path / "kept") == TASKS
