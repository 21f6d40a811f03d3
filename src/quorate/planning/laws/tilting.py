"""Weights of simulated draws that meet what is known better than from the draws themselves.

w_i ∝ v_i exp(λ · f_i) with λ such that Σ w f = the known means: the weights nearest to v in relative entropy. Values
stay where they are, so ties stay ties, and other moments move as regression on f would have them [deville1992].
"""

import numpy as np

from quorate._typing import Array

__all__ = ["regressed", "tilted"]

STEPS, NEAR = 40, 1e-9


def tilted(weights: Array, features: Array, targets: Array) -> Array | None:
    """Return weights under which the features, ``(feature, draw)``, have the target means; None if there are none.

    Examples
    --------
    >>> tilted(np.full(3, 1 / 3), np.array([[-1.0, 0.0, 1.0], [1.0, 0.0, 1.0]]), np.array([0.1, 0.5])).round(6)
    array([0.2, 0.5, 0.3])
    """
    centred = features - targets[:, None]
    scale = np.sqrt((centred**2) @ weights)
    if not (scale > 0).all():
        return None
    centred, push = centred / scale[:, None], np.zeros(len(targets))
    for _ in range(STEPS):  # Newton's method on the convex dual, in steps that change no weight beyond e²-fold
        exponent = push @ centred
        found = weights * np.exp(exponent - exponent.max())
        found = found / found.sum()
        gap = centred @ found
        if np.abs(gap).max() < NEAR:
            return np.asarray(found)
        curve = (centred * found) @ centred.T - np.outer(gap, gap)
        step = np.linalg.lstsq(curve, gap, rcond=None)[0]
        push = push - step * min(1.0, 2.0 / max(float(np.abs(step @ centred).max()), 1e-300))
    return None


def regressed(outcomes: Array, controls: Array, known: Array) -> tuple[Array, Array]:
    """Return the means of outcomes, ``(outcome, item)``, by regression on controls of known mean, and the residuals.

    mean(y) − c · (mean(x) − E x), with the c that leaves the least variance; its bias is of order 1 / items.

    Examples
    --------
    >>> x = np.array([[0.0, 1.0, 1.0, 1.0]])
    >>> means, residuals = regressed(2 * x + 1, x, np.array([0.5]))
    >>> means, bool(np.abs(residuals).max() < 1e-12)
    (array([2.]), True)
    """
    means, away = outcomes.mean(-1), controls.mean(-1) - known
    x, y = controls - controls.mean(-1, keepdims=True), outcomes - means[:, None]
    scale = np.sqrt((x**2).mean(-1, keepdims=True))
    x = x / np.where(scale > 0, scale, 1.0)
    slopes = np.linalg.lstsq(x @ x.T, x @ y.T, rcond=1e-10)[0]  # (control, outcome)
    return means - (away / np.where(scale[:, 0] > 0, scale[:, 0], 1.0)) @ slopes, y - slopes.T @ x
