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
from math import nan

import numpy as np

from quorate._random import generator
from quorate._typing import Array
from quorate.inference.means import mean_pivot
from quorate.inference.outcome import shares_at_least
from quorate.inference.uncertain_variance import t_quantile
from quorate.planning.promises.closed_forms import law_quantiles, share_needed

DRAWN_P = 8192
"""Studies of one set. At p = 0.03 the Monte-Carlo error of an expected p is then 0.001."""
ATOMS = 1 << 16
"""Equally likely values that stand for an item law, so that drawing from it is a look-up."""
BLOCK = 64
"""Items whose draws are made together."""
PIVOTS = 2048
"""Studies that are put to the whole pivot."""


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
    `quantiles` are those of both tails and the median between them; `lost` is how much of `better` `compare`
    takes back, nan where nobody looked.
    """

    better: float
    worse: float
    equivalent: float
    ci_width: float
    error: float
    expected_p: float
    expected_p_error: float
    quantiles: tuple[float, float, float]
    lost: float = nan


def law_atoms(values: Array, weights: Array) -> Array:
    """Return the equally likely values that stand for the law of one item."""
    return law_quantiles(values, weights, ATOMS)


def small_studies(
    atoms: Array,
    null_atoms: Array | None,
    sizes: Sequence[int],
    confidence: float,
    margin: float | None,
    studies: StudyDraws,
    *,
    reach: float,
    closely: bool = False,
) -> list[StudyChances]:
    """Draw studies of each size, ascending, and put each to Student's test; of each world the atoms of one item's law.

    Studies whose items are all alike are judged by what could have gone unseen, up to `reach`. The
    first set is looked at `closely` where the chance of *better* is asked at each size.
    """
    n_studies = studies.sets * DRAWN_P
    total, square, null_total = np.zeros(n_studies), np.zeros(n_studies), np.zeros(DRAWN_P)
    alike, first = np.ones(n_studies, dtype=bool), atoms[next(studies.blocks(0, 1))[0]]
    chances, tails = [], [0.5 - confidence / 2, 0.5, 0.5 + confidence / 2]
    for before, n in pairwise([0, *sizes]):
        for block in studies.blocks(before, n):
            d = _look_up(atoms, block)
            total, square = total + d.sum(0), square + np.einsum("is,is->s", d, d)
            if alike.any():
                alike &= (d == first).all(0)
        ordered, p = np.sort(total[:DRAWN_P]), (nan, nan)
        if null_atoms is not None:
            for block in studies.blocks(before, n, null=True):
                null_total = null_total + _look_up(null_atoms, block).sum(0)
            p = _expected_p(ordered, null_total)
        low, middle, high = (float(x) for x in np.quantile(ordered, tails) / n)
        ends = _student_ends(total / n, square / n, alike, n, confidence, reach)
        moments = total[:DRAWN_P] / n, square[:DRAWN_P] / n
        lost = _lost_better(atoms, *moments, n, confidence, studies) if closely else nan
        chances.append(StudyChances(*_verdicts(total / n, ends, n, margin), *p, (low, middle, high), lost))
    return chances


def lost_chances(
    atoms: Array, n_items: int, confidence: float, margin: float | None, reach: float, studies: StudyDraws
) -> tuple[float, float, float]:
    """Return the chances of verdicts that Student's test gives and `compare` does not: better, no worse, equivalent.

    They are small, so fewer studies tell them: the first set, and with a margin, where the whole pivot
    is asked, a part of it.
    """
    if margin is None:
        mean, square = _moments(atoms, n_items, studies)
        return _lost_better(atoms, mean, square, n_items, confidence, studies), nan, nan
    if n_items < 2:
        return 0.0, 0.0, 0.0
    choices = np.concatenate([block[:, :PIVOTS] for block in studies.blocks(0, n_items)])
    values = atoms[choices.T]
    mean, square, alike = values.mean(-1), (values**2).mean(-1), np.ptp(values, axis=-1) == 0
    student = _verdicts(mean, _student_ends(mean, square, alike, n_items, confidence, reach), n_items, margin)
    pivot = mean_pivot(values, reach=reach, unseen=True)
    passed = {at: pivot.p_value(np.full(mean.shape, at)) <= 1 - confidence for at in (-margin, 0.0, margin)}
    better, worse = passed[0.0] & (mean > 0), passed[-margin] & (mean > -margin)
    equivalent = worse & passed[margin] & (mean < margin) & ~better
    asked = (float(each.mean()) for each in (better, worse, equivalent))
    first, second, third = (plain - real for plain, real in zip(student[:3], asked, strict=True))
    return first, second, third


def _moments(atoms: Array, n_items: int, studies: StudyDraws) -> tuple[Array, Array]:
    """Mean and mean square of each study of the first set."""
    mean, square = np.zeros(DRAWN_P), np.zeros(DRAWN_P)
    for block in studies.blocks(0, n_items):
        d = _look_up(atoms, block[:, :DRAWN_P])
        mean, square = mean + d.sum(0) / n_items, square + np.einsum("is,is->s", d, d) / n_items
    return mean, square


def _lost_better(
    atoms: Array, mean: Array, square: Array, n_items: int, confidence: float, studies: StudyDraws
) -> float:
    """How often Student's interval lies above 0 and the tilted one does not; block by block.

    With no d below −b, Σ d / (1 + λ d) ≥ Σ d − λ Σ d² / (1 − λ b): most studies need no closer look.
    """
    if n_items < 2:
        return 0.0
    needed = share_needed(n_items, confidence)
    largest, deepest = float(np.abs(atoms).max()), max(-float(atoms.min()), 0.0)
    sure = (mean > needed * largest) & (mean * (mean - needed * deepest) > needed * square * (1 + 1e-9))
    passed = np.flatnonzero((mean > 0) & (mean**2 > needed * square) & ~sure)
    point, size, tilted = needed / mean[passed], np.zeros(len(passed)), np.zeros(len(passed))
    with np.errstate(divide="ignore", invalid="ignore"):
        for block in studies.blocks(0, n_items):
            d = _look_up(atoms, block.take(passed, axis=1))
            size, tilted = np.maximum(size, np.abs(d).max(0)), tilted + (d / (1 + point * d)).sum(0)
    return float(((point * size > 1 + 1e-12) | (tilted < 0)).sum() / DRAWN_P)


@lru_cache(maxsize=32)
def _choices(seed: int, world: str, sets: int, start: int) -> Array:
    """Draw which atom of a law each item of a block takes in each study, ``(item, study)``."""
    rng = generator(seed, "small studies", world, start)
    strata = rng.permuted(np.tile(np.arange(DRAWN_P), (BLOCK, sets, 1)), axis=-1).reshape(BLOCK, -1)
    return ((strata + rng.random(strata.shape, dtype=np.float32)) * (ATOMS / DRAWN_P)).astype(np.uint16)


def _look_up(atoms: Array, choices: Array) -> Array:
    """Return the atoms chosen; looked up by whole words, which NumPy does twice as fast."""
    return atoms.take(choices.astype(np.intp))


def _student_ends(
    mean: Array, square: Array, alike: Array, n: int, confidence: float, reach: float
) -> tuple[Array, Array]:
    """Both ends of Student's interval, ``(study,)``; of items all alike, the share π of others that could go unseen.

    ``2 (1 − π)^N = α``, and others are as far off as can be.
    """
    if n < 2:
        return np.full(mean.shape, -np.inf), np.full(mean.shape, np.inf)
    half = t_quantile(n - 1.0, confidence) * np.sqrt(np.maximum(square - mean**2, 0.0) / (n - 1.0))
    share = 1 - ((1 - confidence) / 2) ** (1 / n)
    low = np.where(alike, mean - share * (reach + mean), mean - half)
    return low, np.where(alike, mean + share * (reach - mean), mean + half)


def _verdicts(
    mean: Array, ends: tuple[Array, Array], n: int, margin: float | None
) -> tuple[float, float, float, float, float]:
    """Chances of better, no worse and equivalent, the mean width of the intervals, and the error."""
    low, high = ends
    width = float((high - low).mean()) if n > 1 else nan
    better = low > 0
    if margin is None:
        return float(better.mean()), nan, nan, width, _error(better, mean)
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
