"""What all tests share: the command line as a real process, and the data sets beside the repository."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from quorate._text import Sentence
from tests.run import Run, forked, starter

LONGEST_HEADLINE = 25
"""Words."""
SHARED = Path(os.environ.get("QUORATE_DATA", Path(__file__).parents[2] / "shared" / "data"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of public data sets, which does not come with the repository."""
    if not SHARED.is_dir():
        pytest.skip(f"the public data sets are not at {SHARED}; set QUORATE_DATA to their folder")
    return SHARED


@pytest.fixture
def short_headlines(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Hear every headline that is made, and see to it that none is long."""
    heard: list[str] = []
    make = Sentence.__new__

    def hear(cls: type[Sentence], head: str, *rest: str) -> Sentence:
        heard.append(head)
        return make(cls, head, *rest)

    monkeypatch.setattr(Sentence, "__new__", hear)
    yield heard
    assert [head for head in heard if len(head.split()) > LONGEST_HEADLINE] == []


@pytest.fixture(scope="session")
def logs() -> Path:
    """The folder of logs that other tools wrote; `tests/formats/make_fixtures.py` says how."""
    return Path(__file__).parent / "formats" / "data"


@pytest.fixture(scope="session")
def quorate() -> Run:
    """Run the command line in a process of its own."""
    start = starter()

    def run(*arguments: object, stdin: bytes = b"", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        return forked(start, [str(each) for each in arguments], stdin, cwd)

    return run
