"""`compare` on a million items by five raters, four metrics, beside scipy where scipy can still run.

scipy.stats draws item by item and knows no distinct differences. At a million items it is given 100 resamples of the
bootstrap and 2 of the permutation test, for one metric whose differences are handed to it ready made: all 10,000 would
take 100 and 5,000 times as long as the table shows, and four metrics four times that.
"""

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks import QUORATE, Case, fresh
from quorate._typing import Array

__all__ = ["cases"]

ITEMS, RATERS_PER_ITEM, CATEGORIES = 1_000_000, 5, 5
RESAMPLES, FEWER = 10_000, {"permutation": 2, "bootstrap": 100}
METRICS = "agreement,crps,mae,total_variation"


def cases(folder: Path) -> list[Case]:
    fresh(write_study, folder)
    command = (*QUORATE, "compare", str(folder / "ratings.parquet"), str(folder / "answers.parquet"), "--json")
    plain = Case("compare", "1 million items × 5, 4 metrics", (*command, "--metric", METRICS))
    resampled = [
        Case(
            "compare",
            f"… {test}, {RESAMPLES:,} resamples (scipy: {few}, one metric)",
            (*command, "--metric", METRICS, "--test", test, "--resamples", str(RESAMPLES)),
            partial(by_scipy, folder / "differences.npy", test),
        )
        for test, few in FEWER.items()
    ]
    return [replace(case, most_seconds=10, most_mebibytes=4096) for case in (plain, *resampled)]


def write_study(folder: Path) -> None:
    """Write ratings and two systems' answers on a scale of five, and their differences of agreement."""
    import polars as pl

    rng = np.random.default_rng(0)
    law = rng.dirichlet(np.full(CATEGORIES, 0.8), ITEMS).cumsum(1)
    law[:, -1] = 1.0
    item = np.repeat(np.arange(ITEMS), RATERS_PER_ITEM)
    response = _drawn(law[item], rng)
    ratings = pl.DataFrame({"item": item, "rater": rng.integers(5000, size=len(item)), "response": 1 + response})
    once = {
        "a": _drawn(law, rng),
        "b": np.where(rng.random(ITEMS) < 0.02, rng.integers(5, size=ITEMS), _drawn(law, rng)),
    }
    answers = pl.concat(
        pl.DataFrame({"item": np.arange(ITEMS), "response": 1 + said}).with_columns(pl.lit(name).alias("system"))
        for name, said in once.items()
    )
    name_items = pl.format("item{}", "item").alias("item")
    ratings.with_columns(name_items).sample(fraction=1.0, shuffle=True, seed=1).write_parquet(
        folder / "ratings.parquet"
    )
    answers.with_columns(name_items).sample(fraction=1.0, shuffle=True, seed=2).write_parquet(
        folder / "answers.parquet"
    )
    counts = np.zeros((ITEMS, CATEGORIES))
    np.add.at(counts, (item, response), 1.0 / RATERS_PER_ITEM)
    rows = np.arange(ITEMS)
    np.save(folder / "differences.npy", counts[rows, once["a"]] - counts[rows, once["b"]])


def _drawn(cumulative: Array, rng: np.random.Generator) -> Array:
    return np.asarray((cumulative < rng.random((len(cumulative), 1))).sum(1))


def by_scipy(path: Path, test: str) -> object:
    """Resample one metric's differences with scipy."""
    from scipy.stats import bootstrap, permutation_test

    d = np.load(path)
    if test == "bootstrap":
        return bootstrap((d,), np.mean, n_resamples=FEWER[test], batch=10, method="percentile", rng=0)
    return permutation_test(
        (d, np.zeros_like(d)),
        lambda x, y, axis: (x - y).mean(axis),
        permutation_type="samples",
        n_resamples=FEWER[test],
        batch=1,
        vectorized=True,
        rng=0,
    )
