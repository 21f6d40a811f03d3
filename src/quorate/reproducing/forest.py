"""Forest vs Tree [forest]: Tables 1, 2 and 3, and what the text says of K – also when systems answer once.

A part is one population: its p-values, differences and widths for every (N, K) of the paper at ε = 0.3 come from the
same sweep, under the paper's habits (first category wins ties, TV / M, KL + 1e-12, systems asked K times).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import sqrt

import numpy as np

from quorate._random import generator
from quorate.planning.grids import FOREST, Grid
from quorate.planning.laws.item_law_makers import sampled_law
from quorate.planning.sweep import SweepRow, sweep_rows
from quorate.populations.population import Answers
from quorate.reproducing.cells import Cell, Run, absent, claim

__all__ = ["METRICS", "TABLE_1", "TABLE_2", "TABLE_3", "Printed", "cells", "parts", "printed"]

METRICS = FOREST.metrics
DRAWS = 1000
"""Γ draws behind each printed p [forest, Experimental Setup]."""
DRAWN, BUDGETS, POINTS = "d3code", (1000, 2500, 5000, 10000), (3, 4, 7, 60, 80, 140, 200, 300, 400, 500)
"""Population of Figures 3 and 4; budgets and, beside the typical, numbers of raters drawn."""
NEAR = 0.005
"""Difference of two p-values near 0.05 that 1000 draws hardly tell: about one standard error of each."""
TYPICAL = (1, 2, 5, 10, 20, 40, 100, 240)
"""Numbers of raters a quick run looks at, beside the printed ones."""

# [forest, Table 1]: mean absolute bias of the α printed under Datasets.
TABLE_1 = {"toxicity": 0.0111, "dices": 0.0231, "d3code": 0.0029, "jobsq1": 0.0537, "jobsq3": 0.0869}
DATA = {"dices": "dices_350", "jobsq1": "jobs_q1", "jobsq3": "jobs_q3"}
"""Public data sets behind three of them."""

# [forest, Table 2], ε = 0.3: NK, p-value, K and Δ of accuracy, total variation, wins and KL, as printed.
TABLE_2 = """
toxicity      |     2500 0.012 1 0.040 |   1000 0.015 120 0.074 |     2500 0.012 1 0.040 |   1000 0.022 200 0.044
dices         |     1000 0.036 1 0.055 |     500 0.017 80 0.063 |    1000 0.028 20 0.346 |   1000 0.020 300 0.082
d3code        |     2500 0.037 2 0.034 |   1000 0.020 140 0.072 |    2500 0.024 60 0.413 |   1000 0.022 100 0.036
jobsq1        |      250 0.035 1 0.104 |     250 0.015 40 0.050 |      250 0.036 1 0.104 |      250 0.035 1 2.864
jobsq3        |    500 0.047 100 0.595 |    250 0.014 240 0.024 |     500 0.038 80 0.868 |    500 0.030 500 0.182
unbalanced-2  |     1000 0.031 1 0.050 |     500 0.044 80 0.074 |     1000 0.031 1 0.050 |   1000 0.014 140 0.047
unbalanced-3  |     1000 0.039 2 0.061 |    500 0.023 100 0.061 |    1000 0.040 40 0.473 |    500 0.031 100 0.068
unbalanced-4  |     1000 0.049 4 0.089 |    500 0.013 120 0.054 |    1000 0.022 40 0.520 |    500 0.021 240 0.084
unbalanced-5  |    1000 0.045 10 0.138 |    500 0.009 100 0.043 |    1000 0.015 40 0.545 |    500 0.010 240 0.098
unbalanced-12 |    1000 0.027 80 0.436 |    250 0.014 240 0.023 |     500 0.042 60 0.763 |    500 0.004 460 0.156
"""

# [forest, Table 3], ε = 0.3: NK, width of the interval, K and Δ, as printed.
TABLE_3 = """
toxicity      |   2500 0.050 1 0.117 |   1000 0.067 5 0.063 |   2500 0.050 1 0.728 | 1000 0.085 100 0.042
dices         |   1000 0.090 1 0.080 |    500 0.063 7 0.075 |   1000 0.090 1 0.203 | 1000 0.230 100 0.082
d3code        |   2500 0.054 1 0.116 |   1000 0.067 7 0.066 |   2500 0.054 1 0.669 | 1000 0.068 100 0.036
jobsq1        |    250 0.160 1 0.104 |    250 0.055 8 0.038 |    250 0.160 1 0.104 |   250 1.516 80 0.109
jobsq3        |    500 0.086 1 0.614 |    250 0.020 1 0.003 |    500 0.086 1 0.941 |  500 1.322 100 1.613
unbalanced-2  |   1000 0.070 2 0.068 |    500 0.093 7 0.086 |   1000 0.079 1 0.154 |  1000 0.083 80 0.045
unbalanced-3  |   1000 0.079 1 0.111 |   500 0.063 10 0.028 |   1000 0.079 1 0.180 |  500 0.145 100 0.028
unbalanced-4  |   1000 0.081 1 0.125 |    500 0.048 6 0.058 |   1000 0.081 1 0.191 |  500 0.218 100 0.243
unbalanced-5  |   1000 0.070 1 0.128 |    500 0.039 7 0.049 |   1000 0.070 1 0.187 |  500 0.467 100 0.515
unbalanced-12 |   1000 0.056 1 0.105 |    250 0.019 1 0.002 |    500 0.080 1 0.920 | 500 1.292 100 1.264
"""


@dataclass(frozen=True)
class Printed:
    """A cell of Table 2 (value = p) or Table 3 (value = width)."""

    responses: int
    value: float
    n_raters: int
    difference: float


Rows = Mapping[tuple[str, int, int], SweepRow]
"""Rows of one population by metric, responses and raters."""


def parts(run: Run) -> list[str]:
    """Return Table 1, the ten populations, and each again with systems that answer once."""
    return [
        "Table 1",
        "Other readings",
        *FOREST.populations,
        *(f"{name}, answering once" for name in FOREST.populations),
    ]


def cells(part: str, run: Run) -> list[Cell]:
    """Return the cells of one part.

    Examples
    --------
    >>> [cell.verdict for cell in cells("Table 1", Run())][:2]
    ['not reproducible', 'not reproducible']
    """
    if part == "Table 1":
        return [_bias(name, value, run) for name, value in TABLE_1.items()]
    if part == "Other readings":
        return [*_readings(run), *(_correlation(name, run) for name in DATA)]
    name = part.removesuffix(", answering once")
    if name != part:
        return _claims(name, _rows(name, 1, run), once=True)
    rows = _rows(name, "raters", run)
    drawn = _figures(rows) if name == DRAWN else []
    return [*_table_2(name, rows), *_table_3(name, rows), *_claims(name, rows, once=False), *drawn]


def printed(table: str, name: str) -> dict[str, Printed]:
    """Return the cells of a population, by metric.

    Examples
    --------
    >>> printed(TABLE_2, "dices")["wins"]
    Printed(responses=1000, value=0.028, n_raters=20, difference=0.346)
    """
    line = next(line for line in table.strip().splitlines() if line.split("|")[0].strip() == name)
    found = {}
    for metric, column in zip(METRICS, line.split("|")[1:], strict=True):
        responses, value, n_raters, difference = column.split()
        found[metric] = Printed(int(responses), float(value), int(n_raters), float(difference))
    return found


def _rows(name: str, answers: Answers, run: Run) -> Rows:
    """Sweep one population at ε = 0.3: all sizes, or quickly the printed and some typical K."""
    of_tables = {cell.n_raters for table in (TABLE_2, TABLE_3) for cell in printed(table, name).values()}
    sizes = [size for size in FOREST.sizes if not run.quick or size[2] in {*of_tables, *TYPICAL}]
    grid = Grid({name: name}, METRICS, (0.3,), sizes, answers=answers)
    found = [row for n_raters in grid.raters for row in sweep_rows(grid, name, n_raters, seed=run.seed)]
    return {(row.metric, row.responses, row.n_raters): row for row in found}


def _bias(name: str, published: float, run: Run) -> Cell:
    """Mean absolute bias (1/M) Σ |θ_m − α_m / Σα| of the printed α, on the public data."""
    place = "forest", "Table 1", name, "mean absolute bias"
    path = run.file(DATA.get(name, name), "annotations.csv.gz")
    if name not in DATA:
        return absent(*place, published, "The data set is not public in this form.")
    if path is None:
        return absent(*place, published, "data absent")
    from quorate.data.read_ratings import read_ratings
    from quorate.fitting.verb import fit
    from quorate.populations.goodness import mean_absolute_bias

    ratings = read_ratings(path)
    alpha = np.array(FOREST.population(name).to_dict()["alpha"])
    ours = mean_absolute_bias(ratings.response_share, alpha / alpha.sum())
    fitted = fit(ratings, method="ml", family="dirichlet").mab
    reason = f"Of the printed α; rounding of α and of the figure. A maximum-likelihood fit has {fitted:.4f}."
    return Cell(*place, published, ours, tolerance=2e-4, reason=reason)


def _readings(run: Run) -> list[Cell]:
    """What three cells of Table 2 would be under readings of the text that come first to mind."""
    found = [_random_ties(run)]
    for name, metric, why in (
        ("dices", "total_variation", "The usual ½ Σ |difference|; the printed Δ is Σ / M."),
        ("jobsq1", "kl", "Half an answer added per category; the printed Δ needs 1e-12 and counts empty cells."),
    ):
        cell = printed(TABLE_2, name)[metric]
        size = cell.responses, cell.responses // cell.n_raters, cell.n_raters
        grid = Grid({name: name}, (metric,), (0.3,), (size,), variant="default")
        row = sweep_rows(grid, name, cell.n_raters, seed=run.seed)[0]
        place = "forest", "Other readings", name, f"Δ of {metric}, NK = {size[0]}, K = {size[2]}"
        found.append(Cell(*place, cell.difference, row.difference, expected=False, reason=why))
    return found


def _random_ties(run: Run) -> Cell:
    """P of accuracy on d3code where ties are broken at random, from simulated items."""
    cell, name = printed(TABLE_2, "d3code")["accuracy"], "d3code"
    rng, n = generator(run.seed, "reproduce ties"), 400_000
    worlds = []
    for null in (False, True):
        parts = []
        for _ in range(run.draws(10, quick=3)):
            laws = FOREST.population(name).answer_laws((n,), effect=0.3, rng=rng)
            laws = laws.null() if null else laws
            votes = (rng.multinomial(cell.n_raters, law) for law in (laws.raters, laws.a, laws.b))
            truth, a, b = ((each + 0.5 * rng.random(each.shape)).argmax(-1) for each in votes)
            parts.append((a == truth) * 1.0 - (b == truth))
        worlds.append(np.concatenate(parts))
    p, error = sampled_law(*worlds).expected_p(cell.responses // cell.n_raters, rng=rng)
    place = "forest", "Other readings", name, f"p of accuracy, NK = {cell.responses}, K = {cell.n_raters}"
    why = "Ties broken at random; the printed p needs ties given to the first category."
    return Cell(*place, cell.value, p, error, expected=False, reason=why)


def _correlation(name: str, run: Run) -> Cell:
    """Correlation of two answers to an item: 1 / (1 + Σα) under the printed α, and in the data."""
    implied = 1 / (1 + sum(FOREST.population(name).to_dict()["alpha"]))
    place = "forest", "Other readings", name, "correlation of two answers to the same item, from the printed α"
    path = run.file(DATA[name], "annotations.csv.gz")
    if path is None:
        return absent(*place, implied, "data absent")
    from quorate.fitting.verb import fit

    spread = fit(path, population=name).spread
    why = "The printed α fits the mean, which is all a mean absolute bias sees, but not how far items differ."
    return Cell(*place, implied, spread.correlation, expected=False, reason=why)


def _table_2(name: str, rows: Rows) -> list[Cell]:
    """P and Δ of the printed (NK, K); the printed p is a minimum over K, so it sits a little low."""
    found = []
    for metric, cell in printed(TABLE_2, name).items():
        row, head = rows[metric, cell.responses, cell.n_raters], ("forest", "Table 2", name)
        where = f"{metric}, NK = {cell.responses}, K = {cell.n_raters}"
        low = "The printed p is the smallest over K of estimates from 1000 draws: 0.02 allowed."
        p = Cell(*head, f"p of {where}", cell.value, row.expected_p, row.expected_p_error, tolerance=0.02, reason=low)
        five = "A mean of 1000 draws: 5 % allowed."
        tolerance = 0.05 * cell.difference
        delta = Cell(*head, f"Δ of {where}", cell.difference, row.difference, tolerance=tolerance, reason=five)
        budget = _lowest_budget(rows, metric)
        flips = "A threshold on a minimum over K: where p is near 0.05 Monte-Carlo noise decides."
        least = Cell(*head, f"lowest NK of {metric}", cell.responses, budget, expected=False, reason=flips)
        found += [p, delta, least]
    return found


def _table_3(name: str, rows: Rows) -> list[Cell]:
    """Widths of the printed (NK, K); the Δ printed beside them belongs to other rows."""
    found = []
    for metric, cell in printed(TABLE_3, name).items():
        row, head = rows[metric, cell.responses, cell.n_raters], ("forest", "Table 3", name)
        where = f"{metric}, NK = {cell.responses}, K = {cell.n_raters}"
        heavy = (name, metric) == ("unbalanced-5", "kl")
        share = 0.22 if heavy else 0.12
        why = f"Quantiles of 1000 draws: {share:.0%} allowed" + (", for a heavy tail." if heavy else ".")
        tolerance = share * cell.value
        found.append(Cell(*head, f"width of {where}", cell.value, row.ci_width, tolerance=tolerance, reason=why))
        error = row.ci_width / 3.92 / sqrt(DRAWS)  # the width is that of 95 % of Γ
        other = "The Δ column of Table 3 does not belong to the (NK, K) of its own row."
        delta = cell.difference, row.difference, 0.0, error, 0.05 * cell.difference
        found.append(Cell(*head, f"Δ of {where}", *delta, expected=False, reason=other))
    return found


def _figures(rows: Rows) -> list[Cell]:
    """Points of Figures 3 (p) and 4 (width of intervals), which have no printed values: to be drawn."""
    found = []
    for (metric, responses, n_raters), row in rows.items():
        if responses in BUDGETS and n_raters in (*TYPICAL, *POINTS):
            place, why = f"{DRAWN}, {metric}, NK = {responses}, K = {n_raters}", "A figure without printed values."
            for table, column, value in (("Figure 3", "p", row.expected_p), ("Figure 4", "width", row.ci_width)):
                error = row.expected_p_error if column == "p" else 0.0
                found.append(Cell("forest", table, place, column, None, value, error, expected=False, reason=why))
    return found


def _lowest_budget(rows: Rows, metric: str) -> float:
    """Smallest NK of the grid with a K at which p < 0.05; infinite if there is none."""
    return min(
        (row.responses for (name, _, _), row in rows.items() if name == metric and row.expected_p < 0.05),
        default=np.inf,
    )


def _best(rows: Rows, metric: str, responses: int, value: Callable[[SweepRow], float]) -> SweepRow:
    """Return the row with the smallest value over K."""
    return min((row for (name, budget, _), row in rows.items() if (name, budget) == (metric, responses)), key=value)


def _nearly_best(rows: Rows, best: SweepRow) -> list[int]:
    """Return the K whose p the paper's 1000 draws could not tell from the smallest."""
    alike = [row for row in rows.values() if (row.metric, row.responses) == (best.metric, best.responses)]
    return [row.n_raters for row in alike if row.expected_p <= best.expected_p + NEAR]


