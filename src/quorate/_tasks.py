"""The task journal: many tasks, each with a key; finished ones are written down, so work survives a kill.

A journal is a file of JSON lines: a header with the version and a digest of the settings, then one
``{"key", "result", "check"}`` per finished task, in any order. A line whose check does not fit, as a kill, a full disk
or a stray edit leaves it, is passed over and its task done again. Tasks run in local processes through joblib; inside
``joblib.parallel_config(backend=...)`` they run on Dask or Ray instead.
"""

import hashlib
import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Any, TypeVar

from quorate._errors import InputError
from quorate._question import Question, check_workers, option
from quorate._version import __version__

WATCH = 0.5
"""Seconds between two looks of a worker after its parent."""
Task = tuple[Any, ...]
Part = TypeVar("Part")


@dataclass(frozen=True, kw_only=True)
class Execution(Question):
    """How long work is done; the answer does not depend on it, so no setting names it.

    Parameters
    ----------
    workers
        Local processes.
    resume
        Go on with a run that was ended before it was done.
    progress
        Show a bar on a terminal.
    """

    workers: int = 1
    resume: bool = False
    progress: bool = option(False, cli=False)

    def check(self) -> None:
        """Refuse a number of processes no machine runs."""
        check_workers(self.workers)

    def settings(self, **resolved: Any) -> dict[str, Any]:
        """Return every option the answer depends on."""
        settings = super().settings(**resolved)
        return {name: value for name, value in settings.items() if name not in Execution.__annotations__}


def run_tasks(
    work: Callable[..., Any],
    tasks: Mapping[str, Task],
    *,
    settings: Mapping[str, Any],
    workers: int = 1,
    journal: Path | None = None,
    resume: bool = False,
    label: str | None = None,
) -> dict[str, Any]:
    """Run every task and return its result by key, in the order of `tasks`.

    Parameters
    ----------
    work
        A function of a module, called with the arguments of each task; its result must survive JSON.
    tasks
        Arguments by key.
    settings
        What the tasks depend on; a journal with other settings is refused.
    workers
        Local processes; 1 runs here.
    journal
        Where finished tasks are written down; None for nowhere.
    resume
        Take finished tasks from the journal instead of starting anew.
    label
        What a progress bar on a terminal says; None for none.
    """
    done = _read(journal, settings) if journal is not None and resume else {}
    left = {key: task for key, task in tasks.items() if key not in done}
    results = _progress(_run(work, left, workers), len(tasks), len(done), label)
    if journal is None:
        done.update(results)
    elif left or not done:
        with _open(journal, settings, fresh=not done) as file:
            for key, result in results:
                _append(file, _line(key, result), journal)
                done[key] = result
    return {key: done[key] for key in tasks}


def journal_path(verb: str, settings: Mapping[str, Any]) -> Path:
    """Return where the journal of these settings lives: in ``$QUORATE_CACHE``, or ``~/.cache/quorate``."""
    home = os.environ.get("QUORATE_CACHE") or Path.home() / ".cache" / "quorate"
    return Path(home) / f"{verb}-{_digest(_canonical(settings))}.jsonl"


def prefetch(parts: Iterator[Part]) -> Iterator[Part]:
    """Work out the next part in a thread while the present one is used; arrays let go of the lock.

    Parts and order stay the same; their user must not share a random generator with them.
    """
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as worker:
        coming = worker.submit(next, parts, None)
        while (part := coming.result()) is not None:
            coming = worker.submit(next, parts, None)
            yield part


def _run(work: Callable[..., Any], tasks: Mapping[str, Task], workers: int) -> Iterator[tuple[str, Any]]:
    if workers == 1 or len(tasks) < 2:
        return ((key, _plain(work(*task))) for key, task in tasks.items())
    return _run_together(work, tasks, workers)


