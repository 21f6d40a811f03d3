"""Faults from outside: closed and full streams, kills, a dead worker, a full disk; nothing lies, nothing is lost."""

import gzip
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from quorate.data.content import MOST_STREAM
from tests.hostile.kills import GRID, children, end, orphans, start, workers

ROOT = Path(__file__).parents[2]
GATE = "compare example:support example:support-answers --systems birch,atlas --gate -q --resamples 99"


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
        env={**env, "TMPDIR": "/tmp"},
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024)),
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert f"Cannot write {target}" in done.stderr
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == [target.name]


def test_a_full_disk_under_the_journal_is_a_sentence(env: dict[str, str], tmp_path: Path) -> None:
    words = "audit --preset dices --items 8 --raters 2 --replicates 1000 --workers 1 -q"
    done = subprocess.run(
        [sys.executable, "-m", "quorate", *words.split()],
        env=env,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)),
    )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "--resume" in done.stderr
    whole = shell(f"quorate {words} --json", env, tmp_path).stdout
    shell(f"quorate {words}", {**env, "QUORATE_CACHE": str(tmp_path / "other")}, tmp_path)
    assert shell(f"quorate {words} --json --resume", env, tmp_path).stdout == whole


def when_at_work(process: subprocess.Popen[bytes], journal: Path) -> list[psutil.Process]:
    """Wait for the first finished task; return the processes that were started."""
    for _ in range(600):
        written = [path for path in journal.glob("*.jsonl") if path.read_bytes().count(b"\n") > 1]
        if written and workers(process):
            return list(children(process))
        if process.poll() is not None:
            break
        time.sleep(0.05)
    pytest.fail(f"no task was finished: {process.communicate()}")


def swept(env: dict[str, str], folder: Path, words: str = "") -> subprocess.Popen[bytes]:
    (folder / "g.toml").write_text(GRID)
    return start(f"plan --grid g.toml -o sweep.csv --workers 2 {words}", env, folder)


@pytest.mark.parametrize("how", ["SIGKILL", "SIGTERM", "SIGHUP", "worker"])
def test_a_kill_leaves_no_orphan_and_a_journal_to_go_on_with(how: str, env: dict[str, str], tmp_path: Path) -> None:
    assert end(swept(env, tmp_path)) == 0
    expected = (tmp_path / "sweep.csv").read_bytes()
    (tmp_path / "sweep.csv").unlink()
    for path in (tmp_path / "cache").iterdir():
        path.unlink()
    ended = swept(env, tmp_path)
    family = when_at_work(ended, tmp_path / "cache")
    if how == "worker":
        workers(ended)[0].kill()
        said = ended.communicate(timeout=60)[1].decode()
        assert ended.returncode == 0, said  # its task was done again
    else:
        ended.send_signal(signal.Signals[how])
        assert end(ended) == -signal.Signals[how]
    assert orphans(family, seconds=2) == []
    assert end(swept(env, tmp_path, "--resume")) == 0
    assert (tmp_path / "sweep.csv").read_bytes() == expected
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["g.toml", "sweep.csv"]


def test_ctrl_c_is_one_line_and_130(env: dict[str, str], tmp_path: Path) -> None:
    ended = swept(env, tmp_path)
    family = when_at_work(ended, tmp_path / "cache")
    os.killpg(ended.pid, signal.SIGINT)
    said = ended.communicate(timeout=30)[1].decode()
    assert (ended.returncode, said) == (130, "quorate: stopped.\n")
    assert orphans(family, seconds=2) == []


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
