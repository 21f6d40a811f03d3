"""Test sets of single answers, as in [leaderboard]: drawn, scored by its metrics, and its two p-values.

The answers keep the order they were given in, which flattened metrics and resampling need.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from quorate._typing import Array
from quorate.data.summaries import Means
from quorate.inference.outcome import expected_p
from quorate.inference.published import taken
from quorate.inference.uncertain_variance import t_quantile
from quorate.metrics.contests import contest
from quorate.metrics.registry import find_metric
from quorate.populations.choice import find_preset
from quorate.populations.normal import NormalPopulation, draw_single, thresholds

METRICS = (
    "MAE",
    "Wins(MAE)",
    "Wins(MAE) (vectorized)",
    "MSE",
    "Spearman Rho",
    "EMD Agg",
    "EMD Agg (vectorized)",
    "Mean Agg",
    "COS (vectorized)",
)
"""As [leaderboard, tables 5-14] name them, in their order."""
BINS, ITEM_BINS = 100, 5
"""Bins of the histogram of a whole test set, and of one item's answers."""
CENTRAL = 0.999
"""Share of our test sets a printed estimate must fall among."""


@dataclass(frozen=True)
class AnswerSets:
    """The answers of the raters, of A and of B, each ``(..., item, answer)``."""

    raters: Array
    a: Array
    b: Array

    def apart(self) -> list["AnswerSets"]:
        """Return the sets along the first axis, one by one."""
        return [AnswerSets(*each) for each in zip(self.raters, self.a, self.b, strict=True)]

    def means(self) -> "AnswerSets":
        """Return the mean answers to each item, ``(..., item)``."""
        return AnswerSets(*(x.mean(-1) for x in (self.raters, self.a, self.b)))


@dataclass(frozen=True)
class TrueP:
    """A p-value, its Monte-Carlo error, and the error it would have with one draw in each world."""

    p: float
    error: float
    spread: float

    def error_of(self, draws: int) -> float:
        """Return the Monte-Carlo error with this many draws."""
        return float(self.spread / np.sqrt(draws))


@dataclass(frozen=True)
class EstimatedP:
    """The law of p over test sets: its median, the error of that, and the central range."""

    median: float
    error: float
    low: float
    high: float


def find_normal(name: str) -> NormalPopulation:
    """Return a preset whose answers are normal."""
    population = find_preset(name).population.normals
    assert population is not None
    return population


def draw_answers(
    population: NormalPopulation,
    shape: tuple[int, ...],
    n_answers: int,
    *,
    effect: float,
    null: bool = False,
    rng: np.random.Generator,
) -> AnswerSets:
    """Draw test sets with as many answers of each system as there are raters [leaderboard, alg. 3].

    `shape` has the item last. With `null` both systems answer from one law: per answer, A's or B's
    mean with probability ½.
    """
    items = population.item_normals(shape, effect=effect, rng=rng)
    of_a, of_b = ((items.a, items.b),) * 2 if null else ((items.a, items.a), (items.b, items.b))
    systems = ((items.raters, items.raters), of_a, of_b)
    return AnswerSets(*(_answers(population, centres, items.sd, n_answers, rng) for centres in systems))


def two_worlds(draw: Callable[[int, bool], dict[str, Array]], draws: int, batch: int) -> dict[str, tuple[Array, Array]]:
    """Collect draws of every statistic in the alternative and the null world, some test sets at a time.

    `draw` takes how many, and whether the world is the null one, to statistics by name, ``(test
    set,)``.
    """
    worlds = []
    for null in (False, True):
        batches = [draw(min(batch, draws - start), null) for start in range(0, draws, batch)]
        worlds.append({name: np.concatenate([part[name] for part in batches]) for name in batches[0]})
    alternative, null_world = worlds
    return {name: (values, null_world[name]) for name, values in alternative.items()}


