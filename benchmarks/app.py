"""The app under load: 50 sessions at once with 20 requests each, and how long a plan takes while a slider is dragged.

`python -m benchmarks.app` prints medians and 95th percentiles by the clock and, for dragging, of the workers' CPU
seconds, which other work on the machine hardly moves; errors and memory. `--sessions` and `--requests` ask for other
sizes. First all sessions drag the same slider, so that most questions were asked before; then no two questions of any
session are alike.
"""

import argparse
import asyncio
import os
import statistics
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import psutil
import uvicorn

from quorate.app.server import Server
from quorate.app.service import guard_of, listen

TOKEN = "the-secret-of-the-benchmark"


@dataclass
class Tally:
    """How long answers took, and how many were none."""

    seconds: list[float] = field(default_factory=list)
    work: list[float] = field(default_factory=list)
    errors: int = 0

    def show(self, name: str) -> None:
        """Print a line, and one of the work behind it if it was measured."""
        print(f"{name}: {len(self.seconds)} answers, {spread(self.seconds)}, {self.errors} errors")
        if self.work:
            print(f"  CPU of the workers: {spread(self.work)}")


def spread(seconds: Sequence[float]) -> str:
    """Return the median and what 95 in 100 do not exceed, in words."""
    ordered = sorted(seconds)
    worst = ordered[min(int(0.95 * len(ordered)), len(ordered) - 1)]
    return f"median {statistics.median(ordered):.3f} s, 95 % within {worst:.3f} s"


async def get(port: int, address: str, cookie: str) -> tuple[int, bytes]:
    """Ask once, by hand."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"GET {address} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\nAccept: application/json\r\n"
    writer.write(f"{head}Connection: close\r\n\r\n".encode())
    await writer.drain()
    reply = await reader.read()
    writer.close()
    first, _, body = reply.partition(b"\r\n\r\n")
    return int(first.split()[1]), body


async def plan(port: int, cookie: str, query: dict[str, str], tally: Tally) -> None:
    """Ask a plan, and wait until it is there."""
    import json

    begun = time.perf_counter()
    status, body = await get(port, f"/plan?{urlencode(query)}", cookie)
    news: Any = json.loads(body) if status == 200 else {"state": "error"}
    while news["state"] in ("waiting", "working") and "html" not in news:
        status, body = await get(port, f"/jobs/{news['key']}", cookie)
        news = json.loads(body)
    tally.seconds.append(time.perf_counter() - begun)
    tally.errors += news["state"] not in ("done", "working")


async def session(port: int, cookie: str, prices: Sequence[str], tally: Tally) -> None:
    for price in prices:
        await plan(port, cookie, {"preset": "dices", "difference": "0.05", "item_price": price}, tally)


async def load(port: int, cookie: str, sessions: Sequence[Sequence[str]]) -> Tally:
    tally = Tally()
    await asyncio.gather(*(session(port, cookie, prices, tally) for prices in sessions))
    return tally


async def drag(port: int, cookie: str, server: Server, questions: Sequence[dict[str, str]]) -> Tally:
    tally = Tally()
    for question in questions:
        begun = work(server)
        await plan(port, cookie, question, tally)
        tally.work.append(work(server) - begun)
    return tally


def memory(server: Server) -> float:
    """Megabytes of this process and of the workers."""
    processes = [os.getpid(), *(slot.process.pid for slot in server.jobs.slots if slot.process is not None)]
    return float(sum(psutil.Process(each).memory_info().rss for each in processes)) / 2**20


def work(server: Server) -> float:
    """CPU seconds of the workers so far."""
    slots = [slot.process.pid for slot in server.jobs.slots if slot.process is not None]
    return float(sum(sum(psutil.Process(each).cpu_times()[:2]) for each in slots))


def warm_up(server: Server, port: int, cookie: str) -> None:
    """Wait until every worker has imported what it needs."""
    asyncio.run(plan(port, cookie, {"preset": "toxicity", "difference": "0.05"}, Tally()))
    before, now = -1.0, work(server)
    while now > before:
        time.sleep(1.0)
        before, now = now, work(server)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--sessions", type=int, default=50)
    options.add_argument("--requests", type=int, default=20)
    given = options.parse_args()
    listener = listen("127.0.0.1", 0)
    port = listener.getsockname()[1]
    server = Server(max_upload=1 << 20, workers=2)
    guard = guard_of(server, "127.0.0.1", port, TOKEN)
    running = uvicorn.Server(uvicorn.Config(guard, log_level="error", lifespan="off"))
    threading.Thread(target=running.run, kwargs={"sockets": [listener]}, daemon=True).start()
    cookie = f"{guard.cookie}={guard.session}"
    known = {"preset": "dices", "difference": "0.05"}
    warm_up(server, port, cookie)
    asyncio.run(plan(port, cookie, known, Tally()))
    prices = [{**known, "rating_price": f"{0.25 * step:g}"} for step in range(1, 101)]
    asyncio.run(drag(port, cookie, server, prices)).show("prices dragged, laws known")
    differences = [{**known, "difference": f"{0.02 + 0.002 * step:.3f}"} for step in range(20)]
    asyncio.run(drag(port, cookie, server, differences)).show("differences dragged, laws new")
    before = memory(server)
    alike = [[f"{0.5 * (place % 20):g}" for place in range(given.requests)]] * given.sessions
    apart = [[f"{20 + one + place / 100:.2f}" for place in range(given.requests)] for one in range(given.sessions)]
    size = f"{given.sessions} sessions × {given.requests} requests"
    asyncio.run(load(port, cookie, alike)).show(f"{size}, one slider")
    asyncio.run(load(port, cookie, apart)).show(f"{size}, no two alike")
    between = memory(server)
    asyncio.run(load(port, cookie, apart)).show("the same again")
    print(f"memory: {before:.0f} MB before, {between:.0f} MB after, {memory(server):.0f} MB after the second time")
    print(f"CPU seconds of the server: {time.process_time():.1f} (with the asking)")
    running.should_exit = True
    time.sleep(0.5)
    server.close()


if __name__ == "__main__":
    main()
