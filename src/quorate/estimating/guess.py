"""A guess of every item's label from votes, scores and voters' names, learnt where experts spoke.

One penalised logistic regression per class, N(0, 1) on the coefficients of standardised columns and
N(0, 3²) on the intercept. The guess need not be right: experts' labels correct it, so it decides how
wide an interval is, not whether it holds.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from quorate._typing import Array

PRIOR_SD, INTERCEPT_SD = 1.0, 3.0
STEPS, CLOSE = 30, 1e-8  # of Newton's method, and the largest step at which it ends
TINY = 1e-6  # chances stay this far from 0 and 1


@dataclass(frozen=True)
class Guess:
    """Chances of each class, ``(item, class)``: as fitted, without an expert item's own label, and softened."""

    chance: Array
    own: Array  # of the experts' items, the fit without this item, (expert, class)
    soft: Array  # drawn in by the error of the coefficients
    of_more: bool = False  # whether it was learnt on more items than these, which may be unlike

    def keep(self, kept: Array, experts: Array) -> "Guess":
        """Return some items only, ``(item,)``, and those of the experts' items among them, ``(expert,)``."""
        return Guess(self.chance[kept], self.own[experts], self.soft[kept], of_more=True)


def fit_guess(columns: Array, experts: Array, labels: Array, member: Array | None = None) -> Guess:
    """Fit the chances of every class from columns ``(class, item, column)`` and labels ``(expert, class)``.

    Two classes need one regression: the other is its mirror image. ``member`` is the cluster of every expert's item,
    ``(expert,)``: with an item all of its cluster is left out.
    """
    n_classes = labels.shape[1]
    some = range(n_classes - 1 if n_classes == 2 else n_classes)
    fits = [_fit(columns[k], experts, labels[:, k], member) for k in some]
    if n_classes == 2:
        chance, own, soft = (np.stack([part, 1 - part]).T for part in fits[0])
        return Guess(chance, own, soft)
    several = (np.stack([fit[j] for fit in fits]) for j in range(3))
    chance, own, soft = ((part / part.sum(0)).T for part in several)  # a class after the other in memory
    return Guess(chance, own, soft)


def fit_number_guess(
    columns: Array, experts: Array, labels: Array, values: Array, member: Array | None = None
) -> Guess:
    """Fit the chances of many classes that are numbers: normal around a ridge regression, on the classes' own numbers.

    ``columns`` are ``(item, column)``, ``values`` the classes' numbers. Without an item's own label its mean is
    y - (y - mu) / (1 - h); softened chances have the variance of a new label, sigma² (1 + h).
    """
    z, said = _standardise(columns), labels @ values
    seen = z[:, experts].T
    precision = seen.T @ seen + np.diag([0.0] + [PRIOR_SD**-2] * columns.shape[1])
    inverse = np.linalg.inv(precision)
    mean = (inverse @ (seen.T @ said)) @ z
    leverage = _leverage(inverse, z)
    own = said - (said - mean[experts]) / np.maximum(1 - leverage[experts], 0.1)
    if member is not None:
        own = mean[experts] - _of_cluster(seen, precision, said - mean[experts], np.ones(len(said)), member)
    spread = max(float(np.sqrt(np.mean((said - own) ** 2))), float(np.diff(np.sort(values)).min()) / 2)
    wide = spread * np.sqrt(1 + leverage)
    return Guess(_around(mean, spread, values), _around(own, spread, values), _around(mean, wide, values))


def _around(mean: Array, spread: Array | float, values: Array) -> Array:
    """Chances of numbers around a mean, ``(item, class)``."""
    away = (values - mean[:, None]) / np.broadcast_to(spread, mean.shape)[:, None]
    chance = np.exp(-0.5 * (away**2 - (away**2).min(1, keepdims=True))) + TINY
    return np.asarray(chance / chance.sum(1, keepdims=True))


