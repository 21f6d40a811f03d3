"""`estimate` from process start to result, beside MAVEN's inference alone and other engines.

Votes of the item-response crowd, three per item, 5 % experts; and 20 classes, 100 000 items, votes with names. The
reference of MAVEN's inference is the same model sampled by NumPyro's NUTS, where it is installed (``pip install
quorate[nuts]``); the rivals that read the scores themselves stand below with their own times.
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
FILES = ("votes", "experts", "scores")
SECONDS = {10_000: 1.2, 1_000_000: 3.0}  # promised, from process start to result on two cores
CLASSES, CLASS_ITEMS, CLASS_SECONDS = 20, 100_000, 5.0


def cases(folder: Path) -> list[Case]:
    for n_items in SECONDS:
        fresh(write, folder, n_items)
    fresh(write_classes, folder)
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
        Case(
            "estimate",
            f"{CLASSES} classes, {CLASS_ITEMS:,} items, whole process",
            [
                *QUORATE,
                "estimate",
                *_flags({name: folder / f"{name}-classes.csv" for name in FILES}),
            ],
            most_seconds=CLASS_SECONDS,
            repeats=2,
        ),
        *(
            Case(
                "estimate",
                f"{n:,} items, MAVEN's inference",
                partial(infer, n),
                nuts if n == 10_000 else None,
            )
            for n in (1_000, 10_000, 100_000, 1_000_000)
        ),
        *(Case("estimate", f"10,000 items, {name}", partial(infer, 10_000, name)) for name in ("ds", "ds+s", "h-ai")),
    ]


def command(folder: Path, n_items: int, kind: str) -> list[str]:
    return [
        *QUORATE,
        "estimate",
        *_flags({name: folder / f"{name}-{n_items}.{kind}" for name in FILES}),
    ]


def _flags(files: dict[str, Path]) -> list[str]:
    return [word for name, path in files.items() for word in (f"--{name}", str(path))]


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


def write_classes(folder: Path) -> None:
    """Three votes of sixty voters on every item, 2 % experts, and the class a system chooses."""
    rng = generator(0, "benchmark", "estimate classes")
    names = np.array([f"class {k:02d}" for k in range(CLASSES)])
    truth, item = rng.integers(0, CLASSES, CLASS_ITEMS), np.arange(CLASS_ITEMS)
    votes = np.where(rng.random((3, CLASS_ITEMS)) < 0.7, truth, rng.integers(0, CLASSES, (3, CLASS_ITEMS)))
    answer = np.where(rng.random(CLASS_ITEMS) < 0.8, truth, rng.integers(0, CLASSES, CLASS_ITEMS))
    known = choose_experts(CLASS_ITEMS, 0.02, rng=rng)
    rater = rng.integers(0, 60, 3 * CLASS_ITEMS)
    tables = {
        "votes": pl.DataFrame({"item": np.tile(item, 3), "rater": rater, "response": names[votes.ravel()]}),
        "experts": pl.DataFrame({"item": item[known], "label": names[truth[known]]}),
        "scores": pl.DataFrame({"item": item, "system": ["m"] * CLASS_ITEMS, "response": names[answer]}),
    }
    for name, frame in tables.items():
        frame.write_csv(folder / f"{name}-classes.csv")


def infer(n_items: int, method: str = "maven", engine: MavenEngine = "fast") -> None:
    """Draw the data, which is cheap, and estimate: all but reading files and starting Python."""
    judge(Study(crowd(n_items), engine=engine), method, "system")
