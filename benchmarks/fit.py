"""Fit a Dirichlet to a million items, beside a plain scipy optimisation that visits every item at every step."""

from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
from scipy.optimize import minimize
from scipy.special import gammaln

import quorate
from benchmarks import Case, fresh
from quorate._random import generator
from quorate._typing import Array
from quorate.populations.dirichlet import fit_dirichlet

__all__ = ["cases"]

N_ITEMS, ALPHA = 1_000_000, (2.5, 0.4, 0.8)


def cases(folder: Path) -> list[Case]:
    counts, long = folder / "counts.npy", folder / "long.parquet"
    fresh(write_counts, counts, long)
    return [
        Case(
            "fit", "Dirichlet, a million items", partial(fit_counts, counts), partial(plain_fit, counts), most_seconds=5
        ),
        Case("fit", "the verb with its checks, from a file", partial(fit_file, long)),
    ]


def write_counts(counts: Path, long: Path) -> None:
    found = simulated(N_ITEMS)
    np.save(counts, found)
    long_table(found).write_parquet(long)


def fit_counts(counts: Path) -> None:
    fit_dirichlet(np.load(counts), method="ml")


def fit_file(long: Path) -> None:
    quorate.fit(long)


def simulated(n_items: int) -> Array:
    rng = generator(0, "benchmark", "fit")
    return rng.multinomial(rng.integers(2, 9, n_items), rng.dirichlet(ALPHA, n_items))


def plain_fit(source: Path) -> None:
    """What one would write first: the gamma-function likelihood of all items, and an optimiser with its own slopes."""
    counts = np.load(source)
    size = counts.sum(-1)

    def loss(theta: Array) -> float:
        alpha = np.exp(theta)
        each = (gammaln(alpha + counts) - gammaln(alpha)).sum(-1)
        return -float((gammaln(alpha.sum()) - gammaln(alpha.sum() + size) + each).sum()) / len(counts)

    minimize(loss, np.zeros(counts.shape[1]), method="BFGS")


def long_table(counts: Array) -> pl.DataFrame:
    """One row per response."""
    item = np.repeat(np.arange(len(counts)), counts.sum(-1))
    response = np.repeat(np.tile(np.array(["a", "b", "c"]), len(counts)), counts.ravel())
    return pl.DataFrame({"item": item, "response": response})