def _fit(columns: Array, experts: Array, label: Array, member: Array | None) -> tuple[Array, Array, Array]:
    """Chances of one class: of all items, of the experts' without their own label, and softened.

    Leaving an item out is one Newton step back from the fit; softening is the probit approximation
    of a mean over the coefficients' errors, expit(eta / sqrt(1 + pi h / 8)).
    """
    z = _standardise(columns)
    seen = z[:, experts].T
    penalty = np.diag([INTERCEPT_SD**-2] + [PRIOR_SD**-2] * columns.shape[1])
    weights, hessian = _maximise(seen, label, penalty)
    eta = weights @ z
    leverage = _leverage(np.linalg.inv(hessian), z)
    p, h = expit(eta[experts]), leverage[experts]
    away = label - p
    drop = h * away / (1 - h * p * (1 - p)) if member is None else _of_cluster(seen, hessian, away, p * (1 - p), member)
    back = eta[experts] - drop
    soft = eta / np.sqrt(1 + np.pi * leverage / 8)
    chance, own, drawn = (np.clip(expit(part), TINY, 1 - TINY) for part in (eta, back, soft))
    return chance, own, drawn


def _of_cluster(z: Array, hessian: Array, away: Array, weight: Array, member: Array) -> Array:
    """What an item's own cluster adds to its fit, by one Newton step, ``(expert,)``; of one item h a / (1 - h w).

    Items of a document are alike: a fit that has seen the others knows this one, and residuals are too small.
    """
    order = np.argsort(member, kind="stable")
    starts = np.flatnonzero(np.diff(member[order], prepend=-1))
    pull = np.add.reduceat((z * away[:, None])[order], starts)
    known = np.add.reduceat((z[:, :, None] * (z * weight[:, None])[:, None, :])[order], starts)
    step = np.linalg.solve(hessian - known, pull[:, :, None])[:, :, 0]
    return np.asarray((z * step[member]).sum(1))


def _maximise(z: Array, label: Array, penalty: Array) -> tuple[Array, Array]:
    """Newton's method on the penalised log likelihood, steps halved until they climb; the Hessian at its end."""
    share = (label.sum() + 0.5) / (len(label) + 1)
    weights = np.zeros(z.shape[1])
    weights[0] = np.log(share / (1 - share)) if 0 < share < 1 else 0.0
    height = _posterior(z, label, penalty, weights)
    hessian = penalty
    for _ in range(STEPS):
        p = expit(z @ weights)
        hessian = (z * (p * (1 - p))[:, None]).T @ z + penalty
        step = np.linalg.solve(hessian, z.T @ (label - p) - penalty @ weights)
        higher = _posterior(z, label, penalty, weights + step)
        while higher < height and np.abs(step).max() > CLOSE:
            step = step / 2
            higher = _posterior(z, label, penalty, weights + step)
        weights, height = weights + step, higher
        if np.abs(step).max() < CLOSE:
            break
    return weights, hessian


def _posterior(z: Array, label: Array, penalty: Array, weights: Array) -> float:
    """Penalised log likelihood; labels may be shares."""
    eta = z @ weights
    return float(label @ eta - np.logaddexp(0.0, eta).sum() - weights @ penalty @ weights / 2)


def _leverage(inverse: Array, z: Array) -> Array:
    """z_i' inverse z_i of every item, ``(item,)``, from columns ``(column, item)``."""
    return np.asarray(((inverse @ z) * z).sum(0))


def _standardise(columns: Array) -> Array:
    """A column of ones and the others with mean 0 and standard deviation 1, ``(column, item)``; a constant one is 0."""
    z = np.ones((columns.shape[1] + 1, len(columns)))
    for given, column in zip(columns.T, z[1:], strict=True):
        np.subtract(given, given.mean(), out=column)
        spread = np.sqrt(column @ column / len(column))
        column /= spread if spread > 1e-12 else 1.0
    return z