def _answers(
    population: NormalPopulation, centres: tuple[Array, Array], sd: Array, n: int, rng: np.random.Generator
) -> Array:
    values = draw_single(centres, sd, n, rng=rng)
    if population.levels is None:
        return values
    levels = np.array(population.levels)
    cut: Array = levels[np.searchsorted(thresholds(levels, population.cut), values, side="right")]
    return cut


def contests(sets: AnswerSets, metrics: Collection[str] = METRICS) -> dict[str, Array]:
    """Return A against B by each metric of the tables, ``(...)``, positive where A is better.

    Flattened ("vectorized"): answer j of a system is held against answer j of the raters, though
    neither has an order; cosine ``a·g / (|a| |g|)``, wins ``mean sign(|b_ij − g_ij| − |a_ij −
    g_ij|)``. EMD: the text asks for the earth mover's distance of answers; the printed p-values are
    those of the distance between the *counts* of two histograms on [0, 1], taken as if counts were
    answers, ``mean_m |c_(m) − c'_(m)|`` with both sorted, which forgets where the bins lie.
    Deviates: bins are not printed; 100 and 5 reproduce the tables.
    """
    means = sets.means()
    flat = AnswerSets(*(x.reshape(*x.shape[:-2], -1) for x in (sets.raters, sets.a, sets.b)))
    of: dict[str, Callable[[], Array]] = {
        "MAE": lambda: contest_of_means("mae", means),
        "Wins(MAE)": lambda: contest_of_means("wins:mae", means),
        "Wins(MAE) (vectorized)": lambda: wins_of_answers(flat),
        "MSE": lambda: contest_of_means("mse", means),
        "Spearman Rho": lambda: contest_of_means("spearman", means),
        "EMD Agg": lambda: _closer_by_counts(means, BINS),
        "EMD Agg (vectorized)": lambda: _closer_by_counts(flat, BINS),
        "Mean Agg": lambda: np.asarray(_closer_by_counts(sets, ITEM_BINS).mean(-1)),
        "COS (vectorized)": lambda: cosine_of_answers(flat.raters, flat.a) - cosine_of_answers(flat.raters, flat.b),
    }
    return {name: of[name]() for name in metrics}


def wins_of_answers(flat: AnswerSets) -> Array:
    """Return the share of answers on which A is closer minus the share on which B is, ``(...)``."""
    gap = np.abs(flat.b - flat.raters) - np.abs(flat.a - flat.raters)
    return np.asarray(np.where(np.abs(gap) < 1e-12, 0.0, np.sign(gap)).mean(-1))


def cosine_of_answers(raters: Array, system: Array) -> Array:
    """Return the cosine between two vectors of answers, ``(...)``."""
    product, size_g, size_s = (
        np.einsum("...i,...i->...", x, y) for x, y in ((raters, system), (raters, raters), (system, system))
    )
    return np.asarray(product / np.sqrt(size_g * size_s))


def histogram(values: Array, bins: int) -> Array:
    """Count values in equal bins of [0, 1], ``(..., bin)``; what lies outside is dropped."""
    inside = (values >= 0.0) & (values <= 1.0)
    # Levels such as 0.6 lie on an edge and belong above it, whatever their last bit.
    place = np.minimum(np.floor(np.where(inside, values, 0.0) * bins + 1e-9), bins - 1).astype(np.intp)
    rows = int(np.prod(values.shape[:-1]))
    shifted = np.where(inside, place, bins).reshape(rows, -1) + (bins + 1) * np.arange(rows)[:, None]
    counts = np.bincount(shifted.ravel(), minlength=rows * (bins + 1))
    return counts.reshape(*values.shape[:-1], bins + 1)[..., :-1]


def counts_distance(first: Array, second: Array) -> Array:
    """Return the earth mover's distance between two sets of counts taken for answers, ``(...)``."""
    return np.asarray(np.abs(np.sort(first, axis=-1) - np.sort(second, axis=-1)).mean(-1))


def contest_of_means(name: str, means: AnswerSets) -> Array:
    """Return A against B by a metric of item means, ``(...)``."""
    metric, one = find_metric(name), np.ones(means.a.shape, dtype=np.int64)
    raters, a, b = (Means(x, one) for x in (means.raters, means.a, means.b))
    differences = contest(metric, raters, a, b)
    return differences if metric.level == "set" else np.asarray(differences.mean(-1))


