"""Studies of few items, drawn from the law of one item's difference: what their t test says, and their expected p.

A study of N items is the first N of a column of draws, so all sizes share their draws. At each item
the studies share out the quantiles of the law, a Latin hypercube: what a result owes to single
items then hardly varies [stein1987]. The choice of quantiles is made once, for all laws, so that
neighbours can be compared. Expected p compares the sums of both worlds, ties count as extreme
[forest, alg. 2]; the papers' interval lies between quantiles of means [forest, alg. 3].
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from quorate._random import generator
from quorate._typing import Array
from quorate.inference.outcome import shares_at_least, sign_p, t_quantile

DRAWN_P = 8192
"""Studies of one set. At p = 0.03 the Monte-Carlo error of an expected p is then 0.001."""
ATOMS = 1 << 16
"""Equally likely values that stand for an item law, so that drawing from it is a look-up."""
BLOCK = 64
"""Items whose draws are made together."""


@dataclass(frozen=True)
class StudyDraws:
    """Which of a law's quantiles each item of each study takes; good for any law.

    With four sets of 8192 studies the Monte-Carlo error of power is at most 0.0017; expected p
    takes the first.
    """

    seed: int = 0
    sets: int = 4

    def blocks(self, first: int, last: int, *, null: bool = False) -> Iterator[Array]:
        """Yield choices of items block by block, ``(item, study)``; of the null world one set."""
        for start in range(first // BLOCK * BLOCK, last, BLOCK):
            block = _choices(self.seed, "null" if null else "alternative", 1 if null else self.sets, start)
            yield block[max(first - start, 0) : last - start]


@dataclass(frozen=True)
class StudyChances:
    """What drawn studies of one size say: the chances of verdicts, mean width, expected p, and quantiles of the mean.

    `better` is P(low > 0), `worse` P(low > −margin), `equivalent` that of both ends within the
    margin but low ≤ 0; `error` is the Monte-Carlo error of `better`, with a margin of `worse`;
    `quantiles` are those of both tails and the median between them.
    """

    better: float
    worse: float
    equivalent: float
    ci_width: float
    error: float
    expected_p: float
    expected_p_error: float
    quantiles: tuple[float, float, float]


def small_studies(
    law: tuple[Array, Array],
    null: tuple[Array, Array] | None,
    sizes: Sequence[int],
    confidence: float,
    margin: float | None,
    studies: StudyDraws,
) -> list[StudyChances]:
    """Draw studies of each size, ascending, and test each; laws are values and weights of one item."""
    atoms, null_atoms = _atoms(*law), None if null is None else _atoms(*null)
    n_studies = studies.sets * DRAWN_P
    total, square, null_total = np.zeros(n_studies), np.zeros(n_studies), np.zeros(DRAWN_P)
    alike, first = np.ones(n_studies, dtype=bool), atoms[next(studies.blocks(0, 1))[0]]
    chances = []
    for before, n in pairwise([0, *sizes]):
        for block in studies.blocks(before, n):
            d = atoms[block]
            total, square = total + d.sum(0), square + np.einsum("is,is->s", d, d)
            alike &= (d == first).all(0)
        p = float("nan"), float("nan")
        if null_atoms is not None:
            for block in studies.blocks(before, n, null=True):
                null_total = null_total + null_atoms[block].sum(0)
            p = _expected_p(total[:DRAWN_P], null_total)
        tails = [0.5 - confidence / 2, 0.5, 0.5 + confidence / 2]
        low, middle, high = (float(x) for x in np.quantile(total[:DRAWN_P], tails) / n)
        chances.append(StudyChances(*_verdicts(total, square, alike, n, confidence, margin), *p, (low, middle, high)))
    return chances


@lru_cache(maxsize=32)
def _choices(seed: int, world: str, sets: int, start: int) -> Array:
    """Draw which atom of a law each item of a block takes in each study, ``(item, study)``."""
    rng = generator(seed, "small studies", world, start)
    strata = rng.permuted(np.tile(np.arange(DRAWN_P), (BLOCK, sets, 1)), axis=-1).reshape(BLOCK, -1)
    return ((strata + rng.random(strata.shape, dtype=np.float32)) * (ATOMS / DRAWN_P)).astype(np.uint16)


def _atoms(values: Array, weights: Array) -> Array:
    """Return the law's quantiles at the middles of `ATOMS` equal steps."""
    if (np.diff(values) < 0).any():
        order = np.argsort(values)
        values, weights = values[order], weights[order]
    cumulative = np.cumsum(weights)
    middles = (np.arange(ATOMS) + 0.5) / ATOMS
    return np.repeat(values, np.diff(np.searchsorted(middles, cumulative / cumulative[-1], side="right"), prepend=0))


def _verdicts(
    total: Array, square: Array, alike: Array, n: int, confidence: float, margin: float | None
) -> tuple[float, float, float, float, float]:
    """Chances of better, no worse and equivalent, the mean width of the intervals that exist, and the error."""
    if n < 2:
        of_margin = float("nan") if margin is None else 0.0
        return 0.0, of_margin, of_margin, float("nan"), 0.0
    mean = total / n
    half = t_quantile(n - 1.0, confidence) * np.sqrt(np.maximum(square / n - mean**2, 0.0) / (n - 1.0))
    equal = alike & (total != 0)  # no interval: the sign test decides
    half = np.where(equal, np.inf if sign_p(n) > 1 - confidence else 0.0, np.where(alike, 0.0, half))
    low, high = mean - half, mean + half
    width = float(2 * half[~equal].mean()) if not equal.all() else float("nan")
    better = low > 0
    if margin is None:
        return float(better.mean()), float("nan"), float("nan"), width, _error(better, mean)
    worse = low > -margin
    both = float((worse & (high < margin) & ~better).mean())
    return float(better.mean()), float(worse.mean()), both, width, _error(worse, mean)


def _error(passed: Array, mean: Array) -> float:
    """Monte-Carlo error of a share of studies, not below that of one study."""
    return float(np.sqrt(max(_not_linear(passed.astype(float), mean), 1 / len(mean)) / len(mean)))


def _expected_p(alternative: Array, null: Array) -> tuple[float, float]:
    """Mean share of null sums at least as large as an alternative one, and its Monte-Carlo error on both sides.

    Of the variance counts what is not linear in the sum: the rest is shared out by the choices.
    """
    null, alternative = np.sort(null), np.sort(alternative)
    extreme, reached = shares_at_least(alternative, null), shares_at_least(-null, -alternative)
    variance = _not_linear(extreme, alternative) + _not_linear(reached, null)
    return float(extreme.mean()), float(np.sqrt(variance / len(null)))


def _not_linear(y: Array, x: Array) -> float:
    """The variance of y that a line in x does not explain: what is left where x is shared out over studies."""
    y, x = y - y.mean(), x - x.mean()
    explained = (x @ y) ** 2 / (x @ x) if x @ x > 0 else 0.0
    return max(float(y @ y - explained), 0.0) / len(y)
