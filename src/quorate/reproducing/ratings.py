"""[ratings]: p against raters per item at fixed budgets, and power and error rates of four tests.

Its figures print no values, so the statements of its text are checked; the points of the figures
are given beside them, to be drawn. A budget is NK responses, N = NK // K items; both systems answer
as often as there are raters, which is the paper's assumption.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.special import ndtri

from quorate._random import generator
from quorate._typing import Array
from quorate.inference.procedures import Terms, find_procedure
from quorate.inference.resampling import without_noise
from quorate.inference.scored_systems import score_systems
from quorate.metrics.contests import contest
from quorate.metrics.registry import find_metric
from quorate.planning.laws.item_law import ItemLaw
from quorate.planning.promises.small_studies import StudyDraws
from quorate.planning.scenario import Scenario
from quorate.planning.sources.population import item_law
from quorate.populations.choice import find_preset
from quorate.populations.population import Answers, Draw
from quorate.reproducing.answer_sets import draw_answers, find_normal, resampled_z, two_worlds
from quorate.reproducing.cell import ERRORS, Cell, FigurePoint, claim, point, rate_error
from quorate.reproducing.question import ReproduceQuestion

BUDGETS = (1000, 2500, 5000, 10000, 50000)
RATERS, QUICK_RATERS = (1, 2, 5, 10, 25, 50, 100, 200, 500), (1, 5, 25, 100, 500)
RISING, ENDS = (1, 5, 25, 100), (1, 25)
"""Raters along which a trend is judged, of MAE and of the others, told apart by our draws."""
BUDGET = 2500
"""NK of [ratings, fig. 4]."""
METRICS = {"MAE": "mae", "Wins": "wins:mae", "MEMD": "emd"}
"""The metrics of [ratings, sec. 6]; figure 4 has two more that are not named."""
OPEN_BOUNDS = "; the paper does not print where its normals are truncated: means at 0.82 and sds at 0.68 fit the data"

POWER_WORLD, POWER_EFFECT, LEVEL = "toxicity-likert", 0.1, 0.05
"""[ratings, fig. 5]."""
CLASSIC = ("permutation", "welch", "wilcoxon")
RESAMPLED, SIMULATED = "multistage bootstrap (resampled)", "multistage bootstrap (simulated)"
RESAMPLES, PERMUTATIONS = 50, 499
DESIGNS = {
    f"power, {n_items} items × {n_raters} raters": (n_items, n_raters)
    for n_items, n_raters in (
        *((n, 5) for n in (250, 500, 1000, 2000)),
        *((n, 10) for n in (250, 500, 1000)),
        *((1000, k) for k in (1, 2, 20)),
    )
}
"""N varied at K = 5 and K = 10, and K varied at N = 1000."""
QUICK_DESIGNS = [part for part, size in DESIGNS.items() if size in ((500, 5), (1000, 5), (500, 10))]


@dataclass(frozen=True)
class PaperWorld:
    """A population of the paper, its perturbation, what is open about it, and whether it is real."""

    name: str
    preset: str
    effect: float
    note: str = ""
    real: bool = True

    @property
    def metrics(self) -> list[str]:
        """The metrics shown; without levels the earth mover's distance says the same as MAE."""
        return [name for name in METRICS if self.real or name != "MEMD"]

    @property
    def row(self) -> str:
        """How its cells are named."""
        return f"{self.name}, ε = {self.effect:g}"


WORLDS = {
    f"p against raters, {world.row}": world
    for world in (
        PaperWorld("toxicity", "toxicity-likert", 0.05),
        PaperWorld("toxicity", "toxicity-likert", 0.1),
        PaperWorld(
            "toxicity, means as printed",
            "toxicity-likert-ratings",
            0.05,
            "; |N(0.19, 0.11)| are the paper's means, and mean and sd of the sds in the paper it takes them from",
        ),
        PaperWorld("multidomain", "multidomain", 0.1, OPEN_BOUNDS),
        PaperWorld("simulated", "uniform-normal", 0.05, real=False),
    )
}


