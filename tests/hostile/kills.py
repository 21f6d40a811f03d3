"""Runs ended at a random moment, parent, worker or both, by three signals; what resumes is as if nothing had been.

`python -m tests.hostile.kills --seed 1 --kills 100` prints a line per kill that lost something, and a summary.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[2]
GRID = """
populations = ["dices", "toxicity"]
metrics = ["accuracy"]
effects = [0.3]
items = [50, 100]
raters = [3, 5]
"""
RUNS = {
    "sweep": "plan --grid g.toml --workers 2 -q -o out.csv",
    "audit": "audit --preset dices --items 20 --raters 3 --replicates 1000 --workers 2 -q -o out.csv",
    "reproduce": "reproduce multilevel --quick --workers 2 -q -o out.csv",
    "page": "describe example:support -q -o out.html",
    "tables": "simulate --preset dices --items 20000 --raters 3 -q -o out.study",
}
RESUMED = ("sweep", "audit", "reproduce")
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP)
PATIENCE = 300


@dataclass(frozen=True)
class Whole:
    """What a run writes that nobody disturbs, and when it wrote it, in seconds from its start."""

    files: dict[str, bytes]
    seconds: float


def start(words: str, env: dict[str, str], cwd: Path) -> subprocess.Popen[bytes]:
    """Start a command in a session of its own."""
    command = [sys.executable, "-m", "quorate", *words.split()]
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # below nohup it would be ignored, as it should be there
    try:
        return subprocess.Popen(
            command, env=env, cwd=cwd, start_new_session=True, stdout=pipe, stderr=pipe, stdin=nothing
        )
    finally:
        signal.signal(signal.SIGHUP, before)


def end(process: subprocess.Popen[bytes]) -> int:
    """Wait for the end of a process; return its code."""
    process.communicate(timeout=PATIENCE)
    return process.returncode


def children(process: subprocess.Popen[bytes]) -> Iterator[psutil.Process]:
    """Give the processes that a command started."""
    try:
        yield from psutil.Process(process.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return


def workers(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """Return the processes that do the work."""
    found = []
    for child in children(process):
        with suppress(psutil.Error):
            if "popen_loky" in " ".join(child.cmdline()):
                found.append(child)
    return found


def orphans(family: list[psutil.Process], *, seconds: float) -> list[psutil.Process]:
    """Return who still lives after some seconds; who only waits to be buried does not."""
    last = time.monotonic() + seconds
    while (alive := [each for each in family if _lives(each)]) and time.monotonic() < last:
        time.sleep(0.05)
    return alive


def _lives(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def environment(folder: Path) -> dict[str, str]:
    """Return the variables of a run whose journal and temporary files lie in a folder of its own."""
    for name in ("cache", "tmp"):
        (folder / name).mkdir(parents=True)
    (folder / "g.toml").write_text(GRID)
    here = {"PYTHONPATH": str(ROOT / "src"), "QUORATE_CACHE": str(folder / "cache"), "TMPDIR": str(folder / "tmp")}
    return {**os.environ, **here}


def undisturbed(what: str, folder: Path) -> Whole:
    """Run something to its end."""
    env, started = environment(folder), time.monotonic()
    process = start(RUNS[what], env, folder)
    assert end(process) in (0, 1), process
    return Whole(written(folder), time.monotonic() - started)


def written(folder: Path) -> dict[str, bytes]:
    """Return every file that a run left beside its inputs, hidden ones too."""
    inside = [path for path in folder.rglob("*") if path.relative_to(folder).parts[0] not in ("cache", "tmp", "g.toml")]
    return {str(path.relative_to(folder)): path.read_bytes() for path in inside if path.is_file()}


def kill_and_resume(rng: random.Random, what: str, whole: Whole, folder: Path) -> tuple[str, list[str]]:
    """End a run at any moment and go on with it; say who was ended how, and what was lost."""
    env = environment(folder)
    process = start(RUNS[what], env, folder)
    moment = rng.uniform(0.6, 1.05) if what in ("page", "tables") and rng.random() < 0.7 else rng.uniform(0.05, 1.05)
    _wait(process, moment * whole.seconds)
    family, victims = [*children(process)], workers(process)
    who, by = rng.choice(["parent", "worker", "both"]), rng.choice(SIGNALS)
    if who != "parent":
        for victim in victims[:1]:
            with suppress(psutil.NoSuchProcess):
                victim.send_signal(by)
    if who != "worker" or not victims:
        process.send_signal(by)
    code = end(process)
    wrong = [f"orphan {each}" for each in orphans(family, seconds=60)]
    if code not in (0, 1, -by):
        wrong.append(f"exit code {code}")
    wrong += [f"half-written {name}" for name, data in written(folder).items() if whole.files.get(name) != data]
    if 0 < len(written(folder)) < len(whole.files):
        wrong.append("some of the files only")
    if code not in (0, 1):
        again = start(RUNS[what] + (" --resume" if what in RESUMED else ""), env, folder)
        if end(again) not in (0, 1):
            wrong.append(f"exit code {again.returncode} when resumed")
    if written(folder) != whole.files:
        wrong.append(f"resumed otherwise: {sorted(written(folder))}")
    late = code in (0, 1) and (who != "worker" or not victims)
    return f"{what}: {who if victims else 'parent'} by {by.name}{', too late' if late else ''}", wrong


def _wait(process: subprocess.Popen[bytes], seconds: float) -> None:
    with suppress(subprocess.TimeoutExpired):
        process.wait(seconds)


def campaign(seed: int, kills: int, home: Path, runs: tuple[str, ...] = tuple(RUNS)) -> list[str]:
    """Kill so many runs; return what was lost, and print what was done."""
    whole = {what: undisturbed(what, home / what) for what in runs}
    done, lost = Counter[str](), []
    for number in range(kills):
        rng = random.Random(f"{seed}/{number}")
        what = runs[number % len(runs)]
        how, wrong = kill_and_resume(rng, what, whole[what], home / str(number))
        done[how] += 1
        lost += [f"{number}, {how}: {each}" for each in wrong]
        print(number, how, *wrong, flush=True)
    print(f"{kills} kills, {len(lost)} losses: {dict(sorted(done.items()))}")
    return lost


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--runs", default=",".join(RUNS), help="what to end, with commas")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="quorate-kills-") as home:
        return 1 if campaign(given.seed, given.kills, Path(home), tuple(given.runs.split(","))) else 0


if __name__ == "__main__":
    sys.exit(main())
