"""Tables 2 and 3 of [forest]: the sweep beside the printed cells, and beside a brute force of algorithms 1 and 2."""

from typing import TypeAlias

import numpy as np
import pytest

from quorate._typing import Array
from quorate.planning.grid_sweep import SweepRow, sweep
from quorate.planning.grids import FOREST, Grid
from quorate.reproducing.forest import METRICS, printed

pytestmark = pytest.mark.slow


def cells(table: int) -> list[tuple[str, str, int, float, int, float]]:
    """Return name, metric, NK, value, K and Δ, cell by cell."""
    return [
        (name, metric, cell.responses, cell.value, cell.n_raters, cell.difference)
        for name in FOREST.populations
        for metric, cell in printed(table, name).items()
    ]


CELLS_2, CELLS_3 = cells(2), [cell[:5] for cell in cells(3)]
STUDIES = 3000
Rows: TypeAlias = dict[tuple[str, str, int, int], SweepRow]


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Rows:
    """Only the cells of the two tables, all in one sweep."""
    sizes = {(cell[2], cell[2] // k, k) for cell in CELLS_2 + CELLS_3 for k in [cell[4]]}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUORATE_CACHE", str(tmp_path_factory.mktemp("cache")))
        found = sweep(Grid(FOREST.populations, METRICS, (0.3,), sorted(sizes)))
    return {(row.population, row.metric, row.responses, row.n_raters): row for row in found.rows}


@pytest.mark.parametrize(("name", "metric", "responses", "p", "k", "delta"), CELLS_2)
def test_table_2(rows: Rows, name: str, metric: str, responses: int, p: float, k: int, delta: float) -> None:
    row = rows[name, metric, responses, k]
    assert abs(row.expected_p - p) < 0.02
    assert row.difference == pytest.approx(delta, rel=0.05)
    ours, error, mean, mean_error = brute_force(name, metric, responses // k, k)
    assert abs(row.expected_p - ours) < 0.015
    assert abs(row.expected_p - ours) < 5 * np.hypot(error, row.expected_p_error)
    assert abs(row.difference - mean) < max(0.05 * mean, 5 * mean_error)


@pytest.mark.parametrize(("name", "metric", "responses", "width", "k"), CELLS_3)
def test_table_3(rows: Rows, name: str, metric: str, responses: int, width: float, k: int) -> None:
    heavy = (name, metric) == ("unbalanced-5", "kl")  # a heavy tail: the printed width is one of 1000 draws
    row = rows[name, metric, responses, k]
    assert row.ci_width == pytest.approx(width, rel=0.22 if heavy else 0.12)


def brute_force(name: str, metric: str, n_items: int, k: int) -> tuple[float, float, float, float]:
    """Algorithms 1 and 2 study by study, on counts: p and Δ with their Monte-Carlo errors."""
    rng = np.random.default_rng([n_items, k])
    alternative, null = (np.sort(gammas(name, metric, n_items, k, world, rng)) for world in ("alternative", "null"))
    share = 1 - np.searchsorted(null, alternative - 1e-9) / STUDIES
    reached = np.searchsorted(alternative, null + 1e-9, side="right") / STUDIES
    error = np.hypot(share.std(), reached.std()) / np.sqrt(STUDIES)
    return float(share.mean()), float(error), float(alternative.mean()), float(alternative.std() / np.sqrt(STUDIES))


def gammas(name: str, metric: str, n_items: int, k: int, world: str, rng: np.random.Generator) -> Array:
    """Γ of many studies of one world, some at a time."""
    alpha = np.array(FOREST.population(name).to_dict()["alpha"])
    m, batch = len(alpha), 100
    found = []
    for _ in range(STUDIES // batch):
        beta = rng.dirichlet(alpha, (batch, n_items))
        noisy = 0.7 * beta + 0.3 * rng.dirichlet(np.full(m, 1 / m), (batch, n_items))
        middle = (beta + noisy) / 2
        laws = (beta, beta, noisy) if world == "alternative" else (beta, middle, middle)
        g, a, b = (rng.multinomial(k, law) for law in laws)
        found.append(DIFFERENCES[metric](g, a, b).mean(-1))
    return np.concatenate(found)


def accuracy(g: Array, a: Array, b: Array) -> Array:
    truth = g.argmax(-1)  # ties to the first category
    return np.asarray((a.argmax(-1) == truth) * 1.0 - (b.argmax(-1) == truth))


def total_variation(g: Array, a: Array, b: Array) -> Array:
    return np.asarray((np.abs(b - g) - np.abs(a - g)).sum(-1) / g[0, 0].sum() / g.shape[-1])


def wins(g: Array, a: Array, b: Array) -> Array:
    return np.asarray(np.sign(np.abs(b - g).sum(-1) - np.abs(a - g).sum(-1)))


def kl(g: Array, a: Array, b: Array) -> Array:
    g, a, b = (x + 1e-12 for x in (g, a, b))
    return np.asarray((g * np.log(a / b)).sum(-1) / g.sum(-1))


DIFFERENCES = {"accuracy": accuracy, "total_variation": total_variation, "wins": wins, "kl": kl}
