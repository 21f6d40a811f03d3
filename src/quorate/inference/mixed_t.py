"""Student's t where the variance is a sum of parts, each known from few draws: raters, items, clusters, runs.

An estimate has the variance ``V = V_1 + V_2 + …``, part c estimated on ν_c degrees of freedom. Given the data, the true
part is ``V_c ν_c / χ²_ν_c``, so the error over its standard error is a mixture of normal laws, and

    p = E[2 Φ(−|T| sqrt(V / V*))],    V* = Σ_c V_c ν_c / χ²_ν_c,

the solution of Behrens and Fisher [fisher1935]. Degrees of freedom are those of the design: unlike Satterthwaite's they
do not grow when a part is small by chance, so the level holds at 1 % as at 5 %. One part alone is Student's t.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from quorate._typing import Array

NODES = 32
"""Values at which the part of few degrees of freedom is looked at; their weights make smooth integrals exact."""
MANY = 8
"""The same for a part of many degrees of freedom."""
STEPS = 60


@dataclass(frozen=True)
class MixedT:
    """The law of an error over its standard error.

    Parameters
    ----------
    ratio
        True variance over estimated variance, the values it may have, ``(..., value)``.
    weight
        Their chances, ``(..., value)``; sum to 1.
    """

    ratio: Array
    weight: Array

    def p_value(self, t: Array) -> Array:
        """Return the two-sided p-value of a statistic, ``(...)``."""
        from scipy.special import ndtr

        with np.errstate(invalid="ignore", divide="ignore"):
            z = np.abs(t)[..., None] / np.sqrt(self.ratio)
        return np.asarray((self.weight * 2 * ndtr(-z)).sum(-1))

    def quantile(self, confidence: float) -> Array:
        """Return the two-sided quantile, ``(...)``: where the p-value is the level, by halving on a log scale."""
        lead = np.broadcast_shapes(self.ratio.shape[:-1], self.weight.shape[:-1])
        low, high = np.full(lead, -7.0), np.full(lead, 14.0)
        for _ in range(STEPS):
            middle = 0.5 * (low + high)
            beyond = self.p_value(np.exp(middle)) > 1 - confidence
            low, high = np.where(beyond, middle, low), np.where(beyond, high, middle)
        return np.asarray(np.exp(high))


@lru_cache(maxsize=4096)
def inverse_chi_squares(df: float, nodes: int = NODES) -> tuple[Array, Array]:
    """Return values and weights of ``ν / χ²_ν``, densest where it is large: Gauss–Legendre in v, P(χ² < x) = v³."""
    from scipy.special import chdtri

    if not np.isfinite(df):
        return np.ones(1), np.ones(1)
    points, weights = np.polynomial.legendre.leggauss(nodes)
    v = 0.5 * (points + 1)
    return df / chdtri(df, 1 - v**3), 1.5 * weights * v**2
