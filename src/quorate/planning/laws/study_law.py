"""The laws of studies that are no mean over independent items: what follows from a difference and its standard error.

Of such a study only the spread of the difference counts, and how well a study knows it: the
difference Γ is nearly normal with mean μ and standard error se. What a study finds for its parts –
items, raters – takes equally likely values on a grid of quantiles of χ²; the test of `compare`
needs the distance h(parts) at which its p-value is the level, so P(low > bound) = mean of
Φ((μ − bound − h) / se). Where items are lopsided, Γ and the spread that a study finds go together,
as in `passing_chance`.
"""

from abc import abstractmethod
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from quorate._typing import Array
from quorate.inference.uncertain_variance import UncertainVariance
from quorate.planning.laws.item_law import Law
from quorate.planning.promises.closed_forms import chance_error, edgeworth, equivalence, normal_p
from quorate.planning.promises.small_studies import StudyDraws

SECANTS, CLOSE = 10, 1e-12
"""Most steps of the secant method, and when it stops: two or three will do, more where two or three raters decide."""
LEAST_SPREAD = 0.05
"""What of a variance is left at least, however lopsided items are."""


@dataclass(frozen=True, eq=False)
class ExpectedPivot:
    """A difference and how well a study of one size knows it.

    Parameters
    ----------
    mean, se
        Expected difference and its standard error.
    variance
        Variances that studies find, equally likely, and how well each part is known, ``(case,)``;
        None where a study finds none.
    null_se
        Standard error in the null world; nan where none is defined.
    step
        Distance of the values the difference can take, 0 if they are dense: ties count as extreme.
    mean_error, se_error
        Monte-Carlo error of the mean, and relative error of the standard error.
    skewness, kurtosis
        Skewness and excess kurtosis of the difference.
    """

    mean: float
    se: float
    variance: UncertainVariance | None = None
    null_se: float = float("nan")
    step: float = 0.0
    mean_error: float = 0.0
    se_error: float = 0.0
    skewness: float = 0.0
    kurtosis: float = 0.0

    @property
    def tested(self) -> bool:
        """Whether a study of this size has a verdict at all."""
        return self.variance is not None


class StudyLaw(Law):
    """The law of studies in which items share raters, told by a pivot."""

    raters_return = True

    @abstractmethod
    def pivot(self, n_items: int) -> ExpectedPivot:
        """Return the difference and its standard error in a study of N items."""

    def chances(
        self, n_items: int, confidence: float, *, margin: float | None = None, studies: StudyDraws
    ) -> tuple[float, float, float]:
        """Return the chances of better, of no worse and of equivalent; the last two are nan without a margin."""
        at = pivot_of(self, n_items)
        power = passing(at, 0.0, confidence)
        if margin is None:
            return power, float("nan"), float("nan")
        worse, below = (passing(at, -margin, confidence, sign) for sign in (1.0, -1.0))
        return power, worse, equivalence(power, worse, below)

    def chance_error(
        self, n_items: int, confidence: float, margin: float | None, chance: float, studies: StudyDraws
    ) -> float:
        """Return the Monte-Carlo error from those of the mean and of the standard error."""
        at = pivot_of(self, n_items)
        if not at.tested or at.se == 0:
            return 0.0
        t = float(half_widths(at, confidence).mean()) / at.se
        return chance_error(chance, t, at.mean_error / at.se, at.se_error)

    def ci_width(self, n_items: int, confidence: float, *, margin: float | None = None, studies: StudyDraws) -> float:
        """Return the expected width of the interval."""
        at = pivot_of(self, n_items)
        return float(2 * half_widths(at, confidence).mean()) if at.tested else float("nan")

    def expected_p(
        self, n_items: int, confidence: float = 0.95, *, margin: float | None = None, studies: StudyDraws
    ) -> tuple[float, float]:
        """Return P(null ≥ alternative) and its Monte-Carlo error; ties count as extreme [forest, alg. 2]."""
        at = pivot_of(self, n_items)
        spread = float(np.hypot(at.se, at.null_se))
        if not spread > 0:
            return (float("nan"), float("nan")) if np.isnan(spread) else (float(at.mean <= 0), 0.0)
        z = (at.mean - at.step / 2) / spread
        of_spread = at.se_error * float(np.hypot(at.se**2, at.null_se**2)) / spread**2  # the worlds err apart
        p, error = normal_p(z, at.mean_error / spread, of_spread)
        return float(p), float(error)

    def quantile_width(self, n_items: int, confidence: float, *, studies: StudyDraws) -> float:
        """Return the width between the quantiles of the difference, the papers' interval [forest, alg. 3]."""
        from scipy.special import ndtri

        return 2 * float(ndtri(0.5 + confidence / 2)) * self.pivot(n_items).se

    def smallest_seen(self, n_items: int, confidence: float, power: float) -> float:
        """Return the smallest difference that N items see with so much power; nan where a study has no verdict."""
        at = pivot_of(self, n_items)
        if n_items < 2 or not at.tested:
            return float("nan")
        half, se = half_widths(at, confidence), max(at.se, 1e-300)
        low, high = 0.0, float(half.max() + 5 * at.se)
        for _ in range(40):  # importing a root finder would take longer than the whole plan
            middle = (low + high) / 2
            seen = chance_beyond(middle, half, se, at.skewness, at.kurtosis).mean() >= power
            low, high = (low, middle) if seen else (middle, high)
        return high

    def lost_chance(self, n_items: int, confidence: float, margin: float) -> float:
        """Return the chance of the verdict that B is better."""
        at = pivot_of(self, n_items)
        return 0.0 if n_items < 2 else passing(at, margin, confidence, -1.0)

    def standard_error(self, n_items: int) -> float:
        """Return the standard error of the difference in a study of N items."""
        return self.pivot(n_items).se

    def items_at(self, standard_error: float, most: int) -> float:
        """Return the fewest items, at most so many, with a standard error no larger than this."""
        return 1 + bisect_left(range(1, most), True, key=lambda n: self.standard_error(n) <= standard_error)


