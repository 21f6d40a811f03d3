"""Studies that are no mean over independent items: what follows from the standard error of the difference alone.

The difference is nearly normal with mean μ and standard error se, and a study estimates se with ν degrees of freedom.
``T = Γ / s`` is then noncentral t, so P(low > bound) = P(t_ν(δ) > q), δ = (μ − bound) / se, q the quantile of t_ν.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from quorate.inference.outcome import t_quantile
from quorate.planning.expansion import density
from quorate.planning.item_law import ItemLaw, Promise

__all__ = ["Law", "Pivot", "StudyLaw", "expected_spread", "passing", "spread_at"]

NORMAL = 1e5
"""Degrees of freedom from which t is as good as normal."""


@dataclass(frozen=True)
class Pivot:
    """A difference and how well a study of one size knows it.

    Parameters
    ----------
    mean, se, df
        Expected difference, its standard error, and the degrees of freedom with which a study estimates that.
    null_se
        Standard error in the null world; nan where none is defined.
    step
        Distance of the values the difference can take, 0 if they are dense: ties count as extreme.
    mean_error, se_error
        Monte-Carlo error of the mean, and relative error of the standard error.
    """

    mean: float
    se: float
    df: float
    null_se: float = float("nan")
    step: float = 0.0
    mean_error: float = 0.0
    se_error: float = 0.0


class StudyLaw(ABC):
    """What studies with one number of raters per item promise, as `ItemLaw` says it for independent items."""

    mean: float
    draws: int

    @abstractmethod
    def pivot(self, n_items: int) -> Pivot:
        """Return the difference and its standard error in a study of N items."""

    def promise(
        self, n_items: int, confidence: float, *, margin: float | None = None, rng: np.random.Generator
    ) -> Promise:
        """Return what N items promise."""
        at = self.pivot(n_items)
        power, worse, equivalent = self.chances(n_items, confidence, margin=margin, rng=rng)
        p, p_error = self.expected_p(n_items, confidence, rng=rng)
        error = _chance_error(at, power if margin is None else worse, confidence)
        return Promise(power, error, worse, equivalent, p, p_error, self.ci_width(n_items, confidence, rng=rng))

    def chances(
        self, n_items: int, confidence: float, *, margin: float | None = None, rng: np.random.Generator
    ) -> tuple[float, float, float]:
        """Return the chances of better, of no worse and of equivalent; the last two are nan without a margin."""
        at = self.pivot(n_items)
        power = passing(at, 0.0, confidence)
        if margin is None:
            return power, float("nan"), float("nan")
        worse, below = passing(at, -margin, confidence), passing(_mirrored(at), -margin, confidence)
        return power, worse, max(worse + below - 1.0, 0.0) - max(power + below - 1.0, 0.0)

    def ci_width(
        self, n_items: int, confidence: float, *, margin: float | None = None, rng: np.random.Generator
    ) -> float:
        """Return the expected width of the interval."""
        at = self.pivot(n_items)
        return 2 * float(t_quantile(at.df, confidence)) * at.se * expected_spread(at.df) if at.df > 0 else float("nan")

    def expected_p(
        self, n_items: int, confidence: float = 0.95, *, margin: float | None = None, rng: np.random.Generator
    ) -> tuple[float, float]:
        """Return P(null ≥ alternative) and its Monte-Carlo error; ties count as extreme [forest, alg. 2]."""
        from scipy.special import ndtr

        at = self.pivot(n_items)
        spread = float(np.hypot(at.se, at.null_se))
        if not spread > 0:
            return (float("nan"), float("nan")) if np.isnan(spread) else (float(at.mean <= 0), 0.0)
        z = (at.mean - at.step / 2) / spread
        of_spread = at.se_error * float(np.hypot(at.se**2, at.null_se**2)) / spread**2  # the worlds err apart
        return float(ndtr(-z)), density(z) * float(np.hypot(at.mean_error / spread, z * of_spread))

    def quantile_width(self, n_items: int, confidence: float, *, rng: np.random.Generator) -> float:
        """Return the width between the quantiles of the difference, the papers' interval [forest, alg. 3]."""
        from scipy.special import ndtri

        return 2 * float(ndtri(0.5 + confidence / 2)) * self.pivot(n_items).se


Law = ItemLaw | StudyLaw
"""What the search reads, by number of raters per item."""


def passing(at: Pivot, bound: float, confidence: float) -> float:
    """Return the chance that the lower end of the interval passes a bound.

    Examples
    --------
    >>> round(passing(Pivot(mean=2.8, se=1.0, df=1e9), 0.0, 0.95), 2)
    0.8
    >>> round(passing(Pivot(mean=2.8, se=1.0, df=5.0), 0.0, 0.95), 2)
    0.61
    """
    from scipy.special import nctdtr, ndtr

    if not at.df > 0:
        return 0.0
    if at.se == 0:
        return float(at.mean > bound)
    quantile, shift = float(t_quantile(at.df, confidence)), (at.mean - bound) / at.se
    if at.df > NORMAL or abs(shift) > 30:
        return float(ndtr((shift - quantile) / np.sqrt(1 + quantile**2 / (2 * at.df))))
    return float(np.clip(1.0 - nctdtr(at.df, shift, quantile), 0.0, 1.0))


def expected_spread(df: float) -> float:
    """Return E[s] / σ of an estimate with so many degrees of freedom, sqrt(2/ν) Γ((ν+1)/2) / Γ(ν/2).

    Examples
    --------
    >>> round(expected_spread(1.0), 4), round(expected_spread(1e6), 4)
    (0.7979, 1.0)
    """
    from scipy.special import gammaln

    return float(np.sqrt(2 / df) * np.exp(gammaln((df + 1) / 2) - gammaln(df / 2))) if df < NORMAL else 1.0


def spread_at(law: Law, n_items: int) -> tuple[float, float]:
    """Return the standard error of the difference at N items and its degrees of freedom.

    Examples
    --------
    >>> from quorate.planning.item_law import exact_law
    >>> spread_at(exact_law(np.array([-1.0, 1.0]), np.array([0.5, 0.5])), 25)
    (0.2, 24.0)
    """
    if isinstance(law, StudyLaw):
        at = law.pivot(n_items)
        return at.se, at.df
    return law.sd / float(np.sqrt(n_items)), n_items - 1.0


def _mirrored(at: Pivot) -> Pivot:
    return Pivot(-at.mean, at.se, at.df)


def _chance_error(at: Pivot, chance: float, confidence: float) -> float:
    """Monte-Carlo error of a chance, from those of the mean and of the standard error."""
    from scipy.special import ndtri

    if not at.df > 0 or at.se == 0:
        return 0.0
    z = float(ndtri(np.clip(chance, 1e-6, 1 - 1e-6)))
    reach = z + float(t_quantile(at.df, confidence))
    return float(density(z) * np.hypot(at.mean_error / at.se, reach * at.se_error))
