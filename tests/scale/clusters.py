"""A real Dask cluster: a scheduler and workers, each a process of its own on 127.0.0.1, which end with the test."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

LOCAL = "tcp://127.0.0.1"
QUIET = {"DASK_DISTRIBUTED__DASHBOARD__LINK": "", "DASK_LOGGING__DISTRIBUTED": "error"}


@dataclass
class Cluster:
    """A scheduler's address and the processes."""

    folder: Path
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def address(self) -> str:
        """Where the scheduler listens; it chooses its port and writes it down."""
        import json

        for _ in range(6000):  # a busy machine takes its time
            if (self.folder / "scheduler.json").exists():
                try:
                    return str(json.loads((self.folder / "scheduler.json").read_text())["address"])
                except ValueError:  # half written
                    pass
            time.sleep(0.05)
        raise TimeoutError("the scheduler did not start")

    def add_worker(self) -> None:
        """Start one more worker."""
        words = ["worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1"]
        self.workers.append(_dask(self.folder, *words, "--local-directory", str(self.folder)))

    def end(self) -> None:
        """End every process that is left."""
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


def _dask(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    nothing = subprocess.DEVNULL
    env = {**os.environ, **QUIET, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *words], cwd=folder, env=env, stdin=nothing, stdout=nothing, stderr=nothing
    )


@contextmanager
def started(folder: Path, workers: int) -> Iterator[Cluster]:
    """Start a cluster, and end it."""
    folder.mkdir(exist_ok=True)
    words = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show", "--scheduler-file", "scheduler.json"]
    cluster = Cluster(folder, _dask(folder, "scheduler", *words))
    try:
        for _ in range(workers):
            cluster.add_worker()
        yield cluster
    finally:
        cluster.end()