@lru_cache(maxsize=1024)
def pivot_of(law: StudyLaw, n_items: int) -> ExpectedPivot:
    """Return a law's pivot, kept with what was worked out from it."""
    return law.pivot(n_items)


def passing(at: ExpectedPivot, bound: float, confidence: float, sign: float = 1.0) -> float:
    """Return the chance that the lower end of the interval of the difference, or of its negative, passes a bound."""
    if not at.tested:
        return 0.0
    if at.se == 0:
        return float(sign * at.mean > bound)
    half, distance = half_widths(at, confidence), sign * at.mean - bound
    return float(chance_beyond(distance, half, at.se, sign * at.skewness, at.kurtosis).mean())


def chance_beyond(
    distance: float, half: Array, se: Array | float, skewness: Array | float, kurtosis: Array | float
) -> Array:
    """Return the chance that a difference, so far above a bound on average, lies half an interval above it, ``(...)``.

    With skewness γ and excess kurtosis κ of the difference, ``Var(Γ − h) = se² (1 − t γ + t² κ / 4)``, t = h / se;
    that h varies even where γ and κ are 0 is in its cases.
    """
    t = half / se
    spread = np.sqrt(np.maximum(1 - t * skewness + t**2 * kurtosis / 4, LEAST_SPREAD))
    return edgeworth((distance - half) / (se * spread), skewness)


@lru_cache(maxsize=1024)
def half_widths(at: ExpectedPivot, confidence: float) -> Array:
    """Return half the width of the intervals that studies find, ``(case,)``."""
    assert at.variance is not None
    return critical_distances(at.variance, confidence)


def critical_distances(variance: UncertainVariance, confidence: float) -> Array:
    """Return how far from 0 a difference must lie for its p-value to be the level, ``(...)``, by the secant method."""
    from scipy.special import ndtri

    goal, tail = -float(ndtri((1 - confidence) / 2)), variance.tails()

    def height(distance: Array) -> Array:
        return np.asarray(goal + ndtri(np.maximum(tail(distance), np.finfo(float).tiny) / 2))

    near = np.maximum(goal * np.sqrt(variance.total), 1e-300)
    above = height(near)
    far = np.clip(near * goal / np.maximum(goal - above, 1e-9), near, 4.0 * near)  # as if z rose straight from 0
    for _ in range(SECANTS):
        if (np.abs(far - near) <= CLOSE * far).all():
            break
        below = height(far)
        slope = np.where(below == above, -1e300, (below - above) / np.where(far == near, 1.0, far - near))
        near, above, far = far, below, np.clip(far - below / slope, 0.5 * far, 4.0 * far)
    return far


@lru_cache(maxsize=512)
def chi_squares(df: float, cases: int) -> Array:
    """Return χ²_ν / ν at the middles of equally likely classes, ``(case,)``: what s² / σ² may turn out to be."""
    from scipy.special import gammaincinv

    middles = (np.arange(cases) + 0.5) / cases
    return np.asarray(gammaincinv(df / 2, middles) * 2 / df)
