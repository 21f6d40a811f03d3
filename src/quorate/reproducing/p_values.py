"""The two p-values of [leaderboard]: the true one of a population, and the one a procedure estimates from a test set.

True [alg. 2]: ``p = mean over alternative draws of the share of null draws at least as large``, on the side of the
medians. With M draws in each world its variance is (V_alt + V_null) / M, V the variances of the two shares it is a mean
of.

Estimated: a printed estimate comes from one random test set, so what can be compared is its place in the law of ours.
For one test set Γ is resampled in both worlds; being a mean over items it is close to normal, so ``p = Φ(−z)``,
``z = (mean Γ_alt − mean Γ_null) / sqrt(var Γ_alt + var Γ_null)``, from far fewer resamples than counting needs. Over
test sets z is close to normal too; a printed p falls inside when ``|Φ⁻¹(p)|`` lies within the central 99.9 % of the law
of a further z (Student's t, mean and spread being estimated), in either direction: the side is chosen afterwards.
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from quorate._typing import Array
from quorate.inference.outcome import expected_p, t_quantile
from quorate.inference.published import taken
from quorate.reproducing.answer_sets import AnswerSets
from quorate.reproducing.published_metrics import contests

__all__ = ["CENTRAL", "EstimatedP", "TrueP", "estimated_p", "resampled_z", "true_p"]

CENTRAL = 0.999
"""Share of our test sets a printed estimate must fall among."""


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


def true_p(alternative: Array, null: Array) -> TrueP:
    """Return p and its Monte-Carlo error from as many draws in each world."""
    side = 1.0 if np.median(alternative) >= np.median(null) else -1.0
    x, y = side * alternative, side * null
    tie = 1e-9 * max(np.abs(x).max(), np.abs(y).max())
    at_least = 1.0 - np.searchsorted(np.sort(y), x - tie) / len(y)
    at_most = np.searchsorted(np.sort(x), y + tie, side="right") / len(x)
    spread = float(np.sqrt(at_least.var() + at_most.var()))
    return TrueP(float(expected_p(alternative, null)), spread / len(x) ** 0.5, spread)


def estimated_p(z: Array, printed_error: float = 0.0) -> EstimatedP:
    """Return the law of p from the z of many test sets.

    Parameters
    ----------
    z
        One per test set.
    printed_error
        Monte-Carlo error of a printed p near ½: it may exceed ½ by 5 of them.
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
    """Return z of one test set by each metric, for one way to resample it.

    Parameters
    ----------
    sets
        One test set, answers ``(item, answer)``.
    items, answers
        As in ``published:ITEMS:ANSWERS``.
    metrics
        Names out of `published_metrics.METRICS`.
    draws
        Resamples in each world.
    rng
        Randomness.
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
