"""Means over items, each drawn alone or in clusters, and the pivot that tests them."""

import numpy as np

from quorate._typing import Array
from quorate.inference.outcome import Outcome
from quorate.inference.pivot import Pivot
from quorate.inference.uncertain_variance import Part, UncertainVariance


def mean_test(values: Array, confidence: float = 0.95, clusters: Array | None = None) -> Outcome:
    """Test whether the mean of item differences, ``(..., item)``, is 0."""
    return mean_pivot(values, clusters).outcome(confidence)


def mean_pivot(
    values: Array,
    clusters: Array | None = None,
    *,
    reach: float | None = None,
    unseen: bool = False,
    mirrored: bool = True,
) -> Pivot:
    """Return the pivot of a mean over items: ``s² / N`` on N − 1 degrees of freedom, or its
    cluster-robust form.

    Parameters
    ----------
    values
        Values per item, ``(..., item)``.
    clusters
        Cluster of each item, codes from 0, ``(item,)``; None for independent items.
    reach, unseen, mirrored
        As in `Pivot`.
    """
    n, mean = values.shape[-1], values.mean(-1)
    if clusters is None:
        with np.errstate(invalid="ignore", divide="ignore"):
            part = Part(values.var(-1, ddof=1) / n if n > 1 else np.full(mean.shape, np.nan), n - 1.0)
        return Pivot(mean, values, UncertainVariance(part), reach, unseen, mirrored)
    size = np.bincount(clusters).astype(float)
    parts = cluster_sums(values - mean[..., None], clusters) / n
    part = _cluster_part(parts, size, _shared_variance(values, clusters, size))
    return Pivot(mean, mean[..., None] + len(size) * parts, UncertainVariance(part), reach, unseen, mirrored)


def cluster_sums(values: Array, code: Array) -> Array:
    """Sum over the items of each cluster, ``(..., cluster)``."""
    order = np.argsort(code, kind="stable")
    starts = np.searchsorted(code[order], np.arange(int(code.max()) + 1))
    return np.asarray(np.add.reduceat(values[..., order], starts, axis=-1))


def _shared_variance(values: Array, clusters: Array, size: Array) -> Array:
    """The share of the variance that items of a cluster share, ``(...)``, from the analysis of
    variance."""
    n, groups = values.shape[-1], len(size)
    if groups in (1, n):
        return np.ones(values.shape[:-1])
    means = cluster_sums(values, clusters) / size
    within = ((values - means[..., clusters]) ** 2).sum(-1) / (n - groups)
    between = (size * (means - values.mean(-1, keepdims=True)) ** 2).sum(-1) / (groups - 1)
    of_cluster = np.maximum(between - within, 0.0) * (groups - 1) / (n - (size**2).sum() / n)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.nan_to_num(of_cluster / (of_cluster + within), nan=1.0))


def _cluster_part(parts: Array, size: Array, shared: Array) -> Part:
    """Return the variance ``Σ e_g²``, made unbiased, and the degrees of freedom of clusters of
    unequal size.

    With weights h_g and a mean of cluster g of variance ``v_g ∝ ρ + (1 − ρ) / n_g``, e = D (I −
    1h') y has the covariance M with entries ``h_g h_k (v_g [g = k] − h_g v_g − h_k v_k + Σ h² v)``.
    The sum is divided by its expectation tr M over the true ``Σ h² v``, and has ``(tr M)² / tr M²``
    degrees of freedom [bell2002]. One cluster is no sample, and has no variance.
    """
    h = size / size.sum()
    v = shared[..., None] + (1 - shared[..., None]) / size
    weight, moved = h**2, h * v
    square, true = weight.sum(), (weight * v).sum(-1)
    first, second = (weight * moved).sum(-1), (weight * moved**2).sum(-1)
    expected = true - 2 * first + square * true
    middle = true[..., None] - 2 * moved
    diagonal = (weight**2 * ((v + middle) ** 2 - middle**2)).sum(-1)
    spread = diagonal + (true * square) ** 2 + 2 * square * second - 4 * true * square * first + 2 * first**2
    with np.errstate(invalid="ignore", divide="ignore"):
        known = np.abs(expected) > 1e-12 * true
        df = np.where(known, np.round(expected**2 / spread, 9), 0.0)
        return Part(np.where(known, (parts**2).sum(-1) * true / expected, np.nan), df)
