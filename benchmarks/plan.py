"""The forest sweep on two cores, a first answer, and p-values beside algorithms 1 to 3 of [forest] in plain NumPy.

`python -m benchmarks plan` measures the sweep and the first answer. `python -m benchmarks.plan` compares tasks of the
sweep – one population and K, all effects, metrics and numbers of items – with the plain version, which draws every
single answer as the paper prints it: a few studies of each size are timed, and scaled to the number of studies that
gives an error, S = v(p) / error²: once the Monte-Carlo error our cell reports (`FLOOR` where that is smaller, as in
exact cells), once half the contract's precision.
"""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import process_time

import numpy as np
from scipy.special import ndtr, ndtri

from benchmarks import QUORATE, Case
from quorate._typing import Array
from quorate.planning.grids import FOREST, Grid
from quorate.planning.sweeps import SweepRow, sweep

__all__ = ["cases", "main"]

STUDIES = 10  # of each world, to time the plain version; the paper has 1000
FLOOR = 0.0005
"""Smallest error asked of the plain version, a sixth of the contract's precision."""
TASKS = (
    ("toxicity", 1),
    ("dices", 20),
    ("d3code", 60),
    ("jobsq1", 1),
    ("jobsq3", 80),
    ("unbalanced-2", 1),
    ("unbalanced-3", 40),
    ("unbalanced-4", 40),
    ("unbalanced-5", 40),
    ("unbalanced-12", 60),
)
"""The K of the column Wins in Table 2 of [forest], a mixture of small and large."""


def cases(folder: Path) -> list[Case]:
    os.environ["QUORATE_CACHE"] = str(folder)
    question = ("plan", "--preset", "dices", "--difference", "0.03")
    grid = ("plan", "--grid", "forest", "--workers", "2", "--quiet", "-o", str(folder / "sweep.parquet"))
    return [
        Case("plan", "forest sweep, 45 120 rows, two workers", (*QUORATE, *grid), most_seconds=180),
        Case("plan", "first answer", (*QUORATE, *question), most_seconds=2, repeats=3),
    ]


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="quorate-bench-") as folder:
        os.environ["QUORATE_CACHE"] = folder
        ratios = np.array([one_task(*task) for task in TASKS])
    equal, contract = np.median(ratios, axis=0)
    print(f"median of {len(TASKS)} tasks: {equal:,.0f} at equal error, {contract:,.0f} at the contract's precision")


def one_task(name: str, k: int) -> tuple[float, float]:
    """Print and return how many times as long a p-value takes the plain way, at equal error and at the contract's."""
    sizes = [size for size in FOREST.sizes if size[2] == k]
    start = process_time()
    rows = sweep(Grid({name: name}, FOREST.metrics, FOREST.effects, sizes)).rows
    ours = (process_time() - start) / len(rows)
    seconds = {n_items: plain_seconds(name, n_items, k) / len(FOREST.metrics) for _, n_items, _ in sizes}

    def plain(error: Callable[[SweepRow], float]) -> float:
        return float(np.mean([seconds[row.n_items] * studies_needed(row.expected_p, error(row)) for row in rows]))

    equal = plain(lambda row: max(row.expected_p_error, FLOOR))
    contract = plain(lambda row: max(0.0015, 0.05 * row.expected_p))
    print(f"{name}, K = {k}: ours {1e3 * ours:.2f} ms a p-value; plain {equal:.2f} s at equal error,", end=" ")
    print(f"ratio {equal / ours:,.0f}; {contract:.2f} s at the contract's precision, ratio {contract / ours:,.0f}")
    return equal / ours, contract / ours


def studies_needed(p: float, error: float) -> float:
    """Return how many studies give an error of the expected p, from the variance of the share in the normal limit."""
    z = -np.sqrt(2.0) * ndtri(np.clip(p, 1e-12, 1 - 1e-12))
    share = ndtr(-z - np.linspace(-6, 6, 601))
    weight = np.exp(-0.5 * np.linspace(-6, 6, 601) ** 2)
    mean = share @ weight / weight.sum()
    variance = (share - mean) ** 2 @ weight / weight.sum()  # of the share of null draws beyond one alternative draw
    return float(2 * variance / error**2)  # and as much again from the null draws


def plain_seconds(name: str, n_items: int, k: int) -> float:
    """Return the CPU seconds of one study in both worlds with all metrics, and the p-value it adds to."""
    rng = np.random.default_rng(0)
    alpha = np.array(FOREST.population(name).to_dict()["alpha"])
    start = process_time()
    alt, null = ([study(alpha, n_items, k, 0.3, world, rng) for _ in range(STUDIES)] for world in ("alt", "null"))
    np.mean(np.array(null)[:, None] >= np.array(alt), axis=(0, 1))
    return (process_time() - start) / STUDIES


def study(alpha: Array, n: int, k: int, epsilon: float, world: str, rng: np.random.Generator) -> tuple[float, ...]:
    """One draw of Γ for the four metrics."""
    m = len(alpha)
    beta, noise = rng.dirichlet(alpha, n), rng.dirichlet(np.full(m, 1 / m), n)
    gamma = (1 - epsilon) * beta + epsilon * noise
    g = answers(beta, k, rng)
    if world == "alt":
        a, b = answers(beta, k, rng), answers(gamma, k, rng)
    else:
        a, b = (np.where(rng.random((n, k)) < 0.5, answers(beta, k, rng), answers(gamma, k, rng)) for _ in "ab")
    g, a, b = (np.stack([(x == category).sum(1) for category in range(m)], axis=1) for x in (g, a, b))
    truth = g.argmax(1)
    distance_a, distance_b = (np.abs(x - g).sum(1) / k for x in (a, b))
    kl_a, kl_b = (((g + 1e-12) / k * np.log((g + 1e-12) / (x + 1e-12))).sum(1) for x in (a, b))
    return (
        float(np.mean(a.argmax(1) == truth) - np.mean(b.argmax(1) == truth)),
        float(np.mean(distance_b - distance_a) / m),
        float(np.mean(distance_a < distance_b - 1e-12) - np.mean(distance_b < distance_a - 1e-12)),
        float(np.mean(kl_b - kl_a)),
    )


def answers(law: Array, k: int, rng: np.random.Generator) -> Array:
    """Draw k answers of each item, ``(item, answer)``."""
    edges = np.cumsum(law, axis=1)[:, None, :-1]
    drawn: Array = (rng.random((len(law), k, 1)) > edges).sum(-1)
    return drawn


if __name__ == "__main__":
    main()
