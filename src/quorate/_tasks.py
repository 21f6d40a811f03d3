"""Long work as many tasks, each with a key: spread over workers, written down as they finish, resumed after a kill."""

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

from quorate._errors import InputError, ShareDone
from quorate._journal import open_journal, read_journals, share_path, write_result
from quorate._question import Question, check_workers, option
from quorate._text import count
from quorate._workers import Results, Task, do_here, do_on_cluster, do_on_cores, do_on_executor

LISTENER: ContextVar[Callable[[int, int], None] | None] = ContextVar("LISTENER", default=None)
"""Hears how many parts of long work are done, and of how many."""
MOST_SHARES = 100_000
Part = TypeVar("Part")


def _share(flag: str, value: str | tuple[int, int]) -> tuple[int, int]:
    """Read which share of how many: 3/8."""
    part, _, parts = value.partition("/") if isinstance(value, str) else (str(value[0]), "/", str(value[1]))
    if not (part.isdecimal() and parts.isdecimal() and len(parts) < 9 and 1 <= int(part) <= int(parts) <= MOST_SHARES):
        raise InputError(f"{flag} {value} is not a share of the work; write 3/8 for the third of eight.")
    return int(part), int(parts)


@dataclass(frozen=True, kw_only=True)
class Execution(Question):
    """How long work is done; the answer does not depend on it, so no setting names it.

    Parameters
    ----------
    workers
        Local processes; as many as there are cores by default.
    cluster
        Work on the workers of a Dask scheduler instead: tcp://HOST:PORT.
    shard
        Do one share of the work only, 3/8 for the third of eight; when all are done, --resume puts them together.
    resume
        Go on with a run that was ended before it was done.
    progress
        Show a bar on a terminal.
    executor
        An executor of concurrent.futures, or a Dask Client, to work on instead.
    """

    heading: ClassVar[str] = "Long work"

    workers: int | None = None
    cluster: str | None = None
    shard: str | tuple[int, int] | None = option(None, parse=_share, cli=str)
    resume: bool = False
    progress: bool = option(False, cli=False)
    executor: Any = option(None, cli=False)

    def check(self) -> None:
        """Refuse a number of processes no machine runs, and two places to work at once."""
        super().check()
        if self.workers is not None:
            check_workers(self.workers)
        if self.cluster is not None and not re.fullmatch(r"(tcp|tls|ws|wss)://\S+", self.cluster):
            raise InputError(f"--cluster {self.cluster} is not an address; write tcp://HOST:PORT.")
        named = {"--workers": self.workers, "--cluster": self.cluster, "executor=": self.executor}
        given = [flag for flag, value in named.items() if value is not None]
        if len(given) > 1:
            raise InputError(f"{' and '.join(given)} both say where to work; give one of them.")

    def settings(self, **resolved: Any) -> dict[str, Any]:
        """Return every option the answer depends on."""
        settings = super().settings(**resolved)
        return {name: value for name, value in settings.items() if name not in Execution.__annotations__}

    def travelling(self) -> Self:
        """Return the question as workers are told it: what is asked, not who does it."""
        return replace(self, workers=None, cluster=None, shard=None, resume=False, progress=False, executor=None)

    @property
    def share(self) -> tuple[int, int]:
        """Which share of how many is done, from 1 up."""
        return (1, 1) if self.shard is None else _share("--shard", self.shard)


def run_tasks(
    work: Callable[..., Any],
    tasks: Mapping[str, Task],
    *,
    settings: Mapping[str, Any],
    execution: Execution | None = None,
    journal: Path | None = None,
    fits: Callable[..., bool] | None = None,
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
    execution
        Who does them, which share of them, and whether finished ones are taken from the journal; all of them in this
        process, anew, if not given.
    journal
        Where finished tasks are written down; None for nowhere.
    fits
        Tells whether what a journal holds, given before the arguments of its task, is a result of it; what is not is
        worked out again. None where any is.
    label
        What a progress bar on a terminal says; None for none.

    Raises
    ------
    ShareDone
        When a share of the tasks was asked for, and is done.
    """
    execution = Execution(workers=1) if execution is None else execution
    part, parts = execution.share
    mine = {key: task for place, (key, task) in enumerate(tasks.items()) if place % parts == part - 1}
    kept = read_journals(journal, settings) if journal is not None and execution.resume else {}
    done = {key: kept[key] for key in kept.keys() & tasks.keys() if fits is None or fits(kept[key], *tasks[key])}
    left = {key: task for key, task in mine.items() if key not in done}
    results = _progress(_results(work, left, execution), len(mine), len(mine) - len(left), label)
    if journal is None:
        done.update(results)
    elif left or not execution.resume:
        own = share_path(journal, part, parts)
        with open_journal(own, settings, fresh=not execution.resume) as file:
            for key, result in results:
                write_result(file, key, result, own)
                done[key] = result
    if parts > 1:
        raise ShareDone(_share_done(execution, len(mine), len(tasks)), shard=f"{part}/{parts}", tasks=len(mine))
    return {key: done[key] for key in tasks}


def _results(work: Callable[..., Any], tasks: Mapping[str, Task], execution: Execution) -> Results:
    """Do tasks where they are to be done."""
    if not tasks:
        return iter(())
    if execution.executor is not None:
        return do_on_executor(work, tasks, execution.executor)
    if execution.cluster is not None:
        return do_on_cluster(work, tasks, execution.cluster)
    return do_here(work, tasks) if execution.workers == 1 else do_on_cores(work, tasks, execution.workers)


def _share_done(execution: Execution, mine: int, everything: int) -> str:
    part, parts = execution.share
    return (
        f"Share {part} of {parts} is done: {mine} of {count(everything, 'task')}. When all shares are done, give the "
        "same command with --resume instead of --shard to put them together."
    )


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


def _progress(results: Results, total: int, done: int, label: str | None) -> Results:
    """Tell whoever listens how far it is, and show a bar with the time left, on a terminal only."""
    results = _told(results, total, done)
    if label is None:
        yield from results
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    seen = console.is_terminal and sys.stderr.isatty()  # colours may be forced upon a file, a bar may not
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not seen) as bar:
        task = bar.add_task(label, total=total, completed=done)
        for result in results:
            bar.advance(task)
            yield result


def tell_progress(done: int, total: int) -> None:
    """Tell whoever listens how many parts of long work are done."""
    listener = LISTENER.get()
    if listener is not None:
        listener(done, total)


def _told(results: Results, total: int, done: int) -> Results:
    for place, result in enumerate(results, done + 1):
        tell_progress(place, total)
        yield result
