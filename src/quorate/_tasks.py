"""The task journal: many tasks, each with a key; finished ones are written down, so work survives a kill.

A journal is a file of JSON lines: a header with the settings, then one ``{"key", "result"}`` per
finished task, in any order. Tasks run in local processes through joblib; inside
``joblib.parallel_config(backend=...)`` they run on Dask or Ray instead.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO, TypeVar

from quorate._errors import InputError
from quorate._question import Question, option

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
        """Refuse fewer processes than one."""
        if self.workers < 1:
            raise InputError("--workers must be at least 1.")

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
    if journal is None:
        done.update(_progress(_run(work, left, workers), len(tasks), len(done), label))
    elif left or not done:
        with _open(journal, settings, fresh=not done) as file:
            for key, result in _progress(_run(work, left, workers), len(tasks), len(done), label):
                file.write(json.dumps({"key": key, "result": result}) + "\n")
                file.flush()
                done[key] = result
    return {key: done[key] for key in tasks}


def journal_path(verb: str, settings: Mapping[str, Any]) -> Path:
    """Return where the journal of these settings lives: in ``$QUORATE_CACHE``, or ``~/.cache/quorate``."""
    digest = hashlib.blake2b(_canonical(settings).encode(), digest_size=8).hexdigest()
    home = os.environ.get("QUORATE_CACHE") or Path.home() / ".cache" / "quorate"
    return Path(home) / f"{verb}-{digest}.jsonl"


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
    import warnings

    from joblib import Parallel, delayed

    # A worker that grew large is replaced between tasks, which is nobody's concern.
    warnings.filterwarnings("ignore", message="A worker stopped while some jobs", category=UserWarning)
    pool = Parallel(n_jobs=workers, return_as="generator_unordered")
    found: Iterator[tuple[str, Any]] = pool(delayed(_keyed)(work, key, task) for key, task in tasks.items())
    return found


def _keyed(work: Callable[..., Any], key: str, task: Task) -> tuple[str, Any]:
    return key, _plain(work(*task))


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
    """Return the finished tasks of a journal; a last line cut off by a kill is passed over."""
    if not journal.exists():
        return {}
    header, *lines = journal.read_text().split("\n")
    if header != _canonical(settings):
        raise InputError(f"{journal} belongs to other settings; start anew without --resume.")
    done = {}
    for line in lines[:-1]:  # what follows the last line break is empty, or half a line
        entry = json.loads(line)
        done[entry["key"]] = entry["result"]
    return done


def _open(journal: Path, settings: Mapping[str, Any], *, fresh: bool) -> TextIO:
    try:
        journal.parent.mkdir(parents=True, exist_ok=True)
        if fresh:
            file = journal.open("w")
            file.write(_canonical(settings) + "\n")
            file.flush()
            return file
        _drop_half_line(journal)
        return journal.open("a")
    except OSError as error:
        raise InputError(f"Cannot write {journal} ({error.strerror}); set QUORATE_CACHE to another folder.") from None


def _drop_half_line(journal: Path) -> None:
    content = journal.read_bytes()
    with journal.open("r+b") as file:
        file.truncate(content.rfind(b"\n") + 1)


def _canonical(settings: Mapping[str, Any]) -> str:
    return json.dumps(dict(settings), sort_keys=True, default=str)
