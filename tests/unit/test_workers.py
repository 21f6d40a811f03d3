"""Who does tasks: executors, processes that are killed, and what is no executor."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest

from quorate import InputError, ShareDone
from quorate._tasks import Execution, run_tasks
from quorate._workers import do_on_cores

TASKS = {str(i): (i,) for i in range(5)}
SQUARES = {str(i): i * i for i in range(5)}


def square(x: int) -> int:
    return x * x


def die_once(x: int, grave: str) -> int:
    """Kill the process that does the third task, the first time."""
    if x == 2 and not Path(grave).exists():
        Path(grave).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return x * x


def die(x: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return x


def slow(x: int) -> tuple[int, int]:
    time.sleep(0.3)
    return os.getpid(), x


def test_any_executor_gives_the_same_results() -> None:
    with ThreadPoolExecutor(3) as threads:
        assert run_tasks(square, TASKS, settings={}, execution=Execution(executor=threads)) == SQUARES
    with ThreadPoolExecutor(1) as one:
        assert list(run_tasks(square, TASKS, settings={}, execution=Execution(executor=one))) == list(TASKS)


def test_what_is_no_executor_is_refused() -> None:
    with pytest.raises(InputError, match="executor= "):
        run_tasks(square, TASKS, settings={}, execution=Execution(executor=3))


def test_two_places_to_work_are_refused() -> None:
    with pytest.raises(InputError, match="both say where to work"):
        Execution(workers=2, cluster="tcp://127.0.0.1:1")


def test_a_killed_worker_is_a_task_done_again(tmp_path: Path) -> None:
    tasks = {key: (x, str(tmp_path / "grave")) for key, (x,) in TASKS.items()}
    assert run_tasks(die_once, tasks, settings={}, execution=Execution(workers=2)) == SQUARES
    assert (tmp_path / "grave").exists()


def test_workers_that_die_every_time_end_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="killed 4 times"):
        run_tasks(die, TASKS, settings={}, execution=Execution(workers=2))


def test_many_tasks_are_read_on_while_results_come() -> None:
    tasks = {str(i): (i,) for i in range(40)}
    assert run_tasks(square, tasks, settings={}, execution=Execution(workers=2)) == {str(i): i * i for i in range(40)}


def test_a_broken_executor_leaves_a_journal_to_resume(tmp_path: Path) -> None:
    journal, tasks = tmp_path / "j.jsonl", {key: (x, str(tmp_path / "grave")) for key, (x,) in TASKS.items()}
    with ProcessPoolExecutor(1) as pool, pytest.raises(InputError, match="--resume"):
        run_tasks(die_once, tasks, settings={}, execution=Execution(executor=pool), journal=journal)
    resumed = run_tasks(die_once, tasks, settings={}, execution=Execution(workers=1, resume=True), journal=journal)
    assert resumed == SQUARES


def test_short_work_is_done_here_and_long_work_is_spread() -> None:
    assert {pid for _, (pid, _) in do_on_cores(slow, {"a": (1,)}, None)} == {os.getpid()}
    done = dict(do_on_cores(slow, {str(i): (i,) for i in range(8)}, None))
    assert sorted(x for _, x in done.values()) == list(range(8))
    assert sum(pid == os.getpid() for pid, _ in done.values()) in (4, 8)  # 8 where there is one core


@pytest.mark.parametrize("shard", ["0/3", "4/3", "1/0", "x", "1", "1/3/3", "-1/3", "1/1000000", "1/" + "9" * 400])
def test_odd_shares_are_refused(shard: str) -> None:
    with pytest.raises(InputError, match="is not a share"):
        Execution(shard=shard)


def test_shares_together_are_the_whole(tmp_path: Path) -> None:
    journal = tmp_path / "j.jsonl"
    sizes = []
    for part in (1, 2, 3):
        with pytest.raises(ShareDone) as done:
            run_tasks(square, TASKS, settings={}, execution=Execution(workers=1, shard=f"{part}/3"), journal=journal)
        sizes.append(done.value.tasks)
    assert sizes == [2, 2, 1]
    assert not journal.exists()
    resumed = run_tasks(die, TASKS, settings={}, execution=Execution(workers=1, resume=True), journal=journal)
    assert resumed == SQUARES  # `die` was never called
    assert list(resumed) == list(TASKS)


def test_an_address_where_nobody_answers_is_a_sentence() -> None:
    pytest.importorskip("distributed", reason="Dask is not installed (extra scale)")
    with pytest.raises(InputError, match="does not answer"):
        run_tasks(square, TASKS, settings={}, execution=Execution(cluster="tcp://nobody.invalid:no-port"))


@pytest.mark.parametrize("address", ["", "127.0.0.1:8786", "tcp://", "nonsense://127.0.0.1:1"])
def test_odd_addresses_are_refused(address: str) -> None:
    with pytest.raises(InputError, match="is not an address"):
        Execution(cluster=address)


@pytest.mark.parametrize("victim", [0, 1])
def test_a_worker_killed_at_the_end_keeps_nobody_waiting(victim: int, tmp_path: Path) -> None:
    """One of two idle workers holds the lock of the queue; a shell that kills it must still get its prompt back."""
    script = tmp_path / "work.py"
    script.write_text(AT_THE_END.format(victim=victim))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=600, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "9 results\n", "")


AT_THE_END = """
import os, signal, time
import psutil
from quorate._tasks import Execution, run_tasks
from quorate._workers import release_workers

if __name__ == "__main__":
    found = run_tasks(time.sleep, {{str(i): (0.05,) for i in range(9)}}, settings={{}}, execution=Execution(workers=2))
    print(len(found), "results")
    workers = [each for each in psutil.Process().children() if "LokyProcess" in " ".join(each.cmdline())]
    victim = sorted(workers, key=lambda each: each.pid)[{victim}]
    os.kill(victim.pid, signal.SIGTERM)
    release_workers()
"""
