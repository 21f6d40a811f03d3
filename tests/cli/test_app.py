"""`quorate app` as a real process: it starts on a free port, says where, and leaves nothing behind."""

import http.cookiejar
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


def status(port: int, text: str) -> int:
    """Send bytes as no browser would, and return the status of the answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=600) as raw:
        raw.sendall(text.encode())
        return int(raw.recv(100).split()[1])


def broken_off(port: int, headers: str) -> None:
    """Begin an upload and hang up."""
    kind = "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 5000\r\n\r\n"
    part = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nitem,'
    with socket.create_connection(("127.0.0.1", port), timeout=600) as raw:
        raw.sendall(f"POST /files HTTP/1.1\r\n{headers}{kind}{part}".encode())


WITHOUT = """
import sys
for name in ("starlette", "uvicorn", "python_multipart"):
    sys.modules[name] = None
from quorate.cli import main
main(sys.argv[1:])
"""


def test_the_core_install_has_all_but_the_pages() -> None:
    ends = {}
    for words in ("--help", "app --help", "app --no-browser"):
        command = [sys.executable, "-c", WITHOUT, *words.split()]
        ends[words] = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert [done.returncode for done in ends.values()] == [0, 0, 2]
    assert "quorate app" in ends["app --help"].stdout
    assert "pip install 'quorate[app]'" in ends["app --no-browser"].stderr


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_starts_says_where_and_leaves_nothing(ending: signal.Signals, tmp_path: Path) -> None:
    here = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-W", "error", "-m", "quorate", "app", "--no-browser", "--workers", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=here) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            found = re.search(r"http://127\.0\.0\.1:(\d+)/\?token=(\S{32})", process.stdout.readline())
            assert found is not None
            jar = http.cookiejar.CookieJar()
            opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
            page = opener.open(found[0], timeout=600).read().decode()
            assert "Are there enough items and raters to decide?" in page
            [folder] = tmp_path.glob("quorate-app-*")
            port, token = int(found[1]), found[2]
            ours = f"Host: 127.0.0.1:{port}\r\n"
            assert status(port, "GET / HTTP/1.0\r\n\r\n") == 400  # no Host at all
            assert status(port, f"GET http://127.0.0.1:{port}/ HTTP/1.1\r\nHost: evil.example\r\n\r\n") == 400
            assert status(port, f"GET http://evil.example/ HTTP/1.1\r\n{ours}\r\n") == 403
            assert status(port, f"OPTIONS /files HTTP/1.1\r\n{ours}Origin: http://evil.example\r\n\r\n") == 403
            assert status(port, f"PUT /files HTTP/1.1\r\n{ours}Content-Length: 0\r\n\r\n") == 405
            [cookie] = jar
            broken_off(port, f"{ours}Cookie: {cookie.name}={cookie.value}\r\nOrigin: http://127.0.0.1:{port}\r\n")
            assert status(port, f"GET /?token={token} HTTP/1.1\r\n{ours}\r\n") == 303  # it is still there
        finally:
            process.send_signal(ending)
        assert process.wait(timeout=600) == 0
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


@pytest.mark.parametrize("workers", ["0", "-1", "100000"])
def test_a_number_of_processes_no_machine_runs_is_refused(workers: str) -> None:
    command = [sys.executable, "-m", "quorate", "app", "--no-browser", "--workers", workers]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("quorate: --workers")
