"""`describe` and `compare` on 10⁶ to 10⁸ ratings in partitioned Parquet, beside the bare group-bys they need.

`python -m benchmarks.scale 1e6 1e7 1e8` prints CPU seconds and peak memory of each, measured in fresh processes, and
ratios to the group-bys of polars and DuckDB in the same run. Beside the cost of a rating stands that of one more than
in the size before, in which the start of Python and its libraries does not count. The ratings lie in ten folders, a
round each; every item is in every round, so no engine can do with one folder at a time.
"""

import resource
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

from benchmarks import fresh

__all__ = ["main"]

ROUNDS, FILE = 10, 1_000_000
ANSWERS = ("no", "unsure", "yes")
SAID = {0: "yes", 1: "no"}
KEYS = (("item", "response"), ("rater", "response"), ("item", "rater"))
"""What `describe` needs: counts of items, habits of raters, who meets whom."""


def write_ratings(folder: Path, responses: int) -> None:
    """Write ten rounds of ratings; each item has its own chance of yes."""
    import numpy as np
    import polars as pl

    items, raters, rng = responses // ROUNDS, 1_000 if responses <= 10**6 else 20_000, np.random.default_rng(0)
    chance = rng.beta(0.6, 0.9, items)
    for number in range(ROUNDS):
        place = folder / f"round={number}"
        place.mkdir(parents=True)
        for part, block in enumerate(np.array_split(rng.permutation(items), max(1, items // FILE))):
            draw = rng.random(len(block))
            said = np.where(draw < 0.9 * chance[block], 2, np.where(draw > chance[block] + 0.1, 0, 1))
            table = pl.DataFrame({"item": block, "rater": rng.integers(raters, size=len(block)), "response": said})
            table.select(
                pl.format("item{}", "item").alias("item"),
                pl.format("rater{}", "rater").alias("rater"),
                pl.col("response").replace_strict(range(3), ANSWERS, return_dtype=pl.String),
            ).write_parquet(place / f"{part}.parquet", compression="lz4")


def write_answers(folder: Path, path: Path) -> None:
    """Write what two systems answer to every item, the second less often yes."""
    import polars as pl

    items = pl.scan_parquet(folder / "round=0" / "*.parquet", hive_partitioning=False).select("item").collect()
    number = items["item"].str.strip_prefix("item").cast(pl.Int64)
    parts = [
        items.with_columns(
            pl.lit(name).alias("system"), pl.Series("response", [ANSWERS[2], ANSWERS[0]])[number % k % 2]
        )
        for name, k in (("a", 3), ("b", 2))
    ]
    pl.concat(parts).write_parquet(path)


def describe_folder(folder: Path) -> None:
    from quorate import describe

    describe(str(folder))


def compare_folder(folder: Path, answers: Path) -> None:
    from quorate import compare

    compare(str(folder), str(answers))


def group_polars(folder: Path) -> None:
    import polars as pl

    for keys in KEYS:
        pl.scan_parquet(folder / "**/*.parquet").group_by(keys).len().collect(engine="streaming")


def group_duckdb(folder: Path) -> None:
    import duckdb

    base = duckdb.connect()
    for keys in KEYS:
        names = ", ".join(keys)
        rows = f"SELECT {names}, count(*) FROM '{folder}/**/*.parquet' GROUP BY {names}"
        base.execute(f"CREATE OR REPLACE TABLE bare AS {rows}")


def cost(job: Callable[[], None]) -> tuple[float, float]:
    """Return CPU seconds and peak gibibytes of a job in a process of its own."""
    mine, theirs = get_context("spawn").Pipe(duplex=False)
    fresh(_report, job, theirs)
    seconds, gibibytes = mine.recv()
    return float(seconds), float(gibibytes)


def _report(job: Callable[[], None], where: Connection) -> None:
    job()
    used = resource.getrusage(resource.RUSAGE_SELF)
    where.send((used.ru_utime + used.ru_stime, used.ru_maxrss / 2**20))


def main(sizes: list[int]) -> None:
    """Print a line for each size and job."""
    heads = f"{'CPU s':>8}{'µs each':>9}{'one more':>10}{'GiB':>7}{'/ polars':>10}{'/ DuckDB':>10}"
    print(f"{'ratings':>12}  {'job':16}{heads}")
    before: dict[str, tuple[int, float]] = {}
    for size in sizes:
        with tempfile.TemporaryDirectory() as scratch:
            folder, answers = Path(scratch, "ratings"), Path(scratch, "answers.parquet")
            fresh(write_ratings, folder, size)
            fresh(write_answers, folder, answers)
            jobs = {
                "polars group-bys": partial(group_polars, folder),
                "DuckDB group-bys": partial(group_duckdb, folder),
                "describe": partial(describe_folder, folder),
                "compare": partial(compare_folder, folder, answers),
            }
            bare: list[float] = []
            for name, job in jobs.items():
                seconds, gibibytes = cost(job)
                bare += [seconds] if "group" in name else []
                ratios = "".join(f"{seconds / each:10.2f}" for each in bare)
                fewer, less = before.get(name, (0, 0.0))
                each, more = 1e6 * seconds / size, 1e6 * (seconds - less) / (size - fewer)
                print(f"{size:12,}  {name:16}{seconds:8.1f}{each:9.2f}{more:10.2f}{gibibytes:7.2f}{ratios}", flush=True)
                before[name] = size, seconds


if __name__ == "__main__":
    main([int(float(word)) for word in sys.argv[1:]] or [10**6, 10**7])