def _run_together(work: Callable[..., Any], tasks: Mapping[str, Task], workers: int) -> Iterator[tuple[str, Any]]:
    import warnings

    from joblib import Parallel, delayed
    from joblib._parallel_backends import LokyBackend
    from joblib.externals.loky.process_executor import TerminatedWorkerError
    from joblib.parallel import get_active_backend

    # A worker that grew large is replaced between tasks, which is nobody's concern.
    warnings.filterwarnings("ignore", message="A worker stopped while some jobs", category=UserWarning)
    os.environ.setdefault("PYTHONWARNINGS", "ignore:resource_tracker")  # what it cleans up after a kill is its business
    local = isinstance(get_active_backend()[0], LokyBackend)  # else machines elsewhere, which have no such parent
    watched = {"initializer": _live_with, "initargs": (os.getpid(),)} if local else {}
    pool = Parallel(n_jobs=workers, return_as="generator_unordered", **watched)
    try:
        with _deaf_to_interrupts():  # Ctrl-C is for the parent to answer
            results = pool(delayed(_keyed)(work, key, task) for key, task in tasks.items())
        yield from results
    except TerminatedWorkerError:
        raise InputError(
            "A worker process was killed, perhaps for want of memory; go on with --resume, and fewer --workers."
        ) from None


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


def _keyed(work: Callable[..., Any], key: str, task: Task) -> tuple[str, Any]:
    return key, _plain(work(*task))


def _live_with(parent: int) -> None:
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


def _progress(
    results: Iterator[tuple[str, Any]], total: int, done: int, label: str | None
) -> Iterator[tuple[str, Any]]:
    """Show a bar with the time left, on a terminal only."""
    if label is None:
        yield from results
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(label, total=total, completed=done)
        for result in results:
            bar.advance(task)
            yield result


def _read(journal: Path, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the finished tasks of a journal, of lines that are whole."""
    try:
        if not journal.exists():
            return {}
        if not journal.is_file():
            raise InputError(f"{journal} is no file; move it away, or set QUORATE_CACHE to another folder.")
        header, *lines = journal.read_bytes().split(b"\n")
    except OSError as error:
        raise InputError(f"Cannot read {journal} ({error.strerror}); start anew without --resume.") from None
    _check_header(journal, header, settings)
    return dict(entry for line in lines if (entry := _entry(line)) is not None)


def _check_header(journal: Path, header: bytes, settings: Mapping[str, Any]) -> None:
    """Refuse a journal that is none, or of another version, or of other settings."""
    ours, theirs = json.loads(_header(settings)), _parsed(header)
    if not isinstance(theirs, dict) or set(theirs) != set(ours):
        raise InputError(f"{journal} is damaged, or no journal of quorate; start anew without --resume.")
    if theirs["version"] != ours["version"]:
        raise InputError(f"{journal} was begun by quorate {theirs['version']}; start anew without --resume.")
    if theirs != ours:
        raise InputError(f"{journal} belongs to other settings; start anew without --resume.")


def _entry(line: bytes) -> tuple[str, Any] | None:
    """Return key and result of a line, None if it is not as it was written."""
    entry = _parsed(line)
    if not isinstance(entry, dict) or not isinstance(key := entry.get("key"), str):
        return None
    return (key, entry["result"]) if line == _line(key, entry.get("result")).rstrip(b"\n") else None


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _header(settings: Mapping[str, Any]) -> bytes:
    header = {"journal": "quorate", "version": __version__, "settings": _digest(_canonical(settings))}
    return json.dumps(header).encode() + b"\n"


def _line(key: str, result: Any) -> bytes:
    text = json.dumps({"key": key, "result": result})
    return f'{text[:-1]}, "check": "{_digest(text)}"}}\n'.encode()


def _open(journal: Path, settings: Mapping[str, Any], *, fresh: bool) -> FileIO:
    """Open a journal to add to; half a line a kill left behind goes."""
    try:
        journal.parent.mkdir(parents=True, exist_ok=True)
        if fresh:
            journal.unlink(missing_ok=True)
        else:
            os.truncate(journal, journal.read_bytes().rfind(b"\n") + 1)
        file = journal.open("ab", buffering=0)
    except OSError as error:
        raise _cannot_write(journal, error) from None
    _append(file, _header(settings) if fresh else b"", journal)
    return file


def _append(file: FileIO, line: bytes, journal: Path) -> None:
    try:
        while line:
            line = line[file.write(line) :]
    except OSError as error:
        raise _cannot_write(journal, error) from None


def _cannot_write(journal: Path, error: OSError) -> InputError:
    return InputError(
        f"Cannot write {journal} ({error.strerror}); free some space or set QUORATE_CACHE to another folder, and go on "
        "with --resume."
    )


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _canonical(settings: Mapping[str, Any]) -> str:
    return json.dumps(dict(settings), sort_keys=True, default=str)
