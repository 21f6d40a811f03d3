"""The long campaigns: 5 000 hostile cases of a fresh seed, and 100 kills at random moments."""

import os
import random
import secrets
import time
from pathlib import Path

import psutil

from tests.hostile.test_campaign import run_campaign
from tests.hostile.test_faults import GRID, children, end, orphans, start, workers

LONG = {
    "sweep": "plan --grid g.toml --workers 2 -o out.csv",
    "audit": "audit --preset dices --items 40 --raters 3 --replicates 4000 --workers 2 -o out.csv",
    "reproduce": "reproduce multilevel --quick --workers 2 -o out.csv",
    "page": "describe example:support -o out.html",
}


def test_five_thousand_fresh_hostile_cases() -> None:
    seed = secrets.randbelow(10**9)
    done = run_campaign(seed=seed, cases=5000, seconds=7200)
    assert done.returncode == 0, f"seed {seed}\n{done.stdout}{done.stderr}"


def test_a_hundred_kills_lose_nothing(tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src"), "TMPDIR": str(tmp_path)}
    whole = {what: _undisturbed(what, tmp_path / what, env) for what in LONG}
    for number in range(100):
        rng = random.Random(number)
        what = rng.choice(list(LONG))
        kill_and_resume(rng, what, *whole[what], tmp_path / str(number), env)


def _undisturbed(what: str, folder: Path, env: dict[str, str]) -> tuple[bytes, float]:
    """Return what a run writes that nobody disturbs, and its seconds."""
    folder.mkdir()
    (folder / "g.toml").write_text(GRID)
    started = time.monotonic()
    assert end(start(LONG[what], {**env, "QUORATE_CACHE": str(folder / "cache")}, folder)) in (0, 1)
    return next(folder.glob("out.*")).read_bytes(), time.monotonic() - started


def kill_and_resume(
    rng: random.Random, what: str, expected: bytes, seconds: float, folder: Path, env: dict[str, str]
) -> None:
    """End a run at any moment, its parent, a worker or both; what is written then is whole, and so is what resumes."""
    folder.mkdir()
    (folder / "g.toml").write_text(GRID)
    here = {**env, "QUORATE_CACHE": str(folder / "cache")}
    process = start(LONG[what], here, folder)
    time.sleep(rng.uniform(0.1, 1.1) * seconds)
    family, victims = list(children(process)), workers(process)
    who = rng.choice(["parent", "worker", "both"])
    for victim in victims[:1] if who != "parent" else ():
        _kill(victim)
    if who != "worker" or not victims:
        process.kill()
    end(process)
    assert orphans(family, seconds=2) == []
    assert all(path.read_bytes() == expected for path in folder.glob("out.*"))
    assert end(start(LONG[what] + (" --resume" if what != "page" else ""), here, folder)) in (0, 1)
    assert next(folder.glob("out.*")).read_bytes() == expected
    assert sorted(path.name for path in folder.iterdir() if path.name != "cache") == [
        "g.toml",
        next(folder.glob("out.*")).name,
    ]


def _kill(process: psutil.Process) -> None:
    try:
        process.kill()
    except psutil.NoSuchProcess:
        return
