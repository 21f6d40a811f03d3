"""What studies of few items promise, for several sizes from one table of draws.

A study of N items is the first N of a column of draws from the item law, so the sizes share their draws; expected p
compares the sums of both worlds, ties count as extreme [forest, alg. 2], and the papers' width is the distance
between quantiles of the means [forest, alg. 3].
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from quorate._typing import Array
from quorate.inference.outcome import t_quantile
from quorate.planning.laws.item_law import ItemLaw
from quorate.planning.promises.lattice import quantiles, sum_law
from quorate.planning.promises.small_studies import not_linear

__all__ = ["SizePromise", "few_promises", "lattice_promises", "normal_p", "study_choices"]

STUDIES = 8192
"""Studies drawn: at p = 0.03 the Monte-Carlo error of an expected p is then 0.001."""
ATOMS = 1 << 16
"""Equally likely values that stand for an item law, so that drawing from it is a look-up."""


@dataclass(frozen=True)
class SizePromise:
    """What one number of items promises; `quantile_width` is the papers', `ci_width` the default test's."""

    n_items: int
    expected_p: float
    expected_p_error: float
    power: float
    ci_width: float
    quantile_width: float


def study_choices(n_items: int, *, rng: np.random.Generator) -> Array:
    """Draw which atom of a law each item of each study takes, ``(world, item, study)``; good for any law.

    The studies share out the law's quantiles at each of their items, a Latin hypercube: what a result owes to single
    items then hardly varies [stein1987].

    Examples
    --------
    >>> study_choices(3, rng=np.random.default_rng(0)).shape
    (2, 3, 8192)
    """
    strata = rng.permuted(np.tile(np.arange(STUDIES), (2, n_items, 1)), axis=-1)
    return ((strata + rng.random(strata.shape, dtype=np.float32)) * (ATOMS / STUDIES)).astype(np.uint16)


def few_promises(
    law: ItemLaw,
    sizes: Sequence[int],
    confidence: float,
    choices: Array,
    *,
    by_medians: bool = False,
) -> list[SizePromise]:
    """Return what each number of items promises, sizes ascending.

    The error in p of a simulated law is that of its mean and spread, and at most √(N / n) times the sd of p over
    studies, the bound for a mean over N of the n items it was made from [hoeffding1948].

    Parameters
    ----------
    law
        The law of one item's difference in both worlds.
    sizes, confidence
        Numbers of items, at most those of `choices`; level of the intervals.
    choices
        From `study_choices`.
    by_medians
        Count null draws on the side of the alternative's median, as the papers do, not always where A is better.

    Examples
    --------
    >>> from quorate.planning.laws.item_law import exact_law
    >>> coin = (np.array([-1.0, 1.0]), np.array([0.5, 0.5]))
    >>> found = few_promises(exact_law(*coin, *coin), [1, 2], 0.95, study_choices(2, rng=np.random.default_rng(0)))
    >>> abs(found[0].expected_p - 3 / 4) < 0.02, abs(found[1].expected_p - 11 / 16) < 0.02  # a tie counts as extreme
    (True, True)
    """
    if law.null_values is None or law.null_weights is None:
        raise ValueError("an expected p needs the law of the null world")
    d = _atoms(law.values, law.weights)[choices[0, : sizes[-1]]]
    null = _sums(_atoms(law.null_values, law.null_weights)[choices[1, : sizes[-1]]], sizes)
    means = _sums(d, sizes) / np.array(sizes)[:, None]
    squares = _sums(d * d, sizes)
    tails = [0.5 - confidence / 2, 0.5 + confidence / 2]
    found = []
    for k, n in enumerate(sizes):
        side = -1.0 if by_medians and np.median(means[k]) * n < np.median(null[k]) - 1e-9 else 1.0
        p, drawing = _expected_p(side * means[k] * n, side * null[k])
        power, width = _power(means[k], squares[k], n, confidence)
        from_law = 0.0
        if law.draws > 0:
            moved = float(np.hypot(law.mean_error, law.mean * law.sd_error))
            normal = normal_p(n, law.mean, moved, float(np.hypot(law.sd, law.null_sd)))[1]
            from_law = min(float(normal), np.sqrt(n / law.draws) * drawing * np.sqrt(STUDIES))
        error = float(np.hypot(drawing, from_law))
        low, high = np.quantile(means[k], tails)
        found.append(SizePromise(n, p, error, power, width, float(high - low)))
    return found


def lattice_promises(
    law: ItemLaw, sizes: Sequence[int], confidence: float, *, by_medians: bool = False, rng: np.random.Generator
) -> list[SizePromise]:
    """Return the same without drawing, where power and expected p are exact; without a width of the interval.

    Examples
    --------
    >>> from quorate.planning.laws.item_law import exact_law
    >>> coin = (np.array([-1.0, 1.0]), np.array([0.5, 0.5]))
    >>> found = lattice_promises(exact_law(*coin, *coin), [2], 0.95, rng=np.random.default_rng(0))[0]
    >>> round(found.expected_p, 9), found.power, found.quantile_width
    (0.6875, 0.0, 2.0)
    """
    found = []
    for n in sizes:
        sums, chances = sum_law(law.values, law.weights, law.span, n)
        low, middle, high = quantiles(sums, chances, [0.5 - confidence / 2, 0.5, 0.5 + confidence / 2])
        p, error = (law.mirrored if by_medians and middle < 0 else law).expected_p(n, confidence, rng=rng)
        power = law.chances(n, confidence, rng=rng)[0]
        found.append(SizePromise(n, p, error, power, float("nan"), (high - low) / n))
    return found


def normal_p(n_items: Array | int, mean: float, mean_error: float, spread: float) -> tuple[Array, Array]:
    """Return the expected p in the normal limit, Φ(−√N μ / sqrt(σ² + σ₀²)), and its error from that of the mean.

    Examples
    --------
    >>> [float(x.round(4)) for x in normal_p(2, mean=0.5, mean_error=0.01, spread=0.5)]
    [0.0786, 0.0042]
    """
    if spread == 0:
        return np.where(mean > 0, 0.0, 1.0) + 0.0 * np.asarray(n_items), 0.0 * np.asarray(n_items)
    root = np.sqrt(n_items)
    z = -root * mean / spread
    density = np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi)
    return np.asarray(ndtr(z)), np.asarray(density * root * mean_error / spread)


def _atoms(values: Array, weights: Array) -> Array:
    """Return the law's quantiles at the middles of `ATOMS` equal steps."""
    middles = (np.arange(ATOMS) + 0.5) / ATOMS
    cumulative = np.cumsum(weights)
    return np.repeat(values, np.diff(np.searchsorted(middles, cumulative / cumulative[-1], side="right"), prepend=0))


