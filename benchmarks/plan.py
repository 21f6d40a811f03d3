"""The forest sweep on two cores, a first answer, and one p-value beside algorithms 1 to 3 of [forest] in plain NumPy.

`python -m benchmarks plan` measures the sweep and the first answer. `python -m benchmarks.plan` compares single cells
with the plain version, which draws every single answer as the paper prints it: its time is scaled to the number of
studies that gives the Monte-Carlo error of our cell.
"""

import os
import tempfile
from functools import partial
from pathlib import Path
from time import process_time

import numpy as np

from benchmarks import QUORATE, Case
from quorate._typing import Array
from quorate.planning.grids import FOREST, Grid
from quorate.planning.sweeps import SweepRow, sweep

__all__ = ["cases", "main"]

STUDIES = 200  # of each world in the plain version; the paper has 1000
CELLS = (
    ("dices", 1000, 1),
    ("toxicity", 2500, 2),
    ("d3code", 2500, 60),
    ("jobsq1", 2500, 5),
    ("unbalanced-4", 1000, 40),
    ("jobsq3", 2500, 10),
)


def cases(folder: Path) -> list[Case]:
    question = ("plan", "--preset", "dices", "--difference", "0.03")
    return [
        Case("plan", "forest sweep, 45 120 rows, two workers", partial(forest, folder), most_seconds=180),
        Case("plan", "first answer", (*QUORATE, *question), most_seconds=2, repeats=3),
    ]


def forest(folder: Path) -> None:
    os.environ["QUORATE_CACHE"] = str(folder)
    print(sweep("forest", workers=2).sentence())


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="quorate-bench-") as folder:
        os.environ["QUORATE_CACHE"] = folder
        ratios = [one_cell(*cell) for cell in CELLS]
    print(f"median ratio over {len(ratios)} cells: {np.median(ratios):,.0f}")


def one_cell(name: str, responses: int, k: int) -> float:
    """Print and return how many times as long the plain version takes for one p-value of equal error."""
    sizes = [size for size in FOREST.sizes if size[2] == k]
    start = process_time()
    rows = sweep(Grid({name: name}, FOREST.metrics, FOREST.effects, sizes)).rows
    ours = (process_time() - start) / len(rows)
    mine = [row for row in rows if row.effect == 0.3 and row.responses == responses]
    start = process_time()
    plain = algorithms(name, responses // k, k)
    seconds = (process_time() - start) / len(plain)
    # An exact cell has no error; the contract's precision, at two errors, stands in for it.
    errors = {row.metric: row.expected_p_error or max(0.0015, 0.05 * row.expected_p) for row in mine}
    scaled = float(np.mean([seconds * (plain[row.metric][1] / errors[row.metric]) ** 2 for row in mine]))
    print(f"{name}, N = {responses // k}, K = {k}: ours {1e3 * ours:.2f} ms a p-value, plain {scaled:.2f} s,", end=" ")
    print(f"ratio {scaled / ours:,.0f};", ", ".join(f"{row.metric} {beside(row, plain[row.metric])}" for row in mine))
    return scaled / ours


def beside(row: SweepRow, plain: tuple[float, float, float]) -> str:
    return f"{row.expected_p:.3f} ({plain[0]:.3f} ± {plain[1]:.3f})"


def algorithms(name: str, n_items: int, k: int, epsilon: float = 0.3) -> dict[str, tuple[float, float, float]]:
    """Algorithms 1 to 3, every response drawn: p, its Monte-Carlo error and the width of the interval, by metric."""
    rng = np.random.default_rng(0)
    alpha = np.array(FOREST.population(name).to_dict()["alpha"])
    gamma = {
        world: [study(alpha, n_items, k, epsilon, world, rng) for _ in range(STUDIES)] for world in ("alt", "null")
    }
    found = {}
    for place, metric in enumerate(FOREST.metrics):
        alt, null = (np.sort([scores[place] for scores in gamma[world]]) for world in ("alt", "null"))
        extreme = (null[:, None] >= alt - 1e-9).mean(0)
        reached = (null[:, None] >= alt - 1e-9).mean(1)
        error = float(np.hypot(extreme.std(), reached.std()) / np.sqrt(STUDIES))
        width = alt[int(0.975 * STUDIES)] - alt[int(0.025 * STUDIES)]
        found[metric] = float(extreme.mean()), error, float(width)
    return found


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
