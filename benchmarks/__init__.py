"""Each verb beside a plain reference implementation; `make bench` prints the table.

A file here is named after its verb and has one function, ``cases(folder)``, that returns a list of `Case`. It may
write what it needs into `folder`, which is removed afterwards; use `fresh` to make large data, so that the process
that measures stays small. `python -m benchmarks describe start` runs some of the files, `python -m benchmarks` all.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeAlias

__all__ = ["QUORATE", "Case", "Cost", "Job", "fresh", "measure"]

QUORATE = (sys.executable, "-m", "quorate")
"""The command line, as the start of a job."""

Job: TypeAlias = Callable[[], object] | Sequence[str]
"""What is measured, in a fresh process: a function (imports done on the way included, the start of Python not) or a
command with its arguments (everything included). A function must stand at the top of its file; `functools.partial`
gives it arguments."""


@dataclass(frozen=True)
class Case:
    """One row of the table: our way, a plain way to do the same, and what was promised.

    Parameters
    ----------
    verb, name
        What is measured.
    ours, reference
        The two jobs; `reference` is None where nothing plain exists.
    most_seconds, most_extra_seconds, most_mebibytes
        What ours may cost: in all, more than the reference, and in memory.
    repeats
        How often each is run; the fastest counts.
    """

    verb: str
    name: str
    ours: Job
    reference: Job | None = None
    most_seconds: float | None = None
    most_extra_seconds: float | None = None
    most_mebibytes: float | None = None
    repeats: int = 1


@dataclass(frozen=True)
class Cost:
    """Wall-clock seconds and the largest memory of the process that did the job."""

    seconds: float
    mebibytes: float


def measure(job: Job, repeats: int = 1) -> Cost:
    """Run a job in fresh processes and return the fastest time and the largest memory."""
    costs = [_of_function(job) if callable(job) else _of_command(job) for _ in range(repeats)]
    return Cost(min(cost.seconds for cost in costs), max(cost.mebibytes for cost in costs))


def fresh(function: Callable[..., object], *arguments: Any) -> None:
    """Call a function in a process of its own, and forget what it returns."""
    process = get_context("spawn").Process(target=function, args=arguments)
    process.start()
    process.join()
    if process.exitcode:
        raise RuntimeError(f"{function.__name__} failed with exit code {process.exitcode}")


def _of_function(job: Callable[[], object]) -> Cost:
    mine, theirs = get_context("spawn").Pipe(duplex=False)
    fresh(_report, job, theirs)
    cost: Cost = mine.recv()
    return cost


def _report(job: Callable[[], object], where: Connection) -> None:
    start = time.perf_counter()
    job()
    where.send(Cost(time.perf_counter() - start, _peak_mebibytes()))


def _peak_mebibytes() -> float:
    """Return this process's own peak; getrusage would also count the parent it was forked from."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def _of_command(command: Sequence[str]) -> Cost:
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    talk = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} failed: {talk.decode()}")
    return Cost(seconds, usage.ru_maxrss / 1024)
