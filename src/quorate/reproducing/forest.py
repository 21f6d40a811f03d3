"""[forest]: Tables 1, 2 and 3, and what the text says of K – also when systems answer once.

A part is one population: p, differences and widths of every (N, K) at ε = 0.3 come from one sweep,
under the paper's habits (first category wins ties, TV / M, KL + 1e-12, systems asked K times).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from operator import attrgetter
from typing import Any, TypeAlias

import numpy as np

from quorate._random import generator
from quorate.planning.grid_sweep import SweepRow, sweep_rows
from quorate.planning.grids import FOREST, Grid
from quorate.planning.laws.draws import sampled_law
from quorate.planning.promises.small_studies import StudyDraws
from quorate.populations.population import Answers
from quorate.reproducing.cell import Cell, FigurePoint, absent, claim, point, read_figures
from quorate.reproducing.question import ReproduceQuestion

METRICS = FOREST.metrics
DRAWS = 1000
"""Γ draws behind each printed p [forest, Experimental Setup]."""
DRAWN, BUDGETS, POINTS = "d3code", (1000, 2500, 5000, 10000), (3, 4, 7, 60, 80, 140, 200, 300, 400, 500)
"""Population of Figures 3 and 4; budgets and, beside the typical, numbers of raters drawn."""
NEAR = 0.005
"""Difference of two p-values near 0.05 that 1000 draws hardly tell: about a standard error."""
TYPICAL = (1, 2, 5, 10, 20, 40, 100, 240)
"""Numbers of raters a quick run looks at, beside the printed ones."""

BiasRow: TypeAlias = Mapping[str, Any]
"""A row of Table 1: the population, its mean absolute bias, and public data behind it, if any."""
SizeRows: TypeAlias = Mapping[tuple[str, int, int], SweepRow]
"""Rows of one population by metric, responses and raters."""


@dataclass(frozen=True)
class PrintedCell:
    """A cell of Table 2 (value = p) or Table 3 (value = width), at ε = 0.3."""

    table: int
    population: str
    metric: str
    responses: int
    n_raters: int
    value: float
    difference: float

    @property
    def size(self) -> tuple[int, int, int]:
        """Responses, items and raters."""
        return self.responses, self.responses // self.n_raters, self.n_raters

    @property
    def where(self) -> str:
        """Metric and size in words."""
        return f"{self.metric}, NK = {self.responses}, K = {self.n_raters}"

    def row(self, rows: SizeRows) -> SweepRow:
        """Return our row of its size."""
        return rows[self.metric, self.responses, self.n_raters]


def parts(question: ReproduceQuestion) -> list[str]:
    """Return Table 1, the ten populations, and each again with systems that answer once."""
    once = (f"{name}, answering once" for name in FOREST.populations)
    return ["Table 1", "Other readings", *FOREST.populations, *once]


def cells(part: str, question: ReproduceQuestion) -> list[Cell]:
    """Return the cells of one part."""
    if part == "Table 1":
        return [_bias(row, question) for row in read_figures("forest_bias")]
    if part == "Other readings":
        public = [row for row in read_figures("forest_bias") if row["public_data"]]
        return [*_other_readings(question), *(_correlation(row, question) for row in public)]
    name = part.removesuffix(", answering once")
    if name != part:
        return _claims(name, _rows(name, 1, question), once=True)
    rows = _rows(name, "raters", question)
    points = _points(rows) if name == DRAWN else []
    return [*_table_2(name, rows), *_table_3(name, rows), *_claims(name, rows, once=False), *points]


def printed(table: int, name: str) -> dict[str, PrintedCell]:
    """Return the cells of a population in Table 2 or 3, by metric."""
    every = (PrintedCell(**row) for row in read_figures("forest_tables"))
    return {cell.metric: cell for cell in every if (cell.table, cell.population) == (table, name)}


def _rows(name: str, answers: Answers, question: ReproduceQuestion) -> SizeRows:
    """Sweep one population at ε = 0.3: all sizes, or quickly the printed and some typical K."""
    of_tables = {cell.n_raters for table in (2, 3) for cell in printed(table, name).values()}
    sizes = [size for size in FOREST.sizes if not question.quick or size[2] in {*of_tables, *TYPICAL}]
    grid = Grid({name: name}, METRICS, (0.3,), sizes, answers=answers)
    rows = (row for n_raters in grid.raters for row in sweep_rows(grid, name, n_raters, seed=question.seed))
    return {(row.metric, row.responses, row.n_raters): row for row in rows}


def _bias(printed: BiasRow, question: ReproduceQuestion) -> Cell:
    """Mean absolute bias (1/M) Σ |θ_m − α_m / Σα| of the printed α, on the public data."""
    name, published = printed["population"], printed["mean_absolute_bias"]
    place = "forest", "Table 1", name, "mean absolute bias"
    if not printed["public_data"]:
        return absent(*place, published, "The data set is not public in this form.")
    path = question.file(printed["public_data"], "annotations.csv.gz")
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


def _other_readings(question: ReproduceQuestion) -> list[Cell]:
    """What three cells of Table 2 would be under readings of the text that come first to mind."""
    cells = [_random_ties(question)]
    for name, metric, why in (
        ("dices", "total_variation", "The usual ½ Σ |difference|; the printed Δ is Σ / M."),
        ("jobsq1", "kl", "Half an answer added per category; the printed Δ needs 1e-12 and counts empty cells."),
    ):
        cell = printed(2, name)[metric]
        grid = Grid({name: name}, (metric,), (0.3,), (cell.size,), variant="default")
        row = sweep_rows(grid, name, cell.n_raters, seed=question.seed)[0]
        place = "forest", "Other readings", name, f"Δ of {cell.where}"
        cells.append(Cell(*place, cell.difference, row.difference, expected=False, reason=why))
    return cells


def _random_ties(question: ReproduceQuestion) -> Cell:
    """P of accuracy on d3code where ties are broken at random, from simulated items."""
    cell, name = printed(2, "d3code")["accuracy"], "d3code"
    rng, n = generator(question.seed, "reproduce ties"), 400_000
    worlds = []
    for null in (False, True):
        batches = []
        for _ in range(question.draws(10, quick=3)):
            laws = FOREST.population(name).answer_laws((n,), effect=0.3, rng=rng)
            laws = laws.null() if null else laws
            votes = (rng.multinomial(cell.n_raters, law) for law in (laws.raters, laws.a, laws.b))
            truth, a, b = ((each + 0.5 * rng.random(each.shape)).argmax(-1) for each in votes)
            batches.append((a == truth) * 1.0 - (b == truth))
        worlds.append(np.concatenate(batches))
    p, error = sampled_law(*worlds).expected_p(cell.responses // cell.n_raters, studies=StudyDraws(question.seed))
    why = "Ties broken at random; the printed p needs ties given to the first category."
    place = "forest", "Other readings", name, f"p of {cell.where}"
    return Cell(*place, cell.value, p, error, expected=False, reason=why, kind="p")


def _correlation(printed: BiasRow, question: ReproduceQuestion) -> Cell:
    """Correlation of two answers to an item: 1 / (1 + Σα) by the printed α, and in the data."""
    name = printed["population"]
    implied = 1 / (1 + sum(FOREST.population(name).to_dict()["alpha"]))
    place = "forest", "Other readings", name, "correlation of two answers to the same item, from the printed α"
    path = question.file(printed["public_data"], "annotations.csv.gz")
    if path is None:
        return absent(*place, implied, "data absent")
    from quorate.fitting.verb import fit

    spread = fit(path, evaluate=name).spread
    why = "The printed α fits the mean, which is all a mean absolute bias sees, but not how far items differ."
    return Cell(*place, implied, spread.correlation, expected=False, reason=why)


def _table_2(name: str, rows: SizeRows) -> list[Cell]:
    """P and Δ of the printed (NK, K); the printed p is a minimum over K, so a little low."""
    cells, head = [], ("forest", "Table 2", name)
    for metric, cell in printed(2, name).items():
        row, delta = cell.row(rows), cell.difference
        low = "The printed p is the smallest over K of estimates from 1000 draws: 0.02 allowed."
        p = cell.value, row.expected_p, row.expected_p_error
        cells.append(Cell(*head, f"p of {cell.where}", *p, tolerance=0.02, reason=low, kind="p"))
        five, most = "A mean of 1000 draws: 5 % allowed.", 0.05 * delta
        cells.append(Cell(*head, f"Δ of {cell.where}", delta, row.difference, tolerance=most, reason=five))
        flips = "A threshold on a minimum over K: where p is near 0.05 Monte-Carlo noise decides."
        budgets = cell.responses, _lowest_budget(rows, metric)
        cells.append(Cell(*head, f"lowest NK of {metric}", *budgets, expected=False, reason=flips))
    return cells


def _table_3(name: str, rows: SizeRows) -> list[Cell]:
    """Widths of the printed (NK, K); the Δ printed beside them belongs to other rows."""
    cells, head = [], ("forest", "Table 3", name)
    for metric, cell in printed(3, name).items():
        row, heavy = cell.row(rows), (name, metric) == ("unbalanced-5", "kl")
        share = 0.22 if heavy else 0.12
        why = f"Quantiles of 1000 draws: {share:.0%} allowed" + (", for a heavy tail." if heavy else ".")
        widths = cell.value, row.ci_width
        cells.append(Cell(*head, f"width of {cell.where}", *widths, tolerance=share * cell.value, reason=why))
        error = row.ci_width / 3.92 / sqrt(DRAWS)  # the width is that of 95 % of Γ
        other = "The Δ column of Table 3 does not belong to the (NK, K) of its own row."
        delta = cell.difference, row.difference, 0.0, error, 0.05 * cell.difference
        cells.append(Cell(*head, f"Δ of {cell.where}", *delta, expected=False, reason=other))
    return cells


def _points(rows: SizeRows) -> list[Cell]:
    """Points of Figures 3 (p) and 4 (widths), which print no values: to be drawn."""
    cells, why = [], "A figure without printed values."
    for (metric, responses, n_raters), row in rows.items():
        if responses in BUDGETS and n_raters in (*TYPICAL, *POINTS):
            at = FigurePoint(panel=f"{DRAWN}, {metric}", line=f"NK = {responses}", axis="K", place=n_raters)
            cells.append(point("forest", "Figure 3", at, "p", row.expected_p, row.expected_p_error, why, "p"))
            cells.append(point("forest", "Figure 4", at, "width", row.ci_width, 0.0, why))
    return cells


def _claims(name: str, rows: SizeRows, *, once: bool) -> list[Cell]:
    """What the text says of K at the printed NK, but where Table 2 says otherwise."""
    p = printed(2, name)
    exceptions = {
        "accuracy is best with at most 10 raters": p["accuracy"].n_raters > 10,
        "wins is best with 20 to 100 raters": not 20 <= p["wins"].n_raters <= 100,
    }
    table = "Text, systems answer once" if once else "Text"
    return [
        claim("forest", table, name, what, holds=true, reason=why + ".", expected=not (once or exceptions.get(what)))
        for what, (true, why) in {**_best_raters(name, rows), **_budgets_and_widths(name, rows)}.items()
    ]


def _best_raters(name: str, rows: SizeRows) -> dict[str, tuple[bool, str]]:
    """Which K is best for which metric: whether it holds, and why."""
    best = {metric: _best(rows, metric, cell.responses) for metric, cell in printed(2, name).items()}
    near = {metric: _nearly_best(rows, row) for metric, row in best.items()}
    why = {
        metric: f"Best K = {row.n_raters} with p = {row.expected_p:.3f}, hardly told from K = {_listed(near[metric])}"
        for metric, row in best.items()
    }
    several = "total_variation"
    return {
        "accuracy is best with at most 10 raters": (min(near["accuracy"]) <= 10, why["accuracy"]),
        "total variation is best with more than 10 raters": (max(near[several]) > 10, why[several]),
        "wins is best with 20 to 100 raters": (any(20 <= each <= 100 for each in near["wins"]), why["wins"]),
    }


def _budgets_and_widths(name: str, rows: SizeRows) -> dict[str, tuple[bool, str]]:
    """How many responses are enough, and where intervals are narrow: whether it holds, and why."""
    widths = printed(3, name)
    enough = _best(rows, "total_variation", 1000)
    narrow = _best(rows, "total_variation", widths["total_variation"].responses, "ci_width")
    few, many = (rows["kl", widths["kl"].responses, n_raters].ci_width for n_raters in (10, 100))
    least = {metric: _lowest_budget(rows, metric) for metric in METRICS}
    return {
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
        "intervals of KL are narrower at K = 100 than at K = 10": (many < few, f"Widths {many:.3g} and {few:.3g}"),
    }


def _lowest_budget(rows: SizeRows, metric: str) -> float:
    """Smallest NK of the grid with a K at which p < 0.05; infinite if there is none."""
    return min(
        (row.responses for (name, _, _), row in rows.items() if name == metric and row.expected_p < 0.05),
        default=np.inf,
    )


def _best(rows: SizeRows, metric: str, responses: int, value: str = "expected_p") -> SweepRow:
    """Return the row with the smallest value over K."""
    here = (row for (name, budget, _), row in rows.items() if (name, budget) == (metric, responses))
    return min(here, key=attrgetter(value))


def _nearly_best(rows: SizeRows, best: SweepRow) -> list[int]:
    """Return the K whose p the paper's 1000 draws could not tell from the smallest."""
    alike = [row for row in rows.values() if (row.metric, row.responses) == (best.metric, best.responses)]
    return [row.n_raters for row in alike if row.expected_p <= best.expected_p + NEAR]


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, sorted(numbers)))
