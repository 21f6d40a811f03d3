"""Studies of few items, drawn from the law of one item's difference: what their t test says, for every N at once.

One item after the other is added to 25 000 studies, so that all numbers of items share their draws and their sums. At
each item the studies share out the quantiles of the law, a Latin hypercube [stein1987].
"""

from dataclasses import dataclass

import numpy as np

from quorate._typing import Array
from quorate.inference.outcome import t_quantile

__all__ = ["STUDIES", "Drawn", "draw_items", "drawn_studies", "not_linear", "quantile_widths"]

STUDIES = 25_000
"""Studies drawn: the Monte-Carlo error of power is then at most 0.002, as their quantiles are shared out."""
SHIFTS = 8
"""Times each drawn alternative study meets another null study, to estimate the expected p."""


@dataclass(frozen=True)
class Drawn:
    """What studies of 1, 2, 3, … items say, each ``(n_items,)``: the chances of verdicts, mean width, expected p.

    `better` is P(low > 0), `worse` P(low > −margin), `equivalent` that of both ends within the margin but low ≤ 0;
    `error` is the Monte-Carlo error of `better`, with a margin of `worse`.
    """

    better: Array
    worse: Array
    equivalent: Array
    ci_width: Array
    error: Array
    expected_p: Array


def drawn_studies(
    law: tuple[Array, Array],
    null: tuple[Array, Array] | None,
    most_items: int,
    confidence: float,
    margin: float | None,
    *,
    rng: np.random.Generator,
) -> Drawn:
    """Draw studies of up to so many items and test each.

    Parameters
    ----------
    law, null
        Values and weights of one item's difference, in the world with a difference and in the null world.
    most_items, confidence, margin
        Largest study; level of the interval; margin of no worse, or None.
    rng
        The generator to draw from.

    Examples
    --------
    >>> law = np.array([0.0, 1.0]), np.array([0.5, 0.5])
    >>> found = drawn_studies(law, None, 6, 0.95, None, rng=np.random.default_rng(0))
    >>> float(found.better[0]), bool(abs(found.better[5] - 22 / 64) < 0.012)  # at most two zeros
    (0.0, True)
    """
    rows = np.full((6, most_items), np.nan)
    law, null = _sorted(law), None if null is None else _sorted(null)
    total, square, first = (np.zeros(STUDIES) for _ in range(3))
    constant, null_total = np.ones(STUDIES, dtype=bool), np.zeros(STUDIES)
    for n in range(1, most_items + 1):
        d = draw_items(*law, STUDIES, rng=rng)
        first = d if n == 1 else first
        constant &= d == first
        total, square = total + d, square + d * d
        rows[:5, n - 1] = _verdicts(total, square, constant, n, confidence, margin)
        if null is not None:
            null_total = null_total + draw_items(*null, STUDIES, rng=rng)
            rows[5, n - 1] = _share_at_least(null_total, total)
    return Drawn(*rows)


def not_linear(y: Array, x: Array) -> float:
    """Return the variance of y that a line in x does not explain: what is left where x is shared out over studies.

    Examples
    --------
    >>> not_linear(np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0, 2.0]))
    0.0
    """
    y, x = y - y.mean(), x - x.mean()
    explained = (x @ y) ** 2 / (x @ x) if x @ x > 0 else 0.0
    return max(float(y @ y - explained), 0.0) / len(y)


def quantile_widths(law: tuple[Array, Array], most_items: int, confidence: float, *, rng: np.random.Generator) -> Array:
    """Return the width between the quantiles of the mean of 1, 2, 3, … items, ``(n_items,)`` [forest, alg. 3].

    Examples
    --------
    >>> law = np.array([0.0, 1.0]), np.array([0.5, 0.5])
    >>> quantile_widths(law, 2, 0.95, rng=np.random.default_rng(0))
    array([1., 1.])
    """
    tails, widths, total = [0.5 - confidence / 2, 0.5 + confidence / 2], [], np.zeros(STUDIES)
    for n in range(1, most_items + 1):
        total = total + draw_items(*law, STUDIES, rng=rng)
        low, high = np.quantile(total, tails)
        widths.append((high - low) / n)
    return np.array(widths)


def draw_items(values: Array, weights: Array, size: int, *, rng: np.random.Generator) -> Array:
    """Draw from a discrete law, its quantiles shared out, in random order; equal weights need no search.

    Examples
    --------
    >>> draw_items(np.array([3.0]), np.array([1.0]), 2, rng=np.random.default_rng(0))
    array([3., 3.])
    """
    at = (rng.permutation(size) + rng.random(size)) / size
    if weights[0] == weights[-1] and np.ptp(weights) == 0:
        return np.asarray(values[(at * len(values)).astype(np.intp)])
    cumulative = np.cumsum(weights)
    places = np.searchsorted(cumulative, at * cumulative[-1], side="right")
    return np.asarray(values[np.minimum(places, len(values) - 1)])


def _sorted(law: tuple[Array, Array]) -> tuple[Array, Array]:
    """The same law, values ascending."""
    order = np.argsort(law[0], kind="stable")
    return law[0][order], law[1][order]


def _verdicts(
    total: Array, square: Array, constant: Array, n: int, confidence: float, margin: float | None
) -> tuple[float, float, float, float, float]:
    """Chances of better, no worse and equivalent, the mean width of the intervals that exist, and the error."""
    if n < 2:
        return 0.0, 0.0, 0.0, float("nan"), 0.0
    mean = total / n
    variance = np.maximum(square / n - mean**2, 0.0) / (n - 1.0)
    half = t_quantile(n - 1.0, confidence) * np.sqrt(variance)
    alike = constant & (total != 0)  # no interval: the sign test decides, p = 2^(1 − N)
    half = np.where(constant, np.inf if 2.0 ** (1 - n) > 1 - confidence else 0.0, half)
    half = np.where(constant & ~alike, 0.0, half)  # identical systems: 0 to 0
    low, high, there = mean - half, mean + half, ~alike
    width = float(2 * half[there].mean()) if there.any() else float("nan")
    better = low > 0
    if margin is None:
        return float(better.mean()), float("nan"), float("nan"), width, _error(better, mean)
    worse = low > -margin
    both = float((worse & (high < margin) & ~better).mean())
    return float(better.mean()), float(worse.mean()), both, width, _error(worse, mean)


def _error(passed: Array, mean: Array) -> float:
    """Monte-Carlo error of a share of studies, not below that of one study."""
    return float(np.sqrt(max(not_linear(passed.astype(float), mean), 1 / len(mean)) / len(mean)))


def _share_at_least(null: Array, alternative: Array) -> float:
    """P(null ≥ alternative), each alternative study against several null ones; ties count."""
    near = alternative - 1e-9 * max(float(np.abs(alternative).max()), 1e-300)
    twice, n = np.concatenate([null, null]), len(null)
    shares = [np.count_nonzero(twice[k : k + n] >= near) for k in range(0, n, n // SHIFTS)]
    return sum(shares) / (n * len(shares))
