"""Draws from a posterior of few variables: its modes, importance sampling from them, and walkers where that fails.

Draw from a mixture of multivariate t's centred at the modes, weigh each draw by density / mixture,
refit the mixture to the weighted draws, repeat [cappe2008]. The tail of the weights is smoothed by
a generalised Pareto law whose shape k̂ tells whether they can be trusted: below 0.7 yes, above no
[vehtari2024]. Then walkers that stretch towards each other take over [goodman2010]: slower, but
hard to fool.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.special import gammaln, logsumexp

from quorate._typing import Array

LogDensity: TypeAlias = Callable[[Array], Array]
"""Points ``(..., point, variable)`` to log densities ``(..., point)``, up to a constant."""
STEP = 1e-3  # of the differences: truncation and rounding both stay below 1e-5 of the curvature for |log density| < 1e7
LONGEST_MOVE = 1.0  # of any variable in one iteration; the variables are logits or standard deviations
SHORTENINGS = np.array([1.0, 0.5, 0.2, 0.04])
FLATTEST = 1e-2  # smallest curvature believed: flatter directions count as sd 10
BAD_K = 0.7  # beyond it importance weights cannot be trusted [vehtari2024]
FREEDOM = 5.0  # of the t's: tails heavier than any posterior here, so that weights stay bounded
WIDTHS = (1.0, 3.0)  # every mode starts as two components: its own curvature, and a wider one for skew and tails
GOOD_K, GOOD_SHARE = 0.5, 0.5  # stop adapting once k̂ and the effective share of the draws are this good
STRETCH = 2.0  # the a of [goodman2010]: moves are scaled by z between 1/a and a, with density ~ 1 / sqrt z


class Mode(NamedTuple):
    """Where a log density is largest ``(..., variable)``, how large, and the inverse of its curvature there."""

    point: Array
    height: Array
    covariance: Array


class WeightedDraws(NamedTuple):
    """Weighted draws ``(draw, variable)``, normalised log weights ``(draw,)``, their k̂ and effective sample size."""

    points: Array
    log_weights: Array
    k_hat: float
    effective: float


@dataclass(frozen=True)
class Mixture:
    """A mixture of multivariate t's: ``share (c,)``, ``centre (c, v)``, ``root (c, v, v)`` (Cholesky factors)."""

    share: Array
    centre: Array
    root: Array

    def draw(self, size: int, rng: np.random.Generator) -> Array:
        """Draw points ``(size, variable)``."""
        which = rng.choice(len(self.share), size, p=self.share)
        normal = rng.standard_normal((size, self.centre.shape[1]))
        stretch = np.sqrt(FREEDOM / rng.chisquare(FREEDOM, size))
        points: Array = self.centre[which] + stretch[:, None] * np.einsum("sij,sj->si", self.root[which], normal)
        return points

    def distance(self, points: Array) -> Array:
        """Squared Mahalanobis distances, ``(point, component)``."""
        inverse = np.linalg.inv(self.root)
        away = np.einsum("cij,pcj->pci", inverse, points[:, None, :] - self.centre)
        return np.asarray((away**2).sum(-1))

    def log_parts(self, points: Array) -> Array:
        """Log of share times density, ``(point, component)``."""
        n = points.shape[1]
        constant = gammaln((FREEDOM + n) / 2) - gammaln(FREEDOM / 2) - n / 2 * np.log(FREEDOM * np.pi)
        scale = np.log(np.diagonal(self.root, axis1=1, axis2=2)).sum(-1)
        tails = -(FREEDOM + n) / 2 * np.log1p(self.distance(points) / FREEDOM)
        return np.asarray(np.log(self.share) + constant - scale + tails)


def find_mode(log_density: LogDensity, start: Array, *, iterations: int = 40, tolerance: float = STEP) -> Mode:
    """Climb from every start ``(..., variable)`` to the nearest mode, until a step is shorter than ``tolerance``.

    Newton's method with derivatives from central differences: all points of the stencil, and all
    starts, are one call.
    """
    point = start
    for _ in range(iterations):
        height, gradient, curvature = _derivatives(log_density, point)
        move = np.linalg.solve(_positive(-curvature), gradient[..., None])[..., 0]
        # shortened without turning: clipping single variables can turn it away from where the density rises
        move = move / np.maximum(1.0, np.abs(move).max(-1, keepdims=True) / LONGEST_MOVE)
        trials = point[..., None, :] + SHORTENINGS[:, None] * move[..., None, :]
        heights = log_density(trials)
        best = np.take_along_axis(trials, heights.argmax(-1)[..., None, None], -2)[..., 0, :]
        better = heights.max(-1) > height
        point = np.where(better[..., None], best, point)
        if not np.any(better & (np.abs(move).max(-1) > tolerance)):
            break
    height, _, curvature = _derivatives(log_density, point)
    return Mode(point, height, np.linalg.inv(_positive(-curvature)))


