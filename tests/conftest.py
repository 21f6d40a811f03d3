"""What all tests share: the command line as a real process, and the data sets beside the repository."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.run import Run, forked, starter

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
    start = starter()

    def run(
        *arguments: object, stdin: bytes = b"", cwd: Path | None = None, **env: str
    ) -> subprocess.CompletedProcess[str]:
        return forked(start, [str(each) for each in arguments], stdin, cwd, env)

    return run