def _claims(name: str, rows: Rows, *, once: bool) -> list[Cell]:
    """What the text says of K, at the printed NK; its exceptions are the populations where Table 2 says otherwise."""
    p, tv_width = printed(TABLE_2, name), printed(TABLE_3, name)["total_variation"].responses
    best = {metric: _best(rows, metric, p[metric].responses, _p) for metric in METRICS}
    k = {metric: _nearly_best(rows, row) for metric, row in best.items()}
    said = {
        metric: f"Best K = {row.n_raters} with p = {row.expected_p:.3f}, hardly told from K = {_listed(k[metric])}"
        for metric, row in best.items()
    }
    enough, narrow = _best(rows, "total_variation", 1000, _p), _best(rows, "total_variation", tv_width, _width)
    kl = [rows["kl", printed(TABLE_3, name)["kl"].responses, n_raters].ci_width for n_raters in (10, 100)]
    least = {metric: _lowest_budget(rows, metric) for metric in METRICS}
    holds = {
        "accuracy is best with at most 10 raters": (min(k["accuracy"]) <= 10, said["accuracy"]),
        "total variation is best with more than 10 raters": (max(k["total_variation"]) > 10, said["total_variation"]),
        "wins is best with 20 to 100 raters": (any(20 <= each <= 100 for each in k["wins"]), said["wins"]),
        "NK = 1000 with more than 10 raters is enough for total variation": (
            enough.n_raters > 10 and enough.expected_p < 0.05,
            f"Best K = {enough.n_raters} with p = {enough.expected_p:.3f}",
        ),
        "total variation needs the smallest NK": (
            least["total_variation"] <= min(least.values()),
            ", ".join(f"{metric} {budget:g}" for metric, budget in least.items()),
        ),
        "intervals of total variation are narrowest with at most 10 raters": (
            narrow.n_raters <= 10,
            f"Narrowest at K = {narrow.n_raters}",
        ),
        "intervals of KL are narrower at K = 100 than at K = 10": (
            kl[1] < kl[0],
            f"Widths {kl[1]:.3g} and {kl[0]:.3g}",
        ),
    }
    exceptions = {
        "accuracy is best with at most 10 raters": p["accuracy"].n_raters > 10,
        "wins is best with 20 to 100 raters": not 20 <= p["wins"].n_raters <= 100,
    }
    table = "Text, systems answer once" if once else "Text"
    return [
        claim("forest", table, name, what, holds=true, reason=why + ".", expected=not (once or exceptions.get(what)))
        for what, (true, why) in holds.items()
    ]


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, sorted(numbers)))


def _p(row: SweepRow) -> float:
    return row.expected_p


def _width(row: SweepRow) -> float:
    return row.ci_width