def sample_posterior(
    log_density: LogDensity, guesses: Array, *, size: int, proposals: int = 4000, rng: np.random.Generator
) -> tuple[Array, float, float, bool]:
    """Draw ``size`` points from a posterior of few variables; also k̂, effective size, and whether walkers were needed.

    The best of the ``guesses (guess, variable)``, spread over where the posterior may lie, start
    the search for modes.
    """
    heights = log_density(guesses)
    best = np.argsort(-heights)[:6]
    modes = _distinct(find_mode(log_density, guesses[best]))
    draws = importance_sample(log_density, modes, size=proposals, rng=rng)
    points = draws.points[resample(draws.log_weights, size, rng=rng)]
    fallback = draws.k_hat > BAD_K or draws.effective < min(size, proposals / 8) / 2
    if fallback:
        points = walk(log_density, points, rng=rng)
    return points, draws.k_hat, draws.effective, fallback


def importance_sample(
    log_density: LogDensity, mode: Mode, *, size: int = 4000, rounds: int = 8, rng: np.random.Generator
) -> WeightedDraws:
    """Sample a log density from its modes outwards, ``size`` draws in each of at most so many rounds."""
    mixture = _at_modes(mode)
    best = _round(log_density, mixture, size, rng)
    for _ in range(rounds - 1):
        if best.k_hat < GOOD_K and best.effective > GOOD_SHARE * size:
            break
        mixture = _refit(mixture, best)
        draws = _round(log_density, mixture, size, rng)
        best = draws if draws.effective > 0.8 * best.effective else best
    return best


def walk(log_density: LogDensity, start: Array, *, steps: int = 300, rng: np.random.Generator) -> Array:
    """Let walkers ``(walker, variable)``, an even number of at least 4, settle into a density: where they end."""
    spread = start.std(0) + 1e-6
    walkers: Array = start + 0.05 * spread * rng.standard_normal(start.shape)
    heights = log_density(walkers)
    half = len(walkers) // 2
    sides = (slice(None, half), slice(half, None))
    for _ in range(steps):
        for mine, theirs in (sides, sides[::-1]):
            moved, log_ratio = _stretch(walkers[mine], walkers[theirs], rng)
            proposed = log_density(moved)
            accepted = np.log(rng.random(len(moved))) < log_ratio + proposed - heights[mine]
            walkers[mine] = np.where(accepted[:, None], moved, walkers[mine])
            heights[mine] = np.where(accepted, proposed, heights[mine])
    return walkers


def pareto_smooth(log_weights: Array) -> tuple[Array, float]:
    """Replace the largest weights by the quantiles of a fitted generalised Pareto law; return them normalised, and k̂.

    The tail is the largest min(n/5, 3 sqrt n) weights; the fit is [zhang2009] with the prior of
    [vehtari2024].
    """
    shifted = log_weights - log_weights.max()
    n_tail = int(min(0.2 * shifted.size, 3 * np.sqrt(shifted.size)))
    order = np.argsort(shifted)
    tail, cutoff = order[-n_tail:], shifted[order[-n_tail - 1]]
    if n_tail < 5 or not np.isfinite(cutoff):  # too few draws carry any weight to say anything
        return shifted - logsumexp(shifted), np.inf
    excess = np.maximum(np.exp(shifted[tail]) - np.exp(cutoff), 1e-300)
    if excess[-1] < 1e-9:  # all weights equal
        return shifted - logsumexp(shifted), -np.inf
    k, sigma = _fit_pareto(excess)
    probability = (np.arange(n_tail) + 0.5) / n_tail
    quantile = sigma / k * np.expm1(-k * np.log1p(-probability))
    smooth = shifted.copy()
    smooth[tail] = np.minimum(np.log(quantile + np.exp(cutoff)), 0.0)
    return smooth - logsumexp(smooth), k


def resample(log_weights: Array, size: int, *, rng: np.random.Generator) -> Array:
    """Indices of ``size`` equally weighted draws in random order: systematic resampling, least noise of its kind."""
    ladder = np.cumsum(np.exp(log_weights))
    steps = (rng.random() + np.arange(size)) / size * ladder[-1]
    index = np.minimum(np.searchsorted(ladder, steps, side="right"), len(ladder) - 1)
    return rng.permutation(index)


