"""What raters add to the scores of several systems: each system's few raters borrow from those of
the others.

Let U hold, for R raters, how each one's answers move each system's score, scaled so that ``|U c|² /
n`` estimates the variance that raters add to a contrast c of systems on n = R − 1 degrees of
freedom. Three raters know it badly. Over the systems, rows of U are normal with covariance Σ, and Σ
is inverse Wishart around τ² I, as loosely as the systems' spreads differ: with d prior degrees of
freedom for a contrast, p = S − 1 contrasts, ν = d + p − 1 and ψ = d τ²,

    log f(U | d, τ²) = ½ ν p log ψ − ½ (ν + n) log |ψ I + U'U| + log Γ_p((ν + n)/2) − log Γ_p(ν/2),

a matrix t. Both d and τ² are averaged over by this weight. Given them, the error of all scores is a
multivariate t on d + n degrees of freedom with scale ``ψ I + U'U``, and the variance of a contrast
is ``(ψ |c|² + |U c|²) / χ²_(d + n)``: moderated variances [smyth2004], for all contrasts together.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from quorate._typing import Array
from quorate.inference.uncertain_variance import Part

PRIOR_DF = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 256.0])
"""Degrees of freedom that all other systems may be worth, from next to nothing to equal spreads."""
SCALES = np.exp(np.linspace(-2.5, 2.5, 41))
"""Prior variances looked at, as multiples of the mean over all contrasts."""
DRAWS = 1024
"""Draws of prior and χ² that stand for the law of one contrast's variance."""


@dataclass(frozen=True)
class RaterSpread:
    """How raters move the scores of several systems.

    Parameters
    ----------
    moves
        ``(system, rater)``: U' above, up to what moves all systems alike.
    df
        n, raters less one.
    moderated
        Whether systems borrow from each other; if not, each contrast stands for itself.
    """

    moves: Array
    df: float
    moderated: bool = True

    def part(self, contrast: Array) -> Part:
        """Return what raters add to the variance of a contrast of systems, ``(system,)``."""
        own = float(((contrast @ self._centred) ** 2).sum())
        if not self.moderated:
            return Part(np.asarray(own / self.df), self.df)
        prior_df, prior, chi_square = self._nodes
        squares = prior_df * prior * float(contrast @ contrast) + own
        mean = np.asarray((squares / (prior_df + self.df)).mean())
        return Part(mean, self.mean_df, draws=squares / chi_square)

    @property
    def mean_df(self) -> float:
        """Degrees of freedom of what raters add, those borrowed among them."""
        return self.df + float(self._nodes[0].mean()) if self.moderated else self.df

    def errors(self, draws: int, rng: np.random.Generator) -> Array:
        """Draw how all scores err together because of the raters, ``(draw, system)``."""
        prior_df, prior = self._prior(draws, rng) if self.moderated else (np.zeros(draws), np.zeros(draws))
        vectors, squares = self._axes
        noise = rng.standard_normal((draws, len(self.moves)))
        along = noise @ vectors
        scale = (prior_df * prior)[:, None]
        rows = np.sqrt(scale) * (noise - along @ vectors.T) + (np.sqrt(scale + squares) * along) @ vectors.T
        return np.asarray(rows / np.sqrt(rng.chisquare(prior_df + self.df))[:, None])

    @cached_property
    def _centred(self) -> Array:
        """Moves less what all systems share; of contests, which are no differences of scores, all
        of them."""
        return self.moves - self.moves.mean(0) if self.moderated else self.moves

    @cached_property
    def _nodes(self) -> tuple[Array, Array, Array]:
        """Values of d, τ² and χ² that stand for their law, the same for all contrasts, ``(draw,)`` each."""
        from scipy.special import chdtri

        rng = np.random.default_rng(0)  # which goes with which does not matter
        prior_df, prior = self._prior(DRAWS, rng)
        chances = rng.permutation((np.arange(DRAWS) + 0.5) / DRAWS)
        return prior_df, prior, np.asarray(chdtri(prior_df + self.df, 1 - chances))

    @cached_property
    def _axes(self) -> tuple[Array, Array]:
        """Directions in which raters move the scores, ``(system, axis)``, and the squares along
        them."""
        vectors, roots, _ = np.linalg.svd(self._centred, full_matrices=False)
        kept = roots > 1e-9 * max(float(roots.max(initial=0.0)), 1e-300)
        return vectors[:, kept], roots[kept] ** 2

    def _prior(self, draws: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Draw d and τ² by their weight, ``(draw,)`` each."""
        scale, weight = self._weights
        chances = np.cumsum(weight.ravel())
        place = np.searchsorted(chances / chances[-1], (np.arange(draws) + rng.random(draws)) / draws)
        place = rng.permutation(np.minimum(place, weight.size - 1))
        return PRIOR_DF[place // len(scale)], scale[place % len(scale)]

    @cached_property
    def _weights(self) -> tuple[Array, Array]:
        """Return the values of τ² looked at, and the weight of each d and τ², ``(d, τ²)``."""
        from scipy.special import multigammaln

        p, n, squares = len(self.moves) - 1, self.df, self._axes[1]
        scale = SCALES * max(float(squares.sum()) / (p * n), 1e-300)
        nu = PRIOR_DF + p - 1
        psi = PRIOR_DF[:, None] * scale
        log_det = (p - len(squares)) * np.log(psi) + np.log(psi[..., None] + squares).sum(-1)
        weight = 0.5 * p * nu[:, None] * np.log(psi) - 0.5 * (nu[:, None] + n) * log_det
        weight += np.array([multigammaln(0.5 * (v + n), p) - multigammaln(0.5 * v, p) for v in nu])[:, None]
        return scale, np.exp(weight - weight.max())