def _closer_by_counts(values: AnswerSets, bins: int) -> Array:
    """How much closer A's counts are to the raters' than B's."""
    raters, a, b = (histogram(x, bins) for x in (values.raters, values.a, values.b))
    return counts_distance(raters, b) - counts_distance(raters, a)


def true_p(alternative: Array, null: Array) -> TrueP:
    """Return ``p = mean over alternative draws of the share of null draws at least as large`` [alg. 2].

    It is taken on the side of the medians. With M draws in each world its variance is (V_alt +
    V_null) / M, V the variances of the two shares it is a mean of.
    """
    side = 1.0 if np.median(alternative) >= np.median(null) else -1.0
    x, y = side * alternative, side * null
    tie = 1e-9 * max(np.abs(x).max(), np.abs(y).max())
    at_least = 1.0 - np.searchsorted(np.sort(y), x - tie) / len(y)
    at_most = np.searchsorted(np.sort(x), y + tie, side="right") / len(x)
    spread = float(np.sqrt(at_least.var() + at_most.var()))
    return TrueP(float(expected_p(alternative, null)), spread / len(x) ** 0.5, spread)


def estimated_p(z: Array, printed_error: float = 0.0) -> EstimatedP:
    """Return the law of p from the z of many test sets, among which a printed p can be placed.

    Over test sets z is close to normal; a printed p falls inside when ``|Φ⁻¹(p)|`` lies within the
    central 99.9 % of the law of a further z (Student's t, mean and spread being estimated), in
    either direction: the side is chosen afterwards. Near ½ a printed p may exceed ½ by 5 of its
    Monte-Carlo errors.
    """
    n, centre, sd = len(z), abs(float(z.mean())), float(z.std(ddof=1))
    reach = float(t_quantile(n - 1.0, CENTRAL)) * sd * np.sqrt(1 + 1 / n)
    nearest = centre - reach
    high = float(ndtr(-nearest)) if nearest > 0 else 0.5 + 5 * printed_error
    density = np.exp(-(centre**2) / 2) / np.sqrt(2 * np.pi)
    return EstimatedP(float(ndtr(-centre)), float(density * sd / np.sqrt(n)), float(ndtr(-centre - reach)), high)


def resampled_z(
    sets: AnswerSets, items: str, answers: str, metrics: Collection[str], *, draws: int, rng: np.random.Generator
) -> dict[str, float]:
    """Return z of one test set by each metric, for one way to resample it: ``published:ITEMS:ANSWERS``.

    Γ is resampled in both worlds; being a mean over items it is close to normal, so ``p = Φ(−z)``,
    ``z = (mean Γ_alt − mean Γ_null) / sqrt(var Γ_alt + var Γ_null)``, from far fewer resamples than
    counting needs.
    """
    n = len(sets.a)
    item = rng.integers(0, n, (draws, n)) if items == "bootstrap" else np.broadcast_to(np.arange(n), (draws, n))
    raters = taken(sets.raters, item, answers, rng)
    a, b = (taken(system, item, answers, rng) for system in (sets.a, sets.b))
    alternative = contests(AnswerSets(raters, a, b), metrics)
    null = {name: np.zeros(1) for name in metrics}  # all or the first of pooled answers: both systems get the same
    if answers in ("one", "bootstrap"):
        pool = np.concatenate([sets.a, sets.b], axis=1)
        systems = (taken(pool, item, answers, rng, size=sets.a.shape[1]) for _ in range(2))
        null = contests(AnswerSets(raters, *systems), metrics)
    return {name: _z(alternative[name], null[name]) for name in metrics}


def _z(alternative: Array, null: Array) -> float:
    spread = np.sqrt(alternative.var(ddof=1) + (null.var(ddof=1) if len(null) > 1 else 0.0))
    return float((alternative.mean() - null.mean()) / max(spread, 1e-12))