def _derivatives(log_density: LogDensity, point: Array) -> tuple[Array, Array, Array]:
    """Value, gradient and Hessian; H_ij = (f(+i+j) + f(-i-j) + 2f - f(+i) - f(-i) - f(+j) - f(-j)) / 2h²."""
    n = point.shape[-1]
    unit = np.eye(n)
    first, second = np.triu_indices(n, 1)
    both = unit[first] + unit[second]
    offsets = np.concatenate([np.zeros((1, n)), unit, -unit, both, -both])
    values = log_density(point[..., None, :] + STEP * offsets)
    middle, plus, minus = values[..., 0], values[..., 1 : n + 1], values[..., n + 1 : 2 * n + 1]
    double = values[..., 2 * n + 1 :].reshape(*values.shape[:-1], 2, len(first)).sum(-2)
    single = plus + minus - middle[..., None]
    hessian = np.zeros((*point.shape, n))
    hessian[..., range(n), range(n)] = (single - middle[..., None]) / STEP**2
    mixed = (double - single[..., first] - single[..., second]) / (2 * STEP**2)
    hessian[..., first, second] = hessian[..., second, first] = mixed
    return middle, (plus - minus) / (2 * STEP), hessian


def _positive(curvature: Array) -> Array:
    """Make a symmetric matrix positive definite: eigenvalues become their size, at least ``FLATTEST``."""
    values, vectors = np.linalg.eigh(curvature)
    scaled = vectors * np.maximum(np.abs(values), FLATTEST)[..., None, :]
    return np.asarray(scaled @ np.swapaxes(vectors, -1, -2))


def _distinct(mode: Mode) -> Mode:
    """Keep each mode once, the highest first, and none that cannot matter (e^-8 of the highest)."""
    kept: list[int] = []
    for i in np.argsort(-mode.height):
        apart = all(np.abs(mode.point[i] - mode.point[j]).max() > 0.1 for j in kept)
        if apart and mode.height[i] > mode.height.max() - 8:
            kept.append(int(i))
    return Mode(mode.point[kept], mode.height[kept], mode.covariance[kept])


def _at_modes(mode: Mode) -> Mixture:
    centre = np.repeat(mode.point, len(WIDTHS), axis=0)
    root = np.linalg.cholesky(mode.covariance)[:, None] * np.array(WIDTHS)[:, None, None]
    height = np.repeat(np.exp(np.maximum(mode.height - mode.height.max(), -3.0)), len(WIDTHS))
    return Mixture(height / height.sum(), centre, root.reshape(-1, *root.shape[2:]))


def _round(log_density: LogDensity, mixture: Mixture, size: int, rng: np.random.Generator) -> WeightedDraws:
    points = mixture.draw(size, rng)
    raw = log_density(points) - logsumexp(mixture.log_parts(points), axis=1)
    log_weights, k_hat = pareto_smooth(raw)
    return WeightedDraws(points, log_weights, k_hat, float(np.exp(-logsumexp(2 * log_weights))))


def _refit(mixture: Mixture, draws: WeightedDraws) -> Mixture:
    """One step of expectation-maximisation on the weighted draws [cappe2008, sec. 4]."""
    points, n = draws.points, draws.points.shape[1]
    parts = mixture.log_parts(points)
    belongs = np.exp(parts - logsumexp(parts, axis=1, keepdims=True) + draws.log_weights[:, None])
    share = belongs.sum(0)
    pull = belongs * (FREEDOM + n) / (FREEDOM + mixture.distance(points))
    centre = (pull.T @ points) / pull.sum(0)[:, None]
    away = points[:, None, :] - centre
    spread = np.einsum("pc,pci,pcj->cij", pull, away, away) / share[:, None, None]
    floor = 1e-3 * np.diagonal(spread.mean(0)).mean() * np.eye(n) + 1e-12 * np.eye(n)
    share = np.maximum(share, 0.02)  # no component may die: it guards a tail
    return Mixture(share / share.sum(), centre, np.linalg.cholesky(spread + floor))


def _stretch(mine: Array, theirs: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Move each walker along the line to a random other: x_other + z (x - x_other); log ratio (d - 1) log z."""
    z = ((STRETCH - 1) * rng.random(len(mine)) + 1) ** 2 / STRETCH
    other = theirs[rng.integers(len(theirs), size=len(mine))]
    moved: Array = other + z[:, None] * (mine - other)
    return moved, (mine.shape[1] - 1) * np.log(z)


def _fit_pareto(excess: Array) -> tuple[float, float]:
    """Shape k and scale of a generalised Pareto law from sorted positive excesses [zhang2009, sec. 3]."""
    n, n_grid = excess.size, 30 + int(np.sqrt(excess.size))
    quartile = excess[int(n / 4 + 0.5) - 1]
    theta = 1 / excess[-1] + (1 - np.sqrt(n_grid / (np.arange(1, n_grid + 1) - 0.5))) / (3 * quartile)
    k_grid = np.log1p(-theta[:, None] * excess).mean(1)
    likelihood = n * (np.log(-theta / k_grid) - k_grid - 1)
    weight = np.exp(likelihood - logsumexp(likelihood))
    best = float(theta @ weight)
    k = float(np.log1p(-best * excess).mean())
    return (n * k + 10 * 0.5) / (n + 10), -k / best  # 10 prior observations at k = 0.5 [vehtari2024, app. C]
