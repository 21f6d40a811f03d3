"""How much the raters agree with each other: Krippendorff's alpha, ``1 − D_observed / D_expected``.

D_observed is the mean difference δ between two answers to the same item, D_expected between any two answers; δ is
``1[c ≠ k]`` (nominal), ``(c − k)²`` (interval), or ``(Σ_{g=c..k} n_g − (n_c + n_k) / 2)²`` (ordinal), with n_g the
answers in category g [krippendorff 2018, ch. 12]. Items with fewer than two answers pair with nothing: left out.

Alpha is a smooth function of sums over items. So the bootstrap over items resamples not items but *kinds* of items
(equal counts) with a multinomial, which is the same in law; with too many kinds, a few thousand random blocks of items:
their sums have the mean and variance of resampled items, and a smooth function of sums sees no more than that.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from quorate._errors import InputError
from quorate._typing import Array
from quorate.data.summaries import Counts, Summary, Values
from quorate.metrics.points import ordered_levels
from quorate.metrics.set_scores import ratio

__all__ = ["Alpha", "krippendorff_alpha"]

MOST_KINDS = 5000
"""Most kinds of items that are resampled one by one."""
BLOCKS = 2000
"""Random blocks of items otherwise; the bootstrap variance is then known to about sqrt(2 / 2000) = 3 %."""
CHUNK = 1 << 16
"""Items whose sums are worked out at a time; bounds memory."""


@dataclass(frozen=True)
class Alpha:
    """Krippendorff's alpha with a percentile bootstrap interval over items.

    Alpha is nan where nothing varies (only one category was ever answered): agreement beyond chance is not defined.
    """

    value: float
    low: float
    high: float
    confidence: float
    n_items: int


def krippendorff_alpha(
    ratings: Summary, scale: str, *, rng: np.random.Generator, confidence: float = 0.95, replicates: int = 1000
) -> Alpha:
    """Return Krippendorff's alpha and its interval.

    Parameters
    ----------
    ratings
        The raters' counts ``(item, category)``, or their values (interval scale only).
    scale
        ``"nominal"``, ``"ordinal"`` (categories in order) or ``"interval"``.
    rng
        Randomness of the bootstrap.
    confidence, replicates
        Level of the interval and number of bootstrap replicates.

    Examples
    --------
    >>> votes = Counts(np.array([[3, 0], [0, 3], [2, 1], [0, 3]]))
    >>> alpha = krippendorff_alpha(votes, "nominal", rng=np.random.default_rng(0))
    >>> round(alpha.value, 4), alpha.n_items
    (0.6857, 4)
    """
    pairable, sums = _pairable(ratings), _sums_for(ratings, scale)
    n_items = pairable.size.shape[-1]
    if n_items == 0:
        return Alpha(np.nan, np.nan, np.nan, confidence, 0)
    totals, times = _groups(pairable, sums.of_items, rng)
    draws = rng.multinomial(int(times.sum()), times / times.sum(), size=replicates)
    low, high = _percentiles(sums.alpha(draws @ totals), confidence)
    return Alpha(float(sums.alpha(times @ totals)), low, high, confidence, n_items)


@dataclass(frozen=True)
class _Sums:
    """Sums over items that alpha needs, ``(item, sum)``, and alpha from their totals, ``(..., sum)``."""

    of_items: Callable[[Summary], Array]
    alpha: Callable[[Array], Array]


def _sums_for(ratings: Summary, scale: str) -> _Sums:
    if scale == "interval":
        centre = float(np.mean(ratings.mean))
        return _Sums(lambda items: _interval_sums(items, centre), _interval_alpha)
    if not isinstance(ratings, Counts):
        raise InputError(f"alpha on a {scale} scale needs counts per category; plain numbers need --scale interval")
    if scale == "nominal":
        return _Sums(_nominal_sums, _nominal_alpha)
    if scale == "ordinal":
        return _Sums(_ordinal_sums, _ordinal_alpha)
    raise InputError(f"unknown scale {scale!r}: use nominal, ordinal or interval")


def _nominal_sums(ratings: Summary) -> Array:
    """(n_c, pairs that differ / (n_u − 1)): ``Σ_{c≠k} n_c n_k = n_u² − Σ n_c²``."""
    counts = _counts(ratings).counts.astype(float)
    size = counts.sum(-1)
    differ = (size**2 - np.square(counts).sum(-1)) / (size - 1)
    return np.column_stack([counts, differ])


def _nominal_alpha(totals: Array) -> Array:
    n_c, observed = totals[..., :-1], totals[..., -1]
    n = n_c.sum(-1)
    return 1 - ratio(observed * (n - 1), n**2 - np.square(n_c).sum(-1))


def _interval_sums(ratings: Summary, centre: float) -> Array:
    """(n_u, Σ x, Σ x², pair differences / (n_u − 1)): ``Σ_{i≠j} (x_i − x_j)² = 2 (n Σ x² − (Σ x)²)``."""
    size, total, squares = _moments(ratings, centre)
    return np.column_stack([size, total, squares, 2 * (size * squares - total**2) / (size - 1)])


def _interval_alpha(totals: Array) -> Array:
    n, total, squares, observed = np.moveaxis(totals, -1, 0)
    return 1 - ratio(observed * (n - 1), 2 * (n * squares - total**2))


def _ordinal_sums(ratings: Summary) -> Array:
    """Coincidences ``(n_c n_k − 1[c = k] n_c) / (n_u − 1)``, flattened."""
    ordered = _counts(ratings)
    counts = ordered.counts.astype(float)
    if ordered.levels is not None:
        counts = counts[:, np.argsort(ordered.levels)]
    pairs = counts[:, :, None] * counts[:, None, :]
    diagonal = np.arange(counts.shape[-1])
    pairs[:, diagonal, diagonal] -= counts
    return np.asarray(pairs / (counts.sum(-1) - 1)[:, None, None]).reshape(len(counts), -1)


def _ordinal_alpha(totals: Array) -> Array:
    """With mid-ranks r the ordinal difference is ``(r_c − r_k)²``."""
    size = round(totals.shape[-1] ** 0.5)
    pairs = totals.reshape(*totals.shape[:-1], size, size)
    n_c = pairs.sum(-1)
    n = n_c.sum(-1)
    rank = np.cumsum(n_c, axis=-1) - n_c / 2
    own = (n_c * rank**2).sum(-1)
    observed = 2 * (own - np.einsum("...c,...ck,...k->...", rank, pairs, rank))
    return 1 - ratio(observed * (n - 1), 2 * (n * own - (n_c * rank).sum(-1) ** 2))


def _moments(ratings: Summary, centre: float) -> tuple[Array, Array, Array]:
    if isinstance(ratings, Values):
        x = np.where(ratings.present, ratings.values - centre, 0.0)
        return ratings.size, x.sum(-1), np.square(x).sum(-1)
    counts = _counts(ratings)
    x = ordered_levels(counts) - centre
    return counts.size, counts.counts @ x, counts.counts @ x**2


def _counts(ratings: Summary) -> Counts:
    if isinstance(ratings, Counts):
        return ratings
    raise InputError("alpha needs the raters' counts or values: means and probabilities do not show their spread")


def _pairable(ratings: Summary) -> Summary:
    keep = ratings.size >= 2
    return ratings if bool(np.all(keep)) else _rows(ratings, keep)


def _rows(ratings: Summary, index: Array) -> Summary:
    if isinstance(ratings, Values):
        return Values(ratings.values[index], ratings.size[index])
    return Counts(_counts(ratings).counts[index], _counts(ratings).levels)


def _groups(ratings: Summary, of_items: Callable[[Summary], Array], rng: np.random.Generator) -> tuple[Array, Array]:
    """Sums of kinds of items and how often each occurs – or sums of random blocks, each once."""
    kinds = _kinds(ratings) if isinstance(ratings, Counts) else None
    if kinds is not None and len(kinds[1]) <= MOST_KINDS:
        return of_items(kinds[0]), kinds[1]
    n_items = ratings.size.shape[-1]
    order, edges = rng.permutation(n_items), np.linspace(0, n_items, min(BLOCKS, n_items) + 1).astype(int)
    per_chunk = max(1, CHUNK * (len(edges) - 1) // n_items)
    parts = []
    for first in range(0, len(edges) - 1, per_chunk):
        inside = edges[first : first + per_chunk + 1]
        terms = of_items(_rows(ratings, order[inside[0] : inside[-1]]))
        parts.append(np.add.reduceat(terms, inside[:-1] - inside[0], axis=0))
    return np.concatenate(parts), np.ones(len(edges) - 1, dtype=int)


def _kinds(ratings: Counts) -> tuple[Counts, Array] | None:
    """Distinct rows of counts and their numbers, through one integer per row; None if rows do not fit an integer."""
    counts, base = ratings.counts, int(ratings.counts.max()) + 1
    n_categories = counts.shape[-1]
    if base**n_categories > 2**62:
        return None
    place = base ** np.arange(n_categories, dtype=np.int64)
    code = counts.astype(np.int64, copy=False) @ place
    if base**n_categories <= 1 << 20:
        times = np.bincount(code)
        found = np.flatnonzero(times)
        times = times[found]
    else:
        found, times = np.unique(code, return_counts=True)
    return Counts(found[:, None] // place % base, ratings.levels), times


def _percentiles(replicates: Array, confidence: float) -> tuple[float, float]:
    usable = replicates[~np.isnan(replicates)]
    if len(usable) == 0:
        return np.nan, np.nan
    low, high = np.quantile(usable, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)
