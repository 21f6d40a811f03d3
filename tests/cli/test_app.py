"""`quorate app` as a real process: it starts on a free port, says where, and leaves nothing behind."""

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.run import Run


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_starts_says_where_and_leaves_nothing(ending: signal.Signals, tmp_path: Path) -> None:
    here = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-W", "error", "-m", "quorate", "app", "--no-browser", "--workers", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=here) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            found = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=\S{32}", process.stdout.readline())
            assert found is not None
            opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
            page = opener.open(found[0], timeout=30).read().decode()
            assert "Are there enough items and raters to decide?" in page
            [folder] = tmp_path.glob("quorate-app-*")
            with socket.create_connection(("127.0.0.1", int(found[1])), timeout=30) as raw:  # no Host at all
                raw.sendall(b"GET / HTTP/1.0\r\n\r\n")
                assert raw.recv(100).split()[1] == b"400"
        finally:
            process.send_signal(ending)
        assert process.wait(timeout=30) == 0
        assert "stopped" in process.stdout.read()
        assert process.stderr.read() == ""
    assert not folder.exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--host", "0.0.0.0"), "--host 0.0.0.0 opens the pages, and every file dropped on them, to the network"),
        (("--host", "0.0.0.0", "--token", "short"), "--token must be 12 letters or more"),
        (("--max-upload", "much"), "--max-upload much is not a size; write 200M or 2G."),
        (("--port", "99999"), "--port 99999 is no port"),
    ],
)
def test_what_cannot_be_is_refused(words: tuple[str, ...], sentence: str, quorate: Run) -> None:
    done = quorate("app", *words)
    assert done.returncode == 2
    assert sentence in done.stderr
