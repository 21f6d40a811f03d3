"""`estimate` from process start to result, and its inference alone, flat in the number of items, beside other engines.

Votes of the item-response crowd, three per item, 5 % experts, 500 draws. The reference of the inference is the same
model sampled by NumPyro's NUTS, where it is installed (``pip install quorate[nuts]``); the rivals that read the scores
themselves, Dawid-Skene + scores and human-AI complementarity, stand below with their own times.
"""

from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks import QUORATE, Case, fresh
from quorate._random import generator
from quorate.estimating.evidence import Evidence
from quorate.estimating.methods import judge
from quorate.estimating.question import MavenEngine
from quorate.estimating.study import Study
from quorate.populations.crowds import choose_experts, irt_crowd

__all__ = ["cases"]

SHARE = 0.05
SECONDS = {10_000: 3.0, 1_000_000: 6.0}  # promised, from process start to result on two cores


def cases(folder: Path) -> list[Case]:
    for n_items in SECONDS:
        fresh(write, folder, n_items)
    nuts = partial(infer, 10_000, "maven", "nuts") if find_spec("numpyro") else None
    return [
        *(
            Case(
                "estimate",
                f"{n:,} items, {kind}, whole process",
                command(folder, n, kind),
                most_seconds=most,
                repeats=2,
            )
            for n, most in SECONDS.items()
            for kind in ("csv", "parquet")
        ),
        *(
            Case("estimate", f"{n:,} items, inference", partial(infer, n), nuts if n == 10_000 else None)
            for n in (1_000, 10_000, 100_000, 1_000_000)
        ),
        *(Case("estimate", f"10,000 items, {name}", partial(infer, 10_000, name)) for name in ("ds", "ds+s", "h-ai")),
    ]


def command(folder: Path, n_items: int, kind: str) -> list[str]:
    files = {name: str(folder / f"{name}-{n_items}.{kind}") for name in ("votes", "experts", "scores")}
    return [*QUORATE, "estimate", *(word for name, path in files.items() for word in (f"--{name}", path))]


def crowd(n_items: int) -> Evidence:
    rng = generator(0, "benchmark", "estimate")
    drawn = irt_crowd(n_items, rng=rng, scores=((1.0, 1.5),))
    known = choose_experts(n_items, SHARE, rng=rng)
    return Evidence.binary(drawn.positive, drawn.total, drawn.truth, known, {"system": drawn.scores[:, 0]})


def write(folder: Path, n_items: int) -> None:
    evidence, item = crowd(n_items), np.arange(n_items)
    tables = {
        "votes": pl.DataFrame({"item": item, "positive": evidence.positive, "total": evidence.total}),
        "experts": pl.DataFrame({"item": item[evidence.has_label], "label": evidence.label[evidence.has_label]}),
        "scores": pl.DataFrame({"item": item, "score": evidence.scores["system"]}),
    }
    for name, table in tables.items():
        table.write_csv(folder / f"{name}-{n_items}.csv")
        table.write_parquet(folder / f"{name}-{n_items}.parquet")


def infer(n_items: int, method: str = "maven", engine: MavenEngine = "fast") -> None:
    """Draw the data, which is cheap, and estimate: all but reading files and starting Python."""
    judge(Study(crowd(n_items), engine=engine), method, "system")