@dataclass(frozen=True)
class RatersCurves:
    """Expected p of a world by metric, raters and budget."""

    laws: dict[tuple[str, int], ItemLaw]
    seed: int

    def p(self, metric: str, n_raters: int, responses: int) -> float:
        """Return the expected p of ``responses // n_raters`` items."""
        return self.point(metric, n_raters, responses // n_raters)[0]

    def point(self, metric: str, n_raters: int, n_items: int) -> tuple[float, float]:
        """Return the expected p of a number of items, and its Monte-Carlo error."""
        return self.laws[metric, n_raters].expected_p(n_items, studies=StudyDraws(self.seed))

    def falls(self, metric: str, responses: int = BUDGET, raters: Sequence[int] = RISING) -> bool:
        """Return whether p falls from each number of raters to the next."""
        p = [self.p(metric, k, responses) for k in raters]
        return all(before > after for before, after in pairwise(p))

    def in_words(self, metric: str, responses: int = BUDGET, raters: Sequence[int] = RISING) -> str:
        """Return p at each number of raters, in words."""
        values = ", ".join(f"{self.p(metric, k, responses):.3f}" for k in raters)
        return f"{metric} at NK = {responses}, K = {', '.join(map(str, raters))}: p = {values}"


def parts(question: ReproduceQuestion) -> list[str]:
    """Return the tasks: curves of each world, and each design of the power figure."""
    return [*WORLDS, *(QUICK_DESIGNS if question.quick else DESIGNS)]


def cells(part: str, question: ReproduceQuestion) -> list[Cell]:
    """Return the cells of one task."""
    if part in DESIGNS:
        return power_cells(*DESIGNS[part], studies=question.draws(600, quick=200), seed=question.seed)
    return world_cells(WORLDS[part], QUICK_RATERS if question.quick else RATERS, question)


def world_cells(world: PaperWorld, raters: Sequence[int], question: ReproduceQuestion) -> list[Cell]:
    """Return what figures 2 to 4 and the text say of one world, and the points of the figures."""
    curves = _curves(world, world.metrics, raters, "raters", question)
    trends = [*_trends(world, curves), *_more_responses(world, curves), *_best_metric(world, curves, raters)]
    if world.effect == 0.1 and world.name == "toxicity":
        return [*trends, _turns(world, curves, raters)]
    once = _curves(world, ["MAE"], RISING, 1, question)
    return [*trends, _answering_once(world, once), _enough(world, question), *_points(world, curves, raters)]


def power_cells(n_items: int, n_raters: int, *, studies: int, seed: int) -> list[Cell]:
    """Return power and type-I error of each test at one size, and the statements about them."""
    rates = {null: rejection_rates(n_items, n_raters, null, studies=studies, seed=seed) for null in (False, True)}
    points = [
        _rate_cell(_place(n_items, n_raters, test), "type-I error" if null else "power", rate, studies)
        for null, by_test in rates.items()
        for test, rate in by_test.items()
    ]
    row = f"N = {n_items}, K = {n_raters}"
    return [*points, *(_most_powerful(row, test, rates, studies) for test in (SIMULATED, RESAMPLED))]


def rejection_rates(n_items: int, n_raters: int, null: bool, *, studies: int, seed: int) -> dict[str, float]:
    """Return how often each test rejects, with B perturbed or both systems of one law.

    The multistage bootstrap of figure 5 can be read in two ways, both one-sided: a test set is
    resampled, as in [leaderboard], or its Γ is held against test sets of a known null world [sec.
    4.2].
    """
    return {
        **_classic(n_items, n_raters, null, studies, seed),
        RESAMPLED: _resampled(n_items, n_raters, null, studies // 2, seed),
        SIMULATED: _simulated(n_items, n_raters, null, 2 * studies, seed),
    }


def _curves(
    world: PaperWorld, metrics: Sequence[str], raters: Sequence[int], answers: Answers, question: ReproduceQuestion
) -> RatersCurves:
    population, laws = find_preset(world.preset).population, {}
    for name in metrics:
        setting = Scenario(population, find_metric(METRICS[name]), world.effect, answers=answers, seed=question.seed)
        laws.update({(name, k): item_law(setting, k, target=_target(name, k, question)) for k in raters})
    return RatersCurves(laws, question.seed)


def _target(metric: str, n_raters: int, question: ReproduceQuestion) -> float:
    """Relative error of the mean difference: wins of single answers need more items."""
    if metric == "Wins" and n_raters == 1:
        return 0.0099
    return 0.03 if question.quick else 0.015


def _trends(world: PaperWorld, curves: RatersCurves) -> list[Cell]:
    """p falls as K rises at a fixed budget: figures 2 and 4; §8 says the opposite of wins."""
    cells = []
    for budget in (1000, 2500, 10000):
        place = "ratings", "Figure 2", f"{world.row}, NK = {budget}", "p of MAE falls as K rises"
        why = curves.in_words("MAE", budget) + world.note
        cells.append(claim(*place, holds=curves.falls("MAE", budget), reason=why))
    for metric in world.metrics:
        rises = metric == "Wins" and not world.real
        column = "p rises with K: fewer responses are better" if rises else "p falls as K rises"
        holds = curves.falls(metric, raters=ENDS[::-1] if rises else ENDS)
        why = curves.in_words(metric) + world.note
        cells.append(claim("ratings", "Figure 4", f"{world.row}, {metric}", column, holds=holds, reason=why))
    return [*cells, *_opposite(world, curves)]


def _opposite(world: PaperWorld, curves: RatersCurves) -> list[Cell]:
    """§8: of wins, fewer responses per item lower p – true of the simulated world only."""
    if not world.real:
        return []
    why = f"{curves.in_words('Wins')}; holds for continuous answers, not on a scale of levels, as in figure 4"
    place = "ratings", "Text, sec. 8", world.row, "wins: fewer responses per item are better"
    return [claim(*place, holds=curves.falls("Wins", raters=ENDS[::-1]), reason=why, expected=False)]


def _more_responses(world: PaperWorld, curves: RatersCurves) -> list[Cell]:
    """§8: more responses in total lower p, whatever the metric."""
    few, many = 2500, 10000
    holds = all(curves.p(metric, k, many) < curves.p(metric, k, few) for metric in world.metrics for k in RISING)
    reason = f"NK = {few} against {many}, at K = {', '.join(map(str, RISING))}, for {', '.join(world.metrics)}"
    return [claim("ratings", "Text, sec. 8", world.row, "more responses lower p", holds=holds, reason=reason)]


def _best_metric(world: PaperWorld, curves: RatersCurves, raters: Sequence[int]) -> list[Cell]:
    """§8: MAE is more sensitive than wins on real data; wins is on simulated data."""
    best = {name: min((curves.p(name, k, BUDGET), k) for k in raters) for name in ("MAE", "Wins")}
    reason = ", ".join(f"{name} {p:.3f} at K = {k}" for name, (p, k) in best.items())
    column, holds = "MAE is more sensitive than wins", best["MAE"][0] < best["Wins"][0]
    if not world.real:  # at the five raters of the test sets: given their best K the two are level
        column = "wins is more sensitive than MAE, K = 5"
        holds = curves.p("Wins", 5, BUDGET) < curves.p("MAE", 5, BUDGET)
        reason = f"{curves.in_words('Wins', raters=(5,))}; {curves.in_words('MAE', raters=(5,))}"
    return [claim("ratings", "Text, sec. 8", world.row, column, holds=holds, reason=f"NK = {BUDGET}: {reason}")]


def _turns(world: PaperWorld, curves: RatersCurves, raters: Sequence[int]) -> Cell:
    """§6: the curves turn before K = 500; the text speaks of ε = 0.1, the caption of 0.05."""
    turning = {budget: min(raters, key=lambda k: curves.p("MAE", k, budget)) for budget in (1000, 2500, 5000)}
    reason = ", ".join(f"NK = {budget}: lowest at K = {k}" for budget, k in turning.items())
    holds = all(k < 500 for k in turning.values())
    return claim("ratings", "Figure 3", world.row, "p of MAE turns before K = 500", holds=holds, reason=reason)


def _answering_once(world: PaperWorld, once: RatersCurves) -> Cell:
    """The same trend when systems answer once per item, not as often as there are raters."""
    why = f"{once.in_words('MAE')}: the trend rests on systems that answer as often as there are raters"
    place = "ratings", "Figure 2", f"{world.row}, systems that answer once", "p of MAE falls as K rises"
    return claim(*place, holds=once.falls("MAE"), reason=why, expected=False)


def _enough(world: PaperWorld, question: ReproduceQuestion) -> Cell:
    """§8: with 1000 items at least 25 raters are needed; the data set and ε are not given."""
    raters = range(2, 31, 4) if question.quick else range(1, 31)
    curves = _curves(world, ["MAE"], [*raters], "raters", question)
    least = float(min((k for k in raters if curves.point("MAE", k, 1000)[0] < 0.05), default=31))
    step = raters.step - 1.0
    within = f", to within {step:g}" if step else ""
    why = f"least K with p < 0.05 at N = 1000 here{within}; the paper does not say for which data and ε"
    place = "ratings", "Text, sec. 8", world.row, "raters needed with 1000 items, MAE"
    return Cell(*place, 25.0, least, tolerance=step, expected=False, reason=why)


def _points(world: PaperWorld, curves: RatersCurves, raters: Sequence[int]) -> list[Cell]:
    """The points of figures 2 and 4."""
    sizes = [("Figure 2", "MAE", k, budget, "MAE", f"NK = {budget}") for budget in BUDGETS for k in raters]
    sizes += [("Figure 4", name, k, BUDGET, f"NK = {BUDGET}", name) for name in world.metrics for k in raters]
    cells, why = [], "a figure without printed values"
    for figure, metric, k, budget, fixed, line in sizes:
        at = FigurePoint(panel=f"{world.row}, {fixed}", line=line, axis="K", place=k)
        p, error = curves.point(metric, k, budget // k)
        cells.append(point("ratings", figure, at, "p, no printed value", p, error, why, "p"))
    return cells


def _classic(n_items: int, n_raters: int, null: bool, studies: int, seed: int) -> dict[str, float]:
    """Permutation, Welch and Wilcoxon on the items' |ā − ḡ| and |b̄ − ḡ| of the same test sets."""
    from scipy.stats import wilcoxon

    terms = Terms(generator(seed, "classic", n_items, n_raters, int(null)), resamples=PERMUTATIONS)
    study = _draw(studies, n_items, n_raters, null, terms.rng)
    match = score_systems(find_metric("mae"), study.raters, [study.a, study.b]).pair(0, 1)
    permutation, welch = (find_procedure(name) for name in ("permutation", "welch"))
    p = {
        "permutation": np.array([permutation.run(match.study(i), terms).p_value for i in range(studies)]),
        "welch": welch.run(match, terms).p_value,
        "wilcoxon": wilcoxon(without_noise(match.differences.ravel()).reshape(studies, -1), axis=-1).pvalue,
    }
    return {name: float(np.mean(values <= LEVEL)) for name, values in p.items()}


def _resampled(n_items: int, n_raters: int, null: bool, studies: int, seed: int) -> float:
    """p of each test set from its own items and answers, side chosen afterwards."""
    rng, population = generator(seed, "multistage", n_items, n_raters, int(null)), find_normal(POWER_WORLD)
    sets = draw_answers(population, (studies, n_items), n_raters, effect=POWER_EFFECT, null=null, rng=rng)
    z = [resampled_z(each, "bootstrap", "bootstrap", ["MAE"], draws=RESAMPLES, rng=rng)["MAE"] for each in sets.apart()]
    return float(np.mean(np.abs(z) >= -ndtri(LEVEL)))


def _simulated(n_items: int, n_raters: int, null: bool, studies: int, seed: int) -> float:
    """Γ beyond the upper 5 % of null worlds; the error rate is that of other null worlds."""
    rng, metric = generator(seed, "null known", n_items, n_raters, int(null)), find_metric("mae")

    def draw(n: int, in_null: bool) -> dict[str, Array]:
        study = _draw(n, n_items, n_raters, in_null or null, rng)
        return {"MAE": contest(metric, study.raters, study.a, study.b).mean(-1)}

    alternative, reference = two_worlds(draw, studies, 100)["MAE"]
    return float(np.mean(alternative > np.quantile(reference, 1 - LEVEL)))


def _draw(studies: int, n_items: int, n_raters: int, null: bool, rng: np.random.Generator) -> Draw:
    return find_preset(POWER_WORLD).population.draw(
        n_replicates=studies,
        n_items=n_items,
        n_raters=n_raters,
        answers="raters",
        effect=POWER_EFFECT,
        null=null,
        rng=rng,
    )


def _place(n_items: int, n_raters: int, test: str) -> FigurePoint:
    """Return where a test stands in figure 5, which varies the items at few raters and the raters at many items."""
    if n_raters in (5, 10):
        return FigurePoint(panel=f"K = {n_raters}", line=test, axis="N", place=n_items)
    return FigurePoint(panel=f"N = {n_items}", line=test, axis="K", place=n_raters)


def _rate_cell(at: FigurePoint, column: str, rate: float, studies: int) -> Cell:
    n = studies // (2 if at["line"] == RESAMPLED else 1)
    reason = "a figure without printed values" if column == "power" else "not in the paper"
    return point("ratings", "Figure 5", at, column, rate, rate_error(rate, n), reason)


def _most_powerful(row: str, test: str, rates: dict[bool, dict[str, float]], studies: int) -> Cell:
    """§6.1: the multistage bootstrap reaches 90 % before other tests; to Monte-Carlo error."""
    best = max(CLASSIC, key=lambda name: rates[False][name])
    power = rates[False][test]
    rates_of = "; ".join(
        f"{name}: power {rates[False][name]:.2f}, type-I error {rates[True][name]:.3f}" for name in (test, best)
    )
    holds = power + ERRORS * np.sqrt(power * (1 - power) / studies) >= rates[False][best]
    why = f"{rates_of}; which of the two readings the figure shows is open"
    column = "at least as powerful as permutation, Welch and Wilcoxon"
    place = "ratings", "Figure 5", f"{row}, {test}", column
    return claim(*place, holds=bool(holds), reason=why, expected=test == SIMULATED)
