"""[ratings, fig. 5]: the power of four tests, and beside it how often they reject systems that are the same.

The multistage bootstrap can be read in two ways. Resampled: items and answers of one test set are resampled, as in
[leaderboard]; p is then read off the test set itself. Simulated: Γ of the test set is held against test sets drawn in a
known null world, as in [ratings, sec. 4.2]. Both are one-sided, the other tests two-sided.
"""

import numpy as np
from scipy.special import ndtri

from quorate._random import generator
from quorate._typing import Array
from quorate.inference.procedures import Terms, find_procedure
from quorate.inference.resampling import without_noise
from quorate.inference.scored_systems import score_systems
from quorate.metrics.contests import contest
from quorate.metrics.registry import find_metric
from quorate.populations.normal.population import NormalPopulation
from quorate.populations.population import Draw
from quorate.populations.preset import find_preset
from quorate.reproducing.answers import AnswerSets, draw_answers
from quorate.reproducing.cells import ERRORS, Cell, Run, claim
from quorate.reproducing.estimated_p import resampled_z
from quorate.reproducing.true_p import two_worlds

__all__ = ["DESIGNS", "QUICK_DESIGNS", "power_cells"]

WORLD, EFFECT, LEVEL = "toxicity-likert", 0.1, 0.05
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


def power_cells(n_items: int, n_raters: int, run: Run) -> list[Cell]:
    """Return power and type-I error of each test at one size, and the statements about them."""
    rates = {null: _rates(n_items, n_raters, null, run) for null in (False, True)}
    found = [
        _rate_cell(_point(n_items, n_raters, test), "type-I error" if null else "power", rate, run)
        for null, by_test in rates.items()
        for test, rate in by_test.items()
    ]
    row = f"N = {n_items}, K = {n_raters}"
    return [*found, *(_most_powerful(row, test, rates, run) for test in (SIMULATED, RESAMPLED))]


def _point(n_items: int, n_raters: int, test: str) -> str:
    """Name a point of the figure: what is fixed, the test, what varies."""
    items, raters = f"N = {n_items}", f"K = {n_raters}"
    fixed, varied = (raters, items) if n_raters in (5, 10) else (items, raters)
    return f"{fixed}, {test}, {varied}"


def _rates(n_items: int, n_raters: int, null: bool, run: Run) -> dict[str, float]:
    """How often each test rejects, where B is perturbed or where both systems share one law."""
    studies = _studies(run)
    return {
        **_classic(n_items, n_raters, null, studies, run),
        RESAMPLED: _resampled(n_items, n_raters, null, studies // 2, run),
        SIMULATED: _simulated(n_items, n_raters, null, 2 * studies, run),
    }


def _studies(run: Run) -> int:
    return run.draws(600, quick=200)


def _classic(n_items: int, n_raters: int, null: bool, studies: int, run: Run) -> dict[str, float]:
    """Permutation, Welch and Wilcoxon on the items' |ā − ḡ| and |b̄ − ḡ|, the same test sets for all."""
    from scipy.stats import wilcoxon

    ask = Terms(generator(run.seed, "classic", n_items, n_raters, int(null)), resamples=PERMUTATIONS)
    study = _draw(studies, n_items, n_raters, null, ask.rng)
    match = score_systems(find_metric("mae"), study.raters, [study.a, study.b]).pair(0, 1)
    permutation, welch = (find_procedure(name) for name in ("permutation", "welch"))
    p = {
        "permutation": np.array([permutation.run(match.study(i), ask).p_value for i in range(studies)]),
        "welch": welch.run(match, ask).p_value,
        "wilcoxon": wilcoxon(without_noise(match.differences.ravel()).reshape(studies, -1), axis=-1).pvalue,
    }
    return {name: float(np.mean(values <= LEVEL)) for name, values in p.items()}


def _resampled(n_items: int, n_raters: int, null: bool, studies: int, run: Run) -> float:
    """p of each test set from its own items and answers, side chosen afterwards."""
    rng = generator(run.seed, "multistage", n_items, n_raters, int(null))
    sets = draw_answers(_population(), (studies, n_items), n_raters, effect=EFFECT, null=null, rng=rng)
    z = [
        resampled_z(AnswerSets(*each), "bootstrap", "bootstrap", ["MAE"], draws=RESAMPLES, rng=rng)["MAE"]
        for each in zip(sets.raters, sets.a, sets.b, strict=True)
    ]
    return float(np.mean(np.abs(z) >= -ndtri(LEVEL)))


def _simulated(n_items: int, n_raters: int, null: bool, studies: int, run: Run) -> float:
    """Γ beyond the upper 5 % of null worlds; the error rate is that of other null worlds."""
    rng, metric = generator(run.seed, "null known", n_items, n_raters, int(null)), find_metric("mae")

    def draw(n: int, in_null: bool) -> dict[str, Array]:
        study = _draw(n, n_items, n_raters, in_null or null, rng)
        return {"MAE": contest(metric, study.raters, study.a, study.b).mean(-1)}

    alternative, reference = two_worlds(draw, studies, 100)["MAE"]
    return float(np.mean(alternative > np.quantile(reference, 1 - LEVEL)))


def _draw(studies: int, n_items: int, n_raters: int, null: bool, rng: np.random.Generator) -> Draw:
    return _population().draw(
        n_replicates=studies, n_items=n_items, n_raters=n_raters, answers="raters", effect=EFFECT, null=null, rng=rng
    )


def _population() -> NormalPopulation:
    population = find_preset(WORLD).population.normals
    assert population is not None
    return population


def _rate_cell(row: str, column: str, rate: float, run: Run) -> Cell:
    studies = _studies(run) // (2 if RESAMPLED in row else 1)
    error = float(np.sqrt(max(rate * (1 - rate), 1 / studies) / studies))
    reason = "a figure without printed values" if column == "power" else "not in the paper"
    return Cell("ratings", "Figure 5", row, column, None, rate, error, expected=False, reason=reason)


def _most_powerful(row: str, test: str, rates: dict[bool, dict[str, float]], run: Run) -> Cell:
    """§6.1: the multistage bootstrap reaches 90 % before the other tests; equal to Monte-Carlo error will do."""
    best = max(CLASSIC, key=lambda name: rates[False][name])
    power = rates[False][test]
    told = "; ".join(
        f"{name}: power {rates[False][name]:.2f}, type-I error {rates[True][name]:.3f}" for name in (test, best)
    )
    return claim(
        "ratings",
        "Figure 5",
        f"{row}, {test}",
        "at least as powerful as permutation, Welch and Wilcoxon",
        holds=power + ERRORS * np.sqrt(power * (1 - power) / _studies(run)) >= rates[False][best],
        reason=f"{told}; which of the two readings the figure shows is open",
        expected=test == SIMULATED,
    )
