"""The law of one item's difference d, and what follows for a study of N items: power, width and expected p.

Γ = mean of N independent d. Up to `FEW` items the law of Γ and of its t statistic is drawn from the item law itself;
beyond, three moments are enough. With μ, σ, γ, κ the mean, sd, skewness and excess kurtosis of d and t the quantile
of Student's t, the bound Γ − t s / √N is nearly normal with

    mean μ − t σ (1 − (κ + 2) / 8N) / √N     and     variance σ² (1 − t γ / √N + t² (κ + 2) / 4N) / N,

which gives the power; E[p] = Φ(−N μ + h/2) / sqrt(N (σ² + σ₀²))) with σ₀ the sd in the null world and h the step of the
lattice d lives on, so that ties count as extreme [forest, alg. 2]; see docs/methods/planning.md for the derivation.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from quorate._typing import Array
from quorate.inference.outcome import t_quantile

__all__ = ["FEW", "ItemLaw", "Promise", "exact_law", "sampled_law"]

FEW = 64
"""Items up to which studies are drawn from the item law; beyond, moments are enough (error of power below 0.003)."""
STUDIES = 40_000
"""Studies drawn at few items: the Monte-Carlo error of power is then at most 0.0025."""


@dataclass(frozen=True)
class Promise:
    """What a study of one size promises; `error` fields are Monte-Carlo standard errors."""

    power: float
    power_error: float
    worse: float
    equivalent: float
    expected_p: float
    expected_p_error: float
    ci_width: float


@dataclass(frozen=True)
class ItemLaw:
    """The law of one item's difference in the world with a difference and in the null world.

    Parameters
    ----------
    values, weights
        Distinct differences and their probabilities, ``(value,)``; simulated draws have equal weights.
    null_values, null_weights
        The same in the null world, or None where no null world is defined.
    mean_error
        Monte-Carlo standard error of the mean; 0 for an exact law.

    Examples
    --------
    >>> law = exact_law(np.array([-1.0, 0.0, 1.0]), np.array([0.1, 0.7, 0.2]))
    >>> round(law.mean, 3), round(law.sd, 3), law.span
    (0.1, 0.539, 1.0)
    """

    values: Array
    weights: Array
    null_values: Array | None = None
    null_weights: Array | None = None
    mean_error: float = 0.0

    @cached_property
    def mean(self) -> float:
        """Mean difference μ."""
        return float(self.values @ self.weights)

    @cached_property
    def sd(self) -> float:
        """Standard deviation σ of one item's difference."""
        return float(np.sqrt(max(self._central(2), 0.0)))

    @cached_property
    def null_sd(self) -> float:
        """Standard deviation in the null world, whose mean is 0."""
        if self.null_values is None or self.null_weights is None:
            return float("nan")
        return float(np.sqrt(self.null_values**2 @ self.null_weights))

    @cached_property
    def skewness(self) -> float:
        """Skewness γ."""
        return self._central(3) / self.sd**3 if self.sd > 0 else 0.0

    @cached_property
    def kurtosis(self) -> float:
        """Excess kurtosis κ."""
        return self._central(4) / self.sd**4 - 3.0 if self.sd > 0 else 0.0

    @cached_property
    def span(self) -> float:
        """Step h of the lattice the differences live on; 0 if there is none."""
        distinct = np.unique(np.round(np.abs(self.values), 12))
        distinct = distinct[distinct > 0]
        if len(distinct) == 0 or len(distinct) > 500:
            return 0.0
        step = float(distinct[0])
        for value in distinct[1:]:  # Euclid's algorithm on numbers known to about 1e-9
            step = _common_step(step, float(value))
        return step if step > 1e-6 else 0.0

    def _central(self, power: int) -> float:
        return float((self.values - self.mean) ** power @ self.weights)

    def promise(
        self, n_items: int, confidence: float, *, margin: float | None = None, rng: np.random.Generator
    ) -> Promise:
        """Return what N items promise: power, width, expected p, each with its error.

        `power` is the chance of the verdict a better; with a margin `worse` is that of not worse or better, and
        `equivalent` that of equivalence.
        """
        if n_items < 2 or self.sd == 0:
            return self._degenerate(n_items)
        low = high = width = None
        if n_items <= FEW:
            low, high, width = self._drawn(n_items, confidence, rng)
        power = self._chance_above(n_items, confidence, 0.0, low)
        worse = equivalent = float("nan")
        if margin is not None:
            worse = self._chance_above(n_items, confidence, -margin, low)
            below = self._chance_below(n_items, confidence, margin, high)
            equivalent = max(worse + below - 1.0, 0.0)
            if low is not None and high is not None:
                equivalent = float(((low > -margin) & (high < margin)).mean())
        p, p_error = self._expected_p(n_items, rng)
        slope = _density((self.mean / self.sd) * np.sqrt(n_items) - 1.96) * np.sqrt(n_items) / self.sd
        sampling = np.sqrt(power * (1 - power) / STUDIES) if low is not None else 0.0
        return Promise(
            power=power,
            power_error=float(np.hypot(sampling, slope * self.mean_error)),
            worse=worse,
            equivalent=equivalent,
            expected_p=p,
            expected_p_error=p_error,
            ci_width=float(np.mean(width)) if width is not None else self._width(n_items, confidence),
        )

    def _degenerate(self, n_items: int) -> Promise:
        """One item has no spread: no verdict. Equal differences: the sign test decides, p = 2^(1 − N)."""
        certain = self.sd == 0 and self.mean > 0 and 2.0 ** (1 - n_items) <= 0.05
        p = 0.0 if self.sd == 0 and self.mean > 0 else float("nan")
        return Promise(float(certain), 0.0, float(certain), 0.0, p, 0.0, float("nan"))

    def _drawn(self, n_items: int, confidence: float, rng: np.random.Generator) -> tuple[Array, Array, Array]:
        """Interval ends and widths of studies drawn from the item law."""
        d = _draw(self.values, self.weights, n_items, rng)
        mean, s = d.mean(-1), d.std(-1, ddof=1)
        half = t_quantile(n_items - 1.0, confidence) * s / np.sqrt(n_items)
        constant = s <= 1e-12 * np.abs(mean) + 1e-15  # the sign test: an interval only if p ≤ level
        certain = constant & (2.0 ** (1 - n_items) <= 1 - confidence)
        half = np.where(constant & ~certain, np.inf, half)
        return mean - half, mean + half, np.where(constant, np.nan, 2 * half)[np.isfinite(half)]

    def _chance_above(self, n_items: int, confidence: float, bound: float, low: Array | None) -> float:
        if low is not None:
            return float((low > bound).mean())
        return self._normal_bound(n_items, confidence, self.mean - bound, self.skewness)

    def _chance_below(self, n_items: int, confidence: float, bound: float, high: Array | None) -> float:
        if high is not None:
            return float((high < bound).mean())
        return self._normal_bound(n_items, confidence, bound - self.mean, -self.skewness)

    def _normal_bound(self, n_items: int, confidence: float, distance: float, skewness: float) -> float:
        from scipy.special import ndtr

        n, t, bend = float(n_items), float(t_quantile(n_items - 1.0, confidence)), self.kurtosis + 2.0
        mean = distance - t * self.sd * (1 - bend / (8 * n)) / np.sqrt(n)
        variance = self.sd**2 / n * max(1 - t * skewness / np.sqrt(n) + t**2 * bend / (4 * n), 0.05)
        return float(ndtr(mean / np.sqrt(variance)))

    def _expected_p(self, n_items: int, rng: np.random.Generator) -> tuple[float, float]:
        from scipy.special import ndtr

        if self.null_values is None or self.null_weights is None:
            return float("nan"), float("nan")
        if n_items <= FEW:
            alternative = _draw(self.values, self.weights, n_items, rng).mean(-1)
            null = _draw(self.null_values, self.null_weights, n_items, rng).mean(-1)
            null.sort()
            share = 1.0 - np.searchsorted(null, alternative - 1e-9, side="left") / len(null)
            error = float(np.hypot(share.std() / np.sqrt(STUDIES), np.sqrt(share.mean() / STUDIES / 4)))
            return float(share.mean()), error
        spread = np.sqrt(n_items * (self.sd**2 + self.null_sd**2))
        z = (-n_items * self.mean + self.span / 2) / spread
        return float(ndtr(z)), float(_density(z) * n_items * self.mean_error / spread)

    def _width(self, n_items: int, confidence: float) -> float:
        """E[2 t s / √N], with E[s] = σ (1 − (κ + 2) / 8N)."""
        shrink = 1 - (self.kurtosis + 2.0) / (8 * n_items)
        return float(2 * t_quantile(n_items - 1.0, confidence) * self.sd * max(shrink, 0.5) / np.sqrt(n_items))

    def quantile_width(self, n_items: int, confidence: float, *, rng: np.random.Generator) -> float:
        """Return the width between the quantiles of Γ, the papers' interval [forest, alg. 3]."""
        from scipy.special import ndtri

        if n_items <= FEW:
            means = _draw(self.values, self.weights, n_items, rng).mean(-1)
            low, high = np.quantile(means, [0.5 - confidence / 2, 0.5 + confidence / 2])
            return float(high - low)
        return float(2 * ndtri(0.5 + confidence / 2) * self.sd / np.sqrt(n_items))


