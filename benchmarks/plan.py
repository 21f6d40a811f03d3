"""The forest sweep on two cores, a first answer, and the time per p-value beside plain algorithms 1 to 3 of [forest].

`python -m benchmarks plan` measures the sweep and the first answer. `python -m benchmarks.plan` prints the time a
p-value takes us and a plain NumPy version, which draws every answer as the paper prints it, at equal Monte-Carlo
error: for tasks of the sweep – one population and K, all effects, metrics and numbers of items – and for the whole. A
few studies of the plain version are timed, and scaled to the number S = v(p) / error² that gives an error: the one our
row reports (`FLOOR` where that is smaller, as in exact rows). The whole is scaled by seconds = a + b N + c N K, fitted
to timed studies of each population.
"""

import os
import resource
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from time import process_time

import numpy as np
import polars as pl
from scipy.special import ndtr, ndtri

from benchmarks import QUORATE, Case
from quorate._text import table
from quorate._typing import Array
from quorate.planning.grid_sweep import SweepRow, sweep
from quorate.planning.grids import FOREST, Grid

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
FITTED = ((1, 100), (1, 10_000), (20, 50), (20, 1000), (200, 5), (200, 100))
"""Raters and items of the studies whose times stand for a whole population's."""
HEADER = ("population", "K", "rows", "ours ms", "plain ms", "ratio")


def cases(folder: Path) -> list[Case]:
    os.environ["QUORATE_CACHE"] = str(folder)
    question = ("plan", "--preset", "dices", "--difference", "0.03")
    return [
        Case("plan", "forest sweep, 45 120 rows, two workers", _sweep_command(folder), most_seconds=180),
        Case("plan", "first answer", (*QUORATE, *question), most_seconds=2, repeats=3),
    ]


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="quorate-bench-") as folder:
        os.environ["QUORATE_CACHE"] = folder
        rows = [one_task(*task) for task in TASKS]
        rows.append(whole_sweep(Path(folder)))
    print(table(rows, HEADER))
    print("Time per p-value, CPU; the plain version at the Monte-Carlo error of our row, but not below", FLOOR)


def one_task(name: str, k: int) -> list[str]:
    """Return the line of one population and number of raters."""
    sizes = [size for size in FOREST.sizes if size[2] == k]
    start = process_time()
    rows = sweep(Grid({name: name}, FOREST.metrics, FOREST.effects, sizes)).rows
    ours = (process_time() - start) / len(rows)
    seconds = {n_items: plain_seconds(name, n_items, k) for _, n_items, _ in sizes}
    return _line(name, str(k), len(rows), ours, _mean_plain(rows, [seconds[row.n_items] for row in rows]))


def whole_sweep(folder: Path) -> list[str]:
    """Return the line of the whole sweep."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(_sweep_command(folder), check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    rows = [SweepRow(**row) for row in pl.read_parquet(folder / "sweep.parquet").fill_null(np.nan).to_dicts()]
    models = {name: _fitted(name) for name in FOREST.populations}
    seconds = [float(models[row.population] @ _sizes(row.n_items, row.n_raters)) for row in rows]
    return _line("all ten", "1–500", len(rows), used / len(rows), _mean_plain(rows, seconds))


def _sweep_command(folder: Path) -> Sequence[str]:
    grid = ("plan", "--grid", "forest", "--workers", "2", "--quiet", "-o", str(folder / "sweep.parquet"))
    return (*QUORATE, *grid)


def _line(name: str, k: str, n_rows: int, ours: float, plain: float) -> list[str]:
    return [name, k, f"{n_rows:,}", f"{1e3 * ours:.2f}", f"{1e3 * plain:,.0f}", f"{plain / ours:,.0f}"]


def _mean_plain(rows: Sequence[SweepRow], study_seconds: Iterable[float]) -> float:
    """Mean time of a row's p-value the plain way; a study serves all metrics."""
    each = zip(rows, study_seconds, strict=True)
    return float(np.mean([s * studies_needed(row.expected_p, row.expected_p_error) for row, s in each])) / len(
        FOREST.metrics
    )


def _fitted(name: str) -> Array:
    """Seconds of a study as a + b N + c N K, by least relative squares."""
    timed = np.array([plain_seconds(name, n, k) for k, n in FITTED])
    sizes = np.array([_sizes(n, k) for k, n in FITTED])
    found: Array = np.linalg.lstsq(sizes / timed[:, None], np.ones(len(timed)), rcond=None)[0]
    return found


def _sizes(n_items: int, k: int) -> Array:
    return np.array([1.0, n_items, n_items * k])


def studies_needed(p: float, error: float) -> float:
    """Return how many studies give an error of the expected p, from the variance of the share in the normal limit."""
    z = -np.sqrt(2.0) * ndtri(np.clip(p, 1e-12, 1 - 1e-12))
    share = ndtr(-z - np.linspace(-6, 6, 601))
    weight = np.exp(-0.5 * np.linspace(-6, 6, 601) ** 2)
    mean = share @ weight / weight.sum()
    variance = (share - mean) ** 2 @ weight / weight.sum()  # of the share of null draws beyond one alternative draw
    return float(2 * variance / max(error, FLOOR) ** 2)  # and as much again from the null draws


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
