"""Bytes of files and pipes."""

import os
import sys
import threading
from pathlib import Path

import pytest

from quorate._errors import InputError
from quorate.data.content import read_content


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_pipe_is_read_once_somebody_writes_to_it(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"item,rater,response\n",))
    writer.start()
    assert read_content("pipe", pipe) == b"item,rater,response\n"
    writer.join()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_pipe_that_nobody_writes_to_is_refused(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match=r"pipe is a pipe that nobody writes to"):
        read_content("pipe", pipe, patience=0.2)
    os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))  # lets the thread go that still waits for a writer


def test_a_standard_input_that_cannot_be_read_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    with os.fdopen(os.open(os.devnull, os.O_WRONLY), "r") as only_written:
        monkeypatch.setattr(sys, "stdin", only_written)
        with pytest.raises(InputError, match=r"^standard input cannot be read \(Bad file descriptor\)"):
            read_content("standard input", None)
