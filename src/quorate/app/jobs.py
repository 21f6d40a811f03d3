"""Long work for the pages: worker processes, what they are asked, how far they are, and what they answered.

A job is known by the digest of its question and files: the same question in another tab, or after a reload, finds the
job where it is, and later its answer. A job is cancelled by ending its process; a new one takes its place.
"""

import asyncio
import multiprocessing
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing.connection import Connection
from typing import Any, Literal

from quorate._errors import InputError
from quorate.app.work import Refusal, Task
from quorate.app.worker import run_worker

MOST_WAITING = 200
"""Questions that may wait; beyond, a page is told to come back later."""
KEPT = 300
"""Answers that are kept."""
State = Literal["waiting", "working", "done", "refused", "failed", "cancelled", "killed"]
ENDED = ("done", "refused", "failed", "cancelled", "killed")


@dataclass
class Job:
    """A question that is being answered, or was."""

    key: str
    task: Task
    home: str = ""
    askers: int = 1
    state: State = "waiting"
    value: Any = None
    part: Any = None
    progress: tuple[int, int] | None = None
    asked: float = field(default_factory=time.monotonic)
    started: float | None = None
    _waiters: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = field(default_factory=list)

    @property
    def ended(self) -> bool:
        """Whether no more is to come."""
        return self.state in ENDED

    def left(self, now: float) -> float | None:
        """Return about how many seconds are left, by the pace so far; None if nobody knows."""
        if self.started is None or self.progress is None or self.progress[0] == 0:
            return None
        done, total = self.progress
        return (now - self.started) * (total - done) / done

    def tell(self) -> None:
        """Wake those who wait for news."""
        for loop, event in self._waiters:
            loop.call_soon_threadsafe(event.set)

    async def wait(self, seconds: float, *, for_part: bool = False) -> None:
        """Wait for the answer, or for a part of it, but not longer than this."""
        event = asyncio.Event()
        waiter = asyncio.get_running_loop(), event
        self._waiters.append(waiter)
        try:
            async with asyncio.timeout(seconds):
                while not self.ended and not (for_part and self.part is not None):
                    await event.wait()
                    event.clear()
        except TimeoutError:
            pass
        finally:
            self._waiters.remove(waiter)


@dataclass
class WorkerSlot:
    """A place for a worker: its process, its pipe, and what it does."""

    process: Any = None
    pipe: Connection | None = None
    job: Job | None = None
    homes: "OrderedDict[str, None]" = field(default_factory=OrderedDict)


class Jobs:
    """The workers and all jobs, from any thread."""

    def __init__(self, workers: int, forget: Callable[[str], None] = lambda key: None) -> None:
        self.known: OrderedDict[str, Job] = OrderedDict()
        self.slots = [WorkerSlot() for _ in range(workers)]
        self._waiting: list[Job] = []
        self._news = threading.Condition()
        self._open = True
        self._forget = forget
        self._threads = [threading.Thread(target=self._serve, args=(slot,), daemon=True) for slot in self.slots]
        for thread in self._threads:
            thread.start()

    def ask(self, key: str, task: Task, home: str = "") -> Job:
        """Return the job of a question: the one that is known, or a new one."""
        with self._news:
            job = self.known.get(key)
            if job is not None and job.state not in ("failed", "cancelled", "killed"):
                self.known.move_to_end(key)
                job.askers += 1
                return job
            if len(self._waiting) >= MOST_WAITING:
                raise InputError("Too many questions wait for an answer; ask again in a moment.")
            job = self.known[key] = Job(key, task, home)
            self._waiting.append(job)
            self._tidy()
            self._news.notify_all()
            return job

    def cancel(self, key: str, *, only_waiting: bool = False) -> None:
        """Stop a job that has not ended; one that runs is stopped with its process.

        A page that has gone on to another question drops one that waits, unless another page waits for it too.
        """
        with self._news:
            job = self.known.get(key)
            if job is None or job.ended:
                return
            job.askers -= 1
            if only_waiting and (job.askers > 0 or job.state == "working"):
                return
            job.state = "cancelled"
            if job in self._waiting:
                self._waiting.remove(job)
            for slot in self.slots:
                if slot.job is job and slot.process is not None:
                    slot.process.kill()
            job.tell()

    def close(self) -> None:
        """End all workers."""
        with self._news:
            self._open = False
            self._news.notify_all()
            for slot in self.slots:
                if slot.process is not None:
                    slot.process.kill()
        for thread in self._threads:
            thread.join(timeout=5)

    def _tidy(self) -> None:
        ended = (key for key, job in self.known.items() if job.ended)
        for key in list(islice(ended, max(len(self.known) - KEPT, 0))):
            del self.known[key]
            self._forget(key)

    def _serve(self, slot: WorkerSlot) -> None:
        """Keep a worker at work, in a thread of its own; a new process takes the place of one that ended."""
        while self._open:
            self._start(slot)
            with self._next_job(slot) as job:
                if job is not None:
                    self._start(slot)  # it may have been killed while it had nothing to do
                    self._run(slot, job)

    def _start(self, slot: WorkerSlot) -> None:
        if slot.process is not None and slot.process.is_alive():
            return
        context = multiprocessing.get_context("spawn")
        slot.pipe, theirs = context.Pipe()
        slot.homes.clear()
        slot.process = context.Process(target=run_worker, args=(theirs, os.getpid()), daemon=False)
        slot.process.start()
        theirs.close()

    @contextmanager
    def _next_job(self, slot: WorkerSlot) -> Iterator[Job | None]:
        with self._news:
            while self._open and (job := self._choose(slot)) is None:
                self._news.wait(timeout=1.0)
                if slot.process is None or not slot.process.is_alive():
                    break
            taken = job if self._open else None
            if taken is not None:
                self._waiting.remove(taken)
                taken.state, taken.started, slot.job = "working", time.monotonic(), taken
                if taken.home:
                    slot.homes[taken.home] = None
                    slot.homes.move_to_end(taken.home)
                    while len(slot.homes) > 8:
                        slot.homes.popitem(last=False)
        try:
            yield taken
        finally:
            with self._news:
                slot.job = None
                self._news.notify_all()

    def _choose(self, slot: WorkerSlot) -> Job | None:
        """Return the job this worker should take: one at home here, or one whose home is busy or nowhere."""
        for job in self._waiting:
            homes = [each for each in self.slots if job.home and job.home in each.homes]
            if not homes or slot in homes or all(each.job is not None for each in homes):
                return job
        return None

    def _run(self, slot: WorkerSlot, job: Job) -> None:
        assert slot.pipe is not None
        try:
            slot.pipe.send(job.task)
            while True:
                kind, news = slot.pipe.recv()
                if self._hear(job, kind, news):
                    break
        except (EOFError, OSError):
            if slot.process is not None:
                slot.process.join(timeout=5)
            if not job.ended:
                job.state = "killed"
        job.tell()

    def _hear(self, job: Job, kind: str, news: Any) -> bool:
        """Take in what a worker sends; return whether the job has ended."""
        match kind:
            case "progress":
                job.progress = news
            case "part":
                job.part = news
                job.tell()
            case "done" | "failed":
                if not job.ended:
                    job.value = news
                    job.state = "failed" if kind == "failed" else "refused" if isinstance(news, Refusal) else "done"
                return True
        return False
