"""The spread that values would have if their mean were another: the law nearest to the data that
has this mean.

A test of the mean δ should be judged by the variance under δ, not by the one seen: of values that
are mostly 0 the two differ greatly [tango1998]. Weights p maximise the likelihood Σ log p_i among
all laws on the values seen and on two points not seen yet, with Σ p (y − δ) = 0 [owen1988]. They
are ``p_i = 1 / (n (1 + λ (y_i − δ)))``; where λ meets the bound that an unseen point sets, that
point takes the rest. On −1, 0 and 1 this is Tango's estimate.
"""

import numpy as np

from quorate._typing import Array

STEPS = 60


def null_square(parts: Array, times: Array, low: Array, high: Array) -> Array:
    """Return Σ p e² under the nearest law with mean 0 of values e, ``(..., value)``, and two points
    that may come.

    `times` says how often each value was seen, ``(value,)``; nan where no law on these points has
    the mean 0.
    """
    low, high = np.minimum(low, parts.min(-1)), np.maximum(high, parts.max(-1))
    possible = (low < 0) & (high > 0)
    low, high = np.where(possible, low, -1.0), np.where(possible, high, 1.0)
    share = times / times.sum()
    multiplier = _multiplier(parts, share, -1 / high, -1 / low)
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = share / (1 + multiplier[..., None] * parts)
    weight = np.where(np.isfinite(weight) & (weight > 0), np.minimum(weight, 1.0), 0.0)
    rest = np.maximum(1 - weight.sum(-1), 0.0)
    unseen = np.where(multiplier > 0, low, high)
    return np.where(possible, (weight * parts**2).sum(-1) + rest * unseen**2, np.nan)


def _multiplier(parts: Array, share: Array, least: Array, most: Array) -> Array:
    """Solve Σ share e / (1 + λ e) = 0 between two bounds, row by row; a bound where there is no
    solution within."""
    rows = parts.reshape(-1, parts.shape[-1])
    low, high = (np.broadcast_to(x, parts.shape[:-1]).reshape(-1).copy() for x in (least, most))
    bound = np.where(rows @ share > 0, high, low)
    point = bound.copy()
    with np.errstate(divide="ignore", invalid="ignore"):
        at_bound = _sum(rows, share, bound)[0]
        open_ = np.flatnonzero(~np.isfinite(at_bound) | (at_bound * np.sign(bound) < 0))
        point[open_] = np.clip(np.nan_to_num(rows[open_] @ share / (rows[open_] ** 2 @ share)), low[open_], high[open_])
        point[open_] *= 0.9
        for _ in range(STEPS):
            if not len(open_):
                break
            value, slope = _sum(rows[open_], share, point[open_])
            up = value > 0
            low[open_], high[open_] = np.where(up, point[open_], low[open_]), np.where(up, high[open_], point[open_])
            step = point[open_] + value / slope
            inside = (step > low[open_]) & (step < high[open_])
            step = np.where(inside, step, 0.5 * (low[open_] + high[open_]))
            settled = np.abs(value) <= 1e-9 * np.sqrt(slope)
            point[open_] = np.where(settled, point[open_], step)
            open_ = open_[~settled]
    return point.reshape(parts.shape[:-1])


def _sum(rows: Array, share: Array, point: Array) -> tuple[Array, Array]:
    """Return Σ share e / (1 + λ e) and how fast it falls with λ."""
    scaled = rows / (1 + point[:, None] * rows)
    return scaled @ share, scaled**2 @ share