def exact_law(
    values: Array, weights: Array, null_values: Array | None = None, null_weights: Array | None = None
) -> ItemLaw:
    """Return the law with these probabilities, equal values merged."""
    values, weights = _merged(values, weights)
    if null_values is not None and null_weights is not None:
        null_values, null_weights = _merged(null_values, null_weights)
    return ItemLaw(values, weights, null_values, null_weights)


def sampled_law(
    draws: Array, null: Array | None = None, *, mean: float | None = None, mean_error: float | None = None
) -> ItemLaw:
    """Return the law of simulated differences, ``(item,)``.

    A mean known better than from the draws is met by tilting their weights, w ∝ 1 + (μ − mean) (d − mean) / variance:
    the values stay where they are, so ties stay ties.
    """
    error = float(draws.std() / np.sqrt(len(draws))) if mean_error is None else mean_error
    values, times = np.unique(np.round(draws, 12), return_counts=True)
    weights = times / len(draws)
    if mean is not None and len(values) > 1:
        centred = values - values @ weights
        weights = weights * np.maximum(1 + (mean - values @ weights) * centred / (centred**2 @ weights), 0.0)
        weights = weights / weights.sum()
    null_values = null_times = None
    if null is not None:
        null_values, counted = np.unique(np.round(null, 12), return_counts=True)
        null_times = counted / len(null)
    return ItemLaw(values, weights, null_values, null_times, error)


def _draw(values: Array, weights: Array, n_items: int, rng: np.random.Generator) -> Array:
    """Draw studies of N items, ``(study, item)``."""
    cumulative = np.cumsum(weights)
    places = np.searchsorted(cumulative, rng.random((STUDIES, n_items)) * cumulative[-1], side="right")
    return np.asarray(values[np.minimum(places, len(values) - 1)])


def _merged(values: Array, weights: Array) -> tuple[Array, Array]:
    distinct, place = np.unique(np.round(values, 12), return_inverse=True)
    return distinct, np.bincount(place.reshape(-1), weights=weights.reshape(-1))


def _common_step(a: float, b: float) -> float:
    while b > 1e-7 * max(a, 1.0):
        a, b = b, a % b
        if a - b < 1e-7 * max(a, 1.0):  # a remainder of nearly the whole step is none
            b = 0.0
    return a


def _density(z: float) -> float:
    return float(np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi))
