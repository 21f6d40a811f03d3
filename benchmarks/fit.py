"""Fit a Dirichlet to a million items, beside a plain scipy optimisation that visits every item at every step.

`python -m benchmarks.fit` prints the seconds of both, their ratio, and how far the two optima are apart.
"""

from time import perf_counter

import numpy as np
import polars as pl
from scipy.optimize import minimize
from scipy.special import gammaln

import quorate
from quorate._random import generator
from quorate._typing import Array
from quorate.populations.fit_dirichlet import fit_dirichlet

__all__ = ["main"]

N_ITEMS, ALPHA = 1_000_000, (2.5, 0.4, 0.8)
LIMIT = 5.0  # seconds, as the issue asks


def main() -> None:
    counts = simulated(N_ITEMS)
    start = perf_counter()
    fitted = fit_dirichlet(counts, method="ml")
    ours = perf_counter() - start
    start = perf_counter()
    reference = plain_fit(counts)
    plain = perf_counter() - start
    apart = float(np.abs(fitted.alpha / reference - 1.0).max())
    print(f"fit, {N_ITEMS:,} items: {ours:.2f} s, plain scipy {plain:.1f} s, ratio {plain / ours:.0f},", end=" ")
    print(f"optima {apart:.1e} apart, limit {LIMIT:g} s {'kept' if ours <= LIMIT else 'BROKEN'}")
    ratings = quorate.read_ratings(long_table(counts))
    start = perf_counter()
    quorate.fit(ratings)
    whole = perf_counter() - start
    print(f"the verb fit with its checks, ratings in memory: {whole:.2f} s {'kept' if whole <= LIMIT else 'BROKEN'}")


def simulated(n_items: int) -> Array:
    rng = generator(0, "benchmark", "fit")
    return rng.multinomial(rng.integers(2, 9, n_items), rng.dirichlet(ALPHA, n_items))


def plain_fit(counts: Array) -> Array:
    """What one would write first: the gamma-function likelihood of all items, and an optimiser with its own slopes."""
    size = counts.sum(-1)

    def loss(theta: Array) -> float:
        alpha = np.exp(theta)
        each = (gammaln(alpha + counts) - gammaln(alpha)).sum(-1)
        return -float((gammaln(alpha.sum()) - gammaln(alpha.sum() + size) + each).sum()) / len(counts)

    alpha: Array = np.exp(minimize(loss, np.zeros(counts.shape[1]), method="BFGS").x)
    return alpha


def long_table(counts: Array) -> pl.DataFrame:
    """One row per response."""
    item = np.repeat(np.arange(len(counts)), counts.sum(-1))
    response = np.repeat(np.tile(np.array(["a", "b", "c"]), len(counts)), counts.ravel())
    return pl.DataFrame({"item": item, "response": response})


if __name__ == "__main__":
    main()