def _sums(draws: Array, sizes: Sequence[int]) -> Array:
    """Sum the first N items for each N, ``(size, study)``."""
    steps = [draws[low:high].sum(0) for low, high in zip([0, *sizes[:-1]], sizes, strict=True)]
    return np.cumsum(steps, axis=0)


def _expected_p(alternative: Array, null: Array) -> tuple[float, float]:
    """Mean share of null sums at least as large as an alternative one, and its Monte-Carlo error on both sides.

    Of the variance counts what is not linear in the sum: the rest is shared out by the choices.
    """
    null, up = np.sort(null), np.sort(alternative)
    slack = 1e-9 * (1.0 + max(abs(float(null[0])), abs(float(null[-1]))))
    n = len(null)
    extreme = 1.0 - np.searchsorted(null, up - slack, side="left") / n
    reached = np.searchsorted(up, null + slack, side="right") / n
    variance = not_linear(extreme, up) + not_linear(reached, null)
    return float(extreme.mean()), float(np.sqrt(variance / n))


def _power(mean: Array, squares: Array, n: int, confidence: float) -> tuple[float, float]:
    """Chance that the default interval lies above 0, and its mean width; one item has neither."""
    if n < 2:
        return 0.0, float("nan")
    s = np.sqrt(np.maximum(squares - n * mean**2, 0.0) / (n - 1))
    half = t_quantile(n - 1.0, confidence) * s / np.sqrt(n)
    constant = s <= 1e-7 * np.abs(mean) + 1e-15  # no spread: the sign test decides, p = 2^(1 − N)
    certain = 2.0 ** (1 - n) <= 1 - confidence
    better = np.where(constant, certain & (mean > 0), mean > half)
    return float(better.mean()), float(2 * half[~constant].mean()) if not constant.all() else float("nan")
