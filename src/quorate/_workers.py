"""Who does tasks: this process, processes beside it, an executor, or the workers of a Dask cluster.

Results come in any order, each with its key, and are the same to the last bit whoever did them. A worker that is lost
is a task done again.
"""

import json
import logging
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from quorate._errors import InputError
from quorate._version import __version__

WATCH = 0.5
"""Seconds between two looks of a worker after its parent."""
PATIENCE = 1.0
"""Seconds of work done here before processes are started unasked: short work is done before they are."""
MOST_LOSSES = 3
"""Times that local processes are started again after one of them was killed."""
REACH = 10
"""Seconds to wait for a cluster to answer."""
LOGGERS = (
    *("distributed", "distributed.client", "distributed.core", "distributed.batched"),
    *("tornado", "tornado.application", "asyncio"),
)
"""Who would write traces when workers or their scheduler are lost; Dask sets the level of each by itself."""
STARTED = threading.Event()
"""Set once local processes were started."""
Task = tuple[Any, ...]
Results = Iterator[tuple[str, Any]]


def do_here(work: Callable[..., Any], tasks: Mapping[str, Task]) -> Results:
    """Do tasks in this process."""
    return ((key, _plain(work(*task))) for key, task in tasks.items())


def do_on_cores(work: Callable[..., Any], tasks: Mapping[str, Task], workers: int | None) -> Results:
    """Do tasks in local processes; in as many as there are cores, if it takes long, where no number is given."""
    left, start = dict(tasks), time.monotonic()
    while workers is None and left and time.monotonic() - start < PATIENCE:
        key = next(iter(left))
        yield key, _plain(work(*left.pop(key)))
    workers = workers or _cores()
    if workers == 1 or len(left) < 2:
        yield from do_here(work, left)
    else:
        yield from _do_in_processes(work, left, workers)


def do_on_executor(work: Callable[..., Any], tasks: Mapping[str, Task], executor: Any) -> Results:
    """Do tasks on an executor of `concurrent.futures`, or a Dask client."""
    from concurrent.futures import Executor, as_completed

    pool = executor if isinstance(executor, Executor) else _dask_executor(executor)
    futures = [pool.submit(_keyed, work, key, task, __version__) for key, task in tasks.items()]
    try:
        for future in as_completed(futures):
            yield future.result()
    except _losses() as error:
        raise InputError(
            f"The workers were lost ({type(error).__name__}); what is done is kept: go on with --resume."
        ) from None
    finally:
        for future in futures:
            future.cancel()


def do_on_cluster(work: Callable[..., Any], tasks: Mapping[str, Task], address: str) -> Results:
    """Do tasks on the workers of the Dask scheduler at an address."""
    distributed = _distributed("--cluster")
    for name in LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # what is lost is said in one sentence
    try:
        client = distributed.Client(address, timeout=REACH, set_as_default=False)
    except (OSError, ValueError) as error:
        raise InputError(
            f"--cluster {address} does not answer ({type(error).__name__}); start a Dask scheduler or mend the address."
        ) from None
    try:
        yield from do_on_executor(work, tasks, client)
    finally:
        client.close(timeout=REACH)


def _cores() -> int:
    from joblib import cpu_count

    return int(cpu_count())


def _distributed(flag: str) -> Any:
    try:
        import distributed
    except ImportError:
        raise InputError(f"{flag} needs Dask's scheduler; pip install 'quorate[scale]'.") from None
    return distributed


def _dask_executor(client: Any) -> Any:
    """Return the executor of a Dask client, or refuse what is none."""
    if not isinstance(client, _distributed("executor=").Client):
        raise InputError(
            f"executor= takes an executor of concurrent.futures or a Dask Client, not a {type(client).__name__}."
        )
    return client.get_executor()


def _losses() -> tuple[type[BaseException], ...]:
    """Return what is raised where workers, or their scheduler, go away."""
    from concurrent.futures import BrokenExecutor, CancelledError
    from importlib.util import find_spec

    if find_spec("distributed") is None:
        return BrokenExecutor, CancelledError
    from distributed import KilledWorker
    from distributed.client import FutureCancelledError
    from distributed.comm.core import CommClosedError

    return BrokenExecutor, CancelledError, FutureCancelledError, KilledWorker, CommClosedError


def _do_in_processes(work: Callable[..., Any], tasks: Mapping[str, Task], workers: int) -> Results:
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    left = dict(tasks)
    for _ in range(1 + MOST_LOSSES):
        try:
            for key, result in _do_in_pool(work, dict(left), workers):  # read on while results come
                yield key, result
                del left[key]
            return
        except TerminatedWorkerError:
            continue
    raise InputError(
        f"Worker processes were killed {1 + MOST_LOSSES} times, perhaps for want of memory; go on with --resume, and "
        "fewer --workers."
    )


def _do_in_pool(work: Callable[..., Any], tasks: Mapping[str, Task], workers: int) -> Results:
    from joblib import Parallel, delayed

    # A worker that grew large is replaced between tasks, which is nobody's concern.
    warnings.filterwarnings("ignore", message="A worker stopped while some jobs", category=UserWarning)
    os.environ.setdefault("PYTHONWARNINGS", "ignore:resource_tracker")  # what it cleans up after a kill is its business
    STARTED.set()
    pool = Parallel(
        n_jobs=workers,
        backend="loky",
        return_as="generator_unordered",
        initializer=live_with,
        initargs=(os.getpid(),),
    )
    with _deaf_to_interrupts():  # Ctrl-C is for the parent to answer
        results = pool(delayed(_keyed)(work, key, task, __version__) for key, task in tasks.items())
    yield from results


def release_workers() -> None:
    """End local processes that wait for more work, all at once.

    Asked one by one they may never end: one that was killed meanwhile keeps the lock that the others wait for.
    """
    if STARTED.is_set():
        from joblib.externals.loky import get_reusable_executor

        get_reusable_executor(reuse=True, kill_workers=True).shutdown(wait=True, kill_workers=True)
        STARTED.clear()


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Ignore Ctrl-C for a moment; processes started meanwhile ignore it for ever."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _keyed(work: Callable[..., Any], key: str, task: Task, version: str) -> tuple[str, Any]:
    """Do a task where the same version is at work, so that the answer is the same."""
    if version != __version__:
        raise InputError(f"A worker has quorate {__version__}, this is {version}; install the same version on both.")
    return key, _plain(work(*task))


def live_with(parent: int) -> None:
    """Watch, from a thread of a new worker, that its parent lives, and end with it: no kill leaves an orphan."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(WATCH)
    os._exit(1)


def _plain(result: Any) -> Any:
    """Bring a result through JSON, so that fresh and resumed ones are the same to the last bit."""
    return json.loads(json.dumps(result))
