"""[ratings]: p against raters per item at fixed budgets, and the power of four tests with their error rates beside it.

Its figures have no printed values, so what can be checked are the statements of its text; the points of the figures
are given beside them, to be drawn. A budget is NK responses, N = NK // K items; both systems answer as often as there
are raters, which is the paper's assumption.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from quorate._random import generator
from quorate.metrics.registry import find_metric
from quorate.planning.laws.item_law_makers import ItemLaw
from quorate.planning.scenario import Setting, item_law
from quorate.populations.population import Answers
from quorate.populations.preset import find_preset
from quorate.reproducing.cells import Cell, Run, claim
from quorate.reproducing.ratings_power import DESIGNS, QUICK_DESIGNS, power_cells

__all__ = ["cells", "parts"]

BUDGETS = (1000, 2500, 5000, 10000, 50000)
RATERS = (1, 2, 5, 10, 25, 50, 100, 200, 500)
QUICK_RATERS = (1, 5, 25, 100, 500)
RISING, ENDS = (1, 5, 25, 100), (1, 25)
"""Raters per item along which a trend is judged, of MAE and of the others: far enough apart for Monte-Carlo error."""
BUDGET = 2500
"""NK of [ratings, fig. 4]."""
METRICS = {"MAE": "mae", "Wins": "wins:mae", "MEMD": "emd"}
"""The metrics of [ratings, sec. 6]; figure 4 has two more that are not named."""
UNPRINTED = "a figure without printed values"
OPEN_BOUNDS = "; the paper does not print where its normals are truncated: means at 0.82 and sds at 0.68 fit the data"


@dataclass(frozen=True)
class World:
    """A population of the paper, the perturbation it is shown with, what is open about it, and whether it is real."""

    name: str
    preset: str
    effect: float
    note: str = ""
    real: bool = True

    @property
    def metrics(self) -> list[str]:
        """The metrics shown; without levels the earth mover's distance needs every answer, and says the same as MAE."""
        return [name for name in METRICS if self.real or name != "MEMD"]

    @property
    def row(self) -> str:
        """How its cells are named."""
        return f"{self.name}, ε = {self.effect:g}"


WORLDS = {
    f"p against raters, {world.row}": world
    for world in (
        World("toxicity", "toxicity-likert", 0.05),
        World("toxicity", "toxicity-likert", 0.1),
        World(
            "toxicity, means as printed",
            "toxicity-likert-ratings",
            0.05,
            "; |N(0.19, 0.11)| are the paper's means, and mean and sd of the sds in the paper it takes them from",
        ),
        World("multidomain", "multidomain", 0.1, OPEN_BOUNDS),
        World("simulated", "uniform-normal", 0.05, real=False),
    )
}


