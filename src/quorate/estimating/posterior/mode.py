"""The mode of a smooth log density of few variables, and the Gaussian that touches it there.

Newton's method with derivatives from central differences: all points of the stencil, and all starts, are one call.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from quorate._typing import Array

__all__ = ["LogDensity", "Mode", "find_mode"]

LogDensity: TypeAlias = Callable[[Array], Array]
"""Points ``(..., point, variable)`` to log densities ``(..., point)``, up to a constant."""

STEP = 1e-3  # of the differences: truncation and rounding both stay below 1e-5 of the curvature for |log density| < 1e7
LONGEST_MOVE = 1.0  # of any variable in one iteration; the variables are logits or standard deviations
SHORTENINGS = np.array([1.0, 0.5, 0.2, 0.04])
FLATTEST = 1e-2  # smallest curvature believed: flatter directions count as sd 10


class Mode(NamedTuple):
    """Where a log density is largest ``(..., variable)``, how large, and the inverse of its curvature there."""

    point: Array
    height: Array
    covariance: Array


def find_mode(log_density: LogDensity, start: Array, *, iterations: int = 40, tolerance: float = STEP) -> Mode:
    """Climb from every start to the nearest mode.

    Parameters
    ----------
    log_density
        Takes ``(..., point, variable)``; leading axes are those of ``start``.
    start
        Where to begin, ``(..., variable)``.
    iterations, tolerance
        At most so many Newton steps, and the step in any variable that is too short to go on.
    """
    point = start
    for _ in range(iterations):
        height, gradient, curvature = _derivatives(log_density, point)
        move = _within_reach(_solve(_positive(-curvature), gradient))
        trials = point[..., None, :] + SHORTENINGS[:, None] * move[..., None, :]
        heights = log_density(trials)
        best = np.take_along_axis(trials, heights.argmax(-1)[..., None, None], -2)[..., 0, :]
        better = heights.max(-1) > height
        point = np.where(better[..., None], best, point)
        if not np.any(better & (np.abs(move).max(-1) > tolerance)):
            break
    height, _, curvature = _derivatives(log_density, point)
    return Mode(point, height, np.linalg.inv(_positive(-curvature)))


def _within_reach(move: Array) -> Array:
    """Shorten a step without turning it: clipping single variables can turn it away from where the density rises."""
    shortened: Array = move / np.maximum(1.0, np.abs(move).max(-1, keepdims=True) / LONGEST_MOVE)
    return shortened


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
    positive: Array = scaled @ np.swapaxes(vectors, -1, -2)
    return positive


def _solve(matrix: Array, vector: Array) -> Array:
    solution: Array = np.linalg.solve(matrix, vector[..., None])[..., 0]
    return solution
