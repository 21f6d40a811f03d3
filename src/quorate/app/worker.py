"""The loop of a worker process: it takes tasks from a pipe and sends news and answers back until its parent is gone."""

import os
import traceback
from multiprocessing.connection import Connection


def run_worker(pipe: Connection, parent: int) -> None:
    """Do one task after another; what goes wrong is told, and the next one is done."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from quorate._tasks import LISTENER
    from quorate._workers import live_with

    live_with(parent)
    import warnings

    warnings.simplefilter("ignore")
    from quorate.app.work import do

    _warm()
    pipe.send(("ready", None))
    LISTENER.set(lambda done, total: pipe.send(("progress", (done, total))))
    while True:
        try:
            task = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            answer = "done", do(task, lambda kind, news: pipe.send((kind, news)))
        except Exception:
            answer = "failed", traceback.format_exc(limit=-3)
        pipe.send(answer)


def _warm() -> None:
    """Import what every answer needs, so that the first does not wait for it."""
    from quorate.app import pages
    from quorate.planning import verb

    del pages, verb
