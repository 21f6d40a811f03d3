"""What all tests share: the command line as a real process, and the data sets beside the repository."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.run import Run

SOURCE = Path(__file__).parents[1] / "src"
SHARED = Path(os.environ.get("QUORATE_DATA", Path(__file__).parents[2] / "shared" / "data"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of public data sets, which does not come with the repository."""
    if not SHARED.is_dir():
        pytest.skip(f"the public data sets are not at {SHARED}; set QUORATE_DATA to their folder")
    return SHARED


@pytest.fixture(scope="session")
def logs() -> Path:
    """The folder of logs that other tools wrote; `tests/formats/make_fixtures.py` says how."""
    return Path(__file__).parent / "formats" / "data"


@pytest.fixture(scope="session")
def quorate() -> Run:
    """Run the command line in a process of its own."""

    def run(*arguments: object, stdin: bytes = b"", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-W", "error", "-m", "quorate", *map(str, arguments)]
        here = {**os.environ, "PYTHONPATH": str(SOURCE), "COLUMNS": "200"}
        done = subprocess.run(command, input=stdin, capture_output=True, cwd=cwd, env=here, timeout=600, check=False)
        return subprocess.CompletedProcess(command, done.returncode, done.stdout.decode(), done.stderr.decode())

    return run