@dataclass(frozen=True)
class Curves:
    """Expected p of a world by metric, raters and budget."""

    laws: dict[tuple[str, int], ItemLaw]
    seed: int

    def p(self, metric: str, n_raters: int, responses: int) -> float:
        """Return the expected p of ``responses // n_raters`` items."""
        return self.point(metric, n_raters, responses // n_raters)[0]

    def point(self, metric: str, n_raters: int, n_items: int) -> tuple[float, float]:
        """Return the expected p of a number of items, and its Monte-Carlo error."""
        rng = generator(self.seed, "ratings", metric, n_raters, n_items)
        return self.laws[metric, n_raters].expected_p(n_items, 0.95, rng=rng)

    def falls(self, metric: str, responses: int = BUDGET, raters: Sequence[int] = RISING) -> bool:
        """Tell whether p falls from each number of raters to the next."""
        return all(self.p(metric, k, responses) > self.p(metric, more, responses) for k, more in pairwise(raters))

    def told(self, metric: str, responses: int = BUDGET, raters: Sequence[int] = RISING) -> str:
        """Return p at each number of raters, in words."""
        values = ", ".join(f"{self.p(metric, k, responses):.3f}" for k in raters)
        return f"{metric} at NK = {responses}, K = {', '.join(map(str, raters))}: p = {values}"


def parts(run: Run) -> list[str]:
    """Return the tasks: curves of each world, and each design of the power figure.

    Examples
    --------
    >>> parts(Run(quick=True))[0]
    'p against raters, toxicity, ε = 0.05'
    """
    return [*WORLDS, *(QUICK_DESIGNS if run.quick else DESIGNS)]


def cells(part: str, run: Run) -> list[Cell]:
    """Return the cells of one task."""
    if part in DESIGNS:
        return power_cells(*DESIGNS[part], run)
    world, raters = WORLDS[part], QUICK_RATERS if run.quick else RATERS
    curves = _curves(world, world.metrics, raters, "raters", run)
    found = [*_trends(world, curves), *_total(world, curves), *_best(world, curves, raters)]
    if world.effect == 0.1 and world.name == "toxicity":
        return [*found, _turns(world, curves, raters)]
    once = _curves(world, ["MAE"], RISING, 1, run)
    return [*found, _answering_once(world, once), _enough(world, run), *_points(world, curves, raters)]


def _curves(world: World, metrics: Sequence[str], raters: Sequence[int], answers: Answers, run: Run) -> Curves:
    population = find_preset(world.preset).population
    laws = {}
    for name in metrics:
        setting = Setting(population, find_metric(METRICS[name]), world.effect, answers=answers, seed=run.seed)
        laws.update({(name, k): item_law(setting, k, target=_target(name, k, run)) for k in raters})
    return Curves(laws, run.seed)


def _target(metric: str, n_raters: int, run: Run) -> float:
    """Relative error of the mean difference: wins of single answers differ so little that they need more items."""
    if metric == "Wins" and n_raters == 1:
        return 0.0099
    return 0.03 if run.quick else 0.015


def _trends(world: World, curves: Curves) -> list[Cell]:
    """p falls as K rises at a fixed budget: figures 2 and 4 for real data; §8 says the opposite of wins."""
    found = [
        claim(
            "ratings",
            "Figure 2",
            f"{world.row}, NK = {budget}",
            "p of MAE falls as K rises",
            holds=curves.falls("MAE", budget),
            reason=curves.told("MAE", budget) + world.note,
        )
        for budget in (1000, 2500, 10000)
    ]
    for metric in world.metrics:
        rises = metric == "Wins" and not world.real
        found.append(
            claim(
                "ratings",
                "Figure 4",
                f"{world.row}, {metric}",
                "p rises with K: fewer responses are better" if rises else "p falls as K rises",
                holds=curves.falls(metric, raters=ENDS[::-1] if rises else ENDS),
                reason=curves.told(metric) + world.note,
            )
        )
    return [*found, *_opposite(world, curves)]


def _opposite(world: World, curves: Curves) -> list[Cell]:
    """§8: for wins more items and fewer responses lead to lower p – true of the simulated world only."""
    if not world.real:
        return []
    reason = f"{curves.told('Wins')}; holds for continuous answers, not on a scale of levels, as in figure 4"
    return [
        claim(
            "ratings",
            "Text, sec. 8",
            world.row,
            "wins: fewer responses per item are better",
            holds=curves.falls("Wins", raters=ENDS[::-1]),
            reason=reason,
            expected=False,
        )
    ]


def _total(world: World, curves: Curves) -> list[Cell]:
    """§8: more responses in total lower p, whatever the metric."""
    few, many = 2500, 10000
    holds = all(curves.p(metric, k, many) < curves.p(metric, k, few) for metric in world.metrics for k in RISING)
    reason = f"NK = {few} against {many}, at K = {', '.join(map(str, RISING))}, for {', '.join(world.metrics)}"
    return [claim("ratings", "Text, sec. 8", world.row, "more responses lower p", holds=holds, reason=reason)]


def _best(world: World, curves: Curves, raters: Sequence[int]) -> list[Cell]:
    """§8: MAE is more sensitive than wins on real data; wins is on simulated data."""
    best = {name: min((curves.p(name, k, BUDGET), k) for k in raters) for name in ("MAE", "Wins")}
    reason = ", ".join(f"{name} {p:.3f} at K = {k}" for name, (p, k) in best.items())
    better = best["MAE"][0] < best["Wins"][0]
    if world.real:
        column, holds = "MAE is more sensitive than wins", better
    else:  # at the five raters of the test sets: given their best K the two are level
        column = "wins is more sensitive than MAE, K = 5"
        holds = curves.p("Wins", 5, BUDGET) < curves.p("MAE", 5, BUDGET)
        reason = f"{curves.told('Wins', raters=(5,))}; {curves.told('MAE', raters=(5,))}"
    return [claim("ratings", "Text, sec. 8", world.row, column, holds=holds, reason=f"NK = {BUDGET}: {reason}")]


def _turns(world: World, curves: Curves, raters: Sequence[int]) -> Cell:
    """§6: the curves turn before K = 500; the text speaks of ε = 0.1, the caption of 0.05."""
    turning = {budget: min(raters, key=lambda k: curves.p("MAE", k, budget)) for budget in (1000, 2500, 5000)}
    reason = ", ".join(f"NK = {budget}: lowest at K = {k}" for budget, k in turning.items())
    holds = all(k < 500 for k in turning.values())
    return claim("ratings", "Figure 3", world.row, "p of MAE turns before K = 500", holds=holds, reason=reason)


def _answering_once(world: World, once: Curves) -> Cell:
    """The same trend when systems give one answer per item, instead of as many as there are raters."""
    return claim(
        "ratings",
        "Figure 2",
        f"{world.row}, systems that answer once",
        "p of MAE falls as K rises",
        holds=once.falls("MAE"),
        reason=f"{once.told('MAE')}: the trend rests on systems that answer as often as there are raters",
        expected=False,
    )


def _enough(world: World, run: Run) -> Cell:
    """§8: with 1000 items at least 25 raters are needed; the data set and ε are not given."""
    raters = range(2, 31, 4) if run.quick else range(1, 31)
    curves = _curves(world, ["MAE"], [*raters], "raters", run)
    enough = [k for k in raters if curves.point("MAE", k, 1000)[0] < 0.05]
    least = float(min(enough, default=31))
    step = raters.step - 1.0
    reason = f"least K with p < 0.05 at N = 1000 here{f', to within {step:g}' if step else ''}"
    return Cell(
        "ratings",
        "Text, sec. 8",
        world.row,
        "raters needed with 1000 items, MAE",
        published=25.0,
        ours=least,
        tolerance=step,
        expected=False,
        reason=f"{reason}; the paper does not say for which data and ε",
    )


def _points(world: World, curves: Curves, raters: Sequence[int]) -> list[Cell]:
    """The points of figures 2 and 4."""
    sizes = [("Figure 2", "MAE", k, budget, f"MAE, NK = {budget}") for budget in BUDGETS for k in raters]
    sizes += [("Figure 4", name, k, BUDGET, f"NK = {BUDGET}, {name}") for name in world.metrics for k in raters]
    found = []
    for figure, metric, k, budget, line in sizes:
        p, error = curves.point(metric, k, budget // k)
        row = f"{world.row}, {line}, K = {k}"
        found.append(
            Cell("ratings", figure, row, "p, no printed value", None, p, error, expected=False, reason=UNPRINTED)
        )
    return found
