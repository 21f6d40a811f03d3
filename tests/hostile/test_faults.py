"""Faults from outside: closed and full streams, kills, a dead worker, a full disk; nothing lies, nothing is lost."""

import gzip
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from quorate.data.content import MOST_STREAM
from tests.hostile.kills import GRID, PATIENCE, children, end, orphans, start, workers
from tests.run import Run

ROOT = Path(__file__).parents[2]
GATE = "compare example:support example:support-answers --systems birch,atlas --gate -q --resamples 99"


UNCOMPILED = {"PYTHONDONTWRITEBYTECODE": "1"}
"""For a process whose files may not grow: it would leave half a module in the cache of bytecode for all others."""


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    here = {"PYTHONPATH": str(ROOT / "src"), "QUORATE_CACHE": str(tmp_path / "cache"), "TMPDIR": str(tmp_path)}
    return {**os.environ, **here}


def shell(line: str, env: dict[str, str], cwd: Path) -> subprocess.CompletedProcess[str]:
    python = f"{sys.executable} -m quorate"
    text = line.replace("quorate", python, 1)
    return subprocess.run(
        ["bash", "-c", text], env=env, cwd=cwd, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize(
    "where", ["", "| true; exit ${PIPESTATUS[0]}", ">/dev/full", ">&-", "2>&-", "2>/dev/full", "<&-"]
)
def test_the_gate_code_stands_whatever_becomes_of_the_output(where: str, env: dict[str, str], tmp_path: Path) -> None:
    """birch is worse than atlas, so the gate fails with 1; nothing that befalls a stream makes it anything else."""
    assert shell(f"quorate {GATE} {where}", env, tmp_path).returncode == 1


def test_a_gate_that_passes_is_told_apart(env: dict[str, str], tmp_path: Path) -> None:
    """Negative control."""
    assert (
        shell(
            f"quorate {GATE.replace('birch,atlas', 'atlas,birch')} | true; exit ${{PIPESTATUS[0]}}", env, tmp_path
        ).returncode
        == 0
    )


def test_an_answer_that_cannot_be_kept_is_not_done(env: dict[str, str], tmp_path: Path) -> None:
    done = shell("quorate describe -q example:support >/dev/full", env, tmp_path)
    assert done.returncode == 2
    assert "cannot be printed" in done.stderr
    assert shell("quorate --help | true; exit ${PIPESTATUS[0]}", env, tmp_path).returncode == 0


@pytest.mark.parametrize("suffix", [".csv", ".json", ".html", ".parquet"])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(suffix: str, env: dict[str, str], tmp_path: Path) -> None:
    target = tmp_path / f"out{suffix}"
    target.write_text("old")
    words = ["describe", "-q", "example:support", "-o", str(target)]
    done = subprocess.run(
        [sys.executable, "-m", "quorate", *words],
        env={**env, **UNCOMPILED, "TMPDIR": "/tmp"},
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024)),
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"Cannot write {target}" in done.stderr
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == [target.name]


def test_a_full_disk_under_the_journal_is_a_sentence(env: dict[str, str], tmp_path: Path, quorate: Run) -> None:
    words = "audit --preset dices --items 8 --raters 2 --replicates 400 --workers 1 -q"
    done = subprocess.run(
        [sys.executable, "-m", "quorate", *words.split()],
        env={**env, **UNCOMPILED},
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)),
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "--resume" in done.stderr
    [interrupted] = (tmp_path / "cache").glob("*.jsonl")
    assert interrupted.read_bytes().count(b"\n") > 0
    whole = quorate(*words.split(), "--json", QUORATE_CACHE=str(tmp_path / "other")).stdout
    assert quorate(*words.split(), "--json", "--resume", QUORATE_CACHE=env["QUORATE_CACHE"]).stdout == whole


SWEEP = ("plan", "--grid", "g.toml", "-o", "sweep.csv", "--workers")
TASKS = 4  # of the grid; a journal has a line more


@contextmanager
def at_work(env: dict[str, str], folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], list[psutil.Process]]]:
    """Sweep with two workers, held still after the first finished task; it goes on when this is left.

    What ends before it could be held is started anew.
    """
    (folder / "g.toml").write_text(GRID)
    for _ in range(10):
        process = start(" ".join([*SWEEP, "2"]), env, folder)
        if held_at_work(process, folder / "cache"):
            break
        assert end(process) == 0
        for path in (folder / "sweep.csv", *(folder / "cache").iterdir()):
            path.unlink()
    else:
        pytest.fail("no run could be held at work")
    try:
        yield process, list(children(process))
    finally:
        process.send_signal(signal.SIGCONT)


def held_at_work(process: subprocess.Popen[bytes], journal: Path) -> bool:
    """Stop a process again and again until one of its tasks, not the last, is written down; False if it ends before."""
    while process.poll() is None:
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        lines = sum(path.read_bytes().count(b"\n") for path in journal.glob("*.jsonl"))
        if 1 < lines <= TASKS and workers(process):
            return True
        process.send_signal(signal.SIGCONT)
        time.sleep(0.02)
    return False


@pytest.fixture(scope="module")
def expected(quorate: Run, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What a sweep writes that nobody disturbs."""
    folder = tmp_path_factory.mktemp("undisturbed")
    (folder / "g.toml").write_text(GRID)
    assert quorate(*SWEEP, "1", cwd=folder, QUORATE_CACHE=str(folder)).returncode == 0
    return (folder / "sweep.csv").read_bytes()


@pytest.mark.parametrize("how", ["SIGKILL", "SIGTERM", "SIGHUP", "worker"])
def test_a_kill_leaves_no_orphan_and_a_journal_to_go_on_with(
    how: str, env: dict[str, str], tmp_path: Path, quorate: Run, expected: bytes
) -> None:
    with at_work(env, tmp_path) as (ended, family):
        if how == "worker":
            workers(ended)[0].kill()
        else:
            ended.send_signal(signal.Signals[how])
    said = ended.communicate(timeout=PATIENCE)[1].decode()
    assert ended.returncode == (0 if how == "worker" else -signal.Signals[how]), said  # a worker's task is done again
    assert orphans(family, seconds=60) == []
    assert (tmp_path / "sweep.csv").exists() == (how == "worker")
    assert quorate(*SWEEP, "1", "--resume", cwd=tmp_path, QUORATE_CACHE=env["QUORATE_CACHE"]).returncode == 0
    assert (tmp_path / "sweep.csv").read_bytes() == expected
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["g.toml", "sweep.csv"]


def test_ctrl_c_is_one_line_and_130(env: dict[str, str], tmp_path: Path) -> None:
    with at_work(env, tmp_path) as (ended, family):
        os.killpg(ended.pid, signal.SIGINT)
    said = ended.communicate(timeout=600)[1].decode()
    assert (ended.returncode, said) == (130, "quorate: stopped.\n")
    assert orphans(family, seconds=60) == []


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the bound is not heeded")
def test_a_plan_with_a_thousand_categories_fits_into_two_gigabytes(env: dict[str, str], tmp_path: Path) -> None:
    """Items take a number per category, so fewer are drawn: it took 6 GiB."""
    words = ["plan", "--alpha", ",".join(["1"] * 1000), "--difference", "0.0001", "--items", "300", "--raters", "3"]
    done = subprocess.run(
        [sys.executable, "-m", "quorate", *words, "-q"],
        env={**env, "POLARS_MAX_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30)),
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the bound is not heeded")
@pytest.mark.parametrize("megabytes", [300, 700, 1100])
def test_too_few_addresses_are_a_sentence_and_no_verdict(megabytes: int, env: dict[str, str], tmp_path: Path) -> None:
    """Compiled libraries ended such a run by a signal, or with the code of a gate that failed."""
    done = subprocess.run(
        [sys.executable, "-m", "quorate", *GATE.split()],
        env=env,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20)),
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "not enough memory" in done.stderr


STOPPED_AT_START = """
import sys

class Stop:
    def find_spec(self, name, path, target=None):
        if name == "cyclopts":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Stop())
sys.argv = ["quorate", "cite"]
from quorate.__main__ import main
main()
"""


def test_ctrl_c_while_it_starts_is_one_line_and_130(env: dict[str, str], tmp_path: Path) -> None:
    words = [sys.executable, "-c", STOPPED_AT_START]
    done = subprocess.run(words, env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "quorate: stopped.\n")


def test_simulate_writes_all_of_its_files_or_none(env: dict[str, str], tmp_path: Path) -> None:
    """The second file cannot be put in place: a directory has its name, so the first comes back as it was."""
    study = tmp_path / "study"
    (study / "answers.csv").mkdir(parents=True)
    (study / "ratings.csv").write_text("old")
    done = shell("quorate simulate --preset dices --items 3 --raters 2 -q -o study", env, tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert (study / "ratings.csv").read_text() == "old"
    assert sorted(path.name for path in study.iterdir()) == ["answers.csv", "ratings.csv"]


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs devices without an end")
def test_what_has_no_end_is_refused(env: dict[str, str], tmp_path: Path) -> None:
    for line in ("quorate describe -q /dev/zero", "yes q1,r1,yes | quorate describe -q -"):
        done = shell(line, env, tmp_path)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def test_a_gzip_bomb_is_refused(env: dict[str, str], tmp_path: Path) -> None:
    line = b"q1,r1,yes\n" * 100_000
    with gzip.open(tmp_path / "bomb.csv.gz", "wb", 1) as file:
        for _ in range(MOST_STREAM // len(line) + 1):
            file.write(line)
    done = shell("quorate describe -q bomb.csv.gz", env, tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "no end in sight" in done.stderr
